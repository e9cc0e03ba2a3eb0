package mem

import (
	"math"
	"math/bits"
	"unsafe"

	"heddle/arch/isa"
)

// Atomic performs op on the element of type t at addr[l] for each lane l set
// in active, in ascending order of lanes, and leaves the element's old value
// in dst[l] as Load would. Integers are signed and wrap around; CompareSwap
// alone reads cmp, and compares bits. dst may be nil, for an operation that
// returns nothing, or any of the operands.
func (s *Space) Atomic(op isa.AtomicOp, t isa.Type, active uint64, addr, val, cmp, dst []uint64) *isa.Fault {
	width := uint64(t.Size())
	if width == 0 {
		return noType(active, addr)
	}
	for m := active; m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m)
		a := s.last
		off := addr[l] - a.Base
		if off >= a.writeLimit(width) || off&(width-1) != 0 {
			var reason isa.FaultReason
			if a, reason = s.resolveWrite(addr[l], width); a == nil {
				return &isa.Fault{Lane: l, Addr: addr[l], Reason: reason, Size: int(width)}
			}
			s.last = a
			off = addr[l] - a.Base
		}
		if a.written != nil && !a.wasWritten(off, width) {
			return &isa.Fault{Lane: l, Addr: addr[l], Reason: isa.NeverWritten, Size: int(width)}
		}
		var c uint64
		if op == isa.CompareSwap {
			c = cmp[l]
		}
		var old uint64
		switch p := unsafe.Add(a.data, off); t {
		case isa.I8:
			old = uint64(*(*uint8)(p))
			*(*uint8)(p) = uint8(updateInt(op, int64(old), int64(uint8(val[l])), int64(uint8(c))))
		case isa.I32:
			x := *(*int32)(p)
			old = uint64(int64(x))
			*(*int32)(p) = int32(updateInt(op, int64(x), int64(int32(val[l])), int64(int32(c))))
		case isa.I64:
			old = *(*uint64)(p)
			*(*int64)(p) = updateInt(op, int64(old), int64(val[l]), int64(c))
		case isa.F32:
			x := *(*uint32)(p)
			old = uint64(x)
			*(*uint32)(p) = updateF32(op, x, uint32(val[l]), uint32(c))
		default:
			old = *(*uint64)(p)
			*(*uint64)(p) = updateF64(op, old, val[l], c)
		}
		if dst != nil {
			dst[l] = old
		}
	}
	return nil
}

// updateInt returns the new value of an element x.
func updateInt(op isa.AtomicOp, x, val, cmp int64) int64 {
	switch op {
	case isa.FetchAdd:
		return x + val
	case isa.FetchMin:
		return min(x, val)
	case isa.FetchMax:
		return max(x, val)
	case isa.CompareSwap:
		if x != cmp {
			return x
		}
	}
	return val
}

// updateF32 returns the new bits of an element of bits x.
func updateF32(op isa.AtomicOp, x, val, cmp uint32) uint32 {
	f, g := math.Float32frombits(x), math.Float32frombits(val)
	switch op {
	case isa.FetchAdd:
		return math.Float32bits(f + g)
	case isa.FetchMin:
		return math.Float32bits(min(f, g))
	case isa.FetchMax:
		return math.Float32bits(max(f, g))
	case isa.CompareSwap:
		if x != cmp {
			return x
		}
	}
	return val
}

// updateF64 is updateF32 for double precision.
func updateF64(op isa.AtomicOp, x, val, cmp uint64) uint64 {
	f, g := math.Float64frombits(x), math.Float64frombits(val)
	switch op {
	case isa.FetchAdd:
		return math.Float64bits(f + g)
	case isa.FetchMin:
		return math.Float64bits(min(f, g))
	case isa.FetchMax:
		return math.Float64bits(max(f, g))
	case isa.CompareSwap:
		if x != cmp {
			return x
		}
	}
	return val
}
