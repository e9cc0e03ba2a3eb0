package graph

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// grain is the number of vertices that a worker takes at a time: small enough
// that a hub does not leave the others idle, large enough to make the shared
// counter cheap.
const grain = 2048

// inBlocks calls f for the blocks [lo, hi) of at most size that cover [0, n),
// on all processors, in no particular order.
func inBlocks(n, size int, f func(lo, hi int)) {
	blocks := (n + size - 1) / size
	workers := min(runtime.GOMAXPROCS(0), blocks)
	if workers <= 1 {
		for lo := 0; lo < n; lo += size {
			f(lo, min(lo+size, n))
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for {
				lo := int(next.Add(1)-1) * size
				if lo >= n {
					return
				}
				f(lo, min(lo+size, n))
			}
		})
	}
	wg.Wait()
}

// tally tells a progress function of work that several goroutines do: one call
// at a time, and never of less than before.
type tally struct {
	mu          sync.Mutex
	done, total int64
	progress    func(done, total int64) // may be nil
}

func (t *tally) add(n int64) {
	if t.progress == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done += n
	t.progress(t.done, t.total)
}
