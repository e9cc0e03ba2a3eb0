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

// mostAlone is how many cycles further a processor computes what has no effect
// outside it.
const mostAlone = 256

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
	regs      []uint64 // of the streams's threads, one after the other
	next      int64    // first cycle in which an instruction may issue
	inject    sim.Server
	cache     *mem.Cache // nil without
	throttled int64      // streams that wait for the memory unit
	live      int        // streams with a thread
	began     int64      // cycle of the first of them
	words     uint64     // issued
}

// stream is the state of a hardware stream beside its thread's registers: three
// lines of the host's cache.
type stream struct {
	since   int64  // cycle up to which its time is accounted for
	ready   int64  // cycle from which it can issue
	loads   uint8  // mask of the flights that may be loads under way
	tries   uint32 // of the synchronised operation that it waits with
	pc      uint16 // of its next instruction
	then    uint16 // pc of the one behind those executed ahead
	blame   uint16 // pc of what makes it wait until ready
	more    uint16 // further instructions of a long operation
	pcs     [mostAhead]uint16
	first   uint8       // of those executed ahead
	ahead   uint8       // instructions executed ahead
	ending  isa.Outcome // of the last of them
	turn    uint8       // flight of its next instruction
	reason  Stall       // why it waits until ready
	state   state
	rest    uint8 // operations of its instruction that follow one which waits for its word, it included
	number  int32 // among the machine's streams
	thread  isa.Thread
	_       [1]uint64
	flights [maxLookahead]flight
}

// mostAhead bounds how many instructions a stream executes ahead: those behind
// a memory operation that only the thread itself can tell of. Each still issues
// in its own cycle, but the thread's state, which is spread over the host's
// memory, is looked at once.
const mostAhead = 6

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

// Handle issues what can be issued from now on, up to runAhead cycles, and then
// instructions that have been executed and that only their thread can tell of,
// as far as no other processor can interfere.
func (p *processor) Handle(now sim.Time) {
	sys := p.system
	if now >= sys.watch {
		sys.checkProgress(now)
	}
	last := sys.present(now) + sys.runAhead
	for {
		due, some := p.wheel.soonest()
		if !some {
			return
		}
		cycle := max(due, p.next)
		if cycle > last && (cycle > last+sys.alone || !p.isAlone(due)) {
			sys.engine.At(&p.event, sys.timeOf(cycle))
			return
		}
		p.serve(p.wheel.take(due), cycle)
	}
}

// isAlone reports whether the instruction to be issued next, by a stream due at
// a cycle, has no effect outside its processor.
func (p *processor) isAlone(due int64) bool {
	i := p.wheel.first(due)
	if i == nobody {
		return false
	}
	s := &p.streams[i]
	return s.state == issuing && (s.more > 0 || s.ahead > 1 || s.ahead == 1 && s.ending == isa.Next)
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
	} else if p.throttled > 0 && s.more == 0 && sys.kernel.words[s.pc].memory >= 0 {
		p.throttle(i, s, cycle) // behind those that wait
		return
	}
	s.account(sys, cycle, NotSelected, s.pc)
	w := &sys.kernel.words[s.pc]
	switch {
	case s.more > 0:
		s.more--
		p.issued(s, cycle)
		p.end(i, s, w, isa.Next)
	case s.ahead > 0:
		p.issued(s, cycle)
		s.ahead--
		outcome := isa.Next
		if s.ahead == 0 {
			outcome = s.ending
		}
		p.complete(i, s, w, outcome)
	case w.memory >= 0 && p.inject.Free()-sys.timeOf(cycle)-sys.unit > sys.queue:
		p.throttle(i, s, cycle)
	default:
		p.issued(s, cycle)
		p.execute(i, s, w, int(w.ops), cycle)
	}
}

// throttle makes a stream wait until the memory unit has taken the operations
// of those that wait before it.
func (p *processor) throttle(i int16, s *stream, cycle int64) {
	sys := p.system
	s.account(sys, cycle, NotSelected, s.pc)
	at := p.inject.Free() + sim.Time(p.throttled)*sys.word - sys.queue - sys.unit
	p.throttled++
	s.state = throttled
	s.ready = max(cycle+1, sys.cycleAfter(cycle, at))
	s.reason, s.blame = MemoryThrottle, s.pc
	p.wheel.put(i, s.ready)
}

// issued takes the issue cycle; the stream is in the pipeline from then on.
func (p *processor) issued(s *stream, cycle int64) {
	sys := p.system
	p.next = cycle + 1
	sys.kernel.lines[s.pc].Words++
	sys.stats.Words++
	p.words++
	s.since = cycle + sys.pipeline
	if sys.probe != nil {
		sys.showIssue(s, cycle)
	}
}

// account closes the stream's time up to a cycle.
func (s *stream) account(sys *System, cycle int64, why Stall, blame uint16) {
	if d := sim.Cycles(cycle - s.since); d > 0 {
		sys.stats.Stalls[why] += d
		sys.kernel.lines[blame].Stalls[why] += d
		if sys.probe != nil {
			sys.showStall(s, cycle, why, blame)
		}
		s.since = cycle
	}
}

// execute performs the last n operations of the instruction w and finds when
// the stream can issue its next.
func (p *processor) execute(i int16, s *stream, w *word, n int, cycle int64) {
	x, t := p.system.scalar, &s.thread
	x.Clock = uint64(cycle)
	memory := int(w.ops - w.memory) // operations left when it comes to the one on memory
	outcome := isa.Next
	for ; n > 0 && outcome == isa.Next; n-- {
		outcome = x.Step(t)
		if n == memory && outcome != isa.Faulted {
			if outcome == isa.Blocked {
				p.blocked(i, s, w, n, cycle)
				return
			}
			s.tries = 0
			p.access(s, w, cycle)
		}
	}
	if outcome == isa.Next {
		p.runOn(s)
	}
	p.complete(i, s, w, outcome)
}

