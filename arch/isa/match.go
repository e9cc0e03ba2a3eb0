package isa

import "fmt"

// links are the partners of a function's control instructions, indexed by pc
// from its entry: what Inst.To and, for a loop, Inst.Off hold.
type links struct {
	to   []int32
	next []int64
}

// An opening is a construct that is not yet closed.
type opening struct {
	pc   int32 // the if, else, loop or region
	next bool  // loop: its next has been seen
}

// match resolves the control flow of function f: each if, else and loop learns
// where its partner is. It reports the first instruction that has none.
func match(p *Program, f int) error {
	from, _ := p.extent(f)
	l, err := p.links(f)
	for i := range l.to {
		in := &p.Code[from+int32(i)]
		in.To = l.to[i]
		if in.Op == OpLoop {
			in.Off = l.next[i]
		}
	}
	return err
}

// links finds the partners in function f.
func (p *Program) links(f int) (links, error) {
	from, to := p.extent(f)
	l := links{make([]int32, to-from), make([]int64, to-from)}
	var open []opening
	for pc := from; pc < to; pc++ {
		in := &p.Code[pc]
		bad := func(format string, args ...any) (links, error) {
			return links{}, fmt.Errorf("%s: %s: %s", p.Source(pc), in.Row().Name, fmt.Sprintf(format, args...))
		}
		switch in.Op {
		case OpIf, OpLoop, OpRegionBegin:
			open = append(open, opening{pc: pc})
			continue
		case OpBreak, OpBreakZero, OpBreakNonZero, OpContinue:
			loop := p.innermostLoop(open)
			if loop == nil {
				return bad("outside a loop")
			}
			if in.Op == OpContinue && loop.next {
				return bad("after the loop's next")
			}
			continue
		}
		want := closes(in.Op)
		if want == nil {
			continue
		}
		if len(open) == 0 {
			return bad("closes nothing")
		}
		top := &open[len(open)-1]
		opener := &p.Code[top.pc]
		if opener.Op != want[0] && opener.Op != want[1] {
			return bad("inside the %s of %s", opener.Row().Name, p.Source(top.pc))
		}
		switch in.Op {
		case OpElse:
			l.to[top.pc-from] = pc
			top.pc = pc
			continue
		case OpNext:
			if top.next {
				return bad("is the loop's second")
			}
			top.next = true
			l.next[top.pc-from] = int64(pc)
			continue
		case OpEndIf:
			l.to[top.pc-from] = pc
		case OpRegionEnd:
			if in.Off != opener.Off {
				return bad("inside another region, which began at %s", p.Source(top.pc))
			}
		default:
			l.to[pc-from], l.to[top.pc-from] = top.pc, pc
			if !top.next {
				l.next[top.pc-from] = int64(pc)
			}
		}
		open = open[:len(open)-1]
	}
	if len(open) > 0 {
		pc := open[len(open)-1].pc
		return links{}, fmt.Errorf("%s: %s: is never closed", p.Source(pc), p.Code[pc].Row().Name)
	}
	return l, nil
}

// closes returns the instructions that op closes or continues, nil if none.
func closes(op Op) []Op {
	switch op {
	case OpElse:
		return []Op{OpIf, OpIf}
	case OpEndIf:
		return []Op{OpIf, OpElse}
	case OpNext, OpEndLoop, OpWhile:
		return []Op{OpLoop, OpLoop}
	case OpRegionEnd:
		return []Op{OpRegionBegin, OpRegionBegin}
	}
	return nil
}

// innermostLoop returns the innermost loop of open, nil if there is none.
func (p *Program) innermostLoop(open []opening) *opening {
	for i := len(open) - 1; i >= 0; i-- {
		if p.Code[open[i].pc].Op == OpLoop {
			return &open[i]
		}
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
