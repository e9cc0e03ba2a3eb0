// Package bfs searches graphs breadth first.
//
// bfs/level returns the level of each vertex, its distance in edges from the
// source, and a parent one level nearer. It is the level-synchronous search
// with a queue for the current frontier and one for the next, a thread a
// frontier vertex: Bader and Madduri, "Designing multithreaded algorithms for
// breadth-first search and st-connectivity on the Cray MTA-2", ICPP 2006; on
// GPUs Luo, Wong and Hwu, "An effective GPU implementation of breadth-first
// search", DAC 2010. bfs/level-blocked gives long rows to several threads.
//
// # Encodings
//
// Vertices and levels are int32. The source has level 0 and is its own parent;
// a vertex that cannot be reached has level and parent -1. Each of the two
// queues has V places: a vertex is enqueued once, by the thread whose
// compare-and-swap set its level.
//
// # Work
//
// R vertices are reached, D is the sum of their degrees, and C vertices are
// found unvisited, some by several threads at a time. V, R and D belong to the
// graph and the source; C, from R-1 to D, depends on timing.
//
//	xadj    loads 2R
//	adjncy  loads D
//	level   loads D      stores V    atomics C
//	parent               stores V + R - 1
//	queue   loads R      stores R
//	tail                             atomics R - 1
package bfs

import (
	"fmt"

	"heddle/arch/isa"
	"heddle/kernels"
	"heddle/kernels/graph"
)

const unreached = -1

// Kernels lists the family's kernels.
func Kernels() []kernels.Kernel {
	return []kernels.Kernel{level, levelBlocked}
}

var level = kernels.Kernel{
	Name:     "bfs/level",
	Doc:      "Level-synchronous breadth-first search with two queues.",
	Source:   "Bader and Madduri, ICPP 2006; Luo, Wong and Hwu, DAC 2010",
	Simulate: simulateLevel,
	Native:   nativeLevel,
	Programs: func() []*isa.Program { return kernels.Programs(initProgram, expandProgram) },
}

// initProgram marks every vertex unvisited, a thread a vertex, but the source,
// which it makes the first frontier.
var initProgram = kernels.NewParallelProgram("bfs/level.init", func(b *isa.Builder) {
	level := b.Array("level", isa.I32)
	parent := b.Array("parent", isa.I32)
	queue := b.Array("queue", isa.I32)
	vertices := b.Int("vertices")
	source := b.Int("source")
	initialize(b, level, parent, vertices, source, func(u isa.Reg) { b.Store(queue, 0, u) })
})

// initialize gives each vertex its first level and parent, and enqueues the
// source.
func initialize(b *isa.Builder, level, parent isa.ArrayParam, vertices, source isa.Reg, enqueue func(u isa.Reg)) {
	b.ParallelFor(vertices, func(u isa.Reg) {
		b.IfElse(b.Eq(u, source), func() {
			b.Store(level, u, 0)
			b.Store(parent, u, u)
			enqueue(u)
		}, func() {
			b.Store(level, u, unreached)
			b.Store(parent, u, unreached)
		})
	})
}

// expandProgram visits the neighbors of the frontier, a thread a frontier
// vertex.
var expandProgram = kernels.NewParallelProgram("bfs/level.expand", func(b *isa.Builder) {
	xadj := b.Array("xadj", isa.I64)
	adjncy := b.Array("adjncy", isa.I32)
	level := b.Array("level", isa.I32)
	parent := b.Array("parent", isa.I32)
	current := b.Array("current", isa.I32)
	next := b.Array("next", isa.I32)
	tail := b.Array("tail", isa.I32)
	size := b.Int("size")
	depth := b.Int("depth")
	b.ParallelFor(size, func(k isa.Reg) {
		u := b.Load(current, k)
		b.For(b.Load(xadj, u), b.Load(xadj, b.Add(u, 1)), 1, func(e isa.Reg) {
			v := b.Load(adjncy, e)
			visit(b, level, v, depth, func() {
				b.Store(parent, v, u)
				b.Store(next, b.FetchAdd(tail, 0, 1), v)
			})
		})
	})
})

// visit sets v's level to depth and runs then, unless v was visited before. The
// load of level spares the atomic then; if it misses a visit in progress, the
// compare-and-swap decides.
func visit(b *isa.Builder, level isa.ArrayParam, v, depth isa.Reg, then func()) {
	b.If(b.Eq(b.Load(level, v), unreached), func() {
		b.Region("extend the frontier", func() {
			b.If(b.Eq(b.CompareSwap(level, v, unreached, depth), unreached), then)
		})
	})
}

// source returns the vertex that the options ask for: -1 stands for the lowest
// of the vertices of largest degree, which lies in the giant component of the
// usual inputs.
func source(g *graph.Graph, o kernels.Options) (int32, error) {
	n := g.Vertices()
	if n == 0 {
		return 0, fmt.Errorf("%s: the graph has no vertex to start from", g.Name)
	}
	if o.Source < -1 || o.Source >= n {
		return 0, fmt.Errorf("source %d: %s has vertices 0 to %d; -1 picks one of largest degree", o.Source, g.Name, n-1)
	}
	if o.Source >= 0 {
		return int32(o.Source), nil
	}
	best := int32(0)
	for u := range int32(n) {
		if g.Degree(u) > g.Degree(best) {
			best = u
		}
	}
	return best, nil
}

// simulateLevel is the host program: everything stays in the machine's memory,
// and each level brings back the size of the next frontier.
func simulateLevel(m kernels.Machine, g *graph.Graph, o kernels.Options) (kernels.Answer, error) {
	root, err := source(g, o)
	if err != nil {
		return nil, err
	}
	v := g.Vertices()
	setup := kernels.NewArrays(m)
	xadj := setup.Adopt("xadj", g.XAdj)
	adjncy := setup.Adopt("adjncy", g.Adj)
	level := setup.Alloc("level", isa.I32, v)
	parent := setup.Alloc("parent", isa.I32, v)
	current := setup.Alloc("queue", isa.I32, v)
	next := setup.Alloc("queue", isa.I32, v)
	tail := setup.Alloc("tail", isa.I32, 1)
	loops := kernels.NewLoops(setup, o)
	if err := setup.Err(); err != nil {
		return nil, err
	}

	m.Start()
	err = loops.Launch(initProgram, v, level, parent, current, v, root)
	if err != nil {
		return nil, err
	}
	frontiers, err := descend(m, tail, "frontier", 1, func(size int64, depth int) error {
		err := loops.Launch(expandProgram, int(size), xadj, adjncy, level, parent, current, next, tail, size, depth)
		current, next = next, current
		return err
	})
	if err != nil {
		return nil, err
	}
	m.Finish()
	return newAnswer(g, root, m.View(level).([]int32), m.View(parent).([]int32), frontiers), nil
}

// descend expands level after level, the first of the given size, and returns
// the sizes of all. What it notes of each has the given name; expand leaves the
// next size in tail.
func descend(m kernels.Machine, tail isa.Array, name string, size int64, expand func(size int64, depth int) error) (sizes []int64, err error) {
	for size > 0 {
		m.Note(name, size)
		sizes = append(sizes, size)
		if err := m.Write(tail, 0, 0); err != nil {
			return nil, err
		}
		if err := expand(size, len(sizes)); err != nil {
			return nil, err
		}
		if size, err = m.Read(tail, 0); err != nil {
			return nil, err
		}
	}
	return sizes, nil
}
