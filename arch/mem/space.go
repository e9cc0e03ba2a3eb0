package mem

import (
	"fmt"
	"unsafe"

	"heddle/arch/isa"
	"heddle/sim"
)

// Layout of the address space. Every array starts a page of its own and is
// followed by an unmapped gap of at least one page, so that an index off by
// less than 64 KiB faults instead of reading the neighbour.
const (
	pageBits  = 16
	pageBytes = 1 << pageBits
	firstBase = 1 << 20 // lower addresses hold nothing: a null pointer faults
	wordBytes = 8       // a full/empty bit covers an aligned word
)

// Space is the memory of one simulated device: named, typed arrays at
// simulated addresses, stored as the host's little-endian bytes. It is not
// safe for concurrent use.
type Space struct {
	capacity sim.Bytes
	used     sim.Bytes

	arrays []*array
	page   []int32 // page of an address to 1 + index in arrays, 0 if unmapped
	next   uint64  // base of the next array
	last   *array  // array of the latest access, never nil

	fullEmpty bool
	memcheck  bool
}

// array is the storage behind one isa.Array.
type array struct {
	isa.Array
	id       int
	size     uint64 // bytes
	data     unsafe.Pointer
	readOnly bool

	empty   []uint64 // a bit per word, set when empty; nil without full/empty bits
	written []uint64 // a bit per byte, set when written; nil if all counts as written
}

// ArrayInfo describes an array of a Space. Its ID is its index in order of
// allocation, the one that ArrayID returns and Access.Array carries.
type ArrayInfo struct {
	isa.Array
	ID       int
	Bytes    sim.Bytes
	ReadOnly bool
}

// NewSpace returns an empty memory that holds arrays of up to capacity bytes
// in total; the gaps between them are free.
func NewSpace(capacity sim.Bytes) *Space {
	return &Space{
		capacity: capacity,
		next:     firstBase,
		page:     make([]int32, firstBase>>pageBits),
		last:     &array{id: -1},
	}
}

// Capacity returns the bytes the space can hold.
func (s *Space) Capacity() sim.Bytes { return s.capacity }

// Used returns the bytes of the arrays held.
func (s *Space) Used() sim.Bytes { return s.used }

// Alloc returns a new array of n elements, all zero bytes and never written.
// Several arrays may share a name; reports then cannot tell them apart.
func (s *Space) Alloc(name string, elem isa.Type, n int) (isa.Array, error) {
	a, err := s.place(name, elem, n)
	if err != nil {
		return isa.Array{}, err
	}
	s.giveBits(a)
	// Backed by words, so that 64-bit views of the bytes are aligned.
	if words := make([]uint64, (a.size+wordBytes-1)/wordBytes); len(words) > 0 {
		a.data = unsafe.Pointer(&words[0])
	}
	if s.memcheck {
		a.written = make([]uint64, (a.size+63)/64)
	}
	return a.Array, nil
}

// Reserve returns a new array that has addresses and no storage, for accesses
// that are timed and not performed.
func (s *Space) Reserve(name string, elem isa.Type, n int) (isa.Array, error) {
	a, err := s.place(name, elem, n)
	if err != nil {
		return isa.Array{}, err
	}
	return a.Array, nil
}

// giveBits gives an array its full/empty bits, all full, if there are any.
func (s *Space) giveBits(a *array) {
	if s.fullEmpty {
		a.empty = make([]uint64, bitmapWords(a.size/wordBytes))
	}
}

