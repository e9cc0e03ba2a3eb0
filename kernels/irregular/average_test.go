package irregular

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heddle/kernels"
	"heddle/kernels/graph"
	"heddle/kernels/kerneltest"
)

var average = Kernels()[0]

// followed computes the states as Algorithm 5 says, in the kernel's order.
func followed(g *graph.Graph, state []float64, iterations int) []float64 {
	next := slices.Clone(state)
	for v := range next {
		for range iterations {
			for _, w := range g.Neighbors(int32(v)) {
				next[v] += state[w]
			}
			next[v] /= float64(g.Degree(int32(v)) + 1)
		}
	}
	return next
}

// Whatever the warps' width, interleaving and schedule, states are the same to
// the last bit, and accesses as the header counts them.
func TestEveryScheduleGivesTheAverages(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		g := kerneltest.DrawGraph(r, 48)
		o := kernels.Options{
			Seed:       rapid.Uint64().Draw(r, "seed"),
			Iterations: rapid.IntRange(0, 12).Draw(r, "iterations"),
			Schedule:   kerneltest.DrawSchedule(r),
			Threads:    rapid.IntRange(0, 8).Draw(r, "threads"),
		}
		cfg := kerneltest.DrawConfig(r)
		for range 5 {
			cfg.Seed++
			m := kerneltest.NewFunctional(cfg)
			got, err := average.Simulate(m, g, o)
			if err != nil {
				r.Fatalf("%+v: %v", cfg, err)
			}
			a := got.(*Answer)
			if want := followed(g, start(g.Vertices(), o.Seed), a.Iterations); !slices.Equal(a.State, want) {
				r.Fatalf("%+v: states %v, want %v", cfg, a.State, want)
			}
			if err := a.Check(g); err != nil {
				r.Fatalf("%+v: %v", cfg, err)
			}
			checkWork(r, g, a, m)
		}
		got, err := average.RunNative(context.Background(), g, o)
		if err != nil {
			r.Fatal(err)
		}
		a := got.(*Answer)
		if want := followed(g, start(g.Vertices(), o.Seed), a.Iterations); !slices.Equal(a.State, want) {
			r.Fatalf("native: states %v, want %v", a.State, want)
		}
		if err := a.Check(g); err != nil {
			r.Fatalf("native: %v", err)
		}
	})
}

// checkWork asserts the header's table.
func checkWork(t rapid.TB, g *graph.Graph, a *Answer, m *kerneltest.Functional) {
	t.Helper()
	V, E, I := int64(g.Vertices()), g.Edges(), int64(a.Iterations)
	for _, c := range []struct {
		array string
		want  kerneltest.Count
	}{
		{"xadj", kerneltest.Count{Loads: 2 * V}},
		{"adjncy", kerneltest.Count{Loads: 2 * E * I}},
		{"state", kerneltest.Count{Loads: V + 2*E*I}},
		{"next", kerneltest.Count{Stores: V}},
	} {
		if got := m.Count(c.array); got != c.want {
			t.Fatalf("%s: %+v, want %+v (V %d, E %d, I %d)", c.array, got, c.want, V, E, I)
		}
	}
}

// The answer of a vertex goes to its neighbors' average, which its own state
// has a share of 1/(d+1)^I in: by hand, for a star.
func TestStar(t *testing.T) {
	g := kerneltest.FromEdges(4, []kerneltest.Edge{{U: 0, V: 1}, {U: 0, V: 2}})
	for _, c := range []struct {
		iterations int
		want       []float64
	}{
		{1, []float64{(0.5 + 0.25 + 1) / 3, (0.25 + 0.5) / 2, (1 + 0.5) / 2, 0.125}},
		{2, []float64{((0.5+0.25+1)/3 + 1.25) / 3, ((0.25+0.5)/2 + 0.5) / 2, (0.75 + 0.5) / 2, 0.125}},
	} {
		a := newAnswer([]float64{0.5, 0.25, 1, 0.125}, c.want, c.iterations)
		if err := a.Check(g); err != nil {
			t.Errorf("%d iterations: %v", c.iterations, err)
		}
	}
}

