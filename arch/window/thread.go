package window

import (
	"math"

	"heddle/arch/isa"
)

// never is later than every cycle.
const never int64 = math.MaxInt64

// thread is a hardware thread that runs a software thread. What every
// instruction touches comes first.
type thread struct {
	core   *core
	scalar *isa.Scalar // of the running launch
	ops    []op
	issues []uint64 // by pc
	wake   int64    // cycle from which it can go on, no later than its next dispatch; never while it waits for another thread

	cycle int64 // of the latest dispatch
	left  int   // instructions that may still be dispatched in it
	front int64 // the front end has nothing before

	rob        []retirement // ring of the latest instructions, by sequence number
	seq        int64
	robSize    int64
	retired    int64 // when the latest instruction is
	room       int   // instructions that may still be retired then
	retiredWhy blame

	pending bool // an atomic or barrier is dispatched and waits for its issue
	regs    []uint64
	frame   int     // where the registers of the running function begin
	board   []state // of the registers of all open calls

	loads    []retirement // ring of the latest loads
	loadSeq  int64
	loadSize int64

	fence           int64 // memory operations are not issued before
	fenceWhy        blame
	storeAddressWhy blame
	storeAddress    int64 // when the addresses of all stores so far are known
	history         uint64

	frontLate int64 // the cycles before front that are for frontWhy
	frontWhy  blame
	resolved  blame     // what the cycles before those are for
	kept      departure // waited for when the cycle limit came in between

	sites   []int32 // pc of each open call
	returns int     // addresses in the return stack
	fused   int64   // branches executed with their compare
	// accompanied counts instructions that are not the program's.
	accompanied int64
	issue       int64 // when what is pending is issued
	blocked     bool  // its word was in the wrong state
	atWait      bool  // at the barrier
	waitPC      int32 // of the barrier
	over        bool  // has ended, at ended
	ended       int64
	number      int // among the launch's threads
	cycles      [NumCauses]int64
	lines       []LineStats // by pc
	buffer      storeBuffer
	shown       shown // to a probe
	lone        isa.Thread
}

// retirement is when an instruction is retired, and what it waited for.
type retirement struct {
	at  int64
	why blame
}

func newThread(c *core, k *CoreConfig) *thread {
	return &thread{
		core:   c,
		rob:    make([]retirement, ringFor(max(k.ROB, k.Retire))),
		loads:  make([]retirement, ringFor(k.LoadStore.LoadBuffer)),
		buffer: newStoreBuffer(k.LoadStore.StoreBuffer),
	}
}

// ringFor returns the least power of two that holds n entries.
func ringFor(n int) int {
	size := 1
	for size < n {
		size *= 2
	}
	return size
}

// start makes t run thread number of the launch from cycle at.
func (t *thread) start(l *launch, number int, at int64) {
	fill := func(ring []retirement) {
		for i := range ring {
			ring[i] = retirement{at - 1, 0}
		}
	}
	fill(t.rob)
	fill(t.loads)
	t.seq, t.loadSeq = 0, 0
	t.buffer.reset(at - 1)
	t.ops, t.issues, t.lines = l.kernel.ops, l.kernel.issues, l.kernel.lines
	t.number = number
	t.scalar = l.scalar
	if n := l.scalar.Registers(); len(t.regs) < n {
		t.regs = make([]uint64, n)
	}
	l.scalar.Start(&t.lone, number, t.regs)
	t.cycle, t.left = at-1, 0
	t.front, t.frontLate = at, 0
	t.retired, t.room, t.retiredWhy = at-1, 0, 0
	t.storeAddress, t.fence = 0, 0
	t.sites, t.returns, t.history = t.sites[:0], 0, 0
	t.pending, t.blocked, t.atWait, t.over = false, false, false, false
	t.fused, t.accompanied = 0, 0
	t.cycles = [NumCauses]int64{}
	t.cycles[Base] = -1 // dispatch accounts for the cycle before the first
	clear(t.board)
	t.frame = 0
	t.reach(len(l.Program.Funcs[0].Regs))
	t.wake = at
}

// share gives t its part of the buffers that n threads of the core split.
func (t *thread) share(k *CoreConfig, n int) {
	t.robSize = int64(k.ROB / n)
	t.loadSize = int64(k.LoadStore.LoadBuffer / n)
	t.buffer.size = int64(k.LoadStore.StoreBuffer / n)
}

// reach makes the board hold n registers.
func (t *thread) reach(n int) {
	for len(t.board) < n {
		t.board = append(t.board, state{})
	}
}

// runnable reports whether t can go on in an event of cycle at that runs
// threads up to horizon.
func (t *thread) runnable(at, horizon int64) bool {
	if t.pending {
		return t.wake <= at
	}
	return t.wake <= horizon
}

