package kernels

import (
	"fmt"

	"heddle/arch/isa"
)

// Array returns the launch argument for an array.
func Array(a isa.Array) isa.Value {
	return isa.Value{Type: isa.I64, Elem: a.Elem, Array: true, Bits: a.Base}
}

// Int returns the launch argument for an integer.
func Int(v int) isa.Value { return isa.Value{Type: isa.I64, Bits: uint64(v)} }

// Args returns the launch arguments for arrays, lists of arrays, and integers
// of type int, int32 or int64. It panics on other types.
func Args(list ...any) []isa.Value {
	var args []isa.Value
	for _, x := range list {
		switch x := x.(type) {
		case isa.Array:
			args = append(args, Array(x))
		case []isa.Array:
			for _, a := range x {
				args = append(args, Array(a))
			}
		case int:
			args = append(args, Int(x))
		case int32:
			args = append(args, Int(int(x)))
		case int64:
			args = append(args, Int(int(x)))
		default:
			panic(fmt.Sprintf("a launch argument of type %T: an array or an integer is wanted", x))
		}
	}
	return args
}
