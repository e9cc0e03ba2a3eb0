package matching

import (
	"fmt"
	"slices"

	"heddle/kernels/graph"
)

// CheckGreedy returns an error that names the first vertex at which mate is
// not the greedy matching of g, edges ordered by (weight, larger end, smaller
// end), and says why: not a matching, not maximal, or not greedy. It takes
// O(V log maximum degree + E) time and 8 bytes a vertex.
//
// A matching M is the greedy one, G, if every edge outside M shares an end with
// a greater edge of M. Else let e be the greatest edge in only one of them. If e
// is in G, the greater edge of M that it touches is in G too, and touches e. If
// e is in M, greedy left it for a greater edge of G, which is in M too, and
// touches e. Neither can be, as G and M are matchings.
func CheckGreedy(g *graph.Graph, mate []int32) error {
	if err := CheckValid(g, mate); err != nil {
		return err
	}
	weight := make([]float64, len(mate)) // of each vertex's matched edge
	for u, v := range mate {
		if v != none {
			i, _ := slices.BinarySearch(g.Neighbors(int32(u)), v)
			weight[u] = g.Weights(int32(u))[i]
		}
	}
	for u := range int32(len(mate)) {
		neighbors, weights := g.Neighbors(u), g.Weights(u)
		for i, v := range neighbors {
			if v < u || mate[u] == v {
				continue
			}
			if mate[u] == none && mate[v] == none {
				return fmt.Errorf("vertex %d: not maximal: it and its neighbor %d are both unmatched", u, v)
			}
			e := edge{weights[i], u, v}
			atU := mate[u] != none && e.less(edge{weight[u], u, mate[u]})
			atV := mate[v] != none && e.less(edge{weight[v], v, mate[v]})
			if !atU && !atV {
				return fmt.Errorf("vertex %d: not greedy: edge %d-%d of weight %v is heavier than the matched edges at its ends, %s and %s",
					u, u, v, weights[i], describe(u, mate[u], weight[u]), describe(v, mate[v], weight[v]))
			}
		}
	}
	return nil
}

// CheckValid returns an error that names the first vertex at which mate is not
// a matching of g.
func CheckValid(g *graph.Graph, mate []int32) error {
	if len(mate) != g.Vertices() {
		return fmt.Errorf("mates of %d vertices for a graph of %d", len(mate), g.Vertices())
	}
	for u, v := range mate {
		switch {
		case v == none:
		case v < 0 || int(v) >= len(mate):
			return fmt.Errorf("vertex %d: its mate %d is no vertex", u, v)
		case mate[v] != int32(u):
			return fmt.Errorf("vertex %d: its mate is %d, whose mate is %d", u, v, mate[v])
		default:
			if _, found := slices.BinarySearch(g.Neighbors(int32(u)), v); !found {
				return fmt.Errorf("vertex %d: its mate %d is not a neighbor", u, v)
			}
		}
	}
	return nil
}

// edge is an edge with its weight.
type edge struct {
	weight float64
	u, v   int32
}

// less orders edges by (weight, larger end, smaller end).
func (e edge) less(f edge) bool {
	if e.weight != f.weight {
		return e.weight < f.weight
	}
	if a, b := max(e.u, e.v), max(f.u, f.v); a != b {
		return a < b
	}
	return min(e.u, e.v) < min(f.u, f.v)
}

func describe(u, mate int32, weight float64) string {
	if mate == none {
		return fmt.Sprintf("none at %d", u)
	}
	return fmt.Sprintf("%d-%d of weight %v", u, mate, weight)
}
