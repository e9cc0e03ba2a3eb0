package team

import (
	"sync"
	"sync/atomic"
)

// patience is how often a goroutine looks whether it may go on before it
// sleeps: some tens of microseconds, longer than most steps keep a worker
// waiting, and than waking one takes.
const patience = 20_000

// gate is a counter that goroutines wait for.
type gate struct {
	value  atomic.Int64
	asleep atomic.Int64

	mu      sync.Mutex
	changed sync.Cond
}

func (g *gate) init() { g.changed.L = &g.mu }

// add moves the counter and wakes those who sleep.
func (g *gate) add(n int64) {
	g.value.Add(n)
	// Whoever counts itself asleep after this load sees the new value.
	if g.asleep.Load() > 0 {
		g.mu.Lock()
		g.changed.Broadcast()
		g.mu.Unlock()
	}
}

// await returns when the counter has come to least. It looks at it the given
// number of times before it sleeps.
func (g *gate) await(least int64, looks int) {
	for range looks {
		if g.value.Load() >= least {
			return
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.asleep.Add(1)
	for g.value.Load() < least {
		g.changed.Wait()
	}
	g.asleep.Add(-1)
}
