package matching

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"heddle/kernels/graph"
	"heddle/kernels/kerneltest"
)

// serialWork counts, by Algorithm 1 written down once more, how often a vertex
// looks for a candidate, how many neighbors it scans, and how many of those are
// unmatched.
func serialWork(g *graph.Graph) (P, S, W int64) {
	var queue []int32
	mate := slices.Repeat([]int32{none}, g.Vertices())
	candidate := slices.Clone(mate)
	process := func(s int32) {
		P++
		var best *edge
		for i, t := range g.Neighbors(s) {
			S++
			if mate[t] != none {
				continue
			}
			W++
			if e := (edge{g.Weights(s)[i], s, t}); best == nil || best.less(e) {
				best = &e
			}
		}
		candidate[s] = none
		if best == nil {
			return
		}
		t := best.v
		candidate[s] = t
		if candidate[t] == s {
			mate[s], mate[t] = t, s
			queue = append(queue, s, t)
		}
	}
	for u := range int32(g.Vertices()) {
		process(u)
	}
	for i := 0; i < len(queue); i++ {
		for _, v := range g.Neighbors(queue[i]) {
			if candidate[v] == queue[i] && v != mate[queue[i]] {
				process(v)
			}
		}
	}
	return P, S, W
}

// One thread works, whatever the machine starts, and does what the table says.
func TestSerialSimulated(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		g := kerneltest.DrawGraph(r, 48)
		a, m := simulateOne(r, ldSerial, g, kerneltest.DrawConfig(r))
		if want := greedy(g); !slices.Equal(a.Mate, want) {
			r.Fatalf("mate %v, greedy has %v", a.Mate, want)
		}
		if err := a.Check(g); err != nil {
			r.Fatal(err)
		}
		native := runOne(r, ldSerial, g, 0)
		if !slices.Equal(a.Mate, native.Mate) || !slices.Equal(a.Queue, native.Queue) {
			r.Fatalf("mate %v and queue %v, native %v and %v", a.Mate, a.Queue, native.Mate, native.Queue)
		}
		V, _, _, M, D := parameters(g, a.Mate)
		P, S, W := serialWork(g)
		checkCounts(r, m, map[string]kerneltest.Count{
			"xadj":      {Loads: 2*P + 2*M},
			"adjncy":    {Loads: S + D},
			"weight":    {Loads: W},
			"candidate": {Loads: P - (V - M) + D, Stores: V + P},
			"mate":      {Loads: S + M, Stores: V + M},
			"queue":     {Loads: M, Stores: M},
			"tail":      {Stores: 2},
		})
	})
}
