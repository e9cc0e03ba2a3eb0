package window

import (
	"heddle/arch/isa"
	"heddle/arch/mem"
)

// run dispatches and executes t's instructions up to the cycle limit, or until
// one waits for the clock or for another thread.
func (t *thread) run(limit int64) {
	c := t.core
	x, w := t.scalar, &t.lone
	x.Clock = uint64(t.cycle)
	for {
		pc := w.PC
		o := &t.ops[pc]
		if t.pending {
			if t.issueAtomic(o, pc) {
				continue
			}
			return
		}
		if !t.goesAlong(o) && !t.dispatch(o, pc, limit) {
			break
		}
		if t.buffer.ready <= t.cycle {
			t.drain(t.cycle)
		}
		t.issues[pc]++
		// Operands are there at the earliest a cycle after dispatch.
		ready, why := t.cycle+1, because(pc, Dependency)
		if o.numDeps > 0 {
			board := t.board[t.frame:]
			if e := &board[o.deps[0]]; e.ready > ready {
				ready, why = e.ready, e.why
			}
			for i := uint8(1); i < o.numDeps; i++ {
				if e := &board[o.deps[i&(maxDeps-1)]]; e.ready > ready {
					ready, why = e.ready, e.why
				}
			}
		}
		// A chain of tests, for on some hosts indirect jumps are not predicted.
		if o.kind == plain {
			at := ready
			if o.interval > 1 || !c.ports.grab(o.ports, at) {
				at = t.book(o, at)
			}
			done := at + int64(o.latency)
			why = t.blamed(pc, ready, at, done, why)
			if s := t.stationsOf(o); !s.takeSoon(at, why) {
				s.takeLong(at, why)
			}
			if x.Step(w) == isa.Faulted {
				c.machine.fault(t, pc)
				return
			}
			t.write(o, done, why)
			t.retire(done, why)
		} else if o.kind == branch || o.kind == jump {
			t.branch(o, pc, ready, why)
		} else if o.kind == load {
			if !t.load(o, pc, ready, why) {
				return
			}
		} else if t.others(o, pc, ready, why) {
			return
		}
	}
	c.stats.Ahead = max(c.stats.Ahead, t.cycle-c.at)
}

// others executes the less frequent kinds of instructions, and reports whether
// t has ended or failed.
func (t *thread) others(o *op, pc int32, ready int64, why blame) (stop bool) {
	switch o.kind {
	case store:
		return !t.store(o, pc, ready, why)
	case scratch:
		return !t.scratch(o, pc, ready, why)
	case call, ret:
		return t.transfer(o, pc, ready, why)
	case fence:
		t.waitForStores(o, pc, ready)
	default:
		t.hold(o, ready)
	}
	return false
}

// goesAlong dispatches an instruction in the same cycle as the one before it,
// if it is a simple one and nothing keeps it from that.
func (t *thread) goesAlong(o *op) bool {
	if t.left == 0 || t.front > t.cycle || o.kind > jump ||
		t.rob[(t.seq-t.robSize)&int64(len(t.rob)-1)].at >= t.cycle || t.core.crowded() {
		return o.fused
	}
	if !o.fused {
		t.left--
	}
	return true
}

// book takes a port for an instruction whose operands are there at ready, and
// returns when it is issued.
func (t *thread) book(o *op, ready int64) int64 {
	if o.interval > 1 {
		return t.core.ports.bookLong(o.ports, ready, int64(o.interval))
	}
	return t.core.ports.book(o.ports, ready)
}

// write notes when an instruction's result is there, and what it waited for.
func (t *thread) write(o *op, done int64, why blame) {
	if o.writes >= 0 {
		t.board[t.frame+int(o.writes)] = state{done, why}
	}
}

// blamed returns what most of the time went to from the dispatch of an
// instruction, issued at at, until it is complete at done: its operands, ready
// at ready because of why, or itself.
func (t *thread) blamed(pc int32, ready, at, done int64, why blame) blame {
	if ready-t.cycle-1 >= done-ready {
		return why
	}
	if at-ready > done-at {
		return because(pc, Structural)
	}
	return because(pc, Dependency)
}

