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
	clock  Ticks
	base   uint64 // first word in the ring, counted from time 0
	beyond uint64 // first free cycle behind the ring
	busy   uint64 // cycles booked
	words  [slotWords]uint64
}

// NewSlots returns a free resource that serves at the edges of clock.
func NewSlots(clock Clock) Slots {
	return Slots{clock: NewTicks(clock)}
}

// Reserve books n cycles, at least 1, from the first clock edge at or after at,
// and returns the end of the last of them.
func (s *Slots) Reserve(at Time, n int) (end Time) {
	return Time(s.Book(s.Cycle(at), n)) * s.clock.Period
}

// Book is Reserve in cycles: it books n of them, at least 1, from cycle c on,
// and returns the one after the last.
func (s *Slots) Book(c uint64, n int) (end uint64) {
	s.busy += uint64(n)
	if w := c >> 6; w-s.base < slotWords && s.take(w, c&63, n) {
		return c + uint64(n)
	}
	return s.search(c, n)
}

// take books n adjacent cycles of word w from bit first on, if they are free.
func (s *Slots) take(w, first uint64, n int) bool {
	word := &s.words[w%slotWords]
	run := (^uint64(0) >> (-n & 63)) << (first & 63)
	if *word&run != 0 || first+uint64(n) > 64 {
		return false
	}
	*word |= run
	return true
}

// search books the first n free cycles from c on.
func (s *Slots) search(c uint64, n int) (end uint64) {
	w := c >> 6
	if w < s.base {
		w, c = s.base, s.base<<6
	}
	mask := ^uint64(0) << (c & 63)
	for ; w < s.base+slotWords; w++ {
		free := ^s.words[w%slotWords] & mask
		mask = ^uint64(0)
		if free == 0 {
			continue
		}
		if first := uint64(bits.TrailingZeros64(free)); s.take(w, first, n) {
			return w<<6 + first + uint64(n)
		}
		for ; free != 0; free &= free - 1 {
			s.words[w%slotWords] |= free & -free
			if n--; n == 0 {
				return w<<6 + uint64(bits.TrailingZeros64(free)) + 1
			}
		}
	}
	s.beyond = max(s.beyond, c, (s.base+slotWords)<<6) + uint64(n)
	return s.beyond
}

// Cycle returns the first cycle that begins at or after t.
func (s *Slots) Cycle(t Time) uint64 { return s.clock.From(t) }

// Advance tells that nothing will be booked before now, so that the ring can
// begin there.
func (s *Slots) Advance(now Time) {
	base := s.Cycle(now) >> 6
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
