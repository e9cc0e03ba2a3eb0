package bfs

import (
	"slices"
	"sync/atomic"

	"heddle/kernels"
	"heddle/kernels/graph"
	"heddle/kernels/team"
)

// native is the same search on goroutines.
type native struct {
	t             *team.Team
	g             *graph.Graph
	root          int32
	level, parent []int32
	current, next *team.Queue
	sizes         []int64 // of the frontier, by level, in vertices or blocks
}

func nativeLevel(t *team.Team, g *graph.Graph, o kernels.Options) (kernels.NativeRun, error) {
	root, err := source(g, o)
	if err != nil {
		return nil, err
	}
	v := g.Vertices()
	return &native{
		t: t, g: g, root: root, level: make([]int32, v), parent: make([]int32, v),
		current: team.NewQueue(v), next: team.NewQueue(v),
	}, nil
}

// Run implements kernels.NativeRun.
func (n *native) Run() error {
	return n.search(func() { n.current.Add(n.root) }, n.expand)
}

// search goes level by level: enqueue puts the source into the first frontier,
// and expand visits the neighbors of a part of one.
func (n *native) search(enqueue func(), expand func(part []int32, depth int32)) error {
	if err := n.t.Each(len(n.level), team.Chunk, n.clear); err != nil {
		return err
	}
	n.level[n.root], n.parent[n.root] = 0, n.root
	n.current.Clear()
	enqueue()
	n.sizes = n.sizes[:0]
	for n.current.Size() > 0 {
		n.sizes = append(n.sizes, int64(n.current.Size()))
		depth := int32(len(n.sizes))
		n.next.Clear()
		frontier := n.current.Vertices()
		err := n.t.Each(len(frontier), team.Chunk, func(lo, hi int) {
			expand(frontier[lo:hi], depth)
		})
		if err != nil {
			return err
		}
		n.current, n.next = n.next, n.current
	}
	return nil
}

// clear makes the vertices from lo to hi-1 unvisited.
func (n *native) clear(lo, hi int) {
	level, parent := n.level[lo:hi], n.parent[lo:hi]
	for i := range level {
		level[i] = unreached
	}
	for i := range parent {
		parent[i] = unreached
	}
}

// expand visits the neighbors of frontier, which lie at the given depth unless
// they were visited before.
func (n *native) expand(frontier []int32, depth int32) {
	for _, u := range frontier {
		n.visit(u, n.g.Neighbors(u), depth)
	}
}

// visit is apart from expand, and claim from visit, so that the loop over all
// edges keeps what it needs in registers. Indices without a sign need not be
// extended.
func (n *native) visit(u int32, neighbors []int32, depth int32) {
	level := n.level
	for _, v := range neighbors {
		if atomic.LoadInt32(&level[uint32(v)]) == unreached {
			n.claim(u, v, depth)
		}
	}
}

// claim visits v from u unless another worker does so first.
func (n *native) claim(u, v, depth int32) {
	if atomic.CompareAndSwapInt32(&n.level[v], unreached, depth) {
		n.parent[v] = u
		n.next.Add(v)
	}
}

// Answer implements kernels.NativeRun.
func (n *native) Answer() kernels.Answer {
	return newAnswer(n.g, n.root, n.level, n.parent, slices.Clone(n.sizes))
}
