package graph

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// wellFormed reports what breaks the promises of a Graph's fields.
func wellFormed(t rapid.TB, g *Graph) {
	t.Helper()
	n := g.Vertices()
	if n < 1 || g.XAdj[0] != 0 || g.XAdj[n] != int64(len(g.Adj)) || len(g.Adj)%2 != 0 {
		t.Fatalf("%d vertices, XAdj from %d to %d, %d adjacencies", n, g.XAdj[0], g.XAdj[n], len(g.Adj))
	}
	if g.Weight != nil && len(g.Weight) != len(g.Adj) {
		t.Fatalf("%d weights for %d adjacencies", len(g.Weight), len(g.Adj))
	}
	for u := range int32(n) {
		row := g.Neighbors(u)
		for i, v := range row {
			if v < 0 || int(v) >= n || v == u || i > 0 && v <= row[i-1] {
				t.Fatalf("neighbors of %d: %v", u, row)
			}
			back, ok := slices.BinarySearch(g.Neighbors(v), u)
			if !ok {
				t.Fatalf("%d lists %d, which does not list it", u, v)
			}
			if g.Weight != nil && !same(g.Weights(u)[i], g.Weights(v)[back]) {
				t.Fatalf("edge %d-%d weighs %v one way and %v the other", u, v, g.Weights(u)[i], g.Weights(v)[back])
			}
		}
	}
}

// same compares weights: NaN is NaN, and 0 is not -0.
func same(a, b float64) bool {
	return math.IsNaN(a) && math.IsNaN(b) || math.Float64bits(a) == math.Float64bits(b)
}

// equal compares the structure and the weights of two graphs.
func equal(a, b *Graph) bool {
	return slices.Equal(a.XAdj, b.XAdj) && slices.Equal(a.Adj, b.Adj) &&
		(a.Weight == nil) == (b.Weight == nil) && slices.EqualFunc(a.Weight, b.Weight, same)
}

type entry struct {
	u, v int32
	w    float64
}

// naive builds a graph with maps, the obvious way.
func naive(n int, entries []entry, directed, hasWeights bool) *Graph {
	g := &Graph{XAdj: []int64{0}}
	listed := map[pair]int64{}
	weight := map[pair]float64{}
	for _, e := range entries {
		if e.u == e.v {
			g.Dropped.SelfLoops++
			continue
		}
		listed[pair{e.u, e.v}]++
		low := pair{min(e.u, e.v), max(e.u, e.v)}
		if old, ok := weight[low]; !ok || e.w > old {
			weight[low] = e.w
		}
	}
	rows := make([][]int32, n)
	for p := range weight {
		rows[p.u] = append(rows[p.u], p.v)
		rows[p.v] = append(rows[p.v], p.u)
		there, back := listed[p], listed[pair{p.v, p.u}]
		switch {
		case !directed:
			g.Dropped.Duplicates += there + back - 1
		case there == 0 || back == 0:
			g.Symmetrised++
			g.Dropped.Duplicates += there + back - 1
		default:
			g.Dropped.Duplicates += there - 1 + back - 1
		}
	}
	if hasWeights {
		g.Weight = []float64{}
	}
	for u, row := range rows {
		slices.SortFunc(row, cmp.Compare)
		g.Adj = append(g.Adj, row...)
		g.XAdj = append(g.XAdj, int64(len(g.Adj)))
		for _, v := range row {
			if hasWeights {
				g.Weight = append(g.Weight, weight[pair{min(int32(u), v), max(int32(u), v)}])
			}
		}
	}
	return g
}

// Several buckets of vertices, several chunks of entries, duplicates, loops
// and both directions: the result and all counts equal the naive ones.
func TestBuildEqualsNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.OneOf(rapid.IntRange(1, 12), rapid.IntRange(1020, 4000)).Draw(t, "vertices")
		directed := rapid.Bool().Draw(t, "directed")
		hasWeights := rapid.Bool().Draw(t, "weighted")
		// A few popular vertices make duplicates likely in large graphs too.
		vertex := rapid.Custom(func(t *rapid.T) int32 {
			v := rapid.Int32Range(0, int32(n)-1).Draw(t, "v")
			if rapid.Bool().Draw(t, "popular") {
				v -= v % 512
			}
			return v
		})
		entries := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) entry {
			return entry{vertex.Draw(t, "u"), vertex.Draw(t, "v"), float64(rapid.IntRange(-3, 9).Draw(t, "w"))}
		}), 0, 200).Draw(t, "entries")
		l := &entryList{}
		for _, e := range entries {
			if hasWeights {
				l.addWeighted(e.u, e.v, e.w)
			} else {
				l.add(e.u, e.v)
			}
		}
		want := naive(n, entries, directed, hasWeights && len(entries) > 0)
		got := build(n, l, directed)
		wellFormed(t, got)
		if !equal(got, want) {
			t.Fatalf("got\n%+v\nwant\n%+v", got, want)
		}
		if got.Dropped != want.Dropped || got.Symmetrised != want.Symmetrised {
			t.Fatalf("dropped %+v, symmetrised %d; want %+v, %d", got.Dropped, got.Symmetrised, want.Dropped, want.Symmetrised)
		}
	})
}

func TestKeyOrdersByNeighborThenDirection(t *testing.T) {
	vertex := rapid.OneOf(rapid.Int32Range(0, 3), rapid.Int32Range(MaxVertices-3, MaxVertices), rapid.Int32Range(0, MaxVertices))
	rapid.Check(t, func(t *rapid.T) {
		u, v := vertex.Draw(t, "u"), vertex.Draw(t, "v")
		a, b := rapid.Int32Range(0, 1).Draw(t, "a"), rapid.Int32Range(0, 1).Draw(t, "b")
		if x, d := unkey(key(u, a)); x != u || d != a {
			t.Fatalf("unkey(key(%d, %d)) = %d, %d", u, a, x, d)
		}
		want := cmp.Or(cmp.Compare(u, v), cmp.Compare(a, b))
		if got := cmp.Compare(key(u, a), key(v, b)); got != want {
			t.Fatalf("order of (%d, %d) and (%d, %d): %d, want %d", u, a, v, b, got, want)
		}
	})
}

// Weights that no kernel takes must stay visible when entries merge.
func TestMergedWeightKeepsWhatIsNotFinite(t *testing.T) {
	for _, w := range []float64{math.NaN(), math.Inf(1)} {
		for _, order := range [][]float64{{w, 1}, {1, w}} {
			if got := largest(order); !same(got, w) {
				t.Errorf("largest of %v is %v", order, got)
			}
		}
	}
}
