// Package team spreads the work of native kernels over goroutines.
package team

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Team is the workers of a native run. Its methods are for one goroutine.
type Team struct {
	ctx     context.Context
	workers int
	batches []*Batch // one a worker, kept between steps
}

// New returns a team of threads workers, or of one a processor if threads is 0
// or less. What it does ends early when ctx does.
func New(ctx context.Context, threads int) *Team {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	return &Team{ctx: ctx, workers: threads}
}

// Each runs body over [0, n) in chunks of grain, taken as workers get to them,
// and returns when all is done. It ends early, between two chunks, with the
// context's error.
func (t *Team) Each(n, grain int, body func(lo, hi int)) error {
	return t.split(n, grain, func(_ int, c *chunks) {
		for lo, hi := c.take(); lo < hi; lo, hi = c.take() {
			body(lo, hi)
		}
	})
}

// Find is Each for a body that finds vertices: when Find returns, what was
// added to a batch is in out.
func (t *Team) Find(n, grain int, out *Queue, body func(lo, hi int, found *Batch)) error {
	for len(t.batches) < t.workers {
		t.batches = append(t.batches, new(Batch))
	}
	return t.split(n, grain, func(worker int, c *chunks) {
		b := t.batches[worker]
		b.to = out
		for lo, hi := c.take(); lo < hi; lo, hi = c.take() {
			body(lo, hi, b)
		}
		b.flush()
	})
}

func (t *Team) split(n, grain int, work func(worker int, c *chunks)) error {
	c := &chunks{ctx: t.ctx, n: n, grain: grain}
	workers := min(t.workers, (n+grain-1)/grain)
	if workers <= 1 {
		work(0, c)
		return t.ctx.Err()
	}
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() { work(w, c) })
	}
	wg.Wait()
	return t.ctx.Err()
}

// chunks hands out [0, n) piece by piece.
type chunks struct {
	ctx      context.Context
	n, grain int
	next     atomic.Int64
}

// take returns the next chunk, an empty one at the end.
func (c *chunks) take() (lo, hi int) {
	if c.ctx.Err() != nil {
		return 0, 0
	}
	lo = min(int(c.next.Add(int64(c.grain)))-c.grain, c.n)
	return lo, min(lo+c.grain, c.n)
}
