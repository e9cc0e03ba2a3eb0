package window

import (
	"heddle/arch/isa"
	"heddle/arch/mem"
)

// run dispatches and executes t's instructions up to the cycle limit, or until
// one waits for the clock or for another thread.
func (t *thread) run(limit int64) {
	c := t.core
	w := &t.warp
	for {
		pc := w.PC
		o := &t.ops[pc]
		if t.pending {
			if t.issueAtomic(o, pc) {
				continue
			}
			return
		}
		if !t.dispatch(o, pc, limit) {
			break
		}
		if t.buffer.ready <= t.cycle {
			t.drain(t.cycle)
		}
		t.line[pc].Issues++
		t.executed++
		ready, why := t.operands(o, pc)
		var done int64
		switch o.kind {
		case plain:
			at := c.ports.book(o.ports, ready, int64(o.interval))
			done, why = t.timing(o, pc, ready, at, at+int64(o.latency), why)
			if w.Step() == isa.Faulted {
				c.machine.fault(t, pc)
				return
			}
			if o.writes >= 0 {
				t.board[t.frame+int(o.writes)] = state{done, why}
			}
		case load:
			if !t.load(o, pc, ready, why) {
				return
			}
			continue
		case store:
			if !t.store(o, pc, ready, why) {
				return
			}
			continue
		case scratch:
			if !t.scratch(o, pc, ready, why) {
				return
			}
			continue
		case branch, jump:
			done = t.branch(o, pc, ready, why)
			if o.fused {
				continue
			}
			done, why = t.timing(o, pc, ready, done-int64(o.latency), done, why)
		case call, ret:
			if t.transfer(o, pc, ready, why) {
				return
			}
			continue
		case fence:
			at := c.ports.book(o.ports, max(ready, t.retired, t.drained()), int64(o.interval))
			done = at + int64(o.latency)
			w.Step()
			why = because(pc, Stores)
			t.stationOf(o).take(at, why)
			t.fence, t.fenceWhy = done, why
		case locked, barrier:
			t.hold(o, ready)
			continue
		}
		t.retire(done, why)
	}
	c.stats.Ahead = max(c.stats.Ahead, t.cycle-c.at)
}

// operands returns when the operands of the instruction at pc are there, at
// the earliest a cycle after its dispatch, and what the last of them waited
// for.
func (t *thread) operands(o *op, pc int32) (ready int64, why blame) {
	ready, why = t.cycle+1, because(pc, Dependency)
	frame := t.frame
	for _, r := range o.deps[:o.numDeps] {
		if e := &t.board[frame+int(r)]; e.ready > ready {
			ready, why = e.ready, e.why
		}
	}
	if o.linkage != nil {
		for _, r := range o.more {
			if e := &t.board[frame+int(r)]; e.ready > ready {
				ready, why = e.ready, e.why
			}
		}
	}
	return ready, why
}

func (t *thread) stationOf(o *op) *stations {
	if o.fp {
		return t.core.fpStations
	}
	return t.core.stations
}

// timing frees the station of an instruction that is issued at at and done at
// done, and returns done and what most of the time since its dispatch went to:
// its operands, ready at ready because of why, or itself.
func (t *thread) timing(o *op, pc int32, ready, at, done int64, why blame) (int64, blame) {
	waited := ready - t.cycle - 1
	switch {
	case waited >= done-ready:
	case at-ready > done-at:
		why = because(pc, Structural)
	default:
		why = because(pc, Dependency)
	}
	t.stationOf(o).take(at, why)
	return done, why
}

