package isa

import (
	"fmt"
	"math"
)

// Limits of a program.
const (
	// MaxShared is the most shared memory that a block may reserve, in bytes.
	MaxShared = 1 << 24
	// MaxLocal is the most local memory that a thread may reserve, in bytes.
	MaxLocal = 1 << 20
)

// Verify reports the first way in which p is ill-formed: operands that do not
// fit their instruction, control flow that is not nested, registers that some
// path reads before it writes them, a function that some path falls off, a
// loop without exit. The error begins with the source line. A program that
// passes cannot make a Warp panic.
func Verify(p *Program) error {
	if err := p.verifyHeader(); err != nil {
		return fmt.Errorf("program %s: %w", p.Name, err)
	}
	for pc := range p.Code {
		if l := p.Code[pc].Line; l < 0 || int(l) >= len(p.Lines) {
			return fmt.Errorf("program %s: instruction %d has no source line", p.Name, pc)
		}
		if p.Code[pc].Op >= NumOps {
			return fmt.Errorf("%s: unknown instruction %d", p.Source(int32(pc)), p.Code[pc].Op)
		}
	}
	for f := range p.Funcs {
		if err := p.verifyFunc(f); err != nil {
			return err
		}
	}
	return nil
}

// verifyHeader checks everything but the code.
func (p *Program) verifyHeader() error {
	switch {
	case p.Shared < 0 || p.Shared > MaxShared:
		return fmt.Errorf("%d bytes of shared memory: at most %d", p.Shared, MaxShared)
	case p.Local < 0 || p.Local > MaxLocal:
		return fmt.Errorf("%d bytes of local memory: at most %d", p.Local, MaxLocal)
	case numSharedRegs+len(p.Params)+len(p.Consts) > maxBankRegs:
		return fmt.Errorf("%d parameters and %d constants: at most %d together",
			len(p.Params), len(p.Consts), maxBankRegs-numSharedRegs)
	case len(p.Funcs) == 0:
		return fmt.Errorf("has no function")
	case len(p.Code) > math.MaxInt32:
		return fmt.Errorf("%d instructions: at most %d", len(p.Code), math.MaxInt32)
	case len(p.Funcs[0].Results) > 0 || p.Funcs[0].Params > 0:
		return fmt.Errorf("function %s: threads start there, so it takes and returns nothing", p.Funcs[0].Name)
	case p.Funcs[0].Entry != 0:
		return fmt.Errorf("function %s: does not begin the code", p.Funcs[0].Name)
	}
	if err := p.verifyParams(); err != nil {
		return err
	}
	for i, c := range p.Consts {
		if !isRegister(c.Type) || c.Type == F32 && c.Bits>>32 != 0 {
			return fmt.Errorf("constant %d: not a value of a register", i)
		}
	}
	names := map[string]bool{}
	for i, f := range p.Funcs {
		end := int32(len(p.Code))
		if i+1 < len(p.Funcs) {
			end = p.Funcs[i+1].Entry
		}
		switch {
		case !isName(f.Name):
			return fmt.Errorf("function name %q: not a letter followed by letters, digits and _", f.Name)
		case names[f.Name]:
			return fmt.Errorf("function %s: defined twice", f.Name)
		case f.Entry < 0 || f.Entry >= end:
			return fmt.Errorf("function %s: is empty or out of order", f.Name)
		case len(f.Regs) > maxBankRegs:
			return fmt.Errorf("function %s: %d registers: at most %d", f.Name, len(f.Regs), maxBankRegs)
		case f.Params < 0 || f.Params > len(f.Regs):
			return fmt.Errorf("function %s: has fewer registers than parameters", f.Name)
		}
		names[f.Name] = true
		for _, t := range append(append([]Type(nil), f.Regs...), f.Results...) {
			if !isRegister(t) {
				return fmt.Errorf("function %s: a register or result of type %s: one of i64, f32, f64", f.Name, t)
			}
		}
	}
	return nil
}

func (p *Program) verifyParams() error {
	names := map[string]bool{}
	for i := range p.Params {
		q := &p.Params[i]
		if err := q.verify(); err != nil {
			return err
		}
		if names[q.Name] {
			return fmt.Errorf("parameter %s: declared twice", q.Name)
		}
		names[q.Name] = true
	}
	return nil
}

func (q *Param) verify() error {
	switch {
	case !isName(q.Name):
		return fmt.Errorf("parameter name %q: not a letter followed by letters, digits and _", q.Name)
	case q.Array && (q.Type != I64 || q.Elem.Size() == 0):
		return fmt.Errorf("parameter %s: not an array of i8, i32, i64, f32 or f64", q.Name)
	case !q.Array && (q.Elem != NoType || !isRegister(q.Type)):
		return fmt.Errorf("parameter %s: of type %s: one of i64, f32, f64", q.Name, q.Type)
	}
	return nil
}

// isRegister reports whether t is the type of a register.
func isRegister(t Type) bool { return t == I64 || t == F32 || t == F64 }

// isName reports whether s is a letter or _ followed by letters, digits and _.
func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

func (p *Program) verifyFunc(f int) error {
	from, to := p.extent(f)
	for pc := from; pc < to; pc++ {
		if err := p.verifyInst(f, pc); err != nil {
			return p.refuse(pc, err)
		}
	}
	l, err := p.links(f)
	if err != nil {
		return err
	}
	for pc := from; pc < to; pc++ {
		in := &p.Code[pc]
		if in.To != l.to[pc-from] || in.Op == OpLoop && in.Off != l.next[pc-from] {
			return p.refuse(pc, fmt.Errorf("does not point to its partner"))
		}
	}
	return p.verifyFlow(f)
}

// refuse says which instruction err is about.
func (p *Program) refuse(pc int32, err error) error {
	return fmt.Errorf("%s: %s: %w", p.Source(pc), p.Disassemble(pc), err)
}
