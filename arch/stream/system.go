package stream

import (
	"fmt"
	"iter"
	"sync/atomic"

	"heddle/arch/isa"
	"heddle/arch/mem"
	"heddle/sim"
)

// System is a machine of Threadstorm processors and their memory.
type System struct {
	config     Config
	engine     *sim.Engine
	clock      sim.Clock
	space      *mem.Space
	processors []*processor
	memory     *memorySystem
	probe      sim.Probe // nil without

	// Intervals of the configuration, in time or in cycles.
	period   sim.Time
	periods  sim.Divisor // by the period
	word     sim.Time    // between two words of a processor
	unit     sim.Time    // of the memory unit
	queue    sim.Time    // that the words before a new one may take
	pipeline int64
	runAhead int64
	alone    int64 // cycles beyond it in which no other processor rouses a stream, at most mostAlone
	runOn    uint8 // instructions that a stream may execute ahead

	kernels map[*isa.Program]*kernel
	order   []*kernel // as first launched
	kernel  *kernel   // running
	scalar  *isa.Scalar
	running launch
	parking parking
	hot     mem.HotWords
	stats   Stats
	arrays  []ArrayStats

	now       sim.Time // of the latest event of a processor
	nowCycle  int64
	lastDone  sim.Time // of the replies
	lastCycle int64    // of the threads that have ended
	maxTime   sim.Time
	watch     sim.Time // when to look at progress next
	onSample  func(now sim.Time)
	progress  uint64 // words changed and threads ended
	watched   progressMark
	Progress  Progress
}

// Progress is how far the machine is; it may be read while it runs.
type Progress struct {
	Operations  atomic.Uint64 // so far
	Now         atomic.Int64  // simulated time
	Threads     atomic.Int64  // of the running launch
	ThreadsDone atomic.Int64
	Launches    atomic.Int64 // begun
}

// kernel is a program as the machine sees it, with what is counted for each of
// its instructions.
type kernel struct {
	program    *isa.Program
	words      []word
	lines      []LineStats
	number     int32  // among those launched
	calls      bool   // registers of several functions are in use at once
	localBytes uint64 // between the local memories of two threads
}

// launch is a parallel region being run.
type launch struct {
	threads int
	done    int
	waiting []waiter // at the barrier
	arrived int64    // cycle of the latest arrival
}

// New returns a machine on engine whose memory is space.
func New(c Config, engine *sim.Engine, space *mem.Space) (*System, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	clock := sim.NewClock(c.Clock)
	sys := &System{
		config: c, engine: engine, clock: clock, space: space,
		period:   clock.Period,
		periods:  sim.NewDivisor(uint64(clock.Period)),
		word:     c.WordInterval(),
		unit:     clock.Span(c.MemoryUnit.Latency),
		queue:    sim.Time(c.MemoryUnit.Queue-1) * c.WordInterval(),
		pipeline: int64(c.Pipeline),
		runAhead: runAhead,
		alone:    max(0, min(mostAlone, int64(c.FullEmpty.Trap)-runAhead, int64(c.Launch.Barrier)-runAhead)),
		runOn:    mostAhead,
		kernels:  map[*isa.Program]*kernel{},
		maxTime:  sim.Never,
	}
	m, err := newMemorySystem(&c, clock)
	if err != nil {
		return nil, err
	}
	sys.memory = m
	sys.parking.init()
	for i := range c.Processors {
		p := &processor{
			system: sys, id: i, wheel: newWheel(c.Launch.Streams),
			streams: make([]stream, c.Launch.Streams),
		}
		p.event.Init(p)
		if c.Cache.Enabled {
			if p.cache, err = mem.NewCache(fmt.Sprintf("cache %d", i), c.Cache, clock, p); err != nil {
				return nil, err
			}
		}
		sys.processors = append(sys.processors, p)
	}
	if c.FullEmpty.Enabled {
		space.EnableFullEmpty()
	}
	return sys, nil
}

// LimitCycles ends a run that reaches n cycles.
func (sys *System) LimitCycles(n sim.Cycles) { sys.maxTime = sys.clock.Span(n) }

// Clock returns the processors' clock.
func (sys *System) Clock() sim.Clock { return sys.clock }

