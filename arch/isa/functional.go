package isa

import (
	"fmt"
	"math/bits"

	"heddle/sim"
)

// Work is what a run executed.
type Work struct {
	Instructions     uint64 // by warps
	LaneInstructions uint64 // by threads
}

// turnLength is how many instructions a warp may execute while others wait for
// it, so that a thread that spins on memory lets the one run that it waits for.
const turnLength = 1 << 14

// RunFunctional runs every thread of l without regard to time, and returns
// what was executed. Warps run in order and to their end where nothing makes
// them wait; one that waits at a barrier or for a full/empty word, or has run
// for long, lets others go on. The same launch always runs in the same order.
// The clock instruction gives the instructions executed when the warp last
// began its turn.
//
// The run ends with a *Trap after an illegal access, with a *Stuck when no
// thread can go on, and with another error when it would execute more than
// limit warp instructions, if limit is not 0.
func RunFunctional(l *Launch, limit uint64) (Work, error) {
	return RunFunctionalUntil(l, limit, nil)
}

// watchInterval is how many instructions pass between two calls of a watch.
const watchInterval = 1 << 16

// RunFunctionalUntil is RunFunctional that calls watch, if it is not nil, about
// every 65536 instructions with what has been executed so far. When watch
// returns an error the run ends with it.
func RunFunctionalUntil(l *Launch, limit uint64, watch func(Work) error) (Work, error) {
	return RunProfiled(l, limit, watch, nil)
}

// RunProfiled is RunFunctionalUntil that adds to a profile of l's program,
// unless it is nil.
func RunProfiled(l *Launch, limit uint64, watch func(Work) error, p *Profile) (Work, error) {
	n := len(l.Program.Code)
	r := functional{Launch: l, limit: limit, watch: watch, waiters: map[uint64][]*task{}}
	r.meter = Meter{Cost: make([]sim.Time, n), profile: p}
	for pc := range r.meter.Cost {
		r.meter.Cost[pc] = 1
	}
	if p != nil {
		r.meter.Insts = p.Insts
	} else {
		r.meter.Insts = make([]InstStats, n)
	}
	r.before = r.lanes()
	err := r.run()
	return r.work(), err
}

// A task runs a warp, then another.
type task struct {
	Warp
	block *blockRun
	state taskState
	at    int32 // instruction that it waits at
}

type taskState uint8

const (
	idle taskState = iota
	ready
	atBarrier
	parked // until a full/empty word changes
)

// A blockRun is a thread block that has begun.
type blockRun struct {
	memory  *BlockMemory
	live    int // warps that have not ended
	waiting []*task
}

// functional is a functional run.
type functional struct {
	*Launch
	meter  Meter  // of instructions
	before uint64 // lanes' instructions that the profile had counted
	limit  uint64

	watch   func(Work) error
	watched uint64 // instructions when it was last called

	thread int       // first thread of the next warp
	block  *blockRun // of the warp begun last

	tasks   []*task // all, in the order in which they were first needed
	idle    []*task
	spare   []*blockRun
	ready   []*task // queue, from next on
	next    int
	waiters map[uint64][]*task // parked, by the words that they wait for

	moves   uint64 // instructions executed, and lanes of those that are not complete
	retried uint64 // moves when all that are parked were last retried
}

func (r *functional) run() error {
	for {
		if r.next == len(r.ready) {
			r.ready, r.next = r.ready[:0], 0
			if !r.begin() && !r.retry() {
				return r.ending()
			}
			continue
		}
		t := r.ready[r.next]
		r.next++
		if err := r.turn(t); err != nil {
			return err
		}
		if r.watch != nil && r.instructions()-r.watched >= watchInterval {
			r.watched = r.instructions()
			if err := r.watch(r.work()); err != nil {
				return err
			}
		}
	}
}

func (r *functional) instructions() uint64 { return uint64(r.meter.Spent) }

// lanes returns the lanes' instructions that have been counted.
func (r *functional) lanes() (n uint64) {
	for pc := range r.meter.Insts {
		n += r.meter.Insts[pc].Lanes
	}
	return n
}

func (r *functional) work() Work { return Work{r.instructions(), r.lanes() - r.before} }

