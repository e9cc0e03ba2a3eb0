package isa

// step is an instruction of a program with what a Scalar needs to know of it.
type step struct {
	form    form
	op      Op
	element Type // of an access
	d       Reg  // index among the function's own registers
	a, b, c Reg
	next    int32  // pc of what follows
	to      int32  // of what a jump goes to, and a branch whose a is zero
	scale   uint64 // that b is multiplied by
	offset  uint64

	// The segment of the latest access, and of which offsets in it an access
	// begins at: those below limit that have no bit of mask.
	base, limit, mask uint64
	data              []byte
	array             int
}

// form is how a Scalar executes an instruction.
type form uint8

const (
	byTable  form = iota
	loads         // from global memory
	stores        // to global memory
	branches      // go on where a is not zero
	jumps
	integers
	comparisons
	others // arithmetic
)

// formOf lists the instructions that are not left to the table.
var formOf = map[Op]form{
	OpAdd: integers, OpSub: integers, OpMul: integers, OpAnd: integers, OpOr: integers, OpShl: integers, OpMov: integers,
	OpXor: others, OpShr: others, OpMin: others, OpMax: others, OpAddF64: others, OpMulF64: others, OpSelect: others,
	OpEq: comparisons, OpNe: comparisons, OpLt: comparisons, OpLe: comparisons,
	OpEqF64: comparisons, OpLtF64: comparisons, OpLeF64: comparisons,
	OpIf: branches, OpWhile: branches, OpBreakZero: branches, OpBreakNonZero: branches,
	OpElse: jumps, OpEndLoop: jumps, OpBreak: jumps, OpContinue: jumps,
	OpLoad: loads, OpStore: stores,
}

// resolve returns the steps of p, one an instruction.
func resolve(p *Program) []step {
	steps := make([]step, len(p.Code))
	after := func(pc int32) int32 { // the first instruction from pc on that costs something
		for int(pc) < len(p.Code) && isFree[p.Code[pc].Op] {
			pc++
		}
		return pc
	}
	var loops []*Inst // open ones
	for pc := range steps {
		in := &p.Code[pc]
		s := &steps[pc]
		*s = step{form: formOf[in.Op], op: in.Op, element: in.Type, a: in.A, b: in.B, c: in.C,
			next: after(int32(pc) + 1), scale: uint64(in.Scale), offset: uint64(in.Off)}
		if in.D != NoReg {
			s.d = Reg(in.D.Index())
		}
		if in.B == NoReg {
			s.b, s.scale = in.A, 0
		}
		if in.Row().Memory != NoMemory {
			s.mask = uint64(in.Type.Size()) - 1
			if in.Space != Global {
				s.form = byTable
			}
		}
		switch in.Op {
		case OpLoop:
			loops = append(loops, in)
		case OpIf, OpElse:
			s.to = after(in.To + 1)
		case OpEndLoop:
			s.to = after(in.To + 1)
			loops = loops[:len(loops)-1]
		case OpWhile:
			s.next, s.to = after(in.To+1), s.next
			loops = loops[:len(loops)-1]
		case OpBreak, OpBreakZero:
			s.to = after(loops[len(loops)-1].To + 1)
		case OpBreakNonZero:
			s.next, s.to = after(loops[len(loops)-1].To+1), s.next
		case OpContinue:
			s.to = after(int32(loops[len(loops)-1].Off))
		}
	}
	return steps
}
