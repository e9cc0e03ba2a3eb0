// Package matching computes half-approximate weighted matchings: sets of edges
// without a common end, of at least half the greatest possible weight.
//
// matching/ld finds the matching of locally dominant edges by Algorithms 1 to
// 3 of Halappanavar, Feo, Villa, Tumeo and Pothen, "Approximate weighted
// matching on emerging manycore and multithreaded architectures", IJHPCA
// 26(4), 2012. An edge is locally dominant when it is heavier than every edge
// that shares an end with it and could still be matched. The result is the
// greedy matching: take the heaviest edge whose ends are both free, repeat.
//
// # Ties
//
// Edges are ordered by (weight, larger end, smaller end). No two edges compare
// equal, so there is one greedy matching, and no cycle of vertices that wait
// for each other. Among the edges of one vertex u the order is simply (weight,
// other end): of {u,a} and {u,b} with a < b, {u,b} has the larger end if b > u;
// if not, u is the larger end of both, and b the larger of the smaller ends. A
// scan of a row, whose neighbors ascend, therefore keeps the last of the
// heaviest: it takes an edge if its weight is at least the best so far.
//
// # Encodings
//
// Vertices are int32. mate[u] is u's partner, candidate[u] the neighbor that u
// would match with; -1 is none. Each of the two queues has V places: a vertex
// is enqueued once in all, when it is matched.
//
// # Work
//
// N vertices have neighbors, Q are matched in phase 1 and M in all; D is the
// sum of the matched vertices' degrees; P times a vertex looks for a new
// candidate, and scans S neighbors in all. V, E, N, Q, M and D belong to the
// graph; P and S depend on timing.
//
//	xadj       loads 2V + 2M + 2P
//	adjncy     loads 2E + D + S
//	weight     loads 2E + at most S
//	candidate  loads V + M + D + P    stores V + P
//	mate       loads M + S            stores V + Q + (M-Q)/2  atomics (M-Q)/2 to M-Q
//	queue      loads M                stores M
//	tail                                                      atomics Q + (M-Q)/2
//
// P is at most 2E, so that the whole is O(V + E * maximum degree).
package matching

import (
	"math"
	"sync"

	"heddle/arch/isa"
	"heddle/kernels"
	"heddle/kernels/graph"
)

const none = -1

// Kernels lists the family's kernels.
func Kernels() []kernels.Kernel {
	return []kernels.Kernel{{
		Name:     "matching/ld",
		Doc:      "Greedy half-approximate weighted matching by locally dominant edges, with two queues.",
		Source:   "Halappanavar et al., IJHPCA 26(4), 2012, Algorithms 1-3",
		Weighted: true,
		Simulate: simulateLD,
		Native:   nativeLD,
		Programs: func() []*isa.Program {
			return []*isa.Program{findProgram(), matchProgram(), extendProgram()}
		},
	}}
}

// csr are the parameters that hold the graph.
type csr struct{ xadj, adjncy, weight isa.ArrayParam }

func csrParams(b *isa.Builder) csr {
	return csr{b.Array("xadj", isa.I64), b.Array("adjncy", isa.I32), b.Array("weight", isa.F64)}
}

// heaviest returns the neighbor of u behind its heaviest edge, or -1. Unless
// mate is nil, only unmatched neighbors count.
func (g csr) heaviest(b *isa.Builder, u isa.Reg, mate *isa.ArrayParam) isa.Reg {
	maxWeight := b.Var(math.Inf(-1))
	maxNeighbor := b.Var(none)
	b.For(b.Load(g.xadj, u), b.Load(g.xadj, b.Add(u, 1)), 1, func(e isa.Reg) {
		v := b.Load(g.adjncy, e)
		consider := func() {
			w := b.Load(g.weight, e)
			b.If(b.Ge(w, maxWeight), func() {
				b.Set(maxWeight, w)
				b.Set(maxNeighbor, v)
			})
		}
		if mate == nil {
			consider()
		} else {
			b.If(b.Eq(b.Load(*mate, v), none), consider)
		}
	})
	return maxNeighbor
}

// findProgram is phase 1, lines 5 to 14 of Algorithm 3: a thread a vertex
// finds its candidate. Every vertex is unmatched, so mate is not read.
var findProgram = sync.OnceValue(func() *isa.Program {
	b := isa.NewBuilder("matching/ld.find")
	g := csrParams(b)
	candidate := b.Array("candidate", isa.I32)
	mate := b.Array("mate", isa.I32)
	vertices := b.Int("vertices")
	b.ParallelFor(vertices, func(u isa.Reg) {
		b.Store(mate, u, none)
		b.Store(candidate, u, g.heaviest(b, u, nil))
	})
	return b.MustBuild()
})

// matchProgram is phase 1, lines 15 to 18: each end of a locally dominant edge
// sets its own mate and enqueues itself.
var matchProgram = sync.OnceValue(func() *isa.Program {
	b := isa.NewBuilder("matching/ld.match")
	candidate := b.Array("candidate", isa.I32)
	mate := b.Array("mate", isa.I32)
	queue := b.Array("queue", isa.I32)
	tail := b.Array("tail", isa.I32)
	vertices := b.Int("vertices")
	b.ParallelFor(vertices, func(u isa.Reg) {
		v := b.Load(candidate, u)
		b.If(b.Ne(v, none), func() {
			b.If(b.Eq(b.Load(candidate, v), u), func() {
				b.Store(mate, u, v)
				b.Store(queue, b.FetchAdd(tail, 0, 1), u)
			})
		})
	})
	return b.MustBuild()
})

