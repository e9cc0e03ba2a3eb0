package halappanavar2012

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"heddle/experiments/study"
)

// figureHeader are the columns of a figure's table: a point a line, with all
// that it comes from.
var figureHeader = []string{"figure", "panel", "series", "x", "y", "unit", "kernel", "machine", "schedule", "set", "graph", "seed", "version"}

// rows collects the table of a figure.
type rows struct {
	figure string
	data   *Data
	list   [][]string
}

func newRows(figure string, d *Data) *rows {
	return &rows{figure: figure, data: d, list: [][]string{figureHeader}}
}

// run adds a point that a run gave. A case that no machine ran, such as of a
// graph's own properties, has neither kernel nor machine.
func (r *rows) run(panel, series, x string, y float64, unit string, c study.Case) {
	schedule := ""
	if o := r.data.outcome(c); o != nil {
		schedule = o.Schedule
	}
	r.list = append(r.list, []string{
		r.figure, panel, series, x, number(y), unit,
		c.Kernel, c.Machine, schedule, strings.Join(c.Set, " "), c.Graph, strconv.FormatUint(c.Seed, 10), r.data.Version,
	})
}

// number writes x so that reading gives it back, and nothing for NaN.
func number(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// short writes x for people.
func short(x float64) string {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return "-"
	case x != 0 && math.Abs(x) < 1e-3:
		return strconv.FormatFloat(x, 'e', 1, 64)
	case math.Abs(x) >= 1000:
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return fmt.Sprintf("%.3g", x)
}
