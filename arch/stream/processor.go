package stream

import (
	"heddle/arch/isa"
	"heddle/arch/mem"
	"heddle/sim"
)

// runAhead is how many cycles a processor computes beyond the present in one
// event. Operations of different processors may take effect out of order by as
// much: 32 ns at 500 MHz, a small part of the way between any two of them.
const runAhead = 16

// maxLookahead is the most instructions of a stream in flight.
const maxLookahead = 8

// processor issues the instructions of its streams, one a cycle.
//
// When a stream has issued, the cycle at which it can issue next is known: its
// last instruction leaves the pipeline, the memory operations that it needs
// are done, and so is the one that its lookahead allows no further. So a
// processor looks only at streams that are ready, in the order in which they
// became so.
type processor struct {
	event     sim.Event
	system    *System
	id        int
	wheel     wheel
	streams   []stream
	warps     []isa.Warp
	next      int64 // first cycle in which an instruction may issue
	inject    sim.Server
	cache     *mem.Cache // nil without
	throttled int64      // streams that wait for the memory unit
	live      int        // streams with a thread
	began     int64      // cycle of the first of them
}

// stream is the state of a hardware stream beside its thread's.
type stream struct {
	flights [maxLookahead]flight // of the latest instructions, round and round
	loading uint64               // registers that may be in flight, modulo 64
	since   int64                // cycle up to which its time is accounted for
	ready   int64                // cycle from which it can issue
	started int64
	pc      int32 // of its next instruction
	blame   int32 // pc of what makes it wait until ready
	rest    int32 // operations of its instruction that follow one which waits for its word, it included
	tries   int32 // of that
	more    int32 // further instructions of a long operation
	turn    uint8 // flight of its next instruction
	reason  Stall // why it waits until ready
	state   state
}

// state is what a stream does next.
type state uint8

const (
	idle      state = iota
	issuing         // the instruction at pc
	throttled       // the same, when the memory unit takes its operation
	retrying        // tries its synchronised operation again
	parked          // until its word changes
	atBarrier
)

// flight is the memory operation of an instruction.
type flight struct {
	done int64 // cycle from which its data can be used; passed if it has none
	reg  int32 // register that it loads, among those of all open calls; -1 for none
	pc   int32
}

// Handle issues what can be issued from now on, up to runAhead cycles.
func (p *processor) Handle(now sim.Time) {
	sys := p.system
	if now >= sys.watch {
		sys.checkProgress(now)
	}
	last := sys.cycleAt(now) + sys.runAhead
	for {
		due, some := p.wheel.soonest()
		if !some {
			return
		}
		cycle := max(due, p.next)
		if cycle > last {
			sys.engine.At(&p.event, sys.timeOf(cycle))
			return
		}
		p.serve(p.wheel.take(due), cycle)
	}
}

// rouse makes sure that a processor, which may be another than the one whose
// event is running, looks at its wheel at a cycle.
func (p *processor) rouse(cycle int64) {
	engine := p.system.engine
	if t := max(p.system.timeOf(max(cycle, p.next)), engine.Now()); t < p.event.Time() {
		engine.At(&p.event, t)
	}
}

// serve lets stream i do what it is due for.
func (p *processor) serve(i int16, cycle int64) {
	s := &p.streams[i]
	sys := p.system
	if s.state == retrying {
		p.retry(i, s, cycle)
		return
	}
	s.account(sys, s.ready, s.reason, s.blame)
	if s.state == throttled {
		p.throttled--
		s.state = issuing
	} else if s.more == 0 && sys.kernel.words[s.pc].memory >= 0 && p.throttled > 0 {
		p.throttle(i, s, cycle) // behind those that wait
		return
	}
	s.account(sys, cycle, NotSelected, s.pc)
	w := &sys.kernel.words[s.pc]
	if s.more > 0 {
		s.more--
		p.issued(s, cycle)
		s.flights[s.turn] = flight{reg: -1}
		p.turn(s)
		p.settle(i, s, w)
		return
	}
	if w.memory >= 0 && p.inject.Free()-sys.timeOf(cycle)-sys.unit > sys.queue {
		p.throttle(i, s, cycle)
		return
	}
	p.issued(s, cycle)
	p.execute(i, s, w, int(w.ops), cycle)
}

