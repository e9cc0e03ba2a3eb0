package matching

import (
	"slices"

	"heddle/kernels/graph"
	"heddle/kernels/team"
)

// sortedRows is a graph's adjacency with each row sorted by decreasing edge, so
// that a vertex meets its neighbors in the order in which it prefers them.
// XAdj says where rows begin.
type sortedRows struct {
	adj []int32
	// reverse holds, for the place of u's entry for v, the place of v's entry
	// for u.
	reverse []int64
}

// sortRows sorts the rows of g, and fills reverse if asked to. Its error is the
// team's.
func sortRows(t *team.Team, g *graph.Graph, reverse bool) (*sortedRows, error) {
	type entry struct {
		weight   float64
		neighbor int32
		place    int32 // in the row of g
	}
	rows := &sortedRows{adj: make([]int32, len(g.Adj))}
	var sorted []int64 // place in rows.adj of each entry of g.Adj
	if reverse {
		sorted = make([]int64, len(g.Adj))
		rows.reverse = make([]int64, len(g.Adj))
	}
	err := t.Each(g.Vertices(), 512, func(lo, hi int) {
		var row []entry
		for u := int32(lo); u < int32(hi); u++ {
			row = row[:0]
			weights := g.Weights(u)
			for i, v := range g.Neighbors(u) {
				row = append(row, entry{weights[i], v, int32(i)})
			}
			slices.SortFunc(row, func(a, b entry) int {
				switch {
				case a.weight > b.weight:
					return -1
				case a.weight < b.weight:
					return 1
				}
				return int(b.neighbor) - int(a.neighbor)
			})
			first := g.XAdj[u]
			for i, e := range row {
				rows.adj[first+int64(i)] = e.neighbor
				if reverse {
					sorted[first+int64(e.place)] = first + int64(i)
				}
			}
		}
	})
	if err != nil || !reverse {
		return rows, err
	}
	err = t.Each(g.Vertices(), 512, func(lo, hi int) {
		for u := int32(lo); u < int32(hi); u++ {
			for i, v := range g.Neighbors(u) {
				back, _ := slices.BinarySearch(g.Neighbors(v), u)
				rows.reverse[sorted[g.XAdj[u]+int64(i)]] = sorted[g.XAdj[v]+int64(back)]
			}
		}
	})
	return rows, err
}
