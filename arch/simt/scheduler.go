package simt

import (
	"math/bits"

	"heddle/arch/isa"
	"heddle/sim"
)

// maxSlots is the most warps of one scheduler.
const maxSlots = 64

// scheduler issues the instructions of its warps, one at a time.
//
// A warp's next instruction has a time from which its operands are there: it
// is known as soon as the instruction before it has issued, unless a load has
// yet to be sent. So a scheduler sleeps until the first of its warps is ready,
// and a stall costs the simulator nothing.
type scheduler struct {
	event    sim.Event
	sm       *sm
	warps    [maxSlots]*warp
	wake     [maxSlots]sim.Time // when a slot's warp is ready; Never while something else will tell
	timed    uint64             // slots whose wake is not Never
	resident int                // warps
	last     int                // slot issued last
	next     sim.Time           // when the next instruction may issue
	greedy   bool
}

// Handle issues the next instruction, if a warp can, and sleeps until the next
// may be issued.
func (s *scheduler) Handle(now sim.Time) {
	g := s.sm.gpu
	if now >= g.watch {
		g.checkProgress(now)
	}
	if now < s.next {
		g.engine.At(&s.event, s.next)
		return
	}
	var ready uint64
	first := sim.Never
	for m := s.timed; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m) & 63
		if t := s.wake[i]; t <= now {
			ready |= 1 << i
		} else if t < first {
			first = t
		}
	}
	for ready != 0 {
		i := s.pick(ready)
		w := s.warps[i]
		o := &g.running.kernel.ops[w.PC]
		if t, why := s.sm.refuses(s, w, o, now); t > now {
			w.ready(s.wake[i], now)
			w.reason, w.blame = why, w.PC
			s.set(i, t)
			first = min(first, t)
			ready &^= 1 << i
			continue
		}
		w.ready(s.wake[i], now)
		s.last = i
		s.next = now + s.sm.gpu.issueInterval
		s.issue(w, o, now)
		if t := s.wake[i]; t < first {
			first = t
		}
		if ready&^(1<<i) != 0 {
			first = now
		}
		break
	}
	// What was issued may have woken a warp of this scheduler.
	if at := min(first, s.event.Time()); at < sim.Never {
		g.engine.At(&s.event, max(at, s.next, now))
	}
}

// pick returns the slot to issue from.
func (s *scheduler) pick(ready uint64) int {
	if s.greedy {
		if ready>>s.last&1 != 0 {
			return s.last
		}
		oldest := -1
		for m := ready; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			if oldest < 0 || s.warps[i].age < s.warps[oldest].age {
				oldest = i
			}
		}
		return oldest
	}
	if after := ready >> s.last >> 1; after != 0 {
		return s.last + 1 + bits.TrailingZeros64(after)
	}
	return bits.TrailingZeros64(ready)
}

// set makes the warp of slot ready at time at.
func (s *scheduler) set(slot int, at sim.Time) {
	s.wake[slot&63] = at
	if bit := uint64(1) << (slot & 63); at == sim.Never {
		s.timed &^= bit
	} else {
		s.timed |= bit
	}
}

// rouse makes the warp ready at time at.
func (s *scheduler) rouse(w *warp, at sim.Time) {
	s.set(w.slot, at)
	if at = max(at, s.next); at < s.event.Time() {
		s.sm.gpu.engine.At(&s.event, at)
	}
}

// refuses returns when the SM can take the instruction, and why not before;
// a time that is not after now lets it issue.
func (m *sm) refuses(s *scheduler, w *warp, o *op, now sim.Time) (sim.Time, Stall) {
	if o.memory != isa.NoMemory {
		if m.lsu.count < len(m.lsu.queue) {
			return now, 0
		}
		m.lsu.waiters.push(w)
		return sim.Never, MemoryThrottle
	}
	free := m.units[o.unit]
	if free > now {
		free = m.gpu.edge(free)
	}
	if o.alone {
		for i := range m.schedulers {
			if other := &m.schedulers[i]; other != s {
				free = max(free, other.next)
			}
		}
	}
	return free, PipeBusy
}

// occupy books the instruction's unit. A unit takes an instruction as long as
// some of the cycle's lanes are left, so that one of 48 lanes serves three
// warps of 32 in two cycles.
func (m *sm) occupy(o *op, now sim.Time) {
	free := &m.units[o.unit]
	*free = max(*free, now-m.gpu.period+1) + o.hold
}

// issue executes the instruction at the warp's PC and finds when the warp is
// ready for the next.
func (s *scheduler) issue(w *warp, o *op, now sim.Time) {
	m := s.sm
	g := m.gpu
	pc, lanes := w.PC, w.Active
	if o.memory == isa.FullEmpty && w.Pending != 0 {
		lanes = w.Pending
	}
	frame := w.Frame()
	if o.inst.Op == isa.OpClock {
		w.Clock = uint64(now / g.period)
	}
	w.Divergent = false
	outcome := w.Step()

	n := uint64(bits.OnesCount64(lanes))
	line := &g.running.kernel.lines[pc]
	line.Issues++
	line.Lanes += n
	m.issued++
	g.stats.Instructions++
	g.stats.ThreadInstructions += n
	g.stats.Issued += g.issueInterval
	w.since = now + g.issueInterval
	if g.probe != nil {
		g.probe.Spent(g.context(w.number), 0, pc, now, w.since, 1)
	}
	if outcome == isa.Faulted {
		g.fault(w, pc)
		s.set(w.slot, sim.Never)
		return
	}

	then := w.since
	switch {
	case o.memory != isa.NoMemory:
		m.access(w, o, pc, frame, lanes, now, outcome)
	case o.control:
		m.occupy(o, now)
		then = max(then, now+o.latency)
		g.stats.Branches++
		if w.Divergent {
			g.stats.DivergentBranches++
			line.Divergent++
		}
	default:
		m.occupy(o, now)
		if o.writes >= 0 {
			e := w.at(frame, o.writes)
			*e = pending{ready: now + o.latency, pc: pc}
		} else {
			then = max(then, now+o.latency)
		}
	}
	if o.alone {
		for i := range m.schedulers {
			m.schedulers[i].next = max(m.schedulers[i].next, s.next)
		}
	}

	switch outcome {
	case isa.Next:
		w.settle(then, pc)
	case isa.Wait:
		w.blame = pc
		w.block.arrive(w, then)
	case isa.Blocked:
		w.blame = pc
		g.park(w)
	case isa.Done:
		m.finish(w, then)
	}
}

// settle finds when the warp's next instruction is ready, not before then,
// which the one at pc asks for.
func (w *warp) settle(then sim.Time, pc int32) {
	s := w.scheduler
	g := s.sm.gpu
	o := &g.running.kernel.ops[w.PC]
	w.then, w.behind = then, pc
	ready, reason, blame := w.dependence(o, then, pc)
	w.reason, w.blame = reason, blame
	s.set(w.slot, ready)
}
