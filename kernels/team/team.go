// Package team spreads the work of native kernels over goroutines.
package team

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
)

// Team is the workers of a native run: the goroutine that made it, and others
// that live until Close and wait between steps. Its methods are for the
// goroutine that made it.
type Team struct {
	ctx        context.Context
	workers    int
	processors []int // of the workers, if they are pinned
	release    func()
	looks      int // before a worker sleeps

	begun, ended gate             // of steps begun, and of workers that ended one
	steps        int64            // that all workers took part in
	work         func(worker int) // the step; nil ends the workers
	chunks       chunks           // of the step
}

// New returns a team of threads workers, or of one a processor if threads is 0
// or less. What it does ends early when ctx does. Close ends its goroutines.
func New(ctx context.Context, threads int) *Team {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	t := newTeam(ctx, threads)
	for w := 1; w < threads; w++ {
		go t.serve(w)
	}
	return t
}

// Pinned is New with each worker on an operating system's thread that stays on
// one processor, or an error where the system does not allow that. Workers
// take a processor of each core before the second of any; more workers than
// processors share them. The maker's goroutine keeps its thread until Close.
func Pinned(ctx context.Context, threads int) (*Team, error) {
	list, err := processors()
	if err != nil {
		return nil, err
	}
	if threads <= 0 {
		threads = min(runtime.GOMAXPROCS(0), len(list))
	}
	t := newTeam(ctx, threads)
	for w := range threads {
		t.processors = append(t.processors, list[w%len(list)])
	}
	if t.release, err = pin(t.processors[0]); err != nil {
		return nil, err
	}
	pinned := make(chan error)
	for w := 1; w < threads; w++ {
		go func() {
			// The goroutine never lets go of its thread, which ends with it.
			_, err := pin(t.processors[w])
			pinned <- err
			t.serve(w)
		}()
	}
	for range threads - 1 {
		err = errors.Join(err, <-pinned)
	}
	if err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

func newTeam(ctx context.Context, threads int) *Team {
	t := &Team{ctx: ctx, workers: threads, release: func() {}}
	if threads <= runtime.GOMAXPROCS(0) {
		t.looks = patience // or else who looks keeps another from working
	}
	t.begun.init()
	t.ended.init()
	return t
}

// serve does a worker's part of each step.
func (t *Team) serve(worker int) {
	for step := int64(1); ; step++ {
		t.begun.await(step, t.looks)
		if t.work == nil {
			return
		}
		t.work(worker)
		t.ended.add(1)
	}
}

// Close ends the team's goroutines.
func (t *Team) Close() {
	t.work = nil
	t.begun.add(1)
	t.release()
}

// Threads returns the number of workers.
func (t *Team) Threads() int { return t.workers }

// Processors returns the processor of each worker, or nil if they are not
// pinned.
func (t *Team) Processors() []int { return t.processors }

// Err returns why the team stops early, if it does: its context's error.
func (t *Team) Err() error { return t.ctx.Err() }

// Chunk is how many iterations the workers of a kernel's parallel loop take at a
// time.
const Chunk = 256

// Each runs body over [0, n) in chunks of grain, taken as workers get to them,
// and returns when all is done. The maker does alone what is but one chunk. It
// ends early, between two chunks, with the context's error.
func (t *Team) Each(n, grain int, body func(lo, hi int)) error {
	t.chunks.reset(t.ctx, n, grain)
	work := func(int) {
		for lo, hi := t.chunks.take(); lo < hi; lo, hi = t.chunks.take() {
			body(lo, hi)
		}
	}
	if n <= grain {
		work(0)
	} else {
		t.All(work)
	}
	return t.ctx.Err()
}

// All runs work once on each worker, numbered from 0, the maker, and returns
// when all have ended.
func (t *Team) All(work func(worker int)) {
	if t.workers > 1 {
		t.work = work
		t.steps++
		t.begun.add(1)
	}
	work(0)
	t.ended.await(t.steps*int64(t.workers-1), t.looks)
}

// chunks hands out [0, n) piece by piece.
type chunks struct {
	ctx      context.Context
	n, grain int
	next     atomic.Int64
}

func (c *chunks) reset(ctx context.Context, n, grain int) {
	c.ctx, c.n, c.grain = ctx, n, grain
	c.next.Store(0)
}

// take returns the next chunk, an empty one at the end.
func (c *chunks) take() (lo, hi int) {
	if c.ctx.Err() != nil {
		return 0, 0
	}
	lo = min(int(c.next.Add(int64(c.grain)))-c.grain, c.n)
	return lo, min(lo+c.grain, c.n)
}
