package isa

// step is an instruction of a program with every operand and jump resolved, as
// a Scalar and a warp that runs execute it.
type step struct {
	form    form
	op      Op
	element Type // of an access
	d       operand
	a, b, c operand
	next    int32  // pc of what follows, past text that costs nothing
	to      int32  // of what a jump goes to, and a branch whose a is zero, past such text
	scale   uint64 // that b is multiplied by
	offset  uint64
	setsBit bool   // changes full/empty bits, or waits for one
	uniform bool   // a is the same for all lanes
	ahead   *ahead // of a load, nil without
	reach
}

// operand is a register: in its highest bits the bank, and below the index of
// lane 0 among the bank's registers of all lanes.
type operand uint32

const (
	operandShift         = 30
	operandIndex operand = 1<<operandShift - 1
)

func newOperand(r Reg, width int) operand {
	return operand(r>>bankShift)<<operandShift | operand(r.Index()*width)
}

// view is the registers of each bank, those of a warp's lanes side by side.
type view [4][]uint64

func (v *view) get(o operand) uint64 { return v[o>>operandShift][o&operandIndex] }

// set writes one of the function's own registers.
func (v *view) set(o operand, x uint64) { v[0][o] = x }

// form is a group of instructions that a Scalar, and a warp that runs, execute
// alike. Neither has so many that a switch becomes an indirect jump.
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
	ifEnds // text that costs nothing, from here on
	loopBegins
	loopNexts
	regions
)

// formOf gives the forms of the instructions that are not left to the table, by
// any value of an Op.
var formOf = [256]form{
	OpAdd: integers, OpSub: integers, OpMul: integers, OpAnd: integers, OpOr: integers, OpShl: integers, OpMov: integers,
	OpXor: others, OpShr: others, OpMin: others, OpMax: others, OpAddF64: others, OpMulF64: others, OpSelect: others,
	OpEq: comparisons, OpNe: comparisons, OpLt: comparisons, OpLe: comparisons,
	OpEqF64: comparisons, OpLtF64: comparisons, OpLeF64: comparisons,
	OpIf: branches, OpWhile: branches, OpBreakZero: branches, OpBreakNonZero: branches,
	OpElse: jumps, OpEndLoop: jumps, OpBreak: jumps, OpContinue: jumps,
	OpLoad: loads, OpStore: stores,
	OpEndIf: ifEnds, OpLoop: loopBegins, OpNext: loopNexts, OpRegionBegin: regions, OpRegionEnd: regions,
}

// resolve returns the steps of p for warps of a width, one an instruction.
func resolve(p *Program, width int) []step {
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
		*s = step{form: formOf[in.Op], op: in.Op, element: in.Type,
			a: newOperand(in.A, width), b: newOperand(in.B, width), c: newOperand(in.C, width), d: newOperand(in.D, width),
			next: after(int32(pc) + 1), scale: uint64(in.Scale), offset: uint64(in.Off)}
		if in.B == NoReg {
			s.b, s.scale = s.a, 0
		}
		if in.C == NoReg {
			s.c = s.a
		}
		s.uniform = in.A>>bankShift == sharedBank>>bankShift && in.A != Lane
		s.setsBit = in.Op == OpPurge || in.Row().Memory == FullEmpty
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
			lead(p, steps, in.To, int32(pc))
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
