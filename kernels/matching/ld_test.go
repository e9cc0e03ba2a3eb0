package matching

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"heddle/kernels"
	"heddle/kernels/graph"
	"heddle/kernels/kerneltest"
)

// greedy takes the edges from the greatest down: the definition.
func greedy(g *graph.Graph) []int32 {
	var edges []edge
	for u := range int32(g.Vertices()) {
		for i, v := range g.Neighbors(u) {
			if u < v {
				edges = append(edges, edge{g.Weights(u)[i], u, v})
			}
		}
	}
	slices.SortFunc(edges, func(a, b edge) int {
		switch {
		case b.less(a):
			return -1
		case a.less(b):
			return 1
		}
		return 0
	})
	mate := make([]int32, g.Vertices())
	for u := range mate {
		mate[u] = none
	}
	for _, e := range edges {
		if mate[e.u] == none && mate[e.v] == none {
			mate[e.u], mate[e.v] = e.v, e.u
		}
	}
	return mate
}

func simulate(t testing.TB, g *graph.Graph, cfg kerneltest.Config) (*Answer, *kerneltest.Functional) {
	t.Helper()
	return simulateOne(t, ld, g, cfg)
}

func simulateOne(t rapid.TB, k kernels.Kernel, g *graph.Graph, cfg kerneltest.Config) (*Answer, *kerneltest.Functional) {
	t.Helper()
	return simulateLoops(t, k, g, cfg, "")
}

func simulateLoops(t rapid.TB, k kernels.Kernel, g *graph.Graph, cfg kerneltest.Config, schedule string) (*Answer, *kerneltest.Functional) {
	t.Helper()
	m := kerneltest.NewFunctional(cfg)
	a, err := k.Simulate(m, g, kernels.Options{Schedule: schedule})
	if err != nil {
		t.Fatalf("%s, %+v: %v", k.Name, cfg, err)
	}
	return a.(*Answer), m
}

func runNative(t testing.TB, g *graph.Graph, threads int) *Answer {
	t.Helper()
	return runOne(t, ld, g, threads)
}

func runOne(t rapid.TB, k kernels.Kernel, g *graph.Graph, threads int) *Answer {
	t.Helper()
	a, err := k.RunNative(context.Background(), g, kernels.Options{Threads: threads})
	if err != nil {
		t.Fatalf("%s: %v", k.Name, err)
	}
	return a.(*Answer)
}

// checkCounts holds accesses by array against a table.
func checkCounts(t rapid.TB, m *kerneltest.Functional, table map[string]kerneltest.Count) {
	t.Helper()
	for _, a := range m.Space.Arrays() {
		want, listed := table[a.Name]
		if a.Name == "schedule" {
			continue // package isa counts its accesses
		}
		if !listed {
			t.Fatalf("array %s is not in the table", a.Name)
		}
		if got := m.Count(a.Name); got != want {
			t.Fatalf("%s: %+v, want %+v", a.Name, got, want)
		}
	}
}

// parameters returns what the tables of work are written in.
func parameters(g *graph.Graph, mate []int32) (V, E, N, M, D int64) {
	V, E = int64(g.Vertices()), g.Edges()
	for u, v := range mate {
		if g.Degree(int32(u)) > 0 {
			N++
		}
		if v != none {
			M++
			D += int64(g.Degree(int32(u)))
		}
	}
	return V, E, N, M, D
}

// Whatever the warps' width and interleaving, the answer is greedy's, edge for
// edge, no vertex is enqueued twice, and accesses are as the header counts them.
func TestEveryScheduleGivesTheGreedyMatching(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		g := kerneltest.DrawGraph(r, 48)
		want := greedy(g)
		cfg, schedule := kerneltest.DrawConfig(r), kerneltest.DrawSchedule(r)
		for range 20 {
			cfg.Seed++
			a, m := simulateLoops(r, ld, g, cfg, schedule)
			if !slices.Equal(a.Mate, want) {
				r.Fatalf("%+v: mate %v, greedy has %v", cfg, a.Mate, want)
			}
			if err := a.Check(g); err != nil {
				r.Fatalf("%+v: %v", cfg, err)
			}
			checkWork(r, g, a, m)
		}
	})
}

