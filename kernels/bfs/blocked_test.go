package bfs

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"heddle/kernels"
	"heddle/kernels/graph"
	"heddle/kernels/kerneltest"
)

// star is a hub with n neighbors, the first of which ends in a tail.
func star(n int32) *graph.Graph {
	edges := []kerneltest.Edge{{U: 1, V: n + 1}}
	for v := int32(1); v <= n; v++ {
		edges = append(edges, kerneltest.Edge{U: 0, V: v})
	}
	return kerneltest.FromEdges(int(n)+2, edges)
}

// Blocks cover each row once, in order, and none is longer than blockEdges.
func TestBlocks(t *testing.T) {
	for n := int32(1); n <= 4*blockEdges; n++ {
		g := star(n)
		x := blocksOf(g)
		if want := (n + blockEdges - 1) / blockEdges; x.first[0] != 0 || x.first[1] != want {
			t.Errorf("%d neighbors are blocks %d to %d, want %d", n, x.first[0], x.first[1], want)
		}
		for u := range int32(g.Vertices()) {
			for block := x.first[u]; block < x.first[u+1]; block++ {
				if x.owner[block] != u {
					t.Errorf("block %d of %d neighbors is %d's, want %d's", block, n, x.owner[block], u)
				}
			}
		}
	}
}

// Whatever the interleaving, levels are distances, parents one level nearer,
// and accesses as the header counts them.
func TestBlockedGivesTheDistances(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		g := kerneltest.DrawGraph(r, 48)
		if rapid.Bool().Draw(r, "star") {
			g = star(int32(rapid.IntRange(1, 5*blockEdges).Draw(r, "neighbors")))
		}
		o := kernels.Options{
			Source:   rapid.IntRange(-1, g.Vertices()-1).Draw(r, "source"),
			Schedule: kerneltest.DrawSchedule(r),
			Threads:  rapid.IntRange(0, 8).Draw(r, "threads"),
		}
		native, err := levelBlocked.RunNative(context.Background(), g, o)
		if err != nil {
			r.Fatal(err)
		}
		cfg := kerneltest.DrawConfig(r)
		m := kerneltest.NewFunctional(cfg)
		simulated, err := levelBlocked.Simulate(m, g, o)
		if err != nil {
			r.Fatalf("%+v: %v", cfg, err)
		}
		for _, got := range []kernels.Answer{native, simulated} {
			a := got.(*Answer)
			if want := relax(g, a.Source); !slices.Equal(a.Level, want) {
				r.Fatalf("%+v: levels %v, want %v", cfg, a.Level, want)
			}
			if err := a.Check(g); err != nil {
				r.Fatalf("%+v: %v", cfg, err)
			}
		}
		checkBlockedWork(r, g, simulated.(*Answer), m)
	})
}

func checkBlockedWork(t rapid.TB, g *graph.Graph, a *Answer, m *kerneltest.Functional) {
	t.Helper()
	V := int64(g.Vertices())
	var R, D, K int64
	for u, l := range a.Level {
		if l != unreached {
			d := int64(g.Degree(int32(u)))
			R, D, K = R+1, D+d, K+(d+blockEdges-1)/blockEdges
		}
	}
	C := m.Count("level").Atomics
	if C < R-1 || C > D {
		t.Fatalf("%d swaps of level, %d to %d expected", C, R-1, D)
	}
	for _, c := range []struct {
		array string
		want  kerneltest.Count
	}{
		{"first", kerneltest.Count{Loads: K + 2*R}},
		{"owner", kerneltest.Count{Loads: K}},
		{"xadj", kerneltest.Count{Loads: 2 * K}},
		{"adjncy", kerneltest.Count{Loads: D}},
		{"level", kerneltest.Count{Loads: D, Stores: V, Atomics: C}},
		{"parent", kerneltest.Count{Stores: V + R - 1}},
		{"queue", kerneltest.Count{Loads: K, Stores: K}},
		{"tail", kerneltest.Count{Atomics: R - 1}},
	} {
		if got := m.Count(c.array); got != c.want {
			t.Fatalf("%s: %+v, want %+v (V %d, R %d, D %d, K %d, C %d)", c.array, got, c.want, V, R, D, K, C)
		}
	}
}
