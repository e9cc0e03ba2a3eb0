package isa

import "fmt"

// Line is a place in the source that an instruction comes from.
type Line struct {
	File string // relative to the module, or the assembler file
	Num  int
}

func (l Line) String() string { return fmt.Sprintf("%s:%d", l.File, l.Num) }

// Param is a value given at launch. An array parameter holds the address of
// element 0 and says the type of the elements.
type Param struct {
	Name  string
	Type  Type // register type
	Elem  Type // of an array; NoType for a number
	Array bool
}

// Const is a literal of a program, held as the bits of its register.
type Const struct {
	Type Type
	Bits uint64
}

// Func is a function of a program. Its parameters are its first registers.
type Func struct {
	Name    string
	Entry   int32
	Params  int    // leading registers that a call fills
	Results []Type // types that every ret gives back
	Regs    []Type // type of each register of the frame
}

// Call is the operand list of a call or ret instruction.
type Call struct {
	Caller  int // function that the instruction is in
	Func    int // callee; -1 for a ret
	Args    []Reg
	Results []Reg
}

// Program is a kernel: the same text runs on every machine. Threads start in
// Funcs[0].
type Program struct {
	Name    string
	Params  []Param
	Consts  []Const
	Funcs   []Func
	Code    []Inst
	Calls   []Call
	Lines   []Line
	Regions []string // names of traced regions
	Shared  int      // bytes of shared memory a block needs
	Local   int      // bytes of local memory a thread needs
}

// Source returns the source line of the instruction at pc.
func (p *Program) Source(pc int32) Line { return p.Lines[p.Code[pc].Line] }

// FuncAt returns the function that the instruction at pc belongs to.
func (p *Program) FuncAt(pc int32) *Func {
	f := &p.Funcs[0]
	for i := range p.Funcs {
		if p.Funcs[i].Entry <= pc && p.Funcs[i].Entry >= f.Entry {
			f = &p.Funcs[i]
		}
	}
	return f
}

// TypeOf returns the type of register r of function f.
func (p *Program) TypeOf(f *Func, r Reg) Type {
	i := r.Index()
	switch {
	case r.IsLocal():
		if i < len(f.Regs) {
			return f.Regs[i]
		}
	case r>>bankShift == warpBank>>bankShift:
		if i < numWarpRegs {
			return I64
		}
	case r>>bankShift != sharedBank>>bankShift:
	case i < numSharedRegs:
		return I64
	case i < numSharedRegs+len(p.Params):
		return p.Params[i-numSharedRegs].Type
	case i < numSharedRegs+len(p.Params)+len(p.Consts):
		return p.Consts[i-numSharedRegs-len(p.Params)].Type
	}
	return NoType
}

// ParamReg returns the register of parameter i.
func (p *Program) ParamReg(i int) Reg { return sharedBank + numSharedRegs + Reg(i) }

// ConstReg returns the register of constant i.
func (p *Program) ConstReg(i int) Reg {
	return sharedBank + numSharedRegs + Reg(len(p.Params)+i)
}

// Registers returns the 32-bit registers that a thread needs, as an occupancy
// calculation counts them: the largest frame, an integer or single as one, a
// double as two. Parameters and constants live in constant memory.
func (p *Program) Registers() int {
	most := 0
	for _, f := range p.Funcs {
		n := 0
		for _, t := range f.Regs {
			n++
			if t == F64 {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// UsesFullEmpty returns the first instruction that waits for a full/empty bit.
func (p *Program) UsesFullEmpty() (pc int32, used bool) {
	return p.find(func(r *Row) bool { return r.Memory == FullEmpty })
}

// UsesWarp returns the first instruction that reads across lanes.
func (p *Program) UsesWarp() (pc int32, used bool) {
	return p.find(func(r *Row) bool { return r.Unit == UnitWarp })
}

func (p *Program) find(want func(*Row) bool) (int32, bool) {
	for pc := range p.Code {
		if want(p.Code[pc].Row()) {
			return int32(pc), true
		}
	}
	return 0, false
}

// Value is an argument of a launch: the bits of a parameter's register.
type Value struct {
	Type  Type
	Elem  Type // of an array
	Array bool
	Bits  uint64
}

// CheckArgs reports whether args fit the program's parameters.
func (p *Program) CheckArgs(args []Value) error {
	if len(args) != len(p.Params) {
		return fmt.Errorf("program %s takes %d arguments, %d given", p.Name, len(p.Params), len(args))
	}
	for i, a := range args {
		want := p.Params[i]
		if a.Type != want.Type || a.Array != want.Array || a.Elem != want.Elem {
			return fmt.Errorf("program %s: argument %d (%s) does not fit its parameter", p.Name, i, want.Name)
		}
	}
	return nil
}
