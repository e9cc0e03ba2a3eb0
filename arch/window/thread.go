package window

import (
	"math"

	"heddle/arch/isa"
)

// never is later than every cycle.
const never int64 = math.MaxInt64

// thread is a hardware thread that runs a software thread.
type thread struct {
	core *core
	ops  []op
	line []LineStats
	wake int64 // cycle from which it can go on; never while it waits for another thread

	cycle int64 // of the latest dispatch
	left  int   // instructions that may still be dispatched in it

	front     int64 // the front end has nothing before
	frontLate int64 // the cycles before front that are for frontWhy
	frontWhy  blame
	resolved  blame // what the cycles before those are for

	rob        []retirement // ring of the latest instructions, by sequence number
	seq        int64
	robSize    int64
	retired    int64 // when the latest instruction is
	retiredWhy blame

	loads    []retirement // ring of the latest loads
	loadSeq  int64
	loadSize int64

	buffer          storeBuffer
	storeAddress    int64 // when the addresses of all stores so far are known
	storeAddressWhy blame

	fence    int64 // memory operations are not issued before
	fenceWhy blame

	board   []state // of the registers of all open calls
	frame   int     // where those of the running function begin
	sites   []int32 // pc of each open call
	returns int     // addresses in the return stack
	history uint64

	pending  bool // an atomic or barrier is dispatched and waits for its issue
	issue    int64
	blocked  bool  // its word was in the wrong state
	atWait   bool  // at the barrier
	waitPC   int32 // of the barrier
	over     bool  // has ended, at ended
	ended    int64
	number   int // among the launch's threads
	executed uint64
	cycles   [NumCauses]int64
	warp     isa.Warp
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
	t.ops, t.line = l.kernel.ops, l.kernel.lines
	t.number = number
	t.warp.Start(l.Launch, number, 1, l.block)
	t.cycle, t.left = at-1, 0
	t.front, t.frontLate = at, 0
	t.retired, t.retiredWhy = at-1, 0
	t.storeAddress, t.fence = 0, 0
	t.sites, t.returns, t.history = t.sites[:0], 0, 0
	t.pending, t.blocked, t.atWait, t.over = false, false, false, false
	t.executed = 0
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
	t.line[why.pc()].Cycles[why.cause()] += n
}

// dispatch finds the cycle in which the instruction at pc is dispatched. If
// that is after limit it only notes when t can go on, and reports false.
func (t *thread) dispatch(o *op, pc int32, limit int64) bool {
	c := t.core
	at := t.cycle
	if o.fused { // with its compare
		return true
	}
	if t.left == 0 {
		at++
	}
	station := t.stationOf(o).next(max(at, t.front))
	rob := t.rob[(t.seq-t.robSize)&int64(len(t.rob)-1)]
	at = max(at, t.front, rob.at+1, station.at+1)
	switch o.kind {
	case load, locked:
		at = max(at, t.loads[(t.loadSeq-t.loadSize)&int64(len(t.loads)-1)].at+1)
	case store:
		at = max(at, t.storeFree())
	}
	if at > t.cycle {
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
			return false
		}
		t.advance(o, pc, at, rob, station)
	}
	t.left--
	return true
}

// restart keeps the front end from dispatch before cycle at.
func (t *thread) restart(at int64, why blame) {
	if at > t.front {
		t.front, t.frontLate, t.resolved = at, 0, why
	}
}

// advance begins the dispatch group of cycle at, which pc opens, and accounts
// for the cycles since the last group.
func (t *thread) advance(o *op, pc int32, at int64, rob retirement, station departure) {
	c := t.core
	t.cycles[Base]++
	from := t.cycle + 1
	t.cycle, t.left = at, c.machine.config.Core.Dispatch
	t.warp.Clock = uint64(at)
	if c.taken {
		c.front.take(at)
	}
	if from == at {
		return
	}
	wait := func(until int64, why blame) {
		if until = min(until, at); until > from {
			t.lose(until-from, why)
			from = until
		}
	}
	wait(t.front-t.frontLate, t.resolved)
	wait(t.front, t.frontWhy)
	wait(rob.at+1, rob.why)
	wait(station.at+1, station.why)
	switch o.kind {
	case load, locked:
		l := t.loads[(t.loadSeq-t.loadSize)&int64(len(t.loads)-1)]
		wait(l.at+1, l.why)
	case store:
		wait(t.storeFree(), because(pc, Stores))
	}
	wait(at, because(pc, SMT))
}

// retire gives a dispatched instruction that is complete at done its place in
// the reorder buffer.
func (t *thread) retire(done int64, why blame) int64 {
	mask := int64(len(t.rob) - 1)
	at := max(t.retired, t.rob[(t.seq-int64(t.core.machine.config.Core.Retire))&mask].at+1)
	if done > at {
		at = done
	}
	if done > t.retired {
		t.retiredWhy = why
	}
	t.retired = at
	t.rob[t.seq&mask] = retirement{at, t.retiredWhy}
	t.seq++
	return at
}