// Config returns the description that the machine was built from.
func (sys *System) Config() *Config { return &sys.config }

// Refusal says which instruction of a program a machine cannot execute.
type Refusal struct {
	Program *isa.Program
	PC      int32
	Why     string
}

func (r *Refusal) Error() string {
	return fmt.Sprintf("%s: %s: %s", r.Program.Source(r.PC), r.Program.Disassemble(r.PC), r.Why)
}

// Check returns why the machine cannot run p.
func (sys *System) Check(p *isa.Program) error {
	if len(p.Code) > mostInstructions {
		return fmt.Errorf("program %s has %d instructions: at most %d", p.Name, len(p.Code), mostInstructions)
	}
	for pc := range p.Code {
		in := &p.Code[pc]
		switch behaviour := in.Row().Memory; {
		case (behaviour == isa.FullEmpty || in.Op == isa.OpPurge) && !sys.config.FullEmpty.Enabled:
			return &Refusal{p, int32(pc), "needs full/empty bits, which this machine lacks (full_empty.enabled)"}
		case behaviour != isa.NoMemory && in.Space == isa.Shared:
			return &Refusal{p, int32(pc), "needs shared memory of a thread block, which this machine lacks"}
		}
	}
	return nil
}

// mostInstructions is how many instructions a program may have, so that two
// bytes name one.
const mostInstructions = 1<<16 - 1

// timeOf returns when a cycle begins.
func (sys *System) timeOf(cycle int64) sim.Time { return sim.Time(cycle) * sys.period }

// cycleAt returns the cycle that t, a clock edge, begins.
func (sys *System) cycleAt(t sim.Time) int64 { return int64(t / sys.period) }

// present returns the cycle that now begins, the time of an event.
func (sys *System) present(now sim.Time) int64 {
	passed, _ := sys.periods.Split(uint64(now - sys.now))
	sys.now, sys.nowCycle = now, sys.nowCycle+int64(passed)
	return sys.nowCycle
}

// cycleAfter returns the first cycle that begins at t or later, no earlier than
// cycle.
func (sys *System) cycleAfter(cycle int64, t sim.Time) int64 {
	d := t - sys.timeOf(cycle)
	if d <= 0 {
		return cycle
	}
	n, _ := sys.periods.Split(uint64(d + sys.period - 1))
	return cycle + int64(n)
}

// cycleFrom returns the first cycle that begins at t or later.
func (sys *System) cycleFrom(t sim.Time) int64 { return int64((t + sys.period - 1) / sys.period) }

// Threads returns how many threads a launch over items has: one an item, as
// far as the streams reach.
func (sys *System) Threads(items int) int {
	return min(items, sys.config.Processors*sys.config.Launch.Streams)
}

// Run runs the program with a thread an item, on at most all the streams that
// a launch uses, from time at, and returns when the last thread has ended and
// the last memory operation is done. Thread t runs on processor t modulo their
// number. All threads are one block, whose barrier waits for every thread.
func (sys *System) Run(p *isa.Program, items int, at sim.Time, args []isa.Value) (end sim.Time, err error) {
	if err := sys.Check(p); err != nil {
		return at, err
	}
	if err := p.CheckArgs(args); err != nil {
		return at, err
	}
	sys.kernel = sys.kernels[p]
	if sys.kernel == nil {
		const unit = 64 // bytes, so that threads' memories share no block
		sys.kernel = &kernel{
			program: p, words: pack(p, &sys.config.Word), lines: make([]LineStats, len(p.Code)),
			number: int32(len(sys.order)), calls: len(p.Funcs) > 1, localBytes: uint64((p.Local + unit - 1) / unit * unit),
		}
		sys.kernels[p] = sys.kernel
		sys.order = append(sys.order, sys.kernel)
	}
	at = sys.clock.Edge(at)
	sys.engine.AdvanceTo(at)
	threads := sys.Threads(items)
	sys.begin(isa.NewLaunch(p, sys.space, 1, threads, threads, args), at)
	if err := sys.engine.Run(); err != nil {
		return sys.abandon(at), err
	}
	if sys.running.done < threads {
		err := sys.deadlock()
		return sys.abandon(at), err
	}
	end = max(at, sys.timeOf(sys.lastCycle), sys.clock.Edge(sys.lastDone))
	sys.stats.Elapsed += end - at
	sys.publish(end)
	return end, nil
}

