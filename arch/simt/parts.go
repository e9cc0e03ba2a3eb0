package simt

import (
	"heddle/arch/mem"
	"heddle/sim"
)

// SMStats is what one SM did, and how many warps it holds.
type SMStats struct {
	Issued uint64 // warp instructions
	Active sim.Time
	Warps  int
	L1     mem.CacheStats
}

// SM returns the counts of SM i.
func (g *GPU) SM(i int) SMStats {
	m := g.sms[i]
	s := SMStats{Issued: m.issued, Active: m.active, Warps: m.warps}
	if m.l1 != nil {
		s.L1 = m.l1.Stats()
	}
	return s
}

// Slices returns the counts of each slice of L2.
func (g *GPU) Slices() (all []mem.CacheStats) {
	for i := range g.memory.slices {
		all = append(all, g.memory.slices[i].cache.Stats())
	}
	return all
}

// Crossbar returns the bytes that SMs sent to L2, and L2 to them.
func (g *GPU) Crossbar() (requested, replied sim.Bytes) { return g.memory.crossbar.Moved() }

// Resident returns the time that warps have spent on SMs up to now, those that
// are there still included.
func (g *GPU) Resident(now sim.Time) sim.Time {
	sum := g.stats.Resident
	for w := range g.resident {
		sum += max(0, now-w.started)
	}
	return sum
}

// Sample makes the GPU call f with the time, about every watchInterval cycles,
// while programs run.
func (g *GPU) Sample(f func(now sim.Time)) { g.onSample = f }
