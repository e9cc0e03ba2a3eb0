package matching

import (
	"math"

	"heddle/kernels"
	"heddle/kernels/graph"
	"heddle/kernels/team"
)

func nativeSerial(t *team.Team, g *graph.Graph, _ kernels.Options) (kernels.NativeRun, error) {
	if err := g.CheckPositiveWeights(); err != nil {
		return nil, err
	}
	s := newSerial(g)
	s.ended = t.Err
	return s, nil
}

// Serial returns the mate of each vertex, -1 for none, in the greedy matching
// of g, which has positive weights.
func Serial(g *graph.Graph) []int32 {
	s := newSerial(g)
	_ = s.Run()
	return s.mate
}

// serial is a native run of Algorithms 1 and 2.
type serial struct {
	g         *graph.Graph
	ended     func() error // why to stop early
	mate      []int32
	candidate []int32
	queue     []int32
	first     int // matched in phase 1
}

func newSerial(g *graph.Graph) *serial {
	n := g.Vertices()
	return &serial{
		g: g, ended: func() error { return nil },
		mate: make([]int32, n), candidate: make([]int32, n), queue: make([]int32, 0, n),
	}
}

// patience is how many vertices a serial run handles between two looks at
// whether it is to end.
const patience = 1024

// Run implements kernels.NativeRun.
func (s *serial) Run() error {
	s.queue = s.queue[:0]
	for u := range s.mate {
		s.mate[u], s.candidate[u] = none, none
	}
	for u := range int32(len(s.mate)) {
		if u%patience == 0 && s.ended() != nil {
			return s.ended()
		}
		s.process(u)
	}
	s.first = len(s.queue)
	for head := 0; head < len(s.queue); head++ {
		if head%patience == 0 && s.ended() != nil {
			return s.ended()
		}
		u := s.queue[head]
		s.bereave(u, s.mate[u], s.g.Neighbors(u))
	}
	return s.ended()
}

// bereave processes all neighbors of u that named it, but for its mate.
func (s *serial) bereave(u, mate int32, neighbors []int32) {
	candidate := s.candidate
	for _, v := range neighbors {
		if candidate[uint32(v)] == u && v != mate {
			s.process(v)
		}
	}
}

// process is Algorithm 2.
func (s *serial) process(u int32) {
	best, at := math.Inf(-1), int32(none)
	mate := s.mate
	neighbors := s.g.Neighbors(u)
	weights := s.g.Weights(u)[:len(neighbors)]
	for i, v := range neighbors {
		if mate[uint32(v)] != none {
			continue
		}
		w := weights[i]
		if w < best {
			continue
		}
		best, at = w, v
	}
	s.candidate[u] = at
	if at != none && s.candidate[at] == u {
		s.mate[u], s.mate[at] = at, u
		s.queue = append(s.queue, u, at)
	}
}

// Answer implements kernels.NativeRun.
func (s *serial) Answer() kernels.Answer {
	return newAnswer(s.g, s.mate, phases(s.first, len(s.queue)))
}