func TestCheckRejects(t *testing.T) {
	const v = 9
	var edges []kerneltest.Edge // a wheel
	for u := int32(1); u < v; u++ {
		edges = append(edges, kerneltest.Edge{U: 0, V: u}, kerneltest.Edge{U: u, V: u%(v-1) + 1})
	}
	g := kerneltest.FromEdges(v, edges)
	first := start(v, 1)
	right := func() *Answer { return newAnswer(first, followed(g, first, 4), 4) }
	if err := right().Check(g); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		spoil  func(a *Answer)
		reason string
	}{
		{"one iteration too few", func(a *Answer) { a.State = followed(g, first, 3) }, "vertex 0"},
		{"none at all", func(a *Answer) { a.State = slices.Clone(first) }, "vertex 0"},
		{"a state missing", func(a *Answer) { a.State = a.State[1:] }, "states of 8 vertices"},
		{"not a number", func(a *Answer) { a.State[5] = math.NaN() }, "vertex 5"},
		{"off by little", func(a *Answer) { a.State[7] *= 1 + 1e-13 }, "vertex 7"},
		{"in place", func(a *Answer) {
			for u := range int32(v) {
				for range 4 {
					sum := a.Start[u]
					for _, w := range g.Neighbors(u) {
						sum += a.State[w]
					}
					a.State[u] = sum / float64(g.Degree(u)+1)
				}
			}
		}, "vertex"},
		{"a neighbor forgotten", func(a *Answer) {
			a.State[4] -= first[g.Neighbors(4)[0]] / float64(g.Degree(4)+1)
		}, "vertex 4"},
		{"no iterations", func(a *Answer) { a.Iterations = 0 }, "after 0 iterations"},
	} {
		a := right()
		c.spoil(a)
		if err := a.Check(g); err == nil || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.reason)
		}
	}
}

func TestIterations(t *testing.T) {
	g := kerneltest.FromEdges(2, []kerneltest.Edge{{U: 0, V: 1}})
	for given, want := range map[int]int{0: average.Iterations, 1: 1, 7: 7} {
		a, err := average.RunNative(context.Background(), g, kernels.Options{Iterations: given})
		if err != nil || a.(*Answer).Iterations != want {
			t.Errorf("%d iterations asked: %+v, %v", given, a, err)
		}
	}
	if _, err := average.RunNative(context.Background(), g, kernels.Options{Iterations: -1}); err == nil {
		t.Error("-1 iterations are taken")
	}
	if _, err := average.Simulate(kerneltest.NewFunctional(kerneltest.Config{Width: 1}), g, kernels.Options{Iterations: -1}); err == nil {
		t.Error("-1 iterations are simulated")
	}
}

func TestGraphsWithoutEdges(t *testing.T) {
	for _, n := range []int{0, 1, 5} {
		g := kerneltest.FromEdges(n, nil)
		sim, err := average.Simulate(kerneltest.NewFunctional(kerneltest.Config{Width: 32}), g, kernels.Options{})
		if err != nil {
			t.Fatal(err)
		}
		nat, err := average.RunNative(context.Background(), g, kernels.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range []kernels.Answer{sim, nat} {
			if err := a.Check(g); err != nil {
				t.Errorf("%d vertices: %v", n, err)
			}
			for _, f := range a.Figures() {
				if x, ok := f.Value.(float64); ok && (x < 0 || x >= 1) {
					t.Errorf("%d vertices: %s is %v", n, f.Name, x)
				}
			}
		}
	}
}

func TestNativeStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	g := kerneltest.FromEdges(2, []kerneltest.Edge{{U: 0, V: 1}})
	if _, err := average.RunNative(ctx, g, kernels.Options{}); err != context.Canceled {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

// Every graph file, simulated where it is small enough for that.
func TestGraphFiles(t *testing.T) {
	for _, path := range kerneltest.GraphFiles(t, "../../../shared/graphs") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			g, err := graph.Open(path, graph.Options{NoCache: true})
			if err != nil {
				t.Fatal(err)
			}
			o := kernels.Options{Iterations: 3}
			a, err := average.RunNative(context.Background(), g, o)
			if err != nil {
				t.Fatal(err)
			}
			if err := a.Check(g); err != nil {
				t.Error("native:", err)
			}
			if g.Edges() > 20_000 {
				return
			}
			m := kerneltest.NewFunctional(kerneltest.Config{Width: 32, Block: 128, Seed: 1})
			s, err := average.Simulate(m, g, o)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Check(g); err != nil {
				t.Error("simulated:", err)
			}
			if !slices.Equal(a.(*Answer).State, s.(*Answer).State) {
				t.Error("simulated and native states differ")
			}
		})
	}
}

func BenchmarkNative(b *testing.B) {
	g, err := graph.Open("rmat-g:16", graph.Options{NoCache: true})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := average.RunNative(context.Background(), g, kernels.Options{Iterations: 1}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(g.Edges())*float64(b.N)/b.Elapsed().Seconds()/1e6, "Medges/s")
}
