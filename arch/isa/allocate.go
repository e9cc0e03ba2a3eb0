package isa

import (
	"cmp"
	"slices"
)

// A span is the text during which a register's value may be wanted. Position
// 2*pc is where the instruction at pc reads, 2*pc+1 where it writes, so a
// register that is last read by an instruction makes room for its result.
type span struct {
	reg        int
	start, end int
}

// allocate merges the registers of each function of a verified program whose
// spans do not overlap and whose types agree. Parameters keep their places.
//
// Inactive lanes keep their registers, so each lane may be looked at alone,
// and its paths run down the text except at the end of a loop. A value that
// crosses the end of a loop was, by Verify, first written before the loop.
func allocate(p *Program) {
	for f := range p.Funcs {
		renumber(p, f, assign(&p.Funcs[f], p.spans(f)))
	}
}

// spans returns the span of every register of function f that occurs in it or
// is a parameter, by start.
func (p *Program) spans(f int) []span {
	fn := &p.Funcs[f]
	all := make([]span, len(fn.Regs))
	for i := range all {
		all[i] = span{i, -1, -2}
		if i < fn.Params {
			all[i].end = -1
		}
	}
	var loops []int32 // open at pc, outermost first
	occurs := func(r Reg, at int) {
		if !r.IsLocal() {
			return
		}
		s := &all[r]
		if s.end == -2 {
			s.start = at
		}
		s.end = max(s.end, at)
		for _, l := range loops {
			if s.start < 2*int(l) {
				s.end = max(s.end, 2*int(p.Code[l].To)+1)
				break
			}
		}
	}
	from, to := p.extent(f)
	for pc := from; pc < to; pc++ {
		in := &p.Code[pc]
		reads, writes := []Reg{in.A, in.B, in.C, in.E}, []Reg{in.D}
		switch in.Op {
		case OpLoop:
			loops = append(loops, pc)
		case OpCall, OpRet:
			reads, writes = p.Calls[in.Off].Args, p.Calls[in.Off].Results
		}
		for _, r := range reads {
			occurs(r, 2*int(pc))
		}
		for _, r := range writes {
			occurs(r, 2*int(pc)+1)
		}
		if in.Op == OpEndLoop || in.Op == OpWhile {
			loops = loops[:len(loops)-1]
		}
	}
	all = slices.DeleteFunc(all, func(s span) bool { return s.end == -2 })
	slices.SortFunc(all, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.reg, b.reg))
	})
	return all
}

// placement says where the registers of a function go.
type placement struct {
	to   []Reg  // new register of each old one; NoReg for one that never occurs
	regs []Type // of the new frame
}

// assign gives each span the lowest register of its type that is free.
func assign(fn *Func, spans []span) placement {
	pl := placement{to: make([]Reg, len(fn.Regs))}
	for i := range pl.to {
		pl.to[i] = NoReg
	}
	var live []span // by end
	var free [F64 + 1][]Reg
	for _, s := range spans {
		for len(live) > 0 && live[0].end < s.start {
			t, r := fn.Regs[live[0].reg], pl.to[live[0].reg]
			at, _ := slices.BinarySearch(free[t], r)
			free[t] = slices.Insert(free[t], at, r)
			live = live[1:]
		}
		t := fn.Regs[s.reg]
		if len(free[t]) > 0 {
			pl.to[s.reg] = free[t][0]
			free[t] = free[t][1:]
		} else {
			pl.to[s.reg] = Reg(len(pl.regs))
			pl.regs = append(pl.regs, t)
		}
		at, _ := slices.BinarySearchFunc(live, s.end+1, func(l span, end int) int { return cmp.Compare(l.end, end) })
		live = slices.Insert(live, at, s)
	}
	return pl
}

// renumber moves the registers of function f, whose operand lists are not
// shared between instructions.
func renumber(p *Program, f int, pl placement) {
	move := func(r *Reg) {
		if r.IsLocal() {
			*r = pl.to[*r]
		}
	}
	from, to := p.extent(f)
	for pc := from; pc < to; pc++ {
		in := &p.Code[pc]
		for _, r := range []*Reg{&in.D, &in.A, &in.B, &in.C, &in.E} {
			move(r)
		}
		if in.Op == OpCall || in.Op == OpRet {
			c := &p.Calls[in.Off]
			for i := range c.Args {
				move(&c.Args[i])
			}
			for i := range c.Results {
				move(&c.Results[i])
			}
		}
	}
	p.Funcs[f].Regs = pl.regs
}
