package isa

import "fmt"

// Type is the type of an array element or of a memory access. Registers hold
// 64 bits: integers of every width as I64, floats as F32 or F64.
type Type uint8

// Element types. I8 is unsigned (flags, states); I32 is sign-extended on load.
const (
	NoType Type = iota
	I8
	I32
	I64
	F32
	F64
)

var typeNames = [...]string{NoType: "none", I8: "i8", I32: "i32", I64: "i64", F32: "f32", F64: "f64"}

func (t Type) String() string {
	if int(t) >= len(typeNames) {
		return fmt.Sprintf("type %d", uint8(t))
	}
	return typeNames[t]
}

// Size returns the bytes that an element of type t occupies in memory.
func (t Type) Size() int {
	switch t {
	case I8:
		return 1
	case I32, F32:
		return 4
	case I64, F64:
		return 8
	}
	return 0
}

// Register returns the type of the register that holds a value of type t.
func (t Type) Register() Type {
	switch t {
	case I8, I32, I64:
		return I64
	}
	return t
}

// ParseType returns the type named s.
func ParseType(s string) (Type, error) {
	for t, n := range typeNames {
		if n == s && t != int(NoType) {
			return Type(t), nil
		}
	}
	return NoType, fmt.Errorf("unknown type %q: one of i8, i32, i64, f32, f64", s)
}

// Array is a program's handle on an array in a machine's memory.
type Array struct {
	Name string
	Elem Type
	Base uint64 // address of element 0
	Len  int    // elements
}
