package simt

import (
	"math"

	"heddle/arch/isa"
	"heddle/arch/mem"
	"heddle/sim"
)

// Metrics are what a GPU reports, under the names of NVIDIA's profilers.
var Metrics = sim.Declaration{
	{Name: "inst_executed", Unit: "warp instructions", Meaning: "Instructions issued, once a warp."},
	{Name: "thread_inst_executed", Unit: "thread instructions", Meaning: "Instructions executed, once an active lane."},
	{Name: "warp_execution_efficiency", Unit: "%", Kind: sim.Ratio, Meaning: "Active lanes over lanes of the warps issued."},
	{Name: "ipc", Unit: "instructions/cycle", Kind: sim.Ratio, Meaning: "Warp instructions for each cycle in which an SM held a warp."},
	{Name: "issue_slot_utilization", Unit: "%", Kind: sim.Ratio, Meaning: "Issue slots used while the SMs held warps."},
	{Name: "sm_efficiency", Unit: "%", Kind: sim.Ratio, Meaning: "Time in which an SM held a warp, averaged over SMs, while kernels ran."},
	{Name: "achieved_occupancy", Unit: "%", Kind: sim.Ratio, Meaning: "Warps resident while an SM held any, over the most it may hold."},
	{Name: "warps_launched", Unit: "warps", Meaning: "Warps started."},
	{Name: "blocks_launched", Unit: "blocks", Meaning: "Thread blocks started."},
	{Name: "kernels_launched", Unit: "kernels", Meaning: "Grids run."},

	{Name: "branch", Unit: "warp instructions", Meaning: "Control instructions issued."},
	{Name: "divergent_branch", Unit: "warp instructions", Meaning: "Branches that the lanes of a warp left both ways."},
	{Name: "branch_efficiency", Unit: "%", Kind: sim.Ratio, Meaning: "Branches that did not diverge."},

	{Name: "gld_request", Unit: "warp instructions", Meaning: "Global and local loads issued."},
	{Name: "gst_request", Unit: "warp instructions", Meaning: "Global and local stores issued."},
	{Name: "gld_transactions", Unit: "transactions", Meaning: "Transactions of global loads after coalescing."},
	{Name: "gst_transactions", Unit: "transactions", Meaning: "Transactions of global stores after coalescing."},
	{Name: "gld_transactions_per_request", Unit: "transactions", Kind: sim.Ratio, Meaning: "Transactions of a warp's global load."},
	{Name: "gst_transactions_per_request", Unit: "transactions", Kind: sim.Ratio, Meaning: "Transactions of a warp's global store."},
	{Name: "gld_efficiency", Unit: "%", Kind: sim.Ratio, Meaning: "Bytes that lanes loaded over bytes that their transactions moved; over 100 where lanes share words."},
	{Name: "gst_efficiency", Unit: "%", Kind: sim.Ratio, Meaning: "Bytes that lanes stored over bytes that their transactions cover."},
	{Name: "gld_requested_throughput", Unit: "GB/s", Kind: sim.Ratio, Meaning: "Bytes that lanes loaded, over the time that kernels ran."},
	{Name: "gld_throughput", Unit: "GB/s", Kind: sim.Ratio, Meaning: "Bytes that load transactions moved, over the time that kernels ran."},
	{Name: "gst_throughput", Unit: "GB/s", Kind: sim.Ratio, Meaning: "Bytes that store transactions cover, over the time that kernels ran."},

	{Name: "atomic_request", Unit: "warp instructions", Meaning: "Atomics issued, full/empty operations included."},
	{Name: "atomic_transactions", Unit: "transactions", Meaning: "Transactions of atomics after coalescing."},
	{Name: "atomic_operations", Unit: "operations", Meaning: "Atomics performed, once a lane."},
	{Name: "atomic_replays", Unit: "operations", Meaning: "Atomics that waited for another on the same address."},
	{Name: "full_empty_retries", Unit: "warp instructions", Meaning: "Full/empty operations that found a word in the wrong state."},
	{Name: "shared_request", Unit: "warp instructions", Meaning: "Shared memory accesses issued."},
	{Name: "shared_bank_conflict", Unit: "passes", Meaning: "Passes over shared memory beyond one for each access."},

	{Name: "global_hit_rate", Unit: "%", Kind: sim.Ratio, Meaning: "Global reads that hit in L1."},
	{Name: "l1_reads", Unit: "transactions", Meaning: "Reads looked up in L1."},
	{Name: "l1_read_misses", Unit: "transactions", Meaning: "Reads that missed in L1, merged ones included."},
	{Name: "l1_merges", Unit: "transactions", Meaning: "L1 misses that waited for a line already in flight."},
	{Name: "l2_hit_rate", Unit: "%", Kind: sim.Ratio, Meaning: "Accesses that hit in L2."},
	{Name: "l2_reads", Unit: "transactions", Meaning: "Reads looked up in L2."},
	{Name: "l2_writes", Unit: "transactions", Meaning: "Writes looked up in L2."},
	{Name: "l2_atomics", Unit: "transactions", Meaning: "Atomics looked up in L2."},
	{Name: "l2_misses", Unit: "transactions", Meaning: "Accesses that missed in L2, merged ones included."},
	{Name: "l2_read_throughput", Unit: "GB/s", Kind: sim.Ratio, Meaning: "Bytes from L2 to the SMs, over the time that kernels ran."},
	{Name: "l2_write_throughput", Unit: "GB/s", Kind: sim.Ratio, Meaning: "Bytes from the SMs to L2, over the time that kernels ran."},

	{Name: "dram_read_bytes", Unit: "B", Meaning: "Bytes read from device memory, in whole bursts."},
	{Name: "dram_write_bytes", Unit: "B", Meaning: "Bytes written to device memory, in whole bursts."},
	{Name: "dram_read_throughput", Unit: "GB/s", Kind: sim.Ratio, Meaning: "Device memory reads, over the time that kernels ran."},
	{Name: "dram_write_throughput", Unit: "GB/s", Kind: sim.Ratio, Meaning: "Device memory writes, over the time that kernels ran."},
	{Name: "dram_peak_throughput", Unit: "GB/s", Kind: sim.Gauge, Meaning: "Bandwidth of all data buses of device memory."},
	{Name: "dram_utilization", Unit: "%", Kind: sim.Ratio, Meaning: "Time in which the data buses moved data, check bits included, while kernels ran."},
	{Name: "dram_row_hit_rate", Unit: "%", Kind: sim.Ratio, Meaning: "Bursts that found their row open."},

	{Name: "stall_exec_dependency", Unit: "%", Kind: sim.Ratio, Meaning: "Time of resident warps spent waiting for an arithmetic result."},
	{Name: "stall_memory_dependency", Unit: "%", Kind: sim.Ratio, Meaning: "Time of resident warps spent waiting for loaded data."},
	{Name: "stall_memory_throttle", Unit: "%", Kind: sim.Ratio, Meaning: "Time of resident warps spent waiting for the load/store unit to take an instruction."},
	{Name: "stall_pipe_busy", Unit: "%", Kind: sim.Ratio, Meaning: "Time of resident warps spent waiting for a functional unit."},
	{Name: "stall_not_selected", Unit: "%", Kind: sim.Ratio, Meaning: "Time of resident warps spent ready while another was issued."},
	{Name: "stall_inst_fetch", Unit: "%", Kind: sim.Ratio, Meaning: "Time of resident warps spent waiting for a branch to be resolved."},
	{Name: "stall_sync", Unit: "%", Kind: sim.Ratio, Meaning: "Time of resident warps spent at barriers."},
	{Name: "stall_full_empty", Unit: "%", Kind: sim.Ratio, Meaning: "Time of resident warps spent waiting for full/empty bits."},
	{Name: "issued", Unit: "%", Kind: sim.Ratio, Meaning: "Time of resident warps spent issuing; with the stalls, all of it."},
}

