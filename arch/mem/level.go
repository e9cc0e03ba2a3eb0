package mem

import "heddle/sim"

// Kind says what an access does.
type Kind uint8

// Kinds of access.
const (
	Read Kind = iota
	Write
	Atomic
	kinds
)

func (k Kind) String() string { return [...]string{"read", "write", "atomic"}[k] }

// Access is a request to a level of the memory hierarchy. It is passed by
// value and fits two host registers.
type Access struct {
	Addr  uint64
	Size  int32 // bytes, at least 1
	Kind  Kind
	Array int16 // ID of the array in its Space, -1 for none: statistics only
}

// Level is anything that a cache's miss can go to: another cache, a crossbar,
// DRAM.
//
// Access performs a at time at and returns when it is done: for a read or an
// atomic, when the data are back at the caller; for a write, when the level
// that keeps the data has them. Calls come in the order in which their causes
// were issued, so at may step back a little from one call to the next.
type Level interface {
	Access(at sim.Time, a Access) (done sim.Time)
}
