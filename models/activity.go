package models

import (
	"math"

	"heddle/sim"
)

// Activity is what a machine did in a part of a run: a launch, or an interval
// of time. A share or a rate that is not defined is NaN.
type Activity struct {
	PerCycle    float64 // instructions of the whole machine a cycle of its main clock
	Occupancy   float64 // share of the places for warps or threads that were taken
	Lanes       float64 // threads that executed an instruction, on average
	Divergence  float64 // share of the branches that lanes left both ways, or that were mispredicted
	DRAMRead    sim.Bytes
	DRAMWritten sim.Bytes
	Bandwidth   float64 // of DRAM, read and written, in bytes a second
	HitRates    []Share // by level of cache
	Stalls      []Share // of the threads' time, as Report.Stack
}

// counters are what a device has counted so far, in terms that all kinds of
// device share.
type counters struct {
	Counts
	branches, divergent   uint64
	dramRead, dramWritten sim.Bytes
	resident              sim.Time // that places for warps or threads were taken
	accesses, hits        [mostLevels]int64
	stack                 [mostShares]float64 // times, in the order of Report.Stack
}

// Bounds on what counters hold of any device.
const (
	mostLevels = 4
	mostShares = 24
)

// legend says what the counters of a device mean.
type legend struct {
	places int // for warps or threads
	levels []string
	stack  []string
}

// activity returns what happened between two counts that lie span apart.
func (m *Machine) activity(before, after *counters, span sim.Time) Activity {
	s := m.device.legend()
	instructions := float64(after.Instructions - before.Instructions)
	seconds := span.Seconds()
	a := Activity{
		PerCycle:    math.NaN(),
		Lanes:       float64(after.ThreadInstructions-before.ThreadInstructions) / instructions,
		Divergence:  float64(after.divergent-before.divergent) / float64(after.branches-before.branches),
		DRAMRead:    after.dramRead - before.dramRead,
		DRAMWritten: after.dramWritten - before.dramWritten,
	}
	// A core that runs ahead of the others has counted a little too much.
	taken := float64(after.resident-before.resident) / (float64(span) * float64(s.places))
	a.Occupancy = max(0, min(taken, 1))
	a.Bandwidth = float64(a.DRAMRead+a.DRAMWritten) / seconds
	if m.clock.Period > 0 {
		a.PerCycle = instructions / (float64(span) / float64(m.clock.Period))
	}
	for i, name := range s.levels {
		a.HitRates = append(a.HitRates, Share{name, float64(after.hits[i]-before.hits[i]) / float64(after.accesses[i]-before.accesses[i])})
	}
	whole := 0.0
	for i := range s.stack {
		whole += after.stack[i] - before.stack[i]
	}
	for i, name := range s.stack {
		a.Stalls = append(a.Stalls, Share{name, (after.stack[i] - before.stack[i]) / whole})
	}
	return a
}
