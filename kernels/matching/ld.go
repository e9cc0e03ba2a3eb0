package matching

import (
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
	Simulate: ldQueues.simulate,
	Native:   nativeLD,
	Programs: func() []*isa.Program { return kernels.Programs(findProgram, matchProgram, extendProgram) },
}

// findProgram is phase 1, lines 5 to 14 of Algorithm 3: a thread a vertex
// finds its candidate. Every vertex is unmatched, so mate is not read.
var findProgram = kernels.NewParallelProgram("matching/ld.find", func(b *isa.Builder) {
	g := csrParams(b)
	weight := b.Array("weight", isa.F64)
	candidate := b.Array("candidate", isa.I32)
	mate := b.Array("mate", isa.I32)
	vertices := b.Int("vertices")
	b.ParallelFor(vertices, func(u isa.Reg) {
		b.Store(mate, u, none)
		b.Store(candidate, u, g.heaviest(b, weight, u, nil))
	})
})

var extendProgram = kernels.NewParallelProgram("matching/ld.extend", func(b *isa.Builder) {
	g := csrParams(b)
	weight := b.Array("weight", isa.F64)
	g.extend(b, func(s isa.Reg, mate isa.ArrayParam) isa.Reg { return g.heaviest(b, weight, s, &mate) })
})

var ldQueues = queueKernel{
	find:   findProgram,
	extend: extendProgram,
	place: func(setup *kernels.Arrays, g *graph.Graph) []isa.Array {
		return []isa.Array{setup.Adopt("xadj", g.XAdj), setup.Adopt("adjncy", g.Adj), setup.Adopt("weight", g.Weight)}
	},
}
