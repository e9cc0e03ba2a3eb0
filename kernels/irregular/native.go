package irregular

import (
	"heddle/kernels"
	"heddle/kernels/graph"
	"heddle/kernels/team"
)

// native is Algorithm 5 on goroutines.
type native struct {
	t           *team.Team
	g           *graph.Graph
	iterations  int
	state, next []float64
}

func nativeAverage(t *team.Team, g *graph.Graph, o kernels.Options) (kernels.NativeRun, error) {
	times, err := asked(o)
	if err != nil {
		return nil, err
	}
	v := g.Vertices()
	return &native{t: t, g: g, iterations: times, state: start(v, o.Seed), next: make([]float64, v)}, nil
}

// Run implements kernels.NativeRun.
func (n *native) Run() error { return n.t.Each(len(n.next), team.Chunk, n.average) }

// average computes the next states of the vertices from lo to hi-1.
func (n *native) average(lo, hi int) {
	state := n.state
	for v := lo; v < hi; v++ {
		neighbors := n.g.Neighbors(int32(v))
		terms := float64(len(neighbors) + 1)
		mean := state[v]
		for range n.iterations {
			sum := mean
			for _, w := range neighbors {
				sum += state[w]
			}
			mean = sum / terms
		}
		n.next[v] = mean
	}
}

// Answer implements kernels.NativeRun.
func (n *native) Answer() kernels.Answer { return newAnswer(n.state, n.next, n.iterations) }
