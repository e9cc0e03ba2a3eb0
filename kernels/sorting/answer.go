package sorting

import (
	"cmp"
	"fmt"
	"slices"

	"heddle/kernels"
	"heddle/kernels/graph"
)

// Answer is sorted rows, parallel to the graph's.
type Answer struct {
	Neighbor []int32
	Weight   []float64
}

// newAnswer copies neighbor and weight.
func newAnswer(neighbor []int32, weight []float64) *Answer {
	return &Answer{slices.Clone(neighbor), slices.Clone(weight)}
}

// Figures implements kernels.Answer.
func (a *Answer) Figures() []kernels.Figure {
	return []kernels.Figure{{Name: "entries", Value: int64(len(a.Neighbor))}}
}

// Check implements kernels.Answer: each row is what the standard library makes
// of it.
func (a *Answer) Check(g *graph.Graph) error {
	if len(a.Neighbor) != len(g.Adj) || len(a.Weight) != len(g.Adj) {
		return fmt.Errorf("%d neighbors and %d weights, the graph has %d", len(a.Neighbor), len(a.Weight), len(g.Adj))
	}
	type edge struct {
		neighbor int32
		weight   float64
	}
	var want []edge
	for u := range int32(g.Vertices()) {
		want = want[:0]
		weights := g.Weights(u)
		for i, v := range g.Neighbors(u) {
			want = append(want, edge{v, weights[i]})
		}
		slices.SortFunc(want, func(x, y edge) int {
			return cmp.Or(cmp.Compare(y.weight, x.weight), cmp.Compare(y.neighbor, x.neighbor))
		})
		for i, e := range want {
			at := g.XAdj[u] + int64(i)
			if got := (edge{a.Neighbor[at], a.Weight[at]}); got != e {
				return fmt.Errorf("vertex %d: entry %d of its sorted row is %d of weight %v, want %d of weight %v",
					u, i, got.neighbor, got.weight, e.neighbor, e.weight)
			}
		}
	}
	return nil
}
