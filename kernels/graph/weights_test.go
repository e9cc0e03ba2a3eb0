package graph

import (
	"math"
	"slices"
	"testing"
)

func TestEnsureWeights(t *testing.T) {
	g := family("rmat-er", 12).Generate(nil)
	if !g.EnsureWeights(1) {
		t.Fatal("an unweighted graph got no weights")
	}
	wellFormed(t, g)
	if err := g.CheckPositiveWeights(); err != nil {
		t.Fatal(err)
	}
	n := float64(g.Vertices())
	sum := 0.0
	for _, w := range g.Weight {
		if w < 1 || w > n || w != math.Trunc(w) {
			t.Fatalf("weight %v is no whole number from 1 to %v", w, n)
		}
		sum += w
	}
	// Uniform weights: the mean of E of them has deviation V/sqrt(12 E).
	deviation := n / math.Sqrt(12*float64(g.Edges()))
	if mean := sum / float64(len(g.Weight)); math.Abs(mean-(n+1)/2) > 5*deviation {
		t.Errorf("mean weight %v of 1 to %v", mean, n)
	}
	first := slices.Clone(g.Weight)
	if g.EnsureWeights(2) || !slices.Equal(first, g.Weight) {
		t.Error("a weighted graph got other weights")
	}
	g.Weight = nil
	g.EnsureWeights(2)
	if slices.Equal(first, g.Weight) {
		t.Error("seeds 1 and 2 give the same weights")
	}
	g.Weight = nil
	g.EnsureWeights(1)
	if !slices.Equal(first, g.Weight) {
		t.Error("seed 1 gives other weights the second time")
	}
}

// An edge's weight does not depend on the other edges.
func TestEnsureWeightsIsLocal(t *testing.T) {
	small := build(4, listOf(entry{u: 1, v: 3}), false)
	large := build(4, listOf(entry{u: 0, v: 1}, entry{u: 3, v: 1}, entry{u: 1, v: 2}), false)
	small.EnsureWeights(7)
	large.EnsureWeights(7)
	if a, b := small.Weights(3)[0], large.Weights(3)[0]; a != b {
		t.Errorf("edge 1-3 weighs %v alone and %v in company", a, b)
	}
}

func listOf(entries ...entry) *entryList {
	l := &entryList{}
	for _, e := range entries {
		l.add(e.u, e.v)
	}
	return l
}

func TestCheckPositiveWeights(t *testing.T) {
	for w, want := range map[float64]string{
		-2:                          "g: edge 1-2 has weight -2: this kernel needs positive finite weights (vertices are counted from 0)",
		0:                           "g: edge 1-2 has weight 0: this kernel needs positive finite weights (vertices are counted from 0)",
		math.Inf(1):                 "g: edge 1-2 has weight +Inf: this kernel needs positive finite weights (vertices are counted from 0)",
		math.Inf(-1):                "g: edge 1-2 has weight -Inf: this kernel needs positive finite weights (vertices are counted from 0)",
		math.NaN():                  "g: edge 1-2 has weight NaN: this kernel needs positive finite weights (vertices are counted from 0)",
		math.SmallestNonzeroFloat64: "",
		math.MaxFloat64:             "",
	} {
		l := &entryList{}
		l.addWeighted(0, 1, 1)
		l.addWeighted(2, 1, w)
		g := build(3, l, false)
		g.Name = "g"
		got := ""
		if err := g.CheckPositiveWeights(); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("weight %v: %q, want %q", w, got, want)
		}
	}
	if err := Karate().CheckPositiveWeights(); err == nil || err.Error() != "karate: the graph has no weights" {
		t.Errorf("unweighted: %v", err)
	}
}
