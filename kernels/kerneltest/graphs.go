package kerneltest

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heddle/kernels/graph"
)

// Edge is an undirected edge with its weight.
type Edge struct {
	U, V   int32
	Weight float64
}

// FromEdges returns the graph of n vertices with the given edges; self-loops
// are left out, and of parallel edges all but the first.
func FromEdges(n int, edges []Edge) *graph.Graph {
	type half struct {
		to     int32
		weight float64
	}
	rows := make([][]half, n)
	for _, e := range edges {
		if e.U == e.V || slices.ContainsFunc(rows[e.U], func(h half) bool { return h.to == e.V }) {
			continue
		}
		rows[e.U] = append(rows[e.U], half{e.V, e.Weight})
		rows[e.V] = append(rows[e.V], half{e.U, e.Weight})
	}
	g := &graph.Graph{Name: "test", XAdj: make([]int64, 1, n+1), Adj: []int32{}, Weight: []float64{}}
	for _, row := range rows {
		slices.SortFunc(row, func(a, b half) int { return int(a.to) - int(b.to) })
		for _, h := range row {
			g.Adj = append(g.Adj, h.to)
			g.Weight = append(g.Weight, h.weight)
		}
		g.XAdj = append(g.XAdj, int64(len(g.Adj)))
	}
	return g
}

// DrawGraph draws a graph of 1 to most vertices, from edgeless to dense, with
// integer weights from a range small enough for ties, or large.
func DrawGraph(t *rapid.T, most int) *graph.Graph {
	// rapid favors small numbers, and small graphs hide races.
	sizes := []int{1, 2, 3, 4, 6, 9, most / 4, most / 2, most, most}
	n := min(most, max(1, rapid.SampledFrom(sizes).Draw(t, "vertices")))
	m := n * rapid.SampledFrom([]int{0, 1, 2, 3, 6}).Draw(t, "edges a vertex")
	top := rapid.SampledFrom([]int{1, 2, 4, 1000}).Draw(t, "heaviest")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "graph"), 1))
	edges := make([]Edge, m)
	for i := range edges {
		edges[i] = Edge{int32(rng.IntN(n)), int32(rng.IntN(n)), float64(1 + rng.IntN(top))}
	}
	return FromEdges(n, edges)
}

// DrawConfig draws the shape of a machine and the seed of its schedule.
func DrawConfig(t *rapid.T) Config {
	width := rapid.SampledFrom([]int{1, 1, 2, 3, 4, 7, 8, 16, 31, 32, 64}).Draw(t, "width")
	return Config{
		Width:    width,
		Block:    width * rapid.IntRange(1, 3).Draw(t, "warps a block"),
		Threads:  rapid.SampledFrom([]int{0, 0, 1, 5, 64}).Draw(t, "threads"),
		Resident: rapid.SampledFrom([]int{1, 2, 8, 32, 256}).Draw(t, "resident"),
		Seed:     rapid.Uint64().Draw(t, "schedule"),
	}
}

// DrawSchedule draws the schedule of parallel loops, as kernels.Options has it.
func DrawSchedule(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", "", "cyclic", "static", "static,5", "dynamic", "dynamic,3",
		"guided", "guided,4", "block-dynamic", "block-dynamic,2"}).Draw(t, "schedule of loops")
}

// largestFile is the most bytes of a graph file that tests read: larger ones
// take seconds, and package graph's tests read them.
const largestFile = 512 << 10

// GraphFiles lists the paths of the graph files under dir, hypergraphs and the
// largest left out, or skips the test where the folder is absent.
func GraphFiles(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Skipf("no graph files: %v", err)
	}
	var paths []string
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > largestFile {
			continue
		}
		name := strings.TrimSuffix(e.Name(), ".gz")
		switch filepath.Ext(name) {
		case ".mtx", ".graph", ".gr", ".txt":
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths
}