func percent(part, whole float64) float64 { return 100 * part / whole }

// Caches returns the counts of all L1 caches and of all L2 slices.
func (g *GPU) Caches() (l1, l2 mem.CacheStats) {
	for _, s := range g.sms {
		if s.l1 != nil {
			l1.Add(s.l1.Stats())
		}
	}
	for i := range g.memory.slices {
		l2.Add(g.memory.slices[i].cache.Stats())
	}
	return l1, l2
}

// DRAM returns the counts of device memory, and of each channel.
func (g *GPU) DRAM() (all mem.DRAMStats, channels []mem.DRAMStats) {
	for _, d := range g.memory.channels {
		s := d.Stats()
		all.Add(s)
		channels = append(channels, s)
	}
	return all, channels
}

// Stats returns what the SMs have counted.
func (g *GPU) Stats() Stats {
	s := g.stats
	for _, m := range g.sms {
		s.Active += m.active
	}
	return s
}

// Report gives v the values of Metrics.
func (g *GPU) Report(v *sim.Values) {
	s := g.Stats()
	l1, l2 := g.Caches()
	dram, _ := g.DRAM()
	requested, replied := g.memory.crossbar.Moved()
	c := &g.config
	ran := s.Elapsed.Seconds()
	activeCycles := float64(s.Active) / float64(g.period)
	n := func(x uint64) float64 { return float64(x) }
	gbs := func(b sim.Bytes) float64 { return float64(b) / ran / 1e9 }

	v.Set("inst_executed", n(s.Instructions))
	v.Set("thread_inst_executed", n(s.ThreadInstructions))
	v.Set("warp_execution_efficiency", percent(n(s.ThreadInstructions), n(s.Instructions)*float64(c.WarpWidth)))
	v.Set("ipc", n(s.Instructions)/activeCycles)
	v.Set("issue_slot_utilization", percent(float64(s.Issued), float64(s.Active)*float64(c.Scheduler.Count)))
	v.Set("sm_efficiency", percent(float64(s.Active), float64(s.Elapsed)*float64(c.SMs)))
	v.Set("achieved_occupancy", percent(float64(s.Resident), float64(s.Active)*float64(c.Occupancy.Warps)))
	v.Set("warps_launched", n(s.Warps))
	v.Set("blocks_launched", n(s.Blocks))
	v.Set("kernels_launched", n(s.Launches))

	v.Set("branch", n(s.Branches))
	v.Set("divergent_branch", n(s.DivergentBranches))
	v.Set("branch_efficiency", percent(n(s.Branches-s.DivergentBranches), n(s.Branches)))

	v.Set("gld_request", n(s.Loads.Requests))
	v.Set("gst_request", n(s.Stores.Requests))
	v.Set("gld_transactions", n(s.Loads.Transactions))
	v.Set("gst_transactions", n(s.Stores.Transactions))
	v.Set("gld_transactions_per_request", n(s.Loads.Transactions)/n(s.Loads.Requests))
	v.Set("gst_transactions_per_request", n(s.Stores.Transactions)/n(s.Stores.Requests))
	v.Set("gld_efficiency", percent(float64(s.Loads.Requested), float64(s.Loads.Moved)))
	v.Set("gst_efficiency", percent(float64(s.Stores.Requested), float64(s.Stores.Moved)))
	v.Set("gld_requested_throughput", gbs(s.Loads.Requested))
	v.Set("gld_throughput", gbs(s.Loads.Moved))
	v.Set("gst_throughput", gbs(s.Stores.Moved))

	var ops, replays int64
	for i := range g.memory.slices {
		ops += g.memory.slices[i].ops
		replays += g.memory.slices[i].replays
	}
	v.Set("atomic_request", n(s.Atomics.Requests))
	v.Set("atomic_transactions", n(s.Atomics.Transactions))
	v.Set("atomic_operations", float64(ops))
	v.Set("atomic_replays", float64(replays))
	v.Set("full_empty_retries", n(s.Retries))
	v.Set("shared_request", n(s.SharedRequests))
	v.Set("shared_bank_conflict", n(s.SharedPasses-s.SharedRequests))

	if !c.L1.Enabled {
		v.Set("global_hit_rate", math.NaN())
	} else {
		v.Set("global_hit_rate", percent(float64(l1.Hits-l1.PassedHits), float64(l1.Reads)))
	}
	v.Set("l1_reads", float64(l1.Reads))
	v.Set("l1_read_misses", float64(l1.Reads-l1.Hits+l1.PassedHits))
	v.Set("l1_merges", float64(l1.Merges))
	v.Set("l2_hit_rate", percent(float64(l2.Hits), float64(l2.Accesses())))
	v.Set("l2_reads", float64(l2.Reads))
	v.Set("l2_writes", float64(l2.Writes))
	v.Set("l2_atomics", float64(l2.Atomics))
	v.Set("l2_misses", float64(l2.Misses))
	v.Set("l2_read_throughput", gbs(replied))
	v.Set("l2_write_throughput", gbs(requested))

	burst := c.DRAM.Burst()
	v.Set("dram_read_bytes", float64(sim.Bytes(dram.Reads)*burst))
	v.Set("dram_write_bytes", float64(sim.Bytes(dram.Writes)*burst))
	v.Set("dram_read_throughput", gbs(sim.Bytes(dram.Reads)*burst))
	v.Set("dram_write_throughput", gbs(sim.Bytes(dram.Writes)*burst))
	v.Set("dram_peak_throughput", float64(c.DRAM.Peak())/1e9)
	v.Set("dram_utilization", percent(float64(dram.Busy), float64(s.Elapsed)*float64(c.DRAM.Channels)))
	v.Set("dram_row_hit_rate", percent(float64(dram.RowHits), float64(dram.Reads+dram.Writes)))

	for stall := range NumStalls {
		v.Set("stall_"+stall.String(), percent(float64(s.Stalls[stall]), float64(s.Resident)))
	}
	v.Set("issued", percent(float64(s.Issued), float64(s.Resident)))
}

