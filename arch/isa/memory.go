package isa

import "fmt"

// AtomicOp is the operation that an atomic performs on memory.
type AtomicOp uint8

// Atomic operations.
const (
	FetchAdd AtomicOp = iota
	FetchMin
	FetchMax
	Exchange
	CompareSwap
)

// Memory is what a program's global accesses reach. Each method serves one
// warp instruction: addr, dst, val and cmp hold a value a lane, active says
// which lanes take part, and lanes take effect in ascending order.
type Memory interface {
	// Load reads the element of type t at addr[l] into dst[l]: I8 is
	// zero-extended, I32 sign-extended, F32 is kept as its 32 bits.
	Load(t Type, active uint64, addr, dst []uint64) *Fault
	// Store writes val[l] as an element of type t at addr[l].
	Store(t Type, active uint64, addr, val []uint64) *Fault
	// Atomic performs op at addr[l] and leaves the old value in dst[l]. Only
	// CompareSwap has cmp. dst is nil for an operation that returns nothing,
	// and may be any of the operands.
	Atomic(op AtomicOp, t Type, active uint64, addr, val, cmp, dst []uint64) *Fault

	// The full/empty operations act on 64-bit words. Lanes whose word is in
	// the state that the operation waits for complete; the others come back
	// in blocked.
	ReadFF(active uint64, addr, dst []uint64) (blocked uint64, f *Fault)
	ReadFE(active uint64, addr, dst []uint64) (blocked uint64, f *Fault)
	WriteEF(active uint64, addr, val []uint64) (blocked uint64, f *Fault)
	// Purge sets the word to zero and empty.
	Purge(active uint64, addr []uint64) *Fault
}

// FaultReason says why an access is not legal.
type FaultReason uint8

// Reasons for a Fault.
const (
	OutOfBounds FaultReason = iota
	Misaligned
	NeverWritten
	ReadOnly
	NoFullEmpty
	DivideByZero
	StackOverflow
	NoSharedMemory
)

var faultReasons = [...]string{
	OutOfBounds:    "out of bounds",
	Misaligned:     "misaligned",
	NeverWritten:   "reads memory that was never written",
	ReadOnly:       "writes read-only memory",
	NoFullEmpty:    "needs full/empty bits, which this memory lacks",
	DivideByZero:   "divides by zero",
	StackOverflow:  "calls too deep",
	NoSharedMemory: "outside the block's shared memory or the thread's local memory",
}

func (r FaultReason) String() string { return faultReasons[r] }

// Fault is an access that ends the run.
type Fault struct {
	Lane   int
	Addr   uint64
	Size   int // bytes accessed; 0 if the fault is not one of an address
	Reason FaultReason
}

func (f *Fault) Error() string {
	if f.Size == 0 {
		return fmt.Sprintf("lane %d: %s", f.Lane, f.Reason)
	}
	return fmt.Sprintf("lane %d: %d bytes at %#x: %s", f.Lane, f.Size, f.Addr, f.Reason)
}
