package isa

import (
	"pgregory.net/rapid"
)

// slots is the elements of the output array that belong to one thread of a
// random program.
const slots = 8

// A programmer writes random programs that end, whose threads do not meet:
// what a thread computes depends on its id alone.
type programmer struct {
	t       *rapid.T
	b       *Builder
	out     ArrayParam
	ints    []Reg // assigned on every path to here
	doubles []Reg
	singles []Reg
	loops   int // open loops of the function
	nested  int // open constructs of the function
	fn      *FuncBuilder
	depth   Reg // of recursion, in a function
	trace   Reg // number of the path taken so far
	blocks  int
	left    int // statements still to write
	picks   int
}

// randomProgram returns a builder of a random program with an array parameter
// out of slots elements a thread.
func randomProgram(t *rapid.T) *Builder {
	b := NewBuilder("random")
	p := &programmer{t: t, b: b, left: 60}
	p.out = b.Array("out", I64)
	p.ints = []Reg{ThreadID, ThreadCount, b.Int("n")}
	p.doubles = []Reg{b.Float("x", F64)}
	p.singles = []Reg{b.Float("y", F32)}
	b.LocalMemory(64)
	if rapid.Bool().Draw(t, "calls") {
		p.fn = b.Func("f", []Type{I64, I64, F64}, []Type{I64, F64, I64})
		q := *p
		p.fn.Define(func(a []Reg) {
			q.depth = a[0]
			q.ints = append(q.ints[:len(q.ints):len(q.ints)], a[1])
			q.doubles = append(q.doubles[:1:1], a[2])
			q.trace = b.Var(a[1])
			b.If(b.Le(a[0], 0), func() { b.Return(a[1], a[2], q.trace) })
			q.left = 25
			q.block(6)
			b.Return(q.int(), q.double(), q.trace)
		})
	}
	p.trace = b.Var(1)
	for range 3 {
		p.ints = append(p.ints, b.Var(p.int()))
		p.doubles = append(p.doubles, b.Var(p.double()))
	}
	p.singles = append(p.singles, b.Var(p.single()))
	p.block(12)
	for i := range slots - 1 {
		p.b.Store(p.out, p.own(i), p.anything())
	}
	p.b.Store(p.out, p.own(slots-1), p.trace)
	return b
}

// pick returns a number below n, all alike: rapid prefers small ones, which
// would make some statements rare.
func (p *programmer) pick(label string, n int) int {
	p.picks++
	x := rapid.Uint32().Draw(p.t, label) + uint32(p.picks)*0x9e3779b9
	x = (x ^ x>>16) * 0x21f0aaad
	x = (x ^ x>>15) * 0x735a2d97
	return int((x ^ x>>15) % uint32(n))
}

func (p *programmer) int() Operand {
	if i := p.pick("int", len(p.ints)+2); i < len(p.ints) {
		return p.ints[i]
	}
	return rapid.IntRange(-3, 9).Draw(p.t, "literal")
}

func (p *programmer) double() Operand {
	if i := p.pick("double", len(p.doubles)+1); i < len(p.doubles) {
		return p.doubles[i]
	}
	return rapid.Float64().Draw(p.t, "literal")
}

func (p *programmer) single() Operand {
	return p.singles[p.pick("single", len(p.singles))]
}

// anything returns an integer that depends on a random register.
func (p *programmer) anything() Operand {
	switch p.pick("kind", 4) {
	case 0:
		return p.b.F64ToI64(p.double())
	case 1:
		return p.b.F32ToI64(p.single())
	}
	return p.int()
}

// own returns the index of slot i of the thread.
func (p *programmer) own(i int) Reg { return p.b.Add(p.b.Mul(ThreadID, slots), i) }

