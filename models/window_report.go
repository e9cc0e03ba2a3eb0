package models

import (
	"heddle/arch/isa"
	"heddle/arch/mem"
	"heddle/arch/net"
	"heddle/arch/window"
	"heddle/sim"
)

// WindowMetrics are what a machine of kind window reports.
var WindowMetrics = append(window.Metrics[:len(window.Metrics):len(window.Metrics)], sim.Declaration{
	{Name: "l1_accesses", Unit: "accesses", Meaning: "Accesses to L1: loads that were not forwarded, stores, atomics."},
	{Name: "l1_misses", Unit: "accesses", Meaning: "Accesses that L1 could not serve, those that waited for a line in flight or for the right to write included."},
	{Name: "l1_mpki", Unit: "misses/1000 instructions", Kind: sim.Ratio, Meaning: "L1 misses over instructions."},
	{Name: "l2_accesses", Unit: "accesses", Meaning: "Accesses that L1 sent on."},
	{Name: "l2_misses", Unit: "accesses", Meaning: "Accesses that L2 could not serve."},
	{Name: "l2_mpki", Unit: "misses/1000 instructions", Kind: sim.Ratio, Meaning: "L2 misses over instructions."},
	{Name: "l3_misses", Unit: "accesses", Meaning: "Accesses that neither L2 nor the L3 of the die served."},
	{Name: "l3_mpki", Unit: "misses/1000 instructions", Kind: sim.Ratio, Meaning: "L3 misses over instructions."},
	{Name: "l2_prefetches", Unit: "lines", Meaning: "Lines that hardware prefetchers brought into L2."},
	{Name: "c2c_die", Unit: "transfers", Meaning: "Lines that came from another core's caches on the die."},
	{Name: "c2c_package", Unit: "transfers", Meaning: "Lines that came from the caches of another die of the package."},
	{Name: "c2c_1_hop", Unit: "transfers", Meaning: "Lines that came from caches one link between sockets away."},
	{Name: "c2c_2_hops", Unit: "transfers", Meaning: "Lines that came from caches two links away."},
	{Name: "c2c_dirty", Unit: "%", Kind: sim.Ratio, Meaning: "Lines from other caches that were modified there."},
	{Name: "upgrades", Unit: "accesses", Meaning: "Accesses that only lacked the right to modify their line."},
	{Name: "invalidations", Unit: "lines", Meaning: "Lines that a core lost to another's write."},
	{Name: "back_invalidations", Unit: "lines", Meaning: "Lines that a core lost as an inclusive L3 replaced them."},
	{Name: "line_wait", Unit: "cycles", Meaning: "Sum over accesses of the time for which others used their line."},
	{Name: "memory_reads_local", Unit: "lines", Meaning: "Lines read from memory by a core of its die."},
	{Name: "memory_reads_remote", Unit: "lines", Meaning: "Lines read from memory by a core of another die."},
	{Name: "memory_writes", Unit: "lines", Meaning: "Lines written to memory."},
	{Name: "dram_read_bandwidth", Unit: "GB/s", Kind: sim.Ratio, Meaning: "Memory reads of all dies, over the time that programs ran."},
	{Name: "dram_write_bandwidth", Unit: "GB/s", Kind: sim.Ratio, Meaning: "Memory writes of all dies, over the time that programs ran."},
	{Name: "dram_bandwidth_busiest_socket", Unit: "GB/s", Kind: sim.Ratio, Meaning: "Memory reads and writes of the socket with most of them, over the time that programs ran."},
	{Name: "dram_peak_bandwidth_socket", Unit: "GB/s", Kind: sim.Gauge, Meaning: "Data pins of a socket's memory."},
	{Name: "dram_sustained_bandwidth_socket", Unit: "GB/s", Kind: sim.Gauge, Meaning: "What the memory controllers of a socket serve at most."},
	{Name: "dram_row_hit_rate", Unit: "%", Kind: sim.Ratio, Meaning: "Bursts that found their row open."},
	{Name: "link_utilization", Unit: "%", Kind: sim.Ratio, Meaning: "Time for which the busiest link between dies moved data, while programs ran."},
}...)

func (d *windowDevice) report(r *Report, _ sim.Time) {
	r.Metrics = sim.NewValues(WindowMetrics)
	d.Report(r.Metrics)
	d.reportMemory(r.Metrics)
	s := d.Stats()
	whole := float64(s.ThreadCycles)
	r.Threads = whole
	for cause := range window.NumCauses {
		r.Stack = append(r.Stack, Share{cause.String(), float64(s.Cycles[cause]) / whole})
	}
	base := float64(s.Cycles[window.Base]) / whole / float64(s.Instructions)
	kernels := d.Kernels()
	for _, k := range kernels {
		r.Lines = append(r.Lines, d.lines(k, whole, base)...)
	}
	r.hotWords(d.space, d.HotWords(hottest), func(i int32) *isa.Program { return kernels[i].Program })
	d.units(r)
	line := d.desc.Memory.Line
	for id, info := range d.space.Arrays() {
		t := d.Array(id)
		served := d.memory.ArrayStats(id)
		read, written := d.memory.ArrayBytes(id)
		levels, moved := windowLevels(&served, line)
		r.Arrays = append(r.Arrays, Array{
			Name: info.Name, Elem: info.Elem, Len: info.Len,
			Loads: t.Loads, Stores: t.Stores, Atomics: t.Atomics,
			Requests: t.Loads + t.Stores + t.Atomics, Transactions: uint64(served.Accesses()),
			Requested: t.Requested, Moved: moved, Levels: levels, DRAMRead: read, DRAMWritten: written,
		})
	}
}

