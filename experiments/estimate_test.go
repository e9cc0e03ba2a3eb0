package experiments

import (
	"math"
	"strings"
	"testing"
)

// A run is taken to need what the run did that is most alike.
func TestEstimator(t *testing.T) {
	const edges, vertices = 1000, 100
	like := estimator{
		{Kernel: "k", Machine: "m", Edges: 1000, Contexts: 1, Memory: 28_000, Instructions: 50_000, Simulating: 0.5, Other: 0.1},
		{Kernel: "k", Machine: "m", Edges: 1000, Contexts: 48, Memory: 28_000, Instructions: 60_000, Simulating: 6, Other: 0.1},
		{Kernel: "k", Machine: "m", Edges: 64_000, Contexts: 48, Memory: 28_000, Instructions: 64_000, Simulating: 1, Other: 0},
		{Kernel: "more", Machine: "m", Edges: 1000, Contexts: 48, Memory: 128_000, Instructions: 1000, Simulating: 1, Other: 0},
		{Kernel: "k", Machine: "n", Edges: 1000, Contexts: 0, Memory: 28_000, Instructions: 10_000, Simulating: 0.01, Other: 0},
		{Kernel: "graph/degrees", Edges: 500, Simulating: 2, Other: 1},
	}
	for _, c := range []struct {
		what, kernel, machine string
		contexts              int
		edges                 float64
		instructions, seconds float64
		more                  int64 // bytes than the graph's
	}{
		{"the same", "k", "m", 1, edges, 50_000, 0.6, bytesPerContext},
		{"with as many threads", "k", "dir/m.yaml", 40, edges, 60_000, 6.1, 40 * bytesPerContext},
		{"twice as large", "k", "m", 1, 2 * edges, 100_000, 1.2, bytesPerContext},
		{"as large and as wide", "k", "m", 24, 50_000, 50_000, 50_000.0 / 64_000, 24 * bytesPerContext},
		{"of larger arrays", "more", "m", 48, edges, 1000, 1, 48*bytesPerContext + 100_000},
		{"of kernel and machine apart", "more", "n", 0, edges, 1000, 0.001, 100_000},
		{"of an unknown machine", "k", "o", 0, edges, 10_000, 0.025, 0},
		{"of nothing known", "l", "o", 0, edges, 60_000, 60_000.0/usualRate + usualOther*edges, 0},
		{"of a graph", "graph/degrees", "", 0, edges, 0, 6, 0},
		{"of a graph, unknown", "graph/clustering", "", 0, edges, 0, usualOther * edges, 0},
		{"of hardly a graph", "k", "m", 1, 0, 50 * leastEdges, 0.6 / edges * leastEdges, bytesPerContext},
	} {
		got := like.of(Run{Kernel: c.kernel, Machine: c.machine}, c.contexts, vertices, c.edges)
		memory := footprintOf(vertices, max(c.edges, leastEdges)) + c.more
		if math.Abs(got.instructions-c.instructions) > 1 || math.Abs(got.seconds-startSeconds-c.seconds) > 1e-6 || got.memory != memory {
			t.Errorf("%s: %+v, want %g instructions, %g s, %d bytes", c.what, got, c.instructions, c.seconds+startSeconds, memory)
		}
	}
}

// Overrides that make a machine wider count in a plan.
func TestPlanCountsOverrides(t *testing.T) {
	studying(t)
	writeStudy(t, "s.yaml", "kernels: [matching/ld]\nmachines: [cray-xmt]\ngraphs: [rmat-g:6]\nvary: {processors: [1, 128]}\n")
	_, stdout, stderr := heddle(t, "study", "run", "s.yaml", "--dry-run")
	words := strings.Join(strings.Fields(stdout), " ")
	for _, want := range []string{"processors 1 1 100ms 64.2 MiB ", "processors 128 1 100ms 82.8 MiB "} {
		if !strings.Contains(words, want) {
			t.Errorf("no %q in %s%s", want, stdout, stderr)
		}
	}
}
