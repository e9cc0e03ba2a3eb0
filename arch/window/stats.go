package window

import "heddle/sim"

// Cause is what a thread's cycle went to.
type Cause uint8

// Causes. Each cycle of a thread, from the start of a launch to its end, has
// one: it dispatched instructions, or one of the others kept it from doing so.
const (
	Base        Cause = iota // instructions were dispatched
	Mispredict               // the front end restarts after a mispredicted branch
	FrontEnd                 // a taken branch ends the dispatch group
	SMT                      // another thread of the core was dispatched
	Dependency               // waits for results of arithmetic, or for forwarded stores
	Structural               // an execution port or a buffer is taken
	L1                       // waits for a load from L1
	L2                       // from L2
	L3                       // from L3
	RemoteCache              // from another core's cache
	LocalDRAM                // from memory of the own die
	RemoteDRAM               // from memory of another die
	TLB                      // waits for a translation
	Stores                   // the store buffer is full, or is drained
	Atomics                  // waits for an atomic
	Sync                     // waits at a barrier or for a full/empty bit
	Imbalance                // has ended, and waits for the others
	NumCauses
)

var causeNames = [NumCauses]string{
	"base", "mispredict", "front_end", "smt", "dependency", "structural", "l1", "l2", "l3",
	"remote_cache", "local_dram", "remote_dram", "tlb", "stores", "atomics", "sync", "imbalance",
}

func (c Cause) String() string { return causeNames[c] }

// blame is a cause and the instruction that is its origin: the load whose data
// a thread waits for, not the instruction that waits.
type blame uint32

func because(pc int32, c Cause) blame { return blame(pc)<<5 | blame(c) }

func (b blame) cause() Cause { return Cause(b & 31) }
func (b blame) pc() int32    { return int32(b >> 5) }

// LineStats is what is counted for one instruction of a program.
type LineStats struct {
	Issues      uint64
	Mispredicts uint64
	Accesses    uint64
	Bytes       sim.Bytes
	Misses      [3]uint64        // of its accesses, by L1, L2 and L3
	Cycles      [NumCauses]int64 // lost to it, by cause; Base in which it was the first of its dispatch group
}

// ArrayStats counts the accesses of threads to an array.
type ArrayStats struct {
	Loads, Stores, Atomics uint64
	Requested              sim.Bytes
}

// Stats is what the cores count over all launches.
type Stats struct {
	Instructions uint64
	Branches     uint64 // conditional ones
	Taken        uint64 // of them
	Mispredicts  uint64 // returns included
	Fused        uint64 // branches that cost nothing beside their compare
	Loads        uint64
	Stores       uint64
	Atomics      uint64 // full/empty operations included
	Forwarded    uint64 // loads served by the store buffer
	FillWait     int64  // cycles for which accesses waited for a line fill buffer
	TLBMisses    uint64 // of the first level
	TLBWalks     uint64
	Retries      uint64 // full/empty operations tried again
	Launches     uint64
	Cycles       [NumCauses]int64 // of all threads
	Elapsed      int64            // cycles of all launches
	ThreadCycles int64            // Elapsed x threads
	Ahead        int64            // most cycles by which an instruction took effect before its time
}

func (s *Stats) add(o *Stats) {
	s.Instructions += o.Instructions
	s.Branches += o.Branches
	s.Taken += o.Taken
	s.Mispredicts += o.Mispredicts
	s.Fused += o.Fused
	s.Loads += o.Loads
	s.Stores += o.Stores
	s.Atomics += o.Atomics
	s.Forwarded += o.Forwarded
	s.FillWait += o.FillWait
	s.TLBMisses += o.TLBMisses
	s.TLBWalks += o.TLBWalks
	s.Retries += o.Retries
	for i := range s.Cycles {
		s.Cycles[i] += o.Cycles[i]
	}
	s.Ahead = max(s.Ahead, o.Ahead)
}