// load executes a load; it reports whether t goes on.
func (t *thread) load(o *op, pc int32, ready int64, why blame) bool {
	c := t.core
	ls := &c.machine.config.Core.LoadStore
	if t.fence > ready {
		ready, why = t.fence, t.fenceWhy
	}
	if ls.StoreAddresses == "known" && t.storeAddress > ready {
		ready, why = t.storeAddress, t.storeAddressWhy
	}
	at := c.ports.book(o.ports, ready, 1)
	if t.warp.Step() == isa.Faulted {
		c.machine.fault(t, pc)
		return false
	}
	addr := t.warp.Addr[0]
	line := &t.line[pc]
	line.Accesses++
	line.Bytes += bytesOf(o.size)
	id := c.machine.space.ArrayID(addr)
	array := c.machine.array(id)
	array.Loads++
	array.Requested += bytesOf(o.size)
	c.stats.Loads++

	own := because(pc, Dependency)
	begin := at
	var done int64
	e := t.buffer.overlap(addr, o.size, at)
	if e != nil && !e.covers(addr, o.size) { // waits until the store is in the cache
		for e.done == never {
			t.send()
		}
		begin, own, e = max(at, e.done), because(pc, Stores), nil
	}
	if e != nil {
		c.stats.Forwarded++
		done = max(at, e.data) + int64(ls.Forward)
	} else {
		translated := int64(0)
		if c.tlb.on {
			translated = c.tlb.delay(addr, &c.stats)
		}
		var cause Cause
		done, cause = c.access(begin+translated, mem.Access{Addr: addr, Size: o.size, Kind: mem.Read, Array: int16(id)})
		if begin == at {
			own = because(pc, cause)
		}
		if translated > done-begin-translated {
			own = because(pc, TLB)
		}
	}
	if ready-t.cycle-1 < done-ready {
		why = own
		if at-ready > done-at {
			why = because(pc, Structural)
		}
	}
	c.stations.take(at, why)
	if o.writes >= 0 {
		t.board[t.frame+int(o.writes)] = state{done, why}
	}
	t.loaded(t.retire(done, why))
	return true
}

// loaded notes when the latest load, or atomic, leaves the load buffer.
func (t *thread) loaded(retired int64) {
	t.loads[t.loadSeq&int64(len(t.loads)-1)] = retirement{retired, t.retiredWhy}
	t.loadSeq++
}

// store executes a store: its address and its data are found apart, and it
// goes to the cache after it is retired. It reports whether t goes on.
func (t *thread) store(o *op, pc int32, ready int64, why blame) bool {
	c := t.core
	if t.fence > ready {
		ready, why = t.fence, t.fenceWhy
	}
	addressWhy := why
	data, dataWhy := t.cycle+1, why
	if o.value >= 0 {
		if e := &t.board[t.frame+int(o.value)]; e.ready > data {
			data, dataWhy = e.ready, e.why
		}
	}
	if o.data == 0 {
		ready = max(ready, data)
		data = ready
	}
	at := c.ports.book(o.ports, ready, 1)
	last := at
	if o.data != 0 {
		data = c.ports.book(o.data, data, 1)
		last = max(at, data)
	}
	if last == data && data > ready {
		why = dataWhy
	}
	if t.warp.Step() == isa.Faulted {
		c.machine.fault(t, pc)
		return false
	}
	addr := t.warp.Addr[0]
	line := &t.line[pc]
	line.Accesses++
	line.Bytes += bytesOf(o.size)
	id := c.machine.space.ArrayID(addr)
	array := c.machine.array(id)
	array.Stores++
	array.Requested += bytesOf(o.size)
	c.stats.Stores++
	if c.tlb.on {
		last += c.tlb.delay(addr, &c.stats)
	}
	done := last + 1
	if at >= t.storeAddress {
		t.storeAddress, t.storeAddressWhy = at+1, addressWhy
	}
	c.stations.take(max(at, data), why)
	retired := t.retire(done, why)
	t.buffer.push(storeEntry{addr: addr, size: o.size, array: int16(id), data: done, retired: retired})
	return true
}

// scratch executes an access to block-shared or thread-local memory. It
// reports whether t goes on.
func (t *thread) scratch(o *op, pc int32, ready int64, why blame) bool {
	c := t.core
	at := c.ports.book(o.ports, ready, 1)
	if t.warp.Step() == isa.Faulted {
		c.machine.fault(t, pc)
		return false
	}
	done, why := t.timing(o, pc, ready, at, at+int64(o.latency), why)
	if o.writes >= 0 {
		t.board[t.frame+int(o.writes)] = state{done, why}
	}
	t.retire(done, why)
	return true
}
