package halappanavar2012

import (
	"fmt"
	"math"
	"strconv"
)

// published are the rows of table II that fit in the memory of a common
// computer, by family.
var published = [][]struct {
	scale     int
	vertices  int64
	edges     int64
	maxDegree int
	variance  float64
	isolated  float64 // percent
}{
	{{23, 8388608, 67108782, 39, 16.00, 0}, {24, 16777216, 134217654, 42, 16.00, 0}},
	{{23, 8388608, 67081539, 999, 390.25, 2.11}, {24, 16777216, 134181095, 1278, 415.72, 2.33}},
	{{23, 8388608, 66738577, 26949, 6834.34, 29.22}, {24, 16777216, 133658229, 38143, 8085.64, 30.81}},
}

// tableScales are the scales of table II: the paper's smallest, which takes
// no simulation, and with Full also the next.
func (o Options) tableScales() []int {
	switch {
	case o.Full:
		return []int{23, 24}
	case o.Scale < DefaultScale:
		return []int{o.headlineScale()} // a quick look
	}
	return []int{23}
}

var table2 = Part{
	Name:  "table2",
	Title: "Table II: the synthetic graphs",
	Needs: func(o *Paper) Needs {
		var n Needs
		for _, s := range o.table2 {
			n.merge(casesOf(s))
		}
		return n
	},
	Report: reportTable2,
}

var table2Header = []string{"graph", "scale", "property", "published", "generated", "relative_error", "seed", "version"}

func reportTable2(o *Paper, d *Data) *Report {
	r := &Report{Rows: [][]string{table2Header}}
	r.Text = []string{fmt.Sprintf("  %-9s %5s %27s %15s %19s %15s", "", "scale", "edges", "max. degree", "variance", "isolated, %")}
	for i, f := range families {
		for _, scale := range o.tableScales() {
			s := d.outcome(o.graphOf(f, scale)).Values()
			p := publishedAt(i, scale)
			var generated []float64
			for j, property := range tableProperties {
				generated = append(generated, s.Get(property.column))
				r.Rows = append(r.Rows, []string{f.graph, strconv.Itoa(scale), property.name, number(p[j]), number(generated[j]),
					number(relative(generated[j], p[j])), strconv.FormatUint(o.Seed, 10), d.Version})
			}
			r.Text = append(r.Text, fmt.Sprintf("  %-9s %5d %27.0f %15.0f %19.2f %15.2f", f.title, scale, generated[1], generated[2], generated[3], generated[4]))
			if !math.IsNaN(p[0]) {
				r.Text = append(r.Text, fmt.Sprintf("  %-9s %5s %27.0f %15.0f %19.2f %15.2f", "published", "", p[1], p[2], p[3], p[4]))
			}
		}
	}
	return r
}

// tableProperties are the columns of table II, and of a study's results.
var tableProperties = []struct{ name, column string }{
	{"vertices", "vertices"}, {"edges", "edges"}, {"max_degree", "result.max_degree"},
	{"variance", "result.degree_variance"}, {"isolated_percent", "result.isolated_percent"},
}

// publishedAt returns a row of table II, NaN where it has none for a scale.
func publishedAt(family, scale int) [5]float64 {
	for _, p := range published[family] {
		if p.scale == scale {
			return [5]float64{float64(p.vertices), float64(p.edges), float64(p.maxDegree), p.variance, p.isolated}
		}
	}
	nan := math.NaN()
	return [5]float64{nan, nan, nan, nan, nan}
}

// relative returns how far x is from what is published, as a share of that.
func relative(x, published float64) float64 {
	if x == published {
		return 0
	}
	return x/published - 1
}
