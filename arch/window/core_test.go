package window

import (
	"fmt"
	"testing"

	"heddle/arch/isa"
	"heddle/arch/isa/isatest"
	"heddle/sim"
)

// A program's first instruction is dispatched in cycle 0, issued in 1 and, with
// a latency of l, complete in 1+l, when what depends on it is issued. The
// program takes as many cycles as pass until all is retired.

func TestChain(t *testing.T) {
	for _, unit := range []struct {
		init, line string
		latency    sim.Cycles
	}{
		{"mov r0, 1", "add r0, r0, %tid", 1}, {"mov r0, 1", "lt r0, r0, %tid", 1}, {"mov r0, 1", "shl r0, r0, 1", 2},
		{"mov r0, 1", "mul r0, r0, 3", 3}, {"mov r0, 1", "div r0, r0, 3", 20}, {"mov s0, 1.0f", "add.f32 s0, s0, 1.0f", 3},
		{"mov d0, 1.0", "fma.f64 d0, d0, 2.0, 1.0", 5}, {"mov d0, 1.0", "sqrt.f64 d0, d0", 30}, {"mov r0, 1", "any r0, r0", 1},
	} {
		for _, n := range []int{1, 10, 100} {
			p := isatest.Main(t, "", unit.init, isatest.Repeat(n, unit.line))
			wantCycles(t, fmt.Sprint(n, " x ", unit.line), cycles(t, round(), p), 2+sim.Cycles(n)*unit.latency)
		}
	}
}

func TestWidth(t *testing.T) {
	// n independent instructions: the last is dispatched in cycle (n-1)/width,
	// and complete two cycles later. The return is one of them.
	for _, width := range []int{1, 2, 3, 4, 6} {
		for _, n := range []int{1, 11, 12, 13, 100} {
			p := isatest.Main(t, "", isatest.Lines(n-1, func(i int) string { return fmt.Sprintf("mov r%d, 1", i) }))
			c := with(func(c *Config) { c.Core.Dispatch, c.Core.Retire = width, 8 })
			wantCycles(t, fmt.Sprintf("%d at %d a cycle", n, width), cycles(t, c, p), sim.Cycles((n-1)/width+2))
			c = with(func(c *Config) { c.Core.Dispatch, c.Core.Retire = 8, width })
			wantCycles(t, fmt.Sprintf("%d retired %d a cycle", n, width), cycles(t, c, p), sim.Cycles((n-1)/width+2))
		}
	}
}

func TestPorts(t *testing.T) {
	const n = 60
	adds := isatest.Lines(n, func(i int) string { return fmt.Sprintf("add r%d, %%tid, 1", i) })
	for ports := 1; ports <= 4; ports++ {
		c := with(func(c *Config) { c.Core.Units.Int.Ports = []int{5, 1, 2, 7}[:ports] })
		want := sim.Cycles((n-1)/ports + 2) // the last is issued in cycle 1 + (n-1)/ports
		if ports == 4 {
			want++ // the return is dispatched after them
		}
		wantCycles(t, fmt.Sprint("adds on ports ", ports), cycles(t, c, isatest.Main(t, "", adds)), want)
	}

	// A divide takes its port for 20 cycles; adds take the cycles between.
	c := with(func(c *Config) { c.Core.Units.Int.Ports = []int{0} })
	two := isatest.Main(t, "", "div r0, %tid, 3", "div r1, %tid, 3")
	wantCycles(t, "two divides", cycles(t, c, two), 41)
	behind := isatest.Main(t, "", "div r0, %tid, 3", "add r1, %tid, 1")
	wantCycles(t, "an add behind a divide", cycles(t, c, behind), 22)
	c = with(func(c *Config) { c.Core.Units.Divide = UnitConfig{20, 3, []int{0}} })
	wantCycles(t, "two pipelined divides", cycles(t, c, two), 24)
}

// Younger instructions use the cycles that older ones leave while they wait.
func TestOutOfOrder(t *testing.T) {
	c := with(func(c *Config) { c.Core.Units.Int.Ports, c.Core.Retire = []int{3}, 32 })
	p := isatest.Main(t, "", "div r0, %tid, 3", "add r1, r0, 1", isatest.Lines(19, func(i int) string { return fmt.Sprintf("mov r%d, 1", i+2) }))
	// The divide is complete in 21, the add in 22; nineteen moves take the
	// port in cycles 1 to 19.
	wantCycles(t, "moves under a divide", cycles(t, c, p), 22)
}

func TestReorderBuffer(t *testing.T) {
	// A divide retires in cycle 21. With n entries the (n+1)-th instruction is
	// dispatched in 22, and complete in 24.
	const n = 40
	for _, following := range []int{n - 2, n - 1, n} {
		p := isatest.Main(t, "", "div r0, %tid, 3", isatest.Lines(following, func(i int) string { return fmt.Sprintf("mov r%d, 1", i+1) }))
		want := sim.Cycles(21 + (following+1)/8) // retired 8 a cycle
		if following+2 > n {
			want = max(want, 24)
		}
		c := with(func(c *Config) { c.Core.ROB, c.Core.Dispatch, c.Core.Retire = n, 8, 8 })
		wantCycles(t, fmt.Sprint(following+2, " instructions"), cycles(t, c, p), want)
	}
}

func TestStations(t *testing.T) {
	// Adds that wait for a divide hold their stations until they are issued in
	// cycle 21; what finds no station is dispatched in 22.
	const n = 16
	for _, fp := range []bool{false, true} {
		for _, waiting := range []int{n - 1, n, n + 1} {
			p := isatest.Main(t, "", "div r0, %tid, 3", isatest.Lines(waiting, func(i int) string { return fmt.Sprintf("add r%d, r0, 1", i+1) }), "mul.f64 d60, 2.0, 2.0")
			c := with(func(c *Config) {
				c.Core.Stations, c.Core.Dispatch, c.Core.Retire = n, 32, 32
				c.Core.Units.Int.Ports = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
				if fp {
					c.Core.FPStations = 1
				}
			})
			want := sim.Cycles(22)
			switch {
			case waiting == n && fp: // only the return is late
				want = 22 + 1 + 1
			case waiting >= n:
				want = 22 + 1 + 5
			}
			wantCycles(t, fmt.Sprintf("%d waiting, stations of their own %v", waiting, fp), cycles(t, c, p), want)
		}
	}
}

func TestLoads(t *testing.T) {
	r := newRig(t, round())
	a := r.warm(r.alloc("a", isa.I64, 1<<12))
	for i := range r.ints(a) {
		r.ints(a)[i] = int64(a.Base)
	}
	const n = 20
	chain := isatest.Main(t, "param a i64[]", "mov r0, $a", isatest.Repeat(n, "ld.i64 r0, [r0]"))
	wantCycles(t, "a chain of hits", r.run(chain, a), 2+n*hit)

	cold := newRig(t, round())
	b := cold.alloc("b", isa.I64, 1<<12)
	for i := range cold.ints(b) {
		cold.ints(b)[i] = int64(b.Base) + int64(i+8)*8 // the next line
	}
	wantCycles(t, "a chain of misses", cold.run(isatest.Main(t, "param a i64[]", "mov r0, $a", isatest.Repeat(n, "ld.i64 r0, [r0]")), b), 2+n*miss)
}
