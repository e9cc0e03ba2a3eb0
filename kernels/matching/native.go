package matching

import (
	"math"
	"slices"
	"sync/atomic"
	"time"

	"heddle/kernels"
	"heddle/kernels/graph"
	"heddle/kernels/team"
)

// nativeQueues is Algorithm 3 on goroutines: the steps and races of the
// programs, with Go's sequentially consistent atomics. Indices without a sign
// need not be extended; loops that go on where nothing is found leave their
// results where they are.
type nativeQueues struct {
	t         *team.Team
	g         *graph.Graph
	adj       []int32 // the rows, in some order
	mate      []int32
	candidate []int32
	position  []int64 // in adj, of each vertex's candidate, if rows are sorted; else nil

	current, next *team.Queue
	sizes         []int64 // of the queue, by iteration
	sorting       time.Duration
}

func newNativeQueues(t *team.Team, g *graph.Graph, adj []int32) *nativeQueues {
	v := g.Vertices()
	return &nativeQueues{
		t: t, g: g, adj: adj, mate: make([]int32, v), candidate: make([]int32, v),
		current: team.NewQueue(v), next: team.NewQueue(v),
	}
}

// Run implements kernels.NativeRun.
func (n *nativeQueues) Run() error {
	n.sizes = n.sizes[:0]
	n.current.Clear()
	v := n.g.Vertices()
	if err := n.t.Each(v, team.Chunk, n.find); err != nil {
		return err
	}
	if err := n.t.Each(v, team.Chunk, n.match); err != nil {
		return err
	}
	for n.current.Size() > 0 {
		n.sizes = append(n.sizes, int64(n.current.Size()))
		n.next.Clear()
		queue := n.current.Vertices()
		err := n.t.Each(len(queue), team.Chunk, func(lo, hi int) { n.extend(queue[lo:hi]) })
		if err != nil {
			return err
		}
		n.current, n.next = n.next, n.current
	}
	return nil
}

// Answer implements kernels.NativeRun.
func (n *nativeQueues) Answer() kernels.Answer {
	a := newAnswer(n.g, n.mate, slices.Clone(n.sizes))
	a.sorting = n.sorting
	return a
}

// find gives the vertices from lo to hi-1 their first candidates, while all are
// unmatched.
func (n *nativeQueues) find(lo, hi int) {
	if n.position != nil {
		n.findFirst(lo, hi)
		return
	}
	for u := int32(lo); u < int32(hi); u++ {
		n.mate[u] = none
		n.candidate[u] = behindHeaviest(n.g.Neighbors(u), n.g.Weights(u))
	}
}

// behindHeaviest returns the neighbor behind the heaviest edge of a row.
func behindHeaviest(neighbors []int32, weights []float64) int32 {
	best, t := math.Inf(-1), int32(none)
	weights = weights[:len(neighbors)]
	for i, v := range neighbors {
		w := weights[i]
		if w < best {
			continue
		}
		best, t = w, v
	}
	return t
}

// findFirst is find in sorted rows: the first of its row is a vertex's candidate.
func (n *nativeQueues) findFirst(lo, hi int) {
	for u := lo; u < hi; u++ {
		first := n.g.XAdj[u]
		n.mate[u], n.candidate[u], n.position[u] = none, none, first
		if first < n.g.XAdj[u+1] {
			n.candidate[u] = n.adj[first]
		}
	}
}

// match matches the locally dominant edges of the first candidates.
func (n *nativeQueues) match(lo, hi int) {
	for u := int32(lo); u < int32(hi); u++ {
		if v := n.candidate[u]; v != none && n.candidate[v] == u {
			n.mate[u] = v
			n.current.Add(u)
		}
	}
}

// extend gives those who named a vertex of queue as candidate another one.
func (n *nativeQueues) extend(queue []int32) {
	for _, u := range queue {
		mate := atomic.LoadInt32(&n.mate[u])
		n.bereave(u, mate, n.adj[n.g.XAdj[u]:n.g.XAdj[u+1]])
	}
}

// bereave processes all neighbors of u that named it, but for its mate. It is
// apart so that its loop keeps what it needs in registers.
func (n *nativeQueues) bereave(u, mate int32, neighbors []int32) {
	candidate := n.candidate
	for _, v := range neighbors {
		if atomic.LoadInt32(&candidate[uint32(v)]) == u && v != mate {
			n.process(v)
		}
	}
}

// process is Algorithm 2 with the claim described at csr.extend.
func (n *nativeQueues) process(s int32) {
	t := n.seek(s)
	atomic.StoreInt32(&n.candidate[s], t)
	if t == none || atomic.LoadInt32(&n.candidate[t]) != s {
		return
	}
	lower, upper := min(s, t), max(s, t)
	if atomic.CompareAndSwapInt32(&n.mate[lower], none, upper) {
		atomic.StoreInt32(&n.mate[upper], lower)
		n.next.AddPair(s, t)
	}
}

// seek returns an unmatched neighbor of s such that all that s prefers are
// matched, none if all are matched.
func (n *nativeQueues) seek(s int32) int32 {
	if n.position != nil {
		return n.advance(s)
	}
	return n.heaviest(s)
}

// heaviest returns the unmatched neighbor of s behind its heaviest edge.
func (n *nativeQueues) heaviest(s int32) int32 {
	best, t := math.Inf(-1), int32(none)
	mate := n.mate
	neighbors := n.g.Neighbors(s)
	weights := n.g.Weights(s)[:len(neighbors)]
	for i, v := range neighbors {
		if atomic.LoadInt32(&mate[uint32(v)]) != none {
			continue
		}
		w := weights[i]
		if w < best {
			continue
		}
		best, t = w, v
	}
	return t
}

// advance finds the next candidate of s in its sorted row, whose last one has
// been matched.
func (n *nativeQueues) advance(s int32) int32 {
	from, end := n.position[s]+1, n.g.XAdj[s+1]
	mate := n.mate
	for i, v := range n.adj[from:end] {
		if atomic.LoadInt32(&mate[uint32(v)]) == none {
			n.position[s] = from + int64(i)
			return v
		}
	}
	n.position[s] = end
	return none
}

func nativeLD(t *team.Team, g *graph.Graph, _ kernels.Options) (kernels.NativeRun, error) {
	if err := g.CheckPositiveWeights(); err != nil {
		return nil, err
	}
	return newNativeQueues(t, g, g.Adj), nil
}

func nativeSorted(t *team.Team, g *graph.Graph, _ kernels.Options) (kernels.NativeRun, error) {
	if err := g.CheckPositiveWeights(); err != nil {
		return nil, err
	}
	began := time.Now()
	rows, err := sortRows(t, g, false)
	if err != nil {
		return nil, err
	}
	n := newNativeQueues(t, g, rows.adj)
	n.position = make([]int64, g.Vertices())
	n.sorting = time.Since(began)
	return n, nil
}
