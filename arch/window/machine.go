package window

import (
	"fmt"
	"iter"
	"sync/atomic"

	"heddle/arch/isa"
	"heddle/arch/mem"
	"heddle/sim"
)

// Machine is a multicore: cores, and the memory behind their ports.
type Machine struct {
	config   Config
	topology Topology
	engine   *sim.Engine
	clock    sim.Clock
	space    *mem.Space
	memory   Memory
	line     sim.Bytes
	cores    []*core
	spare    [][]*thread // of each core
	probe    sim.Probe   // nil without
	place    []int       // core of each software thread

	kernels map[*isa.Program]*kernel
	order   []*kernel // as first launched
	code    uint32    // address of the next program's first instruction
	running *launch
	waiting map[uint64][]*thread // for full/empty words
	failed  bool
	stats   Stats
	arrays  []ArrayStats
	hot     mem.HotWords

	maxTime    sim.Time
	watch      sim.Time // when to look at progress next
	onSample   func(now sim.Time)
	progress   uint64 // what had been done when last looked at
	progressAt sim.Time
	patience   sim.Cycles // without progress
	Progress   Progress
}

// Progress is how far the machine is; it may be read while it runs.
type Progress struct {
	Instructions atomic.Uint64
	Now          atomic.Int64 // simulated time
	Threads      atomic.Int64 // of the running launch
	ThreadsDone  atomic.Int64
	Launches     atomic.Int64 // begun
}

// launch is a program being run.
type launch struct {
	*isa.Launch
	kernel  *kernel
	scalar  *isa.Scalar
	start   int64
	end     int64
	threads []*thread
	live    int
	arrived int // at the barrier
	latest  int64

	accounted bool // its threads' cycles are among the machine's
}

// New returns a multicore on engine whose memory holds space in lines of the
// given size.
func New(c Config, t Topology, engine *sim.Engine, space *mem.Space, memory Memory, line sim.Bytes) (*Machine, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	t.SMT = c.Core.SMT
	place, err := t.Place(c.Placement, c.Threads)
	if err != nil {
		return nil, err
	}
	m := &Machine{
		config: c, topology: t, engine: engine, clock: sim.NewClock(c.Clock), space: space, memory: memory, line: line,
		place: place, kernels: map[*isa.Program]*kernel{}, waiting: map[uint64][]*thread{},
		maxTime: sim.Never, patience: hangCycles,
	}
	for i := range t.Sockets * t.Dies * t.Cores {
		m.cores = append(m.cores, newCore(m, i, memory.Port(i)))
	}
	m.spare = make([][]*thread, len(m.cores))
	if c.Core.LoadStore.FullEmpty {
		space.EnableFullEmpty()
	}
	return m, nil
}

// LimitCycles ends a run that reaches n cycles of the cores' clock.
func (m *Machine) LimitCycles(n sim.Cycles) { m.maxTime = m.clock.Span(n) }

// Clock returns the clock of the cores.
func (m *Machine) Clock() sim.Clock { return m.clock }

// Config returns the description that the machine was built from.
func (m *Machine) Config() *Config { return &m.config }

// Check returns why the machine cannot run p.
func (m *Machine) Check(p *isa.Program) error {
	if pc, used := p.UsesFullEmpty(); used && !m.config.Core.LoadStore.FullEmpty {
		return &Refusal{p, pc, "needs full/empty bits, which this machine lacks (core.load_store.full_empty)"}
	}
	return nil
}

// Refusal says which instruction of a program a machine cannot execute.
type Refusal struct {
	Program *isa.Program
	PC      int32
	Why     string
}

func (r *Refusal) Error() string {
	return fmt.Sprintf("%s: %s: %s", r.Program.Source(r.PC), r.Program.Disassemble(r.PC), r.Why)
}

// Run runs the program on n threads, which are one block, from time at, and
// returns when the last has ended and its stores are in its cache. There are at
// most Config.Threads; they have the same places whatever n.
func (m *Machine) Run(p *isa.Program, n int, at sim.Time, args []isa.Value) (end sim.Time, err error) {
	if err := m.Check(p); err != nil {
		return at, err
	}
	if err := p.CheckArgs(args); err != nil {
		return at, err
	}
	k := m.kernels[p]
	if k == nil {
		k = decode(p, &m.config.Core, m.code)
		k.number = int32(len(m.order))
		m.code += k.text
		m.kernels[p] = k
		m.order = append(m.order, k)
	}
	at = m.clock.Edge(at)
	m.engine.AdvanceTo(at)
	start := int64(m.clock.Cycle(at))
	threads := isa.NewLaunch(p, m.space, 1, n, n, args)
	l := &launch{Launch: threads, kernel: k, scalar: isa.NewScalar(threads), start: start, end: start, live: n}
	m.running = l
	m.stats.Launches++
	m.Progress.Threads.Store(int64(n))
	m.Progress.ThreadsDone.Store(0)
	m.Progress.Launches.Add(1)
	m.watch = at
	m.begin(l)
	if err := m.engine.Run(); err != nil {
		return m.engine.Now(), err
	}
	if l.live > 0 {
		return m.engine.Now(), m.deadlock()
	}
	m.account(l)
	end = m.clock.Span(sim.Cycles(l.end))
	m.publish(end)
	return end, nil
}

