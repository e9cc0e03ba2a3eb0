package matching

import (
	"sync"

	"heddle/arch/isa"
	"heddle/kernels"
	"heddle/kernels/graph"
)

// ldSerial is Algorithms 1 and 2: one thread, one queue of V places. Its
// iterations are the algorithm's two phases.
//
// P times a vertex looks for a candidate, the first V of them in phase 1, and
// scans S neighbors in all, 2E of them in phase 1, of which W are unmatched; all
// belongs to the graph.
//
//	xadj       loads 2P + 2M
//	adjncy     loads S + D
//	weight     loads W
//	candidate  loads P - (V-M) + D    stores V + P
//	mate       loads S + M            stores V + M
//	queue      loads M                stores M
//	tail                              stores 2
//
// An unmatched vertex finds once, at last, that it has no candidate, which is
// where V-M comes from.
var ldSerial = kernels.Kernel{
	Name:     "matching/ld-serial",
	Doc:      "Greedy half-approximate weighted matching by locally dominant edges, by one thread.",
	Source:   paper + ", Algorithms 1-2",
	Weighted: true,
	Simulate: simulateSerial,
	Native:   nativeSerial,
	Programs: func() []*isa.Program { return []*isa.Program{serialProgram()} },
}

// serialProgram leaves the end of the queue after either phase in tail. On
// machines that start more threads than asked for, thread 0 does the work.
var serialProgram = sync.OnceValue(func() *isa.Program {
	b := isa.NewBuilder("matching/ld-serial")
	g := csrParams(b)
	weight := b.Array("weight", isa.F64)
	candidate := b.Array("candidate", isa.I32)
	mate := b.Array("mate", isa.I32)
	queue := b.Array("queue", isa.I32)
	tail := b.Array("tail", isa.I32)
	vertices := b.Int("vertices")
	b.If(b.Eq(isa.ThreadID, 0), func() {
		end := b.Var(0)
		process := func(s isa.Reg) {
			t := g.heaviest(b, weight, s, &mate)
			b.Store(candidate, s, t)
			b.If(b.Ne(t, none), func() {
				b.If(b.Eq(b.Load(candidate, t), s), func() {
					b.Store(mate, s, t)
					b.Store(mate, t, s)
					b.Store(queue, end, s)
					b.Store(queue, b.Add(end, 1), t)
					b.SetAdd(end, end, 2)
				})
			})
		}
		b.For(0, vertices, 1, func(u isa.Reg) {
			b.Store(mate, u, none)
			b.Store(candidate, u, none)
		})
		b.For(0, vertices, 1, process)
		b.Store(tail, 0, end)
		head := b.Var(0)
		b.While(func() isa.Reg { return b.Lt(head, end) }, func() {
			u := b.Load(queue, head)
			b.SetAdd(head, head, 1)
			g.bereft(b, candidate, mate, u, process)
		})
		b.Store(tail, 1, end)
	})
	return b.MustBuild()
})

func simulateSerial(m kernels.Machine, g *graph.Graph, _ kernels.Options) (kernels.Answer, error) {
	if err := g.CheckPositiveWeights(); err != nil {
		return nil, err
	}
	v := g.Vertices()
	setup := kernels.NewArrays(m)
	xadj := setup.Adopt("xadj", g.XAdj)
	adjncy := setup.Adopt("adjncy", g.Adj)
	weight := setup.Adopt("weight", g.Weight)
	candidate := setup.Alloc("candidate", isa.I32, v)
	mate := setup.Alloc("mate", isa.I32, v)
	queue := setup.Alloc("queue", isa.I32, v)
	tail := setup.Alloc("tail", isa.I32, 2)
	if err := setup.Err(); err != nil {
		return nil, err
	}

	m.Start()
	err := m.Launch(serialProgram(), 1, isa.Args(xadj, adjncy, weight, candidate, mate, queue, tail, v)...)
	if err != nil {
		return nil, err
	}
	m.Finish()
	ends := m.View(tail).([]int32)
	return newAnswer(g, m.View(mate).([]int32), phases(int(ends[0]), int(ends[1]))), nil
}

// phases returns the sizes of the iterations of a serial run.
func phases(first, end int) []int64 {
	switch {
	case end == 0:
		return nil
	case first == end:
		return []int64{int64(first)}
	}
	return []int64{int64(first), int64(end - first)}
}
