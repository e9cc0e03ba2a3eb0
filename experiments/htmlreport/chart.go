package htmlreport

import (
	"math"

	"heddle/experiments/study"
)

// charts is what the page's program draws of a run.
type charts struct {
	Name     string        `json:"name"`
	Stalls   []part        `json:"stalls"`
	Colors   []part        `json:"colors"` // of the series' stalls
	Series   *study.Series `json:"series"`
	Launches []chartLaunch `json:"launches"`
	Peak     study.Peak    `json:"peak"`
	Whole    *point        `json:"whole"` // nil without timing
	Seconds  *float64      `json:"seconds"`
}

type part struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Color string  `json:"color"`
}

// point is a place under a roofline: instructions a byte of DRAM, and a second.
type point struct {
	Intensity float64 `json:"intensity"`
	Rate      float64 `json:"rate"`
}

type chartLaunch struct {
	Program string           `json:"program"`
	Start   float64          `json:"start"`
	Seconds float64          `json:"seconds"`
	Items   int              `json:"items"`
	Notes   map[string]int64 `json:"notes"`
	Point   *point           `json:"point"`
}

// mostChartLaunches is how many launches are drawn: the first ones.
const mostChartLaunches = 5000

func chartsOf(v *view) charts {
	o := v.Outcome
	c := charts{Name: v.Label, Series: o.Series, Peak: o.Peak, Seconds: o.Simulated.Seconds, Stalls: []part{}, Colors: []part{}, Launches: []chartLaunch{}}
	for _, s := range v.Stalls {
		c.Stalls = append(c.Stalls, part{s.Name, s.Value, string(s.Color)})
	}
	if o.Series != nil {
		for _, l := range o.Series.Stalls {
			c.Colors = append(c.Colors, part{Name: l.Name, Color: colorOf(l.Name)})
		}
	}
	for i := range o.Launches[:min(mostChartLaunches, len(o.Launches))] {
		l := &o.Launches[i]
		c.Launches = append(c.Launches, chartLaunch{l.Program, l.Start, l.Seconds, l.Items, l.Notes,
			pointOf(float64(l.Instructions), l.DRAMRead+l.DRAMWritten, l.Seconds)})
	}
	if v.Timed {
		read, written := dramBytes(o)
		ran := 0.0
		for i := range o.Launches {
			ran += o.Launches[i].Seconds
		}
		c.Whole = pointOf(float64(o.Host.Instructions), read+written, ran)
	}
	return c
}

// pointOf returns nil for what has no place on logarithmic axes.
func pointOf(instructions float64, bytes int64, seconds float64) *point {
	p := &point{instructions / float64(bytes), instructions / seconds}
	if !(p.Intensity > 0 && p.Rate > 0) || math.IsInf(p.Intensity, 0) || math.IsInf(p.Rate, 0) {
		return nil
	}
	return p
}