// checkWork asserts the header's table.
func checkWork(t rapid.TB, g *graph.Graph, a *Answer, m *kerneltest.Functional) {
	t.Helper()
	V, E, N, M, D := parameters(g, a.Mate)
	var Q int64
	if len(a.Queue) > 0 {
		Q = a.Queue[0]
	}
	xadj, adjncy, weight := m.Count("xadj"), m.Count("adjncy"), m.Count("weight")
	candidate, mate, queue, tail := m.Count("candidate"), m.Count("mate"), m.Count("queue"), m.Count("tail")
	P := candidate.Stores - V
	S := adjncy.Loads - 2*E - D
	swaps := mate.Atomics
	for _, c := range []struct {
		what      string
		got, want kerneltest.Count
	}{
		{"xadj", xadj, kerneltest.Count{Loads: 2*V + 2*M + 2*P}},
		{"adjncy", adjncy, kerneltest.Count{Loads: 2*E + D + S}},
		{"candidate", candidate, kerneltest.Count{Loads: V + M + D + P, Stores: V + P}},
		{"mate", mate, kerneltest.Count{Loads: M + S, Stores: V + Q + (M-Q)/2, Atomics: swaps}},
		{"queue", queue, kerneltest.Count{Loads: M, Stores: M}},
		{"tail", tail, kerneltest.Count{Atomics: Q + (M-Q)/2}},
	} {
		if c.got != c.want {
			t.Fatalf("%s: %+v, want %+v (V %d, E %d, N %d, Q %d, M %d, D %d, P %d, S %d)",
				c.what, c.got, c.want, V, E, N, Q, M, D, P, S)
		}
	}
	if P > 2*E {
		t.Fatalf("%d candidates sought in phase 2, at most 2E = %d expected", P, 2*E)
	}
	if swaps < (M-Q)/2 || swaps > M-Q {
		t.Fatalf("%d swaps of mate, %d to %d expected", swaps, (M-Q)/2, M-Q)
	}
	if more := weight.Loads - 2*E; more < 0 || more > S || weight.Stores+weight.Atomics != 0 {
		t.Fatalf("weight: %+v, 2E = %d to %d loads expected", weight, 2*E, 2*E+S)
	}
}

// A path of ascending weights is the worst case for iterations: every second
// edge from the heavy end matches, one an iteration.
func TestAscendingPath(t *testing.T) {
	const n = 101
	var edges []kerneltest.Edge
	for u := range int32(n - 1) {
		edges = append(edges, kerneltest.Edge{U: u, V: u + 1, Weight: float64(u + 1)})
	}
	g := kerneltest.FromEdges(n, edges)
	want := slices.Repeat([]int64{2}, n/2)
	a, m := simulate(t, g, kerneltest.Config{Width: 32})
	if !slices.Equal(a.Queue, want) {
		t.Errorf("simulated queues %v, want %v", a.Queue, want)
	}
	if got := runNative(t, g, 2).Queue; !slices.Equal(got, want) {
		t.Errorf("native queues %v, want %v", got, want)
	}
	notes := append(slices.Clone(want), 0)
	for i, note := range m.Notes {
		if note != (kerneltest.Note{Name: "queue", Value: notes[i]}) {
			t.Errorf("note %d is %+v, want queue %d", i, note, notes[i])
		}
	}
	if len(m.Notes) != len(notes) || len(m.Launches) != len(notes)+1 {
		t.Errorf("%d notes and %d launches, want %d and %d", len(m.Notes), len(m.Launches), len(notes), len(notes)+1)
	}
}

