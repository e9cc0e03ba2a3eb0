package sim

// Probe watches the cores of a machine, for traces. A machine that has none
// does nothing for it but look whether there is one.
//
// The times of one context come in their order. Those of requests need not,
// and lie up to the machine's lookahead ahead of the engine's time.
type Probe interface {
	// Started tells that a context took up a thread, the first of its warp.
	Started(c Context, thread int, at Time)
	// Spent tells what a context did from one time to another: state 0 is that
	// it issued so many instructions; the others are the machine's reasons not
	// to. The instruction at pc is the one issued, or the one to blame.
	Spent(c Context, state int, pc int32, from, to Time, issued int)
	// Arrived tells that a context's threads came to a barrier.
	Arrived(c Context, at Time)
	// Ended tells that a context's threads have ended.
	Ended(c Context, at Time)
	// Request tells of a request to the memory system. It is valid during the
	// call, as is an access.
	Request(r *Request)
	// Access tells of a memory instruction, when it is known how long it took.
	Access(a *Access)
}

// Context is where threads run: a warp's place on an SM, a hardware stream, a
// hardware thread.
type Context struct {
	Core, Slot int32
}

// AccessKind is what a memory instruction does.
type AccessKind uint8

// Kinds of memory instruction.
const (
	LoadAccess AccessKind = iota
	StoreAccess
	AtomicAccess
	AccessKinds // number of kinds
)

func (k AccessKind) String() string { return [...]string{"load", "store", "atomic"}[k] }

// Request is a request to a memory system: a transaction of a warp, a word, an
// access to a cache.
type Request struct {
	Context
	PC       int32 // that it is for; -1 if that is not known any more
	Kind     AccessKind
	Array    int16  // ID, -1 for none
	Size     int32  // bytes
	Addr     uint64 // simulated
	From, To Time
	Level    string // of the memory system that had the data
}

// Access is what the threads of a memory instruction asked for. Thread
// Thread+i has address Addr[i], if bit i of Lanes is set.
type Access struct {
	Context
	Kind     AccessKind
	Array    int16 // ID of the array of the first thread's address, -1 for none
	Size     int32 // bytes, of each thread
	Thread   int
	Lanes    uint64
	Addr     []uint64
	From, To Time // sent, and done
}

// Observer watches a whole machine: its cores, and the host's program.
type Observer interface {
	Probe
	// Began tells when the timed part of the run begins.
	Began(at Time)
	// Launched tells of a launch before it runs, Returned when it has ended.
	Launched(l *Launched)
	Returned(at Time)
	// Copied tells of a copy between host and machine.
	Copied(what string, bytes Bytes, from, to Time)
	// Noted tells a figure of the program, such as the size of a queue.
	Noted(name string, value int64, at Time)
}

// Layout is what an observer can know of a machine before it runs.
type Layout struct {
	Machine  string
	Core     string // what a core is called, such as SM
	Context  string // and a context, such as warp
	Cores    int
	Contexts int      // a core
	Width    int      // threads that a context runs at once
	States   []string // what contexts do; the first is to issue
	Issue    string   // what is issued, such as warp instructions
	Clock    Clock    // of the cores
}

// Launched is a program about to run.
type Launched struct {
	Program string
	Threads int
	Block   int // threads that wait for each other at a barrier
	At      Time
	Lines   []string // where each instruction comes from
	Regions []Region
	Arrays  []MemoryArray // in the machine's memory, by ID
}

// Region is a named part of a program.
type Region struct {
	Name     string
	From, To int32 // its instructions, To not included
}

// MemoryArray is an array in a machine's memory.
type MemoryArray struct {
	Name    string
	Type    string // of its elements
	Element int    // bytes
	Base    uint64 // simulated address
	Length  int    // elements
}
