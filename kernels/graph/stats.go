package graph

import (
	"math/bits"
	"sync"
)

// Stats describes a graph by its degrees and its components.
type Stats struct {
	Vertices  int
	Edges     int64
	MinDegree int
	MaxDegree int
	// MeanDegree and DegreeVariance are over all vertices, isolated ones
	// included; the variance is the population's.
	MeanDegree     float64
	DegreeVariance float64
	Isolated       int // vertices of degree 0
	// Components counts connected components, each isolated vertex one;
	// LargestComponent is the vertices of the largest.
	Components       int
	LargestComponent int
	// Histogram[0] counts the isolated vertices and Histogram[k] those of
	// degree 2^(k-1) to 2^k-1; the last bin is not empty.
	Histogram []int64
}

// IsolatedPercent returns the isolated vertices in percent of all.
func (s *Stats) IsolatedPercent() float64 {
	return 100 * float64(s.Isolated) / float64(s.Vertices)
}

// Stats computes the statistics in O(V + E) time and 4 V bytes.
func (g *Graph) Stats() *Stats {
	n := g.Vertices()
	s := &Stats{Vertices: n, Edges: g.Edges(), MeanDegree: float64(len(g.Adj)) / float64(n)}
	s.MinDegree = g.Degree(0)
	var squares float64
	for v := range int32(n) {
		d := g.Degree(v)
		s.MinDegree = min(s.MinDegree, d)
		s.MaxDegree = max(s.MaxDegree, d)
		bin := bits.Len(uint(d))
		for len(s.Histogram) <= bin {
			s.Histogram = append(s.Histogram, 0)
		}
		s.Histogram[bin]++
		off := float64(d) - s.MeanDegree
		squares += off * off
	}
	s.DegreeVariance = squares / float64(n)
	s.Isolated = int(s.Histogram[0])
	s.Components, s.LargestComponent = g.components()
	return s
}

// components returns the number of connected components and the vertices of
// the largest, by union-find: root[v] is v's parent, or for a root minus the
// vertices of its tree.
func (g *Graph) components() (number, largest int) {
	root := make([]int32, g.Vertices())
	for v := range root {
		root[v] = -1
	}
	find := func(v int32) int32 {
		for root[v] >= 0 {
			if up := root[root[v]]; up >= 0 {
				root[v] = up // halve the path
			}
			v = root[v]
		}
		return v
	}
	for u := range int32(len(root)) {
		at := find(u)
		for _, v := range g.Neighbors(u) {
			if v > u {
				break
			}
			other := find(v)
			if other == at {
				continue
			}
			if root[other] < root[at] { // the larger tree stays
				at, other = other, at
			}
			root[at] += root[other]
			root[other] = at
		}
	}
	for _, r := range root {
		if r < 0 {
			number++
			largest = max(largest, int(-r))
		}
	}
	return number, largest
}

// Clustering returns the mean over all vertices of the local clustering
// coefficient.
func (g *Graph) Clustering() float64 {
	sum := 0.0
	for _, c := range g.LocalClustering() {
		sum += c
	}
	return sum / float64(g.Vertices())
}

// LocalClustering returns for each vertex the share of pairs of its neighbors
// that are neighbors themselves, 0 where there is no pair. It takes O(sum of
// squared degrees) time at worst.
func (g *Graph) LocalClustering() []float64 {
	n := g.Vertices()
	local := make([]float64, n)
	// seen[v] == u+1 says that v is u's neighbor, whoever marked it before.
	marks := sync.Pool{New: func() any { seen := make([]int32, n); return &seen }}
	inBlocks(n, grain, func(lo, hi int) {
		lent := marks.Get().(*[]int32)
		defer marks.Put(lent)
		seen := *lent
		for u := int32(lo); u < int32(hi); u++ {
			d := g.Degree(u)
			if d < 2 {
				continue
			}
			for _, v := range g.Neighbors(u) {
				seen[v] = u + 1
			}
			closed := 0
			for _, v := range g.Neighbors(u) {
				for _, w := range g.Neighbors(v) {
					if seen[w] == u+1 {
						closed++
					}
				}
			}
			local[u] = float64(closed) / (float64(d) * float64(d-1))
		}
	})
	return local
}
