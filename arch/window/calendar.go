package window

// calendarWords is the length of a calendar's ring, in words of 64 cycles: a
// power of two, longer than the spread of issue times in a window.
const calendarWords = 64

// calendar keeps which cycles of the dispatch stage are taken. Cycles are booked
// out of order. What lies a ring's length before
// the latest booking is forgotten, and free.
type calendar struct {
	word [calendarWords]week
}

// week is 64 cycles: those from 64 x number on.
type week struct {
	number int64
	taken  uint64
}

// free reports whether a cycle is free.
func (c *calendar) free(at int64) bool {
	w := &c.word[at>>6&(calendarWords-1)]
	return w.number != at>>6 || w.taken>>(at&63)&1 == 0
}

// take books a cycle.
func (c *calendar) take(at int64) {
	w := &c.word[at>>6&(calendarWords-1)]
	if w.number != at>>6 {
		if w.number > at>>6 {
			return // forgotten
		}
		w.number, w.taken = at>>6, 0
	}
	w.taken |= 1 << (at & 63)
}

// next returns the first free cycle at or after at.
func (c *calendar) next(at int64) int64 {
	for !c.free(at) {
		at++
	}
	return at
}

// portRing is how many cycles of its execution ports a core remembers: a power
// of two, longer than the spread of issue times in a window.
const portRing = 4096

// ports are a core's execution ports: which of them are taken in each cycle,
// booked out of order. What lies a ring's length before the latest cycle is
// forgotten, and free.
type ports struct {
	end   int64 // no cycle from here on is taken, nor cleared in the ring
	taken [portRing]portSet
}

// book takes one of the ports in among for a cycle, the first at or after at in
// which one is free, and returns it. Of those that are free the lowest is
// taken.
func (p *ports) book(among portSet, at int64) int64 {
	if p.grab(among, at) {
		return at
	}
	return p.search(among, at)
}

// grab books cycle at itself, if it is known that a port is free.
func (p *ports) grab(among portSet, at int64) bool {
	if uint64(p.end-1-at) >= portRing {
		return false
	}
	s := &p.taken[at&(portRing-1)]
	free := among &^ *s
	*s |= free & -free
	return free != 0
}

// search is book when at may be unknown or taken.
func (p *ports) search(among portSet, at int64) int64 {
	for {
		if at >= p.end {
			p.extend(at)
		} else if at < p.end-portRing {
			return at // forgotten
		}
		s := &p.taken[at&(portRing-1)]
		if free := among &^ *s; free != 0 {
			*s |= free & -free
			return at
		}
		at++
	}
}

// extend makes the ring hold cycle at, with some beyond it.
func (p *ports) extend(at int64) {
	const step = 64
	if at-p.end >= portRing {
		p.end = at &^ (step - 1)
		clear(p.taken[:])
	}
	for ; p.end <= at; p.end += step {
		first := p.end & (portRing - 1)
		clear(p.taken[first : first+step])
	}
}

// bookLong is book for an instruction that takes its port for n cycles.
func (p *ports) bookLong(among portSet, at, n int64) int64 {
	if at < p.end-portRing {
		return at
	}
	for ; ; at++ {
		if at+n > p.end {
			p.extend(at + n)
		}
		free := among
		for i := range n {
			free &^= p.taken[(at+i)&(portRing-1)]
		}
		if free != 0 {
			for i := range n {
				p.taken[(at+i)&(portRing-1)] |= free & -free
			}
			return at
		}
	}
}
