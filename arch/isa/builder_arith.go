package isa

func byType(t Type, i, f, d Op) Op {
	switch t {
	case F32:
		return f
	case F64:
		return d
	}
	return i
}

func (b *Builder) op2(op Op, result Type, x, y Operand, t Type) Reg {
	a, c := b.reg(x, t), b.reg(y, t)
	d := b.newReg(result)
	b.emit(Inst{Op: op, D: d, A: a, B: c})
	return d
}

func (b *Builder) arith(x, y Operand, i, f, d Op) Reg {
	t := b.kind(x, y)
	return b.op2(byType(t, i, f, d), t, x, y, t)
}

func (b *Builder) compare(x, y Operand, i, f, d Op) Reg {
	t := b.kind(x, y)
	return b.op2(byType(t, i, f, d), I64, x, y, t)
}

func (b *Builder) op1(op Op, x Operand) Reg {
	form := Table[op].Form
	a := b.reg(x, form.A)
	d := b.newReg(form.D)
	b.emit(Inst{Op: op, D: d, A: a, B: NoReg})
	return d
}

// Add returns x + y, by the operands' type, as the next five do.
func (b *Builder) Add(x, y Operand) Reg { return b.arith(x, y, OpAdd, OpAddF32, OpAddF64) }

// Sub returns x - y.
func (b *Builder) Sub(x, y Operand) Reg { return b.arith(x, y, OpSub, OpSubF32, OpSubF64) }

// Mul returns x * y, of integers the low 64 bits.
func (b *Builder) Mul(x, y Operand) Reg { return b.arith(x, y, OpMul, OpMulF32, OpMulF64) }

// Div returns x / y, of integers towards zero; an integer y of 0 ends the run.
func (b *Builder) Div(x, y Operand) Reg { return b.arith(x, y, OpDiv, OpDivF32, OpDivF64) }

// Min returns the lesser of x and y, NaN if either is.
func (b *Builder) Min(x, y Operand) Reg { return b.arith(x, y, OpMin, OpMinF32, OpMinF64) }

// Max returns the greater of x and y, NaN if either is.
func (b *Builder) Max(x, y Operand) Reg { return b.arith(x, y, OpMax, OpMaxF32, OpMaxF64) }

// FMA returns x*y + z, rounded once, on singles or doubles.
func (b *Builder) FMA(x, y, z Operand) Reg {
	t := b.kind(x, y, z)
	a, c, e := b.reg(x, t), b.reg(y, t), b.reg(z, t)
	d := b.newReg(t)
	b.emit(Inst{Op: byType(t, OpFMAF64, OpFMAF32, OpFMAF64), D: d, A: a, B: c, C: e})
	return d
}

// Sqrt returns the square root of a single or double.
func (b *Builder) Sqrt(x Operand) Reg {
	return b.op1(byType(b.kind(x), OpSqrtF64, OpSqrtF32, OpSqrtF64), x)
}

// Rem returns what x / y leaves, with the sign of x; y = 0 ends the run.
func (b *Builder) Rem(x, y Operand) Reg { return b.op2(OpRem, I64, x, y, I64) }

// And returns x & y.
func (b *Builder) And(x, y Operand) Reg { return b.op2(OpAnd, I64, x, y, I64) }

// Or returns x | y.
func (b *Builder) Or(x, y Operand) Reg { return b.op2(OpOr, I64, x, y, I64) }

// Xor returns x ^ y.
func (b *Builder) Xor(x, y Operand) Reg { return b.op2(OpXor, I64, x, y, I64) }

// Shl returns x << y, 0 for y over 63.
func (b *Builder) Shl(x, y Operand) Reg { return b.op2(OpShl, I64, x, y, I64) }

// Shr returns x >> y with zeros shifted in, 0 for y over 63.
func (b *Builder) Shr(x, y Operand) Reg { return b.op2(OpShr, I64, x, y, I64) }

// Sar returns x >> y with the sign shifted in.
func (b *Builder) Sar(x, y Operand) Reg { return b.op2(OpSar, I64, x, y, I64) }

// Not returns x with every bit inverted.
func (b *Builder) Not(x Operand) Reg { return b.op1(OpNot, x) }

// Popcount returns the number of ones in x.
func (b *Builder) Popcount(x Operand) Reg { return b.op1(OpPopcount, x) }

// FindFirst returns 1 + the index of the lowest one in x, 0 for 0.
func (b *Builder) FindFirst(x Operand) Reg { return b.op1(OpFindFirst, x) }

// I64ToF64 returns x as a double.
func (b *Builder) I64ToF64(x Operand) Reg { return b.op1(OpI64ToF64, x) }

// F64ToI64 returns x towards zero; it saturates, and NaN gives 0.
func (b *Builder) F64ToI64(x Operand) Reg { return b.op1(OpF64ToI64, x) }

// I64ToF32 returns x as a single.
func (b *Builder) I64ToF32(x Operand) Reg { return b.op1(OpI64ToF32, x) }

// F32ToI64 returns x towards zero; it saturates, and NaN gives 0.
func (b *Builder) F32ToI64(x Operand) Reg { return b.op1(OpF32ToI64, x) }

// F32ToF64 returns x as a double.
func (b *Builder) F32ToF64(x Operand) Reg { return b.op1(OpF32ToF64, x) }

// F64ToF32 returns x rounded to a single.
func (b *Builder) F64ToF32(x Operand) Reg { return b.op1(OpF64ToF32, x) }

// Eq returns 1 if x = y, else 0, by the operands' type, as the next four do.
func (b *Builder) Eq(x, y Operand) Reg { return b.compare(x, y, OpEq, OpEqF32, OpEqF64) }

// Lt returns 1 if x < y, else 0.
func (b *Builder) Lt(x, y Operand) Reg { return b.compare(x, y, OpLt, OpLtF32, OpLtF64) }

// Le returns 1 if x <= y, else 0.
func (b *Builder) Le(x, y Operand) Reg { return b.compare(x, y, OpLe, OpLeF32, OpLeF64) }

// Gt returns 1 if x > y, else 0.
func (b *Builder) Gt(x, y Operand) Reg { return b.compare(y, x, OpLt, OpLtF32, OpLtF64) }

// Ge returns 1 if x >= y, else 0.
func (b *Builder) Ge(x, y Operand) Reg { return b.compare(y, x, OpLe, OpLeF32, OpLeF64) }

// Ne returns 1 if the integers x and y differ, else 0.
func (b *Builder) Ne(x, y Operand) Reg { return b.op2(OpNe, I64, x, y, I64) }

// Select returns x where cond is not zero, else y.
func (b *Builder) Select(cond, x, y Operand) Reg {
	t := b.kind(x, y)
	c, p, q := b.reg(cond, I64), b.reg(x, t), b.reg(y, t)
	d := b.newReg(t)
	b.emit(Inst{Op: OpSelect, D: d, A: c, B: p, C: q})
	return d
}

// Clock returns the core's cycle count.
func (b *Builder) Clock() Reg {
	d := b.newReg(I64)
	b.emit(Inst{Op: OpClock, D: d})
	return d
}
