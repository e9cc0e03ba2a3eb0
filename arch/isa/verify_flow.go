package isa

import "fmt"

// known is what holds on every path to a point of a function: whether there is
// a path, and the registers written on all of them.
type known struct {
	reached bool
	written []uint64 // bit set
}

func (k known) copy() known {
	k.written = append([]uint64(nil), k.written...)
	return k
}

// meet narrows k to what also holds in o.
func (k *known) meet(o known) {
	switch {
	case !o.reached:
	case !k.reached:
		*k = o.copy()
	default:
		for i := range k.written {
			k.written[i] &= o.written[i]
		}
	}
}

// A region of text whose paths meet again at its end.
type scope struct {
	op      Op // OpIf, OpElse, OpLoop
	pc      int32
	other   known // if: at its start; else: at the end of the other side
	breaks  known // loop: where it is left
	resumes known // loop: where it continues
	leaves  bool  // loop: some path leaves it, or none enters
}

// A flow follows every path of a function at once. Within an iteration paths
// run down the text, and a loop's later iterations know at least what its
// first knows, so one pass over the text is exact.
type flow struct {
	p      *Program
	fn     *Func
	now    known
	scopes []scope
}

// verifyFlow reports the first read of a register that some path has not
// written, the first loop that no path leaves, and an end that a path falls off.
func (p *Program) verifyFlow(f int) error {
	fn := &p.Funcs[f]
	fl := flow{p: p, fn: fn, now: known{true, make([]uint64, (len(fn.Regs)+63)/64)}}
	for i := range fn.Params {
		fl.write(Reg(i))
	}
	from, to := p.extent(f)
	for pc := from; pc < to; pc++ {
		if err := fl.pass(pc); err != nil {
			return p.refuse(pc, err)
		}
	}
	if fl.now.reached {
		return p.refuse(to-1, fmt.Errorf("function %s ends without ret", fn.Name))
	}
	return nil
}

func (fl *flow) write(r Reg) { fl.now.written[r>>6] |= 1 << (r & 63) }

// read reports whether a path reaches here that has not written one of regs.
func (fl *flow) read(regs ...Reg) error {
	if !fl.now.reached {
		return nil
	}
	for _, r := range regs {
		if r != NoReg && r.IsLocal() && fl.now.written[r>>6]>>(r&63)&1 == 0 {
			return fmt.Errorf("reads %s, which is not written on every path", fl.p.operand(fl.fn, r))
		}
	}
	return nil
}

// pass moves past the instruction at pc.
func (fl *flow) pass(pc int32) error {
	in := &fl.p.Code[pc]
	if in.Op == OpWhile {
		fl.resume()
	}
	if err := fl.read(in.A, in.B, in.C, in.E); err != nil {
		return err
	}
	if in.D != NoReg {
		fl.write(in.D)
	}
	switch in.Op {
	case OpIf:
		fl.scopes = append(fl.scopes, scope{op: OpIf, pc: pc, other: fl.now.copy()})
	case OpElse:
		s := fl.top()
		s.op = OpElse
		fl.now, s.other = s.other, fl.now
	case OpEndIf:
		fl.now.meet(fl.top().other)
		fl.pop()
	case OpLoop:
		fl.scopes = append(fl.scopes, scope{op: OpLoop, pc: pc, leaves: !fl.now.reached})
	case OpNext:
		fl.resume()
	case OpEndLoop:
		fl.resume()
		s := fl.top()
		if !s.leaves {
			return fmt.Errorf("no path leaves the loop of %s", fl.p.Source(s.pc))
		}
		fl.now.reached = false
		fl.now.meet(s.breaks)
		fl.pop()
	case OpWhile:
		fl.now.meet(fl.top().breaks)
		fl.pop()
	case OpBreak:
		fl.exit()
		fl.now.reached = false
	case OpBreakZero, OpBreakNonZero:
		fl.exit()
	case OpContinue:
		fl.loop().resumes.meet(fl.now)
		fl.now.reached = false
	case OpCall:
		c := &fl.p.Calls[in.Off]
		if err := fl.read(c.Args...); err != nil {
			return err
		}
		for _, r := range c.Results {
			fl.write(r)
		}
	case OpRet:
		return fl.ret(in)
	}
	return nil
}

func (fl *flow) ret(in *Inst) error {
	if err := fl.read(fl.p.Calls[in.Off].Args...); err != nil {
		return err
	}
	for i := range fl.scopes {
		fl.scopes[i].leaves = fl.scopes[i].leaves || fl.now.reached
	}
	fl.now.reached = false
	return nil
}

func (fl *flow) top() *scope { return &fl.scopes[len(fl.scopes)-1] }

func (fl *flow) pop() { fl.scopes = fl.scopes[:len(fl.scopes)-1] }

// loop returns the innermost loop.
func (fl *flow) loop() *scope {
	for i := len(fl.scopes) - 1; ; i-- {
		if fl.scopes[i].op == OpLoop {
			return &fl.scopes[i]
		}
	}
}

// exit notes that the innermost loop is left here.
func (fl *flow) exit() {
	s := fl.loop()
	s.breaks.meet(fl.now)
	s.leaves = s.leaves || fl.now.reached
}

// resume lets the paths that continued join.
func (fl *flow) resume() {
	s := fl.top()
	fl.now.meet(s.resumes)
	s.resumes = known{}
}
