package window

import "math/bits"

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

// ports are a core's execution ports.
type ports struct {
	calendar [16]calendar
	last     portSet // the port booked last, and those below it
}

// book takes one of the ports in among for n cycles, from the first cycle at or
// after at in which one is free for so long, and returns that cycle. Of those
// that are free at once, the next in turn is taken.
func (p *ports) book(among portSet, at, n int64) int64 {
	for ; ; at++ {
		for _, turn := range [2]portSet{among &^ p.last, among & p.last} {
			for ; turn != 0; turn &= turn - 1 {
				port := bits.TrailingZeros16(uint16(turn)) & 15
				c := &p.calendar[port]
				if n == 1 && c.free(at) {
					c.take(at)
				} else if n > 1 && c.room(at, n) {
					for i := range n {
						c.take(at + i)
					}
				} else {
					continue
				}
				p.last = 2<<port - 1
				return at
			}
		}
	}
}
