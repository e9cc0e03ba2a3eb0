package irregular

import (
	"fmt"
	"math"
	"slices"

	"heddle/kernels"
	"heddle/kernels/graph"
)

// Answer is the state of each vertex before and after.
type Answer struct {
	Start, State []float64
	Iterations   int
}

// newAnswer copies state.
func newAnswer(start, state []float64, iterations int) *Answer {
	return &Answer{Start: start, State: slices.Clone(state), Iterations: iterations}
}

// Figures implements kernels.Answer.
func (a *Answer) Figures() []kernels.Figure {
	least, most, sum := math.Inf(1), math.Inf(-1), 0.0
	for _, x := range a.State {
		least, most, sum = min(least, x), max(most, x), sum+x
	}
	if len(a.State) == 0 {
		least, most = 0, 0
	}
	return []kernels.Figure{
		{Name: "iterations", Value: int64(a.Iterations)},
		{Name: "mean_state", Value: sum / float64(max(1, len(a.State)))},
		{Name: "least_state", Value: least},
		{Name: "greatest_state", Value: most},
	}
}

// Check implements kernels.Answer. While its neighbors' states, of sum S, stand,
// the state x of a vertex of degree d becomes (x+S)/(d+1), so that after I
// iterations it is
//
//	S/d + (x - S/d) / (d+1)^I
//
// S is summed with twice the precision of the kernel. Each of the kernel's
// iterations adds d+1 terms of at most 1 and divides, which is off by at most
// (d+1) u, u = 2^-53, and divides the error it began with by d+1: all in all it
// is off by less than 2(d+1) u, and the formula here by less than 4u.
func (a *Answer) Check(g *graph.Graph) error {
	n := g.Vertices()
	if len(a.State) != n || len(a.Start) != n || a.Iterations < 1 {
		return fmt.Errorf("states of %d vertices from %d, after %d iterations, for a graph of %d",
			len(a.State), len(a.Start), a.Iterations, n)
	}
	const u = 0x1p-53
	for v := range int32(n) {
		want := a.Start[v]
		d := float64(g.Degree(v))
		if d > 0 {
			limit := total(a.Start, g.Neighbors(v)) / d
			want = limit + (want-limit)*math.Pow(d+1, -float64(a.Iterations))
		}
		// Written so that NaN is off.
		if !(math.Abs(a.State[v]-want) <= (2*d+6)*u) {
			return fmt.Errorf("vertex %d: state %v after %d iterations, its %v neighbors make it %v",
				v, a.State[v], a.Iterations, d, want)
		}
	}
	return nil
}

// total returns the sum of the states of some vertices, rounded about once, by
// Kahan's method as Neumaier has it (ZAMM 54, 1974).
func total(state []float64, vertices []int32) float64 {
	var sum, lost float64
	for _, v := range vertices {
		x := state[v]
		next := sum + x
		if math.Abs(sum) >= math.Abs(x) {
			lost += (sum - next) + x
		} else {
			lost += (x - next) + sum
		}
		sum = next
	}
	return sum + lost
}
