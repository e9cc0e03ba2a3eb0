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
	soon [near]leavers
	mask uint64      // cycles, from from on, of which soon has some
	held int         // stations taken
	late []departure // sorted, from gone on
	gone int         // of late, those that have left
}

// near is the number of cycles whose departures are counted.
const near = 64

// leavers are the instructions that are issued in a cycle: how many, and what
// the latest of them waited for.
type leavers struct {
	n   uint32
	why blame
}

// departure is the issue of an instruction, and what it waited for.
type departure struct {
	at  int64
	why blame
}

func newStations(n int) *stations { return &stations{size: n} }

// take occupies a station until at.
func (s *stations) take(at int64, why blame) {
	if !s.takeSoon(at, why) {
		s.takeLong(at, why)
	}
}

// takeSoon is take, if at is one of the next cycles.
func (s *stations) takeSoon(at int64, why blame) bool {
	i := uint64(at - s.from)
	if i >= near {
		return false
	}
	l := &s.soon[at&(near-1)]
	l.n++
	l.why = why
	s.mask |= 1 << i
	s.held++
	return true
}

// takeLong is take if at is farther.
func (s *stations) takeLong(at int64, why blame) {
	d := departure{at, why}
	if at < s.from {
		return
	}
	s.held++
	s.late = append(s.late, d)
	i := len(s.late) - 1
	for ; i > s.gone && s.late[i-1].at > d.at; i-- {
		s.late[i] = s.late[i-1]
	}
	s.late[i] = d
}

// next returns whose departure the next instruction must wait for, one in the
// past if there is a free station. What has left was forgotten.
func (s *stations) next() departure {
	if s.held < s.size {
		return departure{at: -1}
	}
	return s.earliest(s.held - s.size)
}

// forget drops what is issued before at, when an instruction is dispatched at
// the earliest. Another thread of the core may have been further.
func (s *stations) forget(at int64) {
	passed := at - s.from
	s.from = at
	left := s.mask
	if passed < near {
		left &= 1<<passed - 1
	}
	for ; left != 0; left &= left - 1 {
		l := &s.soon[(at-passed+int64(bits.TrailingZeros64(left)))&(near-1)]
		s.held -= int(l.n)
		l.n = 0
	}
	s.mask >>= uint64(passed)
	for s.gone < len(s.late) && s.late[s.gone].at < at {
		s.gone++
		s.held--
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
		l := s.soon[at&(near-1)]
		if n -= int(l.n); n < 0 {
			return departure{at, l.why}
		}
	}
	return late[n]
}
