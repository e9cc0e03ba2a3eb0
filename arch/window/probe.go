package window

import (
	"heddle/arch/mem"
	"heddle/sim"
)

// Watch gives the machine a probe, before it runs.
func (m *Machine) Watch(p sim.Probe) {
	m.probe = p
	for _, c := range m.cores {
		c.probe = p
	}
}

// States names what a probe is told that threads do: dispatch is to issue.
func States() []string { return causeNames[:] }

// shown is what a probe has been told of a thread.
type shown struct {
	slot         int32 // among the core's threads
	start        int64 // of the launch
	cycle        int64 // up to which
	pc           int32 // of the first instruction of the latest dispatch group
	instructions uint64
}

func (t *thread) context() sim.Context {
	return sim.Context{Core: int32(t.core.id), Slot: t.shown.slot}
}

// showStart tells the probe that t begins in a cycle. Its first dispatch
// accounts for the cycle before.
func (t *thread) showStart(slot int32, start int64) {
	t.shown = shown{slot: slot, start: start, cycle: start - 1}
	t.core.probe.Started(t.context(), t.number, sim.Time(start)*t.core.period)
}

// showBase tells the probe of the cycle of the latest dispatch group.
func (t *thread) showBase() { t.show(1, Base, t.shown.pc) }

// show tells the probe what the next n cycles went to.
func (t *thread) show(n int64, cause Cause, pc int32) {
	s := &t.shown
	from := s.cycle
	s.cycle += n
	issued := 0
	if cause == Base {
		executed := t.executed()
		issued = int(executed - s.instructions)
		s.instructions = executed
	}
	if from >= s.start {
		t.core.probe.Spent(t.context(), int(cause), pc, sim.Time(from)*t.core.period, sim.Time(s.cycle)*t.core.period, issued)
	}
}

// showEnd tells the probe that t has waited for the others up to a cycle.
func (t *thread) showEnd(end int64) {
	if end > t.ended {
		t.show(end-t.ended, Imbalance, 0)
	}
	t.core.probe.Ended(t.context(), sim.Time(end)*t.core.period)
}

// showMemory tells the probe of an access to the core's cache.
func (c *core) showMemory(t *thread, a mem.Access, pc int32, from, to sim.Time, source mem.Source) {
	kind := sim.AccessKind(a.Kind)
	c.probe.Request(&sim.Request{
		Context: t.context(), PC: pc, Kind: kind, Array: a.Array, Size: a.Size, Addr: a.Addr, From: from, To: to, Level: source.String(),
	})
	c.probe.Access(&sim.Access{
		Context: t.context(), Kind: kind, Array: a.Array, Size: a.Size, Thread: t.number, Lanes: 1, Addr: []uint64{a.Addr}, From: from, To: to,
	})
}
