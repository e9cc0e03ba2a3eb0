// Package validate says how far simulated times are from measured ones.
package validate

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat"

	"heddle/experiments/plot"
)

// Point is a kernel on a graph with so many threads, measured and simulated.
type Point struct {
	Kernel    string  `json:"kernel"`
	Graph     string  `json:"graph"`
	Threads   int     `json:"threads"`
	Measured  float64 `json:"measured_seconds"`
	Simulated float64 `json:"simulated_seconds"`
	Spread    float64 `json:"spread"` // of the measured samples, as in a native run
	// Undisturbed counts the samples that the measured time is the median of; if
	// there is none, it is that of disturbed ones.
	Undisturbed int `json:"undisturbed"`

	Vertices int   `json:"vertices"`
	Edges    int64 `json:"edges"`
}

// Error returns how far the simulated time is off, relative to the measured.
func (p Point) Error() float64 { return p.Simulated/p.Measured - 1 }

// Dropped is a case that gave no point, and why.
type Dropped struct {
	Kernel  string `json:"kernel"`
	Graph   string `json:"graph"`
	Threads int    `json:"threads"`
	Reason  string `json:"reason"`
}

// Summary is what points say together.
type Summary struct {
	Points int `json:"points"`
	// MAPE is the mean absolute percentage error, as a share of 1.
	MAPE float64 `json:"mape"`
	// Worst is the largest absolute error, as a share of 1.
	Worst float64 `json:"worst"`
	// Pearson correlates measured and simulated seconds, PearsonLog their
	// logarithms, in which small cases count as much as large ones; 0 for fewer
	// than two points or times that are all the same.
	Pearson    float64 `json:"pearson"`
	PearsonLog float64 `json:"pearson_log"`
	Over       int     `json:"over"`  // simulated longer than measured
	Under      int     `json:"under"` // simulated shorter
	// Slope is simulated over measured seconds, fitted through the origin to
	// the longest third of the points: 1 if what is large is right.
	Slope float64 `json:"slope_large"`
}

// Summarize returns what points say together.
func Summarize(points []Point) Summary {
	s := Summary{Points: len(points)}
	if len(points) == 0 {
		return s
	}
	sorted := slices.Clone(points)
	sort.SliceStable(sorted, func(i, j int) bool { return sorted[i].Measured < sorted[j].Measured })
	var x, y, logX, logY, errors []float64
	for _, p := range sorted {
		off := math.Abs(p.Error())
		errors = append(errors, off)
		s.Worst = max(s.Worst, off)
		switch {
		case p.Simulated > p.Measured:
			s.Over++
		case p.Simulated < p.Measured:
			s.Under++
		}
		x, y = append(x, p.Measured), append(y, p.Simulated)
		logX, logY = append(logX, math.Log(p.Measured)), append(logY, math.Log(p.Simulated))
	}
	s.MAPE = stat.Mean(errors, nil)
	s.Pearson, s.PearsonLog = correlation(x, y), correlation(logX, logY)
	large := len(x) - (len(x)+2)/3
	_, s.Slope = stat.LinearRegression(x[large:], y[large:], nil, true)
	return s
}

// correlation is Pearson's, 0 where it is not defined.
func correlation(x, y []float64) float64 {
	r := stat.Correlation(x, y, nil)
	if math.IsNaN(r) {
		return 0
	}
	return r
}

// By groups points by a key, in the order of their first appearance.
func By(points []Point, key func(Point) string) (keys []string, groups map[string][]Point) {
	groups = map[string][]Point{}
	for _, p := range points {
		k := key(p)
		if _, ok := groups[k]; !ok {
			keys = append(keys, k)
		}
		groups[k] = append(groups[k], p)
	}
	return keys, groups
}

// Scatter draws simulated against measured times, a look for each kernel, with
// the diagonal.
func Scatter(title string, points []Point, notes []string) *plot.Figure {
	panel := plot.Panel{XLabel: "measured (s)", YLabel: "simulated (s)", XLog: true, YLog: true}
	low, high := math.Inf(1), 0.0
	kernels, groups := By(points, func(p Point) string { return p.Kernel })
	for _, k := range kernels {
		line := plot.Line{Name: k, Style: plot.Points}
		for _, p := range groups[k] {
			line.X, line.Y = append(line.X, p.Measured), append(line.Y, p.Simulated)
			low, high = min(low, p.Measured, p.Simulated), max(high, p.Measured, p.Simulated)
		}
		panel.Lines = append(panel.Lines, line)
	}
	panel.Lines = append(panel.Lines, plot.Line{Name: "equal", X: []float64{low, high}, Y: []float64{low, high}, Dashed: true})
	return &plot.Figure{Title: title, Panels: []plot.Panel{panel}, Notes: notes}
}
