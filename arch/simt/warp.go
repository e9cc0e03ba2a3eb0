package simt

import (
	"heddle/arch/isa"
	"heddle/sim"
)

// warp is a resident warp: its architectural state and when it can go on.
type warp struct {
	block     *block
	scheduler *scheduler
	number    int    // among the GPU's warps
	slot      int    // in the scheduler
	age       uint64 // order of dispatch
	board     []pending
	since     sim.Time // up to when the warp's time is accounted for
	reason    Stall    // why it waits after that
	blame     int32    // pc of the instruction that made it wait
	then      sim.Time // its next instruction is not ready before
	behind    int32    // pc of the instruction that asks for that
	started   sim.Time
	ahead     sim.Time // executed without timing, from the beginning of that
	pending   int      // memory instructions that have not been sent whole
	isa.Warp           // last, for it is large and only its beginning is touched often
}

// pending is a register's scoreboard entry.
type pending struct {
	ready sim.Time // sim.Never while its load is still being sent
	pc    int32    // what produces it
	load  bool
}

// at returns the scoreboard entry of local register r of a function whose
// registers begin at frame.
func (w *warp) at(frame int, r int16) *pending {
	i := frame + int(r)
	for i >= len(w.board) {
		w.board = append(w.board, pending{})
	}
	return &w.board[i]
}

// account closes the warp's time up to now.
func (w *warp) account(now sim.Time, s Stall) {
	if now <= w.since {
		return
	}
	g := w.block.sm.gpu
	d := now - w.since
	g.stats.Stalls[s] += d
	if g.probe != nil {
		g.probe.Spent(g.context(w.number), 1+int(s), w.blame, w.since, now, 0)
	}
	g.running.kernel.lines[w.blame].Stalls[s] += d
	w.since = now
}

// addresses returns the lanes' addresses as the coalescer takes them.
func (w *warp) addresses() *[isa.MaxWidth]uint64 {
	if cap(w.Addr) < isa.MaxWidth { // a warp of one lane
		return &[isa.MaxWidth]uint64{w.Addr[0]}
	}
	return (*[isa.MaxWidth]uint64)(w.Addr[:isa.MaxWidth])
}

// ready closes the time of a warp that was ready from wake on.
func (w *warp) ready(wake, now sim.Time) {
	w.account(wake, w.reason)
	w.blame = w.PC
	w.account(now, NotSelected)
}

// dependence returns when the operands of the instruction at PC are there, and
// which instruction the last of them comes from: the one at pc if all are there
// by then.
func (w *warp) dependence(o *op, then sim.Time, pc int32) (ready sim.Time, reason Stall, blame int32) {
	ready, reason, blame = then, InstructionFetch, pc
	frame := w.Frame()
	look := func(r int16) {
		if i := frame + int(r); i < len(w.board) {
			if e := &w.board[i]; e.ready > ready {
				ready, blame = e.ready, e.pc
				reason = ExecutionDependency
				if e.load {
					reason = MemoryDependency
				}
			}
		}
	}
	for _, r := range o.deps[:o.numDeps] {
		look(r)
	}
	for _, r := range o.more {
		look(r)
	}
	return ready, reason, blame
}
