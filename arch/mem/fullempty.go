package mem

import (
	"math/bits"
	"unsafe"

	"heddle/arch/isa"
)

// EnableFullEmpty gives every aligned 64-bit word a full/empty bit, full at
// first. Plain loads, stores and atomics neither look at the bits nor change
// them.
func (s *Space) EnableFullEmpty() {
	s.fullEmpty = true
	for _, a := range s.arrays {
		if a.empty == nil {
			a.empty = make([]uint64, bitmapWords(a.size/wordBytes))
		}
	}
}

// Full tells whether the word that addr lies in is full. A word without a bit
// is full.
func (s *Space) Full(addr uint64) bool {
	a, _ := s.resolve(addr&^(wordBytes-1), wordBytes)
	return a == nil || a.empty == nil || !a.isEmpty(addr-a.Base)
}

// ReadFF reads the words at addr that are full into dst and leaves them full.
// It returns the lanes whose word is empty.
func (s *Space) ReadFF(active uint64, addr, dst []uint64) (blocked uint64, f *isa.Fault) {
	for m := active; m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m)
		a, reason := s.fullEmptyWord(addr[l])
		if a == nil {
			return blocked, &isa.Fault{Lane: l, Addr: addr[l], Reason: reason, Size: wordBytes}
		}
		off := addr[l] - a.Base
		if a.isEmpty(off) {
			blocked |= 1 << l
			continue
		}
		if a.written != nil && !a.wasWritten(off, wordBytes) {
			return blocked, &isa.Fault{Lane: l, Addr: addr[l], Reason: isa.NeverWritten, Size: wordBytes}
		}
		dst[l] = *(*uint64)(unsafe.Add(a.data, off))
	}
	return blocked, nil
}

// ReadFE reads the words at addr that are full into dst and makes them empty.
// It returns the lanes whose word is empty: of lanes that read one full word,
// all but the lowest.
func (s *Space) ReadFE(active uint64, addr, dst []uint64) (blocked uint64, f *isa.Fault) {
	for m := active; m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m)
		a, reason := s.changeableWord(addr[l])
		if a == nil {
			return blocked, &isa.Fault{Lane: l, Addr: addr[l], Reason: reason, Size: wordBytes}
		}
		off := addr[l] - a.Base
		if a.isEmpty(off) {
			blocked |= 1 << l
			continue
		}
		if a.written != nil && !a.wasWritten(off, wordBytes) {
			return blocked, &isa.Fault{Lane: l, Addr: addr[l], Reason: isa.NeverWritten, Size: wordBytes}
		}
		a.setEmpty(off)
		dst[l] = *(*uint64)(unsafe.Add(a.data, off))
	}
	return blocked, nil
}

// WriteEF writes val to the words at addr that are empty and makes them full.
// It returns the lanes whose word is full: of lanes that write one empty word,
// all but the lowest.
func (s *Space) WriteEF(active uint64, addr, val []uint64) (blocked uint64, f *isa.Fault) {
	for m := active; m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m)
		a, reason := s.changeableWord(addr[l])
		if a == nil {
			return blocked, &isa.Fault{Lane: l, Addr: addr[l], Reason: reason, Size: wordBytes}
		}
		off := addr[l] - a.Base
		if !a.isEmpty(off) {
			blocked |= 1 << l
			continue
		}
		a.setFull(off)
		a.putWord(off, val[l])
	}
	return blocked, nil
}

// WriteXF writes val to the words at addr, whatever their state, and makes
// them full.
func (s *Space) WriteXF(active uint64, addr, val []uint64) *isa.Fault {
	for m := active; m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m)
		a, reason := s.changeableWord(addr[l])
		if a == nil {
			return &isa.Fault{Lane: l, Addr: addr[l], Reason: reason, Size: wordBytes}
		}
		off := addr[l] - a.Base
		a.setFull(off)
		a.putWord(off, val[l])
	}
	return nil
}

// Purge makes the words at addr empty, whatever their state, and zeroes them.
func (s *Space) Purge(active uint64, addr []uint64) *isa.Fault {
	for m := active; m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m)
		a, reason := s.changeableWord(addr[l])
		if a == nil {
			return &isa.Fault{Lane: l, Addr: addr[l], Reason: reason, Size: wordBytes}
		}
		off := addr[l] - a.Base
		a.setEmpty(off)
		a.putWord(off, 0)
	}
	return nil
}

// fullEmptyWord returns the array of the word at addr, or why there is none.
func (s *Space) fullEmptyWord(addr uint64) (*array, isa.FaultReason) {
	if !s.fullEmpty {
		return nil, isa.NoFullEmpty
	}
	if a := s.last; addr-a.Base < a.limit(wordBytes) && addr%wordBytes == 0 {
		return a, 0
	}
	a, reason := s.resolve(addr, wordBytes)
	if a != nil {
		s.last = a
	}
	return a, reason
}

// changeableWord is fullEmptyWord for operations that change the word or its
// bit.
func (s *Space) changeableWord(addr uint64) (*array, isa.FaultReason) {
	a, reason := s.fullEmptyWord(addr)
	if a != nil && a.readOnly {
		return nil, isa.ReadOnly
	}
	return a, reason
}

func (a *array) isEmpty(off uint64) bool {
	w := off / wordBytes
	return a.empty[w/64]>>(w%64)&1 != 0
}

func (a *array) setEmpty(off uint64) {
	w := off / wordBytes
	a.empty[w/64] |= 1 << (w % 64)
}

func (a *array) setFull(off uint64) {
	w := off / wordBytes
	a.empty[w/64] &^= 1 << (w % 64)
}

func (a *array) putWord(off, val uint64) {
	*(*uint64)(unsafe.Add(a.data, off)) = val
	if a.written != nil {
		a.markWritten(off, wordBytes)
	}
}
