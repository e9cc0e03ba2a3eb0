package stream

import (
	"math"

	"heddle/arch/isa"
	"heddle/arch/mem"
	"heddle/sim"
)

// Metrics are what the machine reports. An instruction is a long word of up to
// three operations; inst_executed counts operations, as those are a program's
// instructions.
var Metrics = sim.Declaration{
	{Name: "inst_executed", Unit: "instructions", Meaning: "Instructions of programs executed, each an operation of the machine."},
	{Name: "words_issued", Unit: "words", Meaning: "Instructions of the machine issued, each a word of up to three operations."},
	{Name: "inst_per_word", Unit: "instructions", Kind: sim.Ratio, Meaning: "Operations of an issued word."},
	{Name: "issue_utilization", Unit: "%", Kind: sim.Ratio, Meaning: "Cycles in which a processor that had threads issued."},
	{Name: "phantoms", Unit: "cycles", Meaning: "Cycles in which a processor that had threads had none ready, added up over processors."},
	{Name: "processor_efficiency", Unit: "%", Kind: sim.Ratio, Meaning: "Time in which a processor had threads, averaged over processors, while parallel regions ran."},
	{Name: "streams_active", Unit: "streams", Kind: sim.Ratio, Meaning: "Streams of a processor that had a thread, while it had any."},
	{Name: "threads_launched", Unit: "threads", Meaning: "Threads started."},
	{Name: "regions_launched", Unit: "regions", Meaning: "Parallel regions run."},

	{Name: "loads", Unit: "operations", Meaning: "Loads executed."},
	{Name: "stores", Unit: "operations", Meaning: "Stores executed."},
	{Name: "atomics", Unit: "operations", Meaning: "Atomic operations executed, such as int_fetch_add."},
	{Name: "sync_operations", Unit: "operations", Meaning: "Operations on full/empty bits that succeeded."},
	{Name: "sync_retries", Unit: "operations", Meaning: "Tries of operations on full/empty bits that failed."},
	{Name: "sync_traps", Unit: "operations", Meaning: "Operations on full/empty bits that reached the limit of tries and parked their thread."},
	{Name: "hot_word_conflicts", Unit: "operations", Meaning: "Atomic or synchronised operations that waited for others on their word."},
	{Name: "hot_word_wait", Unit: "cycles", Kind: sim.Ratio, Meaning: "Mean time of such a wait."},

	{Name: "memory_words", Unit: "words", Meaning: "Memory operations sent by processors, tries included, 8 bytes each."},
	{Name: "memory_words_per_second", Unit: "words/s", Kind: sim.Ratio, Meaning: "Memory operations sent by a processor, while parallel regions ran."},
	{Name: "memory_words_limit", Unit: "words/s", Kind: sim.Gauge, Meaning: "Memory operations that a processor can send, sustained."},
	{Name: "memory_throughput", Unit: "GB/s", Kind: sim.Ratio, Meaning: "Memory words of all processors, while parallel regions ran."},
	{Name: "memory_peak_throughput", Unit: "GB/s", Kind: sim.Gauge, Meaning: "Memory words of all processors at their limit."},
	{Name: "memory_utilization", Unit: "%", Kind: sim.Ratio, Meaning: "Memory words sent over those at the limit."},
	{Name: "requested_throughput", Unit: "GB/s", Kind: sim.Ratio, Meaning: "Bytes that programs asked for, while parallel regions ran."},
	{Name: "memory_latency", Unit: "cycles", Kind: sim.Distribution, Meaning: "Time of a memory operation from issue to reply; its mean is exact, quantiles are within a factor of two."},
	{Name: "module_imbalance", Unit: "1", Kind: sim.Ratio, Meaning: "Operations of the busiest module over the mean of all."},

	{Name: "buffer_hit_rate", Unit: "%", Kind: sim.Ratio, Meaning: "Operations that hit in a module's data buffer."},
	{Name: "buffer_misses", Unit: "operations", Meaning: "Operations that missed in a module's data buffer, merged ones included."},
	{Name: "cache_hit_rate", Unit: "%", Kind: sim.Ratio, Meaning: "Loads that hit in the processors' caches, where they have any."},
	{Name: "dram_read_bytes", Unit: "B", Meaning: "Bytes read from DRAM, in whole bursts."},
	{Name: "dram_write_bytes", Unit: "B", Meaning: "Bytes written to DRAM, in whole bursts."},
	{Name: "dram_read_throughput", Unit: "GB/s", Kind: sim.Ratio, Meaning: "DRAM reads of all modules, while parallel regions ran."},
	{Name: "dram_write_throughput", Unit: "GB/s", Kind: sim.Ratio, Meaning: "DRAM writes of all modules, while parallel regions ran."},
	{Name: "dram_peak_throughput", Unit: "GB/s", Kind: sim.Gauge, Meaning: "Bandwidth of all data buses of DRAM."},
	{Name: "dram_utilization", Unit: "%", Kind: sim.Ratio, Meaning: "Time in which the data buses moved data, while parallel regions ran."},
	{Name: "dram_row_hit_rate", Unit: "%", Kind: sim.Ratio, Meaning: "Bursts that found their row open."},

	{Name: "stall_pipeline", Unit: "%", Kind: sim.Ratio, Meaning: "Time of streams with a thread spent with the last instruction in the pipeline."},
	{Name: "stall_not_selected", Unit: "%", Kind: sim.Ratio, Meaning: "Time of streams with a thread spent ready while another issued."},
	{Name: "stall_memory_dependency", Unit: "%", Kind: sim.Ratio, Meaning: "Time of streams with a thread spent waiting for a memory operation whose result was needed."},
	{Name: "stall_lookahead", Unit: "%", Kind: sim.Ratio, Meaning: "Time of streams with a thread spent waiting for a memory operation as the lookahead reaches no further."},
	{Name: "stall_memory_throttle", Unit: "%", Kind: sim.Ratio, Meaning: "Time of streams with a thread spent waiting for the memory unit to take an operation: the processor's bandwidth."},
	{Name: "stall_full_empty", Unit: "%", Kind: sim.Ratio, Meaning: "Time of streams with a thread spent waiting for full/empty bits."},
	{Name: "stall_sync", Unit: "%", Kind: sim.Ratio, Meaning: "Time of streams with a thread spent at barriers."},
	{Name: "issued", Unit: "%", Kind: sim.Ratio, Meaning: "Time of streams with a thread spent issuing; with the stalls, all of it."},
}

