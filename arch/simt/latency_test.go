package simt

import (
	"fmt"
	"testing"

	"heddle/arch/isa"
	"heddle/arch/isa/isatest"
	"heddle/sim"
)

// The steps of a read that finds the memory system idle, in cycles: with every
// clock at 1 GHz they add up.

// l2Hit is from a miss leaving the L1 for the crossbar until n bytes are back.
func l2Hit(c *Config, n sim.Bytes) sim.Cycles {
	packet := func(data sim.Bytes) sim.Cycles {
		return sim.Cycles((data + c.Crossbar.Header + c.Crossbar.Width - 1) / c.Crossbar.Width)
	}
	return c.Crossbar.RequestLatency + packet(0) + c.L2.Slice.HitLatency + c.Crossbar.ReplyLatency + packet(n)
}

// dram is what a closed row adds to an L2 hit: the first burst and one burst's
// time for each further one.
func dram(c *Config, n sim.Bytes) sim.Cycles {
	burst := sim.Cycles(c.DRAM.BurstLength / c.DRAM.DataRate)
	further := sim.Cycles((n+c.DRAM.Burst()-1)/c.DRAM.Burst() - 1)
	return sim.Cycles(c.DRAM.Unloaded()/sim.Nanosecond) + further*burst
}

// chase writes a program of one thread that follows next through n elements
// for the given rounds, and returns the array: element i holds the index of
// the element to read after it.
func chase(r *rig, stride, n, rounds int) (*isa.Program, isa.Array) {
	next := r.alloc("next", isa.I64, stride*n)
	for i := range n {
		r.ints(next)[stride*i] = int64(stride * ((i + 1) % n))
	}
	return isatest.Main(r.t, "param next i64[]", "mov r0, 0", isatest.Repeat(n*rounds, "ld.i64 r0, [$next + r0*8]")), next
}

// A load that depends on the one before it waits for its whole latency: in a
// chain of n the last, n-1 latencies after the first, is not waited for.
func TestChaseLatency(t *testing.T) {
	const n = 12
	start := round().Units.Int.Latency // of the move
	end := 1 + round().Units.Control.Latency
	noL1 := func(c *Config) { c.L1.Enabled = false }
	sector := func(c *Config) { c.LoadStore.Coalescing, c.L1.Sector = "sectors", 32 }
	for _, test := range []struct {
		name   string
		change func(*Config)
		stride int  // elements of 8 bytes
		warm   bool // run once before; grids begin with an empty L1
		each   func(*Config) sim.Cycles
	}{
		{"L2 hit after L1", func(*Config) {}, 16, true,
			func(c *Config) sim.Cycles { return c.LoadStore.Latency + c.L1.HitLatency + l2Hit(c, 128) }},
		{"L2 hit after L1 of sectors", sector, 16, true,
			func(c *Config) sim.Cycles { return c.LoadStore.Latency + c.L1.HitLatency + l2Hit(c, 32) }},
		{"L2 hit without L1", noL1, 16, true,
			func(c *Config) sim.Cycles { return c.LoadStore.Latency + l2Hit(c, 32) }},
		{"DRAM, rows closed", func(*Config) {}, 512, false,
			func(c *Config) sim.Cycles {
				return c.LoadStore.Latency + c.L1.HitLatency + l2Hit(c, 128) + dram(c, 128)
			}},
		{"DRAM, rows closed, sectors without L1", noL1, 512, false,
			func(c *Config) sim.Cycles { return c.LoadStore.Latency + l2Hit(c, 32) + dram(c, 32) }},
		{"DRAM, row open", noL1, 16, false,
			func(c *Config) sim.Cycles {
				return c.LoadStore.Latency + l2Hit(c, 32) + dram(c, 32) - c.DRAM.TRCD
			}},
	} {
		c := with(test.change)
		r := newRig(t, c)
		p, next := chase(r, test.stride, n, 1)
		if test.warm {
			r.run(p, 1, 1, next)
		}
		want := start + (n-1)*test.each(&c) + end
		if test.name == "DRAM, row open" { // but for the first access
			want += c.DRAM.TRCD
		}
		wantCycles(t, test.name, r.run(p, 1, 1, next), want)
	}
	// A second round finds every line in the L1.
	c := round()
	run := func(rounds int) sim.Cycles {
		r := newRig(t, c)
		p, next := chase(r, 16, n, rounds)
		return r.run(p, 1, 1, next)
	}
	wantCycles(t, "L1 hit", run(4)-run(3), n*(c.LoadStore.Latency+c.L1.HitLatency))
}

