package isa

import "fmt"

// match resolves the control flow of function f: each if, else and loop learns
// where its partner is. It reports the first instruction that has none.
func match(p *Program, f int) error {
	from, to := p.extent(f)
	var open []int32 // constructs not yet closed
	bad := func(pc int32, what string) error {
		return fmt.Errorf("%s: %s %s", p.Source(pc), p.Code[pc].Row().Name, what)
	}
	for pc := from; pc < to; pc++ {
		in := &p.Code[pc]
		if in.Op == OpIf || in.Op == OpLoop {
			open = append(open, pc)
			continue
		}
		closes := in.Op == OpElse || in.Op == OpEndIf || in.Op == OpNext || in.Op == OpEndLoop || in.Op == OpWhile
		if !closes {
			continue
		}
		if len(open) == 0 {
			return bad(pc, "closes nothing")
		}
		top := open[len(open)-1]
		opener := &p.Code[top]
		loop := opener.Op == OpLoop
		if loop != (in.Op == OpNext || in.Op == OpEndLoop || in.Op == OpWhile) {
			return bad(pc, fmt.Sprintf("inside the %s of %s", opener.Row().Name, p.Source(top)))
		}
		switch in.Op {
		case OpElse:
			if opener.Op == OpElse {
				return bad(pc, "follows another else")
			}
			opener.To = pc
			open[len(open)-1] = pc
		case OpEndIf:
			opener.To = pc
			open = open[:len(open)-1]
		case OpNext:
			if opener.Off != 0 {
				return bad(pc, "is the loop's second")
			}
			opener.Off = int64(pc)
		default:
			in.To, opener.To = top, pc
			if opener.Off == 0 {
				opener.Off = int64(pc)
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		return bad(open[len(open)-1], "is never closed")
	}
	return nil
}

// extent returns the code of function f as [from, to).
func (p *Program) extent(f int) (from, to int32) {
	from, to = p.Funcs[f].Entry, int32(len(p.Code))
	for _, g := range p.Funcs {
		if g.Entry > from && g.Entry < to {
			to = g.Entry
		}
	}
	return from, to
}
