package simt

import (
	"math/bits"

	"heddle/arch/isa"
	"heddle/arch/mem"
	"heddle/sim"
)

// lookahead is how far beyond the present the load/store unit computes, in
// cycles of the SM. Requests of different SMs may be computed out of order by
// as much; with none, every transaction would cost an event.
const lookahead = 128

// lsu is an SM's load/store unit. It sends the transactions of the memory
// instructions that it has accepted in order, and stops at one that would
// need a request entry (MSHR) when all are taken.
type lsu struct {
	event   sim.Event
	sm      *sm
	queue   []memop // a ring
	head    int
	count   int
	free    sim.Time // when the next transaction can be sent
	waiters fifo     // warps whose memory instruction found the queue full
}

// memop is a memory instruction being sent.
type memop struct {
	w       *warp
	age     uint64 // of w when it was issued, for w may end before its stores are sent
	pc      int32
	entry   int // scoreboard entry that it fills, -1 for none
	o       *op
	array   int16
	at      sim.Time // issued
	next, n int      // transactions
	passes  int      // of shared memory
	done    sim.Time
	list    [64]transaction
	addr    [64]uint64 // of atomics, and for a probe
	lanes   uint64     // for a probe
	thread  int        // of the first lane, for a probe

	generated sim.Time // when its addresses have been
}

// access accepts the memory instruction that w has just executed.
func (m *sm) access(w *warp, o *op, pc int32, frame int, lanes uint64, now sim.Time, outcome isa.Outcome) {
	u := &m.lsu
	g := m.gpu
	e := &u.queue[u.wrap(u.head+u.count)]
	u.count++
	e.w, e.age, e.pc, e.o, e.at = w, w.age, pc, o, now
	e.entry, e.next, e.n, e.passes, e.done, e.array = -1, 0, 0, 0, now, -1
	w.pending++
	if o.writes >= 0 && outcome != isa.Blocked {
		w.at(frame, o.writes).set(sim.Never, pc)
		e.entry = frame + int(o.writes)
	}
	line := &g.running.kernel.lines[pc]
	switch o.space {
	case isa.Shared:
		e.passes = conflicts(lanes, w.addresses(), g.config.LoadStore.SharedBanks,
			uint64(g.config.LoadStore.SharedBankWidth), uint(g.config.LoadStore.SharedGroup), o.atomic)
		g.stats.SharedRequests++
		g.stats.SharedPasses += uint64(e.passes)
	case isa.Local:
		w.localAddresses(lanes, o.size)
		fallthrough
	default:
		m.coalesce(e, lanes, o, line)
	}
	if o.memory == isa.FullEmpty || o.inst.Op == isa.OpPurge {
		g.changed(w, now)
		if outcome == isa.Blocked {
			g.stats.Retries++
		}
	}
	if u.count == 1 {
		u.Handle(now)
	}
}

func (p *pending) set(ready sim.Time, pc int32) { *p = pending{ready: ready, pc: pc, load: true} }

// coalesce fills the transactions of e and counts them.
func (m *sm) coalesce(e *memop, lanes uint64, o *op, line *LineStats) {
	g := m.gpu
	t := &g.scratch
	class := &g.stats.Loads
	combine := g.coalesceLoads
	switch {
	case o.atomic:
		class, combine = &g.stats.Atomics, g.coalesceAtomics
		e.addr = *e.w.addresses()
	case o.store:
		class, combine = &g.stats.Stores, g.coalesceStores
	}
	t.list = &e.list
	combine(t, lanes, e.w.addresses(), o.size)
	e.n = t.n
	threads := bits.OnesCount64(lanes)
	requested := sim.Bytes(threads) * sim.Bytes(o.size)
	moved := sim.Bytes(0)
	for i := range e.list[:t.n] {
		moved += sim.Bytes(e.list[i].size)
	}
	class.Requests++
	class.Threads += uint64(threads)
	class.Transactions += uint64(t.n)
	class.Requested += requested
	class.Moved += moved
	line.Transactions += uint64(t.n)
	line.Requested += requested
	line.Moved += moved
	if o.space != isa.Global {
		return
	}
	id := g.space.ArrayID(e.w.Addr[bits.TrailingZeros64(lanes)&63])
	e.array = int16(id)
	if g.probe != nil {
		e.remember(lanes)
	}
	for id >= len(g.arrays) {
		g.arrays = append(g.arrays, ArrayStats{})
	}
	a := &g.arrays[id]
	a.Requests++
	a.Transactions += uint64(t.n)
	a.Requested += requested
	a.Moved += moved
	switch {
	case o.atomic:
		a.Atomics += uint64(threads)
		for l := lanes; l != 0; l &= l - 1 {
			g.hot.Add(e.w.Addr[bits.TrailingZeros64(l)&63], m.id, mem.Site{Program: g.running.kernel.number, PC: e.pc})
		}
	case o.store:
		a.Stores += uint64(threads)
	default:
		a.Loads += uint64(threads)
	}
}

// localBase is where the local memory of threads lies for the caches; element
// i of all lanes of a warp is contiguous, as compilers arrange it.
const localBase = 1 << 48

