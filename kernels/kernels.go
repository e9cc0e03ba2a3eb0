// Package kernels says what a kernel is and what it sees of the machine it
// runs on. Each folder below holds one family of algorithms.
package kernels

import (
	"context"

	"heddle/arch/isa"
	"heddle/kernels/graph"
	"heddle/kernels/team"
)

// Machine is what a kernel's driver sees of a machine: what a CUDA or OpenMP
// host program does, with the host's own time counted where the machine has
// one. Errors are final: the run has ended.
type Machine interface {
	// Alloc returns an array of n elements in the machine's memory. Its
	// contents are undefined until written.
	Alloc(name string, elem isa.Type, n int) (isa.Array, error)
	// Adopt places data, a []uint8, []int32, []int64, []float32 or []float64,
	// in the machine's memory. Programs may not write it, and the caller may
	// not change it.
	Adopt(name string, data any) (isa.Array, error)
	// Start ends the set-up: what follows is timed.
	Start()
	// Launch runs a program with one thread for each of items work items on a
	// machine that is launched so, or on all hardware threads; the program's
	// loops fit either. It returns when every thread has finished.
	Launch(p *isa.Program, items int, args ...isa.Value) error
	// Read returns element i of a, an integer array, as the host sees it after
	// copying it from the machine.
	Read(a isa.Array, i int) (int64, error)
	// Write sets element i of a, an integer array, from the host.
	Write(a isa.Array, i int, v int64) error
	// Note records a figure of the current step, such as the size of a queue.
	Note(name string, v int64)
	// Finish ends the timed part.
	Finish()
	// View returns the live contents of a as a typed slice.
	View(a isa.Array) any
}

// Options are what a run may ask of a kernel.
type Options struct {
	Seed    uint64
	Source  int // start vertex, for traversals; -1 picks one by the kernel's rule
	Threads int // of RunNative; 0 means all processors
	// Iterations of kernels that have a choice of their number; 0 is the default.
	Iterations int
	// Schedule of the parallel loops of a simulated run, as isa.ParseSchedule
	// reads it; "" is the machine's own.
	Schedule string
}

// Figure is one of the kernel's own results, such as the weight of a matching.
type Figure struct {
	Name  string // as in the result's JSON, e.g. "cardinality"
	Unit  string // "" for a plain number
	Value any    // int64, float64 or []int64
}

// Answer is what a kernel computed. Check holds it against an independent
// serial computation and names the first vertex that is wrong, and why.
type Answer interface {
	Check(g *graph.Graph) error
	Figures() []Figure
}

// Kernel is one algorithm.
type Kernel struct {
	Name     string // family/algorithm[-variant]
	Doc      string // one sentence
	Source   string // paper and algorithm number
	Weighted bool   // needs positive edge weights
	// Iterations is the default of their number, if there is a choice of it.
	Iterations int
	// Simulate runs the kernel's program on a machine.
	Simulate func(m Machine, g *graph.Graph, o Options) (Answer, error)
	// Native prepares a run with goroutines on t.
	Native func(t *team.Team, g *graph.Graph, o Options) (NativeRun, error)
	// Programs are what Simulate launches, for listings.
	Programs func() []*isa.Program
}

// NativeRun is a kernel prepared to run natively: its arrays are allocated, and
// rows sorted where the algorithm presupposes that.
type NativeRun interface {
	// Run does what a simulated run does between Start and Finish, and may be
	// repeated. It stops early, with the context's error, when that of its
	// team ends; it is not run again then.
	Run() error
	// Answer returns what the last Run computed.
	Answer() Answer
}

// RunNative runs the kernel natively, once.
func (k Kernel) RunNative(ctx context.Context, g *graph.Graph, o Options) (Answer, error) {
	t := team.New(ctx, o.Threads)
	defer t.Close()
	r, err := k.Native(t, g, o)
	if err != nil {
		return nil, err
	}
	if err := r.Run(); err != nil {
		return nil, err
	}
	return r.Answer(), nil
}