// windowLevels returns what each level did with the accesses to an array, and
// the bytes that its lines moved to L1.
func windowLevels(s *mem.Served, line sim.Bytes) (levels []Level, moved sim.Bytes) {
	left := s.Accesses()
	pass := func(name string, sources ...mem.Source) {
		l := Level{Name: name, Accesses: left}
		for _, from := range sources {
			l.Hits += s.ByGroup(from)
		}
		left -= l.Hits
		l.Fetched = sim.Bytes(left) * line
		levels = append(levels, l)
	}
	pass("l1", mem.FromL1)
	left -= s.By(mem.FromFill) + s.ByGroup(mem.FromUpgrade) // neither asks for a line
	levels[0].Fetched = sim.Bytes(left) * line
	moved = levels[0].Fetched
	pass("l2", mem.FromL2)
	pass("l3", mem.FromL3)
	pass("other caches", mem.FromClean, mem.FromDirty)
	return levels, moved
}

func (d *windowDevice) reportMemory(v *sim.Values) {
	s := d.Stats()
	c := &d.desc.Memory
	cores := d.memory.CoresOf(-1)
	instructions := float64(s.Instructions)
	count := func(name string, n int64) { v.Set(name, float64(n)) }
	perKilo := func(name string, n int64) { v.Set(name, 1000*float64(n)/instructions) }

	accesses := cores.Accesses()
	l1 := accesses - cores.By(mem.FromL1)
	l2 := l1 - cores.By(mem.FromFill)
	l2Misses := l2 - cores.By(mem.FromL2)
	l3Misses := l2Misses - cores.By(mem.FromL3)
	count("l1_accesses", accesses)
	count("l1_misses", l1)
	perKilo("l1_mpki", l1)
	count("l2_accesses", l2)
	count("l2_misses", l2Misses)
	perKilo("l2_mpki", l2Misses)
	count("l3_misses", l3Misses)
	perKilo("l3_mpki", l3Misses)
	count("l2_prefetches", cores.Prefetches)
	for distance, name := range [net.Distances]string{"c2c_die", "c2c_package", "c2c_1_hop", "c2c_2_hops"} {
		count(name, cores.By(mem.FromClean+mem.Source(distance))+cores.By(mem.FromDirty+mem.Source(distance)))
	}
	dirty := cores.ByGroup(mem.FromDirty)
	v.Set("c2c_dirty", 100*float64(dirty)/float64(dirty+cores.ByGroup(mem.FromClean)))
	count("upgrades", cores.ByGroup(mem.FromUpgrade))
	count("invalidations", cores.Invalidated)
	count("back_invalidations", cores.BackInvalidated)
	count("line_wait", int64(d.Clock().Cycle(cores.LineWait)))

	all := d.memory.DieStats(-1)
	reads, writes := lines(all)
	local := all.Reads[net.SameDie]
	count("memory_reads_local", local)
	count("memory_reads_remote", reads-local)
	count("memory_writes", writes)
	ran := d.Clock().Span(sim.Cycles(s.Elapsed)).Seconds()
	bandwidth := func(name string, lines int64) { v.Set(name, float64(lines)*float64(c.Line)/ran/1e9) }
	bandwidth("dram_read_bandwidth", reads)
	bandwidth("dram_write_bandwidth", writes)
	busiest := int64(0)
	for socket := range c.Sockets {
		sum := int64(0)
		for die := range c.Dies {
			r, w := lines(d.memory.DieStats(socket*c.Dies + die))
			sum += r + w
		}
		busiest = max(busiest, sum)
	}
	bandwidth("dram_bandwidth_busiest_socket", busiest)
	v.Set("dram_peak_bandwidth_socket", float64(c.Dies)*float64(c.DRAM.Peak())/1e9)
	v.Set("dram_sustained_bandwidth_socket", float64(c.Dies)*float64(c.MemoryBandwidth)/1e9)
	v.Set("dram_row_hit_rate", 100*float64(all.DRAM.RowHits)/float64(all.DRAM.Reads+all.DRAM.Writes))
	busy := sim.Time(0)
	for _, l := range d.memory.Links() {
		busy = max(busy, l.Busy)
	}
	v.Set("link_utilization", 100*busy.Seconds()/ran)
}

// lines returns the lines that memory read and wrote.
func lines(s mem.DieStats) (reads, writes int64) {
	for i := range s.Reads {
		reads += s.Reads[i]
		writes += s.Writes[i]
	}
	return reads, writes
}

// lines adds up the instructions of each source line of a kernel; whole is the
// time of all threads, base the share of it in which an instruction is
// dispatched.
func (d *windowDevice) lines(k window.Kernel, whole, base float64) []Line {
	names := d.legend()
	issues := func(pc int) uint64 { return k.Lines[pc].Issues }
	return sourceLines(k.Program, issues, names.levels[:3], names.stack[1:], func(l *Line, pc int) {
		s := &k.Lines[pc]
		l.Lanes += s.Issues
		l.Divergent += s.Mispredicts
		l.Transactions += s.Accesses
		l.Requested += s.Bytes
		l.Moved += s.Bytes
		for level, n := range s.Misses {
			l.Misses[level].N += n
		}
		l.Issued += float64(s.Issues) * base
		for cause := window.Base + 1; cause < window.NumCauses; cause++ {
			l.Stalls[cause-1].Share += float64(s.Cycles[cause]) / whole
		}
	})
}
