package simt

import (
	"fmt"
	"iter"
	"sync/atomic"

	"heddle/arch/isa"
	"heddle/arch/mem"
	"heddle/sim"
)

// GPU is a graphics processor as a device of a host.
type GPU struct {
	config Config
	engine *sim.Engine
	clock  sim.Clock
	space  *mem.Space
	sms    []*sm
	memory *memorySystem
	probe  sim.Probe // nil without

	replayer replayer

	// Intervals of the configuration in time.
	period              sim.Time
	ticks               sim.Ticks
	issueInterval       sim.Time
	generate            sim.Time // addresses of a warp
	pipeline            sim.Time // from issue to the L1
	lookup              sim.Time // in the L1
	transactionInterval sim.Time
	sharedLatency       sim.Time
	sharedInterval      sim.Time
	lookahead           sim.Time
	retry               sim.Time

	coalesceLoads   coalescer
	coalesceStores  coalescer
	coalesceAtomics coalescer
	wholeSegments   bool // a store's transaction is written whole
	scratch         transactions

	kernels    map[*isa.Program]*kernel
	order      []*kernel // as first launched
	running    *launch
	dispatched uint64 // warps
	waiting    map[uint64][]*warp
	stats      Stats
	arrays     []ArrayStats
	hot        mem.HotWords

	limit      sim.Cycles // 0: none
	maxTime    sim.Time
	watch      sim.Time // when to look at progress next
	onSample   func(now sim.Time)
	progress   uint64 // what had been written when last looked at
	progressAt sim.Time
	patience   sim.Cycles // without progress
	sampler    *sampler   // nil: launches are simulated whole
	Progress   Progress
}

// Progress is how far the GPU is; it may be read while it runs.
type Progress struct {
	Instructions atomic.Uint64 // warp instructions so far
	Now          atomic.Int64  // simulated time
	Blocks       atomic.Int64  // of the running launch
	BlocksDone   atomic.Int64
	Launches     atomic.Int64 // begun
}

// launch is a grid being run.
type launch struct {
	*isa.Launch
	kernel *kernel
	need   need
	blocks int // of the grid
	next   int // block to be given out
	done   int
	free   sim.Time // when the next block can be given out
	end    sim.Time
}

// New returns a GPU on engine whose device memory is space.
func New(c Config, engine *sim.Engine, space *mem.Space) (*GPU, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	clock := sim.NewClock(c.Clock)
	ls := &c.LoadStore
	g := &GPU{
		config: c, engine: engine, clock: clock, space: space,
		period:              clock.Period,
		ticks:               sim.NewTicks(clock),
		issueInterval:       clock.Span(c.Scheduler.Interval),
		generate:            clock.Span(sim.Cycles((c.WarpWidth + ls.Lanes - 1) / ls.Lanes)),
		pipeline:            clock.Span(ls.Latency),
		lookup:              clock.Span(c.L1.HitLatency),
		transactionInterval: clock.Span(ls.TransactionInterval),
		sharedLatency:       clock.Span(ls.SharedLatency),
		sharedInterval:      clock.Span(ls.SharedInterval),
		lookahead:           clock.Span(lookahead),
		retry:               clock.Span(ls.FullEmptyRetry),
		kernels:             map[*isa.Program]*kernel{},
		waiting:             map[uint64][]*warp{},
		maxTime:             sim.Never,
		patience:            hangCycles,
	}
	g.setCoalescing()
	m, err := newMemorySystem(&c)
	if err != nil {
		return nil, err
	}
	g.memory = m
	for i := range c.SMs {
		s, err := newSM(g, i, m)
		if err != nil {
			return nil, err
		}
		g.sms = append(g.sms, s)
	}
	if ls.FullEmpty {
		space.EnableFullEmpty()
	}
	return g, nil
}

func (g *GPU) setCoalescing() {
	sector := shiftOf(g.config.L2.Slice.Sector)
	line := shiftOf(g.config.L2.Slice.Line)
	g.coalesceLoads, g.coalesceStores, g.coalesceAtomics = chunks(sector), chunks(sector), chunks(line)
	switch {
	case g.config.LoadStore.Coalescing == "segments":
		g.coalesceLoads, g.coalesceStores = segments, segments
		g.wholeSegments = true
	case g.config.LoadStore.Coalescing == "lines" && g.config.L1.Enabled:
		g.coalesceLoads = chunks(shiftOf(g.config.L1.Line))
	}
}

func shiftOf(n sim.Bytes) (shift uint) {
	for 1<<shift < n {
		shift++
	}
	return shift
}

// LimitCycles ends a run that reaches n cycles of the SMs' clock, counted from
// the first launch.
func (g *GPU) LimitCycles(n sim.Cycles) { g.limit = n }

// Clock returns the clock of the SMs.
func (g *GPU) Clock() sim.Clock { return g.clock }

// Config returns the description that the GPU was built from.
func (g *GPU) Config() *Config { return &g.config }