func (w *warp) localAddresses(lanes uint64, size int32) {
	per := uint64(w.Program.Local) * uint64(w.Width)
	base := localBase + uint64(w.number)*per
	for l := lanes; l != 0; l &= l - 1 {
		i := bits.TrailingZeros64(l) & 63
		w.Addr[i] = base + w.Addr[i]*uint64(w.Width) + uint64(i)*uint64(size)
	}
}

// Handle sends what can be sent.
func (u *lsu) Handle(now sim.Time) {
	g := u.sm.gpu
	limit := now + g.lookahead
	for u.count > 0 {
		e := &u.queue[u.head]
		if e.next == 0 {
			u.free = max(u.free, e.at)
			e.generated = u.free + g.generate
		}
		if e.next < e.n {
			if wait := u.transact(e, now, limit); wait > 0 {
				g.engine.At(&u.event, wait)
				return
			}
		}
		if e.passes > 0 {
			start := max(u.free, now)
			busy := sim.Time(e.passes) * g.sharedInterval
			u.free = start + busy
			e.done = start + g.sharedLatency + busy - g.sharedInterval
		}
		u.free = max(u.free, e.generated)
		u.complete(e, max(now, u.free))
	}
}

// wrap returns the place in the ring of entry i, which is less than two rings.
func (u *lsu) wrap(i int) int {
	if i >= len(u.queue) {
		i -= len(u.queue)
	}
	return i
}

// transact sends the transactions of e that can start by limit, and returns
// when the next can be sent, 0 if there is none.
func (u *lsu) transact(e *memop, now, limit sim.Time) (wait sim.Time) {
	m := u.sm
	g := m.gpu
	l1, l2 := m.missed, g.memory.missed
	for ; e.next < e.n; e.next++ {
		start := max(u.free, now)
		if start > limit {
			wait = start
			break
		}
		if !e.o.store {
			if t := m.missStart(e.o); t > limit && !m.holds(e) {
				wait = t
				break
			}
		}
		if g.probe != nil {
			u.watchSend(e, &e.list[e.next&63], start)
		} else {
			u.send(e, &e.list[e.next&63], start)
		}
		u.free = start + g.transactionInterval
	}
	line := &g.running.kernel.lines[e.pc]
	if !e.o.store && !e.o.atomic {
		line.L1Misses += uint64(m.missed - l1)
	}
	line.L2Misses += uint64(g.memory.missed - l2)
	return wait
}

// missStart returns when a read or an atomic is to be sent so that it finds a
// request entry when it needs one: behind the pipeline and the L1.
func (m *sm) missStart(o *op) sim.Time {
	if m.l1 != nil && !o.atomic {
		return m.l1.MissStart() - m.gpu.pipeline - m.gpu.lookup
	}
	return m.table.MissStart() - m.gpu.pipeline
}

// holds reports whether the next transaction of e needs no request entry.
func (m *sm) holds(e *memop) bool {
	if m.l1 == nil || e.o.atomic {
		return false
	}
	held, _ := m.l1.Holds(e.list[e.next].addr)
	return held
}

// send performs a transaction.
func (u *lsu) send(e *memop, t *transaction, start sim.Time) {
	m := u.sm
	start += m.gpu.pipeline
	switch {
	case e.o.atomic:
		if m.l1 != nil {
			m.l1.Drop(t.addr)
		}
		done := m.port.atomic(m.table.Start(start), t, &e.addr, e.o.size, e.array, e.entry >= 0)
		m.table.Hold(done)
		e.done = max(e.done, done)
	case e.o.store:
		size := t.size
		if !m.gpu.wholeSegments {
			size = min(size, t.used)
		}
		a := mem.Access{Addr: t.addr, Size: size, Kind: mem.Write, Array: e.array}
		m.first.Access(start, a)
	default:
		a := mem.Access{Addr: t.addr, Size: t.size, Kind: mem.Read, Array: e.array}
		if m.l1 == nil {
			e.done = max(e.done, m.table.Access(start, a))
			break
		}
		e.done = max(e.done, m.l1.Access(start, a))
	}
}

// complete ends e, whose last transaction was sent by time sent.
func (u *lsu) complete(e *memop, sent sim.Time) {
	g := u.sm.gpu
	w := e.w
	if g.probe != nil && e.array >= 0 {
		g.showAccess(e)
	}
	if w.age == e.age {
		w.pending--
		if e.entry >= 0 {
			w.board[e.entry].ready = g.edge(e.done)
			s := w.scheduler
			if s.wake[w.slot] == sim.Never && w.reason == MemoryDependency && w.blame == e.pc {
				w.settle(w.then, w.behind)
				s.rouse(w, s.wake[w.slot])
			}
		}
	}
	u.head = u.wrap(u.head + 1)
	u.count--
	if next := u.waiters.pop(); next != nil {
		next.scheduler.rouse(next, g.edge(sent))
	}
}

// fifo is a queue of warps; a warp is in it at most once.
type fifo struct {
	warps []*warp
	head  int
}

func (f *fifo) push(w *warp) {
	if len(f.warps) == cap(f.warps) && f.head > 0 {
		f.warps = f.warps[:copy(f.warps, f.warps[f.head:])]
		f.head = 0
	}
	f.warps = append(f.warps, w)
}

func (f *fifo) pop() *warp {
	if f.head == len(f.warps) {
		f.warps, f.head = f.warps[:0], 0
		return nil
	}
	w := f.warps[f.head]
	f.head++
	return w
}
