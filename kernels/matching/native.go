package matching

import (
	"context"
	"math"
	"sync/atomic"

	"heddle/kernels"
	"heddle/kernels/graph"
)

// nativeLD is Algorithm 3 on goroutines: the steps and races of the programs,
// with Go's sequentially consistent atomics.
func nativeLD(ctx context.Context, g *graph.Graph, o kernels.Options) (kernels.Answer, error) {
	if err := g.CheckPositiveWeights(); err != nil {
		return nil, err
	}
	v := g.Vertices()
	n := native{g: g, mate: make([]int32, v), candidate: make([]int32, v)}
	t := newTeam(ctx, o.Threads)
	current := frontier{vertices: make([]int32, v)}
	next := frontier{vertices: make([]int32, v)}

	if err := t.split(v, 1024, &current, n.find); err != nil {
		return nil, err
	}
	if err := t.split(v, 4096, &current, n.match); err != nil {
		return nil, err
	}
	var queue []int64
	for current.size() > 0 {
		queue = append(queue, int64(current.size()))
		next.tail.Store(0)
		err := t.split(current.size(), 256, &next, func(lo, hi int, out *batch) {
			n.extend(current.vertices[lo:hi], out)
		})
		if err != nil {
			return nil, err
		}
		current.vertices, next.vertices = next.vertices, current.vertices
		current.tail.Store(next.tail.Load())
	}
	return newAnswer(g, n.mate, queue), nil
}

type native struct {
	g         *graph.Graph
	mate      []int32
	candidate []int32
}

// find gives each vertex from lo to hi-1 its first candidate.
func (n *native) find(lo, hi int, _ *batch) {
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
func (n *native) match(lo, hi int, out *batch) {
	for u := int32(lo); u < int32(hi); u++ {
		if v := n.candidate[u]; v != none && n.candidate[v] == u {
			n.mate[u] = v
			out.add(u)
		}
	}
}

// extend gives those who named a vertex of queue as candidate another one.
func (n *native) extend(queue []int32, out *batch) {
	for _, u := range queue {
		mate := atomic.LoadInt32(&n.mate[u])
		for _, v := range n.g.Neighbors(u) {
			if atomic.LoadInt32(&n.candidate[v]) == u && v != mate {
				n.process(v, out)
			}
		}
	}
}

// process is Algorithm 2 with the claim described at extendProgram. Looking at
// the weight first spares most of the random reads of mate.
func (n *native) process(s int32, out *batch) {
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
		out.add(s)
		out.add(t)
	}
}
