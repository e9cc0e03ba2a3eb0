package matching

import (
	"context"

	"heddle/arch/isa"
	"heddle/kernels"
	"heddle/kernels/graph"
	"heddle/kernels/team"
)

// ldSorted is Algorithm 3 on rows sorted by decreasing edge, as in section V of
// the paper on the Cray XMT. A vertex keeps the place in its row of its
// candidate. Those before are matched and stay so, so that a search goes on
// where the last one ended, and weights are not looked at.
//
// The driver sorts the rows before the timed part begins: the paper leaves the
// sort out of its times too, and says that it takes far longer than the
// matching; sorting/rows is such a sort. A native run reports how long it took, as sort_seconds.
//
// Q vertices are matched in phase 1; P times a vertex looks for a new candidate
// in phase 2, and scans S neighbors in all: those between the first of its row
// and its mate, which counts, or all but the first if it stays unmatched. Only
// P depends on timing.
//
//	xadj       loads 2V + 2M + P
//	adjncy     loads N + D + S
//	position   loads P                stores V + P
//	candidate  loads V + M + D + P    stores V + P
//	mate       loads M + S            stores V + Q + (M-Q)/2  atomics (M-Q)/2 to M-Q
//	queue      loads M                stores M
//	tail                                                      atomics Q + (M-Q)/2
//
// S is at most 2E - N and P at most S + N, so that the whole is O(V + E).
var ldSorted = kernels.Kernel{
	Name:     "matching/ld-sorted",
	Doc:      "matching/ld on rows that the host has sorted by decreasing weight.",
	Source:   paper + ", Algorithm 3 and section V",
	Weighted: true,
	Simulate: sortedQueues.simulate,
	Native:   nativeSorted,
	Programs: func() []*isa.Program {
		return kernels.Programs(findSortedProgram, matchProgram, extendSortedProgram)
	},
}

// findSortedProgram makes the first of its row the candidate of each vertex.
var findSortedProgram = kernels.NewParallelProgram("matching/ld-sorted.find", func(b *isa.Builder) {
	g := csrParams(b)
	position := b.Array("position", isa.I64)
	candidate := b.Array("candidate", isa.I32)
	mate := b.Array("mate", isa.I32)
	vertices := b.Int("vertices")
	b.ParallelFor(vertices, func(u isa.Reg) {
		b.Store(mate, u, none)
		first := b.Load(g.xadj, u)
		b.Store(position, u, first)
		heaviest := b.Var(none)
		b.If(b.Lt(first, b.Load(g.xadj, b.Add(u, 1))), func() {
			b.Set(heaviest, b.Load(g.adjncy, first))
		})
		b.Store(candidate, u, heaviest)
	})
})

var extendSortedProgram = kernels.NewParallelProgram("matching/ld-sorted.extend", func(b *isa.Builder) {
	g := csrParams(b)
	position := b.Array("position", isa.I64)
	g.extend(b, func(s isa.Reg, mate isa.ArrayParam) isa.Reg {
		heaviest := b.Var(none)
		// The candidate at position has just been matched.
		e := b.Var(b.Add(b.Load(position, s), 1))
		end := b.Load(g.xadj, b.Add(s, 1))
		b.While(func() isa.Reg { return b.Lt(e, end) }, func() {
			v := b.Load(g.adjncy, e)
			b.If(b.Eq(b.Load(mate, v), none), func() {
				b.Set(heaviest, v)
				b.Break()
			})
			b.SetAdd(e, e, 1)
		})
		b.Store(position, s, e)
		return heaviest
	})
})

var sortedQueues = queueKernel{
	find:   findSortedProgram,
	extend: extendSortedProgram,
	place: func(setup *kernels.Arrays, g *graph.Graph) []isa.Array {
		t := team.New(context.Background(), 0)
		defer t.Close()
		rows, _ := sortRows(t, g, false)
		return []isa.Array{setup.Adopt("xadj", g.XAdj), setup.Adopt("adjncy", rows.adj),
			setup.Alloc("position", isa.I64, g.Vertices())}
	},
}