// Of equal weights the edge with the larger end wins: a cycle of them must not
// leave every vertex waiting for the next.
func TestTies(t *testing.T) {
	for n := 3; n <= 12; n++ {
		var edges []kerneltest.Edge
		for u := range int32(n) {
			edges = append(edges, kerneltest.Edge{U: u, V: (u + 1) % int32(n), Weight: 1})
		}
		g := kerneltest.FromEdges(n, edges)
		a, _ := simulate(t, g, kerneltest.Config{Width: 4})
		if want := greedy(g); !slices.Equal(a.Mate, want) {
			t.Errorf("cycle of %d: mate %v, want %v", n, a.Mate, want)
		}
		if last := int32(n - 1); a.Mate[last] != last-1 {
			t.Errorf("cycle of %d: vertex %d has mate %d; edge %d-%d is the greatest", n, last, a.Mate[last], last-1, last)
		}
	}
}

func TestFigures(t *testing.T) {
	// A triangle with a tail, and an isolated vertex.
	g := kerneltest.FromEdges(5, []kerneltest.Edge{{U: 0, V: 1, Weight: 5}, {U: 1, V: 2, Weight: 4}, {U: 0, V: 2, Weight: 3}, {U: 2, V: 3, Weight: 1}})
	a, _ := simulate(t, g, kerneltest.Config{Width: 2})
	want := map[string]any{"cardinality": int64(2), "weight": 6.0, "matched_percent": 80.0, "matched_percent_connected": 100.0, "iterations": int64(2)}
	for _, f := range a.Figures() {
		if f.Name == "queue_sizes" {
			if got := f.Value.([]int64); !slices.Equal(got, []int64{2, 2}) {
				t.Errorf("queue sizes %v, want [2 2]", got)
			}
			continue
		}
		if f.Value != want[f.Name] {
			t.Errorf("%s is %v, want %v", f.Name, f.Value, want[f.Name])
		}
	}
}

// The paper's section V gives the matched vertices in percent of all at scale
// 24. For er the share does not depend on the scale; for g and b it falls as the
// scale, and with it the share of isolated vertices, grows. At scale 24, too
// large for a test, rmat-g:24 matched 81.70% and rmat-b:24 44.24% (seeds 0 of the
// graph and 1 of the weights): the paper's figures. Figure 1(c): every iteration
// matches fewer vertices than the one before, roughly half.
func TestPaperCardinalities(t *testing.T) {
	if testing.Short() {
		t.Skip("graphs of up to 2^16 vertices")
	}
	for _, c := range []struct {
		family string
		paper  float64
	}{{"rmat-er", 94.12}, {"rmat-g", 81.70}, {"rmat-b", 44.24}} {
		last := 100.0
		for _, scale := range []string{"13", "16"} {
			a := runNative(t, open(t, c.family+":"+scale), 0)
			percent := 200 * float64(a.cardinality) / float64(len(a.Mate))
			t.Logf("%s:%s matches %.2f%% of the vertices, the paper at scale 24 %.2f%%; queues %v",
				c.family, scale, percent, c.paper, a.Queue)
			if c.family == "rmat-er" {
				// Random graphs differ by about the square root of V vertices.
				if math.Abs(percent-c.paper) > 100/math.Sqrt(float64(len(a.Mate))) {
					t.Errorf("%s:%s matches %.2f%%, the paper %.2f%%", c.family, scale, percent, c.paper)
				}
			} else if percent < c.paper || percent >= last {
				t.Errorf("%s:%s matches %.2f%%, from %.2f%% down to %.2f%% expected", c.family, scale, percent, last, c.paper)
			}
			last = percent
			for i, n := range a.Queue[1:] {
				if a.Queue[i] > 1000 && float64(n) > 0.8*float64(a.Queue[i]) {
					t.Errorf("%s:%s: iteration %d matches %d vertices after %d", c.family, scale, i+2, n, a.Queue[i])
				}
			}
		}
	}
}
