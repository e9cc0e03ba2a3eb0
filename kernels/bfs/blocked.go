package bfs

import (
	"sync/atomic"

	"heddle/arch/isa"
	"heddle/kernels"
	"heddle/kernels/graph"
	"heddle/kernels/team"
)

// blockEdges is how many neighbors a thread looks at: as many as a warp of the
// paper's GPUs has lanes, and twice the mean degree of its R-MAT graphs.
const blockEdges = 32

// levelBlocked is bfs/level with rows cut into blocks of blockEdges neighbors,
// the last of a row shorter, and a thread a block: lanes of a warp then have
// work that differs by no more than that, whatever the degrees. Section IV-A of
// the paper describes it in two sentences; the size of the blocks is not among
// what it says, nor how threads find their block. Here the blocks of all rows
// are numbered through, the queues hold numbers of blocks, and two arrays that
// the driver makes tell whose block it is and which of its row.
//
// K blocks belong to the R vertices reached, D is the sum of their degrees.
// Lengths of the queues and of owner are the blocks of the graph, at most
// V + 2E/32. Otherwise as bfs/level:
//
//	first   loads K + 2R
//	owner   loads K
//	xadj    loads 2K
//	adjncy  loads D
//	level   loads D    stores V          atomics C
//	parent             stores V + R - 1
//	queue   loads K    stores K
//	tail                                 atomics R - 1
var levelBlocked = kernels.Kernel{
	Name:     "bfs/level-blocked",
	Doc:      "bfs/level with long rows cut into blocks, each a thread's.",
	Source:   "Halappanavar et al., IJHPCA 26(4), 2012, section IV-A",
	Simulate: simulateBlocked,
	Native:   nativeLevelBlocked,
	Programs: func() []*isa.Program { return kernels.Programs(initBlockedProgram, expandBlockedProgram) },
}

// blocks are the blocks of all rows, numbered through.
type blocks struct {
	first []int32 // V+1: the number of each row's first
	owner []int32 // of each block
}

func blocksOf(g *graph.Graph) *blocks {
	v := g.Vertices()
	x := &blocks{first: make([]int32, v+1)}
	for u := range int32(v) {
		n := (g.Degree(u) + blockEdges - 1) / blockEdges
		for range n {
			x.owner = append(x.owner, u)
		}
		x.first[u+1] = x.first[u] + int32(n)
	}
	return x
}

// enqueueBlocks stores the numbers of v's blocks from next[at] on, where at is
// a place for n of them.
func enqueueBlocks(b *isa.Builder, first, next isa.ArrayParam, v isa.Reg, at func(n isa.Reg) isa.Operand) {
	from := b.Load(first, v)
	n := b.Sub(b.Load(first, b.Add(v, 1)), from)
	to := at(n)
	b.For(0, n, 1, func(i isa.Reg) { b.Store(next, b.Add(i, to), b.Add(from, i)) })
}

// initBlockedProgram is initProgram with the source's blocks in the queue.
var initBlockedProgram = kernels.NewParallelProgram("bfs/level-blocked.init", func(b *isa.Builder) {
	level := b.Array("level", isa.I32)
	parent := b.Array("parent", isa.I32)
	first := b.Array("first", isa.I32)
	queue := b.Array("queue", isa.I32)
	vertices := b.Int("vertices")
	source := b.Int("source")
	initialize(b, level, parent, vertices, source, func(u isa.Reg) {
		enqueueBlocks(b, first, queue, u, func(isa.Reg) isa.Operand { return 0 })
	})
})

// expandBlockedProgram visits the neighbors in the frontier's blocks.
var expandBlockedProgram = kernels.NewParallelProgram("bfs/level-blocked.expand", func(b *isa.Builder) {
	xadj := b.Array("xadj", isa.I64)
	adjncy := b.Array("adjncy", isa.I32)
	first := b.Array("first", isa.I32)
	owner := b.Array("owner", isa.I32)
	level := b.Array("level", isa.I32)
	parent := b.Array("parent", isa.I32)
	current := b.Array("current", isa.I32)
	next := b.Array("next", isa.I32)
	tail := b.Array("tail", isa.I32)
	size := b.Int("size")
	depth := b.Int("depth")
	b.ParallelFor(size, func(k isa.Reg) {
		block := b.Load(current, k)
		u := b.Load(owner, block)
		before := b.Mul(b.Sub(block, b.Load(first, u)), blockEdges)
		lo := b.Add(b.Load(xadj, u), before)
		hi := b.Min(b.Add(lo, blockEdges), b.Load(xadj, b.Add(u, 1)))
		b.For(lo, hi, 1, func(e isa.Reg) {
			v := b.Load(adjncy, e)
			visit(b, level, v, depth, func() {
				b.Store(parent, v, u)
				enqueueBlocks(b, first, next, v, func(n isa.Reg) isa.Operand { return b.FetchAdd(tail, 0, n) })
			})
		})
	})
})

