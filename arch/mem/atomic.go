package mem

import (
	"fmt"
	"math"
	"math/bits"
	"unsafe"

	"heddle/arch/isa"
)

// AtomicOp is a read-modify-write of one element.
type AtomicOp uint8

// Atomic operations. Integers are signed and wrap around.
const (
	FetchAdd AtomicOp = iota
	FetchMin
	FetchMax
	Exchange
	CompareSwap // writes val where the element equals cmp, bit for bit
)

var atomicNames = [...]string{"fetch-add", "fetch-min", "fetch-max", "exchange", "compare-swap"}

func (op AtomicOp) String() string {
	if int(op) < len(atomicNames) {
		return atomicNames[op]
	}
	return fmt.Sprintf("AtomicOp(%d)", uint8(op))
}

// On tells whether op is defined on elements of type t: all of them on I32 and
// I64; FetchAdd, Exchange and CompareSwap on F32 and F64 too.
func (op AtomicOp) On(t isa.Type) bool {
	switch t {
	case isa.I32, isa.I64:
		return op <= CompareSwap
	case isa.F32, isa.F64:
		return op == FetchAdd || op == Exchange || op == CompareSwap
	}
	return false
}

// Atomic performs op on the element of type t at addr[l] for each lane l set
// in active, in ascending order of lanes, and leaves the element's old value in
// dst[l] as Load would. cmp is read by CompareSwap only; dst may be nil, for an
// operation that returns nothing, or any of the operands.
func (s *Space) Atomic(op AtomicOp, t isa.Type, active uint64, addr, val, cmp, dst []uint64) *Fault {
	if !op.On(t) {
		return badType(t, active, addr)
	}
	width := uint64(t.Size())
	for m := active; m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m)
		a, reason := s.last, FaultReason(0)
		off := addr[l] - a.Base
		if off >= a.writeLimit(width) || off&(width-1) != 0 {
			if a, reason = s.resolveWrite(addr[l], width); a == nil {
				return &Fault{Lane: l, Addr: addr[l], Reason: reason, Size: int(width)}
			}
			s.last = a
			off = addr[l] - a.Base
		}
		if a.written != nil && !a.wasWritten(off, width) {
			return &Fault{Lane: l, Addr: addr[l], Reason: NeverWritten, Size: int(width)}
		}
		var c uint64
		if op == CompareSwap {
			c = cmp[l]
		}
		p := unsafe.Add(a.data, off)
		var old uint64
		switch t {
		case isa.I32:
			q := (*int32)(p)
			old = uint64(int64(*q))
			*q = update(op, *q, int32(val[l]), int32(c))
		case isa.I64:
			q := (*int64)(p)
			old = uint64(*q)
			*q = update(op, *q, int64(val[l]), int64(c))
		case isa.F32:
			q := (*uint32)(p)
			old = uint64(*q)
			if op == FetchAdd {
				*q = math.Float32bits(math.Float32frombits(*q) + math.Float32frombits(uint32(val[l])))
			} else {
				*q = uint32(update(op, int32(*q), int32(val[l]), int32(c)))
			}
		default:
			q := (*uint64)(p)
			old = *q
			if op == FetchAdd {
				*q = math.Float64bits(math.Float64frombits(*q) + math.Float64frombits(val[l]))
			} else {
				*q = uint64(update(op, int64(*q), int64(val[l]), int64(c)))
			}
		}
		if dst != nil {
			dst[l] = old
		}
	}
	return nil
}

// update returns the new value of an element x.
func update[T int32 | int64](op AtomicOp, x, val, cmp T) T {
	switch op {
	case FetchAdd:
		return x + val
	case FetchMin:
		return min(x, val)
	case FetchMax:
		return max(x, val)
	case CompareSwap:
		if x != cmp {
			return x
		}
	}
	return val
}
