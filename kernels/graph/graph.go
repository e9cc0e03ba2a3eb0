// Package graph holds the inputs of the kernels: undirected graphs in
// compressed sparse row form, the readers and writers of the usual file
// formats, the generators of the papers, and a disk cache for what they make.
package graph

import (
	"fmt"
	"math"
)

// MaxVertices is the most vertices that a graph holds: ids are int32, and
// kernels use V itself and one more as marks.
const MaxVertices = math.MaxInt32 - 1

// Graph is a simple undirected graph in compressed sparse row (CSR) form: no
// self-loops, no parallel edges, and each edge stored in both directions.
// Vertices are numbered from 0. A Graph is read-only to the kernels and may be
// shared by goroutines once its weights are there.
type Graph struct {
	// Name is the generator's specification or the file's base name.
	Name string
	// XAdj has V+1 elements; vertex v's neighbors are Adj[XAdj[v]:XAdj[v+1]].
	XAdj []int64
	// Adj has 2E elements, strictly ascending within a vertex.
	Adj []int32
	// Weight is parallel to Adj, or nil in an unweighted graph. Both
	// directions of an edge carry the same weight.
	Weight []float64
	// MaxWeight is the greatest of the weights that EnsureWeights gives; 0
	// stands for V.
	MaxWeight int
	// Dropped counts the input entries that a simple graph has no place for.
	Dropped Dropped
	// Symmetrised counts the edges that a directed input had in one direction
	// only.
	Symmetrised int64
	// Notes are further remarks of the reader, a line each.
	Notes []string
}

// Dropped counts input entries left out of a graph.
type Dropped struct {
	SelfLoops  int64 // entries from a vertex to itself
	Duplicates int64 // repetitions of an entry already seen
}

// Vertices returns V, isolated vertices included.
func (g *Graph) Vertices() int { return len(g.XAdj) - 1 }

// Edges returns E, each undirected edge counted once.
func (g *Graph) Edges() int64 { return int64(len(g.Adj)) / 2 }

// Degree returns the number of v's neighbors.
func (g *Graph) Degree(v int32) int { return int(g.XAdj[v+1] - g.XAdj[v]) }

// Neighbors returns v's neighbors in ascending order. The slice is the graph's
// own: it must not be changed.
func (g *Graph) Neighbors(v int32) []int32 {
	lo, hi := g.XAdj[v], g.XAdj[v+1]
	return g.Adj[lo:hi:hi]
}

// Weights returns the weights of v's edges in the order of Neighbors, or nil
// in an unweighted graph. The slice is the graph's own.
func (g *Graph) Weights(v int32) []float64 {
	if g.Weight == nil {
		return nil
	}
	lo, hi := g.XAdj[v], g.XAdj[v+1]
	return g.Weight[lo:hi:hi]
}

// Remarks says, a line each, what of the input the graph left out or changed.
func (g *Graph) Remarks() []string {
	var list []string
	for _, r := range []struct {
		n    int64
		what string
	}{
		{g.Dropped.SelfLoops, "self-loops removed"},
		{g.Dropped.Duplicates, "duplicate entries removed"},
		{g.Symmetrised, "edges given in one direction only, made undirected"},
	} {
		if r.n > 0 {
			list = append(list, fmt.Sprintf("%d %s", r.n, r.what))
		}
	}
	return append(list, g.Notes...)
}