// Check returns why the GPU cannot run p in blocks of the given size.
func (g *GPU) Check(p *isa.Program, block int) error {
	o := &g.config.Occupancy
	if pc, used := p.UsesFullEmpty(); used && !g.config.LoadStore.FullEmpty {
		return &Refusal{p, pc, "needs full/empty bits, which this machine lacks (load_store.full_empty)"}
	}
	if _, used := p.UsesFullEmpty(); used && g.sampler != nil {
		return fmt.Errorf("program %s has full/empty operations, which cannot be sampled", p.Name)
	}
	if n := p.Registers(); n > o.RegistersPerThread {
		return fmt.Errorf("program %s needs %d registers a thread, of which there are %d (occupancy.registers_per_thread)",
			p.Name, n, o.RegistersPerThread)
	}
	if block > o.BlockThreads {
		return fmt.Errorf("blocks of %d threads: at most %d (occupancy.block_threads)", block, o.BlockThreads)
	}
	if n, by := g.config.Limits(p, block); n == 0 {
		return fmt.Errorf("program %s: a block of %d threads does not fit on an SM (occupancy.%s)", p.Name, block, by)
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

// Run runs the program on a grid of the given threads, rounded up to whole
// blocks, from time at, and returns when the last warp has ended and the last
// write has been done.
func (g *GPU) Run(p *isa.Program, threads, block int, at sim.Time, args []isa.Value) (end sim.Time, err error) {
	if block == 0 {
		block = g.config.Launch.BlockSize
	}
	if err := g.Check(p, block); err != nil {
		return at, err
	}
	if err := p.CheckArgs(args); err != nil {
		return at, err
	}
	k := g.kernels[p]
	if k == nil {
		k = decode(p, &g.config)
		k.number = int32(len(g.order))
		g.kernels[p] = k
		g.order = append(g.order, k)
	}
	grid := (threads + block - 1) / block
	at = g.clock.Edge(at)
	g.engine.AdvanceTo(at)
	if g.limit > 0 && g.maxTime == sim.Never {
		g.maxTime = at + g.clock.Span(g.limit)
	}
	g.running = &launch{
		Launch: isa.NewLaunch(p, g.space, g.config.WarpWidth, grid*block, block, args),
		kernel: k, need: g.config.needs(p, block), blocks: grid, free: at, end: at,
	}
	for _, s := range g.sms {
		if s.l1 != nil { // not coherent: emptied between grids
			s.l1.Invalidate()
		}
	}
	g.stats.Launches++
	g.Progress.Blocks.Store(int64(grid))
	g.Progress.BlocksDone.Store(0)
	g.Progress.Launches.Add(1)
	g.watch = at
	if g.sampler != nil {
		g.sampler.begin(k, at)
	}
	for more := true; more; { // one block to each SM in turn
		more = false
		for _, s := range g.sms {
			more = g.give(s, at) || more
		}
	}
	err = g.engine.Run()
	if err == nil && g.running.done < g.running.blocks {
		err = g.deadlock()
	}
	if err != nil {
		g.close(at)
		return g.engine.Now(), err
	}
	end = g.running.end
	for _, s := range g.sms {
		end = max(end, s.lsu.free)
	}
	end = g.clock.Edge(max(end, g.memory.last))
	g.stats.Elapsed += end - at
	if g.sampler != nil {
		// What is executed without timing leaves events behind, some of them later.
		end = max(g.clock.Edge(end+g.sampler.end()), g.engine.Now())
	}
	g.publish(end)
	return end, nil
}

// close accounts for the warps that a run ended early leaves resident, up to
// their latest instruction.
func (g *GPU) close(start sim.Time) {
	now := g.engine.Now()
	g.stats.Elapsed += now - start
	for _, s := range g.sms {
		if s.blocks > 0 {
			s.active += max(0, now-s.since)
		}
	}
	for w := range g.resident {
		g.stats.Resident += w.since - w.started
		w.started = w.since
	}
	g.publish(now)
}

// dispatch gives the SM blocks as long as they fit.
func (g *GPU) dispatch(s *sm, at sim.Time) {
	for g.give(s, at) {
	}
}

// give gives the SM the next block, if there is one and it fits.
func (g *GPU) give(s *sm, at sim.Time) bool {
	l := g.running
	if l.next == l.blocks || !s.fits(l.need) {
		return false
	}
	at = max(at, l.free)
	l.free = at + g.clock.Span(g.config.Launch.BlockInterval)
	l.next++
	s.start(l, (l.next-1)*l.Block, at)
	return true
}

// edge returns the SM clock's first edge at or after t.
func (g *GPU) edge(t sim.Time) sim.Time { return g.ticks.Edge(t) }

func (g *GPU) fault(w *warp, pc int32) {
	p := g.running.Program
	f := w.Fault
	at := fmt.Sprintf("thread %d: %s: %s", w.Thread(f.Lane), p.Source(pc), p.Disassemble(pc))
	if f.Reason == isa.DivideByZero || f.Reason == isa.StackOverflow {
		g.engine.Stop(fmt.Errorf("%s: %s", at, f.Reason))
		return
	}
	g.engine.Stop(fmt.Errorf("%s: %s", at, g.space.Explain(f)))
}

// Stop ends the run soon with err; it may be called from any goroutine.
func (g *GPU) Stop(err error) { g.engine.Stop(err) }

// Parts iterates over the GPU's components: their names, and pointers to their
// state for a monitor to show.
func (g *GPU) Parts() iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		for i, s := range g.sms {
			if !yield(fmt.Sprintf("SM[%d]", i), s) {
				return
			}
		}
		for i := range g.memory.slices {
			if !yield(fmt.Sprintf("L2[%d]", i), &g.memory.slices[i]) {
				return
			}
		}
		for i, d := range g.memory.channels {
			if !yield(fmt.Sprintf("DRAM[%d]", i), d) {
				return
			}
		}
	}
}
