package hostbench

import (
	"context"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"heddle/arch/isa"
	"heddle/kernels/team"
)

// teamCases measure what parallel loops of native kernels cost beyond their
// work, and a barrier between threads that run already.
func teamCases(f Facts) []Case {
	var all []Case
	for _, threads := range threadCounts(f) {
		if threads == 1 {
			continue
		}
		all = append(all, Case{
			Name: "fork/" + strconv.Itoa(threads), Meaning: fmt.Sprintf("parallel loop without work, threads: %d", threads), Unit: nanoseconds,
			prepare: func(*host) (stage, error) {
				return stage{run: func(n int) time.Duration { return forks(threads, n) }}, nil
			},
			simulate: func(s *simulator) float64 {
				m := s.machine(threads)
				return m.run(isa.NewBuilder("empty").MustBuild())
			},
		}, Case{
			Name: "barrier/" + strconv.Itoa(threads), Meaning: fmt.Sprintf("barrier, threads: %d", threads), Unit: nanoseconds,
			prepare: func(h *host) (stage, error) {
				return stage{run: func(n int) time.Duration {
					var arrived, phase [16]atomic.Int64
					return h.together(threads, func(int) {
						for i := range n {
							meet(&arrived[8], &phase[8], threads, int64(i))
						}
					})
				}}, nil
			},
			simulate: func(s *simulator) float64 { return s.machine(threads).perOperation(barrierProgram, 200, 1) },
		})
	}
	return all
}

// forkBatch is how many parallel loops are timed together.
const forkBatch = 16

// forks times n parallel loops of a pinned team, as kernels begin them: by the
// least batch of them, for a worker that has once gone to sleep is late at every
// loop, and the next one begins too late for it to stay awake.
func forks(threads, n int) time.Duration {
	took := make(chan time.Duration)
	go func() {
		t, err := team.Pinned(context.Background(), threads)
		if err != nil { // the system does not allow it
			t = team.New(context.Background(), threads)
		}
		defer t.Close()
		batch := func() time.Duration {
			began := time.Now()
			for range forkBatch {
				_ = t.Each(threads, 1, func(int, int) {}) // its context does not end
			}
			return time.Since(began)
		}
		least := batch()
		for range n / forkBatch {
			least = min(least, batch())
		}
		took <- least * time.Duration(n) / forkBatch
	}()
	return <-took
}

// meet waits until all threads have come to a phase.
func meet(arrived, phase *atomic.Int64, threads int, now int64) {
	if arrived.Add(1) == int64(threads)*(now+1) {
		phase.Store(now + 1)
		return
	}
	for phase.Load() <= now {
	}
}

var barrierProgram = func() *isa.Program {
	b := isa.NewBuilder("barrier")
	n := b.Int("n")
	b.For(0, n, 1, func(isa.Reg) { b.Barrier() })
	return b.MustBuild()
}()