// lose charges n cycles to what they were lost to.
func (t *thread) lose(n int64, why blame) {
	t.cycles[why.cause()] += n
	t.lines[why.pc()].Cycles[why.cause()] += n
	if t.core.probe != nil {
		t.show(n, why.cause(), why.pc())
	}
}

// executed returns the instructions of the program executed in the running
// launch.
func (t *thread) executed() uint64 { return uint64(t.seq + t.fused - t.accompanied) }

// dispatch finds the cycle in which the instruction at pc is dispatched. If
// that is after limit it only notes when t can go on, and reports false.
func (t *thread) dispatch(o *op, pc int32, limit int64) bool {
	if o.fused { // with its compare
		return true
	}
	at := t.cycle
	if t.left == 0 {
		at++
	}
	at = max(at, t.front, t.wake)
	rob := &t.rob[(t.seq-t.robSize)&int64(len(t.rob)-1)]
	stations := t.stationsOf(o)
	if at > stations.from {
		stations.forget(at)
	}
	if rob.at >= at || stations.held >= stations.size || o.kind == store || (o.kind == load || o.kind == locked) && t.loadsFree() > at {
		at = t.free(o, at)
	}
	if at > t.cycle {
		c := t.core
		if c.taken {
			if c.leaves <= at { // then the buffers are larger
				t.restart(c.leaves, because(pc, SMT))
				c.release(c.leaves)
				return t.dispatch(o, pc, limit)
			}
			at = c.front.next(at)
		}
		if at > limit {
			t.wake = at
			if d := t.stationsOf(o).next(); d.at > t.kept.at {
				t.kept = d // forgotten by the time it is explained
			}
			return false
		}
		t.advance(o, pc, at)
	}
	t.left--
	return true
}

// free returns the first cycle from at on in which all buffers have room for
// the instruction.
func (t *thread) free(o *op, at int64) int64 {
	rob := t.rob[(t.seq-t.robSize)&int64(len(t.rob)-1)]
	at = max(at, rob.at+1, t.stationsOf(o).next().at+1)
	switch o.kind {
	case load, locked:
		at = max(at, t.loadsFree())
	case store:
		at = max(at, t.storeFree())
	}
	return at
}

// loadsFree returns when the load buffer has an entry for another load.
func (t *thread) loadsFree() int64 {
	return t.loads[(t.loadSeq-t.loadSize)&int64(len(t.loads)-1)].at + 1
}

// restart keeps the front end from dispatch before cycle at.
func (t *thread) restart(at int64, why blame) {
	if at > t.front {
		t.front, t.frontLate, t.resolved = at, 0, why
	}
}

// advance begins the dispatch group of cycle at, which pc opens, and accounts
// for the cycles since the last group.
func (t *thread) advance(o *op, pc int32, at int64) {
	c := t.core
	t.cycles[Base]++
	if c.probe != nil {
		t.showBase()
		t.shown.pc = pc
	}
	from := t.cycle + 1
	if from < at {
		t.explain(o, pc, from, at)
	}
	t.cycle, t.left = at, c.width
	t.scalar.Clock = uint64(at)
	if c.taken {
		c.front.take(at)
	}
}

// explain charges the cycles from from to at, in which the instruction at pc
// could not be dispatched, to what it waited for.
func (t *thread) explain(o *op, pc int32, from, at int64) {
	if t.front > from {
		if late := t.front - t.frontLate; late > from {
			t.lose(late-from, t.resolved)
			from = late
		}
		t.lose(t.front-from, t.frontWhy)
		from = t.front
	}
	if rob := t.rob[(t.seq-t.robSize)&int64(len(t.rob)-1)]; rob.at >= from {
		t.lose(rob.at+1-from, rob.why)
		from = rob.at + 1
	}
	station := t.stationsOf(o).next()
	if t.kept.at > station.at {
		station = t.kept
	}
	if station.at >= from {
		t.lose(station.at+1-from, station.why)
		from = station.at + 1
	}
	switch o.kind {
	case load, locked:
		if l := t.loads[(t.loadSeq-t.loadSize)&int64(len(t.loads)-1)]; l.at >= from {
			t.lose(l.at+1-from, l.why)
			from = l.at + 1
		}
	case store:
		if free := t.storeFree(); free > from {
			t.lose(free-from, because(pc, Stores))
			from = free
		}
	}
	if at > from {
		t.lose(at-from, because(pc, SMT))
	}
}

// retire gives a dispatched instruction that is complete at done its place in
// the reorder buffer, and returns when it is retired.
func (t *thread) retire(done int64, why blame) int64 {
	switch {
	case done > t.retired:
		t.retired, t.retiredWhy = done, why
		t.room = t.core.retire
	case t.room == 0:
		t.retired++
		t.room = t.core.retire
	}
	t.room--
	t.rob[t.seq&int64(len(t.rob)-1)] = retirement{t.retired, t.retiredWhy}
	t.seq++
	return t.retired
}
