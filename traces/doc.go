// Package traces writes down what machines do: timelines for viewers, and the
// memory accesses of a run, to be replayed on the memory of another machine.
// A Tracer and a Recorder are told of a run as sim.Observers.
//
// # Timelines
//
// The ending of a file's name chooses what reads it: .pftrace is Perfetto's
// protocol buffers and .json Chrome's events, both for the Perfetto viewer and
// both gzipped if .gz follows; .sqlite3 and .db are the database of akita's
// Daisen. Slices of contexts are named after the state that they show, and so
// coloured by it. In Perfetto's files a nanosecond stands for a picosecond.
//
// # Memory traces
//
// A memory trace has two lines of text and then one zstd stream.
//
//	heddle memory trace 1
//	{"kernel":"matching/ld","machine":"xeon-e5540","graph":"rmat-g:10","seed":1,"width":1,"contexts":16,"period":395257}
//
// width is the threads of a warp, contexts how many warps (or streams, or
// hardware threads) the machine runs at once, and period the femtoseconds of
// its cores' clock. The stream holds records, each a byte that tells what it is
// and then numbers: u is an unsigned and s a signed varint, as encoding/binary
// has them, and text a u for its length and the bytes.
//
//	0x00         end      u launches, u accesses of threads, u accesses left out
//	0x01         array    text name, text type, u bytes of an element, u address, u elements
//	0x02         launch   text program, u threads, u threads of a block, time
//	0x03         return   time
//	0x04         start    thread, time
//	0x05         barrier  thread, time
//	0x40 and up  access   thread, time, span, u array, u lanes if bit 5 is set, and s for each lane
//
// Arrays are numbered in their order, from 0, and a launch follows those that
// it uses. A launch reaches to its return; starts, barriers and accesses lie
// between the two. A start says that a warp begins to run, a barrier that it
// waits for the others of its block.
//
// Of the byte of an access, bits 0 and 1 are its kind (0 a load, 1 a store, 2
// an atomic) and bits 2 to 4 the logarithm of its bytes. The span is how long
// it took; nobody waits for a store on a machine that says 0. Bit i of lanes is
// set if thread + i takes part; without lanes there is one. Each lane has its
// place in the array, counted in units of the access's bytes, as the difference
// from the place before it in the same array, 0 at first.
//
// thread is an s, the difference from the thread of the record before, which
// is 0 at a launch. span is an s: v/2 periods of the clock if v is even, (v-1)/2
// femtoseconds if it is odd. time is a span from the time of the record before;
// times count from the start of the timed part of the run.
//
// Accesses are in the order in which the machine made them. Those to memory
// that is in no array, such as threads' own, are left out.
package traces
