package sim

import "math/bits"

// slotWords is the ring of a Slots, in words of 64 cycles.
const slotWords = 64

// Slots is a resource that serves one thing a cycle, booked out of the order
// of its requests' times, as the ports of a crossbar are. It keeps a bit for
// each cycle, so that a booking costs a few instructions and a port fits in a
// few lines of the host's cache.
//
// A booking of n cycles takes the first n free ones at or after its time. The
// ring of 4096 cycles begins where Advance put it; what lies behind the ring
// is served in the order of the calls.
type Slots struct {
	clock   Clock
	inverse float64 // cycles a femtosecond
	base    uint64  // first word in the ring, counted from time 0
	beyond  uint64  // first free cycle behind the ring
	busy    uint64  // cycles booked
	words   [slotWords]uint64
}

// NewSlots returns a free resource that serves at the edges of clock.
func NewSlots(clock Clock) *Slots {
	return &Slots{clock: clock, inverse: 1 / float64(clock.Period)}
}

// Reserve books n cycles, at least 1, from the first clock edge at or after at,
// and returns the end of the last of them.
func (s *Slots) Reserve(at Time, n int) (end Time) {
	c := s.cycle(at)
	s.busy += uint64(n)
	if w := c >> 6; w-s.base < slotWords {
		word := &s.words[w%slotWords]
		if run := (^uint64(0) >> (-n & 63)) << (c & 63); *word&run == 0 && c&63+uint64(n) <= 64 {
			*word |= run
			return Time(c+uint64(n)) * s.clock.Period
		}
	}
	return s.search(c, n)
}

// search books the first n free cycles from c on.
func (s *Slots) search(c uint64, n int) (end Time) {
	w := c >> 6
	if w < s.base {
		w, c = s.base, s.base<<6
	}
	mask := ^uint64(0) << (c & 63)
	for ; w < s.base+slotWords; w++ {
		word := &s.words[w%slotWords]
		free := ^*word & mask
		mask = ^uint64(0)
		for free != 0 {
			bit := free & -free
			*word |= bit
			if n--; n == 0 {
				return s.clock.Span(Cycles(w<<6+uint64(bits.TrailingZeros64(bit))) + 1)
			}
			free &^= bit
		}
	}
	s.beyond = max(s.beyond, c, (s.base+slotWords)<<6) + uint64(n)
	return s.clock.Span(Cycles(s.beyond))
}

// cycle returns the first cycle that begins at or after t.
func (s *Slots) cycle(t Time) uint64 {
	c := Time(float64(t)*s.inverse) + 1 // rounding leaves it at most one off
	if over := c*s.clock.Period - t; over >= s.clock.Period {
		c--
	} else if over < 0 {
		c++
	}
	return uint64(c)
}

// Advance tells that nothing will be booked before now, so that the ring can
// begin there.
func (s *Slots) Advance(now Time) {
	base := s.cycle(now) >> 6
	if base >= s.base+slotWords {
		s.base = base
		for w := range uint64(slotWords) {
			s.words[(base+w)%slotWords] = 0
			s.enter(base + w)
		}
	}
	for ; s.base < base; s.base++ {
		s.words[s.base%slotWords] = 0
		s.enter(s.base + slotWords)
	}
}

// enter books in word w, which the ring has just reached, what was served
// behind the ring.
func (s *Slots) enter(w uint64) {
	switch start := w << 6; {
	case s.beyond <= start:
	case s.beyond >= start+64:
		s.words[w%slotWords] = ^uint64(0)
	default:
		s.words[w%slotWords] = 1<<(s.beyond-start) - 1
	}
}

// Busy returns the time booked so far.
func (s *Slots) Busy() Time { return s.clock.Span(Cycles(s.busy)) }
