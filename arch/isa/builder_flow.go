package isa

// If runs then where cond is not zero.
func (b *Builder) If(cond Operand, then func()) {
	b.emit(Inst{Op: OpIf, A: b.reg(cond, I64)})
	then()
	b.emit(Inst{Op: OpEndIf})
}

// IfElse runs then where cond is not zero, otherwise where it is.
func (b *Builder) IfElse(cond Operand, then, otherwise func()) {
	b.emit(Inst{Op: OpIf, A: b.reg(cond, I64)})
	then()
	b.emit(Inst{Op: OpElse})
	otherwise()
	b.emit(Inst{Op: OpEndIf})
}

// Loop repeats body until every lane has left by Break.
func (b *Builder) Loop(body func()) {
	b.emit(Inst{Op: OpLoop})
	body()
	b.emit(Inst{Op: OpEndLoop})
}

// While repeats body as long as cond gives a register that is not zero. As
// compilers do, it tests before the loop and again at its end; cond is called
// for both.
func (b *Builder) While(cond func() Reg, body func()) {
	b.If(cond(), func() {
		b.emit(Inst{Op: OpLoop})
		body()
		b.emit(Inst{Op: OpNext})
		b.emit(Inst{Op: OpWhile, A: cond()})
	})
}

// For runs body with i = from, from+step, ... below to.
func (b *Builder) For(from, to, step Operand, body func(i Reg)) {
	i := b.Var(from)
	b.If(b.Lt(i, to), func() {
		b.emit(Inst{Op: OpLoop})
		body(i)
		b.emit(Inst{Op: OpNext})
		b.SetAdd(i, i, step)
		b.emit(Inst{Op: OpWhile, A: b.Lt(i, to)})
	})
}

// ParallelFor runs body for every i from 0 to n-1, spread over all threads of
// the launch as the builder's Schedule says. Body may Continue, but not Break.
func (b *Builder) ParallelFor(n Operand, body func(i Reg)) {
	b.spread(ThreadID, ThreadCount, n, body)
}

// ParallelForLeaders is ParallelFor over the first threads of all warps alone:
// for a body in which a thread waits for another, which may not be one that
// lockstep holds back until the first goes on.
func (b *Builder) ParallelForLeaders(n Operand, body func(i Reg)) {
	b.If(b.Eq(Lane, 0), func() {
		warps := func(threads Operand) Reg { return b.Div(b.Add(threads, b.Sub(Width, 1)), Width) }
		perBlock := warps(BlockSize)
		worker := b.Add(b.Mul(Block, perBlock), b.Div(BlockThread, Width))
		// The last block may be smaller.
		before := b.Sub(BlockCount, 1)
		last := warps(b.Sub(ThreadCount, b.Mul(before, BlockSize)))
		b.spread(worker, b.Add(b.Mul(before, perBlock), last), n, body)
	})
}

// Break leaves the innermost loop.
func (b *Builder) Break() { b.emit(Inst{Op: OpBreak}) }

// BreakIf leaves the innermost loop where cond is not zero.
func (b *Builder) BreakIf(cond Operand) { b.emit(Inst{Op: OpBreakNonZero, A: b.reg(cond, I64)}) }

// BreakUnless leaves the innermost loop where cond is zero.
func (b *Builder) BreakUnless(cond Operand) { b.emit(Inst{Op: OpBreakZero, A: b.reg(cond, I64)}) }

// Continue goes on with the innermost loop's next iteration.
func (b *Builder) Continue() { b.emit(Inst{Op: OpContinue}) }

// Region marks what body does as a traced region. It costs nothing.
func (b *Builder) Region(name string, body func()) {
	at := int64(len(b.p.Regions))
	for i, r := range b.p.Regions {
		if r == name {
			at = int64(i)
		}
	}
	if at == int64(len(b.p.Regions)) {
		b.p.Regions = append(b.p.Regions, name)
	}
	b.emit(Inst{Op: OpRegionBegin, Off: at})
	body()
	b.emit(Inst{Op: OpRegionEnd, Off: at})
}

// Func declares a function, so that it can be called, also by itself, before
// Define gives its body.
func (b *Builder) Func(name string, params, results []Type) *FuncBuilder {
	f := &FuncBuilder{b: b, index: len(b.funcs), name: name, params: params, result: results}
	for _, t := range params {
		f.args = append(f.args, b.newRegOf(f, t))
	}
	b.funcs = append(b.funcs, f)
	return f
}

// Define gives the function its body; what falls off its end must return
// nothing.
func (f *FuncBuilder) Define(body func(args []Reg)) {
	b := f.b
	outer := b.f
	b.f = f
	body(f.args)
	if len(f.result) == 0 {
		b.Return()
	}
	f.done = true
	b.f = outer
}

// Call runs f on args and returns its results.
func (b *Builder) Call(f *FuncBuilder, args ...Operand) []Reg {
	if len(args) != len(f.params) {
		b.fail("function %s takes %d arguments, %d given", f.name, len(f.params), len(args))
		return make([]Reg, len(f.result))
	}
	regs := make([]Reg, len(args))
	for i, a := range args {
		regs[i] = b.reg(a, f.params[i])
	}
	results := make([]Reg, len(f.result))
	for i, t := range f.result {
		results[i] = b.newReg(t)
	}
	b.emit(Inst{Op: OpCall, Off: b.call(f.index, regs, results)})
	return results
}

// Return ends the function with the given results, or the thread in the main
// function.
func (b *Builder) Return(results ...Operand) {
	if len(results) != len(b.f.result) {
		b.fail("function %s returns %d values, %d given", b.f.name, len(b.f.result), len(results))
		return
	}
	regs := make([]Reg, len(results))
	for i, r := range results {
		regs[i] = b.reg(r, b.f.result[i])
	}
	b.emit(Inst{Op: OpRet, Off: b.call(-1, regs, nil)})
}

func (b *Builder) call(callee int, args, results []Reg) int64 {
	b.p.Calls = append(b.p.Calls, Call{Caller: b.f.index, Func: callee, Args: args, Results: results})
	return int64(len(b.p.Calls) - 1)
}
