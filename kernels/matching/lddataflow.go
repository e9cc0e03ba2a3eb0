package matching

import (
	"context"

	"heddle/arch/isa"
	"heddle/kernels"
	"heddle/kernels/graph"
	"heddle/kernels/team"
)

// ldDataflow is Algorithms 4 and 5. There is no queue and no iteration: the
// word candidate[s->t] says whether s wants t, is written once, by the thread
// that processes s, and is empty before; whoever needs it earlier waits for its
// full/empty bit. A vertex is processed by the first thread that adds to its
// state, which asks the neighbors in the order in which s prefers them: it
// writes 1 to candidate[s->t], processes t itself if nobody has begun to, and
// reads candidate[t->s]. If that is 1, s and t are mates, and 0 goes to all
// whom s has not asked.
//
// Both ends of an edge write 1 only after all that they prefer have answered 0,
// so that the matched edges are the locally dominant ones and the matching is
// greedy's. Line 6 of Algorithm 4 writes with writeef what its remark calls
// "empty and zero": that is a purge. Line 11 of Algorithm 5 assigns 0, which
// readers wait for: it is a writeef, and never waits, as nobody else writes
// that word.
//
// # Every run ends
//
// Let a vertex s that is being processed be at edge f = s-t. It waits for t: by
// a call if this thread has begun t, or else at candidate[t->s]. It has written
// 1 to the words of f and of all its greater edges. Where is t, if it has not
// yet answered s? Not at an edge below f, which it would come to only after f.
// Not waiting at f, for it would find the 1 of s there. So it is at an edge
// greater than f, or not waiting. Edges along a chain of waits are therefore
// ever greater, and a chain ends at a vertex that goes on. A vertex is begun
// only by a thread that runs, and needs nothing of threads that have not
// started: any number of threads will do.
//
// Lanes of a warp are another matter. They go on together, so that one that
// waits for a word keeps the lane from running that would write it. On machines
// with warps the first lane of each warp works alone.
//
// # Recursion
//
// Calls nest as deep as a path of ever greater edges is long, at most V: on a
// path whose weights ascend, or are equal and so leave the order to the
// vertices' numbers, it is V. One thread needs 10 to 13 on the paper's three
// R-MAT graphs of 2^16 vertices with random weights, and up to 22 with equal
// ones; with equal weights 261 on a geometric graph, rgg:15. A run that
// needs more open calls than isa.MaxCallDepth, or more registers than
// isa.MaxStack, ends with an error that says so. The native version keeps its
// own stack, in 24 bytes a call.
//
// # Work
//
// The driver sorts the rows before the timed part begins, as for
// matching/ld-sorted, and gives each entry the place of its reverse. A words
// are asked, and A of the words hold 1: up to the mate of each vertex, or whole
// rows of those that stay unmatched. Nothing depends on timing.
//
//	xadj       loads 2V
//	adjncy     loads A
//	reverse    loads A
//	candidate  purges 2E    full/empty operations 2E + A
//	state      stores V     atomics V + A
//	mate       stores V + 2M
var ldDataflow = kernels.Kernel{
	Name:     "matching/ld-dataflow",
	Doc:      "Greedy half-approximate weighted matching by dataflow over full/empty words, without queues.",
	Source:   paper + ", Algorithms 4-5",
	Weighted: true,
	Simulate: simulateDataflow,
	Native:   nativeDataflow,
	Programs: func() []*isa.Program {
		return kernels.Programs(clearVerticesProgram, clearEdgesProgram, dataflowProgram)
	},
}

// clearVerticesProgram is lines 2 to 4 of Algorithm 4.
var clearVerticesProgram = kernels.NewParallelProgram("matching/ld-dataflow.vertices", func(b *isa.Builder) {
	mate := b.Array("mate", isa.I32)
	state := b.Array("state", isa.I32)
	b.ParallelFor(b.Int("vertices"), func(u isa.Reg) {
		b.Store(mate, u, none)
		b.Store(state, u, 0)
	})
})

// clearEdgesProgram is lines 5 to 7.
var clearEdgesProgram = kernels.NewParallelProgram("matching/ld-dataflow.edges", func(b *isa.Builder) {
	candidate := b.Array("candidate", isa.I64)
	b.ParallelFor(b.Int("words"), func(e isa.Reg) { b.Purge(candidate, e) })
})

// dataflowProgram is lines 8 to 11, with Algorithm 5.
var dataflowProgram = kernels.NewParallelProgram("matching/ld-dataflow.match", func(b *isa.Builder) {
	g := csrParams(b)
	reverse := b.Array("reverse", isa.I64)
	candidate := b.Array("candidate", isa.I64)
	state := b.Array("state", isa.I32)
	mate := b.Array("mate", isa.I32)
	vertices := b.Int("vertices")

	process := b.Func("process", []isa.Type{isa.I64}, nil)
	begin := func(u isa.Reg) {
		b.If(b.Eq(b.FetchAdd(state, u, 1), 0), func() { b.Call(process, u) })
	}
	process.Define(func(args []isa.Reg) {
		s := args[0]
		e := b.Var(b.Load(g.xadj, s))
		end := b.Load(g.xadj, b.Add(s, 1))
		b.While(func() isa.Reg { return b.Lt(e, end) }, func() {
			b.WriteEF(candidate, e, 1)
			t := b.Load(g.adjncy, e)
			begin(t)
			answer := b.ReadFF(candidate, b.Load(reverse, e))
			b.SetAdd(e, e, 1)
			b.If(answer, func() {
				b.Store(mate, s, t)
				b.Store(mate, t, s)
				b.Break()
			})
		})
		b.For(e, end, 1, func(rest isa.Reg) { b.WriteEF(candidate, rest, 0) })
	})
	b.ParallelForLeaders(vertices, begin)
})

func simulateDataflow(m kernels.Machine, g *graph.Graph, o kernels.Options) (kernels.Answer, error) {
	if err := g.CheckPositiveWeights(); err != nil {
		return nil, err
	}
	v, words := g.Vertices(), len(g.Adj)
	t := team.New(context.Background(), 0)
	defer t.Close()
	rows, err := sortRows(t, g, true)
	if err != nil {
		return nil, err
	}
	setup := kernels.NewArrays(m)
	xadj := setup.Adopt("xadj", g.XAdj)
	adjncy := setup.Adopt("adjncy", rows.adj)
	reverse := setup.Adopt("reverse", rows.reverse)
	candidate := setup.Alloc("candidate", isa.I64, words)
	state := setup.Alloc("state", isa.I32, v)
	mate := setup.Alloc("mate", isa.I32, v)
	loops := kernels.NewLoops(setup, o)
	if err := setup.Err(); err != nil {
		return nil, err
	}

	m.Start()
	if v > 0 {
		if err := loops.Launch(clearVerticesProgram, v, mate, state, v); err != nil {
			return nil, err
		}
	}
	if words > 0 {
		if err := loops.Launch(clearEdgesProgram, words, candidate, words); err != nil {
			return nil, err
		}
	}
	if v > 0 {
		err := loops.Launch(dataflowProgram, v, xadj, adjncy, reverse, candidate, state, mate, v)
		if err != nil {
			return nil, err
		}
	}
	m.Finish()
	a := newAnswer(g, m.View(mate).([]int32), nil)
	a.unqueued = true
	return a, nil
}
