package simt

import (
	"fmt"
	"testing"

	"heddle/arch/isa"
	"heddle/arch/isa/isatest"
	"heddle/sim"
)

// A barrier lets everyone go on its latency after the last has arrived.
func TestBarrierTime(t *testing.T) {
	for _, latency := range []sim.Cycles{1, 8, 50} {
		c := with(func(c *Config) { c.Units.Sync.Latency = latency })
		r := newRig(t, c)
		out := r.alloc("out", isa.I64, 8)
		// Warp 3 comes last, by 20 products.
		p := isatest.Main(t, "param out i64[]",
			"div r0, %btid, 32",
			"eq r2, r0, 3",
			"mov r4, 0",
			"if r2",
			isatest.Repeat(20, "mul r2, r2, r2"),
			"clock r4",
			"endif",
			"bar",
			"clock r1",
			"st.i64 [$out + r0*8], r1",
			"if r4",
			"st.i64 [$out + 32], r4",
			"endif")
		r.run(p, 128, 128, out)
		got := r.ints(out)
		last := got[4] + 1 // warp 3 at the barrier
		for w, at := range got[:4] {
			if first, end := last+int64(latency), last+int64(latency)+3; at < first || at > end {
				t.Errorf("latency %d: warp %d went on at %d, want from %d to %d", latency, w, at, first, end)
			}
		}
	}
}

// A warp that ends lets those at the barrier go on, no sooner than the
// barrier's latency allows.
func TestEndedWarpsDoNotHoldTheBarrier(t *testing.T) {
	for _, latency := range []sim.Cycles{1, 4, 50} {
		c := with(func(c *Config) { c.Units.Sync.Latency = latency })
		r := newRig(t, c)
		out := r.alloc("out", isa.I64, 2)
		p := isatest.Main(t, "param out i64[]",
			"lt r0, %btid, 32", // warp 0 at 0, warp 1 at 1; so on in turn
			"if r0",
			"clock r1",
			"bar",
			"clock r2",
			"st.i64 [$out], r1",
			"st.i64 [$out + 8], r2",
			"endif")
		r.run(p, 64, 64, out)
		got := r.ints(out)
		arrived := got[0] + 2 // the other ends between
		ended := got[0] + 1 + int64(c.Units.Control.Latency)
		if want := max(arrived+int64(latency), ended); got[1] != want {
			t.Errorf("latency %d: arrived at %d, the other ended at %d, went on at %d, want %d", latency, arrived, ended, got[1], want)
		}
	}
}

// Warps hand values on through shared memory, a phase at a time.
func TestProducersAndConsumers(t *testing.T) {
	const block, phases = 160, 9
	b := isa.NewBuilder("rotate")
	out := b.Array("out", isa.I64)
	b.SharedMemory(2 * 8 * block)
	value := b.Var(isa.BlockThread)
	half := b.Var(0)
	cell := b.SharedArray(0, isa.I64)
	b.For(0, phases, 1, func(isa.Reg) {
		b.StoreTo(cell, b.Add(half, isa.BlockThread), value)
		b.Barrier()
		from := b.Rem(b.Add(isa.BlockThread, 37), block)
		b.Set(value, b.LoadFrom(cell, b.Add(half, from)))
		b.Set(half, b.Sub(block, half))
	})
	b.Store(out, isa.ThreadID, value)
	p := b.MustBuild()
	for _, policy := range []string{"lrr", "gto"} {
		r := newRig(t, with(func(c *Config) { c.SMs, c.Scheduler.Count, c.Scheduler.Policy = 2, 2, policy }))
		out := r.alloc("out", isa.I64, 4*block)
		r.run(p, 4*block, block, out)
		for i, got := range r.ints(out) {
			if want := int64((i%block + phases*37) % block); got != want {
				t.Fatalf("%s: thread %d has the value of %d, want that of %d", policy, i, got, want)
			}
		}
	}
}

