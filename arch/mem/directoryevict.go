package mem

import (
	"math/bits"

	"heddle/sim"
)

// left is called when core p has no copy of a line any more; word is what it
// had.
func (m *Multicore) left(at sim.Time, p *CorePort, word cacheWord) {
	line := word.line()
	e := m.dir.at(line)
	e.sharers &^= p.bit
	dirty := word & dirtyLine
	switch {
	case m.inclusive:
		if dirty != 0 {
			m.dies[p.die].l3Port.Reserve(at+m.l2Latency, m.l3Hold)
			*m.l3Word(p.die, line) |= dirtyLine
		}
		if e.owner == holder(p.core) {
			e.owner = holderL3(p.die)
		}
		return
	case m.victim:
		if e.owner == holder(p.core) {
			e.owner = holderL3(p.die)
		}
		m.putL3(at, p.die, line, e, dirty)
		return
	case dirty != 0:
		m.writeBack(at, p.die, line, e)
	}
	if e.owner == holder(p.core) {
		e.owner = nobody
	}
	e.settle()
}

// l3Word returns where the L3 of a die keeps the flags of a line, which it
// has.
func (m *Multicore) l3Word(die int, line uint64) *cacheWord {
	set := m.dies[die].l3.set(line)
	return &set[find(set, line)]
}

// fillL3 puts a line that a core of the die gets into its L3, if that is
// inclusive.
func (m *Multicore) fillL3(at sim.Time, die int, line uint64, e *lineState) {
	if m.inclusive && e.l3>>die&1 == 0 {
		m.putL3(at, die, line, e, 0)
	}
}

// putL3 puts a line into the L3 of a die, or, if it is there, adds flags.
func (m *Multicore) putL3(at sim.Time, die int, line uint64, e *lineState, flags cacheWord) {
	d := &m.dies[die]
	if m.victim { // what an inclusive L3 takes from memory passes on the fly
		d.l3Port.Reserve(at+m.l2Latency, m.l3Hold)
	}
	set := d.l3.set(line)
	if e.l3>>die&1 != 0 {
		w := find(set, line)
		set[w] |= flags
		promote(set, w)
		return
	}
	e.l3 |= 1 << die
	if replaced := insert(set, newWord(line, flags)); replaced != noLine {
		m.leaveL3(at, die, replaced)
	}
}

// leaveL3 is called when the L3 of a die has replaced a line.
func (m *Multicore) leaveL3(at sim.Time, die int, word cacheWord) {
	line := word.line()
	e := m.dir.at(line)
	d := &m.dies[die]
	d.stats.evictions++
	e.l3 &^= 1 << die
	dirty := word&dirtyLine != 0
	if m.inclusive {
		for mask := e.sharers & d.cores; mask != 0; mask &= mask - 1 {
			q := m.ports[bits.TrailingZeros64(mask)]
			dirty = q.drop(line) || dirty
			q.counts.backInvalidated++
		}
		e.sharers &^= d.cores
	}
	if dirty {
		d.stats.writebacks++
		m.writeBack(at, die, line, e)
	}
	if e.owner == holderL3(die) {
		e.owner = nobody
	}
	e.settle()
}

// writeBack sends a modified line from a die to its home. Nobody waits for it.
func (m *Multicore) writeBack(at sim.Time, die int, line uint64, e *lineState) {
	home, local := m.pages.at(line<<m.lineBits, die)
	h := &m.dies[home]
	distance := h.near[die]
	h.stats.writes[distance]++
	if home != die {
		at = m.links.Send(at, die, home, m.config.Line)
	}
	at = h.controller.Reserve(at+m.oneWay[distance], m.memoryHold)
	h.dram.Access(at, Access{Addr: local, Size: int32(m.config.Line), Kind: Write, Array: e.array})
}
