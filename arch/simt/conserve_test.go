package simt

import (
	"reflect"
	"testing"

	"heddle/arch/isa"
	"heddle/arch/mem"
	"heddle/sim"

	"pgregory.net/rapid"
)

// outcome is everything that a run of a program leaves behind.
type outcome struct {
	End     sim.Time
	Stats   Stats
	Metrics string
	Lines   []LineStats
	Arrays  []Traffic
	Memory  []any
}

// perform runs p twice on a fresh GPU.
func perform(t rapid.TB, c Config, p *isa.Program, threads, block int) (*rig, outcome) {
	t.Helper()
	r := newRig(t, c)
	args := randomArrays(t, r.space, threads)
	for range 2 {
		r.run(p, threads, block, args...)
	}
	v := sim.NewValues(Metrics)
	r.gpu.Report(v)
	json, err := v.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	o := outcome{Metrics: string(json), End: r.at, Stats: r.gpu.Stats(), Lines: r.gpu.Kernels()[0].Lines}
	for i, a := range args {
		o.Arrays = append(o.Arrays, r.gpu.Array(i))
		o.Memory = append(o.Memory, r.space.View(a.(isa.Array)))
	}
	return r, o
}

// Random programs: nothing is lost or counted twice, the answer is that of a
// machine without time, whatever the scheduler, and a run repeats to the byte.
func TestRandomPrograms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := randomConfig(t)
		block := rapid.IntRange(1, 96).Draw(t, "block")
		p := randomProgram(t, block)
		threads := block * rapid.IntRange(1, 6).Draw(t, "blocks")

		r, o := perform(t, c, p, threads, block)
		checkConservation(t, r)

		_, again := perform(t, c, p, threads, block)
		if !reflect.DeepEqual(o, again) {
			t.Errorf("a second run differs:\n%+v\n%+v", o, again)
		}
		other := c
		other.Scheduler.Policy = map[string]string{"lrr": "gto", "gto": "lrr"}[c.Scheduler.Policy]
		_, swapped := perform(t, other, p, threads, block)
		if !reflect.DeepEqual(o.Memory, swapped.Memory) {
			t.Errorf("the answer depends on the scheduler\n%s", p.Text())
		}

		space := mem.NewSpace(1 << 30)
		args := randomArrays(t, space, threads)
		var work isa.Work
		for range 2 {
			w, err := isa.RunFunctional(isa.NewLaunch(p, space, c.WarpWidth, threads, block, isa.Args(args...)), 1<<24)
			if err != nil {
				t.Fatal(err)
			}
			work.Instructions += w.Instructions
			work.LaneInstructions += w.LaneInstructions
		}
		for i, a := range args {
			if want := space.View(a.(isa.Array)); !reflect.DeepEqual(o.Memory[i], want) {
				t.Errorf("array %d: %v, want %v\n%s", i, o.Memory[i], want, p.Text())
			}
		}
		if o.Stats.Instructions != work.Instructions || o.Stats.ThreadInstructions != work.LaneInstructions {
			t.Errorf("%d instructions by %d lanes, want %d by %d",
				o.Stats.Instructions, o.Stats.ThreadInstructions, work.Instructions, work.LaneInstructions)
		}
	})
}

