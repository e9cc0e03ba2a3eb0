package window

import (
	"heddle/arch/mem"
	"heddle/arch/net"
	"heddle/sim"
)

// Memory is what the cores of a machine share, as mem.Multicore is.
type Memory interface {
	// Port returns the first-level data cache of a core.
	Port(core int) Port
	// Advance tells that no further access will be made for a time before now.
	Advance(now sim.Time)
}

// Port is a core's way to memory: its first-level data cache.
//
// Accesses are timed when their instructions are dispatched, with the cycle in
// which they will be made. From one call to the next at may therefore go back
// by as much as a window of instructions spans, never before the engine's time.
type Port interface {
	mem.Level
	// InL1 tells whether the line of addr is in the first-level cache, or in
	// flight to it, so that an access needs no line fill buffer. It leaves no
	// trace.
	InL1(addr uint64) bool
	// From tells what served the latest access.
	From() mem.Source
}

// missedLevels is how many levels of cache, from L1 on, could not serve an
// access that each source did. A line on its way to L1 is a miss of L1 alone.
var missedLevels = func() (levels [mem.Sources]uint8) {
	for s := range mem.Sources {
		switch s.Group() {
		case mem.FromL1:
			levels[s] = 0
		case mem.FromFill, mem.FromL2:
			levels[s] = 1
		case mem.FromL3:
			levels[s] = 2
		default:
			levels[s] = 3
		}
	}
	return levels
}()

// causeOf is the cause of waiting for each source; that of FromFill is what
// the line comes from.
var causeOf = func() (causes [mem.Sources]Cause) {
	for s := range mem.Sources {
		switch s.Group() {
		case mem.FromL1, mem.FromFill:
			causes[s] = L1
		case mem.FromL2:
			causes[s] = L2
		case mem.FromL3:
			causes[s] = L3
		case mem.FromMemory:
			causes[s] = RemoteDRAM
			if s.Distance() == net.SameDie {
				causes[s] = LocalDRAM
			}
		default:
			causes[s] = RemoteCache
		}
	}
	return causes
}()
