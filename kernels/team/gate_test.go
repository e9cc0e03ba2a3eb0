package team

import (
	"runtime"
	"sync"
	"testing"
)

// Nobody passes before the counter is there, and all do then, whether they
// look or sleep.
func TestGate(t *testing.T) {
	for _, looks := range []int{0, 1, patience} {
		var g gate
		g.init()
		const waiters, steps = 4, 200
		var wg sync.WaitGroup
		for range waiters {
			wg.Go(func() {
				for step := int64(1); step <= steps; step++ {
					g.await(step, looks)
					if got := g.value.Load(); got < step {
						t.Errorf("passed at %d, waited for %d", got, step)
					}
				}
			})
		}
		for step := range steps {
			if step%50 == 0 {
				for looks == 0 && g.asleep.Load() < waiters {
					runtime.Gosched() // until all sleep
				}
			}
			g.add(1)
		}
		wg.Wait()
		if n := g.asleep.Load(); n != 0 {
			t.Errorf("%d still count as asleep", n)
		}
	}
}
