package stream

import (
	"fmt"
	"testing"

	"heddle/arch/isa/isatest"
	"heddle/sim"
)

// mul takes the arithmetic unit, so each is a word of its own.
const chain = "mul r0, r0, 3"

// One stream issues every pipeline cycles: the instruction number i at 21 i.
// With the move and the return a run of n takes n+2 of them.
func TestOneStreamIssuesOnceAPipeline(t *testing.T) {
	for _, pipeline := range []sim.Cycles{1, 2, 21, 100} {
		for _, n := range []int{1, 2, 50} {
			c := with(func(c *Config) { c.Pipeline = pipeline })
			r := newRig(t, c)
			got := r.run(isatest.Main(t, "", "mov r0, 1", isatest.Repeat(n, chain)), 1)
			// mov joins no mul that needs it; ret, control, joins the last mul.
			wantCycles(t, fmt.Sprintf("pipeline %d, %d", pipeline, n), got, pipeline*sim.Cycles(n+1))
			if got := r.sys.Stats().Words; got != uint64(n+1) {
				t.Errorf("%d words for %d", got, n)
			}
		}
	}
}

// Up to 21 streams issue side by side; from then on the processor issues every
// cycle, and more streams only take longer.
func TestTwentyOneStreamsSaturate(t *testing.T) {
	const n = 40
	p := isatest.Main(t, "", "mov r0, 1", isatest.Repeat(n-1, chain))
	for streams := 1; streams <= 100; streams++ {
		r := newRig(t, round())
		got := r.run(p, streams)
		// The last stream's last word issues streams-1 cycles after the first's.
		want := sim.Cycles((n-1)*21 + streams - 1 + 21)
		if streams > 21 {
			want = sim.Cycles(n*streams - 1 + 21)
		}
		wantCycles(t, fmt.Sprintf("%d streams", streams), got, want)
		s := r.sys.Stats()
		if got, want := s.Active-sim.Cycles(s.Words), want-sim.Cycles(n*streams); got != want {
			t.Errorf("%d streams: %d phantoms, want %d", streams, got, want)
		}
	}
}

// A long operation is so many instructions.
func TestLongOperations(t *testing.T) {
	for _, c := range []struct {
		line  string
		words sim.Cycles
	}{{"div r0, r0, 3", 10}, {"rem r0, r0, 3", 10}, {"sqrt.f64 d0, d0", 5}} {
		init := "mov r0, 1"
		if c.words == 5 {
			init = "mov d0, 1.0"
		}
		got := newRig(t, round()).run(isatest.Main(t, "", init, isatest.Repeat(4, c.line)), 1)
		wantCycles(t, c.line, got, 21*(1+4*c.words+1))
	}
}

// Loads that nothing waits for issue every 21 cycles until eight instructions
// are in flight; the next waits for the first of them. With a lookahead of n,
// word n issues when word 0's load is back.
func TestLookahead(t *testing.T) {
	const loads = 9
	for lookahead := 1; lookahead <= 8; lookahead++ {
		// A way so long that every load is in flight until the last would issue.
		c := with(func(c *Config) { c.Lookahead = lookahead; c.MemoryUnit.Latency = 1000 })
		const latency = hit + 993
		r := newRig(t, c)
		a := r.alloc("a", 128)
		r.warm(a)
		start := r.at
		r.run(isatest.Main(t, "param a i64[]", isatest.Lines(loads, func(i int) string {
			return fmt.Sprintf("ld.i64 r%d, [$a + %d]", i, 8*i)
		})), 1, a)
		// Word i issues 21 after word i-1 and, from word lookahead on, not
		// before the load of the one lookahead earlier is back. The return is
		// in the last load's word.
		issue := make([]sim.Cycles, loads)
		for i := range issue {
			if i > 0 {
				issue[i] = issue[i-1] + 21
			}
			if i >= lookahead {
				issue[i] = max(issue[i], issue[i-lookahead]+latency)
			}
		}
		want := issue[loads-1] + latency
		wantCycles(t, fmt.Sprintf("lookahead %d", lookahead), sim.Cycles((r.at-start)/sim.Nanosecond), want)
		wantStall := issue[loads-1] - 21*(loads-1)
		if got := r.sys.Stats().Stalls[LookaheadFull]; got != wantStall {
			t.Errorf("lookahead %d: stalled %d cycles, want %d", lookahead, got, wantStall)
		}
	}
}

