package simt

import (
	"math/bits"

	"heddle/arch/isa"
	"heddle/arch/mem"
	"heddle/sim"
)

// What is executed without timing leaves the caches as they were, and a window
// after it would find in L2 what was used long ago. So the last part of it
// touches the lines that it uses: as many as fill L2 several times over.
const fills = 4

// shortTurn is how long, in cycles of the SMs, one warp is executed before the
// next one is while they touch L2, for the order of their accesses matters then.
const shortTurn = 2048

// toTouch returns the transactions that are to touch L2 before a window.
func (g *GPU) toTouch() float64 {
	c := &g.config.L2
	if !c.Slice.Enabled {
		return 0
	}
	return fills * float64(len(g.memory.slices)) * float64(c.Slice.Size/c.Slice.Line)
}

// runTouching lets a warp execute as isa.Warp.Run does, and touch L2.
func (f *forwarding) runTouching(w *warp) isa.Outcome {
	g, m := f.gpu, &f.meter
	for m.Spent < m.Until {
		pc, lanes := w.PC, w.Active
		o := &g.running.kernel.ops[pc]
		if o.inst.Op == isa.OpClock {
			w.Clock = uint64((m.Start + m.Spent) / m.Period)
		}
		outcome := w.Step()
		m.Last = pc
		if outcome == isa.Faulted {
			return outcome
		}
		m.Spent += m.Cost[pc]
		m.Insts[pc].Issues++
		m.Insts[pc].Lanes += uint64(bits.OnesCount64(lanes))
		g.touch(w, o, lanes, f.now)
		if outcome != isa.Next {
			return outcome
		}
	}
	return isa.Next
}

// touch touches the lines of L2 that the instruction which the warp has just
// executed uses, but for those of local and shared memory.
func (g *GPU) touch(w *warp, o *op, lanes uint64, now sim.Time) {
	if o.memory == isa.NoMemory || o.space != isa.Global {
		return
	}
	a := mem.Access{Size: o.size, Array: -1}
	switch {
	case o.atomic:
		a.Kind = mem.Atomic
	case o.store:
		a.Kind = mem.Write
	case g.config.L1.Enabled:
		a.Size = int32(g.config.L1.Line)
	}
	mask := ^uint64(a.Size - 1)
	addresses := w.addresses()
	latest := ^uint64(0)
	for l := lanes; l != 0; l &= l - 1 {
		a.Addr = addresses[bits.TrailingZeros64(l)&63] & mask
		if a.Addr != latest {
			g.memory.touch(now, a)
			latest = a.Addr
		}
	}
}

// touch does what an access within a line does to the lines that L2 holds.
func (m *memorySystem) touch(now sim.Time, a mem.Access) {
	i, local := m.locate(a.Addr)
	a.Addr = local
	if a.Kind == mem.Write && m.masked {
		a.Addr &^= uint64(m.sector - 1)
		a.Size = m.sector
	}
	m.slices[i].cache.Touch(now, a)
}
