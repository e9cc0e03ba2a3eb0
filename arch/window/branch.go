package window

import "heddle/arch/isa"

// branch executes a branch within a function.
func (t *thread) branch(o *op, pc int32, ready int64, why blame) {
	c := t.core
	if o.beside > 0 {
		t.accompany(o, pc)
		ready = max(ready, t.cycle+1)
	}
	resolved := ready // when its compare is complete, if they are one
	if o.fused {
		t.fused++
	} else {
		at := ready
		if o.interval > 1 || !c.ports.grab(o.ports, at) {
			at = t.book(o, at)
		}
		resolved = at + int64(o.latency)
		why = t.blamed(pc, ready, at, resolved, why)
		c.stations.take(at, why)
		t.retire(resolved, why)
	}
	t.scalar.Step(&t.lone) // a branch neither waits nor faults, and no thread ends by one
	taken := t.lone.PC != o.fall
	right := true
	if o.kind == branch {
		c.stats.Branches++
		if taken {
			c.stats.Taken++
		}
		right = c.predictor.conditional(o.ip, &t.history, taken)
	}
	if taken || !right {
		t.steer(pc, taken, right, resolved, why)
	}
}

// accompany dispatches and retires what is beside an instruction: what compilers
// put beside an if, and the operations of a store but one. It waits for nothing
// and nothing waits for it.
func (t *thread) accompany(o *op, pc int32) {
	t.accompanied += int64(o.beside)
	for range o.beside {
		if t.left == 0 {
			at := t.cycle + 1
			if t.core.taken {
				at = t.core.front.next(at)
			}
			t.advance(o, pc, at)
		}
		t.left--
		t.retire(t.cycle+2, because(pc, Dependency))
	}
}

// steer sets when the front end has what follows a branch.
func (t *thread) steer(pc int32, taken, right bool, resolved int64, why blame) {
	b := &t.core.machine.config.Core.Branch
	switch {
	case !right:
		t.core.stats.Mispredicts++
		t.lines[pc].Mispredicts++
		// A branch that waits for nothing is issued a cycle after dispatch
		// and resolved after another.
		t.frontLate = int64(b.Mispredict) - 2
		t.front = resolved + t.frontLate
		t.frontWhy, t.resolved = because(pc, Mispredict), why
	case taken && b.Taken > 0:
		if front := t.cycle + int64(b.Taken); front > t.front {
			t.front, t.frontLate = front, int64(b.Taken)
			t.frontWhy = because(pc, FrontEnd)
			t.resolved = t.frontWhy
		}
	}
}

// transfer executes a call or a return, and reports whether t has ended or
// failed. A return whose address has left the return stack is mispredicted.
func (t *thread) transfer(o *op, pc int32, ready int64, why blame) (stop bool) {
	c := t.core
	for _, r := range o.more {
		if e := &t.board[t.frame+int(r)]; e.ready > ready {
			ready, why = e.ready, e.why
		}
	}
	at := t.book(o, ready)
	done := at + int64(o.latency)
	outcome := t.scalar.Step(&t.lone)
	why = t.blamed(pc, ready, at, done, why)
	t.stationsOf(o).take(at, why)
	right := true
	switch {
	case outcome == isa.Faulted:
		c.machine.fault(t, pc)
		return true
	case o.kind == call:
		t.sites = append(t.sites, pc)
		t.returns = min(t.returns+1, c.predictor.stackMax)
		t.frame += o.frame
		t.reach(t.frame + o.callee)
		for i := range o.params {
			t.board[t.frame+i] = state{done, why}
		}
	case outcome == isa.Done:
		t.retire(done, why)
		t.finish()
		return true
	default:
		site := t.sites[len(t.sites)-1]
		t.sites = t.sites[:len(t.sites)-1]
		right = t.returns > 0
		t.returns -= int(b2u(right))
		t.frame -= t.ops[site].frame
		for _, r := range t.ops[site].results {
			t.board[t.frame+int(r)] = state{done, why}
		}
	}
	t.steer(pc, true, right, done, why)
	t.retire(done, why)
	return false
}
