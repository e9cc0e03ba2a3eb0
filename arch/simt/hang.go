package simt

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"heddle/arch/isa"
	"heddle/sim"
)

// watchInterval is how often, in cycles of the SMs, the GPU looks at its own
// progress.
const watchInterval = 512

// hangCycles is how long the GPU may go on without a thread writing memory or
// ending before the run is taken for one that never ends.
const hangCycles = 100_000_000

// park makes w wait for the words of its blocked lanes.
func (g *GPU) park(w *warp) {
	s := w.scheduler
	s.set(w.slot, sim.Never)
	w.reason = FullEmptyWait
	several := w.Pending&(w.Pending-1) != 0
	for l := w.Pending; l != 0; l &= l - 1 {
		a := w.Addr[bits.TrailingZeros64(l)&63]
		// One that waits for several words has tried again since it was listed
		// if only some of them changed.
		if several && slices.Contains(g.waiting[a], w) {
			continue
		}
		g.waiting[a] = append(g.waiting[a], w)
	}
}

// changed lets those retry that wait for a word that w has just changed.
func (g *GPU) changed(w *warp, now sim.Time) {
	if len(g.waiting) == 0 {
		return
	}
	for l := w.Accessed; l != 0; l &= l - 1 {
		a := w.Addr[bits.TrailingZeros64(l)&63]
		for _, other := range g.waiting[a] {
			s := other.scheduler
			if s != nil && other.reason == FullEmptyWait && s.wake[other.slot] == sim.Never {
				s.rouse(other, g.edge(now+g.retry))
			}
		}
		delete(g.waiting, a)
	}
}

// checkProgress publishes how far the GPU is and ends a run that has reached
// its limit or that goes round in circles.
func (g *GPU) checkProgress(now sim.Time) {
	g.watch = now + g.clock.Span(watchInterval)
	if g.maxTime < g.watch {
		g.watch = g.maxTime + 1
	}
	if s := g.sampler; s != nil {
		if now >= s.next {
			s.advance(now)
		}
		g.watch = min(g.watch, s.next)
	}
	g.memory.advance(now)
	g.publish(now)
	if g.onSample != nil {
		g.onSample(now)
	}
	if now > g.maxTime {
		g.engine.Stop(fmt.Errorf("reached the limit of %d cycles\n%s", g.limit, g.report()))
		return
	}
	did := g.stats.Stores.Threads + g.stats.Atomics.Threads + g.stats.SharedRequests + g.stats.Blocks + uint64(g.running.done)
	if did != g.progress {
		g.progress, g.progressAt = did, now
		return
	}
	if now-g.progressAt > g.clock.Span(g.patience) {
		g.engine.Stop(fmt.Errorf("no progress: in %d cycles no thread has written memory or ended\n%s", g.patience, g.report()))
	}
}

func (g *GPU) publish(now sim.Time) {
	n := g.stats.Instructions
	if g.sampler != nil {
		n += g.sampler.Executed.Instructions
	}
	g.Progress.Instructions.Store(n)
	g.Progress.Now.Store(int64(now))
	g.Progress.BlocksDone.Store(int64(g.running.done))
}

// deadlock reports a launch in which every warp left waits for another.
func (g *GPU) deadlock() error {
	return fmt.Errorf("deadlock: %d of %d blocks ended, and no warp can go on\n%s",
		g.running.done, g.running.blocks, g.report())
}

// report tells where the resident warps are, at most ten of them.
func (g *GPU) report() string {
	var b strings.Builder
	p := g.running.Program
	n := 0
	for _, s := range g.sms {
		for i := range s.schedulers {
			for _, w := range s.schedulers[i].warps {
				if w == nil {
					continue
				}
				if n++; n > 10 {
					continue
				}
				lane := bits.TrailingZeros64(w.Active) & 63
				what := "runs"
				if w.scheduler.wake[w.slot] == sim.Never {
					switch w.reason {
					case Synchronization:
						what = "waits at the barrier before"
					case FullEmptyWait:
						lane = bits.TrailingZeros64(w.Pending) & 63
						state := "full"
						if p.Code[w.PC].Op == isa.OpWriteEF {
							state = "empty"
						}
						what = fmt.Sprintf("waits for %s to be %s, in", g.space.Locate(w.Addr[lane]), state)
					}
				}
				fmt.Fprintf(&b, "  SM %d, thread %d: %s %s: %s\n", s.id, w.Thread(lane), what, p.Source(w.PC), p.Disassemble(w.PC))
			}
		}
	}
	if n > 10 {
		fmt.Fprintf(&b, "  and %d more warps\n", n-10)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
