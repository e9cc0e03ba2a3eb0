package graph

import (
	"fmt"
	"math"
	"math/bits"
)

// EnsureWeights gives an unweighted graph random integer weights of 1 to
// HeaviestRandom inclusive, and says whether it did. A weight is a hash of the
// edge's two ends and the seed, so it depends neither on the order of the edges
// nor on the rest of the graph. A graph that has weights keeps them.
func (g *Graph) EnsureWeights(seed uint64) bool {
	if g.Weight != nil {
		return false
	}
	weight := make([]float64, len(g.Adj))
	n := uint64(g.HeaviestRandom())
	inBlocks(g.Vertices(), grain, func(lo, hi int) {
		for u := lo; u < hi; u++ {
			for i := g.XAdj[u]; i < g.XAdj[u+1]; i++ {
				v := int(g.Adj[i])
				h := mix(mix(seed^uint64(min(u, v))) + uint64(max(u, v)))
				scaled, _ := bits.Mul64(h, n)
				weight[i] = float64(scaled + 1)
			}
		}
	})
	g.Weight = weight
	return true
}

// HeaviestRandom returns the greatest of the weights that EnsureWeights gives.
func (g *Graph) HeaviestRandom() int {
	if g.MaxWeight > 0 {
		return g.MaxWeight
	}
	return g.Vertices()
}

// CheckPositiveWeights returns an error that names the first edge whose weight
// is zero, negative, infinite or not a number, or one that says that the graph
// has no weights. Kernels whose proofs need positive weights call it first.
func (g *Graph) CheckPositiveWeights() error {
	if g.Weight == nil && len(g.Adj) > 0 {
		return fmt.Errorf("%s: the graph has no weights", g.Name)
	}
	for u := range int32(g.Vertices()) {
		for i, w := range g.Weights(u) {
			if !(w > 0) || math.IsInf(w, 1) {
				return fmt.Errorf("%s: edge %d-%d has weight %v: this kernel needs positive finite weights (vertices are counted from 0)",
					g.Name, u, g.Neighbors(u)[i], w)
			}
		}
	}
	return nil
}

// mix is the finalizer of SplitMix64 (Steele, Lea, Flood, "Fast splittable
// pseudorandom number generators", OOPSLA 2014) behind its increment: a
// bijection whose every output bit depends on every input bit.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
