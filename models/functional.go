package models

import (
	"fmt"
	"sync/atomic"

	"heddle/arch/isa"
	"heddle/arch/mem"
	"heddle/arch/simt"
	"heddle/sim"
)

// FunctionalDescription is a machine of kind functional: programs without
// timing.
type FunctionalDescription struct {
	Kind      string `yaml:"kind" oneof:"functional" doc:"the kind of core"`
	Title     string `yaml:"title" doc:"one line for people"`
	WarpWidth int    `yaml:"warp_width" range:"1..64" doc:"lanes in a warp"`
	BlockSize int    `yaml:"block_size" range:"1..65536" doc:"threads of a block"`
	FullEmpty bool   `yaml:"full_empty" doc:"memory has full/empty bits"`
	Memory    struct {
		Capacity sim.Bytes `yaml:"capacity" range:"1 MiB..1024 TiB" doc:"bytes of memory"`
	} `yaml:"memory" doc:"memory"`
}

// FunctionalMetrics are what the functional machine reports.
var FunctionalMetrics = sim.Declaration{
	{Name: "inst_executed", Unit: "warp instructions", Meaning: "Instructions executed, once a warp."},
	{Name: "thread_inst_executed", Unit: "thread instructions", Meaning: "Instructions executed, once an active lane."},
	{Name: "warp_execution_efficiency", Unit: "%", Kind: sim.Ratio, Meaning: "Active lanes over lanes of the warps executed."},
}

type functionalDevice struct {
	desc     FunctionalDescription
	space    *mem.Space
	limit    uint64
	total    Counts
	programs []*profiled // programs, as first launched
	halt     atomic.Pointer[error]

	done     atomic.Uint64 // instructions, as progress shows them
	launches atomic.Int64
}

func buildFunctional(m *Machine, d *Description, o Options) error {
	f := &functionalDevice{limit: uint64(o.MaxCycles)}
	if err := d.Decode(&f.desc); err != nil {
		return err
	}
	m.Space = mem.NewSpace(f.desc.Memory.Capacity)
	if f.desc.FullEmpty {
		m.Space.EnableFullEmpty()
	}
	f.space = m.Space
	m.device = f
	return nil
}

func (f *functionalDevice) check(p *isa.Program) error {
	if pc, used := p.UsesFullEmpty(); used && !f.desc.FullEmpty {
		return &simt.Refusal{Program: p, PC: pc, Why: "needs full/empty bits, which this machine lacks (full_empty)"}
	}
	return nil
}

func (f *functionalDevice) stop(err error) { f.halt.Store(&err) }

func (f *functionalDevice) counts() Counts { return f.total }

func (f *functionalDevice) progress() Progress {
	return Progress{Instructions: f.done.Load(), Launches: f.launches.Load()}
}

func (f *functionalDevice) parts() []Part { return nil }

func (f *functionalDevice) run(p *isa.Program, items int, at sim.Time, args []isa.Value) (sim.Time, error) {
	if err := f.check(p); err != nil {
		return at, err
	}
	if err := p.CheckArgs(args); err != nil {
		return at, err
	}
	if err := f.halt.Load(); err != nil {
		return at, *err
	}
	block := f.desc.BlockSize
	grid := (items + block - 1) / block
	f.launches.Add(1)
	l := isa.NewLaunch(p, f.space, f.desc.WarpWidth, grid*block, block, args)
	limit := uint64(0)
	if f.limit > 0 {
		if limit = f.limit - f.total.Instructions; limit == 0 {
			return at, fmt.Errorf("the run has executed %d instructions, the most it may: %s not begun", f.limit, p.Name)
		}
	}
	work, err := isa.RunProfiled(l, limit, f.publish, f.profile(p))
	f.total.Instructions += work.Instructions
	f.total.ThreadInstructions += work.LaneInstructions
	f.done.Store(f.total.Instructions)
	return at, err
}

// profiled is a program that has run.
type profiled struct {
	program *isa.Program
	*isa.Profile
}

// profile returns what is counted for p.
func (f *functionalDevice) profile(p *isa.Program) *isa.Profile {
	for _, k := range f.programs {
		if k.program == p {
			return k.Profile
		}
	}
	k := &profiled{p, isa.NewProfile(p, f.space.ArrayID)}
	f.programs = append(f.programs, k)
	return k.Profile
}

// publish tells the progress of the launch that runs, and whether it is to
// end.
func (f *functionalDevice) publish(w isa.Work) error {
	f.done.Store(f.total.Instructions + w.Instructions)
	if err := f.halt.Load(); err != nil {
		return *err
	}
	return nil
}

func (f *functionalDevice) report(r *Report, _ sim.Time) {
	r.Metrics = sim.NewValues(FunctionalMetrics)
	n, t := float64(f.total.Instructions), float64(f.total.ThreadInstructions)
	r.Metrics.Set("inst_executed", n)
	r.Metrics.Set("thread_inst_executed", t)
	r.Metrics.Set("warp_execution_efficiency", 100*t/(n*float64(f.desc.WarpWidth)))
	for _, k := range f.programs {
		r.Lines = append(r.Lines, functionalLines(k)...)
	}
	for id, info := range f.space.Arrays() {
		a := Array{Name: info.Name, Elem: info.Elem, Len: info.Len}
		for _, k := range f.programs {
			if id < len(k.Arrays) {
				x := k.Arrays[id]
				a.Loads += x.Loads
				a.Stores += x.Stores
				a.Atomics += x.Atomics
				a.Requests += x.Requests
				a.Requested += sim.Bytes(x.Bytes)
			}
		}
		r.Arrays = append(r.Arrays, a)
	}
}

// functionalLines adds up the instructions of each source line of a program.
// Without timing there are no shares of time.
func functionalLines(k *profiled) []Line {
	var lines []Line
	at := map[int32]int{} // index in lines of each of the program's lines
	for pc := range k.Insts {
		s := &k.Insts[pc]
		if s.Issues == 0 {
			continue
		}
		source := k.program.Code[pc].Line
		i, ok := at[source]
		if !ok {
			i = len(lines)
			at[source] = i
			lines = append(lines, Line{Program: k.program.Name, Source: k.program.Lines[source]})
		}
		l := &lines[i]
		l.Text = append(l.Text, k.program.Disassemble(int32(pc)))
		l.Issues += s.Issues
		l.Lanes += s.Lanes
		l.Divergent += s.Divergent
	}
	return lines
}

func (f *functionalDevice) legend() legend { return legend{} }

func (f *functionalDevice) sample(func(sim.Time)) {}

func (f *functionalDevice) count(c *counters, _ sim.Time) { *c = counters{Counts: f.total} }
