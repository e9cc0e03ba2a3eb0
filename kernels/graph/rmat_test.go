package graph

import (
	"math"
	"runtime"
	"testing"
)

// expected returns the degree variance and the isolated vertices in percent
// that an R-MAT graph has before duplicates go. A vertex with k ones among its
// Scale bits is an end of 2 Degree V p^(Scale-k) q^k edges on average, p = A+B
// being the probability of a zero (B = C in all families), and its degree is
// close to a Poisson variable of that mean.
func expected(p RMAT) (variance, isolated float64) {
	zero := p.A + p.B
	mean := 2 * float64(p.Degree)
	choose := 1.0 // Scale over k
	for k := 0; k <= p.Scale; k++ {
		share := choose / math.Ldexp(1, p.Scale)
		lambda := mean * math.Ldexp(1, p.Scale) * math.Pow(zero, float64(p.Scale-k)) * math.Pow(1-zero, float64(k))
		variance += share * (lambda + (lambda-mean)*(lambda-mean))
		isolated += share * 100 * math.Exp(-lambda)
		choose = choose * float64(p.Scale-k) / float64(k+1)
	}
	return variance, isolated
}

func family(name string, scale int) RMAT {
	p := rmatFamilies[name]
	p.Scale, p.Degree = scale, rmatDegree
	return p
}

// paperTable2 is scale 23 in Table II of Halappanavar et al. 2012.
var paperTable2 = []struct {
	family             string
	variance, isolated float64
	loss               float64 // of variance to the removal of duplicates
}{
	{"rmat-er", 16.00, 0, 0.001},
	{"rmat-g", 390.25, 2.11, 0.005},
	{"rmat-b", 6834.34, 29.22, 0.10},
}

func TestExpectedDegreesArePapers(t *testing.T) {
	for _, row := range paperTable2 {
		variance, isolated := expected(family(row.family, 23))
		if math.Abs(isolated-row.isolated) > 0.05 {
			t.Errorf("%s: %.2f%% isolated, the paper has %.2f%%", row.family, isolated, row.isolated)
		}
		if variance < row.variance*(1-row.loss) || variance*(1-row.loss) > row.variance {
			t.Errorf("%s: variance %.2f, the paper has %.2f", row.family, variance, row.variance)
		}
	}
}

func TestRMATDegrees(t *testing.T) {
	const scale = 16
	for _, row := range paperTable2 {
		p := family(row.family, scale)
		g := p.Generate(nil)
		wellFormed(t, g)
		s := g.Stats()
		generated := int64(rmatDegree) << scale
		if s.Vertices != 1<<scale || s.Edges+g.Dropped.SelfLoops+g.Dropped.Duplicates != generated {
			t.Errorf("%s: %d vertices, %d edges, dropped %+v: want %d generated edges", row.family, s.Vertices, s.Edges, g.Dropped, generated)
		}
		variance, isolated := expected(p)
		t.Logf("%s: E %d, max degree %d, variance %.2f (expected %.2f before duplicates go), isolated %.3f%% (%.3f%%)",
			row.family, s.Edges, s.MaxDegree, s.DegreeVariance, variance, s.IsolatedPercent(), isolated)
		if all := generatedVariance(p); math.Abs(all/variance-1) > 0.02 {
			t.Errorf("%s: variance %.2f with duplicates, want %.2f", row.family, all, variance)
		}
		// Smaller graphs lose more to duplicates than the paper's.
		if low, high := variance*(1-8*row.loss)-0.5, variance+0.5; s.DegreeVariance < low || s.DegreeVariance > high {
			t.Errorf("%s: variance %.2f, want %.2f to %.2f", row.family, s.DegreeVariance, low, high)
		}
		if math.Abs(s.IsolatedPercent()-isolated) > 0.3 {
			t.Errorf("%s: %.2f%% isolated, want %.2f%%", row.family, s.IsolatedPercent(), isolated)
		}
	}
}

// generatedVariance is the degree variance of all edges drawn, self-loops and
// duplicates included.
func generatedVariance(p RMAT) float64 {
	degree := make([]float64, 1<<p.Scale)
	chunk := make([]pair, rmatChunk)
	for c := range p.Degree << p.Scale / rmatChunk {
		p.fill(chunk, uint64(c))
		for _, e := range chunk {
			degree[e.u]++
			degree[e.v]++
		}
	}
	sum := 0.0
	for _, d := range degree {
		off := d - 2*float64(p.Degree)
		sum += off * off
	}
	return sum / float64(len(degree))
}

// Each of the 4^2 cells of a scale-2 matrix gets its share of the edges, to
// within five standard deviations: the levels are drawn apart.
func TestRMATQuadrants(t *testing.T) {
	for name := range rmatFamilies {
		p := family(name, 2)
		chunk := make([]pair, rmatChunk)
		p.fill(chunk, 0)
		var cells [4][4]int
		for _, e := range chunk {
			cells[e.u][e.v]++
		}
		quadrant := [2][2]float64{{p.A, p.B}, {p.C, 1 - p.A - p.B - p.C}}
		for u := range 4 {
			for v := range 4 {
				share := quadrant[u>>1][v>>1] * quadrant[u&1][v&1]
				want := share * rmatChunk
				if off := float64(cells[u][v]) - want; math.Abs(off) > 5*math.Sqrt(want*(1-share)) {
					t.Errorf("%s: cell (%d, %d) has %d edges, want about %.0f", name, u, v, cells[u][v], want)
				}
			}
		}
	}
}

// High-degree vertices are everywhere once shuffled: their ids average to the
// middle of the range.
func TestRMATShuffled(t *testing.T) {
	const scale = 14
	g := family("rmat-b", scale).Generate(nil)
	sum := 0.0
	for u, d := int32(0), 0; int(u) < g.Vertices(); u++ {
		d = g.Degree(u)
		sum += float64(u) * float64(d)
	}
	// The mean of V uniform ids weighted by degree d has standard deviation
	// V/sqrt(12) * sqrt(sum d^2) / sum d.
	s := g.Stats()
	n := float64(g.Vertices())
	squares := n * (s.DegreeVariance + s.MeanDegree*s.MeanDegree)
	deviation := n / math.Sqrt(12) * math.Sqrt(squares) / float64(len(g.Adj))
	if mean := sum / float64(len(g.Adj)); math.Abs(mean-n/2) > 5*deviation {
		t.Errorf("degree-weighted mean id %.0f of %.0f vertices: not shuffled", mean, n)
	}
}

func TestGeneratorsIgnoreProcessors(t *testing.T) {
	for _, name := range []string{"rmat-g:15", "rgg:15"} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
		one, err := Open(name, Options{Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		runtime.GOMAXPROCS(5)
		five, err := Open(name, Options{Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		if !equal(one, five) {
			t.Errorf("%s depends on the number of processors", name)
		}
		other, err := Open(name, Options{Seed: 4})
		if err != nil {
			t.Fatal(err)
		}
		if equal(one, other) {
			t.Errorf("%s is the same for seeds 3 and 4", name)
		}
		spelled, err := Open(name+",seed=3", Options{Seed: 4})
		if err != nil {
			t.Fatal(err)
		}
		if !equal(one, spelled) {
			t.Errorf("%s,seed=3 differs from the option Seed 3", name)
		}
	}
}
