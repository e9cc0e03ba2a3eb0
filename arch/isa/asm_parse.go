package isa

import (
	"fmt"
	"strings"
)

// Parse reads a program in the assembler's text, which Program.Text shows, and
// verifies it. File is the name that errors and source lines give it. An
// instruction's source is its own line of the text, unless a comment behind it
// names another as "; file:line". Blank lines and other comments mean nothing.
func Parse(file, text string) (*Program, error) {
	a := assembler{file: file, p: &Program{}, ops: opsByName(), consts: map[Const]Reg{}, regions: map[string]int64{},
		funcs: map[string]int{}, params: map[string]int{}}
	for i, line := range strings.Split(text, "\n") {
		a.line = i + 1
		a.cursor = cursor{text: strings.TrimSuffix(line, "\r")}
		if err := a.readLine(); err != nil {
			return nil, a.at(a.line, err)
		}
	}
	return a.finish()
}

// opsByName returns the opcodes by their names.
func opsByName() map[string]Op {
	ops := make(map[string]Op, NumOps)
	for op := range NumOps {
		ops[Table[op].Name] = op
	}
	return ops
}

// An assembler reads a program line by line.
type assembler struct {
	cursor
	file    string
	line    int
	p       *Program
	ops     map[string]Op
	consts  map[Const]Reg
	regions map[string]int64
	funcs   map[string]int
	params  map[string]int
	opened  []int         // line of each function
	calls   []pendingCall // calls of functions by name
	sources []Line        // of each instruction
	named   bool          // the program line has been read
}

type pendingCall struct {
	list int // index of Program.Calls
	name string
	line int
}

func (a *assembler) at(line int, err error) error {
	return fmt.Errorf("%s: %w", Line{a.file, line}, err)
}

// readLine reads one line of the text.
func (a *assembler) readLine() error {
	a.space()
	if a.done() {
		return nil
	}
	word := a.word()
	if !a.named && word != "program" {
		return fmt.Errorf("the text does not begin with: program NAME")
	}
	var err error
	switch word {
	case "program", "param", "shared", "local":
		if len(a.p.Funcs) > 0 {
			return fmt.Errorf("%s: stands before the functions", word)
		}
		err = a.readDirective(word)
	case "func":
		err = a.readFunc()
	default:
		err = a.readInst(word)
	}
	if err != nil {
		return err
	}
	a.space()
	if !a.done() {
		return fmt.Errorf("unexpected text: %s", a.rest())
	}
	return nil
}

func (a *assembler) readDirective(word string) error {
	switch word {
	case "program":
		if a.named {
			return fmt.Errorf("a second program")
		}
		a.named = true
		name, err := a.plainOrQuoted()
		a.p.Name = name
		return err
	case "param":
		return a.readParam()
	}
	a.space()
	n, err := a.number()
	if err != nil {
		return err
	}
	if n.Type != I64 || int64(n.Bits) < 0 {
		return fmt.Errorf("%s: a number of bytes is wanted", word)
	}
	limit, size := uint64(MaxShared), &a.p.Shared
	if word == "local" {
		limit, size = MaxLocal, &a.p.Local
	}
	if n.Bits > limit {
		return fmt.Errorf("%d bytes of %s memory: at most %d", n.Bits, word, limit)
	}
	*size = int(n.Bits)
	return nil
}

func (a *assembler) readParam() error {
	a.space()
	q := Param{Name: a.word()}
	a.space()
	t, err := ParseType(a.word())
	if err != nil {
		return err
	}
	if a.eat("[]") {
		q.Type, q.Elem, q.Array = I64, t, true
	} else {
		q.Type = t
	}
	if _, twice := a.params[q.Name]; twice {
		return fmt.Errorf("parameter %s: declared twice", q.Name)
	}
	a.params[q.Name] = len(a.p.Params)
	a.p.Params = append(a.p.Params, q)
	return q.verify()
}

// readFunc reads "func NAME(r0, d1) -> i64, f64".
func (a *assembler) readFunc() error {
	if err := a.closeFunc(); err != nil {
		return err
	}
	a.space()
	f := Func{Name: a.word(), Entry: int32(len(a.p.Code))}
	if _, twice := a.funcs[f.Name]; twice {
		return fmt.Errorf("function %s: defined twice", f.Name)
	}
	if !isName(f.Name) {
		return fmt.Errorf("function name %q: not a letter followed by letters, digits and _", f.Name)
	}
	a.funcs[f.Name] = len(a.p.Funcs)
	a.p.Funcs = append(a.p.Funcs, f)
	a.opened = append(a.opened, a.line)
	args, err := a.list()
	if err != nil {
		return err
	}
	fn := a.fn()
	for i, r := range args {
		if r != Reg(i) {
			return fmt.Errorf("function %s: parameters are its registers 0, 1, ... in order", f.Name)
		}
	}
	fn.Params = len(args)
	a.space()
	for more := a.eat("->"); more; more = a.eat(",") {
		a.space()
		t, err := ParseType(a.word())
		if err != nil {
			return err
		}
		fn.Results = append(fn.Results, t)
		a.space()
	}
	if len(a.p.Funcs) == 1 && fn.Params+len(fn.Results) > 0 {
		return fmt.Errorf("function %s: threads start there, so it takes and returns nothing", f.Name)
	}
	return nil
}

// fn returns the function being read.
func (a *assembler) fn() *Func { return &a.p.Funcs[len(a.p.Funcs)-1] }

// closeFunc ends the function being read, if any.
func (a *assembler) closeFunc() error {
	if len(a.p.Funcs) == 0 {
		return nil
	}
	fn := a.fn()
	if int(fn.Entry) == len(a.p.Code) {
		a.line = a.opened[len(a.opened)-1]
		return fmt.Errorf("function %s: is empty", fn.Name)
	}
	for i, t := range fn.Regs {
		if t == NoType { // a number that the text skips
			fn.Regs[i] = I64
		}
	}
	return nil
}

// finish resolves what the text refers to and verifies the program.
func (a *assembler) finish() (*Program, error) {
	p := a.p
	if len(p.Funcs) == 0 {
		return nil, a.at(a.line, fmt.Errorf("the program has no function"))
	}
	if err := a.closeFunc(); err != nil {
		return nil, a.at(a.line, err)
	}
	for _, c := range a.calls {
		f, ok := a.funcs[c.name]
		if !ok {
			return nil, a.at(c.line, fmt.Errorf("no function %s", c.name))
		}
		p.Calls[c.list].Func = f
	}
	if err := p.verifyHeader(); err != nil {
		return nil, a.at(1, err)
	}
	for f := range p.Funcs {
		if err := match(p, f); err != nil {
			return nil, err
		}
	}
	if err := Verify(p); err != nil {
		return nil, err
	}
	// Until here errors name the lines of the text.
	p.Lines = a.sources
	canonical(p)
	return p, nil
}