// waitForStores executes a fence, which is done when all stores are in the cache.
func (t *thread) waitForStores(o *op, pc int32, ready int64) {
	at := t.book(o, max(ready, t.retired, t.drained()))
	t.scalar.Step(&t.lone)
	done, why := at+int64(o.latency), because(pc, Stores)
	t.order(done, why)
	t.stationsOf(o).take(at, why)
	t.retire(done, why)
}

// order keeps memory operations behind a fence or an atomic, done at done, from
// being issued before, unless they may pass it.
func (t *thread) order(done int64, why blame) {
	if !t.core.machine.config.Core.LoadStore.PassAtomics {
		t.fence, t.fenceWhy = done, why
	}
}

func (t *thread) stationsOf(o *op) *stations {
	if o.fp {
		return t.core.fpStations
	}
	return t.core.stations
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
	at := ready
	if !c.ports.grab(o.ports, at) {
		at = c.ports.search(o.ports, at)
	}
	if t.scalar.Step(&t.lone) == isa.Faulted {
		c.machine.fault(t, pc)
		return false
	}
	addr := t.lone.Addr
	id := t.arrayOf(addr)
	array := c.machine.array(id)
	array.Loads++
	array.Requested += bytesOf(o.size)
	c.stats.Loads++

	own := because(pc, Dependency)
	begin := at
	var done int64
	var e *storeEntry
	if t.buffer.mayOverlap(addr) {
		e = t.buffer.overlap(addr, o.size, at)
	}
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
		if !c.tlb.latest(addr) {
			translated = c.translate(begin, addr)
		}
		var cause Cause
		done, cause = c.access(t, begin+translated, mem.Access{Addr: addr, Size: o.size, Kind: mem.Read, Array: int16(id)}, pc)
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
	if !c.stations.takeSoon(at, why) {
		c.stations.takeLong(at, why)
	}
	t.write(o, done, why)
	t.loaded(t.retire(done, why))
	return true
}

// arrayOf returns the array that t has just accessed, at addr.
func (t *thread) arrayOf(addr uint64) int {
	if id := t.scalar.Array; id >= 0 {
		return id
	}
	return t.core.machine.space.ArrayID(addr)
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
	if o.beside > 0 {
		t.accompany(o, pc)
		ready = max(ready, t.cycle+1)
	}
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
	at := c.ports.book(o.ports, ready)
	last := at
	if o.data != 0 {
		data = c.ports.book(o.data, data)
		last = max(at, data)
	}
	if last == data && data > ready {
		why = dataWhy
	}
	if t.scalar.Step(&t.lone) == isa.Faulted {
		c.machine.fault(t, pc)
		return false
	}
	addr := t.lone.Addr
	id := t.arrayOf(addr)
	array := c.machine.array(id)
	array.Stores++
	array.Requested += bytesOf(o.size)
	c.stats.Stores++
	if c.tlb.on {
		last += c.translate(last, addr)
	}
	done := last + 1
	if at >= t.storeAddress {
		t.storeAddress, t.storeAddressWhy = at+1, addressWhy
	}
	c.stations.take(max(at, data), why)
	retired := t.retire(done, why)
	t.buffer.push(storeEntry{addr: addr, size: o.size, array: int16(id), pc: pc, data: done, retired: retired})
	return true
}

// scratch executes an access to block-shared or thread-local memory. It
// reports whether t goes on.
func (t *thread) scratch(o *op, pc int32, ready int64, why blame) bool {
	c := t.core
	at := c.ports.book(o.ports, ready)
	if t.scalar.Step(&t.lone) == isa.Faulted {
		c.machine.fault(t, pc)
		return false
	}
	done := at + int64(o.latency)
	why = t.blamed(pc, ready, at, done, why)
	t.stationsOf(o).take(at, why)
	t.write(o, done, why)
	t.retire(done, why)
	return true
}
