package isa

// Opcodes, in the order of Table.
const (
	OpMov Op = iota
	OpSelect
	OpAdd
	OpSub
	OpMul
	OpDiv
	OpRem
	OpMin
	OpMax
	OpAnd
	OpOr
	OpXor
	OpNot
	OpShl
	OpShr
	OpSar
	OpPopcount
	OpFindFirst
	OpEq
	OpNe
	OpLt
	OpLe

	OpAddF64
	OpSubF64
	OpMulF64
	OpFMAF64
	OpMinF64
	OpMaxF64
	OpDivF64
	OpSqrtF64
	OpEqF64
	OpLtF64
	OpLeF64
	OpAddF32
	OpSubF32
	OpMulF32
	OpFMAF32
	OpMinF32
	OpMaxF32
	OpDivF32
	OpSqrtF32
	OpEqF32
	OpLtF32
	OpLeF32

	OpI64ToF64
	OpF64ToI64
	OpI64ToF32
	OpF32ToI64
	OpF32ToF64
	OpF64ToF32

	OpLoad
	OpStore
	OpFetchAdd
	OpFetchMin
	OpFetchMax
	OpExchange
	OpCompareSwap
	OpPurge
	OpReadFF
	OpReadFE
	OpWriteEF

	OpBallot
	OpAny
	OpAll
	OpShuffle
	OpShuffleUp
	OpShuffleDown
	OpShuffleXor
	OpSyncWarp
	OpBarrier
	OpFence

	OpIf
	OpElse
	OpEndIf
	OpLoop
	OpNext
	OpEndLoop
	OpWhile
	OpBreak
	OpBreakZero
	OpBreakNonZero
	OpContinue
	OpCall
	OpRet

	OpClock
	OpRegionBegin
	OpRegionEnd
	NumOps
)

var (
	unaryI   = Form{D: I64, A: I64}
	binaryI  = Form{D: I64, A: I64, B: I64}
	binaryD  = Form{D: F64, A: F64, B: F64}
	binaryF  = Form{D: F32, A: F32, B: F32}
	compareD = Form{D: I64, A: F64, B: F64}
	compareF = Form{D: I64, A: F32, B: F32}
	atomic   = Form{D: Any, A: I64, B: I64, C: Any}
	shuffle  = Form{D: Any, A: Any, B: I64}
	test     = Form{A: I64}
	bare     = Form{}
)

// Table is the instruction set: a row an instruction, indexed by Op.
var Table [NumOps]Row

