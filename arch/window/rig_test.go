package window

import (
	"testing"

	"heddle/arch/isa"
	"heddle/arch/mem"
	"heddle/sim"
)

const (
	hit  = 4   // latency of the test memory's first-level cache
	miss = 100 // of everything behind it
)

// flat is a memory in which a line that was accessed once stays in the core's
// cache, and all others are equally far.
type flat struct {
	engine *sim.Engine
	ports  []*flatPort
	past   int // accesses made for a time before the engine's
}

type flatPort struct {
	flat  *flat
	lands map[uint64]sim.Time // of the lines that are in the cache
	from  mem.Source
	begun []sim.Time // every access
}

func (f *flat) Port(core int) Port {
	for core >= len(f.ports) {
		f.ports = append(f.ports, &flatPort{flat: f, lands: map[uint64]sim.Time{}})
	}
	return f.ports[core]
}

func (f *flat) Advance(sim.Time) {}

func (p *flatPort) InL1(addr uint64) bool {
	_, held := p.lands[addr>>6]
	return held
}

func (p *flatPort) From() mem.Source { return p.from }

func (p *flatPort) Access(at sim.Time, a mem.Access) sim.Time {
	p.begun = append(p.begun, at)
	if at < p.flat.engine.Now() {
		p.flat.past++
	}
	lands, held := p.lands[a.Addr>>6]
	switch {
	case !held:
		p.from = mem.FromMemory
		p.lands[a.Addr>>6] = at + miss*sim.Nanosecond
		return at + miss*sim.Nanosecond
	case lands > at+hit*sim.Nanosecond:
		p.from = mem.FromFill
		return lands
	}
	p.from = mem.FromL1
	return at + hit*sim.Nanosecond
}

// round describes one core of round numbers at 1 GHz, so that a cycle is a
// nanosecond, in which no limit but that of the test is met.
func round() Config {
	all := []int{0, 1, 2, 3, 4, 5, 6, 7}
	unit := func(latency sim.Cycles) UnitConfig { return UnitConfig{latency, 1, all} }
	return Config{
		Clock: 1e9, Threads: 1, Placement: "compact", Skew: 100,
		Core: CoreConfig{
			SMT: 1, Dispatch: 4, Retire: 4, ROB: 1024, Stations: 512,
			Branch: BranchConfig{Mispredict: 20, Taken: 0, Predictor: PredictorConfig{Bimodal: 4096, GlobalWays: 1, LoopCount: 1, ReturnStack: 16}},
			Units: UnitsConfig{
				Int: unit(1), Compare: unit(1), Shift: unit(2), Mul: unit(3), Divide: UnitConfig{20, 20, []int{0}},
				F32: unit(3), F64: unit(5), Special: unit(30), Convert: unit(6), Control: unit(1), Warp: unit(1), Sync: unit(8),
			},
			LoadStore: LoadStoreConfig{
				LoadPorts: all, StorePorts: all, DataPorts: all, LoadBuffer: 256, StoreBuffer: 256, StoreAddresses: "predicted",
				Forward: 5, Lock: 16, LineFillBuffers: 64, Scratch: 4, FullEmptyRetry: 50, Barrier: 30,
			},
			TLB: TLBConfig{Page: 4096, Ways: 4, SecondWays: 4},
		},
	}
}

func with(change func(*Config)) Config {
	c := round()
	change(&c)
	return c
}

// rig is a machine with its memory.
type rig struct {
	t       testing.TB
	engine  *sim.Engine
	space   *mem.Space
	machine *Machine
	memory  *flat
	at      sim.Time // end of the latest run
}

func newRig(t testing.TB, c Config) *rig {
	t.Helper()
	cores := (c.Threads + c.Core.SMT - 1) / c.Core.SMT
	r := &rig{t: t, engine: sim.NewEngine(), space: mem.NewSpace(1 << 30)}
	r.memory = &flat{engine: r.engine}
	m, err := New(c, Topology{Sockets: 1, Dies: 1, Cores: cores}, r.engine, r.space, r.memory, 64)
	if err != nil {
		t.Fatal(err)
	}
	r.machine = m
	return r
}

func (r *rig) alloc(name string, elem isa.Type, n int) isa.Array {
	r.t.Helper()
	a, err := r.space.Alloc(name, elem, n)
	if err != nil {
		r.t.Fatal(err)
	}
	return a
}

// warm puts every line of an array in the caches of all cores.
func (r *rig) warm(a isa.Array) isa.Array {
	for _, p := range r.memory.ports {
		for addr := a.Base; addr < a.Base+uint64(a.Len*a.Elem.Size()); addr += 64 {
			p.lands[addr>>6] = 0
		}
	}
	return a
}

func (r *rig) ints(a isa.Array) []int64 { return r.space.View(a).([]int64) }

// try runs p and returns the cycles that it took.
func (r *rig) try(p *isa.Program, args ...any) (sim.Cycles, error) {
	r.t.Helper()
	end, err := r.machine.Run(p, r.machine.config.Threads, r.at, isa.Args(args...))
	if err != nil {
		return 0, err
	}
	took := sim.Cycles((end - r.at) / sim.Nanosecond)
	r.at = end
	r.balanced()
	return took, nil
}

// run is try of a program that must end well.
func (r *rig) run(p *isa.Program, args ...any) sim.Cycles {
	r.t.Helper()
	n, err := r.try(p, args...)
	if err != nil {
		r.t.Fatal(err)
	}
	return n
}

// balanced checks that the causes of all cycles add up to the threads' time,
// in all and, but for Base and Imbalance, over the lines.
func (r *rig) balanced() {
	r.t.Helper()
	s := r.machine.Stats()
	sum := int64(0)
	for c, n := range s.Cycles {
		if n < 0 {
			r.t.Errorf("%d cycles for %s", n, Cause(c))
		}
		sum += n
	}
	if sum != s.ThreadCycles {
		r.t.Errorf("causes of %d cycles, of %d: %v", sum, s.ThreadCycles, s.Cycles)
	}
	var lines [NumCauses]int64
	for _, k := range r.machine.Kernels() {
		for _, l := range k.Lines {
			for c, n := range l.Cycles {
				lines[c] += n
			}
		}
	}
	lines[Base], lines[Imbalance] = s.Cycles[Base], s.Cycles[Imbalance]
	if lines != s.Cycles {
		r.t.Errorf("lines add up to %v, not %v", lines, s.Cycles)
	}
}

// cycles runs a program without arguments on a fresh machine.
func cycles(t testing.TB, c Config, p *isa.Program) sim.Cycles {
	t.Helper()
	return newRig(t, c).run(p)
}

func wantCycles(t testing.TB, what string, got, want sim.Cycles) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %d cycles, want %d", what, got, want)
	}
}
