package window

import (
	"heddle/arch/isa"
	"heddle/arch/mem"
	"heddle/sim"
)

// hold keeps an atomic, a full/empty operation or a barrier that has been
// dispatched until its issue: like a locked instruction it waits until all
// older instructions are retired and their stores in the cache.
func (t *thread) hold(o *op, ready int64) {
	t.issue = t.core.ports.book(o.ports, max(ready, t.retired, t.drained(), t.fence))
	t.pending, t.blocked = true, false
	t.wake = t.issue - int64(t.core.machine.config.AtomicSkew)
}

// issueAtomic goes on with an operation that is held, if its time has come. It
// reports whether t can go on with the next instruction.
func (t *thread) issueAtomic(o *op, pc int32) bool {
	c := t.core
	m := c.machine
	if t.wake > c.at {
		return false
	}
	if o.kind == barrier {
		t.arrive(o, pc)
		return false
	}
	if p := c.corePort; p != nil && p.Keeps() {
		now := sim.Time(t.issue) * c.period
		if at := p.Yields(now, t.scalar.Target(&t.lone)); at > now {
			cycles, _ := c.periods.Split(uint64(at + c.period - 1))
			t.issue = int64(cycles)
			t.wake = t.issue - int64(m.config.AtomicSkew)
			return false
		}
	}
	outcome := t.scalar.Step(&t.lone)
	if outcome == isa.Faulted {
		m.fault(t, pc)
		return false
	}
	addr := t.lone.Addr
	id := t.arrayOf(addr)
	why := because(pc, Atomics)
	begin := t.issue
	if c.tlb.on {
		begin += c.translate(begin, addr)
	}
	done, _ := c.access(t, begin, mem.Access{Addr: addr, Size: o.size, Kind: mem.Atomic, Array: int16(id)}, pc)
	m.hot.Add(addr, c.id, mem.Site{Program: m.running.kernel.number, PC: pc})
	done += int64(o.latency)
	if outcome == isa.Blocked {
		c.stats.Retries++
		t.blocked = true
		t.wake = never
		m.waiting[addr] = append(m.waiting[addr], t)
		return false
	}
	array := m.array(id)
	array.Atomics++
	array.Requested += bytesOf(o.size)
	c.stats.Atomics++
	if t.blocked {
		why = because(pc, Sync)
	}
	if o.waits && len(m.waiting) > 0 {
		m.changed(addr, t.issue)
	}
	t.pending, t.wake = false, 0 // what follows was not kept from dispatch
	c.stations.take(t.issue, why)
	t.order(done, why)
	t.write(o, done, why)
	t.loaded(t.retire(done, why))
	return true
}

// changed lets those retry that wait for the word at addr, which was changed
// at a cycle.
func (m *Machine) changed(addr uint64, at int64) {
	for _, t := range m.waiting[addr] {
		t.issue = at + int64(m.config.Core.LoadStore.FullEmptyRetry)
		t.core.rouse(t, t.issue-int64(m.config.AtomicSkew))
	}
	delete(m.waiting, addr)
}

// arrive notes that t is at the barrier at its issue.
func (t *thread) arrive(o *op, pc int32) {
	m := t.core.machine
	t.scalar.Step(&t.lone)
	t.pending, t.atWait, t.waitPC = false, true, pc
	t.wake = never
	l := m.running
	if m.probe != nil {
		m.probe.Arrived(t.context(), sim.Time(t.issue)*m.clock.Period)
	}
	l.arrived++
	l.latest = max(l.latest, t.issue+int64(o.latency))
	m.release()
}

// release lets all threads go on when those that have not ended are at the
// barrier.
func (m *Machine) release() {
	l := m.running
	if l.arrived == 0 || l.arrived < l.live {
		return
	}
	at := l.latest + int64(m.config.Core.LoadStore.Barrier)
	l.arrived, l.latest = 0, 0
	for _, t := range l.threads {
		if !t.atWait {
			continue
		}
		t.atWait = false
		t.front, t.frontLate = at, at-t.issue
		t.frontWhy, t.resolved = because(t.waitPC, Sync), t.retiredWhy
		t.retire(at, t.frontWhy)
		t.core.rouse(t, at)
	}
}
