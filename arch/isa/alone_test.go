package isa

import "pgregory.net/rapid"

// alone runs one thread of a launch of width 1 as a machine with a program
// counter, jumps and a stack would: it knows nothing of masks, and takes from
// Warp only what instructions other than control flow do.
type alone struct {
	w     Warp
	p     *Program
	loops []int32 // loop that each instruction is in, -1 for none
	stack []call
}

// call is an open call: where it was made, and the caller's registers.
type call struct {
	pc   int32
	regs []uint64
}

func newAlone(l *Launch) *alone {
	a := &alone{p: l.Program, loops: make([]int32, len(l.Program.Code))}
	var open []int32
	for pc := range a.p.Code {
		a.loops[pc] = -1
		if len(open) > 0 {
			a.loops[pc] = open[len(open)-1]
		}
		switch a.p.Code[pc].Op {
		case OpLoop:
			open = append(open, int32(pc))
		case OpEndLoop, OpWhile:
			open = open[:len(open)-1]
		}
	}
	return a
}

func (a *alone) run(t *rapid.T, l *Launch, thread int, block *BlockMemory) {
	a.w.Start(l, thread, 1, block)
	a.w.banks[0] = make([]uint64, len(a.p.Funcs[0].Regs))
	pc := int32(0)
	for steps := 0; pc >= 0; steps++ {
		if steps > 1<<22 {
			t.Fatal("the program does not end")
		}
		if in := &a.p.Code[pc]; in.Row().Unit == UnitControl || in.Row().Unit == UnitNone {
			pc = a.control(pc, in)
			continue
		}
		a.w.PC = pc + 1
		a.p.Code[pc].Row().Exec(&a.w, &a.p.Code[pc])
		if a.w.Fault != nil {
			t.Fatalf("%s: %v", a.p.Disassemble(pc), a.w.Fault)
		}
		pc++
	}
}

// control executes the control instruction at pc and returns where the thread
// goes on, -1 if it ends.
func (a *alone) control(pc int32, in *Inst) int32 {
	is := func(r Reg) bool { return a.w.Get(r, 0) != 0 }
	leave := func() int32 { return a.p.Code[a.loops[pc]].To + 1 }
	switch in.Op {
	case OpIf:
		if !is(in.A) {
			return in.To + 1
		}
	case OpElse, OpEndLoop:
		return in.To + 1
	case OpWhile:
		if is(in.A) {
			return in.To + 1
		}
	case OpBreak:
		return leave()
	case OpBreakZero:
		if !is(in.A) {
			return leave()
		}
	case OpBreakNonZero:
		if is(in.A) {
			return leave()
		}
	case OpContinue:
		return int32(a.p.Code[a.loops[pc]].Off)
	case OpCall:
		c := a.p.Calls[in.Off]
		f := &a.p.Funcs[c.Func]
		regs := make([]uint64, len(f.Regs))
		for i, r := range c.Args {
			regs[i] = a.w.Get(r, 0)
		}
		a.stack = append(a.stack, call{pc, a.w.banks[0]})
		a.w.banks[0] = regs
		return f.Entry
	case OpRet:
		return a.ret(in)
	}
	return pc + 1
}

func (a *alone) ret(in *Inst) int32 {
	if len(a.stack) == 0 {
		return -1
	}
	var results []uint64
	for _, r := range a.p.Calls[in.Off].Args {
		results = append(results, a.w.Get(r, 0))
	}
	top := a.stack[len(a.stack)-1]
	a.stack = a.stack[:len(a.stack)-1]
	a.w.banks[0] = top.regs
	for i, r := range a.p.Calls[a.p.Code[top.pc].Off].Results {
		a.w.Set(r, 0, results[i])
	}
	return top.pc + 1
}
