package isa

// integer returns what an instruction of the form integers does to a lane.
func integer(op Op, a, b uint64) uint64 {
	switch op {
	case OpAdd:
		return a + b
	case OpSub:
		return a - b
	case OpMul:
		return a * b
	case OpAnd:
		return a & b
	case OpOr:
		return a | b
	case OpShl:
		return a << b
	default: // OpMov
		return a
	}
}

// compare is integer for comparisons.
func compare(op Op, a, b uint64) bool {
	switch op {
	case OpEq:
		return a == b
	case OpNe:
		return a != b
	case OpLt:
		return int64(a) < int64(b)
	case OpLe:
		return int64(a) <= int64(b)
	case OpEqF64:
		return f64(a) == f64(b)
	case OpLtF64:
		return f64(a) < f64(b)
	default: // OpLeF64
		return f64(a) <= f64(b)
	}
}

// other is integer for others.
func other(op Op, a, b, c uint64) uint64 {
	switch op {
	case OpXor:
		return a ^ b
	case OpShr:
		return a >> b
	case OpMin:
		return uint64(min(int64(a), int64(b)))
	case OpMax:
		return uint64(max(int64(a), int64(b)))
	case OpAddF64:
		return bits64(f64(a) + f64(b))
	case OpMulF64:
		return bits64(f64(a) * f64(b))
	default: // OpSelect
		if a == 0 {
			return c
		}
		return b
	}
}