// extendProgram is an iteration of phase 2, lines 22 to 25, with Algorithm 2
// for ProcessVertex: the thread of each vertex u matched in the last iteration
// gives every unmatched neighbor whose candidate was u a new one, and matches
// the edge if it is locally dominant.
//
// Threads race, yet the matching is the greedy one whatever the interleaving:
//
//   - A vertex s is processed by one thread an iteration. candidate[s] is
//     changed only by the thread of the vertex it names, and to a vertex that
//     was unmatched when this iteration began, which has no thread in it. A
//     matched vertex is never processed: its candidate is its mate, and the
//     mate's thread passes over it.
//   - So candidates that name each other stay so, and neither end can be
//     matched elsewhere. Both ends' threads may see the edge; the one whose
//     compare-and-swap on the smaller end's mate succeeds matches and enqueues
//     both ends, once.
//   - No dominant edge is missed. Each thread writes its vertex's candidate and
//     then, after a fence, reads the other's: of two that write at the same
//     time at least one reads what the other wrote. Hardware whose first-level
//     caches are not coherent must read past them here.
//   - A scan may see a neighbor as unmatched that is matched meanwhile. That
//     neighbor is then in the next queue, and its thread finds who named it.
//   - A neighbor seen as matched stays matched, by an edge that it preferred to
//     the one scanned, as the scanning vertex was free. Every edge matched is
//     thus the heaviest of those at its ends that greedy leaves, and at the end
//     the heaviest edge between unmatched vertices would have been matched, so
//     there is none.
var extendProgram = sync.OnceValue(func() *isa.Program {
	b := isa.NewBuilder("matching/ld.extend")
	g := csrParams(b)
	candidate := b.Array("candidate", isa.I32)
	mate := b.Array("mate", isa.I32)
	current := b.Array("current", isa.I32)
	next := b.Array("next", isa.I32)
	tail := b.Array("tail", isa.I32)
	size := b.Int("size")

	process := func(s isa.Reg) {
		t := g.heaviest(b, s, &mate)
		b.Store(candidate, s, t)
		b.Fence()
		b.If(b.Ne(t, none), func() {
			b.If(b.Eq(b.Load(candidate, t), s), func() {
				lower, upper := b.Min(s, t), b.Max(s, t)
				b.If(b.Eq(b.CompareSwap(mate, lower, none, upper), none), func() {
					b.Store(mate, upper, lower)
					at := b.FetchAdd(tail, 0, 2)
					b.Store(next, at, s)
					b.Store(next, b.Add(at, 1), t)
				})
			})
		})
	}

	b.ParallelFor(size, func(k isa.Reg) {
		u := b.Load(current, k)
		mateOfU := b.Load(mate, u)
		b.For(b.Load(g.xadj, u), b.Load(g.xadj, b.Add(u, 1)), 1, func(e isa.Reg) {
			v := b.Load(g.adjncy, e)
			named := b.Eq(b.Load(candidate, v), u)
			b.If(b.And(named, b.Ne(v, mateOfU)), func() { process(v) })
		})
	})
	return b.MustBuild()
})

// simulateLD is the host program: everything stays in the machine's memory,
// and each iteration brings back the size of the queue.
func simulateLD(m kernels.Machine, g *graph.Graph, _ kernels.Options) (kernels.Answer, error) {
	if err := g.CheckPositiveWeights(); err != nil {
		return nil, err
	}
	v := g.Vertices()
	if v == 0 {
		m.Start()
		m.Finish()
		return newAnswer(g, nil, nil), nil
	}
	setup := kernels.NewArrays(m)
	xadj := setup.Adopt("xadj", g.XAdj)
	adjncy := setup.Adopt("adjncy", g.Adj)
	weight := setup.Adopt("weight", g.Weight)
	candidate := setup.Alloc("candidate", isa.I32, v)
	mate := setup.Alloc("mate", isa.I32, v)
	current := setup.Alloc("queue", isa.I32, v)
	next := setup.Alloc("queue", isa.I32, v)
	tail := setup.Alloc("tail", isa.I32, 1)
	if err := setup.Err(); err != nil {
		return nil, err
	}

	m.Start()
	if err := m.Write(tail, 0, 0); err != nil {
		return nil, err
	}
	err := m.Launch(findProgram(), v, kernels.Array(xadj), kernels.Array(adjncy), kernels.Array(weight),
		kernels.Array(candidate), kernels.Array(mate), kernels.Int(v))
	if err != nil {
		return nil, err
	}
	err = m.Launch(matchProgram(), v, kernels.Array(candidate), kernels.Array(mate), kernels.Array(current),
		kernels.Array(tail), kernels.Int(v))
	if err != nil {
		return nil, err
	}
	var queue []int64
	for {
		size, err := m.Read(tail, 0)
		if err != nil {
			return nil, err
		}
		m.Note("queue", size)
		if size == 0 {
			break
		}
		queue = append(queue, size)
		if err := m.Write(tail, 0, 0); err != nil {
			return nil, err
		}
		err = m.Launch(extendProgram(), int(size), kernels.Array(xadj), kernels.Array(adjncy), kernels.Array(weight),
			kernels.Array(candidate), kernels.Array(mate), kernels.Array(current), kernels.Array(next),
			kernels.Array(tail), kernels.Int(int(size)))
		if err != nil {
			return nil, err
		}
		current, next = next, current
	}
	m.Finish()
	return newAnswer(g, m.View(mate).([]int32), queue), nil
}