// throttle makes a stream wait until the memory unit has taken the operations
// of those that wait before it.
func (p *processor) throttle(i int16, s *stream, cycle int64) {
	sys := p.system
	s.account(sys, cycle, NotSelected, s.pc)
	at := p.inject.Free() + sim.Time(p.throttled)*sys.word - sys.queue - sys.unit
	p.throttled++
	s.state = throttled
	s.ready = max(cycle+1, sys.cycleFrom(at))
	s.reason, s.blame = MemoryThrottle, s.pc
	p.wheel.put(i, s.ready)
}

// issued takes the issue cycle and accounts for the pipeline.
func (p *processor) issued(s *stream, cycle int64) {
	sys := p.system
	p.next = cycle + 1
	sys.stats.Words++
	line := &sys.kernel.lines[s.pc]
	line.Words++
	through := sys.pipeline - 1
	sys.stats.Stalls[Pipeline] += sim.Cycles(through)
	line.Stalls[Pipeline] += sim.Cycles(through)
	s.since = cycle + sys.pipeline
}

// account closes the stream's time up to a cycle.
func (s *stream) account(sys *System, cycle int64, why Stall, blame int32) {
	if d := sim.Cycles(cycle - s.since); d > 0 {
		sys.stats.Stalls[why] += d
		sys.kernel.lines[blame].Stalls[why] += d
		s.since = cycle
	}
}

// execute performs the last n operations of the instruction w and finds when
// the stream can issue its next.
func (p *processor) execute(i int16, s *stream, w *word, n int, cycle int64) {
	sys := p.system
	t := &p.warps[i]
	t.Clock = uint64(cycle)
	memory := int(w.ops - w.memory) // operations left when it comes to the one on memory
	outcome := isa.Next
	for ; n > 0 && outcome == isa.Next; n-- {
		outcome = t.Step()
		if n == memory && outcome != isa.Faulted {
			if outcome == isa.Blocked {
				p.blocked(i, s, w, n, cycle)
				return
			}
			s.tries = 0
			p.access(s, t, w, cycle)
		}
	}
	sys.stats.Operations += uint64(w.ops)
	sys.kernel.lines[s.pc].Issues++
	s.more = w.issues - 1
	if w.memory < 0 {
		s.flights[s.turn] = flight{reg: -1}
	}
	p.turn(s)
	switch outcome {
	case isa.Next:
		p.settle(i, s, w)
	case isa.Faulted:
		sys.engine.Stop(t.Trap())
	case isa.Done:
		p.finish(s)
	case isa.Wait:
		sys.arrive(p, i, s)
	}
}

// turn goes on to the flight of the stream's next instruction.
func (p *processor) turn(s *stream) {
	if s.turn++; int(s.turn) == p.system.config.Lookahead {
		s.turn = 0
	}
}

// settle puts the stream, which has issued w, on the wheel for its next
// instruction.
func (p *processor) settle(i int16, s *stream, w *word) {
	sys := p.system
	s.ready, s.reason, s.blame, s.state = s.since, Pipeline, s.pc, issuing
	if s.more == 0 {
		t := &p.warps[i]
		s.pc = t.PC
		if s.loading != 0 {
			p.depend(s, t, &sys.kernel.words[s.pc])
		}
	}
	if f := &s.flights[s.turn]; f.done > s.ready {
		s.ready, s.reason, s.blame = f.done, LookaheadFull, f.pc
	}
	if w.fence {
		for j := range s.flights {
			if f := &s.flights[j]; f.done > s.ready {
				s.ready, s.reason, s.blame = f.done, MemoryDependency, f.pc
			}
		}
	}
	p.wheel.put(i, s.ready)
}