// The rows refer to functions that refer to Table, so it is filled here.
func init() {
	Table = [NumOps]Row{
		OpMov:       {"mov", Form{D: Any, A: Any}, UnitInt, NoMemory, "d = a", execMov},
		OpSelect:    {"sel", Form{D: Any, A: I64, B: Any, C: Any}, UnitInt, NoMemory, "d = b where a is not zero, else c", execSelect},
		OpAdd:       {"add", binaryI, UnitInt, NoMemory, "d = a + b", execAdd},
		OpSub:       {"sub", binaryI, UnitInt, NoMemory, "d = a - b", execSub},
		OpMul:       {"mul", binaryI, UnitMul, NoMemory, "d = a * b, low 64 bits", execMul},
		OpDiv:       {"div", binaryI, UnitDivide, NoMemory, "d = a / b, towards zero; b = 0 ends the run", divide(func(a, b int64) int64 { return a / b })},
		OpRem:       {"rem", binaryI, UnitDivide, NoMemory, "d = a - a/b*b; b = 0 ends the run", divide(func(a, b int64) int64 { return a % b })},
		OpMin:       {"min", binaryI, UnitInt, NoMemory, "d = the lesser of a and b, signed", lanes2(func(a, b uint64) uint64 { return uint64(min(int64(a), int64(b))) })},
		OpMax:       {"max", binaryI, UnitInt, NoMemory, "d = the greater of a and b, signed", lanes2(func(a, b uint64) uint64 { return uint64(max(int64(a), int64(b))) })},
		OpAnd:       {"and", binaryI, UnitInt, NoMemory, "d = a & b", execAnd},
		OpOr:        {"or", binaryI, UnitInt, NoMemory, "d = a | b", execOr},
		OpXor:       {"xor", binaryI, UnitInt, NoMemory, "d = a ^ b", lanes2(func(a, b uint64) uint64 { return a ^ b })},
		OpNot:       {"not", unaryI, UnitInt, NoMemory, "d = every bit of a inverted", lanes1(func(a uint64) uint64 { return ^a })},
		OpShl:       {"shl", binaryI, UnitShift, NoMemory, "d = a << b; zero for b over 63", execShl},
		OpShr:       {"shr", binaryI, UnitShift, NoMemory, "d = a >> b, zeros shifted in; zero for b over 63", lanes2(func(a, b uint64) uint64 { return a >> b })},
		OpSar:       {"sar", binaryI, UnitShift, NoMemory, "d = a >> b, the sign shifted in", lanes2(func(a, b uint64) uint64 { return uint64(int64(a) >> b) })},
		OpPopcount:  {"popc", unaryI, UnitShift, NoMemory, "d = number of ones in a", lanes1(popcount)},
		OpFindFirst: {"ffs", unaryI, UnitShift, NoMemory, "d = 1 + index of the lowest one in a; 0 when a is 0", lanes1(findFirst)},
		OpEq:        {"eq", binaryI, UnitCompare, NoMemory, "d = 1 if a = b, else 0", execEq},
		OpNe:        {"ne", binaryI, UnitCompare, NoMemory, "d = 1 if a is not b, else 0", execNe},
		OpLt:        {"lt", binaryI, UnitCompare, NoMemory, "d = 1 if a < b, signed, else 0", execLt},
		OpLe:        {"le", binaryI, UnitCompare, NoMemory, "d = 1 if a <= b, signed, else 0", execLe},

		OpAddF64:  {"add.f64", binaryD, UnitF64, NoMemory, "d = a + b", execAddF64},
		OpSubF64:  {"sub.f64", binaryD, UnitF64, NoMemory, "d = a - b", double(func(a, b float64) float64 { return a - b })},
		OpMulF64:  {"mul.f64", binaryD, UnitF64, NoMemory, "d = a * b", execMulF64},
		OpFMAF64:  {"fma.f64", Form{D: F64, A: F64, B: F64, C: F64}, UnitF64, NoMemory, "d = a * b + c, rounded once", execFMAF64},
		OpMinF64:  {"min.f64", binaryD, UnitF64, NoMemory, "d = the lesser of a and b; NaN if either is", double(func(a, b float64) float64 { return min(a, b) })},
		OpMaxF64:  {"max.f64", binaryD, UnitF64, NoMemory, "d = the greater of a and b; NaN if either is", double(func(a, b float64) float64 { return max(a, b) })},
		OpDivF64:  {"div.f64", binaryD, UnitSpecial, NoMemory, "d = a / b", double(func(a, b float64) float64 { return a / b })},
		OpSqrtF64: {"sqrt.f64", Form{D: F64, A: F64}, UnitSpecial, NoMemory, "d = square root of a", lanes1(sqrtF64)},
		OpEqF64:   {"eq.f64", compareD, UnitCompare, NoMemory, "d = 1 if a = b, else 0", execEqF64},
		OpLtF64:   {"lt.f64", compareD, UnitCompare, NoMemory, "d = 1 if a < b, else 0", execLtF64},
		OpLeF64:   {"le.f64", compareD, UnitCompare, NoMemory, "d = 1 if a <= b, else 0", execLeF64},
		OpAddF32:  {"add.f32", binaryF, UnitF32, NoMemory, "d = a + b", single(func(a, b float32) float32 { return a + b })},
		OpSubF32:  {"sub.f32", binaryF, UnitF32, NoMemory, "d = a - b", single(func(a, b float32) float32 { return a - b })},
		OpMulF32:  {"mul.f32", binaryF, UnitF32, NoMemory, "d = a * b", single(func(a, b float32) float32 { return a * b })},
		OpFMAF32:  {"fma.f32", Form{D: F32, A: F32, B: F32, C: F32}, UnitF32, NoMemory, "d = a * b + c, rounded once", execFMAF32},
		OpMinF32:  {"min.f32", binaryF, UnitF32, NoMemory, "d = the lesser of a and b; NaN if either is", single(func(a, b float32) float32 { return min(a, b) })},
		OpMaxF32:  {"max.f32", binaryF, UnitF32, NoMemory, "d = the greater of a and b; NaN if either is", single(func(a, b float32) float32 { return max(a, b) })},
		OpDivF32:  {"div.f32", binaryF, UnitSpecial, NoMemory, "d = a / b", single(func(a, b float32) float32 { return a / b })},
		OpSqrtF32: {"sqrt.f32", Form{D: F32, A: F32}, UnitSpecial, NoMemory, "d = square root of a", lanes1(sqrtF32)},
		OpEqF32:   {"eq.f32", compareF, UnitCompare, NoMemory, "d = 1 if a = b, else 0", compareF32(func(a, b float32) bool { return a == b })},
		OpLtF32:   {"lt.f32", compareF, UnitCompare, NoMemory, "d = 1 if a < b, else 0", compareF32(func(a, b float32) bool { return a < b })},
		OpLeF32:   {"le.f32", compareF, UnitCompare, NoMemory, "d = 1 if a <= b, else 0", compareF32(func(a, b float32) bool { return a <= b })},

		OpI64ToF64: {"cvt.f64.i64", Form{D: F64, A: I64}, UnitConvert, NoMemory, "d = a as a double", lanes1(i64ToF64)},
		OpF64ToI64: {"cvt.i64.f64", Form{D: I64, A: F64}, UnitConvert, NoMemory, "d = a towards zero; saturates, NaN is 0", lanes1(f64ToI64)},
		OpI64ToF32: {"cvt.f32.i64", Form{D: F32, A: I64}, UnitConvert, NoMemory, "d = a as a single", lanes1(i64ToF32)},
		OpF32ToI64: {"cvt.i64.f32", Form{D: I64, A: F32}, UnitConvert, NoMemory, "d = a towards zero; saturates, NaN is 0", lanes1(f32ToI64)},
		OpF32ToF64: {"cvt.f64.f32", Form{D: F64, A: F32}, UnitConvert, NoMemory, "d = a", lanes1(f32ToF64)},
		OpF64ToF32: {"cvt.f32.f64", Form{D: F32, A: F64}, UnitConvert, NoMemory, "d = a rounded to a single", lanes1(f64ToF32)},

		OpLoad:        {"ld", Form{D: Any, A: I64, B: I64}, UnitMemory, Loads, "d = element at [a + b*scale + off]", execLoad},
		OpStore:       {"st", Form{A: I64, B: I64, C: Any}, UnitMemory, Stores, "element at [a + b*scale + off] = c", execStore},
		OpFetchAdd:    {"atom.add", atomic, UnitMemory, Atomics, "d = old element; element += c", execAtomic(FetchAdd)},
		OpFetchMin:    {"atom.min", atomic, UnitMemory, Atomics, "d = old element; element = min(element, c), signed", execAtomic(FetchMin)},
		OpFetchMax:    {"atom.max", atomic, UnitMemory, Atomics, "d = old element; element = max(element, c), signed", execAtomic(FetchMax)},
		OpExchange:    {"atom.exch", atomic, UnitMemory, Atomics, "d = old element; element = c", execAtomic(Exchange)},
		OpCompareSwap: {"atom.cas", Form{D: Any, A: I64, B: I64, C: Any, E: Any}, UnitMemory, Atomics, "d = old element; element = c if it was e", execAtomic(CompareSwap)},
		OpPurge:       {"purge", Form{A: I64, B: I64}, UnitMemory, Stores, "word = 0, its full/empty bit empty", execPurge},
		OpReadFF:      {"readff", Form{D: Any, A: I64, B: I64}, UnitMemory, FullEmpty, "waits until the word is full; d = word, left full", execReadFF},
		OpReadFE:      {"readfe", Form{D: Any, A: I64, B: I64}, UnitMemory, FullEmpty, "waits until the word is full; d = word, left empty", execReadFE},
		OpWriteEF:     {"writeef", Form{A: I64, B: I64, C: Any}, UnitMemory, FullEmpty, "waits until the word is empty; word = c, left full", execWriteEF},

		OpBallot:      {"ballot", unaryI, UnitWarp, NoMemory, "d = mask of the active lanes whose a is not zero", execBallot},
		OpAny:         {"any", unaryI, UnitWarp, NoMemory, "d = 1 if a is not zero in some active lane", execAny},
		OpAll:         {"all", unaryI, UnitWarp, NoMemory, "d = 1 if a is not zero in every active lane", execAll},
		OpShuffle:     {"shfl.idx", shuffle, UnitWarp, NoMemory, "d = a of lane b; own a where that lane is not active", shuffleBy(func(l, b int) int { return b })},
		OpShuffleUp:   {"shfl.up", shuffle, UnitWarp, NoMemory, "d = a of lane - b; own a where that lane is not active", shuffleBy(func(l, b int) int { return l - b })},
		OpShuffleDown: {"shfl.down", shuffle, UnitWarp, NoMemory, "d = a of lane + b; own a where that lane is not active", shuffleBy(func(l, b int) int { return l + b })},
		OpShuffleXor:  {"shfl.xor", shuffle, UnitWarp, NoMemory, "d = a of lane ^ b; own a where that lane is not active", shuffleBy(func(l, b int) int { return l ^ b })},
		OpSyncWarp:    {"syncwarp", bare, UnitSync, NoMemory, "the warp's lanes wait for each other", func(*Warp, *Inst) {}},
		OpBarrier:     {"bar", bare, UnitSync, NoMemory, "waits for every warp of the block", func(w *Warp, _ *Inst) { w.outcome = Wait }},
		OpFence:       {"fence", bare, UnitSync, NoMemory, "earlier writes are visible before later ones", func(*Warp, *Inst) {}},

		OpIf:           {"if", test, UnitControl, NoMemory, "runs what follows where a is not zero", execIf},
		OpElse:         {"else", bare, UnitControl, NoMemory, "runs what follows in the other lanes", execElse},
		OpEndIf:        {"endif", bare, UnitNone, NoMemory, "lanes of both sides go on together", execEndIf},
		OpLoop:         {"loop", bare, UnitNone, NoMemory, "repeats what follows until every lane has left", execLoop},
		OpNext:         {"next", bare, UnitNone, NoMemory, "where continue goes to", execNext},
		OpEndLoop:      {"endloop", bare, UnitControl, NoMemory, "back to the loop's start", execEndLoop},
		OpWhile:        {"while", test, UnitControl, NoMemory, "back to the loop's start where a is not zero; the others leave", execWhile},
		OpBreak:        {"break", bare, UnitControl, NoMemory, "leaves the loop", execBreak},
		OpBreakZero:    {"break.z", test, UnitControl, NoMemory, "leaves the loop where a is zero", execBreakZero},
		OpBreakNonZero: {"break.nz", test, UnitControl, NoMemory, "leaves the loop where a is not zero", execBreakNonZero},
		OpContinue:     {"continue", bare, UnitControl, NoMemory, "goes on with the loop's next iteration", execContinue},
		OpCall:         {"call", bare, UnitControl, NoMemory, "runs a function on the arguments and takes its results", execCall},
		OpRet:          {"ret", bare, UnitControl, NoMemory, "ends the function with its results, or the thread", execRet},

		OpClock:       {"clock", Form{D: I64}, UnitInt, NoMemory, "d = the core's cycle count", execClock},
		OpRegionBegin: {"region", bare, UnitNone, NoMemory, "a traced region begins", func(*Warp, *Inst) {}},
		OpRegionEnd:   {"endregion", bare, UnitNone, NoMemory, "the traced region ends", func(*Warp, *Inst) {}},
	}
	for op := range Table {
		execOf[op] = Table[op].Exec
		isFree[op] = Table[op].Unit == UnitNone
	}
}
