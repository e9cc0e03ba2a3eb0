package mem

import (
	"heddle/arch/net"
	"heddle/sim"
)

// read brings a line that core p does not have to p, to be read. It returns
// when the line is there and what p may do with it.
func (m *Multicore) read(at sim.Time, p *CorePort, line uint64, array int16) (done sim.Time, flags cacheWord) {
	e := m.dir.at(line)
	e.array = array
	switch {
	case e.owner.isCore() && (e.state == exclusive || e.l3>>p.die&1 == 0):
		done = m.readFromCore(at, p, line, e)
	case e.l3>>p.die&1 != 0:
		done, flags = m.readFromL3(at, p, line, e)
	case e.owner.isL3():
		done = m.readFromDie(at, p, line, e)
	default:
		done, flags = m.readFromMemory(at, p, line, e)
	}
	e.sharers |= p.bit
	return done, flags
}

// readFromCore has the owner, another core, answer.
func (m *Multicore) readFromCore(at sim.Time, p *CorePort, line uint64, e *lineState) sim.Time {
	q := m.ports[e.owner]
	word := q.word(line)
	dirty := *word&dirtyLine != 0
	if e.state == exclusive {
		*word &^= writableLine
		if m.inclusive { // the owner's L3 takes over, and the data
			if dirty {
				*word &^= dirtyLine
				*m.l3Word(q.die, line) |= dirtyLine
			}
			e.owner = holderL3(q.die)
		}
	}
	done := m.transfer(m.begin(at, e.ready, p), p, q.die, line, dirty)
	if q.die != p.die || !m.inclusive {
		m.answered(done, p, q.die, line, e, word)
	}
	e.busy = max(e.busy, done)
	return done
}

// readFromL3 has the L3 of p's die answer.
func (m *Multicore) readFromL3(at sim.Time, p *CorePort, line uint64, e *lineState) (done sim.Time, flags cacheWord) {
	d := &m.dies[p.die]
	p.from = FromL3
	start := m.begin(at, e.busy, p) + m.l2Latency
	done = d.l3Port.Reserve(start, m.l3Hold) + m.l3Latency - m.l2Latency
	set := d.l3.set(line)
	w := find(set, line)
	switch {
	case m.inclusive:
		promote(set, w)
		if e.state == exclusive && e.sharers == 0 {
			e.owner = holder(p.core)
			return done, writableLine
		}
	case e.sharers&d.cores != 0: // others of the die use it: the copy stays
		promote(set, w)
	default: // the line moves
		flags = set[w].flags() & dirtyLine
		remove(set, w)
		e.l3 &^= 1 << p.die
		if e.owner == holderL3(p.die) {
			e.owner = holder(p.core)
			if e.state == exclusive {
				flags |= writableLine
			}
		}
	}
	return done, flags
}

// readFromDie has the owner, the L3 of another die, answer.
func (m *Multicore) readFromDie(at sim.Time, p *CorePort, line uint64, e *lineState) sim.Time {
	die := e.owner.die()
	word := m.l3Word(die, line)
	done := m.transfer(m.begin(at, e.ready, p), p, die, line, *word&dirtyLine != 0)
	m.answered(done, p, die, line, e, word)
	e.busy = max(e.busy, done)
	return done
}

// answered changes who answers for a line after its owner has passed it to p.
// The owner is on the given die and keeps the flags of the line in word; for
// an inclusive L3 that took over from a core, in the L3.
func (m *Multicore) answered(done sim.Time, p *CorePort, die int, line uint64, e *lineState, word *cacheWord) {
	if m.inclusive {
		word = m.l3Word(die, line)
	}
	dirty := *word&dirtyLine != 0
	if dirty && m.moesi {
		e.state = owned
		m.fillL3(done, p.die, line, e)
		return
	}
	if dirty {
		*word &^= dirtyLine
		m.writeBack(done, die, line, e)
	}
	m.fillL3(done, p.die, line, e)
	m.forward(done, p, e)
}

// forward makes p's side answer for a clean line, if the protocol has somebody
// do so, and nobody else.
func (m *Multicore) forward(done sim.Time, p *CorePort, e *lineState) {
	switch {
	case !m.forwards:
		e.owner, e.state = nobody, shared
		return
	case m.inclusive:
		e.owner = holderL3(p.die)
	default:
		e.owner = holder(p.core)
	}
	e.state = forwarded
	e.ready = done
}

// readFromMemory has the line's home answer, as nobody else does.
func (m *Multicore) readFromMemory(at sim.Time, p *CorePort, line uint64, e *lineState) (done sim.Time, flags cacheWord) {
	done = m.fetch(m.begin(at, 0, p), p, line, e.array)
	alone := e.sharers == 0 && e.l3 == 0
	m.fillL3(done, p.die, line, e)
	e.busy = max(e.busy, done)
	if !alone {
		m.forward(done, p, e)
		return done, 0
	}
	e.owner, e.state, e.ready = holder(p.core), exclusive, done
	return done, writableLine
}

// begin returns when a transaction asked for at a time begins.
func (m *Multicore) begin(at, allowed sim.Time, p *CorePort) sim.Time {
	if allowed <= at {
		return at
	}
	p.counts.lineWait += allowed - at
	return allowed
}

// transfer brings a line from the caches of a die to p, to be read.
func (m *Multicore) transfer(start sim.Time, p *CorePort, die int, line uint64, dirty bool) sim.Time {
	distance := m.dies[p.die].near[die]
	cost := m.clean[distance]
	p.from = FromClean + Source(distance)
	if dirty {
		cost = m.dirty[distance]
		p.from = FromDirty + Source(distance)
	}
	return m.carry(start, p.die, die) + cost + m.detour(p.die, die, line)
}

// carry returns start, later by what a line from the caches of one die to
// another waits for the port of the L3 and for links.
func (m *Multicore) carry(start sim.Time, to, from int) sim.Time {
	asked := start + m.l2Latency
	at := m.dies[from].l3Port.Reserve(asked, m.l3Hold)
	if from != to {
		at = m.links.Send(at, from, to, m.config.Line)
	}
	return start + at - asked
}

// detour returns what it adds to the way from one die to another that the
// request goes by the home of the line.
func (m *Multicore) detour(from, to int, line uint64) sim.Time {
	if !m.detours || from == to && m.inclusive { // an inclusive L3 knows what its die has
		return 0
	}
	home, _ := m.pages.at(line<<m.lineBits, from)
	near := m.dies[home].near
	return max(0, m.oneWay[near[from]]+m.oneWay[near[to]]-m.oneWay[m.dies[from].near[to]])
}

// fetch brings a line from memory to p.
func (m *Multicore) fetch(start sim.Time, p *CorePort, line uint64, array int16) sim.Time {
	addr := line << m.lineBits
	home, local := m.pages.at(addr, p.die)
	distance := m.dies[p.die].near[home]
	p.from = FromMemory + Source(distance)
	h := &m.dies[home]
	h.stats.reads[distance]++
	at := h.controller.Reserve(start+m.request[distance], m.memoryHold)
	at = h.dram.Access(at, Access{Addr: local, Size: int32(m.config.Line), Kind: Read, Array: array})
	if distance != net.SameDie {
		at = m.links.Send(at, home, p.die, m.config.Line)
	}
	return at + m.reply[distance]
}