func percent(part, whole float64) float64 { return 100 * part / whole }

// Stats returns what the machine has counted.
func (sys *System) Stats() Stats {
	s := sys.stats
	s.Stalls[Pipeline] += sim.Cycles(s.Words) * (sys.config.Pipeline - 1)
	return s
}

// Buffers returns the counts of all data buffers and of all processors' caches.
func (sys *System) Buffers() (buffers, caches mem.CacheStats) {
	for i := range sys.memory.modules {
		buffers.Add(sys.memory.modules[i].buffer.Stats())
	}
	for _, p := range sys.processors {
		if p.cache != nil {
			caches.Add(p.cache.Stats())
		}
	}
	return buffers, caches
}

// DRAM returns the counts of all DRAM.
func (sys *System) DRAM() (all mem.DRAMStats) {
	for i := range sys.memory.modules {
		all.Add(sys.memory.modules[i].dram.Stats())
	}
	return all
}

// sent returns the words that the processors have sent.
func (sys *System) sent() float64 {
	var busy sim.Time
	for _, p := range sys.processors {
		busy += p.inject.Busy()
	}
	return math.Round(float64(busy) / float64(sys.word))
}

// imbalance returns the operations of the busiest module over the mean.
func (sys *System) imbalance() float64 {
	var most, sum sim.Time
	for i := range sys.memory.modules {
		busy := sys.memory.modules[i].port.Busy()
		most = max(most, busy)
		sum += busy
	}
	return float64(most) * float64(len(sys.memory.modules)) / float64(sum)
}

