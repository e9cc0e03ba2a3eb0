package window

// calendarWords is the length of a calendar's ring, in words of 64 cycles: a
// power of two, longer than the spread of issue times in a window.
const calendarWords = 64

// calendar keeps which cycles of an execution port, or of the dispatch stage,
// are taken. Cycles are booked out of order. What lies a ring's length before
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

// room reports whether n cycles from at on are free.
func (c *calendar) room(at, n int64) bool {
	for i := range n {
		if !c.free(at + i) {
			return false
		}
	}
	return true
}

// reset frees every cycle.
func (c *calendar) reset() { clear(c.word[:]) }

// ports are a core's execution ports.
type ports struct {
	calendar []calendar
	turn     int // spreads instructions over ports that are all free
}

// book takes one of the ports in which for n cycles, from the first cycle at or
// after at in which one is free for so long, and returns that cycle.
func (p *ports) book(among []uint8, at, n int64) int64 {
	p.turn++
	for {
		i := p.turn
		for range among {
			if i >= len(among) {
				i = 0
				p.turn = 0
			}
			c := &p.calendar[among[i]]
			if n == 1 {
				if c.free(at) {
					c.take(at)
					return at
				}
			} else if c.room(at, n) {
				for j := range n {
					c.take(at + j)
				}
				return at
			}
			i++
		}
		at++
	}
}
