package kernels

import "heddle/arch/isa"

// Arrays places arrays in a machine's memory. After an error it places no
// more, so that a driver asks for the error once, at the end.
type Arrays struct {
	machine Machine
	err     error
}

// NewArrays returns an allocator in the memory of m.
func NewArrays(m Machine) *Arrays { return &Arrays{machine: m} }

// Adopt is Machine.Adopt.
func (a *Arrays) Adopt(name string, data any) (array isa.Array) {
	if a.err == nil {
		array, a.err = a.machine.Adopt(name, data)
	}
	return array
}

// Alloc is Machine.Alloc.
func (a *Arrays) Alloc(name string, elem isa.Type, n int) (array isa.Array) {
	if a.err == nil {
		array, a.err = a.machine.Alloc(name, elem, n)
	}
	return array
}

// Err returns the first error.
func (a *Arrays) Err() error { return a.err }
