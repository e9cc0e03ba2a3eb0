package halappanavar2012

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"heddle/kernels/graph"
)

// Statistics are conserved: vertices over degrees and over coefficients, edges
// over degrees; and the mean coefficient is the graph's.
func TestAnalyse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		family := rapid.SampledFrom([]string{"rmat-er", "rmat-g", "rmat-b", "rgg"}).Draw(t, "family")
		scale := rapid.IntRange(1, 9).Draw(t, "scale")
		g, err := graph.Open(fmt.Sprintf("%s:%d", family, scale), graph.Options{Seed: rapid.Uint64().Draw(t, "seed"), NoCache: true})
		if err != nil {
			t.Fatal(err)
		}
		s := Analyse(g, true)
		var byDegree, byCoefficient, ends int64
		for _, n := range s.Degrees {
			byDegree += n.Vertices
			ends += int64(n.Degree) * n.Vertices
		}
		for i, b := range s.Coefficients {
			byCoefficient += b.Vertices
			if i > 1 && b.Low <= s.Coefficients[i-1].Low {
				t.Errorf("bins out of order: %v", s.Coefficients)
			}
		}
		if n := int64(g.Vertices()); byDegree != n || byCoefficient != n || ends != 2*g.Edges() {
			t.Errorf("%d, %d of %d vertices; %d of %d ends", byDegree, byCoefficient, n, ends, 2*g.Edges())
		}
		if math.Abs(s.Clustering-g.Clustering()) > 1e-12 {
			t.Errorf("mean coefficient %g, want %g", s.Clustering, g.Clustering())
		}
		if rest := Analyse(g, false); rest.Coefficients != nil || rest.Edges != s.Edges {
			t.Errorf("%+v", rest)
		}
	})
}

// A triangle with a tail: coefficients 1, 1, 1/3, 0.
func TestCoefficients(t *testing.T) {
	g := &graph.Graph{XAdj: []int64{0, 2, 4, 7, 8}, Adj: []int32{1, 2, 0, 2, 0, 1, 3, 2}}
	s := Analyse(g, true)
	if got := fmt.Sprint(s.Coefficients); got != "[{0 1} {0.25 1} {1 2}]" || math.Abs(s.Clustering-7.0/12) > 1e-15 {
		t.Errorf("%s, mean %g", got, s.Clustering)
	}
}
