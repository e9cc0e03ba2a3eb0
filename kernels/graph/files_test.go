package graph

import (
	"os"
	"path/filepath"
	"testing"
)

// sharedGraphs are real graphs with the figures of their simple undirected
// form. large ones take more than a tenth of a second.
var sharedGraphs = []struct {
	file       string
	vertices   int
	edges      int64
	maxDegree  int
	components int
	loops      int64
	weighted   bool
	positive   bool
	large      bool
}{
	{file: "USA-road-NW.mtx.gz", vertices: 1207945, edges: 1410387, maxDegree: 9, components: 1, large: true},
	{file: "USA-road-BAY.mtx.gz", vertices: 321270, edges: 397415, maxDegree: 7, components: 1},
	{file: "USA-road-d.NY.gr.gz", vertices: 264346, edges: 365050, maxDegree: 8, components: 1, weighted: true, positive: true, large: true},
	{file: "rome99.gr", vertices: 3353, edges: 4831, maxDegree: 6, components: 1, weighted: true, positive: true},
	{file: "wave.graph.gz", vertices: 156317, edges: 1059331, maxDegree: 44, components: 1, large: true},
	{file: "bcsstk16.mtx.gz", vertices: 4884, edges: 142747, maxDegree: 80, components: 75, loops: 4884, weighted: true},
	{file: "wing.graph.gz", vertices: 62032, edges: 121544, maxDegree: 4, components: 1},
	{file: "4elt.graph.gz", vertices: 15606, edges: 45878, maxDegree: 10, components: 1},
	{file: "bcsstk13.mtx.gz", vertices: 2003, edges: 40940, maxDegree: 94, components: 1, loops: 2003, weighted: true},
	{file: "airfoil1.graph", vertices: 4253, edges: 12289, maxDegree: 9, components: 1},
	{file: "jagmesh7.mtx", vertices: 1138, edges: 3156, maxDegree: 6, components: 1, loops: 1138},
	{file: "ak2010.mtx.gz", vertices: 45292, edges: 108549, maxDegree: 430, components: 50, weighted: true, positive: true},
	{file: "soc-Slashdot0902.mtx.gz", vertices: 82168, edges: 504230, maxDegree: 2552, components: 1, loops: 78303, large: true},
	{file: "wiki-Vote.txt.gz", vertices: 7115, edges: 100762, maxDegree: 1065, components: 24},
	{file: "facebook_combined.mtx.gz", vertices: 4039, edges: 88234, maxDegree: 1045, components: 1},
	{file: "dblp-2010.mtx.gz", vertices: 326186, edges: 807700, maxDegree: 238, components: 48493, large: true},
	{file: "astro-ph.graph.gz", vertices: 16706, edges: 121251, maxDegree: 360, components: 1029},
	{file: "ca-CondMat.txt.gz", vertices: 23133, edges: 93439, maxDegree: 279, components: 567, loops: 58},
	{file: "jazz.graph", vertices: 198, edges: 2742, maxDegree: 100, components: 1},
	{file: "PGPgiantcompo.graph.gz", vertices: 10680, edges: 24316, maxDegree: 205, components: 1},
	{file: "cnr-2000.mtx.gz", vertices: 325557, edges: 2738969, maxDegree: 18236, components: 1, loops: 87442, large: true},
	{file: "polblogs.graph", vertices: 1490, edges: 16715, maxDegree: 351, components: 268},
	{file: "cit-HepPh.mtx.gz", vertices: 34546, edges: 420877, maxDegree: 846, components: 61, loops: 44, large: true},
	{file: "as-caida20071105.mtx.gz", vertices: 26475, edges: 53381, maxDegree: 2628, components: 1},
	{file: "as20graph.txt.gz", vertices: 6474, edges: 12572, maxDegree: 1458, components: 1, loops: 1323},
	{file: "p2p-Gnutella05.txt.gz", vertices: 8846, edges: 31839, maxDegree: 88, components: 3},
	{file: "bips98_606.mtx.gz", vertices: 7135, edges: 15190, maxDegree: 111, components: 542, loops: 6900, weighted: true},
	{file: "power.graph", vertices: 4941, edges: 6594, maxDegree: 19, components: 1},
	{file: "ibm10-bip.mtx.gz", vertices: 144625, edges: 297567, maxDegree: 137, components: 1},
	{file: "rajat01.mtx.gz", vertices: 6833, edges: 18422, maxDegree: 1441, components: 66, loops: 6562},
	{file: "hippie-ppi-high.mtx.gz", vertices: 11517, edges: 47184, maxDegree: 321, components: 93},
	{file: "celegans_metabolic.graph", vertices: 453, edges: 2025, maxDegree: 237, components: 1},
	{file: "rgg_n_2_15_s0.graph.gz", vertices: 32768, edges: 160240, maxDegree: 24, components: 6},
	{file: "delaunay_n15.graph.gz", vertices: 32768, edges: 98274, maxDegree: 18, components: 1},
}

func TestSharedGraphs(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "shared", "graphs")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no real graphs to read: %v", err)
	}
	for _, want := range sharedGraphs {
		if want.large && testing.Short() {
			continue
		}
		g, err := Open(filepath.Join(dir, want.file), Options{})
		if err != nil {
			t.Error(err)
			continue
		}
		if !want.large {
			wellFormed(t, g)
		}
		s := g.Stats()
		if s.Vertices != want.vertices || s.Edges != want.edges || s.MaxDegree != want.maxDegree || s.Components != want.components ||
			g.Dropped.SelfLoops != want.loops || (g.Weight != nil) != want.weighted {
			t.Errorf("%s: %+v, dropped %+v, weighted %v; want %+v", want.file, s, g.Dropped, g.Weight != nil, want)
		}
		if err := g.CheckPositiveWeights(); (err == nil) != want.positive {
			t.Errorf("%s: positive weights: %v", want.file, err)
		}
	}
}
