package stream

import "heddle/arch/isa"

// A synchronised operation that finds its word in the wrong state goes back to
// its processor, which sends it again and again. Each try takes the way of a
// memory operation, but no issue cycle. After a number of tries the thread is
// parked on the word until another one changes it.

// waiter is a stream that waits for a word or at the barrier.
type waiter struct {
	p        *processor
	stream   int16
	wantFull bool
}

// parking is where threads wait without trying, and what is known of those
// that they wait for.
type parking struct {
	words  map[uint64][]waiter // in the order of arrival
	change []change            // the latest, by a hash of their words
}

// change is the latest change of a word's bit: what a report of a deadlock
// tells of who took the word.
type change struct {
	addr   uint64
	launch uint64 // number of it
	thread int32
	pc     int32
}

// changes is how many words' latest changes are remembered, at most.
const changes = 1 << 16

func (k *parking) init() {
	k.words = map[uint64][]waiter{}
	k.change = make([]change, changes)
}

func (k *parking) latest(addr uint64) *change {
	return &k.change[addr>>3*0x9e3779b97f4a7c15>>48]
}

// blocked sends the try that has just failed, with n operations of its
// instruction left, and lets the stream try again or parks its thread.
func (p *processor) blocked(i int16, s *stream, w *word, n int, cycle int64) {
	sys := p.system
	t := &s.thread
	done := p.send(s, w, cycle)
	s.rest = uint8(n)
	s.reason, s.blame = FullEmptyWait, w.pc
	sys.stats.Tries++
	if s.tries++; int(s.tries) < sys.config.FullEmpty.Limit {
		s.state = retrying
		s.ready = done + int64(sys.config.FullEmpty.Retry)
		p.wheel.put(i, s.ready)
		return
	}
	s.state = parked
	sys.stats.Traps++
	addr := t.Addr
	wantFull := sys.kernel.program.Code[w.pc].Op != isa.OpWriteEF
	sys.parking.words[addr] = append(sys.parking.words[addr], waiter{p, i, wantFull})
}

// retry tries a synchronised operation again.
func (p *processor) retry(i int16, s *stream, cycle int64) {
	sys := p.system
	s.forget(cycle)
	s.account(sys, cycle, FullEmptyWait, s.blame)
	p.execute(i, s, &sys.kernel.words[s.pc], int(s.rest), cycle)
}

// changed notes that a thread's synchronised operation has succeeded, and
// wakes the first thread parked on the word that waits for what it now is.
// That one's success wakes the next.
func (sys *System) changed(addr uint64, op isa.Op, pc int32, thread int, cycle int64) {
	if op != isa.OpReadFF {
		*sys.parking.latest(addr) = change{addr, sys.stats.Launches, int32(thread), pc}
	}
	if len(sys.parking.words) == 0 {
		return
	}
	full := op == isa.OpReadFF || op == isa.OpWriteEF
	queue := sys.parking.words[addr]
	for k, w := range queue {
		if w.wantFull != full {
			continue
		}
		if len(queue) == 1 {
			delete(sys.parking.words, addr)
		} else {
			sys.parking.words[addr] = append(queue[:k], queue[k+1:]...)
		}
		s := &w.p.streams[w.stream]
		s.state, s.tries = retrying, 0
		s.ready = cycle + int64(sys.config.FullEmpty.Trap)
		w.p.wheel.put(w.stream, s.ready)
		w.p.rouse(s.ready)
		return
	}
}

// arrive makes a stream wait at the barrier of all threads.
func (sys *System) arrive(p *processor, i int16, s *stream) {
	s.state, s.reason, s.blame = atBarrier, Synchronization, s.pc
	if sys.probe != nil {
		sys.probe.Arrived(sys.context(s), sys.timeOf(s.since))
	}
	r := &sys.running
	r.waiting = append(r.waiting, waiter{p: p, stream: i})
	r.arrived = max(r.arrived, s.since)
	sys.release()
}

// release lets the threads at the barrier go on when all that have not ended
// are there.
func (sys *System) release() {
	r := &sys.running
	if len(r.waiting) == 0 || len(r.waiting) < r.threads-r.done {
		return
	}
	then := r.arrived + int64(sys.config.Launch.Barrier)
	r.arrived = 0
	waiting := r.waiting
	r.waiting = r.waiting[len(r.waiting):]
	for _, w := range waiting {
		s := &w.p.streams[w.stream]
		s.forget(then)
		s.account(sys, then, Synchronization, s.pc)
		w.p.settle(w.stream, s, &sys.kernel.words[s.pc])
		w.p.rouse(s.ready)
	}
	r.waiting = waiting[:0]
}
