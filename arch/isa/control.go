package isa

// A frame is an open if, loop or call of a warp.
type frame struct {
	kind  frameKind
	open  int32  // pc of the instruction that opened it
	saved uint64 // lanes that go on after it
	other uint64 // if: lanes that wait for the else; loop: lanes still iterating
	up    int    // call: the caller's register window
}

type frameKind uint8

const (
	ifFrame frameKind = iota
	loopFrame
	callFrame
)

func (w *Warp) push(f frame) { w.frames = append(w.frames, f) }

func (w *Warp) top() *frame { return &w.frames[len(w.frames)-1] }

func (w *Warp) pop() { w.frames = w.frames[:len(w.frames)-1] }

func execIf(w *Warp, in *Inst) {
	taken := w.nonZero(in.A)
	other := w.Active &^ taken
	w.Divergent = taken != 0 && other != 0
	elsewhere := w.Program.Code[in.To].Op == OpElse
	if taken == 0 && !elsewhere {
		w.PC = in.To + 1
		return
	}
	w.push(frame{kind: ifFrame, open: w.PC - 1, saved: w.Active, other: other})
	if taken == 0 {
		w.top().other = 0
		w.PC = in.To + 1
		return
	}
	w.Active = taken
}

func execElse(w *Warp, in *Inst) {
	f := w.top()
	w.Active, f.other = f.other, 0
	if w.Active == 0 {
		w.unwind()
	}
}

func execEndIf(w *Warp, in *Inst) {
	f := w.top()
	// Lanes that found no else wait in other; they are part of saved.
	w.Active = f.saved
	w.pop()
	if w.Active == 0 {
		w.unwind()
	}
}

func execLoop(w *Warp, in *Inst) {
	w.push(frame{kind: loopFrame, open: w.PC - 1, saved: w.Active, other: w.Active})
}

// execEndLoop starts the next iteration with the lanes that have not left.
func execEndLoop(w *Warp, in *Inst) {
	f := w.top()
	w.Active = f.other
	if w.Active != 0 {
		w.PC = f.open + 1
		return
	}
	w.unwind()
}

// execNext is where the lanes that continued rejoin the others.
func execNext(w *Warp, in *Inst) { w.Active = w.top().other }

func execWhile(w *Warp, in *Inst) {
	f := w.top()
	w.Active = f.other
	stay := w.nonZero(in.A)
	w.Divergent = stay != 0 && stay != w.Active
	f.other = stay
	w.Active = stay
	if stay != 0 {
		w.PC = f.open + 1
		return
	}
	w.unwind()
}

func execBreak(w *Warp, in *Inst) { w.leave(w.Active) }

func execBreakZero(w *Warp, in *Inst) {
	gone := w.Active &^ w.nonZero(in.A)
	w.Divergent = gone != 0 && gone != w.Active
	w.leave(gone)
}

func execBreakNonZero(w *Warp, in *Inst) {
	gone := w.nonZero(in.A)
	w.Divergent = gone != 0 && gone != w.Active
	w.leave(gone)
}

// leave takes lanes out of the innermost loop.
func (w *Warp) leave(lanes uint64) {
	if lanes == 0 {
		return
	}
	for i := len(w.frames) - 1; ; i-- {
		f := &w.frames[i]
		if f.kind == loopFrame {
			f.other &^= lanes
			break
		}
		f.saved &^= lanes
	}
	w.Active &^= lanes
	if w.Active == 0 {
		w.unwind()
	}
}

// execContinue parks lanes until the loop's next, or its end.
func execContinue(w *Warp, in *Inst) {
	for i := len(w.frames) - 1; w.frames[i].kind != loopFrame; i-- {
		w.frames[i].saved &^= w.Active
	}
	w.Active = 0
	w.unwind()
}

func execCall(w *Warp, in *Inst) {
	if w.calls == MaxCallDepth || w.Launch.stack > MaxStack/8 {
		w.fault(&Fault{Lane: lowest(w.Active), Reason: StackOverflow})
		return
	}
	call := &w.Program.Calls[in.Off]
	f := &w.Program.Funcs[call.Func]
	caller := &w.Program.Funcs[call.Caller]
	w.push(frame{kind: callFrame, open: w.PC - 1, saved: w.Active, up: w.window})
	w.calls++
	from := w.window
	w.window += len(caller.Regs) * w.Width
	w.reserve(len(f.Regs))
	up := w.stack[from:w.window]
	for i, arg := range call.Args {
		var src []uint64
		if arg.IsLocal() {
			src = up[int(arg)*w.Width:]
		} else {
			src = w.row(arg)
		}
		copy(w.row(Reg(i)), src)
	}
	w.PC = f.Entry
}

// execRet ends the current function, or the thread, for the active lanes.
func execRet(w *Warp, in *Inst) {
	lanes := w.Active
	for i := len(w.frames) - 1; i >= 0; i-- {
		f := &w.frames[i]
		if f.kind == callFrame {
			w.giveBack(f, &w.Program.Calls[in.Off], lanes)
			break
		}
		f.saved &^= lanes
		f.other &^= lanes
	}
	w.Active = 0
	w.unwind()
}

// giveBack copies the results of a ret into the caller's registers.
func (w *Warp) giveBack(f *frame, ret *Call, lanes uint64) {
	call := &w.Program.Calls[w.Program.Code[f.open].Off]
	for i, r := range call.Results {
		src := w.row(ret.Args[i])
		dst := w.stack[f.up+int(r)*w.Width:]
		for m := lanes; m != 0; m &= m - 1 {
			l := lowest(m)
			dst[l] = src[l]
		}
	}
}

// unwind finds the next lanes to run when none are active: those of an else,
// of a loop's next iteration, or after the construct that everybody has left.
func (w *Warp) unwind() {
	code := w.Program.Code
	for len(w.frames) > 0 {
		f := w.top()
		switch f.kind {
		case ifFrame:
			end := code[f.open].To
			if code[end].Op == OpElse {
				if f.other != 0 {
					w.Active, f.other = f.other, 0
					w.PC = end + 1
					return
				}
				end = code[end].To
			}
			w.Active = f.saved
			w.PC = end + 1
		case loopFrame:
			end := code[f.open].To
			if f.other != 0 {
				// Every lane that still iterates has continued.
				w.Active = f.other
				w.PC = int32(code[f.open].Off)
				return
			}
			w.Active = f.saved
			w.PC = end + 1
		case callFrame:
			w.Active = f.saved
			w.PC = f.open + 1
			w.window = f.up
			w.calls--
			w.reserve(len(w.Program.Funcs[w.Program.Calls[code[f.open].Off].Caller].Regs))
		}
		w.pop()
		if w.Active != 0 {
			return
		}
	}
	w.outcome = Done
}

// nonZero returns the active lanes whose register r is not zero.
func (w *Warp) nonZero(r Reg) uint64 {
	row := w.row(r)
	var mask uint64
	for m := w.Active; m != 0; m &= m - 1 {
		l := lowest(m)
		if row[l] != 0 {
			mask |= 1 << l
		}
	}
	return mask
}