// The instruction that uses a loaded value issues when it is there, and not a
// cycle earlier: instructions put between the two take the stall's place.
func TestLoadToUse(t *testing.T) {
	c := round()
	latency := c.LoadStore.Latency + c.L1.HitLatency
	first := []string{"ld.i64 r0, [$a]", "mov r0, r0"} // into the L1
	run := func(lines ...string) sim.Cycles {
		r := newRig(t, c)
		return r.run(isatest.Main(t, "param a i64[]", append(first, lines...)...), 1, 1, r.alloc("a", isa.I64, 16))
	}
	for _, between := range []sim.Cycles{0, 1, latency - 2, latency - 1, latency, latency + 10} {
		got := run("ld.i64 r1, [$a]", isatest.Lines(int(between), func(i int) string { return fmt.Sprintf("mov r%d, 1", 2+i%20) }), "add r1, r1, 1") - run()
		wantCycles(t, fmt.Sprintf("%d instructions between", between), got, 1+max(latency, 1+between))
	}
}

// Writes and atomics, which L2 performs, leave no stale copy in the L1: the
// next load goes to L2, and the one after it hits.
func TestWritesEvict(t *testing.T) {
	c := round()
	hit := int64(c.LoadStore.Latency + c.L1.HitLatency)
	for _, write := range []string{"st.i64 [$a + 8], 1", "atom.add.i64 [$a + 8], 1"} {
		r := newRig(t, c)
		a, out := r.alloc("a", isa.I64, 16), r.alloc("out", isa.I64, 4)
		timed := func(i int) string {
			return fmt.Sprintf("clock r1\nld.i64 r0, [$a]\nmov r0, r0\nclock r2\nsub r%d, r2, r1", 10+i)
		}
		r.run(isatest.Main(t, "param a i64[]\nparam out i64[]", timed(0), timed(1), write, "mov r3, 3", isatest.Repeat(100, "mul r3, r3, r3"), timed(2), timed(3),
			isatest.Lines(4, func(i int) string { return fmt.Sprintf("st.i64 [$out + %d], r%d", 8*i, 10+i) })), 1, 1, a, out)
		for i, want := range []int64{hit + int64(l2Hit(&c, 128)+dram(&c, 128)), hit, hit + int64(l2Hit(&c, 128)), hit} {
			if got := r.ints(out)[i] - 2; got != want { // the load and the clock issue
				t.Errorf("%s: load %d took %d cycles, want %d", write, i, got, want)
			}
		}
	}
}

// A store is not waited for; what is stored last ends the run.
func TestStoresAreNotWaitedFor(t *testing.T) {
	c := round()
	r := newRig(t, c)
	a := r.alloc("a", isa.I64, 64)
	long := isatest.Main(t, "param a i64[]", "st.i64 [$a], 1", "mov r0, 1", isatest.Repeat(100, "mul r0, r0, r0"))
	issued := 1 + c.Units.Int.Latency + 99*c.Units.Mul.Latency // the last product
	wantCycles(t, "store before a long chain", r.run(long, 1, 1, a), issued+1+c.Units.Control.Latency)
	// On its own it takes its way to L2: through the L1, the crossbar, and the slice.
	short := isatest.Main(t, "param a i64[]", "st.i64 [$a], 1")
	way := c.LoadStore.Latency + c.L1.HitLatency + c.Crossbar.RequestLatency + 1 + c.L2.Slice.HitLatency
	wantCycles(t, "store", r.run(short, 1, 1, a), way)
}

// loads writes a program of one thread that loads n lines that do not depend
// on each other, and then uses each.
func loads(t *testing.T, n int) *isa.Program {
	return isatest.Main(t, "param a i64[]",
		isatest.Lines(n, func(i int) string { return fmt.Sprintf("ld.i64 r%d, [$a + %d]", i, 128*i) }),
		isatest.Lines(n, func(i int) string { return fmt.Sprintf("add r%d, r%d, 1", i, i) }))
}

