package simt

import "heddle/sim"

// Stall is why a resident warp did not issue, under the profiler's names.
type Stall uint8

// Stall reasons. The time of a resident warp is issued or one of these.
const (
	ExecutionDependency Stall = iota // waits for a result of an arithmetic unit
	MemoryDependency                 // waits for loaded data
	MemoryThrottle                   // the load/store unit takes no more
	PipeBusy                         // its functional unit is busy
	NotSelected                      // ready, another warp was issued
	InstructionFetch                 // waits for a branch to be resolved
	Synchronization                  // waits at a barrier
	FullEmptyWait                    // waits for a full/empty bit
	NumStalls
)

var stallNames = [NumStalls]string{
	"exec_dependency", "memory_dependency", "memory_throttle", "pipe_busy",
	"not_selected", "inst_fetch", "sync", "full_empty",
}

func (s Stall) String() string { return stallNames[s] }

// LineStats is what is counted for one instruction of a program. Stalls are
// charged to the instruction that caused them: the load whose data a warp
// waited for, not the instruction that waited.
type LineStats struct {
	Issues       uint64 // warp instructions
	Lanes        uint64 // thread instructions
	Divergent    uint64 // branches that lanes left both ways
	Transactions uint64
	Requested    sim.Bytes // by lanes
	Moved        sim.Bytes // by transactions
	L1Misses     uint64    // of its reads, merged ones included
	L2Misses     uint64    // of all that it sent there, merged ones included
	Stalls       [NumStalls]sim.Time
}

// ArrayStats counts the accesses of threads to an array.
type ArrayStats struct {
	Loads, Stores, Atomics uint64 // by threads
	Requests               uint64 // by warps
	Transactions           uint64
	Requested              sim.Bytes
	Moved                  sim.Bytes
}

// access is a class of memory instruction.
type access struct {
	Requests     uint64 // warp instructions
	Threads      uint64
	Transactions uint64
	Requested    sim.Bytes
	Moved        sim.Bytes
}

// Stats is what the SMs count over all launches.
type Stats struct {
	Instructions       uint64 // warp instructions issued
	ThreadInstructions uint64
	Branches           uint64
	DivergentBranches  uint64
	Loads              access // global
	Stores             access
	Atomics            access
	SharedRequests     uint64
	SharedPasses       uint64
	Warps              uint64 // started
	Blocks             uint64
	Launches           uint64
	Issued             sim.Time // issue slots used, in warp time
	Stalls             [NumStalls]sim.Time
	Resident           sim.Time // sum over warps of their time on an SM
	Active             sim.Time // sum over SMs of the time with a warp resident
	Elapsed            sim.Time // sum over launches
	Retries            uint64   // full/empty operations tried again
}
