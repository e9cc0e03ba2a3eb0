package matching

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

// What holds of every kernel of the family.

func open(t testing.TB, name string) *graph.Graph {
	t.Helper()
	g, err := graph.Open(name, graph.Options{NoCache: true})
	if err != nil {
		t.Fatal(err)
	}
	g.EnsureWeights(1)
	return g
}

// Native runs give the greedy matching, with any number of workers.
func TestNativeGivesTheGreedyMatching(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		g := kerneltest.DrawGraph(r, 60)
		want := greedy(g)
		if got := Serial(g); !slices.Equal(got, want) {
			r.Fatalf("serial mate %v, greedy has %v", got, want)
		}
		threads := rapid.IntRange(0, 8).Draw(r, "threads")
		for _, k := range Kernels() {
			a := runOne(r, k, g, threads)
			if !slices.Equal(a.Mate, want) {
				r.Fatalf("%s: native mate %v, greedy has %v", k.Name, a.Mate, want)
			}
			if err := a.Check(g); err != nil {
				r.Fatalf("%s: %v", k.Name, err)
			}
		}
	})
}

// Large enough for several workers to meet at the same vertices.
func TestNativeUnderContention(t *testing.T) {
	for _, name := range []string{"rmat-b:13", "rmat-er:13"} {
		g := open(t, name)
		want := Serial(g)
		for _, k := range Kernels() {
			for threads := 1; threads <= 8; threads *= 2 {
				a := runOne(t, k, g, threads)
				if err := a.Check(g); err != nil {
					t.Errorf("%s, %s, %d threads: %v", k.Name, name, threads, err)
				}
				if !slices.Equal(a.Mate, want) {
					t.Errorf("%s, %s, %d threads: not the serial matching", k.Name, name, threads)
				}
			}
		}
	}
}

func TestNativeStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, k := range Kernels() {
		if _, err := k.RunNative(ctx, open(t, "rmat-er:8"), kernels.Options{}); err != context.Canceled {
			t.Errorf("%s: error %v, want %v", k.Name, err, context.Canceled)
		}
	}
}

func TestGraphsWithoutEdges(t *testing.T) {
	for _, n := range []int{0, 1, 5} {
		g := kerneltest.FromEdges(n, nil)
		g.Weight = nil
		for _, k := range Kernels() {
			sim, _ := simulateOne(t, k, g, kerneltest.Config{Width: 32, FullEmpty: true})
			for _, a := range []*Answer{sim, runOne(t, k, g, 0)} {
				if err := a.Check(g); err != nil {
					t.Errorf("%s, %d vertices: %v", k.Name, n, err)
				}
				for _, f := range a.Figures() {
					if v, ok := f.Value.(int64); ok && v != 0 {
						t.Errorf("%s, %d vertices: %s is %d", k.Name, n, f.Name, v)
					}
				}
			}
		}
	}
}

func TestWeightsMustBePositive(t *testing.T) {
	for _, w := range []float64{0, -1} {
		g := kerneltest.FromEdges(2, []kerneltest.Edge{{U: 0, V: 1, Weight: w}})
		for _, k := range Kernels() {
			_, errSim := k.Simulate(kerneltest.NewFunctional(kerneltest.Config{Width: 1, FullEmpty: true}), g, kernels.Options{})
			_, errNative := k.RunNative(context.Background(), g, kernels.Options{})
			for _, err := range []error{errSim, errNative} {
				if err == nil || !strings.Contains(err.Error(), "0-1") {
					t.Errorf("%s, weight %v: error %v, want one that names edge 0-1", k.Name, w, err)
				}
			}
		}
	}
}

// Every graph file, simulated where it is small enough for that.
func TestGraphFiles(t *testing.T) {
	for _, path := range kerneltest.GraphFiles(t, "../../../shared/graphs") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			g := open(t, path)
			if g.CheckPositiveWeights() != nil {
				for _, k := range Kernels() {
					if _, err := k.RunNative(context.Background(), g, kernels.Options{}); err == nil {
						t.Errorf("%s takes weights that are not positive", k.Name)
					}
				}
				g.Weight = nil
				g.EnsureWeights(1)
			}
			want := Serial(g)
			for _, k := range Kernels() {
				a := runOne(t, k, g, 0)
				if err := a.Check(g); err != nil {
					t.Errorf("%s, native: %v", k.Name, err)
				}
				if !slices.Equal(a.Mate, want) {
					t.Errorf("%s: not the serial matching", k.Name)
				}
				if g.Edges() > 20_000 {
					continue
				}
				s, _ := simulateOne(t, k, g, kerneltest.Config{Width: 32, Block: 128, Seed: 1, FullEmpty: true})
				if err := s.Check(g); err != nil {
					t.Errorf("%s, simulated: %v", k.Name, err)
				}
				if !slices.Equal(s.Mate, want) {
					t.Errorf("%s: simulated and serial matchings differ", k.Name)
				}
			}
		})
	}
}

// A native run of each kernel on one large graph.
func BenchmarkNative(b *testing.B) {
	g := open(b, "rmat-g:17")
	for _, k := range Kernels() {
		b.Run(strings.TrimPrefix(k.Name, "matching/"), func(b *testing.B) {
			for b.Loop() {
				runOne(b, k, g, 0)
			}
			b.ReportMetric(float64(g.Edges())*float64(b.N)/b.Elapsed().Seconds()/1e6, "Medges/s")
		})
	}
}