// Loads that do not depend on each other overlap: n lines cost n-1 intervals
// of the narrowest part more than one.
func TestIndependentLoadsOverlap(t *testing.T) {
	const n = 20
	for _, test := range []struct {
		name   string
		change func(*Config)
		each   sim.Cycles
	}{
		{"the load/store unit sends a transaction in 2 cycles", func(c *Config) { c.Crossbar.Width = 1024 }, 2},
		{"or in 9", func(c *Config) { c.LoadStore.TransactionInterval = 9 }, 9},
		{"or generates 4 addresses a cycle", func(c *Config) { c.LoadStore.Lanes = 4 }, 8},
		{"the reply's port passes 136 bytes in 5 cycles", func(c *Config) {}, 5},
		{"or in 17", func(c *Config) { c.Crossbar.Width = 8 }, 17},
		{"the slice takes an access in 12 cycles", func(c *Config) { c.L2.Slice.BankInterval = 12 }, 12},
		{"the L1 takes an access in 7 cycles", func(c *Config) { c.L1.BankInterval = 7 }, 7},
	} {
		c := with(test.change)
		run := func(n int) sim.Cycles {
			r := newRig(t, c)
			a := r.alloc("a", isa.I64, 16*n)
			p := loads(t, n)
			r.run(p, 1, 1, a)
			return r.run(p, 1, 1, a)
		}
		one := c.LoadStore.Latency + c.L1.HitLatency + l2Hit(&c, 128)
		end := 1 + c.Units.Control.Latency
		wantCycles(t, test.name+": one load", run(1), one+end)
		wantCycles(t, test.name, run(n), one+(n-1)*test.each+end)
	}
}

// With m request entries, load m+1 leaves when the first is back.
func TestOutstandingLoads(t *testing.T) {
	const n = 24
	for _, entries := range []int{1, 2, 3, 8} {
		for _, l1 := range []bool{true, false} {
			for _, l2 := range []sim.Cycles{10, 60, 200, 1000} {
				c := with(func(c *Config) {
					c.L1.Enabled, c.L1.MSHRs = l1, entries
					if !l1 {
						c.LoadStore.Outstanding = entries
					}
					c.Crossbar.Width = 1024 // so that no port is the limit
					c.L2.Slice.HitLatency = l2
				})
				r := newRig(t, c)
				a := r.alloc("a", isa.I64, 16*n)
				p := loads(t, n)
				r.run(p, 1, 1, a)
				got := r.run(p, 1, 1, a)
				size, lookup := sim.Bytes(32), sim.Cycles(0)
				if l1 {
					size, lookup = 128, c.L1.HitLatency
				}
				trip := l2Hit(&c, size) // the entry is taken
				// Rounds of as many loads as there are entries, sent one after another.
				last := c.LoadStore.Latency + lookup + n/sim.Cycles(entries)*trip + sim.Cycles(entries-1)*c.LoadStore.TransactionInterval
				wantCycles(t, fmt.Sprintf("%d entries, L1 %v, L2 in %d", entries, l1, l2), got, last+1+c.Units.Control.Latency)
			}
		}
	}
}

// A hit needs no request entry: it passes when all are taken for long.
func TestHitUnderMisses(t *testing.T) {
	c := with(func(c *Config) { c.L1.MSHRs, c.L2.Slice.HitLatency = 2, 5000 })
	r := newRig(t, c)
	a := r.alloc("a", isa.I64, 1024)
	clock := r.alloc("clock", isa.I64, 1)
	p := isatest.Main(t, "param a i64[]\nparam clock i64[]", "ld.i64 r0, [$a]", "mov r0, r0",
		"ld.i64 r0, [$a + 1024]", "ld.i64 r1, [$a + 2048]", "clock r2",
		"ld.i64 r3, [$a]", "mov r3, r3", "clock r4", "sub r4, r4, r2", "st.i64 [$clock], r4")
	r.run(p, 1, 1, a, clock)
	// It issues a cycle after the clock and is sent one later, behind the others.
	if got, want := r.ints(clock)[0], int64(2+c.LoadStore.Latency+c.L1.HitLatency+1); got != want {
		t.Errorf("a hit behind two misses: %d cycles, want %d", got, want)
	}
}
