package isa

// Columns of Table that every step needs, by any value of an Op.
var (
	execOf [256]func(*Warp, *Inst)
	isFree [256]bool // text that costs nothing
)

// form is a group of instructions that are executed alike.
type form uint8

const (
	byTable  form = iota
	loads         // from global memory, for a lone thread
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

// execute does what the row of in says. It finds the function of an instruction
// that graph kernels are made of by tests, as there are hosts that predict no
// indirect jump. (None of its switches has so many cases that it is compiled to
// one.)
func (w *Warp) execute(in *Inst) {
	switch formOf[in.Op] {
	case loads:
		execLoad(w, in)
	case stores:
		execStore(w, in)
	case integers:
		w.executeInteger(in)
	case comparisons:
		w.executeComparison(in)
	case branches:
		switch in.Op {
		case OpIf:
			execIf(w, in)
		case OpWhile:
			execWhile(w, in)
		case OpBreakZero:
			execBreakZero(w, in)
		default:
			execBreakNonZero(w, in)
		}
	case jumps:
		switch in.Op {
		case OpElse:
			execElse(w, in)
		case OpEndLoop:
			execEndLoop(w, in)
		case OpBreak:
			execBreak(w, in)
		default:
			execContinue(w, in)
		}
	default:
		execOf[in.Op](w, in)
	}
}

func (w *Warp) executeInteger(in *Inst) {
	switch in.Op {
	case OpAdd:
		execAdd(w, in)
	case OpSub:
		execSub(w, in)
	case OpMul:
		execMul(w, in)
	case OpAnd:
		execAnd(w, in)
	case OpOr:
		execOr(w, in)
	case OpShl:
		execShl(w, in)
	default:
		execMov(w, in)
	}
}

func (w *Warp) executeComparison(in *Inst) {
	switch in.Op {
	case OpEq:
		execEq(w, in)
	case OpNe:
		execNe(w, in)
	case OpLt:
		execLt(w, in)
	case OpLe:
		execLe(w, in)
	case OpEqF64:
		execEqF64(w, in)
	case OpLtF64:
		execLtF64(w, in)
	default:
		execLeF64(w, in)
	}
}

// executeFree is execute for text that costs nothing.
func (w *Warp) executeFree(in *Inst) {
	switch in.Op {
	case OpNext:
		execNext(w, in)
	case OpEndIf:
		execEndIf(w, in)
	case OpLoop:
		execLoop(w, in)
	default:
		execOf[in.Op](w, in)
	}
}
