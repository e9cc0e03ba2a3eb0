package isa

// lanes returns a register's lanes, and what follows them.
func (v *view) lanes(o operand) *[MaxWidth]uint64 {
	i := o & operandIndex
	return (*[MaxWidth]uint64)(v[o>>operandShift][i : i+MaxWidth])
}

// nonZero returns in which of some lanes a register is not zero.
func (v *view) nonZero(o operand, lanes uint64) (mask uint64) {
	for m := lanes; m != 0; m &= m - 1 {
		if v.get(o+operand(lowest(m))) != 0 {
			mask |= m & -m
		}
	}
	return mask
}

// integerLanes executes an instruction of the form integers.
func integerLanes(op Op, active uint64, d, a, b *[MaxWidth]uint64) {
	switch op {
	case OpAdd:
		for m := active; m != 0; m &= m - 1 {
			l := lowest(m)
			d[l] = a[l] + b[l]
		}
	case OpSub:
		for m := active; m != 0; m &= m - 1 {
			l := lowest(m)
			d[l] = a[l] - b[l]
		}
	case OpMul:
		for m := active; m != 0; m &= m - 1 {
			l := lowest(m)
			d[l] = a[l] * b[l]
		}
	case OpAnd:
		for m := active; m != 0; m &= m - 1 {
			l := lowest(m)
			d[l] = a[l] & b[l]
		}
	case OpOr:
		for m := active; m != 0; m &= m - 1 {
			l := lowest(m)
			d[l] = a[l] | b[l]
		}
	case OpShl:
		for m := active; m != 0; m &= m - 1 {
			l := lowest(m)
			d[l] = a[l] << b[l]
		}
	default: // OpMov
		for m := active; m != 0; m &= m - 1 {
			l := lowest(m)
			d[l] = a[l]
		}
	}
}

// compareLanes executes an instruction of the form comparisons.
func compareLanes(op Op, active uint64, d, a, b *[MaxWidth]uint64) {
	switch op {
	case OpEq:
		for m := active; m != 0; m &= m - 1 {
			l := lowest(m)
			d[l] = truth(a[l] == b[l])
		}
	case OpNe:
		for m := active; m != 0; m &= m - 1 {
			l := lowest(m)
			d[l] = truth(a[l] != b[l])
		}
	case OpLt:
		for m := active; m != 0; m &= m - 1 {
			l := lowest(m)
			d[l] = truth(int64(a[l]) < int64(b[l]))
		}
	case OpLe:
		for m := active; m != 0; m &= m - 1 {
			l := lowest(m)
			d[l] = truth(int64(a[l]) <= int64(b[l]))
		}
	case OpEqF64:
		for m := active; m != 0; m &= m - 1 {
			l := lowest(m)
			d[l] = truth(f64(a[l]) == f64(b[l]))
		}
	case OpLtF64:
		for m := active; m != 0; m &= m - 1 {
			l := lowest(m)
			d[l] = truth(f64(a[l]) < f64(b[l]))
		}
	default: // OpLeF64
		for m := active; m != 0; m &= m - 1 {
			l := lowest(m)
			d[l] = truth(f64(a[l]) <= f64(b[l]))
		}
	}
}

// otherLanes executes an instruction of the form others.
func otherLanes(op Op, active uint64, d, a, b, c *[MaxWidth]uint64) {
	for m := active; m != 0; m &= m - 1 {
		l := lowest(m)
		d[l] = other(op, a[l], b[l], c[l])
	}
}