// begin makes the next warp ready; it reports whether there was one.
func (r *functional) begin() bool {
	if r.thread >= r.Threads {
		return false
	}
	first, width := r.thread, r.Width
	end := min((first/r.Block+1)*r.Block, r.Threads) // of the block
	if first%r.Block == 0 {
		r.block = r.newBlock()
		r.block.live = (end - first + width - 1) / width
	}
	count := min(width, end-first)
	r.thread += count
	var t *task
	if n := len(r.idle); n > 0 {
		t, r.idle = r.idle[n-1], r.idle[:n-1]
	} else {
		t = &task{}
		r.tasks = append(r.tasks, t)
	}
	t.block = r.block
	t.Start(r.Launch, first, count, r.block.memory)
	if t.Begin() == Done {
		r.end(t)
		return true
	}
	r.wake(t)
	return true
}

func (r *functional) newBlock() *blockRun {
	n := len(r.spare)
	if n == 0 {
		return &blockRun{memory: NewBlockMemory(r.Program)}
	}
	b := r.spare[n-1]
	r.spare = r.spare[:n-1]
	b.memory.Reset()
	return b
}

func (r *functional) wake(t *task) {
	t.state = ready
	r.ready = append(r.ready, t)
}

// retry makes all parked warps ready, unless nothing has happened since it
// last did.
func (r *functional) retry() bool {
	if r.retried == r.moves {
		return false
	}
	r.retried = r.moves
	some := false
	for _, t := range r.tasks {
		if t.state == parked {
			r.wake(t)
			some = true
		}
	}
	return some
}

// turn lets a ready warp run.
func (r *functional) turn(t *task) error {
	w, m := &t.Warp, &r.meter
	before := m.Spent
	w.Clock = uint64(before)
	m.Until = before + turnLength
	if r.limit != 0 {
		m.Until = sim.Time(min(uint64(m.Until), r.limit))
	}
	outcome := Next
	for outcome == Next && m.Spent < m.Until {
		outcome = w.Run(m)
		t.at = m.Last
		if len(r.waiters) > 0 {
			r.wakeWaiters(t)
		}
	}
	r.moves += uint64(m.Spent - before)
	switch outcome {
	case Next:
		if r.instructions() == r.limit {
			return fmt.Errorf("the run does not end within %d instructions: %s", r.limit, w.stop(lowest(w.Active), w.PC))
		}
		r.wake(t)
		r.begin()
	case Wait:
		t.state = atBarrier
		t.block.waiting = append(t.block.waiting, t)
		r.release(t.block)
	case Blocked:
		r.park(t)
	case Done:
		r.end(t)
	case Faulted:
		return w.Trap()
	}
	return nil
}

// release lets the block's warps pass the barrier when all have arrived.
func (r *functional) release(b *blockRun) {
	if len(b.waiting) < b.live {
		return
	}
	for _, t := range b.waiting {
		r.wake(t)
	}
	b.waiting = b.waiting[:0]
}

func (r *functional) end(t *task) {
	t.state = idle
	r.idle = append(r.idle, t)
	if t.block.live--; t.block.live == 0 {
		r.spare = append(r.spare, t.block)
		return
	}
	r.release(t.block)
}

func (r *functional) park(t *task) {
	t.state = parked
	r.moves += uint64(bits.OnesCount64(t.Accessed))
	for m := t.Pending; m != 0; m &= m - 1 {
		addr := t.Addr[lowest(m)]
		r.waiters[addr] = append(r.waiters[addr], t)
	}
}

// wakeWaiters makes the warps ready that wait for a word that t's instruction
// has written or emptied.
func (r *functional) wakeWaiters(t *task) {
	in := &r.Program.Code[t.at]
	if in.Op != OpPurge && in.Row().Memory != FullEmpty {
		return
	}
	for m := t.Accessed; m != 0; m &= m - 1 {
		addr := t.Addr[lowest(m)]
		for _, o := range r.waiters[addr] {
			if o.state == parked {
				r.wake(o)
			}
		}
		delete(r.waiters, addr)
	}
}

// ending returns the error of a run in which nothing can go on, nil if every
// thread has ended.
func (r *functional) ending() error {
	s := &Stuck{}
	for _, t := range r.tasks {
		if t.state != idle {
			s.add(&t.Warp, t.at)
		}
	}
	if s.Total == 0 {
		return nil
	}
	return s
}
