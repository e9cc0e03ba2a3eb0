package matching

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"heddle/kernels"
	"heddle/kernels/graph"
	"heddle/kernels/team"
)

// nativeQueues is Algorithm 3 on goroutines: the steps and races of the
// programs, with Go's sequentially consistent atomics.
type nativeQueues struct {
	g         *graph.Graph
	adj       []int32 // the rows, in some order
	mate      []int32
	candidate []int32
	// seek returns an unmatched neighbor of s such that all that s prefers are
	// matched, none if all are matched.
	seek func(s int32) int32
}

func newNativeQueues(g *graph.Graph, adj []int32) nativeQueues {
	v := g.Vertices()
	return nativeQueues{g: g, adj: adj, mate: make([]int32, v), candidate: make([]int32, v)}
}

// run matches; find gives the vertices from lo to hi-1 their first candidates.
func (n *nativeQueues) run(t *team.Team, find func(lo, hi int)) (*Answer, error) {
	v := n.g.Vertices()
	current, next := team.NewQueue(v), team.NewQueue(v)
	if err := t.Each(v, 1024, find); err != nil {
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
	return newAnswer(n.g, n.mate, queue), nil
}

// match matches the locally dominant edges of the first candidates.
func (n *nativeQueues) match(lo, hi int, found *team.Batch) {
	for u := int32(lo); u < int32(hi); u++ {
		if v := n.candidate[u]; v != none && n.candidate[v] == u {
			n.mate[u] = v
			found.Add(u)
		}
	}
}

// extend gives those who named a vertex of queue as candidate another one.
func (n *nativeQueues) extend(queue []int32, found *team.Batch) {
	for _, u := range queue {
		mate := atomic.LoadInt32(&n.mate[u])
		for _, v := range n.adj[n.g.XAdj[u]:n.g.XAdj[u+1]] {
			if atomic.LoadInt32(&n.candidate[v]) == u && v != mate {
				n.process(v, found)
			}
		}
	}
}

// process is Algorithm 2 with the claim described at csr.extend.
func (n *nativeQueues) process(s int32, found *team.Batch) {
	t := n.seek(s)
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

func nativeLD(ctx context.Context, g *graph.Graph, o kernels.Options) (kernels.Answer, error) {
	if err := g.CheckPositiveWeights(); err != nil {
		return nil, err
	}
	n := &scanned{newNativeQueues(g, g.Adj)}
	n.seek = n.heaviest
	return answerOr(n.run(team.New(ctx, o.Threads), n.find))
}

// scanned looks for candidates in whole rows.
type scanned struct{ nativeQueues }

// find gives each vertex from lo to hi-1 its first candidate.
func (n *scanned) find(lo, hi int) {
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

// heaviest looks at the weight first, which spares most of the random reads of
// mate.
func (n *scanned) heaviest(s int32) int32 {
	best, t := math.Inf(-1), int32(none)
	weights := n.g.Weights(s)
	for i, v := range n.g.Neighbors(s) {
		if weights[i] >= best && atomic.LoadInt32(&n.mate[v]) == none {
			best, t = weights[i], v
		}
	}
	return t
}

func nativeSorted(ctx context.Context, g *graph.Graph, o kernels.Options) (kernels.Answer, error) {
	if err := g.CheckPositiveWeights(); err != nil {
		return nil, err
	}
	t := team.New(ctx, o.Threads)
	began := time.Now()
	rows, err := sortRows(t, g, false)
	if err != nil {
		return nil, err
	}
	sorting := time.Since(began)
	n := &ordered{newNativeQueues(g, rows.adj), make([]int64, g.Vertices())}
	n.seek = n.advance
	a, err := n.run(t, n.find)
	if err != nil {
		return nil, err
	}
	a.sorting = sorting
	return a, nil
}

// ordered looks for candidates in sorted rows.
type ordered struct {
	nativeQueues
	position []int64 // in adj, of each vertex's candidate
}

func (n *ordered) find(lo, hi int) {
	for u := lo; u < hi; u++ {
		first := n.g.XAdj[u]
		n.mate[u], n.candidate[u], n.position[u] = none, none, first
		if first < n.g.XAdj[u+1] {
			n.candidate[u] = n.adj[first]
		}
	}
}

// advance finds the next candidate of s, whose last one has been matched.
func (n *ordered) advance(s int32) int32 {
	e, end := n.position[s]+1, n.g.XAdj[s+1]
	for e < end && atomic.LoadInt32(&n.mate[n.adj[e]]) != none {
		e++
	}
	n.position[s] = e
	if e < end {
		return n.adj[e]
	}
	return none
}

// answerOr returns an answer as the interface, and none beside an error.
func answerOr(a *Answer, err error) (kernels.Answer, error) {
	if err != nil {
		return nil, err
	}
	return a, nil
}