// begin puts the threads of a launch on their cores.
func (m *Machine) begin(l *launch) {
	used := make([]int, len(m.cores))
	for i, core := range m.place[:l.live] {
		c := m.cores[core]
		if used[core] == len(m.spare[core]) {
			m.spare[core] = append(m.spare[core], newThread(c, &m.config.Core))
		}
		t := m.spare[core][used[core]]
		used[core]++
		t.start(l, i, l.start)
		if m.probe != nil {
			t.showStart(int32(used[core]-1), l.start)
		}
		l.threads = append(l.threads, t)
		c.threads = append(c.threads, t)
	}
	for i, c := range m.cores {
		if used[i] > 0 {
			c.sharing, c.taken, c.leaves = used[i], used[i] > 1, never
			c.ended = c.ended[:0]
			c.share()
			m.engine.At(&c.event, m.clock.Span(sim.Cycles(l.start)))
		}
	}
}

// share splits the core's buffers among the threads that run, and those that
// have ended but are not retired.
func (c *core) share() {
	for _, t := range c.threads {
		t.share(&c.machine.config.Core, c.sharing)
	}
}

// release gives what threads held that have ended by cycle at to the others.
func (c *core) release(at int64) {
	c.leaves = never
	c.sharing = len(c.threads)
	for _, t := range c.ended {
		if t.ended > at {
			c.sharing++
			c.leaves = min(c.leaves, t.ended)
		}
	}
	c.share()
}

// finish ends t.
func (t *thread) finish() {
	c := t.core
	m := c.machine
	l := m.running
	end := max(t.retired, t.drained(), t.cycle+1, l.start)
	t.cycles[Base]++
	if c.probe != nil {
		t.showBase()
	}
	if from := t.cycle + 1; end > from {
		retired := min(max(t.retired, from), end)
		t.lose(retired-from, t.retiredWhy)
		t.lose(end-retired, because(t.retiredWhy.pc(), Stores))
	}
	t.wake = never
	t.over, t.ended = true, end
	l.end = max(l.end, end)
	m.stats.Instructions += t.executed()
	c.executed += t.executed()
	m.stats.Fused += uint64(t.fused)
	for i, o := range c.threads {
		if o == t {
			c.threads = append(c.threads[:i], c.threads[i+1:]...)
			break
		}
	}
	c.ended = append(c.ended, t)
	c.leaves = min(c.leaves, end)
	for _, o := range c.threads { // those that a full buffer keeps look again then
		if !o.pending && o.wake != never {
			o.wake = min(o.wake, max(end, c.at))
		}
	}
	l.live--
	m.release()
}

// account adds up the cycles of a launch that has ended.
func (m *Machine) account(l *launch) {
	for _, t := range l.threads {
		t.cycles[Imbalance] += l.end - t.ended
		if m.probe != nil {
			t.showEnd(l.end)
		}
		for i, n := range t.cycles {
			m.stats.Cycles[i] += n
		}
	}
	l.accounted = true
	m.stats.Elapsed += l.end - l.start
	m.stats.ThreadCycles += (l.end - l.start) * int64(len(l.threads))
}

// array returns the counts of the array with the given ID.
func (m *Machine) array(id int) *ArrayStats {
	for id >= len(m.arrays) {
		m.arrays = append(m.arrays, ArrayStats{})
	}
	return &m.arrays[id]
}

func bytesOf(n int32) sim.Bytes { return sim.Bytes(n) }

// fault ends the run with the illegal access of the instruction at pc.
func (m *Machine) fault(t *thread, pc int32) {
	m.failed = true
	p := m.running.Program
	f := t.scalar.Fault()
	at := fmt.Sprintf("thread %d: %s: %s", t.number, p.Source(pc), p.Disassemble(pc))
	if f.Size == 0 || f.Reason == isa.NoSharedMemory {
		m.engine.Stop(fmt.Errorf("%s: %s", at, f.Reason))
		return
	}
	m.engine.Stop(fmt.Errorf("%s: %s", at, m.space.Explain(f)))
}

// Stop ends the run soon with err; it may be called from any goroutine.
func (m *Machine) Stop(err error) { m.engine.Stop(err) }

// Parts iterates over the cores: their names, and pointers to their state for
// a monitor to show.
func (m *Machine) Parts() iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		for i, c := range m.cores {
			if !yield(fmt.Sprintf("core[%d]", i), c) {
				return
			}
		}
	}
}
