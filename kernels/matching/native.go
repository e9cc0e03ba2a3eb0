package matching

import (
	"context"
	"math"
	"sync/atomic"

	"heddle/kernels"
	"heddle/kernels/graph"
	"heddle/kernels/team"
)

// nativeLD is Algorithm 3 on goroutines: the steps and races of the programs,
// with Go's sequentially consistent atomics.
func nativeLD(ctx context.Context, g *graph.Graph, o kernels.Options) (kernels.Answer, error) {
	if err := g.CheckPositiveWeights(); err != nil {
		return nil, err
	}
	v := g.Vertices()
	n := native{g: g, mate: make([]int32, v), candidate: make([]int32, v)}
	t := team.New(ctx, o.Threads)
	current, next := team.NewQueue(v), team.NewQueue(v)

	if err := t.Each(v, 1024, n.find); err != nil {
		return nil, err
	}
	if err := t.Find(v, 4096, current, n.match); err != nil {
		return nil, err
	}
	var queue []int64
	for current.Size() > 0 {
		queue = append(queue, int64(current.Size()))
		next.Clear()
		vertices := current.Vertices()
		err := t.Find(len(vertices), 256, next, func(lo, hi int, found *team.Batch) {
			n.extend(vertices[lo:hi], found)
		})
		if err != nil {
			return nil, err
		}
		current, next = next, current
	}
	return newAnswer(g, n.mate, queue), nil
}

type native struct {
	g         *graph.Graph
	mate      []int32
	candidate []int32
}

// find gives each vertex from lo to hi-1 its first candidate.
func (n *native) find(lo, hi int) {
	g := n.g
	for u := lo; u < hi; u++ {
		first := g.XAdj[u]
		weights := g.Weight[first:g.XAdj[u+1]]
		best, at := math.Inf(-1), none
		for i, w := range weights {
			if w >= best {
				best, at = w, i
			}
		}
		n.mate[u], n.candidate[u] = none, none
		if at != none {
			n.candidate[u] = g.Adj[first+int64(at)]
		}
	}
}

// match matches the locally dominant edges of the first candidates.
func (n *native) match(lo, hi int, found *team.Batch) {
	for u := int32(lo); u < int32(hi); u++ {
		if v := n.candidate[u]; v != none && n.candidate[v] == u {
			n.mate[u] = v
			found.Add(u)
		}
	}
}

// extend gives those who named a vertex of queue as candidate another one.
func (n *native) extend(queue []int32, found *team.Batch) {
	for _, u := range queue {
		mate := atomic.LoadInt32(&n.mate[u])
		for _, v := range n.g.Neighbors(u) {
			if atomic.LoadInt32(&n.candidate[v]) == u && v != mate {
				n.process(v, found)
			}
		}
	}
}

// process is Algorithm 2 with the claim described at extendProgram. Looking at
// the weight first spares most of the random reads of mate.
func (n *native) process(s int32, found *team.Batch) {
	best, t := math.Inf(-1), int32(none)
	weights := n.g.Weights(s)
	for i, v := range n.g.Neighbors(s) {
		if weights[i] >= best && atomic.LoadInt32(&n.mate[v]) == none {
			best, t = weights[i], v
		}
	}
	atomic.StoreInt32(&n.candidate[s], t)
	if t == none || atomic.LoadInt32(&n.candidate[t]) != s {
		return
	}
	lower, upper := min(s, t), max(s, t)
	if atomic.CompareAndSwapInt32(&n.mate[lower], none, upper) {
		atomic.StoreInt32(&n.mate[upper], lower)
		found.Add(s)
		found.Add(t)
	}
}
