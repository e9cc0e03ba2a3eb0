package simt

import (
	"heddle/arch/isa"
	"heddle/sim"
)

// turn is how long, in cycles of the SMs, one warp is executed without timing
// before the next one is.
const turn = 16_384

// forwarding executes the warps of a launch without timing. Each has a clock
// of its own, on which an instruction takes what it is expected to.
type forwarding struct {
	gpu                    *GPU
	now                    sim.Time
	meter                  isa.Meter // of the turn
	memory                 []float64 // transactions of a lane, of each instruction
	accesses, transactions float64   // of the turn
	until                  sim.Time  // end of the turn; this and the following from the beginning
	last                   sim.Time  // when a warp last ended
	roused                 bool      // a warp has become able to execute since
	work                   *Work
	failed                 bool
}

// forward lets the resident warps, and those that follow them, execute without
// timing for time d at the given costs. It returns the time that passed, and the
// accesses and transactions that they would have made. The time is less than d
// where the launch ended or, with all its blocks given out, had no more than few
// warps left.
func (g *GPU) forward(c *costs, d sim.Time, few int, work *Work) (passed sim.Time, accesses, transactions float64) {
	load := c.load
	f := forwarding{gpu: g, now: g.engine.Now(), work: work}
	f.meter = isa.Meter{Cost: make([]sim.Time, len(c.of)), Insts: make([]isa.InstStats, len(c.of)), Start: f.now, Period: g.period}
	f.memory = make([]float64, len(c.of))
	for pc := range c.of {
		if c.of[pc].memory {
			f.memory[pc] = c.of[pc].perLane.or(c.memory.perLane.or(1))
		}
	}
	for w := range g.resident {
		w.ahead = 0
	}
	for _, s := range g.sms {
		s.lsu.drain(f.now)
	}
	for passed < d && !f.failed {
		f.until = min(passed+g.clock.Span(turn), d)
		for pc := range f.meter.Cost {
			f.meter.Cost[pc] = max(1, sim.Time(c.expect(pc, load)))
		}
		f.take()
		accesses += f.accesses
		transactions += f.transactions
		if f.accesses > 0 {
			load = max(1, float64(g.residentWarps())*f.transactions/f.accesses)
		}
		if g.running.done == g.running.blocks {
			passed = f.last
			break
		}
		passed = f.until
		if g.running.next == g.running.blocks && g.residentWarps() <= few {
			break
		}
	}
	g.running.free = f.now
	for w := range g.resident {
		if !w.atBarrier() && !f.failed {
			w.settle(max(f.now, w.since), w.PC)
			w.scheduler.rouse(w, w.scheduler.wake[w.slot])
		}
	}
	return passed, accesses, transactions
}

// take lets every warp execute for a turn.
func (f *forwarding) take() {
	f.accesses, f.transactions = 0, 0
	for _, s := range f.gpu.sms {
		for f.roused = true; f.roused; {
			f.roused = false
			for i := range s.schedulers {
				for _, w := range &s.schedulers[i].warps {
					if w != nil && w.ahead < f.until && !w.atBarrier() && !f.failed {
						f.execute(w)
					}
				}
			}
		}
	}
	for pc := range f.meter.Insts {
		n := &f.meter.Insts[pc]
		f.work.Instructions += n.Issues
		f.work.ThreadInstructions += n.Lanes
		if m := f.memory[pc]; m > 0 {
			f.accesses += float64(n.Issues)
			f.transactions += m * float64(n.Lanes)
		}
	}
	clear(f.meter.Insts)
}

// execute lets a warp execute until its turn is over, it ends, or it waits at
// a barrier.
func (f *forwarding) execute(w *warp) {
	m := &f.meter
	m.Until = f.until
	for w.ahead < f.until {
		m.Spent = w.ahead
		outcome := w.Run(m)
		w.ahead = m.Spent
		switch pc := m.Last; outcome {
		case isa.Wait:
			w.blame = pc
			w.block.arrive(w, f.now)
			if w.atBarrier() {
				return
			}
			f.roused = true
			for _, other := range w.block.warps {
				w.ahead = max(w.ahead, other.ahead)
			}
			for _, other := range w.block.warps {
				other.ahead = w.ahead
			}
		case isa.Done:
			f.finish(w)
			return
		case isa.Faulted:
			f.failed = true
			f.gpu.fault(w, pc)
			w.scheduler.set(w.slot, sim.Never)
			return
		}
	}
}

// finish ends a warp; blocks that follow its own start at its time.
func (f *forwarding) finish(w *warp) {
	g := f.gpu
	s, at, before := w.block.sm, w.ahead, g.dispatched
	f.last = max(f.last, at)
	g.running.free = f.now
	s.finish(w, max(f.now, w.since))
	f.roused = true // a barrier may have opened
	if g.dispatched == before {
		return
	}
	for i := range s.schedulers {
		for _, w := range &s.schedulers[i].warps {
			if w != nil && w.age > before {
				w.ahead = at
			}
		}
	}
}

// drain ends what the load/store unit has accepted.
func (u *lsu) drain(now sim.Time) {
	for u.count > 0 {
		e := &u.queue[u.head]
		e.done = max(e.done, now)
		u.complete(e, now)
	}
	for w := u.waiters.pop(); w != nil; w = u.waiters.pop() {
		w.scheduler.rouse(w, now)
	}
}

// resident yields the resident warps.
func (g *GPU) resident(yield func(*warp) bool) {
	for _, s := range g.sms {
		for i := range s.schedulers {
			for _, w := range &s.schedulers[i].warps {
				if w != nil && !yield(w) {
					return
				}
			}
		}
	}
}

func (g *GPU) residentWarps() (n int) {
	for _, s := range g.sms {
		for i := range s.schedulers {
			n += s.schedulers[i].resident
		}
	}
	return n
}

// atBarrier reports whether the warp waits for others of its block.
func (w *warp) atBarrier() bool {
	return w.reason == Synchronization && w.scheduler.wake[w.slot] == sim.Never
}
