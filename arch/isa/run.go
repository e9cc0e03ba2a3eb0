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
		if w.runFrequent(m); w.outcome == Faulted {
			return Faulted
		}
		if m.Spent >= m.Until {
			break
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
				m.profile.access(w, pc, -1, lanes)
			}
		}
		if outcome != Next || s.setsBit {
			return outcome
		}
	}
	return Next
}

// runFrequent executes instructions as long as they are the frequent ones and
// the meter's time is not spent. What is left is at an instruction that costs
// something. Lone lanes, which are the most frequent, are spared loops over lanes.
func (w *Warp) runFrequent(m *Meter) {
	w.outcome = Next
	regs := &w.banks
	steps, cost, insts := w.steps, m.Cost, m.Insts
	pc, active, spent, until, last := w.PC, w.Active, m.Spent, m.Until, m.Last
run:
	for spent < until {
		s := &steps[pc]
		next, n, lane := pc+1, uint64(1), operand(lowest(active))
		lone := active&(active-1) == 0
		if !lone {
			n = uint64(bits.OnesCount64(active))
		}
		divergent := false
		switch s.form {
		case loads, stores:
			array := s.array
			at := regs.get(s.a+lane) + regs.get(s.b+lane)*s.scale + s.offset - s.base
			switch {
			case lone && at < s.limit && at&s.mask == 0:
				if p := s.data[at:]; s.form == stores {
					encode(s.element, p, regs.get(s.c+lane))
				} else if s.element == I32 {
					regs.set(s.d+lane, uint64(int32(binary.LittleEndian.Uint32(p))))
				} else {
					regs.set(s.d+lane, decode(s.element, p))
				}
				if s.ahead != nil {
					w.lookAhead(s, lane, at)
				}
			case s.uniform:
				array = w.move(s, active, pc)
				if w.outcome == Faulted {
					last, pc = pc, next
					break run
				}
			default:
				break run
			}
			if m.profile != nil {
				m.profile.access(w, pc, array, active)
			}
		case branches:
			lanes := active
			if s.op == OpWhile {
				lanes = w.top().other
			}
			var yes uint64
			if lone && lanes == active {
				if regs.get(s.a+lane) != 0 {
					yes = active
				}
			} else {
				yes = regs.nonZero(s.a, lanes)
			}
			divergent = yes != 0 && yes != lanes
			switch s.op {
			case OpIf:
				to := w.code[pc].To
				if yes == 0 {
					next = to + 1
					if w.code[to].Op == OpElse {
						w.push(frame{kind: ifFrame, open: pc, saved: active})
					}
				} else {
					w.push(frame{kind: ifFrame, open: pc, saved: active, other: active &^ yes})
					active = yes
				}
			case OpWhile:
				if yes == 0 {
					break run
				}
				w.top().other, active = yes, yes
				next = w.code[pc].To + 1
			case OpBreakZero:
				if yes != active {
					break run
				}
			default: // OpBreakNonZero
				if yes != 0 {
					break run
				}
			}
		case integers, comparisons:
			switch {
			case lone && s.form == integers:
				regs.set(s.d+lane, integer(s.op, regs.get(s.a+lane), regs.get(s.b+lane)))
			case lone:
				regs.set(s.d+lane, truth(compare(s.op, regs.get(s.a+lane), regs.get(s.b+lane))))
			case active == w.all: // the table's functions have a path for these
				w.Active = active
				execOf[s.op](w, &w.code[pc])
			case s.form == integers:
				integerLanes(s.op, active, regs.lanes(s.d), regs.lanes(s.a), regs.lanes(s.b))
			default:
				compareLanes(s.op, active, regs.lanes(s.d), regs.lanes(s.a), regs.lanes(s.b))
			}
		case others:
			otherLanes(s.op, active, regs.lanes(s.d), regs.lanes(s.a), regs.lanes(s.b), regs.lanes(s.c))
		default:
			break run
		}
		spent += cost[pc]
		c := &insts[pc]
		c.Issues++
		c.Lanes += n
		if divergent {
			c.Divergent++
		}
		last, pc = pc, next
		for steps[pc].form >= ifEnds {
			switch steps[pc].form {
			case ifEnds:
				active = w.top().saved
				w.pop()
			case loopBegins:
				w.push(frame{kind: loopFrame, open: pc, saved: active, other: active})
			case loopNexts:
				active = w.top().other
			}
			pc++
		}
	}
	w.PC, w.Active = pc, active
	m.Spent, m.Last = spent, last
}
