package simt

import (
	"fmt"
	"testing"

	"heddle/arch/isa"
	"heddle/arch/isa/isatest"
	"heddle/sim"
)

// An instruction that needs the one before it issues its latency later: the
// whole run takes the first, n latencies, the return and its latency.
func TestDependentChain(t *testing.T) {
	for _, class := range classes {
		for _, n := range []int{1, 2, 17} {
			c := round()
			latency := class.unit(&c.Units).Latency
			p := isatest.Main(t, "", class.init, isatest.Repeat(n, class.chain))
			first := c.Units.Int.Latency // of the move
			issued := first + sim.Cycles(n-1)*latency
			got := cycles(t, c, p, 1, 1)
			wantCycles(t, fmt.Sprintf("%s x%d", class.name, n), got, issued+1+c.Units.Control.Latency)
		}
	}
}

// Two kinds of unit in one chain: each waits for the latency of the other.
func TestConversionChain(t *testing.T) {
	c := round()
	p := isatest.Main(t, "", "mov r0, 1", isatest.Repeat(5, "cvt.f64.i64 d1, r0\nmul.f64 d1, d1, d1\ncvt.i64.f64 r0, d1\nadd r0, r0, 1"))
	turn := 2*c.Units.Convert.Latency + c.Units.F64.Latency + c.Units.Int.Latency
	last := 5 * turn // the fifth add: the move's latency stands for its own
	wantCycles(t, "chain", cycles(t, c, p, 1, 1), last+1+c.Units.Control.Latency)
}

// A call waits for its arguments and a return for its results; both are
// branches.
func TestCallsWaitForOperands(t *testing.T) {
	c := round()
	p, err := isa.Parse("test.asm", `program test

func main()
    mov r0, 1
    mul r0, r0, r0
    call f(r0) -> (r1)
    add r1, r1, 1
    ret

func f(r0) -> i64
    mul r1, r0, r0
    ret r1
`)
	if err != nil {
		t.Fatal(err)
	}
	want := c.Units.Int.Latency + 2*c.Units.Mul.Latency + 2*c.Units.Control.Latency // the addition issues
	wantCycles(t, "call", cycles(t, c, p, 1, 1), want+1+c.Units.Control.Latency)
}

// Independent instructions of one warp issue at the scheduler's interval, or
// at the unit's where that is longer.
func TestIndependentInstructions(t *testing.T) {
	for _, class := range classes {
		for _, interval := range []sim.Cycles{1, 2, 3} {
			for _, lanes := range []int{32, 16, 4, 2} {
				const n = 20
				c := with(func(c *Config) {
					c.Scheduler.Interval = interval
					class.unit(&c.Units).Lanes = lanes
				})
				init := isatest.Lines(n, func(i int) string { return numbered(class.init, i) })
				all := isatest.Main(t, "", init, isatest.Lines(n, func(i int) string { return numbered(class.chain, i) }))
				one := isatest.Main(t, "", init, numbered(class.chain, 0))
				each := max(interval, sim.Cycles(32/lanes))
				got := cycles(t, c, all, 1, 1) - cycles(t, c, one, 1, 1)
				wantCycles(t, fmt.Sprintf("%s, interval %d, %d lanes", class.name, interval, lanes), got, (n-1)*each)
			}
		}
	}
}

// With warps enough to hide every latency, an SM issues
// min(schedulers/interval, lanes/width) instructions of a class each cycle,
// and of an exclusive one at most 1/interval.
func TestIssueThroughput(t *testing.T) {
	const from, to = 100, 172
	for _, class := range classes {
		p := isatest.Main(t, "", class.init, isatest.Repeat(200, class.chain))
		for _, schedulers := range []int{1, 2, 4} {
			for _, interval := range []sim.Cycles{1, 2} {
				for _, lanes := range []int{16, 32, 48, 128} {
					for _, exclusive := range []bool{false, true} {
						c := with(func(c *Config) {
							c.Scheduler.Count, c.Scheduler.Interval = schedulers, interval
							*class.unit(&c.Units) = UnitConfig{Latency: 4, Lanes: lanes, Exclusive: exclusive}
						})
						perCycle := min(float64(schedulers)/float64(interval), float64(lanes)/32)
						if exclusive {
							perCycle = min(perCycle, 1/float64(interval))
						}
						got := issuedBefore(t, c, p, to) - issuedBefore(t, c, p, from)
						if want := uint64((to - from) * perCycle); got != want {
							t.Errorf("%s, %d schedulers, interval %d, %d lanes, exclusive %v: %d instructions in %d cycles, want %d",
								class.name, schedulers, interval, lanes, exclusive, got, to-from, want)
						}
					}
				}
			}
		}
	}
}

// While a scheduler issues to an exclusive unit no other issues anything: two
// warps of two schedulers, one of which uses it, take turns.
func TestExclusiveUnit(t *testing.T) {
	const n = 40
	for _, exclusive := range []bool{false, true} {
		c := with(func(c *Config) {
			c.Scheduler.Count, c.Scheduler.Interval, c.Units.F64.Exclusive = 2, 2, exclusive
			// In step, the two may issue in the same cycle.
			c.Units.Int.Lanes, c.Units.Compare.Lanes, c.Units.Control.Lanes = 64, 64, 64
		})
		run := func(n int) sim.Cycles {
			return cycles(t, c, isatest.Main(t, "", "lt r0, %tid, 32", "mov d1, 1.0", "if r0",
				isatest.Lines(n, func(i int) string { return fmt.Sprintf("add.f64 d%d, d1, 1.0", 2+i%20) }), "else",
				isatest.Lines(n, func(i int) string { return fmt.Sprintf("add r%d, r0, 1", 22+i%20) }), "endif"), 64, 64)
		}
		want := sim.Cycles(2 * n)
		if exclusive {
			want *= 2
		}
		wantCycles(t, fmt.Sprintf("exclusive %v", exclusive), run(2*n)-run(n), want)
	}
}

// issuedBefore returns the instructions that an SM full of warps issues before
// the given cycle of a run that goes on for longer.
func issuedBefore(t *testing.T, c Config, p *isa.Program, cycle sim.Cycles) uint64 {
	t.Helper()
	r := newRig(t, c)
	r.gpu.LimitCycles(cycle - 1)
	if _, err := r.try(p, 512, 512); err == nil {
		t.Fatalf("ended before cycle %d", cycle)
	}
	return r.gpu.Stats().Instructions
}
