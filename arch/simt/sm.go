package simt

import (
	"fmt"

	"heddle/arch/isa"
	"heddle/arch/mem"
	"heddle/sim"
)

// sm is a streaming multiprocessor.
type sm struct {
	gpu        *GPU
	id         int
	schedulers []scheduler
	units      [isa.NumUnits]sim.Time // when each class can next take an instruction, before its clock edge
	lsu        lsu
	l1         *mem.Cache       // nil where global memory is not cached
	missed     int64            // misses of the L1
	table      *mem.Outstanding // requests past the L1
	first      mem.Level        // what reads and writes go to: l1 or table
	port       smPort

	idle       []*warp // not resident
	idleBlocks []*block
	blocks     int
	warps      int
	threads    int
	registers  int
	shared     sim.Bytes
	since      sim.Time // resident warps since, if there are any
	active     sim.Time // time with a warp resident
	issued     uint64   // warp instructions
}

// block is a resident thread block.
type block struct {
	sm      *sm
	memory  *isa.BlockMemory
	program *isa.Program
	warps   []*warp
	live    int      // warps that have not ended
	arrived int      // at the barrier
	ready   sim.Time // when those that have arrived or ended have done so
}

func newSM(g *GPU, id int, m *memorySystem) (*sm, error) {
	c := &g.config
	s := &sm{gpu: g, id: id, schedulers: make([]scheduler, c.Scheduler.Count), port: smPort{m, id}}
	s.table = mem.NewOutstanding(c.LoadStore.Outstanding, &s.port)
	s.first = s.table
	if c.L1.Enabled {
		l1, err := mem.NewCache(fmt.Sprintf("l1.%d", id), c.L1, g.clock, &s.port)
		if err != nil {
			return nil, err
		}
		l1.CountMisses(&s.missed)
		s.l1, s.first = l1, l1
	}
	for i := range s.units {
		s.units[i] = -g.period
	}
	for i := range s.schedulers {
		sc := &s.schedulers[i]
		sc.sm = s
		sc.last = maxSlots - 1
		sc.greedy = c.Scheduler.Policy == "gto"
		sc.event.Init(sc)
		for j := range sc.wake {
			sc.wake[j] = sim.Never
		}
	}
	s.lsu.sm = s
	s.lsu.queue = make([]memop, c.LoadStore.Queue)
	s.lsu.event.Init(&s.lsu)
	for i := range c.Occupancy.Warps {
		s.idle = append(s.idle, &warp{number: id*c.Occupancy.Warps + i})
	}
	return s, nil
}

// need is what a block takes of an SM.
type need struct {
	warps, threads, registers int
	shared                    sim.Bytes
}

// needs returns what a block of the launch takes.
func (c *Config) needs(p *isa.Program, block int) need {
	o := &c.Occupancy
	up := func(n, unit int) int { return (n + unit - 1) / unit * unit }
	warps := (block + c.WarpWidth - 1) / c.WarpWidth
	var regs int
	if o.RegisterPer == "warp" {
		regs = up(p.Registers()*c.WarpWidth, o.RegisterUnit) * warps
	} else {
		regs = up(p.Registers()*c.WarpWidth*warps, o.RegisterUnit)
	}
	return need{warps, block, regs, sim.Bytes(up(p.Shared, int(o.SharedUnit)))}
}

// Limits returns the blocks of the given size that fit on an SM, and what
// limits them.
func (c *Config) Limits(p *isa.Program, block int) (blocks int, by string) {
	o := &c.Occupancy
	n := c.needs(p, block)
	blocks, by = o.Blocks, "blocks"
	limit := func(have, each int, name string) {
		if each > 0 && have/each < blocks {
			blocks, by = have/each, name
		}
	}
	limit(o.Warps, n.warps, "warps")
	limit(o.Threads, n.threads, "threads")
	limit(o.Registers, n.registers, "registers")
	limit(int(o.Shared), int(n.shared), "shared")
	return blocks, by
}

// fits reports whether the SM has room for a block.
func (s *sm) fits(n need) bool {
	o := &s.gpu.config.Occupancy
	return s.blocks < o.Blocks && s.warps+n.warps <= o.Warps && s.threads+n.threads <= o.Threads &&
		s.registers+n.registers <= o.Registers && s.shared+n.shared <= o.Shared
}

