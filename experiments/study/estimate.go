package study

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Estimate is what several runs that differ in the seed alone tell of a figure.
type Estimate struct {
	Mean      float64
	Low, High float64 // of the 95 % interval of the mean; NaN of a single run
	Runs      int
}

// confidence is that of all intervals.
const confidence = 0.95

// EstimateOf returns the mean of figures and its interval by Student's
// distribution, as if they were drawn from a normal one. NaN is no figure. Of
// ratios, logarithms are taken for that: the mean is the geometric one.
func EstimateOf(figures []float64, ratios bool) Estimate {
	figures = slices.DeleteFunc(slices.Clone(figures), func(x float64) bool { return math.IsNaN(x) || ratios && !(x > 0) })
	nan := math.NaN()
	e := Estimate{nan, nan, nan, len(figures)}
	if len(figures) == 0 {
		return e
	}
	if ratios {
		for i := range figures {
			figures[i] = math.Log(figures[i])
		}
	}
	e.Mean = stat.Mean(figures, nil)
	if n := float64(len(figures)); n > 1 {
		t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile((1 + confidence) / 2)
		half := t * stat.StdErr(stat.StdDev(figures, nil), n)
		e.Low, e.High = e.Mean-half, e.Mean+half
	}
	if ratios {
		e.Mean, e.Low, e.High = math.Exp(e.Mean), math.Exp(e.Low), math.Exp(e.High)
	}
	return e
}

// AreRatios says whether the figures of a column are ratios.
func AreRatios(column string) bool {
	return strings.HasPrefix(column, "speedup.")
}

// BySeed returns the indices of the points that differ in the seed alone, by
// group, in the study's order.
func (s *Study) BySeed() [][]int {
	seed := slices.Index(s.Dimensions, "seed")
	at := map[string]int{}
	var groups [][]int
	for i := range s.Points {
		labels := slices.Clone(s.Points[i].At)
		labels[seed] = ""
		key := strings.Join(labels, "\x00")
		g, ok := at[key]
		if !ok {
			g = len(groups)
			at[key] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], i)
	}
	return groups
}
