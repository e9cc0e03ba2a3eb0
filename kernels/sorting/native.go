package sorting

import (
	"heddle/kernels"
	"heddle/kernels/graph"
	"heddle/kernels/team"
)

// native is the same sort on goroutines.
type native struct {
	t      *team.Team
	g      *graph.Graph
	sorted []int32
	key    []float64
}

func nativeRows(t *team.Team, g *graph.Graph, _ kernels.Options) (kernels.NativeRun, error) {
	if err := g.CheckPositiveWeights(); err != nil {
		return nil, err
	}
	return &native{t: t, g: g, sorted: make([]int32, len(g.Adj)), key: make([]float64, len(g.Adj))}, nil
}

// Run implements kernels.NativeRun.
func (n *native) Run() error {
	return n.t.Each(n.g.Vertices(), team.Chunk, func(lo, hi int) {
		for u := int32(lo); u < int32(hi); u++ {
			from, to := n.g.XAdj[u], n.g.XAdj[u+1]
			row{n.sorted[from:to], n.key[from:to]}.sort(n.g.Neighbors(u), n.g.Weights(u))
		}
	})
}

// row is a heap, and then sorted.
type row struct {
	neighbor []int32
	weight   []float64
}

// less says whether the neighbor v by an edge of weight w comes after entry i.
func (r row) less(v int32, w float64, i int) bool {
	return w < r.weight[i] || w == r.weight[i] && v < r.neighbor[i]
}

func (r row) put(i int, v int32, w float64) { r.neighbor[i], r.weight[i] = v, w }

// sort fills r with the given entries, sorted.
func (r row) sort(neighbors []int32, weights []float64) {
	for i, v := range neighbors {
		r.raise(i, v, weights[i])
	}
	for last := len(neighbors) - 1; last > 0; last-- {
		v, w := r.neighbor[last], r.weight[last]
		r.put(last, r.neighbor[0], r.weight[0])
		r.lower(last, v, w)
	}
}

// raise puts an entry into the heap, from place i upwards.
func (r row) raise(i int, v int32, w float64) {
	for i > 0 {
		up := (i - 1) / 2
		if !r.less(v, w, up) {
			break
		}
		r.put(i, r.neighbor[up], r.weight[up])
		i = up
	}
	r.put(i, v, w)
}

// lower puts an entry into the heap of n, from its front downwards.
func (r row) lower(n int, v int32, w float64) {
	i := 0
	for child := 1; child < n; child = 2*child + 1 {
		if child+1 < n && r.less(r.neighbor[child+1], r.weight[child+1], child) {
			child++
		}
		if r.less(v, w, child) {
			break
		}
		r.put(i, r.neighbor[child], r.weight[child])
		i = child
	}
	r.put(i, v, w)
}

// Answer implements kernels.NativeRun.
func (n *native) Answer() kernels.Answer { return newAnswer(n.sorted, n.key) }
