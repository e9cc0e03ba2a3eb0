package isa

import "fmt"

// verifyInst checks the operands of the instruction at pc, which is in
// function f.
func (p *Program) verifyInst(f int, pc int32) error {
	in := &p.Code[pc]
	row := in.Row()
	any := NoType // the type of the Any operands, once known
	if row.Memory != NoMemory {
		if err := verifyAccess(in, row); err != nil {
			return err
		}
		any = in.Type.Register()
	} else if in.Type != NoType || in.Space != Global || in.Scale != 0 {
		return fmt.Errorf("has the element type, space or scale of a memory access")
	}
	form := row.Form
	fn := &p.Funcs[f]
	for _, o := range [...]struct {
		name     string
		r        Reg
		want     Type
		optional bool
	}{
		{"destination", in.D, form.D, row.Memory == Atomics},
		{"a", in.A, form.A, false},
		{"b", in.B, form.B, row.Memory != NoMemory},
		{"c", in.C, form.C, false},
		{"e", in.E, form.E, false},
	} {
		if o.want == NoType {
			if o.r != NoReg {
				return fmt.Errorf("operand %s: the instruction has none", o.name)
			}
			continue
		}
		if o.r == NoReg {
			if o.optional {
				continue
			}
			return fmt.Errorf("operand %s: missing", o.name)
		}
		t := p.TypeOf(fn, o.r)
		want := o.want
		if want == Any {
			if any == NoType {
				any = t
			}
			want = any
		}
		switch {
		case t == NoType:
			return fmt.Errorf("operand %s: no such register", o.name)
		case t != want:
			return fmt.Errorf("operand %s: is %s, %s is wanted", o.name, t, want)
		case o.name == "destination" && !o.r.IsLocal():
			return fmt.Errorf("operand %s: a register that programs cannot write", o.name)
		}
	}
	return p.verifyOff(f, in)
}

// verifyAccess checks what only memory instructions have.
func verifyAccess(in *Inst, row *Row) error {
	switch {
	case in.Type.Size() == 0:
		return fmt.Errorf("element type %s: one of i8, i32, i64, f32, f64", in.Type)
	case in.Space > Local:
		return fmt.Errorf("no such memory space: %d", in.Space)
	case in.B == NoReg && in.Scale != 0:
		return fmt.Errorf("scale %d without an index", in.Scale)
	case in.B != NoReg && (in.Scale == 0 || in.Scale&(in.Scale-1) != 0):
		return fmt.Errorf("scale %d: not a power of two", in.Scale)
	case row.Memory == FullEmpty || in.Op == OpPurge:
		if in.Space != Global || in.Type.Size() != 8 {
			return fmt.Errorf("%s.%s: full/empty bits belong to i64 and f64 words of global memory", in.Type, in.Space)
		}
	case row.Memory == Atomics:
		float := in.Type == F32 || in.Type == F64
		if in.Type == I8 || float && in.Op != OpFetchAdd {
			return fmt.Errorf("element type %s: atomics take i32 and i64, atom.add also f32 and f64", in.Type)
		}
	}
	return nil
}

// verifyOff checks Off where it refers to something else than bytes.
func (p *Program) verifyOff(f int, in *Inst) error {
	switch in.Op {
	case OpLoop:
		return nil // its next, which the partners' check covers
	case OpRegionBegin, OpRegionEnd:
		if in.Off < 0 || in.Off >= int64(len(p.Regions)) {
			return fmt.Errorf("no such region: %d", in.Off)
		}
		return nil
	case OpCall, OpRet:
		return p.verifyCall(f, in)
	}
	if in.Off != 0 && in.Row().Memory == NoMemory {
		return fmt.Errorf("has the offset of a memory access")
	}
	return nil
}

// verifyCall checks the operand list of a call or ret in function f.
func (p *Program) verifyCall(f int, in *Inst) error {
	if in.Off < 0 || in.Off >= int64(len(p.Calls)) {
		return fmt.Errorf("has no operand list")
	}
	c := &p.Calls[in.Off]
	fn := &p.Funcs[f]
	if c.Caller != f {
		return fmt.Errorf("its operand list belongs to another function")
	}
	if in.Op == OpRet {
		if c.Func != -1 || len(c.Results) > 0 {
			return fmt.Errorf("its operand list is that of a call")
		}
		return p.fits(fn, "result", c.Args, fn.Results)
	}
	if c.Func < 0 || c.Func >= len(p.Funcs) {
		return fmt.Errorf("no such function: %d", c.Func)
	}
	callee := &p.Funcs[c.Func]
	if c.Func == 0 {
		return fmt.Errorf("threads start in %s, which cannot be called", callee.Name)
	}
	if err := p.fits(fn, "argument", c.Args, callee.Regs[:callee.Params]); err != nil {
		return fmt.Errorf("%s: %w", callee.Name, err)
	}
	if err := p.fits(fn, "result", c.Results, callee.Results); err != nil {
		return fmt.Errorf("%s: %w", callee.Name, err)
	}
	for i, r := range c.Results {
		if !r.IsLocal() {
			return fmt.Errorf("%s: result %d: a register that programs cannot write", callee.Name, i)
		}
		for _, s := range c.Results[:i] {
			if r == s {
				return fmt.Errorf("%s: result %d: the same register as another", callee.Name, i)
			}
		}
	}
	return nil
}

// fits checks the registers of a call's list against the types wanted.
func (p *Program) fits(fn *Func, what string, regs []Reg, want []Type) error {
	if len(regs) != len(want) {
		return fmt.Errorf("%d %ss given, %d wanted", len(regs), what, len(want))
	}
	for i, r := range regs {
		if t := p.TypeOf(fn, r); t != want[i] {
			return fmt.Errorf("%s %d: is %s, %s is wanted", what, i, t, want[i])
		}
	}
	return nil
}
