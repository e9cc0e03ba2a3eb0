package models

import (
	"fmt"

	"heddle/arch/isa"
	"heddle/arch/mem"
	"heddle/arch/window"
	"heddle/sim"
)

// WindowDescription is a machine of kind window: a multicore of out-of-order
// cores with coherent caches, which is its own host.
type WindowDescription struct {
	Kind  string `yaml:"kind" oneof:"window" doc:"the kind of core"`
	Title string `yaml:"title" doc:"one line for people"`
	window.Config
	Schedule string              `yaml:"schedule" doc:"schedule of parallel loops where a run asks for none: cyclic, static, dynamic, guided or block-dynamic, with ,CHUNK after all but the first"`
	Memory   mem.MulticoreConfig `yaml:"memory" doc:"caches, coherence, memory of all dies"`
	Capacity sim.Bytes           `yaml:"capacity" range:"1 MiB..1024 TiB" doc:"bytes of memory of the whole machine"`
	Team     TeamConfig          `yaml:"team" doc:"what a parallel region costs"`
	Theory   *WindowTheoryConfig `yaml:"theory" doc:"published figures of the whole machine, which the rest must imply"`
}

// TeamConfig describes what starting and joining the threads of a parallel
// region costs, beyond what they do. A team of one costs nothing.
type TeamConfig struct {
	Fork      sim.Time `yaml:"fork" range:"0 ns..1 ms" doc:"to start a region, whatever the threads"`
	PerThread sim.Time `yaml:"per_thread" range:"0 ns..1 ms" doc:"to start and join each thread beyond the first"`
	Alone     int      `yaml:"alone" range:"0..1048576" optional:"true" doc:"a loop of so many iterations at most starts no region: one thread does it all; 0: none"`
}

// Check wants the sections to fit together.
func (w *WindowDescription) Check(fault func(key, format string, args ...any)) {
	relate(fault, "", w.Config.Validate())
	checkSchedule(fault, w.Schedule)
	if w.Clock == 0 {
		return // reported as missing
	}
	m := &w.Memory
	relate(fault, "memory", m.Validate(sim.NewClock(w.Clock)))
	if m.Sockets > 0 && m.Dies > 0 && m.Cores > 0 {
		if n := w.topology().Total(); w.Threads > n {
			fault("threads", "%d are more than the %d hardware threads (memory.sockets x dies x cores x core.smt)", w.Threads, n)
		}
	}
	d := &m.DRAM
	if d.Clock != 0 && !(slowest <= d.Clock && d.Clock <= fastest) {
		fault("memory.dram.clock", "%s is out of range %s..%s", Format(d.Clock), Format(slowest), Format(fastest))
	}
	most := func(key string, n, limit int64, what string) {
		if n > limit {
			fault(key, "%d %s in all: at most %d can be simulated", n, what, limit)
		}
	}
	dies := int64(m.Sockets) * int64(m.Dies)
	line := max(m.Line, 1)
	most("memory.l1.size", int64(m.L1.Size/line)*dies*int64(m.Cores), mostLines, "lines of L1")
	most("memory.l2.size", int64(m.L2.Size/line)*dies*int64(m.Cores), mostLines, "lines of L2")
	most("memory.l3.size", int64(m.L3.Size/line)*dies, mostLines, "lines of L3")
	most("memory.dram.bank_groups", dies*int64(d.Channels)*int64(d.Ranks)*int64(d.Groups), mostGroups, "bank groups")
	most("memory.dram.banks", dies*int64(d.Channels)*int64(d.Ranks)*int64(d.Banks), mostBanks, "banks")
}

func (w *WindowDescription) topology() window.Topology {
	return window.Topology{Sockets: w.Memory.Sockets, Dies: w.Memory.Dies, Cores: w.Memory.Cores, SMT: w.Core.SMT}
}

// windowDevice runs programs on the cores of a multicore.
type windowDevice struct {
	*window.Machine
	space  *mem.Space
	memory *mem.Multicore
	desc   WindowDescription
}

// coherent gives cores their ports.
type coherent struct{ *mem.Multicore }

func (c coherent) Port(core int) window.Port { return c.Multicore.Port(core) }

func buildWindow(m *Machine, d *Description, o Options) error {
	w := &windowDevice{}
	if err := d.Decode(&w.desc); err != nil {
		return err
	}
	c := &w.desc
	c.Core.LoadStore.Lock = c.Memory.Costs.AtomicHold
	m.Space = mem.NewSpace(c.Capacity)
	m.clock = sim.NewClock(c.Clock)
	var err error
	if w.memory, err = mem.NewMulticore(c.Memory, m.clock); err != nil {
		return fmt.Errorf("machine %s: memory.%w", d.Name(), err)
	}
	w.Machine, err = window.New(c.Config, c.topology(), m.Engine, m.Space, coherent{w.memory}, c.Memory.Line)
	if err != nil {
		return fmt.Errorf("machine %s: %w", d.Name(), err)
	}
	if o.MaxCycles > 0 {
		w.LimitCycles(o.MaxCycles)
	}
	w.space = m.Space
	m.device = w
	m.schedule = c.Schedule
	return nil
}

func (d *windowDevice) check(p *isa.Program) error { return d.Check(p) }

func (d *windowDevice) run(p *isa.Program, items int, at sim.Time, args []isa.Value) (sim.Time, error) {
	threads := d.desc.Threads
	if items <= d.desc.Team.Alone {
		threads = 1
	}
	return d.Run(p, threads, at+d.desc.Team.of(threads), args)
}

// fork returns what starting and joining the team costs.
func (d *windowDevice) fork() sim.Time { return d.desc.Team.of(d.desc.Threads) }

// of returns what starting and joining a team of so many threads costs.
func (t *TeamConfig) of(threads int) sim.Time {
	if threads == 1 {
		return 0
	}
	return t.Fork + sim.Time(threads-1)*t.PerThread
}

func (d *windowDevice) counts() Counts {
	n := d.Instructions()
	return Counts{n, n}
}

func (d *windowDevice) stop(err error) { d.Stop(err) }

func (d *windowDevice) progress() Progress {
	p := &d.Progress
	return Progress{p.Instructions.Load(), sim.Time(p.Now.Load()), p.Launches.Load(), p.ThreadsDone.Load(), p.Threads.Load()}
}

func (d *windowDevice) parts() []Part {
	var parts []Part
	for name, state := range d.Parts() {
		parts = append(parts, Part{name, state})
	}
	return parts
}