// Report gives v the values of Metrics.
func (sys *System) Report(v *sim.Values) {
	s := sys.Stats()
	c := &sys.config
	buffer, cache := sys.Buffers()
	dram := sys.DRAM()
	ran := s.Elapsed.Seconds()
	processors := float64(c.Processors)
	n := func(x uint64) float64 { return float64(x) }
	gbs := func(b float64) float64 { return b / ran / 1e9 }
	issued, active := n(s.Words), float64(s.Active)

	v.Set("inst_executed", n(s.Operations))
	v.Set("words_issued", issued)
	v.Set("inst_per_word", n(s.Operations)/issued)
	v.Set("issue_utilization", percent(issued, active))
	v.Set("phantoms", active-issued)
	v.Set("processor_efficiency", percent(active*float64(sys.period), float64(s.Elapsed)*processors))
	v.Set("streams_active", float64(s.Resident)/active)
	v.Set("threads_launched", n(s.Threads))
	v.Set("regions_launched", n(s.Launches))

	v.Set("loads", n(s.Accesses[reads]))
	v.Set("stores", n(s.Accesses[writes]))
	v.Set("atomics", n(s.Accesses[updates]))
	v.Set("sync_operations", n(s.Accesses[synchronises]))
	v.Set("sync_retries", n(s.Tries))
	v.Set("sync_traps", n(s.Traps))
	v.Set("hot_word_conflicts", n(s.WordConflict))
	v.Set("hot_word_wait", float64(s.WordWait)/float64(sys.period)/n(s.WordConflict))

	sent, rate := sys.sent(), 1/sys.word.Seconds()
	var requested sim.Bytes
	for i := range sys.arrays {
		requested += sys.arrays[i].Requested
	}
	v.Set("memory_words", sent)
	v.Set("memory_words_per_second", sent/ran/processors)
	v.Set("memory_words_limit", rate)
	v.Set("memory_throughput", gbs(sent*wordBytes))
	v.Set("memory_peak_throughput", float64(c.Peak())/1e9)
	v.Set("memory_utilization", percent(sent, rate*ran*processors))
	v.Set("requested_throughput", gbs(float64(requested)))
	v.SetDistribution("memory_latency", &s.Latency)
	v.Set("module_imbalance", sys.imbalance())

	v.Set("buffer_hit_rate", percent(float64(buffer.Hits), float64(buffer.Accesses())))
	v.Set("buffer_misses", float64(buffer.Misses))
	if c.Cache.Enabled {
		v.Set("cache_hit_rate", percent(float64(cache.Hits-cache.PassedHits), float64(cache.Reads)))
	} else {
		v.Set("cache_hit_rate", math.NaN())
	}
	burst := c.Module.DRAM.Burst()
	read, written := float64(sim.Bytes(dram.Reads)*burst), float64(sim.Bytes(dram.Writes)*burst)
	v.Set("dram_read_bytes", read)
	v.Set("dram_write_bytes", written)
	v.Set("dram_read_throughput", gbs(read))
	v.Set("dram_write_throughput", gbs(written))
	v.Set("dram_peak_throughput", float64(c.Module.DRAM.Peak())*processors/1e9)
	v.Set("dram_utilization", percent(float64(dram.Busy), float64(s.Elapsed)*processors))
	v.Set("dram_row_hit_rate", percent(float64(dram.RowHits), float64(dram.Reads+dram.Writes)))

	for stall := range NumStalls {
		v.Set("stall_"+stall.String(), percent(float64(s.Stalls[stall]), float64(s.Resident)))
	}
	v.Set("issued", percent(issued, float64(s.Resident)))
}

// Kernel is a program that the machine has run, with what it counted for each
// of its instructions.
type Kernel struct {
	Program *isa.Program
	Lines   []LineStats // by pc
}

// Kernels returns the programs run, in the order of their first launch.
func (sys *System) Kernels() []Kernel {
	var all []Kernel
	for _, k := range sys.order {
		all = append(all, Kernel{k.program, k.counted(sys.config.Pipeline)})
	}
	return all
}

// counted returns the lines with what follows from the words issued: the
// executions of all their operations and the time in the pipeline.
func (k *kernel) counted(pipeline sim.Cycles) []LineStats {
	lines := append([]LineStats(nil), k.lines...)
	for pc := range k.words {
		w := &k.words[pc]
		if w.ops == 0 {
			continue
		}
		words := lines[pc].Words
		lines[pc].Stalls[Pipeline] += sim.Cycles(words) * (pipeline - 1)
		ops := w.ops
		for at := pc; ops > 0; at++ {
			if k.program.Code[at].Row().Unit != isa.UnitNone {
				lines[at].Issues = (words + uint64(w.issues) - 1) / uint64(w.issues)
				ops--
			}
		}
	}
	return lines
}

// Traffic is what happened to the operations on one array.
type Traffic struct {
	ArrayStats
	Cache, Buffer         mem.CacheStats
	DRAMRead, DRAMWritten sim.Bytes
}

// Array returns the traffic of the array with the given ID in the machine's
// Space.
func (sys *System) Array(id int) Traffic {
	var t Traffic
	if id < len(sys.arrays) {
		t.ArrayStats = sys.arrays[id]
	}
	for _, p := range sys.processors {
		if p.cache != nil {
			t.Cache.Add(p.cache.ArrayStats(id))
		}
	}
	for i := range sys.memory.modules {
		m := &sys.memory.modules[i]
		t.Buffer.Add(m.buffer.ArrayStats(id))
		r, w := m.dram.ArrayBytes(id)
		t.DRAMRead += r
		t.DRAMWritten += w
	}
	return t
}

// HotWords returns the n words that most atomic and synchronised operations
// went to.
func (sys *System) HotWords(n int) []mem.HotWord { return sys.hot.Top(n) }
