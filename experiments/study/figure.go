package study

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"heddle/experiments/plot"
	"heddle/models"
	"heddle/sim"
)

// Figure draws p: a panel for each label of p.Panels and a line or a group of
// bars for each combination of the other dimensions but X. Runs that differ in
// the seed alone are one point, their mean, with its interval. The error says
// that there is nothing to draw.
func (r *Results) Figure(p Plot) (*plot.Figure, error) {
	values := r.Column(p.Show)
	var chosen []int
	for i := range r.Points {
		if !math.IsNaN(values[i]) && r.admits(p, i) {
			chosen = append(chosen, i)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("plot %s: no run has a figure %s yet", p.Name, p.Show)
	}
	label, unit := axisLabel(p.Show, values)
	x := r.labels(chosen, p.X)
	xs, xUnit, numeric := Numeric(x)
	numeric = numeric && p.Kind != "bars"
	series := r.series(p, chosen)

	type place struct{ panel, series, x string }
	figures := map[place][]float64{}
	var names []string
	for at, i := range chosen {
		to := place{r.Label(&r.Points[i], p.Panels), series[at], r.Label(&r.Points[i], p.X)}
		figures[to] = append(figures[to], values[i]/unit)
		if !slices.Contains(names, to.series) {
			names = append(names, to.series)
		}
	}
	f := &plot.Figure{Title: p.Title, Notes: []string{r.note(p, chosen)}}
	for _, name := range r.labels(chosen, p.Panels) {
		panel := plot.Panel{
			Title: name, XLabel: p.X, YLabel: label, YZero: true,
			XLog: slices.Contains(p.Log, "x"), YLog: slices.Contains(p.Log, "y"),
		}
		if numeric {
			panel.XLabel += In(xUnit)
			if len(xs) <= 10 {
				panel.XTicks = slices.Sorted(slices.Values(xs))
			}
		} else {
			panel.Groups = x
		}
		for _, s := range names {
			var ys []float64 // NaN where there is none
			var interval plot.Interval
			runs := 0
			for _, l := range x {
				e := EstimateOf(figures[place{name, s, l}], AreRatios(p.Show))
				ys = append(ys, e.Mean)
				interval.Low, interval.High = append(interval.Low, e.Low), append(interval.High, e.High)
				runs += e.Runs
			}
			switch {
			case runs == 0:
			case numeric:
				panel.Lines = append(panel.Lines, plot.Line{Name: s, X: xs, Y: ys, Interval: interval})
			default:
				panel.Bars = append(panel.Bars, plot.Bars{Name: s, Values: ys, Interval: interval})
			}
		}
		f.Panels = append(f.Panels, panel)
	}
	f.Columns = min(3, len(f.Panels))
	return f, nil
}

// admits says whether a point has one of the labels that p.Only lists in each
// dimension that it names.
func (r *Results) admits(p Plot, i int) bool {
	named, met := map[string]bool{}, map[string]bool{}
	for _, c := range p.Only {
		named[c.Dimension] = true
		if r.Label(&r.Points[i], c.Dimension) == c.Label {
			met[c.Dimension] = true
		}
	}
	return len(named) == len(met)
}

// labels returns the labels of points in a dimension, in the order of the
// study.
func (r *Results) labels(points []int, dimension string) []string {
	var all []string
	for _, i := range points {
		if l := r.Label(&r.Points[i], dimension); !slices.Contains(all, l) {
			all = append(all, l)
		}
	}
	return all
}

// series returns for each chosen point the name of the line that it is on: its
// labels in all dimensions that differ and are not shown otherwise.
func (r *Results) series(p Plot, chosen []int) []string {
	names := make([]string, len(chosen))
	for _, d := range r.Dimensions {
		if d == p.X || d == p.Panels || d == "seed" || len(r.labels(chosen, d)) < 2 {
			continue
		}
		for at, i := range chosen {
			l := r.Label(&r.Points[i], d)
			if l == "" {
				continue
			}
			if !IsDimension(d) {
				l = d + " " + l
			}
			if names[at] != "" {
				l = ", " + l
			}
			names[at] += l
		}
	}
	for at, i := range chosen {
		if names[at] == "" {
			names[at] = r.Label(&r.Points[i], "kernel") + " on " + r.Label(&r.Points[i], "machine")
		}
	}
	return names
}

// note says what a figure comes from.
func (r *Results) note(p Plot, chosen []int) string {
	seeds := r.labels(chosen, "seed")
	note := "heddle " + r.Version + ", seed " + seeds[0]
	if len(seeds) > 1 && p.X != "seed" && p.Panels != "seed" {
		kind := "mean"
		if AreRatios(p.Show) {
			kind = "geometric mean"
		}
		note = fmt.Sprintf("heddle %s, %s of %d seeds with its 95 %% interval", r.Version, kind, len(seeds))
	}
	for _, d := range []string{"kernel", "machine", "graph"} {
		if l := r.labels(chosen, d); len(l) == 1 {
			note += ", " + l[0]
		}
	}
	return note
}

// axisLabel returns what an axis of a column shows, and the size of its unit.
func axisLabel(show string, values []float64) (label string, unit float64) {
	group, name, _ := strings.Cut(show, ".")
	switch group {
	case "seconds":
		longest := 0.0
		for _, v := range values {
			if !math.IsNaN(v) {
				longest = max(longest, v)
			}
		}
		unitName, unit := TimeUnit(longest)
		return "simulated time" + In(unitName), unit
	case "speedup":
		return "speed-up over " + name, 1
	case "metric":
		return name + In(metricUnit(name)), 1
	case "stall":
		return "share of the threads' time: " + name, 1
	case "result":
		return name, 1
	}
	return show, 1
}

// metricUnit returns the unit of a metric, "" if no machine declares it.
func metricUnit(name string) string {
	for _, declared := range models.Metrics() {
		for _, m := range declared {
			if m.Name == name {
				return m.Unit
			}
		}
	}
	return ""
}

// TimeUnit returns the unit in which a time is written without a power of ten,
// and its seconds.
func TimeUnit(seconds float64) (name string, unit float64) {
	switch {
	case seconds < 1e-3:
		return "us", 1e-6
	case seconds < 1:
		return "ms", 1e-3
	}
	return "s", 1
}

// In writes a unit after a label.
func In(unit string) string {
	if unit == "" || unit == "1" {
		return ""
	}
	return " (" + unit + ")"
}

// Numeric reads labels as numbers of one unit.
func Numeric(labels []string) (xs []float64, unit string, ok bool) {
	readers := []struct {
		unit string
		read func(string) (float64, error)
	}{
		{"", func(s string) (float64, error) { return strconv.ParseFloat(s, 64) }},
		{"cycles", quantityIn[sim.Cycles](1)},
		{"KiB", quantityIn[sim.Bytes](1 << 10)},
		{"GHz", quantityIn[sim.Frequency](1e9)},
		{"GB/s", quantityIn[sim.Bandwidth](1e9)},
		{"ns", quantityIn[sim.Time](float64(sim.Nanosecond))},
	}
next:
	for _, r := range readers {
		xs = nil
		for _, v := range labels {
			x, err := r.read(v)
			if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
				continue next
			}
			xs = append(xs, x)
		}
		return xs, r.unit, true
	}
	return nil, "", false
}

// quantityIn returns a reader of quantities in a unit of the given size.
func quantityIn[T models.Quantity](unit float64) func(string) (float64, error) {
	return func(text string) (float64, error) {
		q, err := models.Parse[T](text)
		return float64(q) / unit, err
	}
}