// block writes up to n statements; what they define is forgotten after it.
func (p *programmer) block(n int) {
	ints, doubles, singles := len(p.ints), len(p.doubles), len(p.singles)
	p.nested++
	p.blocks++
	p.step(p.blocks)
	for range 1 + p.pick("statements", n) {
		if p.left <= 0 {
			break
		}
		p.left--
		if !p.statement() && p.pick("go on", 4) > 0 {
			break // what follows is never reached; one time in four, write it
		}
	}
	p.nested--
	p.ints, p.doubles, p.singles = p.ints[:ints], p.doubles[:doubles], p.singles[:singles]
}

// step makes the path taken differ from those that do not come by here.
func (p *programmer) step(by Operand) {
	p.b.SetAdd(p.trace, p.b.Mul(p.trace, 31), by)
}

// statement writes one; it reports whether the next can be reached.
func (p *programmer) statement() bool {
	b := p.b
	if p.nested > 1 && p.nested < 6 && p.pick("divergent exit", 5) == 0 {
		p.exit()
		return true
	}
	switch p.pick("statement", 22) {
	case 0, 1, 2:
		ops := []func(x, y Operand) Reg{b.Add, b.Sub, b.Mul, b.Min, b.Max, b.And, b.Or, b.Xor, b.Shl, b.Shr, b.Sar, b.Eq, b.Ne, b.Lt, b.Le}
		p.ints = append(p.ints, ops[p.pick("op", len(ops))](p.int(), p.int()))
	case 3:
		ops := []func(x, y Operand) Reg{b.Add, b.Sub, b.Mul, b.Div, b.Min, b.Max}
		p.doubles = append(p.doubles, ops[p.pick("op", len(ops))](p.doubles[p.pick("x", len(p.doubles))], p.double()))
	case 4:
		ops := []func(x, y Operand) Reg{b.Add, b.Sub, b.Mul, b.Div, b.Min, b.Max}
		p.singles = append(p.singles, ops[p.pick("op", len(ops))](p.single(), p.single()))
	case 5, 6, 7:
		p.assign()
	case 8:
		p.doubles = append(p.doubles, b.I64ToF64(p.int()))
	case 9:
		p.ints = append(p.ints, b.Select(p.int(), p.int(), p.int()))
	case 10:
		p.access()
	case 11, 12:
		if p.nested < 6 {
			b.If(p.int(), func() { p.block(4) })
		}
	case 13, 14:
		if p.nested < 6 {
			b.IfElse(p.int(), func() { p.block(4) }, func() { p.block(4) })
		}
	case 15, 16, 17:
		if p.loops < 2 {
			p.loop()
		}
	case 18:
		p.call()
	case 19:
		if p.loops > 0 {
			return p.jump()
		}
	case 20:
		b.Region([]string{"walk", "a b"}[p.pick("region", 2)], func() { p.block(3) })
	case 21:
		return p.leave()
	}
	return true
}

// exit lets some lanes leave or continue the loop, or leave the function, from
// one or the other side of an if.
func (p *programmer) exit() {
	out := func() {
		if p.pick("work before", 2) == 0 {
			p.assign()
		}
		if p.loops == 0 || p.pick("return", 4) == 0 {
			p.leave()
		} else {
			p.jump()
		}
	}
	cond := p.b.And(p.b.Add(p.int(), ThreadID), 1+p.pick("bit", 3))
	switch p.pick("side", 3) {
	case 0:
		p.b.If(cond, out)
	case 1:
		p.b.IfElse(cond, out, p.assign)
	case 2:
		p.b.IfElse(cond, p.assign, out)
	}
}

// assign writes to a register that other statements read.
func (p *programmer) assign() {
	var locals []Reg
	for _, r := range append(append(append([]Reg(nil), p.ints...), p.doubles...), p.singles...) {
		if r.IsLocal() {
			locals = append(locals, r)
		}
	}
	if len(locals) == 0 {
		return
	}
	d := locals[p.pick("variable", len(locals))]
	switch p.b.typeOf(d) {
	case I64:
		p.b.Set(d, p.int())
	case F64:
		p.b.SetAdd(d, d, p.double())
	case F32:
		p.b.Set(d, p.single())
	}
}

