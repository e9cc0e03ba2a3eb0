// Package experiments runs kernels on machines and tells what came of it: to
// people, to programs, and on the command line.
package experiments

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"heddle/arch/isa"
	"heddle/kernels"
	"heddle/kernels/graph"
	"heddle/models"
	"heddle/sim"
)

// Run says what to simulate. The same Run has the same Result, but for the
// figures of the host.
type Run struct {
	Kernel  string
	Machine string // in the library, or a file
	Graph   string // a generator with its size, or a file
	Seed    uint64 // of generators whose name has none, of weights, and of the kernel
	Source  int    // start vertex of a traversal; -1: one of largest degree
	// Iterations of a kernel that has a choice of their number; 0: its default.
	Iterations int      `json:",omitempty"`
	Schedule   string   // of parallel loops, as isa.ParseSchedule reads it; "": the machine's
	Set        []string // overrides of the machine's description, path=value
	Sample     bool     `json:",omitempty"` // simulate a part in detail and estimate the rest
	Memcheck   bool     // reading memory that was never written ends the run
	MaxCycles  sim.Cycles
}

// Hooks let a caller watch a run. Any of them may be nil.
type Hooks struct {
	// Built is called with the machine before the graph is opened; its error
	// ends the run.
	Built func(m *models.Machine) error
	// Opening tells how far reading or generating the graph has come, from any
	// goroutine.
	Opening func(done, total int64)
	// Running is called before the kernel is simulated.
	Running func(m *models.Machine, g *graph.Graph)
	// Checking is called before the answer is checked.
	Checking func()
	// Log is told of what a user should know but need not act on.
	Log func(line string)
}

// ErrInterrupted is why a run ended whose context did.
var ErrInterrupted = errors.New("interrupted")

// Execute runs r: it opens the graph, builds the machine, simulates the kernel
// and checks its answer. An *InputError says that nothing was run. After any
// other error the result holds what is known: of a run that did not end, or
// whose answer is wrong.
func (r Run) Execute(ctx context.Context, h Hooks) (*Result, error) {
	k, err := kernel(r.Kernel)
	if err != nil {
		return nil, err
	}
	return r.execute(ctx, k, h)
}

func (r Run) execute(ctx context.Context, k kernels.Kernel, h Hooks) (result *Result, err error) {
	began := time.Now()
	defer func() {
		if result != nil {
			result.Host.PeakRSS = peakRSS()
		}
	}()
	if err := r.checkOptions(k); err != nil {
		return nil, err
	}
	if r.Schedule != "" {
		if _, err := isa.ParseSchedule(r.Schedule); err != nil {
			return nil, &InputError{err}
		}
	}
	m, err := r.build(k)
	if err != nil {
		return nil, &InputError{err}
	}
	if h.Built != nil {
		if err := h.Built(m); err != nil {
			return nil, err
		}
	}
	result = &Result{Kernel: k.Name, Machine: m.Description.Name(), Graph: Graph{Name: r.Graph}, Seed: r.Seed, Schedule: r.scheduleOn(m), Config: m.Description}
	result.Simulated.Contexts = m.Contexts()
	g, random, err := r.open(ctx, k, h)
	switch {
	case errors.Is(err, ErrInterrupted):
		result.add(m.Report(), m.Launches)
		result.end(err)
		return result, err
	case err != nil:
		return nil, &InputError{err}
	}
	result.Graph = describe(g, random)
	result.Host.SetupSeconds = time.Since(began).Seconds()

	if h.Running != nil {
		h.Running(m, g)
	}
	runtime.LockOSThread() // whose time is read
	began = time.Now()
	used := threadTime()
	answer, err := r.simulate(ctx, k, m, g)
	wall := time.Since(began).Seconds()
	result.Host.ProcessorSeconds = (threadTime() - used).Seconds()
	runtime.UnlockOSThread()
	if err != nil && !m.Started() && !errors.Is(err, ErrInterrupted) {
		return nil, &InputError{err}
	}
	result.add(m.Report(), m.Launches)
	result.Host.speed(wall, m)
	if err == nil {
		if h.Checking != nil {
			h.Checking()
		}
		began = time.Now()
		result.Answer.Figures = answer.Figures()
		if err = answer.Check(g); err != nil {
			err = fmt.Errorf("wrong answer: %w", err)
			result.Error = err.Error()
		}
		result.Answer.Verified = err == nil
		result.Host.CheckSeconds = time.Since(began).Seconds()
	} else {
		result.end(err)
	}
	return result, err
}

