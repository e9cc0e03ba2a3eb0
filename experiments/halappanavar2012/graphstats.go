package halappanavar2012

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"heddle/kernels/graph"
)

// GraphStats are the properties of a graph in table II and figure 1.
type GraphStats struct {
	Vertices  int     `json:"vertices"`
	Edges     int64   `json:"edges"`
	MaxDegree int     `json:"max_degree"`
	Mean      float64 `json:"mean_degree"`
	Variance  float64 `json:"degree_variance"` // over all vertices
	Isolated  float64 `json:"isolated_percent"`
	// Degrees[i] vertices have degree i, for those i that occur.
	Degrees []Count `json:"degrees"`
	// Coefficients are the vertices by local clustering coefficient: none, and
	// from 2^-k to 2^(1-k). Clustering is the mean. Both are empty where they
	// were not asked for.
	Coefficients []Bin   `json:"coefficients,omitempty"`
	Clustering   float64 `json:"clustering,omitempty"`
}

// Count is how many vertices have a degree.
type Count struct {
	Degree   int   `json:"degree"`
	Vertices int64 `json:"vertices"`
}

// Bin is how many vertices have a local clustering coefficient of at least Low
// and below twice that; 0 is a bin of its own.
type Bin struct {
	Low      float64 `json:"low"`
	Vertices int64   `json:"vertices"`
}

// Analyse returns the statistics of g.
func Analyse(g *graph.Graph, clustering bool) *GraphStats {
	stats := g.Stats()
	s := &GraphStats{
		Vertices: stats.Vertices, Edges: stats.Edges, MaxDegree: stats.MaxDegree,
		Mean: stats.MeanDegree, Variance: stats.DegreeVariance, Isolated: stats.IsolatedPercent(),
	}
	counts := make([]int64, s.MaxDegree+1)
	for v := range int32(g.Vertices()) {
		counts[g.Degree(v)]++
	}
	for d, n := range counts {
		if n > 0 {
			s.Degrees = append(s.Degrees, Count{d, n})
		}
	}
	if clustering {
		s.cluster(localClustering(g))
	}
	return s
}

// cluster sets the distribution and the mean of local coefficients.
func (s *GraphStats) cluster(local []float64) {
	none := int64(0)
	bins := map[int]int64{} // by exponent of the lower end
	lowest := 0
	sum := 0.0
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
	s.Coefficients = []Bin{{0, none}}
	for e := lowest; e <= 0; e++ {
		if bins[e] > 0 {
			s.Coefficients = append(s.Coefficients, Bin{math.Ldexp(1, e), bins[e]})
		}
	}
	s.Clustering = sum / float64(len(local))
}

// localClustering returns for each vertex the share of pairs of its neighbors
// that are neighbors themselves, 0 where there is no pair.
func localClustering(g *graph.Graph) []float64 {
	const block = 256 // vertices a worker takes at a time
	n := g.Vertices()
	local := make([]float64, n)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			near := make([]bool, n) // neighbors of the vertex at hand
			for {
				low := int(next.Add(block)) - block
				if low >= n {
					return
				}
				for u := int32(low); u < int32(min(low+block, n)); u++ {
					local[u] = coefficient(g, u, near)
				}
			}
		})
	}
	workers.Wait()
	return local
}

// coefficient returns u's local clustering coefficient; near is false before
// and after.
func coefficient(g *graph.Graph, u int32, near []bool) float64 {
	d := g.Degree(u)
	if d < 2 {
		return 0
	}
	for _, v := range g.Neighbors(u) {
		near[v] = true
	}
	closed := 0 // pairs, each counted from both ends
	for _, v := range g.Neighbors(u) {
		for _, w := range g.Neighbors(v) {
			if near[w] {
				closed++
			}
		}
	}
	for _, v := range g.Neighbors(u) {
		near[v] = false
	}
	return float64(closed) / (float64(d) * float64(d-1))
}
