package study

import (
	"math"
	"slices"
	"strings"
	"testing"

	"heddle/experiments/plot"
)

// The interval is Student's: of 1, 2 and 3 the mean is 2 with 2 degrees of
// freedom, t = 4.3027, and a standard error of 1/sqrt(3).
func TestEstimate(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		figures []float64
		ratios  bool
		want    Estimate
	}{
		{[]float64{1, 2, 3}, false, Estimate{2, 2 - 4.30265273/math.Sqrt(3), 2 + 4.30265273/math.Sqrt(3), 3}},
		{[]float64{1, nan, 3}, false, Estimate{2, 2 - 12.7062047, 2 + 12.7062047, 2}},
		{[]float64{1, 4}, true, Estimate{2, 2 * math.Exp(-12.7062047*math.Ln2), 2 * math.Exp(12.7062047*math.Ln2), 2}},
		{[]float64{5, 5, 5}, false, Estimate{5, 5, 5, 3}},
		{[]float64{7, nan}, false, Estimate{7, nan, nan, 1}},
		{[]float64{nan}, true, Estimate{nan, nan, nan, 0}},
	} {
		got := EstimateOf(c.figures, c.ratios)
		for i, pair := range [][2]float64{{got.Mean, c.want.Mean}, {got.Low, c.want.Low}, {got.High, c.want.High}} {
			if math.IsNaN(pair[0]) != math.IsNaN(pair[1]) || math.Abs(pair[0]/pair[1]-1) > 1e-7 {
				t.Errorf("%v: figure %d is %g, want %g", c.figures, i, pair[0], pair[1])
			}
		}
		if got.Runs != c.want.Runs {
			t.Errorf("%v: %d runs", c.figures, got.Runs)
		}
	}
}

// Runs that differ in the seed alone are one point with an interval.
func TestFigureOfSeeds(t *testing.T) {
	s := parse(t, `
kernels: [a]
machines: [m]
graphs: [karate]
vary: {sms: [1, 2]}
seeds: [1, 2]
plots: [{name: p, x: sms}, {name: q, x: sms, kind: bars}]
`)
	r := Results{Study: s, Values: []Numbers{{{"seconds", 1}}, {{"seconds", 3}}, {{"seconds", 5}}, nil}}
	if groups := s.BySeed(); len(groups) != 2 || !slices.Equal(groups[1], []int{2, 3}) {
		t.Errorf("groups %v", groups)
	}
	for i, p := range s.Plots {
		f, err := r.Figure(p)
		if err != nil {
			t.Fatal(err)
		}
		var values []float64
		var interval plot.Interval
		if i == 0 {
			values, interval = f.Panels[0].Lines[0].Y, f.Panels[0].Lines[0].Interval
		} else {
			values, interval = f.Panels[0].Bars[0].Values, f.Panels[0].Bars[0].Interval
		}
		if values[0] != 2 || values[1] != 5 || math.Abs(interval.High[0]-14.7062047) > 1e-6 || !math.IsNaN(interval.Low[1]) {
			t.Errorf("%s: %v, %+v", p.Name, values, interval)
		}
		if !strings.Contains(f.Notes[0], "mean of 2 seeds with its 95 % interval") {
			t.Error(f.Notes)
		}
	}
}

func TestNumeric(t *testing.T) {
	for _, c := range []struct {
		values []string
		unit   string
		want   []float64
	}{
		{[]string{"1", "2.5"}, "", []float64{1, 2.5}},
		{[]string{"512 B", "48 KiB"}, "KiB", []float64{0.5, 48}},
		{[]string{"1 GHz", "500 MHz"}, "GHz", []float64{1, 0.5}},
		{[]string{"4 cycles"}, "cycles", []float64{4}},
		{[]string{"1 us", "20 ns"}, "ns", []float64{1000, 20}},
		{[]string{"1 GB/s"}, "GB/s", []float64{1}},
	} {
		if got, unit, ok := Numeric(c.values); !ok || unit != c.unit || !slices.Equal(got, c.want) {
			t.Errorf("%v: %v %s %v", c.values, got, unit, ok)
		}
	}
	for _, values := range [][]string{{"lrr", "gto"}, {"1", "1 GHz"}, {"nan"}, {"inf"}} {
		if xs, _, ok := Numeric(values); ok {
			t.Errorf("%v: %v", values, xs)
		}
	}
}
