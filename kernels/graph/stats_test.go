package graph

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Zachary's network is the best known of all: its degrees and clustering are
// in every textbook.
func TestKarate(t *testing.T) {
	g := Karate()
	wellFormed(t, g)
	s := g.Stats()
	if s.Vertices != 34 || s.Edges != 78 || s.Components != 1 || s.MaxDegree != 17 || s.MinDegree != 1 {
		t.Errorf("%+v", s)
	}
	for v, want := range map[int32]int{1: 16, 33: 12, 34: 17, 12: 1} {
		if d := g.Degree(v - 1); d != want {
			t.Errorf("vertex %d has degree %d, want %d", v, d, want)
		}
	}
	if c := g.Clustering(); math.Abs(c-0.570638) > 1e-6 {
		t.Errorf("mean clustering %.6f, want 0.570638", c)
	}
}

// smallGraph draws a graph of few vertices, with all its edges in one list.
func smallGraph(t *rapid.T, weight *rapid.Generator[float64]) *Graph {
	n := rapid.IntRange(1, 30).Draw(t, "vertices")
	vertex := rapid.Int32Range(0, int32(n)-1)
	l := &entryList{}
	for range rapid.IntRange(0, 60).Draw(t, "entries") {
		if weight == nil {
			l.add(vertex.Draw(t, "u"), vertex.Draw(t, "v"))
		} else {
			l.addWeighted(vertex.Draw(t, "u"), vertex.Draw(t, "v"), weight.Draw(t, "w"))
		}
	}
	g := build(n, l, false)
	if weight != nil && g.Weight == nil {
		g.Weight = []float64{}
	}
	return g
}

func TestStatsEqualDefinitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := smallGraph(t, nil)
		s := g.Stats()
		n := g.Vertices()
		var degrees []float64
		var squares, sum float64
		histogram := make([]int64, 8)
		for u := range int32(n) {
			d := g.Degree(u)
			degrees = append(degrees, float64(d))
			sum += float64(d)
			squares += float64(d * d)
			bin := 0
			for d >= 1<<bin {
				bin++
			}
			histogram[bin]++
		}
		for len(histogram) > 1 && histogram[len(histogram)-1] == 0 {
			histogram = histogram[:len(histogram)-1]
		}
		mean := sum / float64(n)
		if s.MaxDegree != int(slices.Max(degrees)) || s.MinDegree != int(slices.Min(degrees)) ||
			math.Abs(s.MeanDegree-mean) > 1e-9 || math.Abs(s.DegreeVariance-(squares/float64(n)-mean*mean)) > 1e-9 ||
			!slices.Equal(s.Histogram, histogram) || int64(s.Isolated) != histogram[0] {
			t.Fatalf("%+v for degrees %v", s, degrees)
		}
		number, size := reach(g)
		if s.Components != number || s.LargestComponent != size {
			t.Fatalf("%d components, the largest of %d; want %d and %d", s.Components, s.LargestComponent, number, size)
		}
		if c, want := g.Clustering(), clustering(g); math.Abs(c-want) > 1e-12 {
			t.Fatalf("clustering %v, want %v", c, want)
		}
	})
}

// reach counts components by depth-first search.
func reach(g *Graph) (number, size int) {
	seen := make([]bool, g.Vertices())
	var visit func(u int32) int
	visit = func(u int32) int {
		seen[u] = true
		count := 1
		for _, v := range g.Neighbors(u) {
			if !seen[v] {
				count += visit(v)
			}
		}
		return count
	}
	for u := range int32(len(seen)) {
		if !seen[u] {
			number++
			size = max(size, visit(u))
		}
	}
	return number, size
}

// clustering is the definition, pair by pair.
func clustering(g *Graph) float64 {
	sum := 0.0
	for u := range int32(g.Vertices()) {
		row := g.Neighbors(u)
		pairs, closed := 0, 0
		for i, v := range row {
			for _, w := range row[:i] {
				pairs++
				if slices.Contains(g.Neighbors(v), w) {
					closed++
				}
			}
		}
		if pairs > 0 {
			sum += float64(closed) / float64(pairs)
		}
	}
	return sum / float64(g.Vertices())
}