// scheduleOn returns the schedule that parallel loops follow on m.
func (r Run) scheduleOn(m *models.Machine) string {
	return cmp.Or(r.Schedule, m.DefaultSchedule(), isa.Schedule{}.String())
}

// build returns the machine if it can run the kernel.
func (r Run) build(k kernels.Kernel) (*models.Machine, error) {
	d, err := describeMachine(r.Machine, r.Set)
	if err != nil {
		return nil, err
	}
	m, err := models.Build(d, models.Options{Sample: r.Sample, Memcheck: r.Memcheck, MaxCycles: r.MaxCycles})
	if err != nil {
		return nil, err
	}
	for _, p := range k.Programs() {
		if err := m.Check(p); err != nil {
			return nil, fmt.Errorf("%s does not run on %s: %w", k.Name, d.Name(), err)
		}
	}
	return m, nil
}

// describeMachine returns the description of a machine with overrides applied.
func describeMachine(name string, set []string) (*models.Description, error) {
	d, err := models.Open(models.Library, name)
	if err != nil {
		return nil, err
	}
	return d, d.Override(set...)
}

// open returns the graph, with weights if the kernel needs them, and whether
// they are random.
func (r Run) open(ctx context.Context, k kernels.Kernel, h Hooks) (g *graph.Graph, random bool, err error) {
	type opened struct {
		*graph.Graph
		random bool
	}
	o, err := await(ctx, func() (opened, error) {
		g, err := graph.Open(r.Graph, graph.Options{Seed: r.Seed, Progress: h.Opening, Log: h.Log})
		if err != nil {
			return opened{}, err
		}
		if g.Edges() > 1<<20 {
			// What generating or parsing a large graph needed goes back to the
			// system before more is taken.
			debug.FreeOSMemory()
		}
		if !k.Weighted {
			return opened{g, false}, nil
		}
		random := g.EnsureWeights(r.Seed)
		return opened{g, random}, g.CheckPositiveWeights()
	})
	return o.Graph, o.random, err
}

// await returns what get returns or, if ctx ends first, ErrInterrupted; get
// then goes on alone.
func await[T any](ctx context.Context, get func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := get()
		done <- outcome{value, err}
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		var none T
		return none, ErrInterrupted
	}
}

// kernelOptions returns what r asks of its kernel.
func (r Run) kernelOptions() kernels.Options {
	return kernels.Options{Seed: r.Seed, Source: r.Source, Iterations: r.Iterations, Schedule: r.Schedule}
}

// simulate runs the kernel until it ends or ctx does.
func (r Run) simulate(ctx context.Context, k kernels.Kernel, m *models.Machine, g *graph.Graph) (kernels.Answer, error) {
	forget := context.AfterFunc(ctx, func() { m.Stop(ErrInterrupted) })
	defer forget()
	return k.Simulate(device{m}, g, r.kernelOptions())
}

// device is a machine whose refusals of memory name it.
type device struct{ *models.Machine }

func (d device) Alloc(name string, elem isa.Type, n int) (isa.Array, error) {
	a, err := d.Machine.Alloc(name, elem, n)
	return a, d.refused(err)
}

func (d device) Adopt(name string, data any) (isa.Array, error) {
	a, err := d.Machine.Adopt(name, data)
	return a, d.refused(err)
}

func (d device) refused(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("machine %s, memory.capacity: %w", d.Description.Name(), err)
}
