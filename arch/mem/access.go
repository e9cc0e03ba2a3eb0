package mem

import (
	"math/bits"
	"unsafe"

	"heddle/arch/isa"
)

// cell is the host type of a memory access. Converted through int64 it fills a
// register as the access's type asks: uint8 and uint32 zero-extended, int32
// sign-extended.
type cell interface {
	uint8 | int32 | uint32 | uint64
}

// Load reads the element of type t at addr[l] into dst[l] for each lane l set
// in active: I8 zero-extended, I32 sign-extended, F32 as its 32 bits, I64 and
// F64 as 64 bits. Other lanes of dst are unchanged. dst may be addr. No bit of
// active lies at or above len(addr).
func (s *Space) Load(t isa.Type, active uint64, addr, dst []uint64) *isa.Fault {
	switch t {
	case isa.I8:
		return load[uint8](s, active, addr, dst)
	case isa.I32:
		return load[int32](s, active, addr, dst)
	case isa.F32:
		return load[uint32](s, active, addr, dst)
	case isa.I64, isa.F64:
		return load[uint64](s, active, addr, dst)
	}
	return noType(active, addr)
}

// Store writes the low bytes of val[l] as an element of type t at addr[l] for
// each lane l set in active, in ascending order of lanes: of lanes that store
// to one address, the highest wins.
func (s *Space) Store(t isa.Type, active uint64, addr, val []uint64) *isa.Fault {
	switch t {
	case isa.I8:
		return store[uint8](s, active, addr, val)
	case isa.I32, isa.F32:
		return store[uint32](s, active, addr, val)
	case isa.I64, isa.F64:
		return store[uint64](s, active, addr, val)
	}
	return noType(active, addr)
}

func load[T cell](s *Space, active uint64, addr, dst []uint64) *isa.Fault {
	width := uint64(unsafe.Sizeof(T(0)))
	var unwritten *isa.Fault
	if s.memcheck {
		if unwritten = s.checkWritten(width, active, addr); unwritten != nil {
			active &= 1<<unwritten.Lane - 1
		}
	}
	a := s.last
	base, limit, p := a.Base, a.limit(width), a.data
	for m := active; m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m)
		off := addr[l] - base
		if off >= limit || off&(width-1) != 0 {
			var reason isa.FaultReason
			if a, reason = s.resolve(addr[l], width); a == nil {
				return &isa.Fault{Lane: l, Addr: addr[l], Reason: reason, Size: int(width)}
			}
			s.last = a
			base, limit, p = a.Base, a.limit(width), a.data
			off = addr[l] - base
		}
		dst[l] = uint64(int64(*(*T)(unsafe.Add(p, off))))
	}
	return unwritten
}

func store[T cell](s *Space, active uint64, addr, val []uint64) *isa.Fault {
	width := uint64(unsafe.Sizeof(T(0)))
	a := s.last
	base, limit, p := a.Base, a.writeLimit(width), a.data
	for m := active; m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m)
		off := addr[l] - base
		if off >= limit || off&(width-1) != 0 {
			var reason isa.FaultReason
			if a, reason = s.resolveWrite(addr[l], width); a == nil {
				return &isa.Fault{Lane: l, Addr: addr[l], Reason: reason, Size: int(width)}
			}
			s.last = a
			base, limit, p = a.Base, a.writeLimit(width), a.data
			off = addr[l] - base
		}
		*(*T)(unsafe.Add(p, off)) = T(val[l])
		if a.written != nil {
			a.markWritten(off, width)
		}
	}
	return nil
}

// Segment returns the bytes of the array that addr lies in, if plain loads, or
// plain loads and stores, do nothing else than read and write them.
func (s *Space) Segment(addr uint64, writes bool) (isa.Segment, bool) {
	a := s.arrayAt(addr)
	if a == nil || a.size == 0 || a.written != nil || s.memcheck || writes && a.readOnly {
		return isa.Segment{}, false
	}
	return isa.Segment{Base: a.Base, Data: unsafe.Slice((*byte)(a.data), a.size), Array: a.id}, true
}

// limit returns the number of offsets at which an access of width bytes lies
// inside the array.
func (a *array) limit(width uint64) uint64 {
	if a.size < width {
		return 0
	}
	return a.size - width + 1
}

// writeLimit is limit for writes: a read-only array has no such offset.
func (a *array) writeLimit(width uint64) uint64 {
	if a.readOnly {
		return 0
	}
	return a.limit(width)
}

// resolve returns the array of an aligned access inside one, or why there is
// none.
func (s *Space) resolve(addr, width uint64) (*array, isa.FaultReason) {
	a := s.arrayAt(addr)
	if a == nil || addr-a.Base >= a.limit(width) {
		return nil, isa.OutOfBounds
	}
	if addr&(width-1) != 0 {
		return nil, isa.Misaligned
	}
	return a, 0
}

// resolveWrite is resolve for writes.
func (s *Space) resolveWrite(addr, width uint64) (*array, isa.FaultReason) {
	a, reason := s.resolve(addr, width)
	if a != nil && a.readOnly {
		return nil, isa.ReadOnly
	}
	return a, reason
}

// noType is the fault of an access without a type: it covers no byte of any
// array.
func noType(active uint64, addr []uint64) *isa.Fault {
	if active == 0 {
		return nil
	}
	l := bits.TrailingZeros64(active)
	return &isa.Fault{Lane: l, Addr: addr[l], Reason: isa.OutOfBounds}
}
