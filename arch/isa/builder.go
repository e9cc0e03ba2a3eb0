package isa

import (
	"fmt"
	"math"
	"runtime"
	"strings"
)

// Operand is a Reg, or an int or float64 that stands for a constant; beside a
// single precision register a float64 is rounded to it.
type Operand = any

// Builder writes a program. Its closures mirror pseudo-code, and it notes the
// file and line of every instruction. Mistakes are kept and reported by Build.
type Builder struct {
	p      *Program
	funcs  []*FuncBuilder
	f      *FuncBuilder
	regs   []builderReg // by the index of the Regs that it gives out
	consts map[Const]Reg
	lines  map[Line]int32
	loops  loops
	errs   []error
}

// A builderReg is a register of a function. While a program is built no two
// functions have a Reg in common, so that the use of another function's is
// noticed.
type builderReg struct {
	f     *FuncBuilder
	index Reg // in the frame
}

// FuncBuilder is a function being built.
type FuncBuilder struct {
	b      *Builder
	index  int
	name   string
	params []Type
	args   []Reg // registers of the parameters
	result []Type
	regs   []Type
	code   []Inst
	done   bool
}

// NewBuilder returns a builder of the program name.
func NewBuilder(name string) *Builder {
	b := &Builder{p: &Program{Name: name}, consts: map[Const]Reg{}, lines: map[Line]int32{}}
	b.f = &FuncBuilder{b: b, name: "main"}
	b.funcs = []*FuncBuilder{b.f}
	return b
}

// ArrayParam is an array that the launch supplies.
type ArrayParam struct {
	Reg  Reg // address of element 0
	Elem Type
}

// Array adds an array parameter with elements of type elem.
func (b *Builder) Array(name string, elem Type) ArrayParam {
	return ArrayParam{b.param(Param{Name: name, Type: I64, Elem: elem, Array: true}), elem}
}

// Int adds an integer parameter.
func (b *Builder) Int(name string) Reg { return b.param(Param{Name: name, Type: I64}) }

// Float adds a floating-point parameter of type F32 or F64.
func (b *Builder) Float(name string, t Type) Reg { return b.param(Param{Name: name, Type: t}) }

func (b *Builder) param(p Param) Reg {
	if len(b.p.Consts) > 0 {
		// Constants follow the parameters in the bank.
		b.fail("parameter %s declared after the first constant", p.Name)
	}
	b.p.Params = append(b.p.Params, p)
	return b.p.ParamReg(len(b.p.Params) - 1)
}

// SharedMemory reserves n bytes of shared memory a block.
func (b *Builder) SharedMemory(n int) { b.p.Shared = n }

// LocalMemory reserves n bytes of local memory a thread.
func (b *Builder) LocalMemory(n int) { b.p.Local = n }

// Build checks the program, merges registers whose values are never wanted at
// once, and returns it. Registers of the builder do not name those of the
// program; parameters do.
func (b *Builder) Build() (*Program, error) {
	p, err := b.build()
	if err != nil {
		return nil, err
	}
	allocate(p)
	return p, nil
}

// build is Build without register allocation.
func (b *Builder) build() (*Program, error) {
	b.emit(Inst{Op: OpRet, Off: b.call(-1, nil, nil)})
	if len(b.errs) > 0 {
		return nil, b.errs[0]
	}
	for _, f := range b.funcs {
		if f != b.funcs[0] && !f.done {
			return nil, fmt.Errorf("program %s: function %s is called but never defined", b.p.Name, f.name)
		}
		if err := f.link(); err != nil {
			return nil, err
		}
	}
	if err := Verify(b.p); err != nil {
		return nil, err
	}
	canonical(b.p)
	return b.p, nil
}

// MustBuild is Build for programs that are part of Heddle, where a mistake is
// a mistake of its developers.
func (b *Builder) MustBuild() *Program {
	p, err := b.Build()
	if err != nil {
		panic(err)
	}
	return p
}

// link appends the function's code to the program.
func (f *FuncBuilder) link() error {
	p := f.b.p
	for i := range f.code {
		in := &f.code[i]
		for _, r := range []*Reg{&in.D, &in.A, &in.B, &in.C, &in.E} {
			*r = f.b.inFrame(*r)
		}
		if in.Op == OpCall || in.Op == OpRet {
			c := &p.Calls[in.Off]
			for _, list := range [][]Reg{c.Args, c.Results} {
				for j, r := range list {
					list[j] = f.b.inFrame(r)
				}
			}
		}
	}
	p.Funcs = append(p.Funcs, Func{Name: f.name, Entry: int32(len(p.Code)), Params: len(f.params), Results: f.result, Regs: f.regs})
	p.Code = append(p.Code, f.code...)
	return match(p, len(p.Funcs)-1)
}

func (b *Builder) fail(format string, args ...any) {
	b.errs = append(b.errs, fmt.Errorf("%s: "+format, append([]any{caller()}, args...)...))
}

