package matching

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heddle/kernels/kerneltest"
)

func TestCheckRejects(t *testing.T) {
	// A path 0-1-2-3-4 of weights 1, 4, 3, 2 and a vertex on its own: greedy
	// matches 1-2 and 3-4.
	g := kerneltest.FromEdges(6, []kerneltest.Edge{{U: 0, V: 1, Weight: 1}, {U: 1, V: 2, Weight: 4}, {U: 2, V: 3, Weight: 3}, {U: 3, V: 4, Weight: 2}})
	for _, c := range []struct {
		mate   []int32
		reason string // empty if right
	}{
		{[]int32{-1, 2, 1, 4, 3, -1}, ""},
		{[]int32{-1, 2, 1, 4, 3}, "5 vertices"},
		{[]int32{-1, 2, 1, 4, 3, 6}, "vertex 5: its mate 6 is no vertex"},
		{[]int32{-2, 2, 1, 4, 3, -1}, "vertex 0: its mate -2 is no vertex"},
		{[]int32{1, 2, 1, 4, 3, -1}, "vertex 0: its mate is 1, whose mate is 2"},
		{[]int32{-1, 2, 1, 4, 3, 5}, "vertex 5: its mate 5 is not a neighbor"},
		{[]int32{3, 2, 1, 0, -1, -1}, "vertex 0: its mate 3 is not a neighbor"},
		{[]int32{-1, 2, 1, -1, -1, -1}, "vertex 3: not maximal"},
		{[]int32{1, 0, 3, 2, -1, -1}, "vertex 1: not greedy: edge 1-2"},
		{[]int32{1, 0, -1, 4, 3, -1}, "vertex 1: not greedy: edge 1-2 of weight 4 is heavier than the matched edges at its ends, 1-0 of weight 1 and none at 2"},
	} {
		err := CheckGreedy(g, c.mate)
		switch {
		case c.reason == "" && err != nil:
			t.Errorf("%v: %v", c.mate, err)
		case c.reason != "" && (err == nil || !strings.Contains(err.Error(), c.reason)):
			t.Errorf("%v: %v, want %q", c.mate, err, c.reason)
		}
	}
}

func TestCheckCountsTheQueues(t *testing.T) {
	g := kerneltest.FromEdges(2, []kerneltest.Edge{{U: 0, V: 1, Weight: 1}})
	for queue, right := range map[int64]bool{2: true, 1: false, 3: false} {
		a := newAnswer(g, []int32{1, 0}, []int64{queue})
		if err := a.Check(g); (err == nil) != right {
			t.Errorf("queues of %d: %v", queue, err)
		}
	}
}

// CheckGreedy accepts greedy's matching and no other.
func TestCheckAcceptsGreedyAlone(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		g := kerneltest.DrawGraph(r, 16)
		mate := greedy(g)
		if err := CheckGreedy(g, mate); err != nil {
			r.Fatal(err)
		}
		other := slices.Clone(mate)
		for range rapid.IntRange(1, 3).Draw(r, "changes") {
			u := int32(rapid.IntRange(0, g.Vertices()-1).Draw(r, "u"))
			free := func(x int32) {
				if m := other[x]; m != none {
					other[m] = none
				}
				other[x] = none
			}
			free(u)
			if d := g.Degree(u); d > 0 && rapid.Bool().Draw(r, "match") {
				v := g.Neighbors(u)[rapid.IntRange(0, d-1).Draw(r, "v")]
				free(v)
				other[u], other[v] = v, u
			}
		}
		err := CheckGreedy(g, other)
		if same := slices.Equal(mate, other); same != (err == nil) {
			r.Fatalf("mate %v, greedy %v: %v", other, mate, err)
		}
	})
}
