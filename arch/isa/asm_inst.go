package isa

import (
	"fmt"
	"strings"
)

// readInst reads an instruction whose first word is given.
func (a *assembler) readInst(word string) error {
	if len(a.p.Funcs) == 0 {
		return fmt.Errorf("%q: not program, param, shared, local or func", word)
	}
	in, err := a.mnemonic(word)
	if err != nil {
		return err
	}
	in.Line = int32(len(a.p.Lines))
	a.space()
	switch row := in.Row(); {
	case in.Op == OpCall:
		err = a.readCall(&in)
	case in.Op == OpRet:
		err = a.readRet(&in)
	case in.Op == OpRegionBegin || in.Op == OpRegionEnd:
		err = a.readRegion(&in)
	case row.Memory != NoMemory:
		err = a.readAccess(&in, row)
	default:
		err = a.readOperands(&in.D, row.Form.D, &in.A, row.Form.A, &in.B, row.Form.B, &in.C, row.Form.C, &in.E, row.Form.E)
	}
	if err != nil {
		return err
	}
	a.space()
	own := Line{a.file, a.line}
	source, ok := a.source()
	if !ok {
		source = own
	}
	a.p.Lines = append(a.p.Lines, own)
	a.p.Code = append(a.p.Code, in)
	a.sources = append(a.sources, source)
	return nil
}

// mnemonic returns the instruction that word names, with its element type and
// space: "atom.add.i64.shared".
func (a *assembler) mnemonic(word string) (Inst, error) {
	in := Inst{D: NoReg, A: NoReg, B: NoReg, C: NoReg, E: NoReg}
	name, suffix := word, ""
	op, ok := a.ops[name]
	for !ok && strings.Contains(name, ".") {
		name = name[:strings.LastIndexByte(name, '.')]
		suffix = word[len(name)+1:]
		op, ok = a.ops[name]
	}
	if !ok || suffix != "" && Table[op].Memory == NoMemory {
		return in, fmt.Errorf("unknown instruction %q", word)
	}
	in.Op = op
	if Table[op].Memory == NoMemory {
		return in, nil
	}
	elem, space, given := strings.Cut(suffix, ".")
	t, err := ParseType(elem)
	if err != nil {
		return in, fmt.Errorf("%s: %w", word, err)
	}
	in.Type = t
	switch {
	case !given:
	case space == Shared.String():
		in.Space = Shared
	case space == Local.String():
		in.Space = Local
	default:
		return in, fmt.Errorf("%s: unknown space %q: one of shared, local", word, space)
	}
	return in, nil
}

// readOperands reads operands separated by commas. It takes pairs of a place
// and the type wanted there, NoType for none.
func (a *assembler) readOperands(places ...any) error {
	first := true
	for i := 0; i < len(places); i += 2 {
		if places[i+1].(Type) == NoType {
			continue
		}
		if !first && !a.comma() {
			return fmt.Errorf("another operand is wanted")
		}
		first = false
		r, err := a.operand()
		if err != nil {
			return err
		}
		*places[i].(*Reg) = r
	}
	return nil
}

// readAccess reads the operands of a memory instruction.
func (a *assembler) readAccess(in *Inst, row *Row) error {
	optional := row.Memory == Atomics && a.peek() == '['
	if row.Form.D != NoType && !optional {
		r, err := a.operand()
		if err != nil {
			return err
		}
		in.D = r
		if !a.comma() {
			return fmt.Errorf("an address is wanted after the destination")
		}
	}
	if err := a.readAddress(in); err != nil {
		return err
	}
	if row.Form.C == NoType {
		return nil
	}
	if !a.comma() {
		return fmt.Errorf("a value is wanted after the address")
	}
	return a.readOperands(&in.E, row.Form.E, &in.C, row.Form.C)
}

// readAddress reads "[base + index*scale + offset]".
func (a *assembler) readAddress(in *Inst) error {
	if !a.eat("[") {
		return fmt.Errorf("an address in [ ] is wanted")
	}
	a.space()
	base, err := a.operand()
	if err != nil {
		return err
	}
	in.A = base
	for {
		a.space()
		if a.eat("]") {
			return nil
		}
		negative := a.eat("-")
		if !negative && !a.eat("+") {
			return fmt.Errorf("address: + or ] is wanted")
		}
		a.space()
		if !negative && in.B == NoReg && in.Off == 0 {
			index, ok, err := a.readIndex(in)
			if err != nil {
				return err
			}
			if ok {
				in.B = index
				continue
			}
		}
		if in.Off != 0 {
			return fmt.Errorf("address: a second offset")
		}
		if in.Off, err = a.offset(negative); err != nil {
			return err
		}
	}
}

// readIndex reads "index*scale", if that is what follows.
func (a *assembler) readIndex(in *Inst) (r Reg, ok bool, err error) {
	before := *a
	consts := len(a.p.Consts)
	r, err = a.operand()
	a.space()
	if err != nil || !a.eat("*") {
		// An offset: take back what reading it as an operand did.
		a.pos = before.pos
		for _, c := range a.p.Consts[consts:] {
			delete(a.consts, c)
		}
		a.p.Consts = a.p.Consts[:consts]
		return NoReg, false, nil
	}
	a.space()
	n, err := a.number()
	if err != nil {
		return r, true, err
	}
	if n.Type != I64 || n.Bits == 0 || n.Bits > 128 || n.Bits&(n.Bits-1) != 0 {
		return r, true, fmt.Errorf("scale %s: not a power of two up to 128", n)
	}
	in.Scale = uint8(n.Bits)
	return r, true, nil
}

// list reads "(operand, operand)".
func (a *assembler) list() ([]Reg, error) {
	a.space()
	if !a.eat("(") {
		return nil, fmt.Errorf("( is wanted")
	}
	a.space()
	if a.eat(")") {
		return nil, nil
	}
	var regs []Reg
	for {
		a.space()
		r, err := a.operand()
		if err != nil {
			return nil, err
		}
		regs = append(regs, r)
		a.space()
		if a.eat(")") {
			return regs, nil
		}
		if !a.eat(",") {
			return nil, fmt.Errorf(", or ) is wanted")
		}
	}
}

// readCall reads "name(args) -> (results)".
func (a *assembler) readCall(in *Inst) error {
	name := a.word()
	c := Call{Caller: len(a.p.Funcs) - 1}
	var err error
	if c.Args, err = a.list(); err != nil {
		return err
	}
	a.space()
	if a.eat("->") {
		if c.Results, err = a.list(); err != nil {
			return err
		}
	}
	in.Off = int64(len(a.p.Calls))
	a.calls = append(a.calls, pendingCall{len(a.p.Calls), name, a.line})
	a.p.Calls = append(a.p.Calls, c)
	return nil
}

// readRet reads the results of a ret.
func (a *assembler) readRet(in *Inst) error {
	c := Call{Caller: len(a.p.Funcs) - 1, Func: -1}
	for more := !a.done(); more; more = a.comma() {
		r, err := a.operand()
		if err != nil {
			return err
		}
		c.Args = append(c.Args, r)
	}
	in.Off = int64(len(a.p.Calls))
	a.p.Calls = append(a.p.Calls, c)
	return nil
}

func (a *assembler) readRegion(in *Inst) error {
	name, err := a.plainOrQuoted()
	if err != nil {
		return err
	}
	i, ok := a.regions[name]
	if !ok {
		i = int64(len(a.p.Regions))
		a.regions[name] = i
		a.p.Regions = append(a.p.Regions, name)
	}
	in.Off = i
	return nil
}
