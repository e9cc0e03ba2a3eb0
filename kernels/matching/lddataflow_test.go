package matching

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heddle/arch/isa"
	"heddle/kernels"
	"heddle/kernels/graph"
	"heddle/kernels/kerneltest"
)

// Whatever the warps, their blocks and interleaving, the answer is greedy's and
// accesses are as the table counts them.
func TestDataflowSimulated(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		g := kerneltest.DrawGraph(r, 48)
		want := greedy(g)
		cfg, schedule := kerneltest.DrawConfig(r), kerneltest.DrawSchedule(r)
		cfg.FullEmpty = true
		if rapid.Bool().Draw(r, "threads") {
			cfg.Width, cfg.Block = 1, 1 // where the most vertices are processed at once
		}
		for range 10 {
			cfg.Seed++
			a, m := simulateLoops(r, ldDataflow, g, cfg, schedule)
			if !slices.Equal(a.Mate, want) {
				r.Fatalf("%+v: mate %v, greedy has %v", cfg, a.Mate, want)
			}
			if err := a.Check(g); err != nil {
				r.Fatalf("%+v: %v", cfg, err)
			}
			checkDataflowWork(r, g, a, m)
		}
	})
}

func checkDataflowWork(t rapid.TB, g *graph.Graph, a *Answer, m *kerneltest.Functional) {
	t.Helper()
	V, E, _, M, _ := parameters(g, a.Mate)
	var A int64
	for u, v := range a.Mate {
		if v != none {
			A += rank(g, int32(u), v) + 1
		} else {
			A += int64(g.Degree(int32(u)))
		}
	}
	checkCounts(t, m, map[string]kerneltest.Count{
		"xadj":      {Loads: 2 * V},
		"adjncy":    {Loads: A},
		"reverse":   {Loads: A},
		"candidate": {Stores: 2 * E, FullEmpty: 2*E + A},
		"state":     {Stores: V, Atomics: V + A},
		"mate":      {Stores: V + 2*M},
	})
}

func TestDataflowHasNoQueueToTellOf(t *testing.T) {
	g := kerneltest.FromEdges(3, []kerneltest.Edge{{U: 0, V: 1, Weight: 2}, {U: 1, V: 2, Weight: 1}})
	a, _ := simulateOne(t, ldDataflow, g, kerneltest.Config{Width: 1, FullEmpty: true})
	for _, f := range a.Figures() {
		if f.Name == "iterations" || f.Name == "queue_sizes" {
			t.Errorf("figure %s is %v", f.Name, f.Value)
		}
	}
	a.Mate = []int32{-1, 2, 1}
	if err := a.Check(g); err == nil {
		t.Error("a matching that is not greedy's is taken")
	}
}

func TestDataflowNeedsFullEmptyBits(t *testing.T) {
	g := kerneltest.FromEdges(2, []kerneltest.Edge{{U: 0, V: 1, Weight: 2}})
	_, err := ldDataflow.Simulate(kerneltest.NewFunctional(kerneltest.Config{Width: 1}), g, kernels.Options{})
	if err == nil || !strings.Contains(err.Error(), "full/empty") {
		t.Errorf("error %v", err)
	}
	p := ldDataflow.Programs()
	if _, used := p[len(p)-1].UsesFullEmpty(); !used {
		t.Error("machines without full/empty bits are not told in advance")
	}
}

// ascending is a path of n vertices whose weights ascend: one thread that
// begins at its light end opens a call for every vertex.
func ascending(n int) *graph.Graph {
	g := &graph.Graph{Name: "path", XAdj: make([]int64, 1, n+1)}
	for u := range n {
		for _, v := range []int{u - 1, u + 1} {
			if v >= 0 && v < n {
				g.Adj = append(g.Adj, int32(v))
				g.Weight = append(g.Weight, float64(max(u, v)))
			}
		}
		g.XAdj = append(g.XAdj, int64(len(g.Adj)))
	}
	return g
}

// As many calls may be open as the instruction set allows, and not one more.
// The native version has no such limit.
func TestDataflowRecursion(t *testing.T) {
	cfg := kerneltest.Config{Width: 1, Threads: 1, FullEmpty: true}
	fits := ascending(isa.MaxCallDepth)
	a, _ := simulateOne(t, ldDataflow, fits, cfg)
	if err := a.Check(fits); err != nil {
		t.Error(err)
	}
	deep := ascending(isa.MaxCallDepth + 1)
	_, err := ldDataflow.Simulate(kerneltest.NewFunctional(cfg), deep, kernels.Options{})
	if err == nil || !strings.Contains(err.Error(), "lddataflow.go") || !strings.Contains(err.Error(), "calls") {
		t.Errorf("error %v", err)
	}
	if err := runOne(t, ldDataflow, deep, 1).Check(deep); err != nil {
		t.Error(err)
	}
}

// Without one order of the edges, a cycle of vertices can wait for each other.
// The run ends, and says where.
func TestDataflowDeadlocksWithoutAnOrder(t *testing.T) {
	g := kerneltest.FromEdges(3, []kerneltest.Edge{{U: 0, V: 1, Weight: 1}, {U: 1, V: 2, Weight: 1}, {U: 0, V: 2, Weight: 1}})
	rows := sortedRows{
		adj:     []int32{1, 2, 2, 0, 0, 1}, // each prefers the next around the triangle
		reverse: []int64{3, 4, 5, 0, 1, 2},
	}
	for seed := range uint64(20) {
		m := kerneltest.NewFunctional(kerneltest.Config{Width: 1, Seed: seed, FullEmpty: true})
		setup := kernels.NewArrays(m)
		xadj, adjncy := setup.Adopt("xadj", g.XAdj), setup.Adopt("adjncy", rows.adj)
		reverse := setup.Adopt("reverse", rows.reverse)
		candidate := setup.Alloc("candidate", isa.I64, 6)
		state, mate := setup.Alloc("state", isa.I32, 3), setup.Alloc("mate", isa.I32, 3)
		loops := kernels.NewLoops(setup, kernels.Options{})
		if err := setup.Err(); err != nil {
			t.Fatal(err)
		}
		m.Start()
		if err := loops.Launch(clearVerticesProgram, 3, mate, state, 3); err != nil {
			t.Fatal(err)
		}
		if err := loops.Launch(clearEdgesProgram, 6, candidate, 6); err != nil {
			t.Fatal(err)
		}
		err := loops.Launch(dataflowProgram, 3, xadj, adjncy, reverse, candidate, state, mate, 3)
		if err == nil || !strings.Contains(err.Error(), "deadlock") || !strings.Contains(err.Error(), "lddataflow.go") {
			t.Fatalf("seed %d: error %v", seed, err)
		}
	}
}
