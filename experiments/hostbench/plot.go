package hostbench

import (
	"heddle/experiments/plot"
)

// Curve is a set of results under a name.
type Curve struct {
	Name    string
	Results *Results
}

// LatencyFigure draws the latency of dependent loads against working sets.
func LatencyFigure(title string, curves []Curve) *plot.Figure {
	panel := plot.Panel{XLabel: "working set (KiB)", YLabel: "load latency (ns)", XLog: true, YLog: true}
	for _, c := range curves {
		for _, pages := range []string{"huge", "base"} {
			line := plot.Line{Name: c.Name + ", " + pages + " pages"}
			for _, p := range c.Results.Series("chase/" + pages) {
				line.X = append(line.X, float64(p.At))
				line.Y = append(line.Y, p.Figure.Value)
			}
			if len(line.X) > 0 {
				panel.Lines = append(panel.Lines, line)
			}
		}
	}
	return &plot.Figure{Title: title, Panels: []plot.Panel{panel}}
}