// access reads or writes the thread's own memory.
func (p *programmer) access() {
	b := p.b
	i := p.pick("slot", slots)
	at := p.own(i)
	types := []Type{I8, I32, I64}
	local := b.LocalArray(8*p.pick("at", 2), types[p.pick("type", 3)])
	switch p.pick("access", 8) {
	case 0:
		b.Store(p.out, at, p.int())
	case 1:
		p.ints = append(p.ints, b.Load(p.out, at))
	case 2:
		p.ints = append(p.ints, b.FetchAdd(p.out, at, p.int()))
	case 3:
		p.ints = append(p.ints, b.FetchMax(p.out, at, p.int()))
	case 4:
		p.ints = append(p.ints, b.CompareSwap(p.out, at, p.int(), p.int()))
	case 5:
		p.ints = append(p.ints, b.LoadFrom(local, b.And(p.int(), 3)))
	case 6:
		b.StoreTo(local, b.And(p.int(), 3), p.int())
	case 7:
		b.StoreTo(local, i/2, p.int())
	}
}

// loop writes a loop of at most three iterations, in one of the forms that the
// control flow allows.
func (p *programmer) loop() {
	b := p.b
	trips := b.And(p.int(), 3)
	p.loops++
	body := func() { p.block(5) }
	hold := func(i Reg) { p.ints = append(p.ints, i) }
	release := len(p.ints)
	switch p.pick("loop", 5) {
	case 0:
		b.For(0, trips, 1, func(i Reg) { p.ints = append(p.ints, b.Add(i, 0)); body() })
	case 1: // left at its start
		i := b.Var(0)
		b.Loop(func() {
			b.BreakIf(b.Ge(i, trips))
			b.SetAdd(i, i, 1)
			hold(b.Mul(i, i))
			body()
		})
	case 2: // left in its middle
		i := b.Var(0)
		b.Loop(func() {
			b.SetAdd(i, i, 1)
			b.BreakUnless(b.Le(i, 3))
			body()
			b.BreakUnless(b.Lt(i, trips))
			body()
		})
	case 3: // tested at its end, where continue goes
		i := b.Var(0)
		b.emit(Inst{Op: OpLoop})
		b.SetAdd(i, i, 1)
		more := b.Lt(i, trips)
		body()
		b.emit(Inst{Op: OpWhile, A: more})
	case 4: // continue goes past the body to the step
		i := b.Var(0)
		b.emit(Inst{Op: OpLoop})
		body()
		b.emit(Inst{Op: OpNext})
		b.SetAdd(i, i, 1)
		b.BreakIf(b.Eq(i, 3))
		b.emit(Inst{Op: OpWhile, A: b.Lt(i, trips)})
	}
	p.ints = p.ints[:release]
	p.loops--
}

// jump leaves or continues the loop.
func (p *programmer) jump() bool {
	switch p.pick("jump", 6) {
	case 0:
		p.b.Break()
		return false
	case 1, 2, 3:
		p.b.Continue()
		return false
	case 4:
		p.b.BreakIf(p.int())
	case 5:
		p.b.BreakUnless(p.int())
	}
	return true
}

// call calls the program's function, which recurses at most twice.
func (p *programmer) call() {
	if p.fn == nil || p.loops > 1 {
		return
	}
	b := p.b
	var depth Operand = 2
	if p.b.f == p.fn {
		depth = b.Sub(p.depth, 1)
	}
	r := b.Call(p.fn, depth, p.int(), p.double())
	p.doubles = append(p.doubles, r[1])
	if p.pick("result", 2) == 0 { // else it is never read
		p.ints = append(p.ints, r[0])
	}
	if p.pick("result", 4) > 0 {
		p.step(r[2])
	}
}

// leave ends the function, or the thread, from time to time.
func (p *programmer) leave() bool {
	if p.nested < 2 {
		return true
	}
	if p.b.f == p.fn {
		p.b.Return(p.int(), p.double(), p.trace)
	} else {
		p.b.Store(p.out, p.own(slots-1), p.trace)
		p.b.Return()
	}
	return false
}