func simulateBlocked(m kernels.Machine, g *graph.Graph, o kernels.Options) (kernels.Answer, error) {
	root, err := source(g, o)
	if err != nil {
		return nil, err
	}
	v, x := g.Vertices(), blocksOf(g)
	setup := kernels.NewArrays(m)
	xadj := setup.Adopt("xadj", g.XAdj)
	adjncy := setup.Adopt("adjncy", g.Adj)
	first := setup.Adopt("first", x.first)
	owner := setup.Adopt("owner", x.owner)
	level := setup.Alloc("level", isa.I32, v)
	parent := setup.Alloc("parent", isa.I32, v)
	current := setup.Alloc("queue", isa.I32, len(x.owner))
	next := setup.Alloc("queue", isa.I32, len(x.owner))
	tail := setup.Alloc("tail", isa.I32, 1)
	loops := kernels.NewLoops(setup, o)
	if err := setup.Err(); err != nil {
		return nil, err
	}

	m.Start()
	err = loops.Launch(initBlockedProgram, v, level, parent, first, current, v, root)
	if err != nil {
		return nil, err
	}
	_, err = descend(m, tail, "blocks", int64(x.first[root+1]-x.first[root]), func(size int64, depth int) error {
		err := loops.Launch(expandBlockedProgram, int(size), xadj, adjncy, first, owner, level, parent, current, next, tail, size, depth)
		current, next = next, current
		return err
	})
	if err != nil {
		return nil, err
	}
	m.Finish()
	return unqueuedAnswer(g, root, m.View(level).([]int32), m.View(parent).([]int32)), nil
}

// nativeBlocked is the same on goroutines.
type nativeBlocked struct {
	native
	*blocks
}

func nativeLevelBlocked(t *team.Team, g *graph.Graph, o kernels.Options) (kernels.NativeRun, error) {
	root, err := source(g, o)
	if err != nil {
		return nil, err
	}
	v, x := g.Vertices(), blocksOf(g)
	return &nativeBlocked{native{
		t: t, g: g, root: root, level: make([]int32, v), parent: make([]int32, v),
		current: team.NewQueue(len(x.owner)), next: team.NewQueue(len(x.owner)),
	}, x}, nil
}

// Run implements kernels.NativeRun.
func (n *nativeBlocked) Run() error {
	return n.search(func() { n.enqueue(n.current, n.root) }, n.expand)
}

// enqueue puts the blocks of v into q.
func (n *nativeBlocked) enqueue(q *team.Queue, v int32) {
	for block := n.first[v]; block < n.first[v+1]; block++ {
		q.Add(block)
	}
}

// expand visits the neighbors in some blocks, a list of their numbers.
func (n *nativeBlocked) expand(list []int32, depth int32) {
	for _, block := range list {
		u := n.owner[block]
		row := n.g.Neighbors(u)
		lo := blockEdges * int(block-n.first[u])
		n.visit(u, row[lo:min(lo+blockEdges, len(row))], depth)
	}
}

// visit is apart from expand for the reason that native's is.
func (n *nativeBlocked) visit(u int32, neighbors []int32, depth int32) {
	level := n.level
	for _, v := range neighbors {
		if atomic.LoadInt32(&level[uint32(v)]) == unreached && atomic.CompareAndSwapInt32(&level[v], unreached, depth) {
			n.parent[v] = u
			n.enqueue(n.next, v)
		}
	}
}

// Answer implements kernels.NativeRun.
func (n *nativeBlocked) Answer() kernels.Answer {
	return unqueuedAnswer(n.g, n.root, n.level, n.parent)
}
