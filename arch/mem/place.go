package mem

import (
	"fmt"
	"math"

	"heddle/arch/isa"
)

// Place says where an address lies relative to the arrays of a Space.
type Place struct {
	Addr  uint64
	Array isa.Array // the array that holds Addr, or the nearest one
	ID    int       // of Array, -1 if the space holds no array
	Index int       // element, if Inside
	Byte  int       // byte within the element, if Inside
	// Past is 0 inside the array; else the distance in bytes from the end (of
	// the first byte after the array: 1) or, negative, from the beginning.
	Past int64
}

// Inside tells whether the address lies in the array.
func (p Place) Inside() bool { return p.ID >= 0 && p.Past == 0 }

// String returns a form such as "mate[12]", "mate[12] byte 3", or "8 bytes
// past the end of mate (len 100)".
func (p Place) String() string {
	switch {
	case p.Addr < firstBase:
		return "a null pointer"
	case p.ID < 0:
		return "no array"
	case p.Past == 1:
		return fmt.Sprintf("just past the end of %s (len %d)", p.Array.Name, p.Array.Len)
	case p.Past > 1:
		return fmt.Sprintf("%d bytes past the end of %s (len %d)", p.Past-1, p.Array.Name, p.Array.Len)
	case p.Past < 0:
		return fmt.Sprintf("%d bytes before %s (len %d)", -p.Past, p.Array.Name, p.Array.Len)
	case p.Byte != 0:
		return fmt.Sprintf("%s[%d] byte %d", p.Array.Name, p.Index, p.Byte)
	}
	return fmt.Sprintf("%s[%d]", p.Array.Name, p.Index)
}

// Locate returns the place of addr: in an array, or near one.
func (s *Space) Locate(addr uint64) Place {
	best := Place{Addr: addr, ID: -1}
	distance := uint64(math.MaxInt64) // farther than this is nowhere near
	for _, a := range s.arrays {
		off := addr - a.Base
		if off < a.size {
			width := uint64(a.Elem.Size())
			return Place{Addr: addr, Array: a.Array, ID: a.id, Index: int(off / width), Byte: int(off % width)}
		}
		d, sign := off-a.size+1, int64(1)
		if addr < a.Base {
			d, sign = a.Base-addr, -1
		}
		if d < distance {
			distance = d
			best = Place{Addr: addr, Array: a.Array, ID: a.id, Past: sign * int64(d)}
		}
	}
	return best
}

// Where names the element at addr, or says where addr lies, for reports.
func (s *Space) Where(addr uint64) string { return s.Locate(addr).String() }

// Explain returns f as one line that names the array and index, or the nearest
// array.
func (s *Space) Explain(f *isa.Fault) string {
	switch f.Reason {
	case isa.DivideByZero, isa.StackOverflow, isa.NoSharedMemory: // not in this space
		return f.Error()
	}
	return fmt.Sprintf("%v: %v", f, s.Locate(f.Addr))
}