// runOn executes what follows the thread's last instruction as far as only the
// thread itself can tell.
func (p *processor) runOn(s *stream) {
	k, x, t := p.system.kernel, p.system.scalar, &s.thread
	s.first, s.ahead = 0, 0
	if k.calls {
		s.then = uint16(t.PC)
		return
	}
	outcome := isa.Next
	for outcome == isa.Next && s.ahead < p.system.runOn {
		w := &k.words[t.PC]
		if !w.own {
			break
		}
		s.pcs[s.ahead] = uint16(t.PC)
		s.ahead++
		for n := w.ops; n > 0 && outcome == isa.Next; n-- {
			outcome = x.Step(t)
		}
	}
	s.ending, s.then = outcome, uint16(t.PC)
}

// complete ends the stream's instruction w, which has been executed.
func (p *processor) complete(i int16, s *stream, w *word, outcome isa.Outcome) {
	sys := p.system
	sys.stats.Operations += uint64(w.ops)
	s.more = uint16(w.issues - 1)
	p.end(i, s, w, outcome)
}

// end finds what the stream does after an instruction, w or one of those that
// it stands for.
func (p *processor) end(i int16, s *stream, w *word, outcome isa.Outcome) {
	sys := p.system
	if w.memory < 0 {
		s.flights[s.turn&(maxLookahead-1)].none = true
		s.loads &^= 1 << (s.turn & (maxLookahead - 1))
	}
	p.turn(s)
	switch outcome {
	case isa.Next:
		p.settle(i, s, w)
	case isa.Faulted:
		sys.engine.Stop(sys.scalar.Trap(&s.thread))
	case isa.Done:
		p.finish(s)
	case isa.Wait:
		s.first, s.ahead, s.then = 0, 0, uint16(s.thread.PC)
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
		if s.ahead > 0 {
			s.pc = s.pcs[s.first]
			s.first++
		} else {
			s.pc = s.then
		}
		if s.loads != 0 {
			p.depend(s, &sys.kernel.words[s.pc])
		}
	}
	s.wait(&s.flights[s.turn&(maxLookahead-1)], LookaheadFull)
	if w.fence {
		for j := range s.flights {
			s.wait(&s.flights[j], MemoryDependency)
		}
	}
	p.wheel.put(i, s.ready)
}

// localBase is where the threads' own memory lies for the modules.
const localBase = 1 << 48

// access sends the memory operation that the thread has just executed.
func (p *processor) access(s *stream, w *word, cycle int64) {
	sys := p.system
	t := &s.thread
	f := flight{done: uint32(p.send(s, w, cycle)), pc: w.pc, reg: w.reg}
	s.loads &^= 1 << (s.turn & (maxLookahead - 1))
	if w.reg != noReg {
		if sys.kernel.calls {
			f.reg = uint8(int(w.reg)+t.Frame()) & 63
		}
		s.loads |= 1 << (s.turn & (maxLookahead - 1))
	}
	s.flights[s.turn&(maxLookahead-1)] = f
	sys.stats.Accesses[w.class]++
	switch in := &sys.kernel.program.Code[w.pc]; {
	case w.class == synchronises:
		sys.changed(t.Addr, in.Op, int32(w.pc), t.Number(), cycle)
		sys.progress++
	case w.class != reads:
		sys.progress++
	}
}

// send puts a memory operation, successful or not, on its way at a cycle, and
// returns the cycle from which its reply can be used.
func (p *processor) send(s *stream, w *word, cycle int64) int64 {
	t := &s.thread
	sys := p.system
	at := sys.timeOf(cycle)
	a := mem.Access{Addr: t.Addr, Size: w.size, Array: -1}
	if w.local {
		a.Addr += localBase + uint64(t.Number())*uint64(sys.kernel.localBytes)
	} else {
		id := sys.scalar.Array
		if id < 0 {
			id = sys.space.ArrayID(a.Addr)
		}
		a.Array = int16(id)
		sys.count(int(a.Array), w)
	}
	line := &sys.kernel.lines[w.pc]
	line.Memory++
	missed := sys.memory.missed
	var level string
	if sys.probe != nil {
		level = p.holder(w, a)
	}
	var done sim.Time
	switch {
	case w.class >= updates:
		a.Kind = mem.Atomic
		if p.cache != nil {
			p.cache.Drop(a.Addr)
		}
		if !w.local {
			sys.hot.Add(a.Addr, p.id, mem.Site{Program: sys.kernel.number, PC: int32(w.pc)})
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
	line.Missed += uint64(sys.memory.missed - missed)
	if sys.probe != nil {
		sys.showMemory(s, w, a, at, done, level)
	}
	back := sys.cycleAfter(cycle, done)
	sys.stats.Latency.Add(uint64(back - cycle))
	return back
}

// finish ends the stream's thread.
func (p *processor) finish(s *stream) {
	sys := p.system
	s.state = idle
	sys.stats.Resident += sim.Cycles(s.since)
	if sys.probe != nil {
		sys.probe.Ended(sys.context(s), sys.timeOf(s.since))
	}
	sys.lastCycle = max(sys.lastCycle, s.since)
	sys.running.done++
	sys.progress++
	if p.live--; p.live == 0 {
		sys.stats.Active += sim.Cycles(s.since - p.began)
	}
	sys.release()
}
