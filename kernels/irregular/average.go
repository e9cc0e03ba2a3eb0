// Package irregular computes on the neighborhoods of graphs: floating-point
// arithmetic on data that is reached through an index, with little control.
//
// irregular/average is Algorithm 5 of Saule and Çatalyürek, "An early evaluation
// of the scalability of graph algorithms on the Intel MIC architecture", IPDPSW
// 2012, for all vertices: each replaces its state by the average of its own and
// its neighbors', a number of times over, while those of its neighbors stand.
// The iterations set how much is computed on what has been fetched once. It has
// the data dependences of a sparse matrix-vector product.
//
// Algorithm 5 writes to state[v] what it computes, so that a neighbor that comes
// later reads the new state, and with threads no answer is right or wrong. Here
// the averages of old states go to a second array, as in that product, and every
// schedule gives the same answer to the last bit.
//
// # Encodings
//
// States are doubles. The first are drawn evenly from [0, 1), by the run's seed.
// The average of a vertex adds its own state first and then its neighbors' in
// the order of its row.
//
// # Work
//
// V and E are the graph's vertices and edges, I the iterations. Nothing depends
// on timing. There are 2EI additions and VI divisions of doubles.
//
//	xadj    loads 2V
//	adjncy  loads 2EI
//	state   loads V + 2EI
//	next                    stores V
package irregular

import (
	"fmt"
	"math/rand/v2"

	"heddle/arch/isa"
	"heddle/kernels"
	"heddle/kernels/graph"
)

// iterations is how often vertices average if a run does not say.
const iterations = 10

// Kernels lists the family's kernels.
func Kernels() []kernels.Kernel {
	return []kernels.Kernel{{
		Name:       "irregular/average",
		Doc:        "Averages of the neighbors' states, a number of times over.",
		Source:     "Saule and Çatalyürek, IPDPSW 2012, Algorithm 5",
		Iterations: iterations,
		Simulate:   simulateAverage,
		Native:     nativeAverage,
		Programs:   func() []*isa.Program { return kernels.Programs(averageProgram) },
	}}
}

// averageProgram is Algorithm 5, a thread a vertex.
var averageProgram = kernels.NewParallelProgram("irregular/average", func(b *isa.Builder) {
	xadj := b.Array("xadj", isa.I64)
	adjncy := b.Array("adjncy", isa.I32)
	state := b.Array("state", isa.F64)
	next := b.Array("next", isa.F64)
	vertices := b.Int("vertices")
	iterations := b.Int("iterations")
	b.ParallelFor(vertices, func(v isa.Reg) {
		first, end := b.Load(xadj, v), b.Load(xadj, b.Add(v, 1))
		terms := b.I64ToF64(b.Add(b.Sub(end, first), 1))
		mean := b.Var(b.Load(state, v))
		b.For(0, iterations, 1, func(isa.Reg) {
			sum := b.Var(mean)
			b.For(first, end, 1, func(e isa.Reg) {
				b.SetAdd(sum, sum, b.Load(state, b.Load(adjncy, e)))
			})
			b.Set(mean, b.Div(sum, terms))
		})
		b.Store(next, v, mean)
	})
})

// start returns the first states of n vertices.
func start(n int, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 0x617665726167))
	state := make([]float64, n)
	for v := range state {
		state[v] = rng.Float64()
	}
	return state
}

// asked returns how often vertices average.
func asked(o kernels.Options) (int, error) {
	switch {
	case o.Iterations < 0:
		return 0, fmt.Errorf("%d iterations: at least 1 is wanted", o.Iterations)
	case o.Iterations == 0:
		return iterations, nil
	}
	return o.Iterations, nil
}

func simulateAverage(m kernels.Machine, g *graph.Graph, o kernels.Options) (kernels.Answer, error) {
	times, err := asked(o)
	if err != nil {
		return nil, err
	}
	v := g.Vertices()
	first := start(v, o.Seed)
	setup := kernels.NewArrays(m)
	xadj := setup.Adopt("xadj", g.XAdj)
	adjncy := setup.Adopt("adjncy", g.Adj)
	state := setup.Adopt("state", first)
	next := setup.Alloc("next", isa.F64, v)
	loops := kernels.NewLoops(setup, o)
	if err := setup.Err(); err != nil {
		return nil, err
	}

	m.Start()
	if v > 0 {
		if err := loops.Launch(averageProgram, v, xadj, adjncy, state, next, v, times); err != nil {
			return nil, err
		}
	}
	m.Finish()
	return newAnswer(first, m.View(next).([]float64), times), nil
}