// abandon closes the accounts of a launch that does not end well, and returns
// the time.
func (sys *System) abandon(at sim.Time) sim.Time {
	now := sys.engine.Now()
	for _, p := range sys.processors {
		for i := range p.streams {
			if s := &p.streams[i]; s.state != idle {
				sys.stats.Resident += sim.Cycles(s.since)
				s.state = idle
			}
		}
		if p.live > 0 {
			sys.stats.Active += sim.Cycles(max(0, sys.cycleAt(now)-p.began))
			p.live = 0
		}
	}
	sys.stats.Elapsed += now - at
	sys.publish(now)
	return now
}

// begin creates the streams of a launch.
func (sys *System) begin(l *isa.Launch, at sim.Time) {
	sys.running = launch{threads: l.Threads, waiting: sys.running.waiting[:0]}
	sys.lastDone = at
	sys.lastCycle = sys.cycleAt(at)
	sys.stats.Launches++
	sys.stats.Threads += uint64(l.Threads)
	sys.Progress.Threads.Store(int64(l.Threads))
	sys.Progress.ThreadsDone.Store(0)
	sys.Progress.Launches.Add(1)
	sys.watch = at
	sys.watched = progressMark{}
	entered := sys.cycleFrom(at + sys.config.Launch.Region)
	sys.scalar = isa.NewScalar(l)
	n := len(sys.processors)
	for id, p := range sys.processors { // a processor's threads together, for the host's memory
		for t := id; t < l.Threads; t += n {
			p.begin(t, int16(t/n), entered+int64(t/n)*int64(sys.config.Launch.Create))
		}
	}
}

// begin makes stream i run thread t from a cycle on.
func (p *processor) begin(t int, i int16, cycle int64) {
	if p.live == 0 {
		p.began = cycle
	}
	p.live++
	p.system.stats.Resident -= sim.Cycles(cycle)
	s := &p.streams[i]
	*s = stream{since: cycle, ready: cycle, reason: Pipeline, state: issuing,
		number: int32(p.id*len(p.streams)) + int32(i), thread: s.thread}
	s.land()
	if sys := p.system; sys.probe != nil {
		sys.probe.Started(sys.context(s), t, sys.timeOf(cycle))
	}
	p.system.scalar.Start(&s.thread, t, p.registers(int(i)))
	s.pc, s.blame = uint16(s.thread.PC), uint16(s.thread.PC)
	p.wheel.put(i, cycle)
	p.rouse(cycle)
}

// registers returns those that stream i begins with: whole lines of the host's
// cache, as they are in use after those of the processor's other streams.
func (p *processor) registers(i int) []uint64 {
	const line = 8
	n := (p.system.scalar.Registers() + line - 1) / line * line
	if all := n * len(p.streams); len(p.regs) < all {
		p.regs = make([]uint64, all)
	}
	return p.regs[i*n : (i+1)*n : (i+1)*n]
}

// count adds an operation to those of its array.
func (sys *System) count(array int, w *word) {
	for array >= len(sys.arrays) {
		sys.arrays = append(sys.arrays, ArrayStats{})
	}
	a := &sys.arrays[array]
	a.Sent++
	a.Requested += sim.Bytes(w.size)
	switch w.class {
	case reads:
		a.Loads++
	case writes:
		a.Stores++
	default:
		a.Atomics++
	}
}

// Stop ends the run soon with err; it may be called from any goroutine.
func (sys *System) Stop(err error) { sys.engine.Stop(err) }

// Parts iterates over the machine's components: their names, and pointers to
// their state for a monitor to show.
func (sys *System) Parts() iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		for i, p := range sys.processors {
			if !yield(fmt.Sprintf("Processor[%d]", i), p) {
				return
			}
		}
		for i := range sys.memory.modules {
			if !yield(fmt.Sprintf("Module[%d]", i), &sys.memory.modules[i]) {
				return
			}
		}
	}
}