// An instruction that needs a load's data issues in the cycle in which they
// are there: the time of n dependent loads is n times the latency.
func TestDependentLoads(t *testing.T) {
	for _, n := range []int{1, 2, 7} {
		r := newRig(t, round())
		a := r.alloc("a", 8) // zeros: each load's index is 0
		r.warm(a)
		got := r.run(isatest.Main(t, "param a i64[]", "mov r0, 0", isatest.Repeat(n, "ld.i64 r0, [$a + r0*8]"), "mul r0, r0, 3"), 1, a)
		wantCycles(t, fmt.Sprint(n), got, 21+sim.Cycles(n)*hit+21)
	}
}

// The instruction before the one that needs the data is not held up.
func TestOnlyTheNeedyWait(t *testing.T) {
	r := newRig(t, round())
	a := r.alloc("a", 8)
	r.warm(a)
	got := r.run(isatest.Main(t, "param a i64[]", "mov r1, 1", "ld.i64 r0, [$a]", isatest.Repeat(3, "mul r1, r1, 3"), "mul r0, r0, 3"), 1, a)
	// mov+ld at 0, mul at 21, 42, 63, the needy when the data are there.
	wantCycles(t, "run", got, hit+21)
	if got := r.sys.Stats().Stalls[MemoryDependency]; got != hit-84 {
		t.Errorf("waited %d cycles for data, want %d", got, hit-84)
	}
}

// A fence holds the stream until its stores are done.
func TestFence(t *testing.T) {
	r := newRig(t, round())
	a := r.alloc("a", 8)
	r.warm(a)
	got := r.run(isatest.Main(t, "param a i64[]", "st.i64 [$a], 1", "fence", "mov r0, 1"), 1, a)
	wantCycles(t, "run", got, hit+21)
}

// The streams of a processor begin a creation's time apart, after the region
// has been entered; thread t runs on processor t modulo their number.
func TestLaunch(t *testing.T) {
	for _, processors := range []int{1, 3, 8} {
		c := with(func(c *Config) {
			c.Processors = processors
			c.Launch = LaunchConfig{Streams: 20, Region: 5*sim.Microsecond + 1, Create: 33}
		})
		for _, items := range []int{1, processors, 4*processors + 1, 20 * processors, 1000000} {
			r := newRig(t, c)
			got := r.run(isatest.Main(t, "", "mov r0, 1"), items)
			threads := min(items, 20*processors)
			last := sim.Cycles((threads - 1) / processors)
			wantCycles(t, fmt.Sprintf("%d items on %d", items, processors), got, 5001+33*last+21)
			if got := r.sys.Stats().Threads; got != uint64(threads) {
				t.Errorf("%d items: %d threads", items, got)
			}
		}
	}
}

// Threads leave a barrier together, its time after the last has arrived.
func TestBarrier(t *testing.T) {
	c := with(func(c *Config) { c.Launch.Barrier = 70 })
	r := newRig(t, c)
	// Thread 3 comes after 50 instructions more, and thread 4 ends before.
	p := isatest.Main(t, "", "mov r0, 1", "eq r1, %tid, 4", "if r1", "ret", "endif",
		"eq r1, %tid, 3", "if r1", isatest.Repeat(50, chain), "endif", "bar", "mul r0, r0, 3")
	got := r.run(p, 5)
	// Thread 3 issues: mov+eq, if, eq, if, 50 mul, bar, mul+ret, the first
	// three cycles after thread 0; the others' last mul comes in its shadow.
	const before = 4 + 50 + 1
	// All five wake at once, those who came first before thread 3.
	wantCycles(t, "run", got, 3+before*21+70+3+21)
	if got := r.sys.Stats().Stalls[Synchronization]; got < 3*50*21+4*70 {
		t.Errorf("waited %d cycles at the barrier", got)
	}
}