// Kernel is a program that the GPU has run, with what it counted for each of
// its instructions.
type Kernel struct {
	Program *isa.Program
	Lines   []LineStats // by pc
}

// Kernels returns the programs run, in the order of their first launch.
func (g *GPU) Kernels() []Kernel {
	var all []Kernel
	for _, k := range g.order {
		all = append(all, Kernel{k.program, k.lines})
	}
	return all
}

// Traffic is what happened to the accesses to one array.
type Traffic struct {
	ArrayStats
	L1, L2                mem.CacheStats
	DRAMRead, DRAMWritten sim.Bytes
}

// Array returns the traffic of the array with the given ID in the GPU's Space.
func (g *GPU) Array(id int) Traffic {
	var t Traffic
	if id < len(g.arrays) {
		t.ArrayStats = g.arrays[id]
	}
	for _, s := range g.sms {
		if s.l1 != nil {
			t.L1.Add(s.l1.ArrayStats(id))
		}
	}
	for i := range g.memory.slices {
		t.L2.Add(g.memory.slices[i].cache.ArrayStats(id))
	}
	for _, d := range g.memory.channels {
		r, w := d.ArrayBytes(id)
		t.DRAMRead += r
		t.DRAMWritten += w
	}
	return t
}

// HotWords returns the n addresses that most atomics went to.
func (g *GPU) HotWords(n int) []mem.HotWord { return g.hot.Top(n) }
