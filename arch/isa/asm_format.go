package isa

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// sourceColumn is where the source comment of an instruction begins.
const sourceColumn = 48

// Text returns p, which Verify accepts, in the assembler's text, which Parse
// reads back:
//
//	program average/pull
//	param xadj i64[]
//	param n i64
//
//	func main()
//	    lt r0, %tid, $n                     ; kernels/average/pull.go:31
//	    if r0
//	        ld.i64 r1, [$xadj + %tid*8 + 8]
//	        call half(r1) -> (d2)
//	    endif
//	    ret
//
//	func half(r0) -> f64
//	    cvt.f64.i64 d1, r0
//	    mul.f64 d1, d1, 0.5
//	    ret d1
//
// A register is its type's letter and its number in the frame: r integer, s
// single, d double. %tid and its like say who the thread is, $n is a
// parameter. A literal with a point or an exponent is a double, and a single if
// f follows; 0d and 0f introduce the bits of one that is not finite. The
// operands come destination first; of compare-and-swap they are the value
// expected, then the new one.
func (p *Program) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "program %s\n", plainOrQuoted(p.Name))
	for _, q := range p.Params {
		if q.Array {
			fmt.Fprintf(&b, "param %s %s[]\n", q.Name, q.Elem)
		} else {
			fmt.Fprintf(&b, "param %s %s\n", q.Name, q.Type)
		}
	}
	if p.Shared != 0 {
		fmt.Fprintf(&b, "shared %d\n", p.Shared)
	}
	if p.Local != 0 {
		fmt.Fprintf(&b, "local %d\n", p.Local)
	}
	for f := range p.Funcs {
		p.formatFunc(&b, f)
	}
	return b.String()
}

func (p *Program) formatFunc(b *strings.Builder, f int) {
	fn := &p.Funcs[f]
	params := make([]Reg, fn.Params)
	for i := range params {
		params[i] = Reg(i)
	}
	fmt.Fprintf(b, "\nfunc %s(%s)", fn.Name, p.operands(fn, params))
	for i, t := range fn.Results {
		sep := ", "
		if i == 0 {
			sep = " -> "
		}
		b.WriteString(sep + t.String())
	}
	b.WriteByte('\n')
	depth := 1
	from, to := p.extent(f)
	for pc := from; pc < to; pc++ {
		op := p.Code[pc].Op
		if closes(op) != nil {
			depth--
		}
		text := strings.Repeat("    ", max(depth, 0)) + p.format(fn, &p.Code[pc])
		fmt.Fprintf(b, "%-*s ; %s\n", sourceColumn-1, text, p.Source(pc).comment())
		switch op {
		case OpIf, OpElse, OpLoop, OpNext, OpRegionBegin:
			depth++
		}
	}
}

// comment returns l as the assembler writes it behind an instruction.
func (l Line) comment() string { return fmt.Sprintf("%s:%d", plainOrQuoted(l.File), l.Num) }

// plainOrQuoted returns s, in quotes unless it is visible ASCII text without
// the characters that mean something to the assembler.
func plainOrQuoted(s string) string {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' || s[i] == '"' || s[i] == ';' {
			return strconv.Quote(s)
		}
	}
	if s == "" {
		return `""`
	}
	return s
}

// Disassemble returns the text of the instruction at pc.
func (p *Program) Disassemble(pc int32) string {
	return p.format(p.FuncAt(pc), &p.Code[pc])
}

// format returns the text of an instruction of function fn. It takes
// ill-formed ones too, so that errors can show them.
func (p *Program) format(fn *Func, in *Inst) string {
	if in.Op >= NumOps {
		return fmt.Sprintf("instruction %d", in.Op)
	}
	row := in.Row()
	switch in.Op {
	case OpCall:
		return p.formatCall(fn, in)
	case OpRet:
		if in.Off >= 0 && in.Off < int64(len(p.Calls)) {
			return strings.TrimRight("ret "+p.operands(fn, p.Calls[in.Off].Args), " ")
		}
	case OpRegionBegin, OpRegionEnd:
		if in.Off >= 0 && in.Off < int64(len(p.Regions)) {
			return row.Name + " " + plainOrQuoted(p.Regions[in.Off])
		}
	}
	name, regs := row.Name, []Reg{in.D, in.A, in.B, in.C, in.E}
	var text []string
	if row.Memory != NoMemory {
		name += "." + in.Type.String()
		if in.Space != Global {
			name += "." + in.Space.String()
		}
		if in.D != NoReg {
			text = append(text, p.operand(fn, in.D))
		}
		text = append(text, p.formatAddress(fn, in))
		regs = []Reg{in.E, in.C}
	}
	for _, r := range regs {
		if r != NoReg {
			text = append(text, p.operand(fn, r))
		}
	}
	return strings.TrimRight(name+" "+strings.Join(text, ", "), " ")
}

func (p *Program) formatCall(fn *Func, in *Inst) string {
	if in.Off < 0 || in.Off >= int64(len(p.Calls)) {
		return "call ?"
	}
	c := &p.Calls[in.Off]
	name := "?"
	if c.Func >= 0 && c.Func < len(p.Funcs) {
		name = p.Funcs[c.Func].Name
	}
	text := fmt.Sprintf("call %s(%s)", name, p.operands(fn, c.Args))
	if len(c.Results) > 0 {
		text += fmt.Sprintf(" -> (%s)", p.operands(fn, c.Results))
	}
	return text
}

func (p *Program) formatAddress(fn *Func, in *Inst) string {
	text := "[" + p.operand(fn, in.A)
	if in.B != NoReg {
		text += fmt.Sprintf(" + %s*%d", p.operand(fn, in.B), in.Scale)
	}
	switch {
	case in.Off > 0:
		text += fmt.Sprintf(" + %d", in.Off)
	case in.Off < 0:
		text += fmt.Sprintf(" - %d", -uint64(in.Off))
	}
	return text + "]"
}

func (p *Program) operands(fn *Func, regs []Reg) string {
	text := make([]string, len(regs))
	for i, r := range regs {
		text[i] = p.operand(fn, r)
	}
	return strings.Join(text, ", ")
}

var registerLetters = [...]byte{I64: 'r', F32: 's', F64: 'd'}

// operand returns the text of register r in function fn.
func (p *Program) operand(fn *Func, r Reg) string {
	t := p.TypeOf(fn, r)
	if !isRegister(t) {
		return fmt.Sprintf("?%#x", uint16(r))
	}
	if r.IsLocal() {
		return fmt.Sprintf("%c%d", registerLetters[t], r.Index())
	}
	if name, ok := specialNames[r]; ok {
		return "%" + name
	}
	i := r.Index() - numSharedRegs
	if i < len(p.Params) {
		return "$" + p.Params[i].Name
	}
	return p.Consts[i-len(p.Params)].String()
}

// String returns the constant as the assembler writes it.
func (c Const) String() string {
	switch c.Type {
	case F64:
		x := math.Float64frombits(c.Bits)
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Sprintf("0d%016x", c.Bits)
		}
		return formatFloat(x, 64)
	case F32:
		x := float64(math.Float32frombits(uint32(c.Bits)))
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Sprintf("0f%08x", uint32(c.Bits))
		}
		return formatFloat(x, 32) + "f"
	}
	return strconv.FormatInt(int64(c.Bits), 10)
}

// formatFloat returns the shortest text that reads back as x and is not that
// of an integer.
func formatFloat(x float64, bits int) string {
	s := strconv.FormatFloat(x, 'g', -1, bits)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}
