package experiments

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"heddle/experiments/study"
)

// shownColumn is a figure in the table that people read.
type shownColumn struct {
	head   string
	name   string // of the results' column
	figure func(x float64) string
}

// shownColumns are the time and the speed-ups or, of a study of what takes no
// time, the kernels' own figures.
func shownColumns(r *study.Results) []shownColumn {
	timed := slices.ContainsFunc(r.Column("seconds"), func(x float64) bool { return !math.IsNaN(x) })
	if !timed && r.Count(study.Done) > 0 {
		var all []shownColumn
		for _, name := range r.Figures("result") {
			all = append(all, shownColumn{strings.TrimPrefix(name, "result."), name, plainly})
		}
		return all
	}
	all := []shownColumn{{"time", "seconds", duration}, {"cycles", "cycles", wholly}}
	for _, b := range r.Baselines {
		all = append(all, shownColumn{"over " + b.Name, "speedup." + b.Name, func(x float64) string { return digits(x, 3) }})
	}
	return all
}

// wholly writes a number without what is behind its point.
func wholly(x float64) string { return count(int64(math.Round(x))) }

// plainly writes a number that may be a count.
func plainly(x float64) string {
	if x == math.Trunc(x) {
		return wholly(x)
	}
	return digits(x, 4)
}

// resultLines are the figures of a study as text, a line for runs that differ in
// the seed alone.
func resultLines(r *study.Results) []string {
	lines := []string{r.Name + ": " + r.Title}
	var shown []int // dimensions
	for d, name := range r.Dimensions {
		first := r.Points[0].At[d]
		switch differ := slices.ContainsFunc(r.Points, func(p study.Point) bool { return p.At[d] != first }); {
		case !differ && first != "":
			lines = append(lines, "  "+name+" "+first)
		case differ && name != "seed":
			shown = append(shown, d)
		}
	}
	groups := r.BySeed()
	several := len(groups) < len(r.Points)
	columns := shownColumns(r)
	var head []string
	for _, d := range shown {
		head = append(head, r.Dimensions[d])
	}
	right := strings.Repeat("l", len(head)) + "r"
	if several {
		head = append(head, "seeds")
	}
	figures := make([][]float64, len(columns))
	for i, c := range columns {
		head = append(head, c.head)
		right += "r"
		if several {
			head = append(head, "95 %")
			right += "r"
		}
		figures[i] = r.Column(c.name)
	}
	t := table{right: right}
	t.add(head...)
	for _, group := range groups {
		var row []string
		for _, d := range shown {
			row = append(row, r.Points[group[0]].At[d])
		}
		done := slices.DeleteFunc(slices.Clone(group), func(i int) bool { return r.States[i] != study.Done })
		switch {
		case several && len(done) < len(group):
			row = append(row, fmt.Sprintf("%d of %d", len(done), len(group)))
		case several:
			row = append(row, count(len(group)))
		case len(done) == 0:
			row = append(row, string(r.States[group[0]]))
		}
		for i, c := range columns {
			if len(done) > 0 {
				row = append(row, c.cells(figures[i], group, several)...)
			}
		}
		t.add(row...)
	}
	return append(lines, t.lines("  ")...)
}

// cells returns what a column says of a group of runs.
func (c *shownColumn) cells(figures []float64, group []int, several bool) []string {
	var of []float64
	for _, i := range group {
		of = append(of, figures[i])
	}
	e := study.EstimateOf(of, study.AreRatios(c.name))
	cells := []string{"-"}
	if e.Runs > 0 {
		cells[0] = c.figure(e.Mean)
	}
	switch {
	case !several:
	case e.Runs > 1:
		cells = append(cells, c.figure(e.Low)+" to "+c.figure(e.High))
	default:
		cells = append(cells, "-")
	}
	return cells
}
