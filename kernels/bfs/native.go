package bfs

import (
	"context"
	"sync/atomic"

	"heddle/kernels"
	"heddle/kernels/graph"
)

// nativeLevel is the same search on goroutines.
func nativeLevel(ctx context.Context, g *graph.Graph, o kernels.Options) (kernels.Answer, error) {
	root, err := source(g, o)
	if err != nil {
		return nil, err
	}
	v := g.Vertices()
	level, parent := make([]int32, v), make([]int32, v)
	current := frontier{vertices: make([]int32, v)}
	next := frontier{vertices: make([]int32, v)}
	t := newTeam(ctx, o.Threads)

	err = t.split(v, 1<<16, &next, func(lo, hi int, _ *batch) {
		for u := lo; u < hi; u++ {
			level[u], parent[u] = unreached, unreached
		}
	})
	if err != nil {
		return nil, err
	}
	level[root], parent[root] = 0, root
	current.vertices[0] = root
	current.tail.Store(1)

	var frontiers []int64
	for current.size() > 0 {
		frontiers = append(frontiers, int64(current.size()))
		depth := int32(len(frontiers))
		next.tail.Store(0)
		err := t.split(current.size(), 256, &next, func(lo, hi int, out *batch) {
			for _, u := range current.vertices[lo:hi] {
				for _, v := range g.Neighbors(u) {
					if atomic.LoadInt32(&level[v]) == unreached &&
						atomic.CompareAndSwapInt32(&level[v], unreached, depth) {
						parent[v] = u
						out.add(v)
					}
				}
			}
		})
		if err != nil {
			return nil, err
		}
		current.vertices, next.vertices = next.vertices, current.vertices
		current.tail.Store(next.tail.Load())
	}
	return newAnswer(g, root, level, parent, frontiers), nil
}
