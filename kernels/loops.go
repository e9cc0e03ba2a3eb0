package kernels

import (
	"sync"

	"heddle/arch/isa"
)

// ParallelProgram is a program around one parallel loop, written once and built
// for each schedule that a run asks for.
type ParallelProgram struct {
	name  string
	write func(b *isa.Builder)

	mu    sync.Mutex
	built map[isa.Schedule]*isa.Program
}

// NewParallelProgram returns the program called name whose parameters and body
// write writes.
func NewParallelProgram(name string, write func(b *isa.Builder)) *ParallelProgram {
	return &ParallelProgram{name: name, write: write, built: map[isa.Schedule]*isa.Program{}}
}

// Build returns the program whose parallel loop follows s. The parameter that
// isa.Builder.Schedule declares comes first.
func (p *ParallelProgram) Build(s isa.Schedule) *isa.Program {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.built[s] == nil {
		b := isa.NewBuilder(p.name)
		b.Schedule(s)
		p.write(b)
		p.built[s] = b.MustBuild()
	}
	return p.built[s]
}

// Programs returns the programs under the cyclic schedule, as a kernel lists
// them.
func Programs(list ...*ParallelProgram) []*isa.Program {
	var built []*isa.Program
	for _, p := range list {
		built = append(built, p.Build(isa.Schedule{}))
	}
	return built
}

// Loops launches parallel programs under the schedule of a run.
type Loops struct {
	machine  Machine
	schedule isa.Schedule
	counter  isa.Array // of the iterations handed out
}

// NewLoops prepares for the schedule that o asks for, or else the one that the
// machine's programmers use, by its method DefaultSchedule() string, or else
// the cyclic one. It places the shared counter of schedules that have one. An
// error is left with setup.
func NewLoops(setup *Arrays, o Options) *Loops {
	l := &Loops{machine: setup.machine}
	name := o.Schedule
	if m, ok := setup.machine.(interface{ DefaultSchedule() string }); ok && name == "" {
		name = m.DefaultSchedule()
	}
	if name == "" || setup.err != nil {
		return l
	}
	if l.schedule, setup.err = isa.ParseSchedule(name); l.schedule.Counted() {
		l.counter = setup.Alloc("schedule", isa.I64, 1)
	}
	return l
}

// Launch runs p over items, with the arguments that isa.Args makes of args. The
// host zeroes the shared counter first, where there is one.
func (l *Loops) Launch(p *ParallelProgram, items int, args ...any) error {
	values := isa.Args(args...)
	if l.schedule.Counted() {
		if err := l.machine.Write(l.counter, 0, 0); err != nil {
			return err
		}
		values = append([]isa.Value{l.counter.Value()}, values...)
	}
	return l.machine.Launch(p.Build(l.schedule), items, values...)
}
