package matching

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"heddle/kernels/graph"
	"heddle/kernels/kerneltest"
	"heddle/kernels/team"
)

// rank returns the place of v among u's neighbors, from the greatest edge at 0.
func rank(g *graph.Graph, u, v int32) (place int64) {
	var weight float64
	for i, w := range g.Neighbors(u) {
		if w == v {
			weight = g.Weights(u)[i]
		}
	}
	for i, w := range g.Neighbors(u) {
		if (edge{weight, u, v}).less(edge{g.Weights(u)[i], u, w}) {
			place++
		}
	}
	return place
}

// Rows are permutations of the graph's, descending, and reverse pairs them.
func TestSortRows(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		g := kerneltest.DrawGraph(r, 64)
		workers := team.New(context.Background(), rapid.IntRange(1, 4).Draw(r, "threads"))
		defer workers.Close()
		rows, err := sortRows(workers, g, true)
		if err != nil {
			r.Fatal(err)
		}
		owner := make([]int32, len(g.Adj))
		for u := range int32(g.Vertices()) {
			row := rows.adj[g.XAdj[u]:g.XAdj[u+1]]
			if !slices.Equal(slices.Sorted(slices.Values(row)), g.Neighbors(u)) {
				r.Fatalf("row %d is %v, a permutation of %v expected", u, row, g.Neighbors(u))
			}
			for i, v := range row {
				owner[g.XAdj[u]+int64(i)] = u
				if at := rank(g, u, v); at != int64(i) {
					r.Fatalf("row %d is %v: %d is at %d, want %d", u, row, v, i, at)
				}
			}
		}
		for e, back := range rows.reverse {
			if owner[e] != rows.adj[back] || owner[back] != rows.adj[e] {
				r.Fatalf("the reverse of %d, %d-%d, is %d, %d-%d", e, owner[e], rows.adj[e], back, owner[back], rows.adj[back])
			}
		}
		without, err := sortRows(workers, g, false)
		if err != nil || without.reverse != nil || !slices.Equal(without.adj, rows.adj) {
			r.Fatalf("without reverse: %+v, %v", without, err)
		}
	})
}

// Whatever the interleaving, the answer is greedy's and accesses are as the
// table counts them.
func TestSortedSimulated(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		g := kerneltest.DrawGraph(r, 48)
		want := greedy(g)
		cfg, schedule := kerneltest.DrawConfig(r), kerneltest.DrawSchedule(r)
		for range 10 {
			cfg.Seed++
			a, m := simulateLoops(r, ldSorted, g, cfg, schedule)
			if !slices.Equal(a.Mate, want) {
				r.Fatalf("%+v: mate %v, greedy has %v", cfg, a.Mate, want)
			}
			if err := a.Check(g); err != nil {
				r.Fatalf("%+v: %v", cfg, err)
			}
			checkSortedWork(r, g, a, m)
		}
	})
}

func checkSortedWork(t rapid.TB, g *graph.Graph, a *Answer, m *kerneltest.Functional) {
	t.Helper()
	V, E, N, M, D := parameters(g, a.Mate)
	var Q, S int64
	if len(a.Queue) > 0 {
		Q = a.Queue[0]
	}
	for u, v := range a.Mate {
		switch d := g.Degree(int32(u)); {
		case v != none:
			S += rank(g, int32(u), v)
		case d > 0:
			S += int64(d) - 1
		}
	}
	P := m.Count("position").Loads
	swaps := m.Count("mate").Atomics
	if P > S+N || S > 2*E-N {
		t.Fatalf("%d candidates sought among %d neighbors; at most %d among %d expected", P, S, S+N, 2*E-N)
	}
	if swaps < (M-Q)/2 || swaps > M-Q {
		t.Fatalf("%d swaps of mate, %d to %d expected", swaps, (M-Q)/2, M-Q)
	}
	checkCounts(t, m, map[string]kerneltest.Count{
		"xadj":      {Loads: 2*V + 2*M + P},
		"adjncy":    {Loads: N + D + S},
		"position":  {Loads: P, Stores: V + P},
		"candidate": {Loads: V + M + D + P, Stores: V + P},
		"mate":      {Loads: M + S, Stores: V + Q + (M-Q)/2, Atomics: swaps},
		"queue":     {Loads: M, Stores: M},
		"tail":      {Atomics: Q + (M-Q)/2},
	})
}

// The time of the sort is told apart.
func TestNativeTellsTheTimeOfTheSort(t *testing.T) {
	a := runOne(t, ldSorted, open(t, "rmat-g:10"), 2)
	var seconds any
	for _, f := range a.Figures() {
		if f.Name == "sort_seconds" {
			seconds = f.Value
		}
	}
	if s, ok := seconds.(float64); !ok || s <= 0 || s > 60 {
		t.Errorf("sort_seconds is %v", seconds)
	}
}
