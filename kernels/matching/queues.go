package matching

import (
	"heddle/arch/isa"
	"heddle/kernels"
	"heddle/kernels/graph"
)

// queueKernel is Algorithm 3 for one way to keep the graph and to look for
// candidates in it.
type queueKernel struct {
	// find is phase 1, lines 5 to 14. Its parameters are the arrays placed,
	// candidate, mate, and the number of vertices.
	find *kernels.ParallelProgram
	// extend is an iteration of phase 2. Its parameters are the arrays placed,
	// and those of csr.extend.
	extend *kernels.ParallelProgram
	// place puts what depends on the way into the machine's memory.
	place func(setup *kernels.Arrays, g *graph.Graph) []isa.Array
}

// matchProgram is phase 1, lines 15 to 18: each end of a locally dominant edge
// sets its own mate and enqueues itself.
var matchProgram = kernels.NewParallelProgram("matching/ld.match", func(b *isa.Builder) {
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
})

// extend writes an iteration of phase 2, lines 22 to 25, with Algorithm 2
// for ProcessVertex: the thread of each vertex u matched in the last iteration
// gives every unmatched neighbor whose candidate was u a new one, and matches
// the edge if it is locally dominant. Seek returns an unmatched neighbor of s
// such that all that s prefers are matched, -1 if all are matched.
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
func (g csr) extend(b *isa.Builder, seek func(s isa.Reg, mate isa.ArrayParam) isa.Reg) {
	candidate := b.Array("candidate", isa.I32)
	mate := b.Array("mate", isa.I32)
	current := b.Array("current", isa.I32)
	next := b.Array("next", isa.I32)
	tail := b.Array("tail", isa.I32)
	size := b.Int("size")

	process := func(s isa.Reg) {
		var t isa.Reg
		b.Region("find a candidate", func() {
			t = seek(s, mate)
			b.Store(candidate, s, t)
			b.Fence()
		})
		b.Region("match", func() {
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
		})
	}
	b.ParallelFor(size, func(k isa.Reg) {
		g.bereft(b, candidate, mate, b.Load(current, k), process)
	})
}

// simulate is the host program: everything stays in the machine's memory, and
// each iteration brings back the size of the queue.
func (q queueKernel) simulate(m kernels.Machine, g *graph.Graph, o kernels.Options) (kernels.Answer, error) {
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
	placed := q.place(setup, g)
	candidate := setup.Alloc("candidate", isa.I32, v)
	mate := setup.Alloc("mate", isa.I32, v)
	current := setup.Alloc("queue", isa.I32, v)
	next := setup.Alloc("queue", isa.I32, v)
	tail := setup.Alloc("tail", isa.I32, 1)
	loops := kernels.NewLoops(setup, o)
	if err := setup.Err(); err != nil {
		return nil, err
	}

	m.Start()
	if err := m.Write(tail, 0, 0); err != nil {
		return nil, err
	}
	if err := loops.Launch(q.find, v, placed, candidate, mate, v); err != nil {
		return nil, err
	}
	if err := loops.Launch(matchProgram, v, candidate, mate, current, tail, v); err != nil {
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
		err = loops.Launch(q.extend, int(size), placed, candidate, mate, current, next, tail, size)
		if err != nil {
			return nil, err
		}
		current, next = next, current
	}
	m.Finish()
	return newAnswer(g, m.View(mate).([]int32), queue), nil
}
