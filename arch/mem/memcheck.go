package mem

import (
	"math/bits"

	"heddle/arch/isa"
)

// EnableMemcheck makes reads of memory that nothing has written fault, in
// arrays allocated from now on. It costs a bit of host memory a byte.
func (s *Space) EnableMemcheck() { s.memcheck = true }

// MarkWritten records that the host has filled a through its View.
func (s *Space) MarkWritten(a isa.Array) {
	if x := s.arrayAt(a.Base); x != nil && x.Array == a {
		x.written = nil
	}
}

// checkWritten returns the fault of the lowest lane whose read is out of
// bounds, misaligned or of memory never written.
func (s *Space) checkWritten(width, active uint64, addr []uint64) *isa.Fault {
	for m := active; m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m)
		a, reason := s.resolve(addr[l], width)
		if a != nil && a.written != nil && !a.wasWritten(addr[l]-a.Base, width) {
			a, reason = nil, isa.NeverWritten
		}
		if a == nil {
			return &isa.Fault{Lane: l, Addr: addr[l], Reason: reason, Size: int(width)}
		}
	}
	return nil
}

// wasWritten tells whether all bytes of an aligned access have been written.
func (a *array) wasWritten(off, width uint64) bool {
	mask := uint64(1)<<width - 1
	return a.written[off/64]>>(off%64)&mask == mask
}

func (a *array) markWritten(off, width uint64) {
	a.written[off/64] |= (uint64(1)<<width - 1) << (off % 64)
}
