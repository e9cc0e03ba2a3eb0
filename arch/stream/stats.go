package stream

import "heddle/sim"

// Stall is why a stream did not issue. The time of a stream is issued or one
// of these.
type Stall uint8

// Stall reasons.
const (
	Pipeline         Stall = iota // its last instruction is in the pipeline
	NotSelected                   // ready, another stream issued
	MemoryDependency              // waits for a memory operation whose result it needs
	LookaheadFull                 // the memory operation of an instruction too far back is not done
	MemoryThrottle                // the memory unit takes no more operations
	FullEmptyWait                 // its synchronised operation waits for the word's bit
	Synchronization               // waits at a barrier
	NumStalls
)

var stallNames = [NumStalls]string{
	"pipeline", "not_selected", "memory_dependency", "lookahead", "memory_throttle", "full_empty", "sync",
}

func (s Stall) String() string { return stallNames[s] }

// LineStats is what is counted for one instruction of a program. The words,
// and the time, of several instructions are their first one's. Stalls are charged to the instruction
// that caused them: the load whose data a stream waited for, not the
// instruction that waited.
type LineStats struct {
	Issues uint64 // times issued
	Words  uint64 // of the machine's instructions, those that begin here
	Memory uint64 // memory operations sent, tries included
	Missed uint64 // of them, those that missed in a data buffer
	Stalls [NumStalls]sim.Cycles
}

// ArrayStats counts the operations on an array.
type ArrayStats struct {
	Loads, Stores, Atomics uint64 // synchronised operations are atomics
	Sent                   uint64 // words sent, tries included
	Requested              sim.Bytes
}

// Stats is what the machine counts over all launches. Cycles are added up over
// streams or processors.
type Stats struct {
	Operations   uint64 // instructions of programs
	Words        uint64 // instructions of the machine: issue cycles
	Accesses     [numAccesses]uint64
	Tries        uint64 // of synchronised operations that failed
	Traps        uint64 // threads parked on a word
	Threads      uint64 // started
	Launches     uint64
	Resident     sim.Cycles // of streams
	Stalls       [NumStalls]sim.Cycles
	Active       sim.Cycles    // of processors, from the first stream to the last
	Elapsed      sim.Time      // sum over launches
	Latency      sim.Histogram // of memory operations, from issue to reply, in cycles
	WordConflict uint64        // operations that waited for others on their word
	WordWait     sim.Time      // for which they did
}
