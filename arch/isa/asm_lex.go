package isa

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A cursor reads a line from left to right.
type cursor struct {
	text string
	pos  int
}

func (c *cursor) rest() string { return c.text[c.pos:] }

func (c *cursor) space() {
	for c.pos < len(c.text) && (c.text[c.pos] == ' ' || c.text[c.pos] == '\t') {
		c.pos++
	}
}

// peek returns the next character, 0 at the end.
func (c *cursor) peek() byte {
	if c.pos < len(c.text) {
		return c.text[c.pos]
	}
	return 0
}

// done reports whether nothing but a comment follows.
func (c *cursor) done() bool { return c.pos == len(c.text) || c.text[c.pos] == ';' }

// eat passes over s if it comes next.
func (c *cursor) eat(s string) bool {
	if strings.HasPrefix(c.rest(), s) {
		c.pos += len(s)
		return true
	}
	return false
}

// comma passes over a comma and the space around it.
func (c *cursor) comma() bool {
	c.space()
	ok := c.eat(",")
	c.space()
	return ok
}

// word reads letters, digits, _ and points.
func (c *cursor) word() string {
	start := c.pos
	for c.pos < len(c.text) && isWordByte(c.text[c.pos]) {
		c.pos++
	}
	return c.text[start:c.pos]
}

func isWordByte(b byte) bool {
	return b == '_' || b == '.' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// plainOrQuoted reads text that is in quotes or ends at a space.
func (c *cursor) plainOrQuoted() (string, error) {
	c.space()
	if c.peek() == '"' {
		quoted, err := strconv.QuotedPrefix(c.rest())
		if err != nil {
			return "", fmt.Errorf("a quote is never closed: %s", c.rest())
		}
		c.pos += len(quoted)
		return strconv.Unquote(quoted)
	}
	start := c.pos
	for c.pos < len(c.text) && c.text[c.pos] > ' ' && c.text[c.pos] != ';' && c.text[c.pos] != '"' {
		c.pos++
	}
	if c.pos == start {
		return "", fmt.Errorf("a name is wanted")
	}
	return c.text[start:c.pos], nil
}

// source reads a comment of the form "; file:line", if that is what follows.
func (c *cursor) source() (l Line, ok bool) {
	comment, ok := strings.CutPrefix(c.rest(), ";")
	colon := strings.LastIndexByte(comment, ':')
	if !ok || colon < 0 {
		return l, false
	}
	num, err := strconv.Atoi(strings.TrimRight(comment[colon+1:], " \t"))
	if err != nil {
		return l, false
	}
	file := cursor{text: comment[:colon]}
	name, err := file.plainOrQuoted()
	return Line{name, num}, err == nil && file.pos == len(file.text)
}

// digits reads the text of a number.
func (c *cursor) digits() string {
	start := c.pos
	c.eat("-")
	hex := len(c.rest()) > 1 && c.peek() == '0' && strings.IndexByte("dfx", c.rest()[1]) >= 0
	for c.pos < len(c.text) {
		b := c.text[c.pos]
		exponent := (b == '+' || b == '-') && !hex && c.pos > start && c.text[c.pos-1]|0x20 == 'e'
		if !isWordByte(b) && !exponent {
			break
		}
		c.pos++
	}
	return c.text[start:c.pos]
}

// number reads a literal.
func (c *cursor) number() (Const, error) {
	s := c.digits()
	bad := func() (Const, error) {
		return Const{}, fmt.Errorf("%q: not a number that a register holds", s)
	}
	if bits, ok := strings.CutPrefix(s, "0d"); ok {
		v, err := strconv.ParseUint(bits, 16, 64)
		if err != nil || len(bits) != 16 {
			return bad()
		}
		return Const{F64, v}, nil
	}
	if bits, ok := strings.CutPrefix(s, "0f"); ok && len(bits) > 0 {
		v, err := strconv.ParseUint(bits, 16, 32)
		if err != nil || len(bits) != 8 {
			return bad()
		}
		return Const{F32, v}, nil
	}
	hex := strings.HasPrefix(strings.TrimPrefix(s, "-"), "0x")
	if hex || !strings.ContainsAny(s, ".efE") {
		base := 10
		if hex {
			base = 0
		}
		v, err := strconv.ParseInt(s, base, 64)
		if err != nil || strings.ContainsRune(s, '_') {
			return bad()
		}
		return Const{I64, uint64(v)}, nil
	}
	if strings.ContainsAny(s, "_xXnNiIpP") {
		return bad()
	}
	if f, ok := strings.CutSuffix(s, "f"); ok {
		v, err := strconv.ParseFloat(f, 32)
		if err != nil {
			return bad()
		}
		return Const{F32, uint64(math.Float32bits(float32(v)))}, nil
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return bad()
	}
	return Const{F64, math.Float64bits(v)}, nil
}

// offset reads the bytes that an address adds or, if negative, takes away.
func (c *cursor) offset(negative bool) (int64, error) {
	s := c.digits()
	sign := ""
	if negative {
		sign = "-"
	}
	v, err := strconv.ParseInt(sign+s, 10, 64)
	if err != nil || strings.ContainsAny(s, "+-") {
		return 0, fmt.Errorf("address: %q: not an offset in bytes", s)
	}
	return v, nil
}

// operand reads a register, parameter or literal.
func (a *assembler) operand() (Reg, error) {
	switch b := a.peek(); {
	case b == '$':
		a.pos++
		name := a.word()
		if i, ok := a.params[name]; ok {
			return a.p.ParamReg(i), nil
		}
		return NoReg, fmt.Errorf("no parameter $%s", name)
	case b == '%':
		a.pos++
		name := a.word()
		for r, n := range specialNames {
			if n == name {
				return r, nil
			}
		}
		return NoReg, fmt.Errorf("no register %%%s", name)
	case b == '-' || b >= '0' && b <= '9':
		c, err := a.number()
		if err != nil {
			return NoReg, err
		}
		return a.constant(c)
	}
	return a.register()
}

// register reads a register of the function, such as d2.
func (a *assembler) register() (Reg, error) {
	word := a.word()
	t := NoType
	for i, letter := range registerLetters {
		if letter != 0 && word != "" && word[0] == letter {
			t = Type(i)
		}
	}
	if t == NoType {
		if word == "" {
			word = a.rest()
		}
		return NoReg, fmt.Errorf("%q: a register (r0, d0, s0), $parameter, %%special or number is wanted", word)
	}
	i, err := strconv.ParseUint(word[1:], 10, 16)
	if err != nil || i >= maxBankRegs {
		return NoReg, fmt.Errorf("%s: registers are numbered 0 to %d", word, maxBankRegs-1)
	}
	fn := a.fn()
	for len(fn.Regs) <= int(i) {
		fn.Regs = append(fn.Regs, NoType)
	}
	if was := fn.Regs[i]; was != NoType && was != t {
		return NoReg, fmt.Errorf("%s: register %d was %s above", word, i, was)
	}
	fn.Regs[i] = t
	return Reg(i), nil
}

func (a *assembler) constant(c Const) (Reg, error) {
	if r, ok := a.consts[c]; ok {
		return r, nil
	}
	if numSharedRegs+len(a.p.Params)+len(a.p.Consts) >= maxBankRegs {
		return NoReg, fmt.Errorf("%s: more parameters and constants than %d", c, maxBankRegs-numSharedRegs)
	}
	a.p.Consts = append(a.p.Consts, c)
	r := a.p.ConstReg(len(a.p.Consts) - 1)
	a.consts[c] = r
	return r, nil
}
