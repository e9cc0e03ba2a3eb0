package matching

import (
	"sync"

	"heddle/arch/isa"
	"heddle/kernels"
	"heddle/kernels/graph"
)

// ld is Algorithm 3. Each of its two queues has V places: a vertex is enqueued
// once in all, when it is matched.
//
// Q vertices are matched in phase 1; P times a vertex looks for a new candidate
// in phase 2, and scans S neighbors in all. P and S depend on timing.
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
var ld = kernels.Kernel{
	Name:     "matching/ld",
	Doc:      "Greedy half-approximate weighted matching by locally dominant edges, with two queues.",
	Source:   paper + ", Algorithms 1-3",
	Weighted: true,
	Simulate: simulateLD,
	Native:   nativeLD,
	Programs: func() []*isa.Program {
		return []*isa.Program{findProgram(), matchProgram(), extendProgram()}
	},
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
		g.bereft(b, candidate, mate, b.Load(current, k), process)
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
