package graph

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The grid finds exactly the pairs that comparing all with all finds.
func TestRGGEqualsAllPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := RGG{Scale: rapid.IntRange(1, 9).Draw(t, "scale"), Seed: rapid.Uint64().Draw(t, "seed")}
		g := p.Generate(nil)
		wellFormed(t, g)
		n := 1 << p.Scale
		radius := rggRadius * math.Sqrt(math.Log(float64(n))/float64(n))
		points := newGrid(p.points(n), max(1, int(1/radius))).points
		for u := range n {
			var want []int32
			for v := range n {
				dx, dy := points[u].x-points[v].x, points[u].y-points[v].y
				if u != v && float64(dx*dx)+float64(dy*dy) < radius*radius {
					want = append(want, int32(v))
				}
			}
			if !slices.Equal(g.Neighbors(int32(u)), want) {
				t.Fatalf("neighbors of %d: %v, want %v", u, g.Neighbors(int32(u)), want)
			}
		}
	})
}

// The published graph of the same kind and size, rgg_n_2_15_s0 of the 10th
// DIMACS challenge, has 160240 edges and a largest degree of 24.
func TestRGGLikePublished(t *testing.T) {
	s := RGG{Scale: 15}.Generate(nil).Stats()
	if math.Abs(float64(s.Edges)/160240-1) > 0.02 {
		t.Errorf("%d edges, want about 160240", s.Edges)
	}
	if s.MaxDegree < 20 || s.MaxDegree > 30 {
		t.Errorf("largest degree %d, want about 24", s.MaxDegree)
	}
}

// Neighbors in space are near in numbering: half of all edges span less than
// two rows of cells.
func TestRGGNumbering(t *testing.T) {
	const n = 1 << 14
	g := RGG{Scale: 14}.Generate(nil)
	row := rggRadius * math.Sqrt(math.Log(n)/n) * n // vertices in a row of cells
	near := 0
	for u := range int32(n) {
		for _, v := range g.Neighbors(u) {
			if math.Abs(float64(u-v)) < 2*row {
				near++
			}
		}
	}
	if near < len(g.Adj)*99/100 {
		t.Errorf("%d of %d adjacencies within two rows of cells", near, len(g.Adj))
	}
}
