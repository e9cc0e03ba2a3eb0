package isa

import "fmt"

// Value returns the launch argument for the array.
func (a Array) Value() Value { return Value{Type: I64, Elem: a.Elem, Array: true, Bits: a.Base} }

// Args returns the launch arguments for arrays, lists of arrays, and integers
// of type int, int32 or int64. It panics on other types.
func Args(list ...any) []Value {
	var args []Value
	integer := func(v int64) { args = append(args, Value{Type: I64, Bits: uint64(v)}) }
	for _, x := range list {
		switch x := x.(type) {
		case Array:
			args = append(args, x.Value())
		case []Array:
			for _, a := range x {
				args = append(args, a.Value())
			}
		case int:
			integer(int64(x))
		case int32:
			integer(int64(x))
		case int64:
			integer(x)
		default:
			panic(fmt.Sprintf("a launch argument of type %T: an array or an integer is wanted", x))
		}
	}
	return args
}
