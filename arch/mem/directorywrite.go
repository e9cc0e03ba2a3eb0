package mem

import (
	"math/bits"

	"heddle/arch/net"
	"heddle/sim"
)

// own makes p the only holder of a line, which it may have already, and
// returns when it may modify it. All other copies are gone.
func (m *Multicore) own(at sim.Time, p *CorePort, line uint64, have bool, kind Kind, array int16) sim.Time {
	e := m.dir.at(line)
	e.array = array
	start := m.begin(at, e.busy, p)
	done, from := m.tell(start, p, line, e, have)
	dirty := m.dropOthers(p, line, e)
	if have {
		p.from = from
	} else {
		done = max(done, m.ownData(start, p, line, e, dirty))
	}
	if m.inclusive {
		m.fillL3(done, p.die, line, e)
	} else if e.l3>>p.die&1 != 0 {
		set := m.dies[p.die].l3.set(line)
		remove(set, find(set, line))
		e.l3 = 0
	}
	e.sharers, e.owner, e.state = p.bit, holder(p.core), exclusive
	e.ready, e.busy = done, done
	if kind == Atomic {
		e.ready, e.busy = done+m.atomicHold, done+m.atomicHold
		if m.atomicKeep > 0 {
			m.taken[line] = done
		}
	}
	return done
}

// hold keeps a line with the core that performs an atomic on it from at on.
func (m *Multicore) hold(line uint64, at sim.Time) {
	e := m.dir.at(line)
	e.ready = max(e.ready, at+m.atomicHold)
	e.busy = max(e.busy, at+m.atomicHold)
}

// Keeps reports whether cores keep lines for several atomics: Yields tells when
// to ask.
func (p *CorePort) Keeps() bool { return p.m.atomicKeep > 0 }

// Yields returns when p may ask for the line of addr at time at or later for an
// atomic: while another core performs one atomic after the other on it, that
// core's next is there before a request is, for as long as the costs say.
func (p *CorePort) Yields(at sim.Time, addr uint64) sim.Time {
	m := p.m
	line := addr >> (p.lineBits & 63)
	e := m.dir.at(line)
	if e.state != exclusive || !e.owner.isCore() || int(e.owner) == p.core {
		return at
	}
	// The owner's next atomic begins when the last is over, or a little later.
	next, last := e.busy+p.l1Latency, m.taken[line]+m.atomicKeep
	if next <= at || last <= at {
		return at
	}
	return min(next, last)
}

// tell returns when those who must give up their copies before p may modify a
// line, or must agree that there are none, have done so; start if there is
// nobody to tell but the one who has the data. If p has the line already, this
// is all it waits for, and counts as the source returned.
func (m *Multicore) tell(start sim.Time, p *CorePort, line uint64, e *lineState, have bool) (sim.Time, Source) {
	others := e.sharers &^ p.bit
	distance := net.SameDie
	switch {
	case e.state == exclusive && others == 0 && have:
		// The line is p's die's alone, and its L3 knows that.
		at := m.dies[p.die].l3Port.Reserve(start+m.l2Latency, m.l3Hold)
		return at + m.l3Latency - m.l2Latency, FromUpgrade
	case e.state == exclusive && (others == 0 || e.owner != holderL3(p.die)):
		return start, FromL1 // an owner elsewhere gives it all up with its data
	case e.state == exclusive:
	case others == 0 && e.l3&^(1<<p.die) == 0 && !have:
		return start, FromL1 // the home sees to it when it is asked for the data
	default:
		distance = m.farthestCopy(p, line, e)
	}
	return start + m.handover[distance], FromUpgrade + Source(distance)
}

// farthestCopy returns how far those are whom p must tell before it may modify
// a line that is not exclusive.
func (m *Multicore) farthestCopy(p *CorePort, line uint64, e *lineState) net.Distance {
	others, dies := e.sharers&^p.bit, e.l3&^(1<<p.die)
	near := m.dies[p.die].near
	home, _ := m.pages.at(line<<m.lineBits, p.die)
	far := near[home]
	if others == 0 && dies == 0 {
		return far
	}
	if m.broadcast {
		return m.farthest
	}
	for others != 0 {
		die := m.ports[bits.TrailingZeros64(others)].die
		others &^= m.dies[die].cores
		far = max(far, near[die])
	}
	for ; dies != 0; dies &= dies - 1 {
		far = max(far, near[bits.TrailingZeros16(dies)])
	}
	return far
}

// dropOthers takes all copies away but those of p and of the L3 of its die. It
// tells whether one of them was modified.
func (m *Multicore) dropOthers(p *CorePort, line uint64, e *lineState) (dirty bool) {
	for mask := e.sharers &^ p.bit; mask != 0; mask &= mask - 1 {
		q := m.ports[bits.TrailingZeros64(mask)]
		dirty = q.drop(line) || dirty
		q.counts.invalidated++
	}
	for mask := e.l3 &^ (1 << p.die); mask != 0; mask &= mask - 1 {
		set := m.dies[bits.TrailingZeros16(mask)].l3.set(line)
		w := find(set, line)
		dirty = dirty || set[w]&dirtyLine != 0
		remove(set, w)
	}
	e.l3 &= 1 << p.die
	return dirty
}

// ownData brings the data of a line to p, which has become its only holder.
// The owner in e is the last one; dirty tells whether a copy that was dropped
// was modified.
func (m *Multicore) ownData(start sim.Time, p *CorePort, line uint64, e *lineState, dirty bool) sim.Time {
	var from int
	switch {
	case e.owner.isCore() && (e.state == exclusive || e.l3>>p.die&1 == 0):
		from = m.ports[e.owner].die
	case e.l3>>p.die&1 != 0:
		p.from = FromL3
		at := m.dies[p.die].l3Port.Reserve(start+m.l2Latency, m.l3Hold)
		return at + m.l3Latency - m.l2Latency
	case e.owner.isL3():
		from = e.owner.die()
	default:
		return m.fetch(start, p, line, e.array)
	}
	distance := m.dies[p.die].near[from]
	cost := m.handover[distance]
	p.from = FromClean + Source(distance)
	if dirty {
		p.from = FromDirty + Source(distance)
	}
	return m.carry(start, p.die, from) + cost + m.detour(p.die, from, line)
}
