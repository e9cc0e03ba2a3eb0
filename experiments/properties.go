package experiments

import (
	"context"
	"fmt"
	"math"
	"time"

	"heddle/kernels"
	"heddle/kernels/graph"
)

// property is what follows from a graph alone: a study has it in a kernel's
// place, and no machine.
type property struct {
	name    string
	figures func(g *graph.Graph) []kernels.Figure
}

func properties() []property {
	return []property{{"graph/degrees", degreeFigures}, {"graph/clustering", clusteringFigures}}
}

// propertyOf returns the property called name, or an error that names those
// that there are.
func propertyOf(name string) (property, error) {
	var known []string
	for _, p := range properties() {
		if p.name == name {
			return p, nil
		}
		known = append(known, p.name)
	}
	return property{}, unknown("property", name, known)
}

// of opens r's graph and returns p of it as a run's result.
func (p property) of(ctx context.Context, r Run) (*Result, error) {
	began := time.Now()
	result := &Result{Kernel: p.name, Graph: Graph{Name: r.Graph}, Seed: r.Seed}
	return await(ctx, func() (*Result, error) {
		g, err := graph.Open(r.Graph, graph.Options{Seed: r.Seed, NoCache: true})
		if err != nil {
			return nil, &InputError{err}
		}
		result.Graph = describe(g, false)
		result.Host.SetupSeconds = time.Since(began).Seconds()
		began = time.Now()
		result.Answer.Figures = p.figures(g)
		result.Answer.Verified = true // below, or there is no result
		result.Host.WallSeconds = time.Since(began).Seconds()
		result.Host.PeakRSS = peakRSS()
		return result, checkDegrees(g, result.Answer.Figures)
	})
}

// Names of figures that are lists: of the degrees that occur, and of vertices
// with each.
const (
	degreesFigure   = "degrees"
	ofDegreeFigures = "vertices_of_degree"
)

func degreeFigures(g *graph.Graph) []kernels.Figure {
	s := g.Stats()
	counts := make([]int64, s.MaxDegree+1)
	for v := range int32(g.Vertices()) {
		counts[g.Degree(v)]++
	}
	var degrees, vertices []int64
	for d, n := range counts {
		if n > 0 {
			degrees, vertices = append(degrees, int64(d)), append(vertices, n)
		}
	}
	return []kernels.Figure{
		{Name: "max_degree", Value: int64(s.MaxDegree)},
		{Name: "mean_degree", Value: s.MeanDegree},
		{Name: "degree_variance", Value: s.DegreeVariance},
		{Name: "isolated_percent", Unit: "%", Value: s.IsolatedPercent()},
		{Name: degreesFigure, Value: degrees},
		{Name: ofDegreeFigures, Value: vertices},
	}
}

// clusteringFigures are those of degrees, and how many vertices have a local
// clustering coefficient of 0 and of at least 2^e, but below twice that, for
// each e that occurs.
func clusteringFigures(g *graph.Graph) []kernels.Figure {
	none, lowest := int64(0), 0
	bins := map[int]int64{} // by e
	sum := 0.0
	local := g.LocalClustering()
	for _, c := range local {
		sum += c
		if c == 0 {
			none++
			continue
		}
		e := int(math.Floor(math.Log2(c)))
		bins[e]++
		lowest = min(lowest, e)
	}
	var exponents, vertices []int64
	for e := lowest; e <= 0; e++ {
		if bins[e] > 0 {
			exponents, vertices = append(exponents, int64(e)), append(vertices, bins[e])
		}
	}
	return append(degreeFigures(g),
		kernels.Figure{Name: "mean_clustering", Value: sum / float64(len(local))},
		kernels.Figure{Name: "unclustered", Value: none},
		kernels.Figure{Name: "clustering_exponents", Value: exponents},
		kernels.Figure{Name: "vertices_of_clustering", Value: vertices})
}

// checkDegrees holds figures against what every graph has: each vertex has one
// degree, and the degrees count both ends of every edge.
func checkDegrees(g *graph.Graph, figures []kernels.Figure) error {
	var degrees, counts []int64
	for _, f := range figures {
		switch f.Name {
		case degreesFigure:
			degrees = f.Value.([]int64)
		case ofDegreeFigures:
			counts = f.Value.([]int64)
		}
	}
	var vertices, ends int64
	for i, n := range counts {
		vertices += n
		ends += n * degrees[i]
	}
	if vertices != int64(g.Vertices()) || ends != 2*g.Edges() {
		return fmt.Errorf("wrong answer: degrees of %d vertices with %d ends of edges, not %d with %d", vertices, ends, g.Vertices(), 2*g.Edges())
	}
	return nil
}