// depend waits for the loads whose registers the next instruction touches.
func (p *processor) depend(s *stream, t *isa.Warp, next *word) {
	frame, exact := int32(0), next.exact
	touches := next.touches
	if p.system.kernel.calls {
		frame = int32(t.Frame())
		touches = touches<<(frame&63) | touches>>(64-frame&63)
		exact = exact && frame == 0
	}
	if touches&s.loading == 0 {
		return
	}
	from := s.ready
	s.loading = 0
	for j := range s.flights {
		f := &s.flights[j]
		if f.reg < 0 || f.done <= from {
			continue
		}
		bit := uint64(1) << (f.reg & 63)
		s.loading |= bit
		if f.done > s.ready && touches&bit != 0 && (exact && f.reg < 64 || next.names(f.reg-frame)) {
			s.ready, s.reason, s.blame = f.done, MemoryDependency, f.pc
		}
	}
}

// names reports whether the word touches a register.
func (w *word) names(reg int32) bool {
	for _, r := range w.regs {
		if r == reg {
			return true
		}
	}
	return false
}

// localBase is where the threads' own memory lies for the modules.
const localBase = 1 << 48

// access sends the memory operation that the thread has just executed.
func (p *processor) access(s *stream, t *isa.Warp, w *word, cycle int64) {
	sys := p.system
	done := p.send(t, w, cycle)
	f := &s.flights[s.turn]
	f.done, f.reg, f.pc = sys.cycleFrom(done), -1, w.pc
	if w.reg >= 0 {
		f.reg = w.reg
		if sys.kernel.calls {
			f.reg += int32(t.Frame())
		}
		s.loading |= 1 << (f.reg & 63)
	}
	sys.stats.Accesses[w.class]++
	switch in := &sys.kernel.program.Code[w.pc]; {
	case w.class == synchronises:
		sys.changed(t.Addr[0], in.Op, w.pc, t.Thread(0), cycle)
		sys.progress++
	case w.class != reads:
		sys.progress++
	}
}

// send puts a memory operation, successful or not, on its way at a cycle, and
// returns when its reply is back.
func (p *processor) send(t *isa.Warp, w *word, cycle int64) sim.Time {
	sys := p.system
	at := sys.timeOf(cycle)
	a := mem.Access{Addr: t.Addr[0], Size: w.size, Array: -1}
	if w.local {
		a.Addr += localBase + uint64(t.Thread(0))*uint64(sys.kernel.localBytes)
	} else {
		a.Array = int16(sys.space.ArrayID(a.Addr))
		sys.count(int(a.Array), w)
	}
	sys.kernel.lines[w.pc].Memory++
	var done sim.Time
	switch {
	case w.class >= updates:
		a.Kind = mem.Atomic
		if p.cache != nil {
			p.cache.Drop(a.Addr)
		}
		if !w.local {
			sys.hot.add(a.Addr)
		}
		done = p.request(at+sys.unit, a, true)
	case p.cache != nil:
		if w.class == writes {
			a.Kind = mem.Write
		}
		done = p.cache.Access(at, a)
	default:
		if w.class == writes {
			a.Kind = mem.Write
		}
		done = p.request(at+sys.unit, a, false)
	}
	sys.stats.Latency.Add(uint64(sys.cycleFrom(done - at)))
	return done
}

// finish ends the stream's thread.
func (p *processor) finish(s *stream) {
	sys := p.system
	s.state = idle
	sys.stats.Resident += sim.Cycles(s.since - s.started)
	sys.lastCycle = max(sys.lastCycle, s.since)
	sys.running.done++
	sys.progress++
	if p.live--; p.live == 0 {
		sys.stats.Active += sim.Cycles(s.since - p.began)
	}
	sys.release()
}
