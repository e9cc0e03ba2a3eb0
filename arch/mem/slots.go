package mem

import "heddle/sim"

// slots is a pool of equal resources, such as MSHRs, as a min-heap of the times
// at which each is next free.
type slots []sim.Time

// next returns when the slot that is free first can serve a request of time at.
func (s slots) next(at sim.Time) sim.Time { return max(at, s[0]) }

// take occupies that slot until free.
func (s slots) take(free sim.Time) {
	i := 0
	for {
		child := 2*i + 1
		if child >= len(s) {
			break
		}
		if r := child + 1; r < len(s) && s[r] < s[child] {
			child = r
		}
		if s[child] >= free {
			break
		}
		s[i] = s[child]
		i = child
	}
	s[i] = free
}
