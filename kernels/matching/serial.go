package matching

import (
	"math"

	"heddle/kernels/graph"
)

// Serial returns the mate of each vertex, -1 for none, in the greedy matching
// of g: Algorithms 1 and 2. The graph has positive weights.
//
// The paper's line 12 processes every neighbor v of u with candidate[v] = u.
// u's own mate is one of them, and must be passed over or it would look for a
// second mate.
func Serial(g *graph.Graph) []int32 {
	n := g.Vertices()
	s := serial{g: g, mate: make([]int32, n), candidate: make([]int32, n), queue: make([]int32, 0, n)}
	for u := range s.mate {
		s.mate[u], s.candidate[u] = none, none
	}
	for u := range int32(n) {
		s.process(u)
	}
	for head := 0; head < len(s.queue); head++ {
		u := s.queue[head]
		for _, v := range g.Neighbors(u) {
			if s.candidate[v] == u && s.mate[u] != v {
				s.process(v)
			}
		}
	}
	return s.mate
}

type serial struct {
	g         *graph.Graph
	mate      []int32
	candidate []int32
	queue     []int32
}

// process is Algorithm 2.
func (s *serial) process(u int32) {
	best, at := math.Inf(-1), int32(none)
	weights := s.g.Weights(u)
	for i, v := range s.g.Neighbors(u) {
		if s.mate[v] == none && weights[i] >= best {
			best, at = weights[i], v
		}
	}
	s.candidate[u] = at
	if at != none && s.candidate[at] == u {
		s.mate[u], s.mate[at] = at, u
		s.queue = append(s.queue, u, at)
	}
}
