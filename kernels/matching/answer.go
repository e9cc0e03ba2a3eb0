package matching

import (
	"fmt"
	"slices"
	"time"

	"heddle/kernels"
	"heddle/kernels/graph"
)

// Answer is a matching and how it was found.
type Answer struct {
	// Mate holds the partner of each vertex, -1 if it has none.
	Mate []int32
	// Queue holds the number of vertices that each iteration matched; the
	// first is phase 1.
	Queue []int64

	unqueued    bool          // the kernel has no queue
	sorting     time.Duration // of a native run that sorted rows
	cardinality int64         // edges matched
	weight      float64       // sum over the edges, by ascending smaller end
	connected   int64         // vertices with neighbors
}

// newAnswer copies mate, which may be wrong in any way: Check judges it.
func newAnswer(g *graph.Graph, mate []int32, queue []int64) *Answer {
	a := &Answer{Mate: slices.Clone(mate), Queue: queue}
	for u := range int32(g.Vertices()) {
		if g.Degree(u) > 0 {
			a.connected++
		}
		if int(u) >= len(mate) || mate[u] <= u {
			continue
		}
		a.cardinality++
		if i, found := slices.BinarySearch(g.Neighbors(u), mate[u]); found {
			a.weight += g.Weights(u)[i]
		}
	}
	return a
}

// Figures implements kernels.Answer. The paper gives its cardinalities as
// matched vertices in percent of all vertices, or of those that have neighbors.
func (a *Answer) Figures() []kernels.Figure {
	percent := func(of int64) float64 {
		if of == 0 {
			return 0
		}
		return 100 * float64(2*a.cardinality) / float64(of)
	}
	figures := []kernels.Figure{
		{Name: "cardinality", Unit: "edges", Value: a.cardinality},
		{Name: "weight", Value: a.weight},
		{Name: "matched_percent", Unit: "%", Value: percent(int64(len(a.Mate)))},
		{Name: "matched_percent_connected", Unit: "%", Value: percent(a.connected)},
	}
	if !a.unqueued {
		figures = append(figures,
			kernels.Figure{Name: "iterations", Value: int64(len(a.Queue))},
			kernels.Figure{Name: "queue_sizes", Unit: "vertices", Value: a.Queue})
	}
	if a.sorting > 0 {
		figures = append(figures, kernels.Figure{Name: "sort_seconds", Unit: "s", Value: a.sorting.Seconds()})
	}
	return figures
}

// Check implements kernels.Answer: the matching is the greedy one, and the
// queues held each matched vertex once.
func (a *Answer) Check(g *graph.Graph) error {
	if err := CheckGreedy(g, a.Mate); err != nil {
		return err
	}
	if a.unqueued {
		return nil
	}
	var matched, queued int64
	for _, v := range a.Mate {
		if v != none {
			matched++
		}
	}
	for _, n := range a.Queue {
		queued += n
	}
	if matched != queued {
		return fmt.Errorf("the queues held %d vertices in all, but %d are matched", queued, matched)
	}
	return nil
}
