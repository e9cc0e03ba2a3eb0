package bfs

import (
	"context"
	"sync/atomic"

	"heddle/kernels"
	"heddle/kernels/graph"
	"heddle/kernels/team"
)

// nativeLevel is the same search on goroutines.
func nativeLevel(ctx context.Context, g *graph.Graph, o kernels.Options) (kernels.Answer, error) {
	root, err := source(g, o)
	if err != nil {
		return nil, err
	}
	v := g.Vertices()
	level, parent := make([]int32, v), make([]int32, v)
	current, next := team.NewQueue(v), team.NewQueue(v)
	t := team.New(ctx, o.Threads)

	err = t.Each(v, 1<<16, func(lo, hi int) {
		for u := lo; u < hi; u++ {
			level[u], parent[u] = unreached, unreached
		}
	})
	if err != nil {
		return nil, err
	}
	level[root], parent[root] = 0, root
	current.Add(root)

	var frontiers []int64
	for current.Size() > 0 {
		frontiers = append(frontiers, int64(current.Size()))
		depth := int32(len(frontiers))
		next.Clear()
		vertices := current.Vertices()
		err := t.Find(len(vertices), 256, next, func(lo, hi int, found *team.Batch) {
			for _, u := range vertices[lo:hi] {
				for _, v := range g.Neighbors(u) {
					if atomic.LoadInt32(&level[v]) == unreached &&
						atomic.CompareAndSwapInt32(&level[v], unreached, depth) {
						parent[v] = u
						found.Add(v)
					}
				}
			}
		})
		if err != nil {
			return nil, err
		}
		current, next = next, current
	}
	return newAnswer(g, root, level, parent, frontiers), nil
}
