package htmlreport

import (
	"math"

	"heddle/experiments/measure"
)

// comparison is what a page shows of several runs side by side.
type comparison struct {
	Runs     []*view
	Measures []comparedRow
	Metrics  []comparedRow
	Config   []comparedRow // settings that differ
}

// comparedRow is a figure of each run.
type comparedRow struct {
	Name  string
	Cells []comparedCell
}

type comparedCell struct {
	Text, Value string
	Part        float64 // of the row's largest, for a bar
}

func compare(runs []*view) *comparison {
	c := &comparison{Runs: runs}
	row := func(name string, value func(*view) float64, write func(float64) string) {
		c.Measures = append(c.Measures, comparedOf(name, runs, value, write))
	}
	if runs[0].Timed {
		first := runs[0].Seconds()
		row("simulated time", func(v *view) float64 { return v.Seconds() }, measure.Duration)
		row("speed over the first", func(v *view) float64 { return first / v.Seconds() }, func(x float64) string { return measure.Digits(x, 3) + "x" })
	}
	row("instructions", func(v *view) float64 { return float64(v.Host.Instructions) }, measure.Rough)
	row("edges a second", func(v *view) float64 { return float64(v.Graph.Edges) / v.Seconds() }, measure.Rough)
	row("instructions a second", func(v *view) float64 { return float64(v.Host.Instructions) / v.Seconds() }, measure.Rough)
	row("share of the most that can be issued", func(v *view) float64 { return float64(v.Host.Instructions) / v.Seconds() / v.Peak.Instructions }, measure.Percent)
	row("DRAM bytes", func(v *view) float64 { r, w := dramBytes(v.Outcome); return float64(r + w) }, measure.Size)
	row("share of the most that DRAM can move", func(v *view) float64 { r, w := dramBytes(v.Outcome); return float64(r+w) / v.Seconds() / v.Peak.DRAM }, measure.Percent)
	row("simulated in", func(v *view) float64 { return v.Host.WallSeconds }, measure.Duration)

	seen := map[string]bool{}
	for _, v := range runs {
		for _, m := range v.Outcome.Metrics {
			if !seen[m.Name] {
				seen[m.Name] = true
				c.Metrics = append(c.Metrics, comparedOf(m.Name, runs, func(v *view) float64 { return v.Outcome.Metrics.Get(m.Name) }, number))
			}
		}
	}
	c.settings()
	return c
}

func comparedOf(name string, runs []*view, value func(*view) float64, write func(float64) string) comparedRow {
	r := comparedRow{Name: name}
	most := 0.0
	for _, v := range runs {
		if x := value(v); !math.IsInf(x, 0) && x > most {
			most = x
		}
	}
	for _, v := range runs {
		x := value(v)
		if math.IsNaN(x) || math.IsInf(x, 0) {
			r.Cells = append(r.Cells, comparedCell{Text: "-"})
			continue
		}
		r.Cells = append(r.Cells, comparedCell{write(x), raw(x), finite(x / most)})
	}
	return r
}

// settings finds what the descriptions of the machines differ in.
func (c *comparison) settings() {
	values := make([]map[string]string, len(c.Runs))
	seen := map[string]bool{}
	var order []string
	for i, v := range c.Runs {
		values[i] = map[string]string{}
		for _, s := range v.Config {
			values[i][s.Path] = s.Value
			if !seen[s.Path] {
				seen[s.Path] = true
				order = append(order, s.Path)
			}
		}
	}
	for _, path := range order {
		r := comparedRow{Name: path}
		differs := false
		for i := range values {
			x, ok := values[i][path]
			if !ok {
				x = "-"
			}
			differs = differs || values[0][path] != values[i][path]
			r.Cells = append(r.Cells, comparedCell{Text: x})
		}
		if differs {
			c.Config = append(c.Config, r)
		}
	}
}
