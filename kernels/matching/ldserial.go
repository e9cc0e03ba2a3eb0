package matching

import (
	"context"
	"math"
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
	err := m.Launch(serialProgram(), 1, kernels.Args(xadj, adjncy, weight, candidate, mate, queue, tail, v)...)
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

func nativeSerial(ctx context.Context, g *graph.Graph, _ kernels.Options) (kernels.Answer, error) {
	if err := g.CheckPositiveWeights(); err != nil {
		return nil, err
	}
	s := newSerial(g)
	if err := s.run(ctx); err != nil {
		return nil, err
	}
	return newAnswer(g, s.mate, phases(s.first, len(s.queue))), nil
}

// Serial returns the mate of each vertex, -1 for none, in the greedy matching
// of g, which has positive weights.
func Serial(g *graph.Graph) []int32 {
	s := newSerial(g)
	_ = s.run(context.Background())
	return s.mate
}

// serial is a native run of Algorithms 1 and 2.
type serial struct {
	g         *graph.Graph
	mate      []int32
	candidate []int32
	queue     []int32
	first     int // matched in phase 1
}

func newSerial(g *graph.Graph) *serial {
	n := g.Vertices()
	s := &serial{g: g, mate: make([]int32, n), candidate: make([]int32, n), queue: make([]int32, 0, n)}
	for u := range s.mate {
		s.mate[u], s.candidate[u] = none, none
	}
	return s
}

// patience is how many vertices a serial run handles between two looks at its
// context.
const patience = 1024

func (s *serial) run(ctx context.Context) error {
	for u := range int32(s.g.Vertices()) {
		if u%patience == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		s.process(u)
	}
	s.first = len(s.queue)
	for head := 0; head < len(s.queue); head++ {
		if head%patience == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		u := s.queue[head]
		for _, v := range s.g.Neighbors(u) {
			if s.candidate[v] == u && s.mate[u] != v {
				s.process(v)
			}
		}
	}
	return ctx.Err()
}

// process is Algorithm 2.
func (s *serial) process(u int32) {
	best, at := math.Inf(-1), int32(none)
	weights := s.g.Weights(u)
	for i, v := range s.g.Neighbors(u) {
		if s.mate[v] == none && weights[i] >= best {
			best, at = weights[i], v
		}
	}
	s.candidate[u] = at
	if at != none && s.candidate[at] == u {
		s.mate[u], s.mate[at] = at, u
		s.queue = append(s.queue, u, at)
	}
}
