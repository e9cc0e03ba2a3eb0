package mem

import "heddle/sim"

// slots is a pool of equal resources, such as MSHRs: the times at which each
// is next free, in order, as a ring. Requests are done nearly in the order in
// which they are made, so that a new time goes in near the end.
type slots struct {
	free []sim.Time
	head int // of the earliest
}

func newSlots(n int) slots { return slots{free: make([]sim.Time, n)} }

// first returns when the first slot is free.
func (s *slots) first() sim.Time { return s.free[s.head] }

// next returns when the slot that is free first can serve a request of time at.
func (s *slots) next(at sim.Time) sim.Time { return max(at, s.first()) }

// take occupies that slot until free.
func (s *slots) take(free sim.Time) {
	i := s.head // its place becomes the last
	if s.head++; s.head == len(s.free) {
		s.head = 0
	}
	for i != s.head {
		before := i - 1
		if before < 0 {
			before = len(s.free) - 1
		}
		if s.free[before] <= free {
			break
		}
		s.free[i] = s.free[before]
		i = before
	}
	s.free[i] = free
}
