package mem

import "fmt"

// FaultReason says why an access cannot be performed.
type FaultReason uint8

// Reasons of a Fault.
const (
	OutOfBounds  FaultReason = iota // not wholly inside an array
	Misaligned                      // not a multiple of the access's size
	NeverWritten                    // read of memory that nothing has written, under memcheck
	ReadOnly                        // write to an adopted array
	NoFullEmpty                     // full/empty access on a machine without the bits
	BadType                         // an operation that the type does not have
)

func (r FaultReason) String() string {
	switch r {
	case OutOfBounds:
		return "is out of bounds"
	case Misaligned:
		return "is misaligned"
	case NeverWritten:
		return "reads memory never written"
	case ReadOnly:
		return "writes to read-only memory"
	case NoFullEmpty:
		return "needs full/empty bits, which this machine lacks"
	}
	return "has a type that the operation is not defined on"
}

// Fault is an access that was refused. Lanes below Lane have taken effect,
// Lane and those above it have not.
type Fault struct {
	Lane   int
	Addr   uint64
	Reason FaultReason
	Size   int // bytes of the access
}

// Explain returns f as one line: lane, size, address, reason and the nearest
// array with the index.
func (s *Space) Explain(f *Fault) string {
	return fmt.Sprintf("lane %d: access of %d bytes at %#x %v: %v",
		f.Lane, f.Size, f.Addr, f.Reason, s.Locate(f.Addr))
}
