package experiments

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heddle/experiments/study"
	"heddle/kernels"
	"heddle/kernels/graph"
)

// figureCalled returns one of several figures.
func figureCalled[T any](t testing.TB, all []kernels.Figure, name string) T {
	t.Helper()
	for _, f := range all {
		if f.Name == name {
			return f.Value.(T)
		}
	}
	t.Fatalf("no figure %s", name)
	panic(name)
}

// Vertices are conserved over degrees and over coefficients, and the means are
// the graph's.
func TestProperties(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		family := rapid.SampledFrom([]string{"rmat-er", "rmat-g", "rmat-b", "rgg"}).Draw(r, "family")
		scale := rapid.IntRange(1, 9).Draw(r, "scale")
		g, err := graph.Open(fmt.Sprintf("%s:%d", family, scale), graph.Options{Seed: rapid.Uint64().Draw(r, "seed"), NoCache: true})
		if err != nil {
			r.Fatal(err)
		}
		all := clusteringFigures(g)
		if err := checkDegrees(g, all); err != nil {
			r.Error(err)
		}
		clustered := figureCalled[int64](t, all, "unclustered")
		for _, n := range figureCalled[[]int64](t, all, "vertices_of_clustering") {
			clustered += n
		}
		if clustered != int64(g.Vertices()) {
			r.Errorf("coefficients of %d of %d vertices", clustered, g.Vertices())
		}
		if got := figureCalled[float64](t, all, "mean_clustering"); math.Abs(got-g.Clustering()) > 1e-12 {
			r.Errorf("mean coefficient %g, want %g", got, g.Clustering())
		}
		counts := figureCalled[[]int64](t, all, ofDegreeFigures)
		counts[0]--
		if checkDegrees(g, all) == nil {
			r.Error("a vertex is missing, and nothing is wrong")
		}
	})
}

// A triangle with a tail: degrees 2, 2, 3, 1 and coefficients 1, 1, 1/3, 0.
func TestPropertiesOfATriangle(t *testing.T) {
	g := &graph.Graph{XAdj: []int64{0, 2, 4, 7, 8}, Adj: []int32{1, 2, 0, 2, 0, 1, 3, 2}}
	var got []string
	for _, f := range clusteringFigures(g) {
		if x, ok := f.Value.(float64); ok {
			f.Value = math.Round(x*1e4) / 1e4
		}
		got = append(got, fmt.Sprint(f.Name, " ", f.Value))
	}
	want := "max_degree 3, mean_degree 2, degree_variance 0.5, isolated_percent 0, degrees [1 2 3], vertices_of_degree [1 2 1], " +
		"mean_clustering 0.5833, unclustered 1, clustering_exponents [-2 0], vertices_of_clustering [1 2]"
	if strings.Join(got, ", ") != want {
		t.Errorf("%s\nwant %s", strings.Join(got, ", "), want)
	}
}

// A property's result is read back as a run's, without a time.
func TestPropertyResult(t *testing.T) {
	p, err := propertyOf("graph/degrees")
	if err != nil {
		t.Fatal(err)
	}
	result, err := p.of(context.Background(), Run{Kernel: p.name, Graph: "karate"})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	o, err := study.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	values := o.Values()
	if !math.IsNaN(values.Get("seconds")) || values.Get("edges") != 78 || values.Get("result.max_degree") != 17 || !o.Answer.Verified {
		t.Errorf("%v", values)
	}
}

// A study of properties runs and is told as any other.
func TestStudyOfProperties(t *testing.T) {
	studying(t)
	const text = "kernels: [graph/degrees]\ngraphs: [karate, g.txt]\n"
	writeStudy(t, "s.yaml", strings.Replace(text, "degrees", "degree", 1))
	if err := os.WriteFile("g.txt", []byte("0 1\n1 2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	status, _, stderr := heddle(t, "study", "run", "s.yaml")
	if status != exitBadInput || stderr != "heddle: s.yaml:1: unknown property \"graph/degree\": nearest is graph/degrees; known: graph/degrees, graph/clustering\n" {
		t.Errorf("status %d, %s", status, stderr)
	}
	writeStudy(t, "s.yaml", text)
	for _, plan := range []string{"2 runs: 0 kept, 0 failed before, 2 to do", "2 runs: 2 kept, 0 failed before, 0 to do"} {
		if status, stdout, stderr := heddle(t, "study", "run", "s.yaml"); status != exitVerified || !strings.Contains(stdout, plan) {
			t.Errorf("status %d, %s%s", status, stdout, stderr)
		}
	}
	if _, stdout, _ := heddle(t, "study", "results", "s.yaml"); !strings.Contains(stdout, "  graph   max_degree  mean_degree ") || !strings.Contains(stdout, "  karate          17        4.588 ") {
		t.Error(stdout)
	}
	_, csvText, _ := heddle(t, "study", "results", "s.yaml", "--csv", "-")
	if got := strings.Join(column(t, rowsOf(t, csvText), "result.max_degree"), " "); got != "17 2" {
		t.Errorf("largest degrees %s\n%s", got, csvText)
	}
}
