package isa

import "math/bits"

// InstStats is what a functional run counts for one instruction of a program.
type InstStats struct {
	Issues    uint64 // by warps
	Lanes     uint64 // by threads
	Divergent uint64 // branches that lanes left both ways
}

// ArrayAccesses counts the accesses of threads to an array.
type ArrayAccesses struct {
	Loads, Stores, Atomics uint64 // operations on full/empty bits are atomics
	Requests               uint64 // by warps
	Bytes                  uint64 // asked for by threads
}

// Profile is what functional runs of a program count beside the total. Counts
// add up over runs.
type Profile struct {
	Insts  []InstStats     // by pc
	Arrays []ArrayAccesses // by ID

	arrayID func(addr uint64) int
	kinds   []accessKind // by pc
	sizes   []uint8
}

// accessKind is what an instruction does to an array.
type accessKind uint8

const (
	noAccess accessKind = iota
	loadAccess
	storeAccess
	atomicAccess
)

// NewProfile returns an empty profile of p; arrayID tells the array that an
// address lies in, negative for none.
func NewProfile(p *Program, arrayID func(addr uint64) int) *Profile {
	f := &Profile{Insts: make([]InstStats, len(p.Code)), arrayID: arrayID, kinds: make([]accessKind, len(p.Code)), sizes: make([]uint8, len(p.Code))}
	for pc := range p.Code {
		in := &p.Code[pc]
		row := in.Row()
		f.sizes[pc] = uint8(in.Type.Size())
		switch {
		case in.Space != Global || row.Memory == NoMemory:
		case row.Memory == Loads:
			f.kinds[pc] = loadAccess
		case row.Memory == Stores:
			f.kinds[pc] = storeAccess
		default:
			f.kinds[pc] = atomicAccess
		}
	}
	return f
}

// access counts what the instruction at pc, which lanes of w have executed, did
// to an array, -1 for the one that the lowest lane's address lies in.
func (f *Profile) access(w *Warp, pc int32, array int, lanes uint64) {
	if f.kinds[pc] == noAccess || lanes == 0 {
		return
	}
	if array < 0 {
		if array = f.arrayID(w.Addr[lowest(lanes)]); array < 0 {
			return
		}
	}
	n := uint64(bits.OnesCount64(lanes))
	for array >= len(f.Arrays) {
		f.Arrays = append(f.Arrays, ArrayAccesses{})
	}
	a := &f.Arrays[array]
	a.Requests++
	a.Bytes += n * uint64(f.sizes[pc])
	switch f.kinds[pc] {
	case loadAccess:
		a.Loads += n
	case storeAccess:
		a.Stores += n
	default:
		a.Atomics += n
	}
}
