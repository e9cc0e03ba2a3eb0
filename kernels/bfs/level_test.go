package bfs

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heddle/kernels"
	"heddle/kernels/graph"
	"heddle/kernels/kerneltest"
)

// relax computes distances by relaxing every edge until nothing changes.
func relax(g *graph.Graph, source int32) []int32 {
	n := int32(g.Vertices())
	distance := slices.Repeat([]int32{n}, int(n))
	distance[source] = 0
	for changed := true; changed; {
		changed = false
		for u := range n {
			for _, v := range g.Neighbors(u) {
				if d := distance[u] + 1; d < distance[v] {
					distance[v] = d
					changed = true
				}
			}
		}
	}
	for u, d := range distance {
		if d == n {
			distance[u] = unreached
		}
	}
	return distance
}

// Whatever the warps' width and interleaving, levels are distances, parents one
// level nearer, and accesses as the header counts them.
func TestEveryScheduleGivesTheDistances(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		g := kerneltest.DrawGraph(r, 48)
		o := kernels.Options{
			Source:   rapid.IntRange(-1, g.Vertices()-1).Draw(r, "source"),
			Schedule: kerneltest.DrawSchedule(r),
		}
		cfg := kerneltest.DrawConfig(r)
		for range 20 {
			cfg.Seed++
			m := kerneltest.NewFunctional(cfg)
			got, err := level.Simulate(m, g, o)
			if err != nil {
				r.Fatalf("%+v: %v", cfg, err)
			}
			a := got.(*Answer)
			if want := relax(g, a.Source); !slices.Equal(a.Level, want) {
				r.Fatalf("%+v: levels %v, want %v", cfg, a.Level, want)
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
	V := int64(g.Vertices())
	var R, D int64
	for u, l := range a.Level {
		if l != unreached {
			R++
			D += int64(g.Degree(int32(u)))
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
		{"xadj", kerneltest.Count{Loads: 2 * R}},
		{"adjncy", kerneltest.Count{Loads: D}},
		{"level", kerneltest.Count{Loads: D, Stores: V, Atomics: C}},
		{"parent", kerneltest.Count{Stores: V + R - 1}},
		{"queue", kerneltest.Count{Loads: R, Stores: R}},
		{"tail", kerneltest.Count{Atomics: R - 1}},
	} {
		if got := m.Count(c.array); got != c.want {
			t.Fatalf("%s: %+v, want %+v (V %d, R %d, D %d, C %d)", c.array, got, c.want, V, R, D, C)
		}
	}
}

func TestNativeGivesTheDistances(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		g := kerneltest.DrawGraph(r, 64)
		o := kernels.Options{
			Source:  rapid.IntRange(-1, g.Vertices()-1).Draw(r, "source"),
			Threads: rapid.IntRange(0, 8).Draw(r, "threads"),
		}
		got, err := level.RunNative(context.Background(), g, o)
		if err != nil {
			r.Fatal(err)
		}
		a := got.(*Answer)
		if want := relax(g, a.Source); !slices.Equal(a.Level, want) {
			r.Fatalf("levels %v, want %v", a.Level, want)
		}
		if err := a.Check(g); err != nil {
			r.Fatal(err)
		}
	})
}

// Large enough for several workers to meet at the same vertices.
func TestNativeUnderContention(t *testing.T) {
	g := open(t, "rmat-b:14")
	for _, k := range Kernels() {
		for threads := 1; threads <= 8; threads *= 2 {
			a, err := k.RunNative(context.Background(), g, kernels.Options{Source: -1, Threads: threads})
			if err != nil {
				t.Fatal(err)
			}
			if err := a.Check(g); err != nil {
				t.Errorf("%s, %d threads: %v", k.Name, threads, err)
			}
		}
	}
}

func TestNativeStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := level.RunNative(ctx, open(t, "karate"), kernels.Options{}); err != context.Canceled {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

func TestSource(t *testing.T) {
	// Degrees 1, 2, 2, 1, 0.
	g := kerneltest.FromEdges(5, []kerneltest.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 3}})
	for _, c := range []struct {
		asked int
		want  int32
		err   string
	}{
		{-1, 1, ""}, {0, 0, ""}, {4, 4, ""},
		{-2, 0, "source -2: test has vertices 0 to 4"},
		{5, 0, "source 5: test has vertices 0 to 4"},
	} {
		o := kernels.Options{Source: c.asked}
		a, err := level.RunNative(context.Background(), g, o)
		if c.err != "" {
			_, errSim := level.Simulate(kerneltest.NewFunctional(kerneltest.Config{Width: 1}), g, o)
			for _, err := range []error{err, errSim} {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("source %d: error %v, want %q", c.asked, err, c.err)
				}
			}
			continue
		}
		if err != nil {
			t.Errorf("source %d: %v", c.asked, err)
		} else if got := a.(*Answer).Source; got != c.want {
			t.Errorf("source %d: starts at %d, want %d", c.asked, got, c.want)
		}
	}
	if _, err := level.RunNative(context.Background(), kerneltest.FromEdges(0, nil), kernels.Options{Source: -1}); err == nil {
		t.Error("a graph without vertices has a source")
	}
}