// take adds n to what is in use; times is 1 or -1.
func (s *sm) take(n need, times int) {
	s.blocks += times
	s.warps += times * n.warps
	s.threads += times * n.threads
	s.registers += times * n.registers
	s.shared += sim.Bytes(times) * n.shared
}

// start makes threads first, first+1, ... a resident block from time at.
func (s *sm) start(l *launch, first int, at sim.Time) {
	g := s.gpu
	if s.blocks == 0 {
		s.since = at
	}
	s.take(l.need, 1)
	g.stats.Blocks++
	b := s.freshBlock(l.Program)
	b.live, b.arrived, b.ready = 0, 0, 0
	b.warps = b.warps[:0]
	for t := 0; t < l.Block; t += l.Width {
		w := s.idle[len(s.idle)-1]
		s.idle = s.idle[:len(s.idle)-1]
		w.block = b
		g.dispatched++
		w.age = g.dispatched
		w.Start(l.Launch, first+t, min(l.Width, l.Block-t), b.memory)
		clear(w.board)
		w.since, w.started, w.pending = at, at, 0
		b.warps = append(b.warps, w)
		b.live++
		g.stats.Warps++
		if g.probe != nil {
			g.probe.Started(g.context(w.number), first+t, at)
		}
		s.admit(w)
	}
	for _, w := range b.warps {
		if w.Begin() == isa.Done {
			s.finish(w, at)
			continue
		}
		w.settle(at, w.PC)
		w.scheduler.rouse(w, w.scheduler.wake[w.slot])
	}
}

func (s *sm) freshBlock(p *isa.Program) *block {
	if n := len(s.idleBlocks); n > 0 {
		b := s.idleBlocks[n-1]
		s.idleBlocks = s.idleBlocks[:n-1]
		if b.program == p {
			b.memory.Reset()
			return b
		}
	}
	return &block{sm: s, memory: isa.NewBlockMemory(p), program: p}
}

// admit gives w a slot of the scheduler with the fewest warps.
func (s *sm) admit(w *warp) {
	sc := &s.schedulers[0]
	for i := range s.schedulers {
		if s.schedulers[i].resident < sc.resident {
			sc = &s.schedulers[i]
		}
	}
	for i := range sc.warps {
		if sc.warps[i] == nil {
			sc.warps[i], w.scheduler, w.slot = w, sc, i
			sc.resident++
			return
		}
	}
}

// arrive notes that w is at the barrier, and lets the block go on when all its
// warps are.
func (b *block) arrive(w *warp, then sim.Time) {
	s := w.scheduler
	s.set(w.slot, sim.Never)
	w.reason = Synchronization
	if g := b.sm.gpu; g.probe != nil {
		g.probe.Arrived(g.context(w.number), then)
	}
	b.arrived++
	b.release(then)
}

func (b *block) release(then sim.Time) {
	b.ready = max(b.ready, then)
	if b.arrived == 0 || b.arrived < b.live {
		return
	}
	b.arrived, then = 0, b.ready
	for _, w := range b.warps {
		s := w.scheduler
		if s == nil || w.reason != Synchronization || s.wake[w.slot] != sim.Never {
			continue
		}
		w.account(then, Synchronization)
		w.settle(then, w.blame)
		s.rouse(w, s.wake[w.slot])
	}
}

// finish ends a warp at time then, and its block if it was the last.
func (s *sm) finish(w *warp, then sim.Time) {
	g := s.gpu
	sc := w.scheduler
	b := w.block
	w.account(then, InstructionFetch)
	g.stats.Resident += then - w.started
	if g.probe != nil {
		g.probe.Ended(g.context(w.number), then)
	}
	sc.warps[w.slot] = nil
	sc.resident--
	sc.set(w.slot, sim.Never)
	w.scheduler = nil
	w.age = 0
	s.idle = append(s.idle, w)
	b.live--
	if b.live > 0 {
		b.release(then)
		return
	}
	s.idleBlocks = append(s.idleBlocks, b)
	s.take(g.running.need, -1)
	if s.blocks == 0 {
		s.active += then - s.since
	}
	g.running.done++
	g.running.end = max(g.running.end, then)
	g.dispatch(s, then)
}