// checkConservation holds what a GPU has counted against itself.
func checkConservation(t rapid.TB, r *rig) {
	t.Helper()
	g := r.gpu
	c := &g.config
	s := g.Stats()
	equal := func(what string, got, want any) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}

	// Time: a resident warp issues or stalls.
	stalled := sim.Time(0)
	for _, d := range s.Stalls {
		stalled += d
	}
	equal("issued and stalled", s.Issued+stalled, s.Resident)
	equal("issue time", s.Issued, sim.Time(s.Instructions)*g.issueInterval)

	// Lines: their sums are the totals.
	var lines LineStats
	var local access // accesses that belong to no array
	for _, k := range g.Kernels() {
		for pc, l := range k.Lines {
			lines.Issues += l.Issues
			lines.Lanes += l.Lanes
			lines.Divergent += l.Divergent
			lines.Transactions += l.Transactions
			lines.Requested += l.Requested
			lines.Moved += l.Moved
			lines.L1Misses += l.L1Misses
			lines.L2Misses += l.L2Misses
			for i := range l.Stalls {
				lines.Stalls[i] += l.Stalls[i]
			}
			if k.Program.Code[pc].Space == isa.Local {
				local.Requests += l.Issues
				local.Threads += l.Lanes
				local.Transactions += l.Transactions
				local.Requested += l.Requested
				local.Moved += l.Moved
			}
		}
	}
	equal("instructions by line", lines.Issues, s.Instructions)
	equal("lanes by line", lines.Lanes, s.ThreadInstructions)
	equal("divergent branches by line", lines.Divergent, s.DivergentBranches)
	equal("stalls by line", lines.Stalls, s.Stalls)
	equal("transactions by line", lines.Transactions, s.Loads.Transactions+s.Stores.Transactions+s.Atomics.Transactions)
	equal("bytes asked by line", lines.Requested, s.Loads.Requested+s.Stores.Requested+s.Atomics.Requested)
	equal("bytes moved by line", lines.Moved, s.Loads.Moved+s.Stores.Moved+s.Atomics.Moved)

	// Arrays: with the local accesses, their sums are the totals.
	var arrays Traffic
	for _, a := range r.space.Arrays() {
		x := g.Array(a.ID)
		arrays.Loads += x.Loads
		arrays.Stores += x.Stores
		arrays.Atomics += x.Atomics
		arrays.Requests += x.Requests
		arrays.Transactions += x.Transactions
		arrays.Requested += x.Requested
		arrays.Moved += x.Moved
		arrays.L1.Add(x.L1)
		arrays.L2.Add(x.L2)
		arrays.DRAMRead += x.DRAMRead
		arrays.DRAMWritten += x.DRAMWritten
	}
	equal("threads' accesses by array", arrays.Loads+arrays.Stores+arrays.Atomics+local.Threads,
		s.Loads.Threads+s.Stores.Threads+s.Atomics.Threads)
	equal("requests by array", arrays.Requests+local.Requests, s.Loads.Requests+s.Stores.Requests+s.Atomics.Requests)
	equal("bytes asked by array", arrays.Requested+local.Requested, lines.Requested)
	equal("bytes moved by array", arrays.Moved+local.Moved, lines.Moved)
	equal("transactions by array", arrays.Transactions+local.Transactions, lines.Transactions)

	// Caches: an access hits or misses; each level serves what the one above
	// lets through.
	l1, l2 := g.Caches()
	equal("L1 hits and misses", l1.Hits+l1.Misses, l1.Accesses())
	equal("L2 hits and misses", l2.Hits+l2.Misses, l2.Accesses())
	l2Reads, l2Bytes := int64(s.Loads.Transactions), s.Loads.Moved
	if c.L1.Enabled {
		equal("L1 reads", l1.Reads, int64(s.Loads.Transactions))
		equal("L1 writes", l1.Writes, int64(s.Stores.Transactions))
		l2Reads, l2Bytes = int64(l1.Fetched/c.L1.Sector), l1.Fetched
	}
	equal("L1 read misses by line", int64(lines.L1Misses), l1.Reads-l1.Hits+l1.PassedHits)
	equal("L2 misses by line", int64(lines.L2Misses), l2.Misses)
	equal("L2 reads", l2.Reads, l2Reads)
	equal("L2 writes", l2.Writes, int64(s.Stores.Transactions))
	equal("L2 atomics", l2.Atomics, int64(s.Atomics.Transactions))
	var noL1, noL2 mem.CacheStats // accesses that belong to no array
	var noRead, noWritten sim.Bytes
	for _, m := range g.sms {
		if m.l1 != nil {
			noL1.Add(m.l1.ArrayStats(-1))
		}
	}
	for i := range g.memory.slices {
		noL2.Add(g.memory.slices[i].cache.ArrayStats(-1))
	}
	for _, d := range g.memory.channels {
		read, written := d.ArrayBytes(-1)
		noRead, noWritten = noRead+read, noWritten+written
	}
	arrays.L1.Add(noL1)
	arrays.L2.Add(noL2)
	equal("L1 by array", arrays.L1, l1)
	equal("L2 by array", arrays.L2, l2)

	// Crossbar: loads' data one way, stores' the other, atomics' both; but a
	// full/empty operation that writes or has to wait gets no data back.
	requested, replied := g.memory.crossbar.Moved()
	if c.LoadStore.FullEmpty {
		if replied < l2Bytes || replied > l2Bytes+s.Atomics.Requested {
			t.Errorf("bytes of replies: %d, not from %d to %d", replied, l2Bytes, l2Bytes+s.Atomics.Requested)
		}
	} else {
		equal("bytes of replies", replied, l2Bytes+s.Atomics.Requested)
	}
	if requested < s.Atomics.Requested || requested > s.Stores.Moved+s.Atomics.Requested {
		t.Errorf("bytes of requests: %d, not from %d to %d", requested, s.Atomics.Requested, s.Stores.Moved+s.Atomics.Requested)
	}

	// Device memory: L2's misses and write-backs, in bursts, each of which
	// found its row in some state.
	all, channels := g.DRAM()
	equal("bytes read", sim.Bytes(all.Reads)*c.DRAM.Burst(), l2.Fetched)
	equal("bytes written", sim.Bytes(all.Writes)*c.DRAM.Burst(), l2.Sent)
	equal("bytes read by array", arrays.DRAMRead+noRead, l2.Fetched)
	equal("bytes written by array", arrays.DRAMWritten+noWritten, l2.Sent)
	equal("rows", all.RowHits+all.RowMisses+all.RowConflicts, all.Reads+all.Writes)
	var sum mem.DRAMStats
	for _, ch := range channels {
		sum.Add(ch)
	}
	equal("channels", sum, all)

	// Atomics: one a lane.
	v := r.metrics()
	equal("atomic operations", v["atomic_operations"], float64(s.Atomics.Threads))
	if v["atomic_replays"] > v["atomic_operations"] {
		t.Errorf("%v replays of %v atomics", v["atomic_replays"], v["atomic_operations"])
	}
	checkRatios(t, r)

	// SMs: their sums are the totals.
	var sms SMStats
	for i := range g.sms {
		m := g.SM(i)
		sms.Issued += m.Issued
		sms.Active += m.Active
		sms.Warps += m.Warps
		sms.L1.Add(m.L1)
	}
	equal("SMs", sms, SMStats{Issued: s.Instructions, Active: s.Active, L1: l1})
	var slices mem.CacheStats
	for _, x := range g.Slices() {
		slices.Add(x)
	}
	equal("slices", slices, l2)

	// Nothing is left over.
	for _, m := range g.sms {
		if m.blocks != 0 || m.warps != 0 || m.threads != 0 || m.registers != 0 || m.shared != 0 {
			t.Errorf("SM %d still holds %d blocks", m.id, m.blocks)
		}
		if len(m.idle) != c.Occupancy.Warps || m.lsu.count != 0 {
			t.Errorf("SM %d: %d warps idle of %d, %d accesses queued", m.id, len(m.idle), c.Occupancy.Warps, m.lsu.count)
		}
	}
}