// Adopt maps the host slice data ([]uint8, []int32, []int64, []float32 or
// []float64) into the space without copying it. The array is read-only to
// programs. Whoever adopts a slice must not change its length or free it.
func (s *Space) Adopt(name string, data any) (isa.Array, error) {
	var elem isa.Type
	var n int
	var p unsafe.Pointer
	switch d := data.(type) {
	case []uint8:
		elem, n, p = isa.I8, len(d), unsafe.Pointer(unsafe.SliceData(d))
	case []int32:
		elem, n, p = isa.I32, len(d), unsafe.Pointer(unsafe.SliceData(d))
	case []int64:
		elem, n, p = isa.I64, len(d), unsafe.Pointer(unsafe.SliceData(d))
	case []float32:
		elem, n, p = isa.F32, len(d), unsafe.Pointer(unsafe.SliceData(d))
	case []float64:
		elem, n, p = isa.F64, len(d), unsafe.Pointer(unsafe.SliceData(d))
	default:
		return isa.Array{}, fmt.Errorf("array %s: cannot adopt a %T: "+
			"one of []uint8, []int32, []int64, []float32, []float64", name, data)
	}
	a, err := s.place(name, elem, n)
	if err != nil {
		return isa.Array{}, err
	}
	s.giveBits(a)
	a.data, a.readOnly = p, true
	return a.Array, nil
}

// place gives an array its addresses, without storage.
func (s *Space) place(name string, elem isa.Type, n int) (*array, error) {
	width := elem.Size()
	if width == 0 {
		return nil, fmt.Errorf("array %s: element type %d has no size: one of i8, i32, i64, f32, f64", name, elem)
	}
	if n < 0 {
		return nil, fmt.Errorf("array %s: %d elements asked", name, n)
	}
	free := s.capacity - s.used
	if sim.Bytes(n) > free/sim.Bytes(width) {
		return nil, fmt.Errorf("array %s: %d elements of %d bytes do not fit: %d bytes free of %d",
			name, n, width, free, s.capacity)
	}
	size := uint64(n) * uint64(width)
	a := &array{
		Array: isa.Array{Name: name, Elem: elem, Base: s.next, Len: n},
		id:    len(s.arrays),
		size:  size,
	}
	pages := (size + pageBytes - 1) >> pageBits
	if pages == 0 {
		pages = 1
	}
	s.arrays = append(s.arrays, a)
	for range pages {
		s.page = append(s.page, int32(len(s.arrays)))
	}
	s.page = append(s.page, 0) // the gap
	s.next += (pages + 1) << pageBits
	s.used += sim.Bytes(size)
	return a, nil
}

// View returns the live elements of a as a slice of its host type ([]uint8,
// []int32, []int64, []float32 or []float64), without a copy, or nil if a is
// not an array of s. The host must not write to an adopted array; after it
// writes to another one under memcheck, it says so with MarkWritten.
func (s *Space) View(a isa.Array) any {
	x := s.arrayAt(a.Base)
	if x == nil || x.Array != a {
		return nil
	}
	switch a.Elem {
	case isa.I8:
		return unsafe.Slice((*uint8)(x.data), a.Len)
	case isa.I32:
		return unsafe.Slice((*int32)(x.data), a.Len)
	case isa.I64:
		return unsafe.Slice((*int64)(x.data), a.Len)
	case isa.F32:
		return unsafe.Slice((*float32)(x.data), a.Len)
	}
	return unsafe.Slice((*float64)(x.data), a.Len)
}

// Arrays lists the arrays in order of allocation.
func (s *Space) Arrays() []ArrayInfo {
	list := make([]ArrayInfo, len(s.arrays))
	for i, a := range s.arrays {
		list[i] = ArrayInfo{Array: a.Array, ID: a.id, Bytes: sim.Bytes(a.size), ReadOnly: a.readOnly}
	}
	return list
}

// ArrayID returns the ID of the array that addr lies in, -1 outside them all.
func (s *Space) ArrayID(addr uint64) int {
	if a := s.last; addr-a.Base < a.size {
		return a.id
	}
	if a := s.arrayAt(addr); a != nil && addr-a.Base < a.size {
		return a.id
	}
	return -1
}

// arrayAt returns the array whose pages addr lies in, or nil. The address may
// still be past the array's end.
func (s *Space) arrayAt(addr uint64) *array {
	p := addr >> pageBits
	if p >= uint64(len(s.page)) || s.page[p] == 0 {
		return nil
	}
	return s.arrays[s.page[p]-1]
}

// bitmapWords returns the 64-bit words that hold n bits.
func bitmapWords(n uint64) uint64 { return (n + 63) / 64 }
