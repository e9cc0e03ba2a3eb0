package bfs

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// team is the goroutines of a native run.
type team struct {
	ctx     context.Context
	workers int
	batches []*batch // one a worker, kept between steps
}

func newTeam(ctx context.Context, threads int) *team {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	return &team{ctx: ctx, workers: threads}
}

// split runs body over [0, n) in chunks of grain, taken as workers get to
// them, and returns when all is done and everything they found is in out. It
// ends early with the context's error.
func (t *team) split(n, grain int, out *frontier, body func(lo, hi int, out *batch)) error {
	var next atomic.Int64
	work := func(b *batch) {
		b.to = out
		for t.ctx.Err() == nil {
			lo := int(next.Add(int64(grain))) - grain
			if lo >= n {
				break
			}
			body(lo, min(lo+grain, n), b)
		}
		b.flush()
	}
	workers := min(t.workers, (n+grain-1)/grain)
	for len(t.batches) < max(workers, 1) {
		t.batches = append(t.batches, new(batch))
	}
	if workers <= 1 {
		work(t.batches[0])
		return t.ctx.Err()
	}
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() { work(t.batches[w]) })
	}
	wg.Wait()
	return t.ctx.Err()
}

// frontier is a queue that many workers fill at once.
type frontier struct {
	vertices []int32
	tail     atomic.Int64
}

func (f *frontier) size() int { return int(f.tail.Load()) }

// batch collects a worker's finds, so that the tail is moved once for many.
type batch struct {
	to    *frontier
	found [512]int32
	n     int
}

func (b *batch) add(v int32) {
	if b.n == len(b.found) {
		b.flush()
	}
	b.found[b.n] = v
	b.n++
}

func (b *batch) flush() {
	at := int(b.to.tail.Add(int64(b.n))) - b.n
	copy(b.to.vertices[at:], b.found[:b.n])
	b.n = 0
}
