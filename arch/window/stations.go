package window

import "math/bits"

// stations are reservation stations: each is held by an instruction from its
// dispatch until its issue.
//
// Most instructions are issued soon and only counted, by the cycle of their
// issue; the others are kept in the order of theirs.
type stations struct {
	size int
	from int64 // cycle; who was issued before has left
	soon [near]uint16
	why  [near]blame // of the latest of each cycle
	mask uint64      // cycles, from from on, of which soon has some
	all  int         // of soon
	late []departure // sorted, from gone on
	gone int         // of late, those that have left
}

// near is the number of cycles whose departures are counted.
const near = 64

// departure is the issue of an instruction, and what it waited for.
type departure struct {
	at  int64
	why blame
}

func newStations(n int) *stations { return &stations{size: n} }

// take occupies a station until at.
func (s *stations) take(at int64, why blame) {
	if i := uint64(at - s.from); i < near {
		s.soon[at&(near-1)]++
		s.why[at&(near-1)] = why
		s.mask |= 1 << i
		s.all++
		return
	}
	if at >= s.from {
		s.takeLong(departure{at, why})
	}
}

func (s *stations) takeLong(d departure) {
	s.late = append(s.late, d)
	i := len(s.late) - 1
	for ; i > s.gone && s.late[i-1].at > d.at; i-- {
		s.late[i] = s.late[i-1]
	}
	s.late[i] = d
}

// next returns whose departure an instruction must wait for that would be
// dispatched at cycle at, one before at if there is a free station. Another
// thread of the core may have asked for a later cycle before.
func (s *stations) next(at int64) departure {
	if at > s.from {
		s.forget(at)
	}
	if s.all+len(s.late)-s.gone < s.size {
		return departure{at: -1}
	}
	return s.earliest(s.all + len(s.late) - s.gone - s.size)
}

// forget drops what is issued before at.
func (s *stations) forget(at int64) {
	passed := at - s.from
	s.from = at
	left := s.mask
	if passed < near {
		left &= 1<<passed - 1
	}
	for ; left != 0; left &= left - 1 {
		n := &s.soon[(at-passed+int64(bits.TrailingZeros64(left)))&(near-1)]
		s.all -= int(*n)
		*n = 0
	}
	s.mask >>= uint64(passed)
	for s.gone < len(s.late) && s.late[s.gone].at < at {
		s.gone++
	}
	if s.gone >= 64 || s.gone == len(s.late) {
		s.late = s.late[:copy(s.late, s.late[s.gone:])]
		s.gone = 0
	}
}

// earliest returns the departure that n others precede.
func (s *stations) earliest(n int) departure {
	late := s.late[s.gone:]
	for soon := s.mask; soon != 0; soon &= soon - 1 {
		at := s.from + int64(bits.TrailingZeros64(soon))
		for len(late) > 0 && late[0].at < at {
			if n == 0 {
				return late[0]
			}
			late = late[1:]
			n--
		}
		if n -= int(s.soon[at&(near-1)]); n < 0 {
			return departure{at, s.why[at&(near-1)]}
		}
	}
	return late[n]
}
