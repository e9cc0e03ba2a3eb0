package stream

import (
	"heddle/arch/mem"
	"heddle/sim"
)

// replaySlack is by how many cycles an access of a replay may be earlier than
// one before it.
const replaySlack = 512

// Replay performs a thread's access in a context at a time, without a program,
// and returns when it is done. The contexts go round the processors.
func (sys *System) Replay(a *sim.Access, context int, at sim.Time) (done sim.Time) {
	p := sys.processors[context%len(sys.processors)]
	if now := at - sys.clock.Span(replaySlack); now > sys.watch {
		sys.watch = now + sys.clock.Span(watchInterval)
		sys.memory.advance(now)
	}
	op := word{size: a.Size, class: access(a.Kind)}
	m := mem.Access{Addr: a.Addr[0], Size: a.Size, Kind: mem.Kind(a.Kind), Array: a.Array}
	sys.count(int(a.Array), &op)
	switch {
	case op.class >= updates:
		if p.cache != nil {
			p.cache.Drop(m.Addr)
		}
		sys.hot.Add(m.Addr, p.id, mem.Site{})
		return p.request(at+sys.unit, m, true)
	case p.cache != nil:
		return p.cache.Access(at, m)
	}
	return p.request(at+sys.unit, m, false)
}
