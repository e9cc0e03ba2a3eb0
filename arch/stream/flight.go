package stream

import "math/bits"

// maxLookahead is the most instructions of a stream in flight.
const maxLookahead = 8

// flight is the memory operation of one of the latest instructions.
type flight struct {
	done uint32 // low bits of the cycle from which its data can be used
	pc   uint16
	reg  uint8 // that it loads, modulo 64; noReg for none
	none bool  // the instruction has no memory operation
}

// after returns how many cycles after cycle the operation is done; not
// positive if it has been.
func (f *flight) after(cycle int64) int64 {
	if f.none {
		return 0
	}
	return int64(int32(f.done - uint32(cycle)))
}

// forget drops the flights of a stream that has waited for so long that they
// are done and the low bits of a cycle might say otherwise.
func (s *stream) forget(cycle int64) {
	if cycle-s.since > 1<<30 {
		s.land()
	}
}

// land drops all flights.
func (s *stream) land() {
	for i := range s.flights {
		s.flights[i] = flight{none: true, reg: noReg}
	}
	s.loads = 0
}

// wait makes the stream wait for a flight.
func (s *stream) wait(f *flight, why Stall) {
	if d := f.after(s.ready); d > 0 {
		s.ready += d
		s.reason, s.blame = why, f.pc
	}
}

// depend waits for the loads whose registers the next instruction touches.
func (p *processor) depend(s *stream, next *word) {
	touches := next.touches
	if p.system.kernel.calls {
		touches = bits.RotateLeft64(touches, s.thread.Frame()&63)
	}
	from := s.ready
	for m := s.loads; m != 0; m &= m - 1 {
		f := &s.flights[bits.TrailingZeros8(m)&(maxLookahead-1)]
		switch {
		case f.after(from) <= 0:
			s.loads &^= m & -m
		case touches>>(f.reg&63)&1 != 0:
			s.wait(f, MemoryDependency)
		}
	}
}
