package window

import (
	"fmt"
	"reflect"
	"testing"

	"heddle/arch/isa"
	"heddle/arch/isa/isatest"
	"heddle/sim"
)

// smt describes a core of n threads.
func smt(n int, change func(*Config)) Config {
	return with(func(c *Config) {
		c.Threads, c.Core.SMT = n, n
		c.Core.Units.Int.Ports = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
		change(c)
	})
}

func moves(n int) string {
	return isatest.Lines(n, func(i int) string { return fmt.Sprintf("mov r%d, 1", i) })
}

// Threads of a core take turns at dispatch, a cycle each.
func TestTurns(t *testing.T) {
	const groups = 10
	for threads := 1; threads <= 4; threads++ {
		c := smt(threads, func(*Config) {})
		got := cycles(t, c, isatest.Main(t, "", moves(4*groups-1)))
		wantCycles(t, fmt.Sprint(threads, " threads"), got, sim.Cycles(threads*groups-1+2))
	}
	// Thread 1 needs no cycle after 22. Thread 0 has 0 and, after a branch that
	// is mispredicted, 2: two dependent divides, issued in 3 and 23.
	p := isatest.Main(t, "", "if %tid", moves(4*groups), "else", "div r0, %tid, 3", "div r1, r0, 3", "endif")
	c := smt(2, func(c *Config) { c.Core.Branch.Mispredict = 2 })
	wantCycles(t, "a thread that waits", cycles(t, c, p), 43)
}

// Those buffers are split among the threads that run, and whole again for the
// last.
func TestSplitBuffers(t *testing.T) {
	// A divide retires in 21. Thread 0 can dispatch as many instructions behind
	// it as its half of the buffer has places. Thread 1 ends at once, or waits
	// for a divide as well.
	const rob = 40
	run := func(both bool, following int) sim.Cycles {
		second := "mov r0, 1"
		if both {
			second = "div r0, %tid, 3\ndiv r0, r0, 3\ndiv r0, r0, 3"
		}
		p := isatest.Main(t, "", "if %tid", second, "else", "div r0, %tid, 3", moves(following), "endif")
		c := smt(2, func(c *Config) {
			c.Core.ROB, c.Core.Branch.Mispredict, c.Core.Dispatch, c.Core.Retire = rob, 2, 16, 64
			c.Core.Units.Divide.Ports = []int{12, 13}
		})
		r := newRig(t, c)
		r.run(p)
		return sim.Cycles(r.machine.running.threads[0].ended)
	}
	// Behind the divide lie the moves and the return; before it, retired, the
	// if and the else.
	for _, c := range []struct {
		both      bool
		following int
		waits     bool
	}{{true, rob/2 - 2, false}, {true, rob/2 - 1, true}, {false, rob - 2, false}, {false, rob - 1, true}} {
		got := run(c.both, c.following)
		if waits := got > 23; waits != c.waits {
			t.Errorf("%d behind a divide beside a thread that goes on %v: ended at %d", c.following, c.both, got)
		}
	}
}

func TestPlacement(t *testing.T) {
	top := Topology{Sockets: 2, Dies: 2, Cores: 3, SMT: 2}
	for _, c := range []struct {
		policy string
		n      int
		want   []int
	}{
		{"compact", 6, []int{0, 0, 1, 1, 2, 2}},
		{"compact", 24, []int{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11}},
		{"scatter", 5, []int{0, 6, 3, 9, 1}},
		{"scatter", 14, []int{0, 6, 3, 9, 1, 7, 4, 10, 2, 8, 5, 11, 0, 6}},
	} {
		got, err := top.Place(c.policy, c.n)
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s of %d: %v, %v; want %v", c.policy, c.n, got, err, c.want)
		}
	}
	if _, err := top.Place("scatter", 25); err == nil {
		t.Error("25 threads on 24")
	}
	// Every hardware thread is used once.
	for _, policy := range []string{"compact", "scatter"} {
		cores, _ := top.Place(policy, top.Total())
		used := map[int]int{}
		for _, c := range cores {
			used[c]++
		}
		for c := range top.Total() / top.SMT {
			if used[c] != top.SMT {
				t.Errorf("%s: %d threads on core %d", policy, used[c], c)
			}
		}
	}
}

// Atomics of cores take effect in the order of their issue, whatever the skew.
func TestAtomicOrder(t *testing.T) {
	// Thread i increments after i divides; each notes what it found.
	p := isatest.Main(t, "param a i64[]\nparam found i64[]", "mov r0, %tid", "mov r2, 1000", "if r0", "loop",
		"div r2, r2, 3", "sub r0, r0, 1", "while r0", "endif", "mul r3, r2, 0", "add r3, r3, $a",
		"atom.add.i64 r1, [r3], 1", "st.i64 [$found + %tid*8], r1")
	for _, skew := range []sim.Cycles{0, 10, 1000} {
		r := newRig(t, with(func(c *Config) { c.Threads, c.Skew, c.Core.Branch.Mispredict = 8, skew, 2 }))
		a, found := r.alloc("a", isa.I64, 1), r.alloc("found", isa.I64, 8)
		r.run(p, a, found)
		for i, v := range r.ints(found) {
			if v != int64(i) {
				t.Errorf("skew %d: thread %d found %d", skew, i, v)
			}
		}
	}
}

// A core is never further ahead than the skew.
func TestSkew(t *testing.T) {
	p := isatest.Main(t, "param a i64[]", "mov r0, 200", "loop", "ld.i64 r1, [$a + r0*64]", "add r2, r1, 1", "sub r0, r0, 1", "while r0")
	for _, skew := range []sim.Cycles{0, 1, 7, 100} {
		r := newRig(t, with(func(c *Config) { c.Threads, c.Skew = 3, skew }))
		r.run(p, r.alloc("a", isa.I64, 201*8))
		if got := r.machine.Stats().Ahead; got > int64(skew) || got < int64(skew)*9/10 {
			t.Errorf("skew %d: a core was ahead by %d cycles", skew, got)
		}
	}
}
