package isa

import (
	"encoding/binary"
	"math/bits"

	"heddle/sim"
)

// Meter says how far Run goes, and counts what it executes.
type Meter struct {
	Cost  []sim.Time  // of each instruction, at least 1
	Insts []InstStats // of each instruction
	Spent sim.Time    // the cost of all that was executed
	Until sim.Time    // Run ends when it is spent
	Last  int32       // pc of the instruction executed last
	// The clock instruction reads Start and what is spent, in Periods. Where
	// Period is 0 it reads the warp's Clock.
	Start, Period sim.Time

	profile *Profile // nil without
}

// Run executes instructions as Step does, until the meter's time is spent, one
// asks something of the machine, or one may let others go on that wait for a
// full/empty word. A warp's Addr and Accessed are then only those of an
// instruction on such a word.
func (w *Warp) Run(m *Meter) Outcome {
	for m.Spent < m.Until {
		if w.Active&(w.Active-1) == 0 {
			w.runLone(m)
			if m.Spent >= m.Until {
				break
			}
		}
		pc, lanes := w.PC, w.Active
		s := &w.steps[pc]
		if s.op == OpClock && m.Period != 0 {
			w.Clock = uint64((m.Start + m.Spent) / m.Period)
		}
		outcome := w.Step()
		m.Last = pc
		if outcome < Blocked || outcome == Done {
			n := uint64(bits.OnesCount64(lanes))
			m.Spent += m.Cost[pc]
			c := &m.Insts[pc]
			c.Issues++
			c.Lanes += n
			if w.Divergent {
				c.Divergent++
			}
			if m.profile != nil {
				m.profile.access(w, pc, lanes, n)
			}
		}
		if outcome != Next || s.setsBit {
			return outcome
		}
	}
	return Next
}

// runLone executes instructions as long as one lane is active and they are of
// the frequent ones, and the meter's time is not spent. What is left is at an
// instruction that costs something.
func (w *Warp) runLone(m *Meter) {
	active := w.Active
	lane := lowest(active)
	var regs view
	for i, bank := range &w.banks {
		if lane < len(bank) {
			regs[i] = bank[lane:]
		}
	}
	steps, cost, insts := w.steps, m.Cost, m.Insts
	pc, spent, until := w.PC, m.Spent, m.Until
	last := m.Last
run:
	for spent < until {
		s := &steps[pc]
		next := pc + 1
		switch s.form {
		case loads:
			addr := regs.get(s.a) + regs.get(s.b)*s.scale + s.offset
			at := addr - s.base
			if at >= s.limit || at&s.mask != 0 {
				if !s.find(w.segmented, addr, s.mask+1, false) {
					break run
				}
				at = addr - s.base
			}
			if p := s.data[at:]; s.element == I32 {
				regs[0][s.d] = uint64(int32(binary.LittleEndian.Uint32(p)))
			} else {
				regs[0][s.d] = decode(s.element, p)
			}
			if m.profile != nil {
				m.profile.countArray(s.array, pc, 1)
			}
		case branches:
			taken := regs.get(s.a) != 0
			switch s.op {
			case OpIf:
				to := w.code[pc].To
				if taken || steps[to].op == OpElse {
					w.push(frame{kind: ifFrame, open: pc, saved: active})
				}
				if !taken {
					next = to + 1
				}
			case OpWhile:
				if f := w.top(); !taken || f.other != active {
					break run
				}
				next = w.code[pc].To + 1
			case OpBreakZero:
				if !taken {
					break run
				}
			default: // OpBreakNonZero
				if taken {
					break run
				}
			}
		case integers:
			regs[0][s.d] = integer(s.op, regs.get(s.a), regs.get(s.b))
		case comparisons:
			regs[0][s.d] = truth(compare(s.op, regs.get(s.a), regs.get(s.b)))
		case others:
			regs[0][s.d] = other(s.op, regs.get(s.a), regs.get(s.b), regs.get(s.c))
		case stores:
			addr := regs.get(s.a) + regs.get(s.b)*s.scale + s.offset
			at := addr - s.base
			if at >= s.limit || at&s.mask != 0 {
				if !s.find(w.segmented, addr, s.mask+1, true) {
					break run
				}
				at = addr - s.base
			}
			encode(s.element, s.data[at:], regs.get(s.c))
			if m.profile != nil {
				m.profile.countArray(s.array, pc, 1)
			}
		default:
			break run
		}
		spent += cost[pc]
		c := &insts[pc]
		c.Issues++
		c.Lanes++
		last, pc = pc, next
		for {
			form := steps[pc].form
			if form < ifEnds {
				break
			}
			switch form {
			case ifEnds:
				saved := w.top().saved
				w.pop()
				if saved != active {
					pc++
					w.Active = saved
					break run
				}
			case loopBegins:
				w.push(frame{kind: loopFrame, open: pc, saved: active, other: active})
			case loopNexts:
				if other := w.top().other; other != active {
					pc++
					w.Active = other
					break run
				}
			}
			pc++
		}
	}
	w.PC = pc
	w.outcome = Next
	if w.Active != active {
		w.skip()
	}
	m.Spent, m.Last = spent, last
}
