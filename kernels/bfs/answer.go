package bfs

import (
	"fmt"
	"slices"

	"heddle/kernels"
	"heddle/kernels/graph"
)

// Answer is a breadth-first search tree.
type Answer struct {
	Source int32
	// Level and Parent are per vertex, -1 where the source does not reach.
	Level  []int32
	Parent []int32
	// Frontier holds the vertices of each level.
	Frontier []int64

	reached int64 // vertices with a level
	edges   int64 // edges between them
}

// newAnswer copies level and parent.
func newAnswer(g *graph.Graph, source int32, level, parent []int32, frontier []int64) *Answer {
	a := &Answer{Source: source, Level: slices.Clone(level), Parent: slices.Clone(parent), Frontier: frontier}
	for u, l := range level {
		if l != unreached {
			a.reached++
			a.edges += int64(g.Degree(int32(u)))
		}
	}
	a.edges /= 2
	return a
}

// unqueuedAnswer is newAnswer of a search whose queues do not hold vertices: the
// frontiers are those of the levels.
func unqueuedAnswer(g *graph.Graph, source int32, level, parent []int32) *Answer {
	var frontier []int64
	for _, l := range level {
		if l != unreached {
			for int(l) >= len(frontier) {
				frontier = append(frontier, 0)
			}
			frontier[l]++
		}
	}
	return newAnswer(g, source, level, parent, frontier)
}

// Figures implements kernels.Answer. Edges traversed are those of the source's
// component, each counted once: the numerator of traversed edges per second as
// Graph500 defines it.
func (a *Answer) Figures() []kernels.Figure {
	return []kernels.Figure{
		{Name: "source", Value: int64(a.Source)},
		{Name: "reached", Unit: "vertices", Value: a.reached},
		{Name: "levels", Value: int64(len(a.Frontier))},
		{Name: "edges_traversed", Unit: "edges", Value: a.edges},
		{Name: "frontier_sizes", Unit: "vertices", Value: a.Frontier},
	}
}

// Check implements kernels.Answer: levels are those of a serial search,
// parents are neighbors one level nearer, and the frontiers were of the levels'
// sizes.
func (a *Answer) Check(g *graph.Graph) error {
	n := g.Vertices()
	if len(a.Level) != n || len(a.Parent) != n || a.Source < 0 || int(a.Source) >= n {
		return fmt.Errorf("levels of %d and parents of %d vertices from source %d, for a graph of %d",
			len(a.Level), len(a.Parent), a.Source, n)
	}
	want := Serial(g, a.Source)
	var sizes []int64
	for u, level := range want {
		if a.Level[u] != level {
			return fmt.Errorf("vertex %d: level %d, its distance from source %d is %d", u, a.Level[u], a.Source, level)
		}
		if level != unreached {
			for int(level) >= len(sizes) {
				sizes = append(sizes, 0)
			}
			sizes[level]++
		}
		if err := a.checkParent(g, int32(u)); err != nil {
			return err
		}
	}
	if !slices.Equal(a.Frontier, sizes) {
		return fmt.Errorf("frontiers of %d vertices, the levels hold %d", a.Frontier, sizes)
	}
	return nil
}

// checkParent judges the parent of u, whose level is right; levels of higher
// vertices may not be.
func (a *Answer) checkParent(g *graph.Graph, u int32) error {
	p := a.Parent[u]
	switch {
	case a.Level[u] == unreached:
		if p != unreached {
			return fmt.Errorf("vertex %d: parent %d, but no path from source %d", u, p, a.Source)
		}
	case u == a.Source:
		if p != u {
			return fmt.Errorf("vertex %d: parent %d, but it is the source", u, p)
		}
	case p < 0 || int(p) >= len(a.Level):
		return fmt.Errorf("vertex %d: parent %d is no vertex", u, p)
	case a.Level[p] != a.Level[u]-1:
		return fmt.Errorf("vertex %d: level %d, its parent %d has level %d", u, a.Level[u], p, a.Level[p])
	default:
		if _, found := slices.BinarySearch(g.Neighbors(u), p); !found {
			return fmt.Errorf("vertex %d: parent %d is not a neighbor", u, p)
		}
	}
	return nil
}

// Serial returns the distance in edges of each vertex from source, -1 where
// there is no path.
func Serial(g *graph.Graph, source int32) []int32 {
	level := make([]int32, g.Vertices())
	for u := range level {
		level[u] = unreached
	}
	level[source] = 0
	queue := make([]int32, 1, len(level))
	queue[0] = source
	for head := 0; head < len(queue); head++ {
		u := queue[head]
		for _, v := range g.Neighbors(u) {
			if level[v] == unreached {
				level[v] = level[u] + 1
				queue = append(queue, v)
			}
		}
	}
	return level
}