func TestFigures(t *testing.T) {
	// A triangle with a tail, and an isolated vertex.
	g := kerneltest.FromEdges(5, []kerneltest.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 0, V: 2}, {U: 2, V: 3}})
	m := kerneltest.NewFunctional(kerneltest.Config{Width: 2})
	a, err := level.Simulate(m, g, kernels.Options{Source: 0})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int64{"source": 0, "reached": 4, "levels": 3, "edges_traversed": 4}
	sizes := []int64{1, 2, 1}
	for _, f := range a.Figures() {
		if f.Name == "frontier_sizes" {
			if got := f.Value.([]int64); !slices.Equal(got, sizes) {
				t.Errorf("frontier sizes %v, want %v", got, sizes)
			}
			continue
		}
		if f.Value != want[f.Name] {
			t.Errorf("%s is %v, want %v", f.Name, f.Value, want[f.Name])
		}
	}
	for i, note := range m.Notes {
		if note != (kerneltest.Note{Name: "frontier", Value: sizes[i]}) {
			t.Errorf("note %d is %+v, want frontier %d", i, note, sizes[i])
		}
	}
	if len(m.Notes) != len(sizes) {
		t.Errorf("%d notes, want %d", len(m.Notes), len(sizes))
	}
}

func TestCheckRejects(t *testing.T) {
	// A square 0-1-2-3 with a tail 3-4, and an isolated vertex 5.
	g := kerneltest.FromEdges(6, []kerneltest.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 3}, {U: 3, V: 0}, {U: 3, V: 4}})
	right := func() *Answer {
		return newAnswer(g, 0, []int32{0, 1, 2, 1, 2, -1}, []int32{0, 0, 1, 0, 3, -1}, []int64{1, 2, 2})
	}
	if err := right().Check(g); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		spoil  func(a *Answer)
		reason string
	}{
		{func(a *Answer) { a.Parent[2] = 3 }, ""}, // either end of the square will do
		{func(a *Answer) { a.Level = a.Level[:5] }, "levels of 5"},
		{func(a *Answer) { a.Source = 6 }, "source 6"},
		{func(a *Answer) { a.Level[4] = 3 }, "vertex 4: level 3, its distance from source 0 is 2"},
		{func(a *Answer) { a.Level[1] = -1 }, "vertex 1: level -1"},
		{func(a *Answer) { a.Level[5] = 1 }, "vertex 5: level 1"},
		{func(a *Answer) { a.Parent[5] = 0 }, "vertex 5: parent 0, but no path"},
		{func(a *Answer) { a.Parent[0] = 1 }, "vertex 0: parent 1, but it is the source"},
		{func(a *Answer) { a.Parent[4] = -1 }, "vertex 4: parent -1 is no vertex"},
		{func(a *Answer) { a.Parent[4] = 6 }, "vertex 4: parent 6 is no vertex"},
		{func(a *Answer) { a.Parent[4] = 2 }, "vertex 4: level 2, its parent 2 has level 2"},
		{func(a *Answer) { a.Parent[4] = 1 }, "vertex 4: parent 1 is not a neighbor"},
		{func(a *Answer) { a.Frontier[1] = 3 }, "frontiers of [1 3 2]"},
	} {
		a := right()
		c.spoil(a)
		err := a.Check(g)
		switch {
		case c.reason == "" && err != nil:
			t.Error(err)
		case c.reason != "" && (err == nil || !strings.Contains(err.Error(), c.reason)):
			t.Errorf("%v, want %q", err, c.reason)
		}
	}
}

func open(t testing.TB, name string) *graph.Graph {
	t.Helper()
	g, err := graph.Open(name, graph.Options{NoCache: true})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Every graph file, simulated where it is small enough for that.
func TestGraphFiles(t *testing.T) {
	for _, path := range kerneltest.GraphFiles(t, "../../../shared/graphs") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			g := open(t, path)
			if testing.Short() && g.Edges() > 60_000 {
				t.Skip("a large graph")
			}
			o := kernels.Options{Source: -1}
			a, err := level.RunNative(context.Background(), g, o)
			if err != nil {
				t.Fatal(err)
			}
			if err := a.Check(g); err != nil {
				t.Error("native:", err)
			}
			if g.Edges() > 60_000 {
				return
			}
			m := kerneltest.NewFunctional(kerneltest.Config{Width: 32, Block: 128, Seed: 1})
			s, err := level.Simulate(m, g, o)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Check(g); err != nil {
				t.Error("simulated:", err)
			}
			checkWork(t, g, s.(*Answer), m)
		})
	}
}

func BenchmarkNative(b *testing.B) {
	g := open(b, "rmat-g:17")
	var edges int64
	for b.Loop() {
		a, err := level.RunNative(context.Background(), g, kernels.Options{Source: -1})
		if err != nil {
			b.Fatal(err)
		}
		edges = a.(*Answer).edges
	}
	b.ReportMetric(float64(edges)*float64(b.N)/b.Elapsed().Seconds()/1e6, "MTEPS")
}