// caller returns the innermost line outside this package's builder.
func caller() Line {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		fr, more := frames.Next()
		slash := strings.LastIndexByte(fr.Function, '/')
		pkg, _, _ := strings.Cut(fr.Function[slash+1:], ".")
		pkg = fr.Function[:slash+1] + pkg
		file := fr.File[strings.LastIndexByte(fr.File, '/')+1:]
		if pkg != "heddle/arch/isa" || strings.HasSuffix(file, "_test.go") {
			return Line{strings.TrimPrefix(pkg, "heddle/") + "/" + file, fr.Line}
		}
		if !more {
			return Line{"?", 0}
		}
	}
}

func (b *Builder) line() int32 {
	l := caller()
	i, ok := b.lines[l]
	if !ok {
		i = int32(len(b.p.Lines))
		b.p.Lines = append(b.p.Lines, l)
		b.lines[l] = i
	}
	return i
}

// emit appends in; what its form lacks becomes NoReg.
func (b *Builder) emit(in Inst) {
	in.Line = b.line()
	form := &Table[in.Op].Form
	for _, o := range [...]struct {
		r    *Reg
		want Type
	}{{&in.D, form.D}, {&in.A, form.A}, {&in.B, form.B}, {&in.C, form.C}, {&in.E, form.E}} {
		if o.want == NoType {
			*o.r = NoReg
		}
	}
	b.f.code = append(b.f.code, in)
}

// newReg returns a fresh register of the current function. Registers with
// disjoint lifetimes are merged by Build.
func (b *Builder) newReg(t Type) Reg { return b.newRegOf(b.f, t) }

func (b *Builder) newRegOf(f *FuncBuilder, t Type) Reg {
	if len(b.regs) == maxBankRegs {
		b.fail("the program needs more than %d registers before they are merged", maxBankRegs)
		return 0
	}
	b.regs = append(b.regs, builderReg{f, Reg(len(f.regs))})
	f.regs = append(f.regs, t)
	return Reg(len(b.regs) - 1)
}

// inFrame returns the register of a function's frame that r names in the
// builder.
func (b *Builder) inFrame(r Reg) Reg {
	if r.IsLocal() && r.Index() < len(b.regs) {
		return b.regs[r].index
	}
	return r
}

// typeOf returns the type of a register in the current function.
func (b *Builder) typeOf(r Reg) Type {
	if !r.IsLocal() {
		return b.p.TypeOf(&Func{}, r)
	}
	if r.Index() >= len(b.regs) {
		return NoType
	}
	own := b.regs[r]
	if own.f != b.f {
		b.fail("in function %s: a register of function %s", b.f.name, own.f.name)
	}
	return own.f.regs[own.index]
}

// reg returns the register that holds o; a float constant takes type near.
func (b *Builder) reg(o Operand, near Type) Reg {
	switch v := o.(type) {
	case Reg:
		b.typeOf(v)
		return v
	case ArrayParam:
		return v.Reg
	case int:
		switch near {
		case F64:
			return b.constant(Const{F64, math.Float64bits(float64(v))})
		case F32:
			return b.constant(Const{F32, uint64(math.Float32bits(float32(v)))})
		}
		return b.constant(Const{I64, uint64(v)})
	case float64:
		if near == F32 {
			return b.constant(Const{F32, uint64(math.Float32bits(float32(v)))})
		}
		return b.constant(Const{F64, math.Float64bits(v)})
	}
	b.fail("operand of type %T: a register, an int or a float64 is wanted", o)
	return NoReg
}

func (b *Builder) constant(c Const) Reg {
	r, ok := b.consts[c]
	if !ok {
		b.p.Consts = append(b.p.Consts, c)
		r = b.p.ConstReg(len(b.p.Consts) - 1)
		b.consts[c] = r
	}
	return r
}

// kind returns the common type of operands, from the registers among them.
func (b *Builder) kind(os ...Operand) Type {
	t := NoType
	for _, o := range os {
		switch v := o.(type) {
		case Reg:
			return b.typeOf(v)
		case float64:
			t = F64
		}
	}
	if t == NoType {
		return I64
	}
	return t
}

// Var returns a new register that holds the value of o.
func (b *Builder) Var(o Operand) Reg {
	t := b.kind(o)
	d := b.newReg(t)
	b.emit(Inst{Op: OpMov, D: d, A: b.reg(o, t)})
	return d
}

// Single returns a single precision register that holds x.
func (b *Builder) Single(x float32) Reg {
	d := b.newReg(F32)
	b.emit(Inst{Op: OpMov, D: d, A: b.constant(Const{F32, uint64(math.Float32bits(x))})})
	return d
}

// Set assigns o to register d.
func (b *Builder) Set(d Reg, o Operand) {
	b.emit(Inst{Op: OpMov, D: d, A: b.reg(o, b.typeOf(d))})
}

// SetAdd assigns x + y to d, as a loop's increment does.
func (b *Builder) SetAdd(d Reg, x, y Operand) {
	t := b.typeOf(d)
	b.emit(Inst{Op: byType(t, OpAdd, OpAddF32, OpAddF64), D: d, A: b.reg(x, t), B: b.reg(y, t)})
}
