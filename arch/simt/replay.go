package simt

import (
	"heddle/arch/isa"
	"heddle/sim"
)

// replaySlack is by how many cycles an access of a replay may be earlier than
// one before it.
const replaySlack = 512

// replayer performs accesses of no program.
type replayer struct {
	perSM    int // contexts of a block, which are on one SM
	warp     warp
	op       op
	line     LineStats
	advanced sim.Time
}

// BeginReplay begins a launch of blocks of the given number of threads, as
// Run does: the L1s, which are not coherent, are emptied.
func (g *GPU) BeginReplay(block int) {
	g.replayer.perSM = max(1, (block+g.config.WarpWidth-1)/g.config.WarpWidth)
	g.replayer.warp.Addr = make([]uint64, isa.MaxWidth)
	g.running = &launch{kernel: &kernel{lines: make([]LineStats, 1)}}
	for _, s := range g.sms {
		if s.l1 != nil {
			s.l1.Invalidate()
		}
	}
}

// Replay performs a warp's access in a context at a time, as the load/store
// unit of its SM does, and returns when it is done.
func (g *GPU) Replay(a *sim.Access, context int, at sim.Time) (done sim.Time) {
	r := &g.replayer
	if now := at - g.clock.Span(replaySlack); now > r.advanced+g.clock.Span(replaySlack) {
		r.advanced = now
		g.memory.advance(now)
	}
	s := g.sms[context/r.perSM%len(g.sms)]
	r.op = op{space: isa.Global, size: a.Size, atomic: a.Kind == sim.AtomicAccess, store: a.Kind == sim.StoreAccess}
	copy(r.warp.Addr, a.Addr)
	u := &s.lsu
	e := &u.queue[0]
	e.w, e.o, e.done, e.entry = &r.warp, &r.op, at, 0
	s.coalesce(e, a.Lanes, &r.op, &r.line)
	for i := range e.list[:e.n] {
		e.next = i
		start := max(u.free, at)
		if !r.op.store {
			if t := s.missStart(&r.op); t > start && !s.holds(e) {
				start = t
			}
		}
		u.send(e, &e.list[i], start)
		u.free = start + g.transactionInterval
	}
	return max(e.done, at)
}
