package mem

import (
	"heddle/arch/net"
	"heddle/sim"
)

// Source says what served an access to a Multicore.
type Source uint8

// Sources. From FromClean on they come in groups of one for each net.Distance,
// such as FromMemory + Source(net.OneHop).
const (
	FromL1   Source = iota
	FromFill        // of L1: a line on its way there
	FromL2
	FromL3 // of the core's die

	FromClean                                         // line of another core, or of another die's L3, not modified
	FromDirty   = FromClean + Source(net.Distances)   // the same, modified
	FromMemory  = FromDirty + Source(net.Distances)   // of the die at that distance
	FromUpgrade = FromMemory + Source(net.Distances)  // the right to modify a line that the core had; by the farthest that had to know
	Sources     = FromUpgrade + Source(net.Distances) // number of sources
)

// String returns a form such as "L2" or "memory, 1 hop".
func (s Source) String() string {
	if s < FromClean {
		return [...]string{"L1", "fill", "L2", "L3"}[s]
	}
	group := (s - FromClean) / Source(net.Distances)
	return [...]string{"clean", "dirty", "memory", "upgrade"}[group] + ", " + s.Distance().String()
}

// Distance returns how far away what served the access is.
func (s Source) Distance() net.Distance {
	if s < FromClean {
		return net.SameDie
	}
	return net.Distance((s - FromClean) % Source(net.Distances))
}

// Group returns the first source of the group of s: itself, or FromClean,
// FromDirty, FromMemory or FromUpgrade.
func (s Source) Group() Source {
	if s < FromClean {
		return s
	}
	return s - Source(s.Distance())
}

// Served counts accesses by kind and by what served them. An access that spans
// lines counts once a line.
type Served [kinds][Sources]int64

// Add adds other counts.
func (s *Served) Add(o *Served) {
	for k := range s {
		for i := range s[k] {
			s[k][i] += o[k][i]
		}
	}
}

// By returns the accesses of all kinds that the source served.
func (s *Served) By(from Source) (n int64) {
	for k := range s {
		n += s[k][from]
	}
	return n
}

// ByGroup returns the accesses of all kinds that the sources of the group of
// from served, over all distances.
func (s *Served) ByGroup(from Source) (n int64) {
	for i := range Sources {
		if i.Group() == from.Group() {
			n += s.By(i)
		}
	}
	return n
}

// Of returns the accesses of one kind.
func (s *Served) Of(k Kind) (n int64) {
	for _, x := range s[k] {
		n += x
	}
	return n
}

// Accesses returns all accesses.
func (s *Served) Accesses() int64 { return s.Of(Read) + s.Of(Write) + s.Of(Atomic) }

// CoreStats counts what happened to one core, or to several.
type CoreStats struct {
	Served
	L1Evictions     int64    // lines that L1 replaced
	L1Writebacks    int64    // of them, those written to L2
	L2Evictions     int64    // lines that L2 replaced
	Prefetches      int64    // lines that the prefetcher brought into L2
	Writebacks      int64    // modified lines that left the core for L3 or memory
	Invalidated     int64    // lines lost to the writes of others
	BackInvalidated int64    // lines lost as an inclusive L3 replaced them
	LineWait        sim.Time // sum over accesses of the time for which others used their line
}

// portCounts are the counts of a core that are not by array.
type portCounts struct {
	l1Evictions, l1Writebacks, l2Evictions, prefetches, writebacks, invalidated, backInvalidated int64
	lineWait                                                                                     sim.Time
}

// Add adds the counts of another core.
func (s *CoreStats) Add(o *CoreStats) {
	s.Served.Add(&o.Served)
	s.L1Evictions += o.L1Evictions
	s.L1Writebacks += o.L1Writebacks
	s.L2Evictions += o.L2Evictions
	s.Prefetches += o.Prefetches
	s.Writebacks += o.Writebacks
	s.Invalidated += o.Invalidated
	s.BackInvalidated += o.BackInvalidated
	s.LineWait += o.LineWait
}

// DieStats counts what the shared parts of a die did, or those of all dies.
type DieStats struct {
	L3Evictions  int64 // lines that L3 replaced
	L3Writebacks int64 // of them, those written to memory
	L3Busy       sim.Time
	Reads        [net.Distances]int64 // lines read from the die's memory, by how far away the reader is
	Writes       [net.Distances]int64 // lines written to it
	MemoryBusy   sim.Time             // of the controller
	DRAM         DRAMStats
}

type dieCounts struct {
	evictions, writebacks int64
	reads, writes         [net.Distances]int64
}

// Add adds the counts of another die.
func (s *DieStats) Add(o *DieStats) {
	s.L3Evictions += o.L3Evictions
	s.L3Writebacks += o.L3Writebacks
	s.L3Busy += o.L3Busy
	for d := range s.Reads {
		s.Reads[d] += o.Reads[d]
		s.Writes[d] += o.Writes[d]
	}
	s.MemoryBusy += o.MemoryBusy
	s.DRAM.Add(o.DRAM)
}

// CoreStats returns the counts of a core.
func (m *Multicore) CoreStats(core int) CoreStats {
	p := m.ports[core]
	s := CoreStats{
		L1Evictions:     p.counts.l1Evictions,
		L1Writebacks:    p.counts.l1Writebacks,
		L2Evictions:     p.counts.l2Evictions,
		Prefetches:      p.counts.prefetches,
		Writebacks:      p.counts.writebacks,
		Invalidated:     p.counts.invalidated,
		BackInvalidated: p.counts.backInvalidated,
		LineWait:        p.counts.lineWait,
	}
	for i := range p.arrays {
		s.Served.Add(&p.arrays[i])
	}
	return s
}

// CoresOf returns the counts of the cores of a die, added up; of all cores if
// die is -1.
func (m *Multicore) CoresOf(die int) (sum CoreStats) {
	for core, p := range m.ports {
		if die < 0 || p.die == die {
			s := m.CoreStats(core)
			sum.Add(&s)
		}
	}
	return sum
}

// DieStats returns the counts of a die; of all, added up, if die is -1.
func (m *Multicore) DieStats(die int) (sum DieStats) {
	if die < 0 {
		for i := range m.dies {
			s := m.DieStats(i)
			sum.Add(&s)
		}
		return sum
	}
	d := &m.dies[die]
	return DieStats{
		L3Evictions:  d.stats.evictions,
		L3Writebacks: d.stats.writebacks,
		L3Busy:       d.l3Port.Busy(),
		Reads:        d.stats.reads,
		Writes:       d.stats.writes,
		MemoryBusy:   d.controller.Busy(),
		DRAM:         d.dram.Stats(),
	}
}

// ArrayStats returns the accesses of all cores to the array of the given ID,
// -1 for those outside all arrays.
func (m *Multicore) ArrayStats(id int) (sum Served) {
	for _, p := range m.ports {
		if id >= -1 && id+1 < len(p.arrays) {
			sum.Add(&p.arrays[id+1])
		}
	}
	return sum
}

// ArrayBytes returns the bytes of the array of the given ID, -1 for none, that
// memory read and wrote: whole lines, each counted for the array that was
// accessed last in it.
func (m *Multicore) ArrayBytes(id int) (read, written sim.Bytes) {
	for i := range m.dies {
		r, w := m.dies[i].dram.ArrayBytes(id)
		read, written = read+r, written+w
	}
	return read, written
}

// Links returns the counts of the links between dies, each direction by
// itself.
func (m *Multicore) Links() []net.LinkStats {
	all := make([]net.LinkStats, m.links.Links())
	for i := range all {
		all[i] = m.links.Link(i)
	}
	return all
}
