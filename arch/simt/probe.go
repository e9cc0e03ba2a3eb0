package simt

import (
	"heddle/arch/mem"
	"heddle/sim"
)

// Watch gives the GPU a probe, before it runs.
func (g *GPU) Watch(p sim.Probe) { g.probe = p }

// States names what a probe is told that warps do.
func States() []string { return append([]string{"issued"}, stallNames[:]...) }

// context returns the place of the warp with the given number.
func (g *GPU) context(number int) sim.Context {
	n := g.config.Occupancy.Warps
	return sim.Context{Core: int32(number / n), Slot: int32(number % n)}
}

// remember keeps what a probe is to be told of e when it is complete.
func (e *memop) remember(lanes uint64) {
	e.lanes, e.thread = lanes, e.w.Thread(0)
	e.addr = *e.w.addresses()
}

// showAccess tells the probe of a memory instruction that is complete.
func (g *GPU) showAccess(e *memop) {
	g.probe.Access(&sim.Access{
		Context: g.context(e.w.number), Kind: e.o.kind(), Array: e.array, Size: e.o.size,
		Thread: e.thread, Lanes: e.lanes, Addr: e.addr[:], From: e.at, To: max(e.done, e.at),
	})
}

// watchSend performs a transaction and tells the probe of it.
func (u *lsu) watchSend(e *memop, t *transaction, start sim.Time) {
	g := u.sm.gpu
	level := u.sm.holder(e.o, t.addr)
	before := e.done
	e.done = 0
	u.send(e, t, start)
	// Nobody waits for a store: it is done when it is sent.
	g.probe.Request(&sim.Request{
		Context: g.context(e.w.number), PC: e.pc, Kind: e.o.kind(), Array: e.array, Size: t.size, Addr: t.addr,
		From: start, To: max(e.done, start+g.transactionInterval), Level: level,
	})
	e.done = max(e.done, before)
}

// holder names the level of memory that has the data of a transaction.
func (m *sm) holder(o *op, addr uint64) string {
	if m.l1 != nil && !o.atomic && !o.store {
		if held, _ := m.l1.Holds(addr); held {
			return "L1"
		}
	}
	i, local := m.port.m.locate(addr)
	held, _ := m.port.m.slices[i].cache.Holds(local)
	if held || o.store && m.port.m.masked { // which fetches nothing
		return "L2"
	}
	return "DRAM"
}

func (o *op) kind() sim.AccessKind {
	switch {
	case o.atomic:
		return sim.AtomicAccess
	case o.store:
		return sim.StoreAccess
	}
	return sim.LoadAccess
}

// DRAMBytes returns the bytes that DRAM has read and written.
func (g *GPU) DRAMBytes() sim.Bytes {
	var s mem.DRAMStats
	for _, d := range g.memory.channels {
		s.Add(d.Stats())
	}
	return s.Bytes
}
