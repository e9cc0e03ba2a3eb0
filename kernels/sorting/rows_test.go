package sorting

import (
	"context"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heddle/kernels"
	"heddle/kernels/graph"
	"heddle/kernels/kerneltest"
)

var rows = Kernels()[0]

// Whatever the warps' width and interleaving, rows come out sorted, each entry
// is read once, and none moves more than by the height of its heap, each way.
func TestRows(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		g := kerneltest.DrawGraph(r, 60)
		o := kernels.Options{Schedule: kerneltest.DrawSchedule(r), Threads: rapid.IntRange(0, 8).Draw(r, "threads")}
		native, err := rows.RunNative(context.Background(), g, o)
		if err != nil {
			r.Fatal(err)
		}
		cfg := kerneltest.DrawConfig(r)
		m := kerneltest.NewFunctional(cfg)
		simulated, err := rows.Simulate(m, g, o)
		if err != nil {
			r.Fatalf("%+v: %v", cfg, err)
		}
		for _, a := range []kernels.Answer{native, simulated} {
			if err := a.Check(g); err != nil {
				r.Fatalf("%+v: %v", cfg, err)
			}
		}
		V, A := int64(g.Vertices()), int64(len(g.Adj))
		var least, most int64
		for u := range int32(V) {
			d := int64(g.Degree(u))
			least += d + 2*max(0, d-1)
			most += 2 * d * int64(bits.Len64(uint64(d)))
		}
		most += least
		for array, want := range map[string]int64{"xadj": 2 * V, "adjncy": A, "weight": A} {
			if got := m.Count(array); got != (kerneltest.Count{Loads: want}) {
				r.Fatalf("%s: %+v, want %d loads", array, got, want)
			}
		}
		for _, array := range []string{"sorted", "key"} {
			if got := m.Count(array); got.Stores < least || got.Stores > most {
				r.Fatalf("%s: %d stores, want %d to %d", array, got.Stores, least, most)
			}
		}
	})
}

func TestCheckRejects(t *testing.T) {
	// Vertex 0 prefers 3, then 2 and 1 of the same weight.
	g := kerneltest.FromEdges(4, []kerneltest.Edge{{U: 0, V: 1, Weight: 1}, {U: 0, V: 2, Weight: 1}, {U: 0, V: 3, Weight: 2}})
	right := Answer{[]int32{3, 2, 1, 0, 0, 0}, []float64{2, 1, 1, 1, 1, 2}}
	if err := right.Check(g); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		why   string
		spoil func(a *Answer)
	}{
		{"entry 0 of its sorted row is 2 of weight 1", func(a *Answer) {
			a.Neighbor[0], a.Neighbor[1], a.Weight[0], a.Weight[1] = 2, 3, 1, 2
		}},
		{"entry 1 of its sorted row is 1 of weight 1, want 2", func(a *Answer) { a.Neighbor[1], a.Neighbor[2] = 1, 2 }},
		{"entry 2 of its sorted row is 1 of weight 3", func(a *Answer) { a.Weight[2] = 3 }},
		{"vertex 3", func(a *Answer) { a.Neighbor[5] = 1 }},
		{"5 neighbors", func(a *Answer) { a.Neighbor = a.Neighbor[:5] }},
	} {
		a := newAnswer(right.Neighbor, right.Weight)
		c.spoil(a)
		if err := a.Check(g); err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("error %v, want %q", err, c.why)
		}
	}
}

// As many workers as there are, on one graph with hubs.
func TestNativeOnHubs(t *testing.T) {
	g, err := graph.Open("rmat-b:12,weights=9", graph.Options{NoCache: true})
	if err != nil {
		t.Fatal(err)
	}
	g.EnsureWeights(1)
	var last kernels.Answer
	for threads := 1; threads <= 4; threads *= 2 {
		a, err := rows.RunNative(context.Background(), g, kernels.Options{Threads: threads})
		if err == nil {
			err = a.Check(g)
		}
		if err != nil {
			t.Errorf("%d threads: %v", threads, err)
		}
		if last != nil && !slices.Equal(last.(*Answer).Neighbor, a.(*Answer).Neighbor) {
			t.Errorf("%d threads sort otherwise", threads)
		}
		last = a
	}
}

func TestWeightsMustBePositive(t *testing.T) {
	g := kerneltest.FromEdges(2, []kerneltest.Edge{{U: 0, V: 1, Weight: -1}})
	_, errSim := rows.Simulate(kerneltest.NewFunctional(kerneltest.Config{Width: 1}), g, kernels.Options{})
	_, errNative := rows.RunNative(context.Background(), g, kernels.Options{})
	for _, err := range []error{errSim, errNative} {
		if err == nil || !strings.Contains(err.Error(), "0-1") {
			t.Errorf("error %v, want one that names edge 0-1", err)
		}
	}
}
