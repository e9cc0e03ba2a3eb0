package stream

import (
	"heddle/arch/mem"
	"heddle/sim"
)

// ProcessorStats is what one processor did.
type ProcessorStats struct {
	Words   uint64   // instructions of the machine issued
	Sending sim.Time // for which it sent memory operations
}

// Processor returns the counts of processor i.
func (sys *System) Processor(i int) ProcessorStats {
	p := sys.processors[i]
	return ProcessorStats{p.words, p.inject.Busy()}
}

// ModuleStats is what the memory of one node did.
type ModuleStats struct {
	Busy   sim.Time // taking operations
	Buffer mem.CacheStats
	DRAM   mem.DRAMStats
}

// Module returns the counts of the memory of node i.
func (sys *System) Module(i int) ModuleStats {
	m := &sys.memory.modules[i]
	return ModuleStats{m.port.Busy(), m.buffer.Stats(), m.dram.Stats()}
}

// Resident returns the cycles that streams have had threads up to now, those
// that still have one included.
func (sys *System) Resident(now sim.Time) sim.Cycles {
	live := 0
	for _, p := range sys.processors {
		live += p.live
	}
	return sys.stats.Resident + sim.Cycles(int64(live)*sys.cycleAt(now))
}

// Sample makes the machine call f with the time, about every watchInterval
// cycles, while programs run.
func (sys *System) Sample(f func(now sim.Time)) { sys.onSample = f }