// Warps that end at different phases leave the barrier to the others.
func TestWarpsLeaveOneByOne(t *testing.T) {
	const warps = 7
	r := newRig(t, with(func(c *Config) { c.Scheduler.Count = 4 }))
	count := r.alloc("count", isa.I64, warps)
	// Warp w passes w barriers, counts each phase that it is in, and ends.
	p := isatest.Main(t, "param count i64[]",
		"div r0, %btid, 32",
		"mov r1, 0",
		"loop",
		"atom.add.i64 [$count + r1*8], 1",
		"eq r2, r1, r0",
		"break.nz r2",
		"bar",
		"add r1, r1, 1",
		"endloop")
	r.run(p, 32*warps, 32*warps, count)
	for phase, got := range r.ints(count) {
		if want := int64(32 * (warps - phase)); got != want {
			t.Errorf("%d threads in phase %d, want %d", got, phase, want)
		}
	}
}

// The share of lanes that are active: a program's instructions by the lanes
// that execute them.
func TestWarpExecutionEfficiency(t *testing.T) {
	for _, test := range []struct {
		name    string
		threads int
		lines   []string
		lanes   int // over all instructions issued
		issued  int
		splits  float64 // branches that diverge
	}{
		{"whole warp", 32, []string{"mov r0, 1", "mov r0, 2"}, 3 * 32, 3, 0},
		{"five threads", 5, []string{"mov r0, 1", "mov r0, 2"}, 3 * 5, 3, 0},
		{"a warp and a thread", 33, []string{"mov r0, 1"}, 2 * 33, 4, 0},
		{"if", 32, []string{"lt r0, %lane, 12", "if r0", "mov r1, 1", "mov r1, 2", "endif"}, 3*32 + 2*12, 5, 1},
		{"if of all", 32, []string{"lt r0, %lane, 32", "if r0", "mov r1, 1", "endif"}, 4 * 32, 4, 0},
		{"if of none", 32, []string{"lt r0, %lane, 0", "if r0", "mov r1, 1", "endif"}, 3 * 32, 3, 0},
		{"if and else", 32, []string{"lt r0, %lane, 12", "if r0", "mov r1, 1", "else", "mov r1, 2", "mov r1, 3", "endif"},
			3*32 + 12 + 12 + 2*20, 7, 1}, // the first side's else jumps
		{"nested", 32, []string{"lt r0, %lane, 12", "if r0", "lt r0, %lane, 5", "if r0", "mov r1, 1", "endif", "mov r1, 1", "endif", "mov r1, 1"},
			2*32 + 2*12 + 5 + 12 + 2*32, 8, 2},
		// Lane l turns l+1 times: turn i has 32-i lanes for the move, the
		// subtraction and the branch.
		{"loop", 32, []string{"add r0, %lane, 1", "loop", "mov r1, 1", "sub r0, r0, 1", "while r0"},
			2*32 + 3*32*33/2, 2 + 3*32, 31},
		{"early end", 32, []string{"lt r0, %lane, 30", "if r0", "ret", "endif", "mov r1, 1"}, 2*32 + 30 + 2*2, 5, 1},
	} {
		r := newRig(t, round())
		r.run(isatest.Main(t, "", test.lines...), test.threads, test.threads) // one block
		v := r.metrics()
		if got := v["thread_inst_executed"]; got != float64(test.lanes) {
			t.Errorf("%s: %v thread instructions, want %d", test.name, got, test.lanes)
		}
		if got := v["inst_executed"]; got != float64(test.issued) {
			t.Errorf("%s: %v instructions, want %d", test.name, got, test.issued)
		}
		if got, want := v["warp_execution_efficiency"], 100*float64(test.lanes)/float64(32*test.issued); got != want {
			t.Errorf("%s: efficiency %v%%, want %v%%", test.name, got, want)
		}
		if got := v["divergent_branch"]; got != test.splits {
			t.Errorf("%s: %v divergent branches, want %v", test.name, got, test.splits)
		}
	}
}

// A branch makes its warp wait for the control unit's latency, taken or not,
// and other warps use the time.
func TestBranchTime(t *testing.T) {
	c := round()
	for _, cond := range []int{0, 1} {
		run := func(n, warps int) sim.Cycles {
			p := isatest.Main(t, "", isatest.Repeat(n, fmt.Sprintf("if %d\nendif", cond)))
			return cycles(t, c, p, 32*warps, 32*warps)
		}
		wantCycles(t, "40 branches", run(50, 1)-run(10, 1), 40*c.Units.Control.Latency)
		wantCycles(t, "40 branches of 5 warps", run(50, 5)-run(10, 5), 40*5)
		wantCycles(t, "40 branches of 8 warps", run(50, 8)-run(10, 8), 40*8)
	}
}
