package halappanavar2012

import (
	"fmt"
	"slices"
	"strconv"

	"heddle/experiments/plot"
	"heddle/experiments/study"
)

// curve is a line of a scaling figure: the time on more and more cores.
type curve struct {
	panel, series string
	cores         []int
	run           func(cores int) study.Case
	linear        bool // a dashed line of linear speed-up from its first point
	// published is the speed-up on the most cores over the first point, 0 if
	// the paper does not state it in words.
	published float64
}

// scalingCases returns the runs of curves.
func scalingCases(curves []curve) Needs {
	var n Needs
	for _, c := range curves {
		for _, p := range c.cores {
			n.Cases = append(n.Cases, c.run(p))
		}
	}
	return n
}

// reportScaling draws curves, a panel for each of their names, and lists the
// speed-up of each.
func reportScaling(o Options, d *Data, name, title, axis string, columns int, curves []curve) *Report {
	table := newRows(name, d)
	var panels []plot.Panel
	var text []string
	for _, c := range curves {
		at := slices.IndexFunc(panels, func(p plot.Panel) bool { return p.Title == c.panel })
		if at < 0 {
			at = len(panels)
			panels = append(panels, plot.Panel{Title: c.panel, XLabel: axis, YLabel: "time (s)", XLog: true, YLog: true})
		}
		panel := &panels[at]
		line := plot.Line{Name: c.series}
		speedups := ""
		first := 0.0
		for i, p := range c.cores {
			run := c.run(p)
			seconds := d.outcome(run).Seconds()
			line.X, line.Y = append(line.X, float64(p)), append(line.Y, seconds)
			table.run(c.panel, c.series, strconv.Itoa(p), seconds, "s", run)
			if !slices.Contains(panel.XTicks, float64(p)) {
				panel.XTicks = append(panel.XTicks, float64(p))
			}
			if i == 0 {
				first = seconds
			}
			speedups += fmt.Sprintf(" %d:%s", p, short(first/seconds))
		}
		panel.Lines = append(panel.Lines, line)
		if c.linear {
			low, high := float64(c.cores[0]), float64(c.cores[len(c.cores)-1])
			panel.Lines = append(panel.Lines, plot.Line{Name: "linear", Dashed: true, X: []float64{low, high}, Y: []float64{first, first * low / high}})
		}
		text = append(text, fmt.Sprintf("  %-20s %-12s speed-up%s", c.panel, c.series, speedups))
		if c.published > 0 {
			most := c.cores[len(c.cores)-1]
			panel.Lines = append(panel.Lines, plot.Line{Name: publishedName, Style: plot.Marks, X: []float64{float64(most)}, Y: []float64{first / c.published}})
			table.run(c.panel, publishedName, strconv.Itoa(most), c.published, "speed-up", study.Case{Graph: c.run(most).Graph, Seed: o.Seed})
			text = append(text, fmt.Sprintf("  %-20s %-12s speed-up %d:%s, scale %d", "", "published", most, short(c.published), paperScale))
		}
	}
	for i := range panels {
		slices.Sort(panels[i].XTicks)
	}
	return &Report{
		Text: text, Rows: table.list,
		Figure: &plot.Figure{Title: title, Columns: columns, Panels: panels, Notes: []string{notes(o, d)}},
	}
}

// publishedName is what figures call a speed-up that the paper states.
const publishedName = "published speed-up"

// stated returns a speed-up of the abstract for the family that it is of.
func stated(f family, speedup float64) float64 {
	if f != families[goodSkew] {
		return 0
	}
	return speedup
}

// magnyCores are the points of figure 2.
var magnyCores = []int{1, 2, 4, 8, 16, 24, 32, 48}

func (o Options) magnyRun(f family, scale, cores int) study.Case {
	return o.on(queue, magnyCours, f.at(scale), threads(cores))
}

func (o Options) figure2Curves() []curve {
	var all []curve
	for _, f := range families {
		for _, scale := range o.weakScales() {
			published := 0.0
			if scale == o.scale() {
				published = stated(f, 32)
			}
			all = append(all, curve{f.title, fmt.Sprintf("scale %d", scale), magnyCores,
				func(cores int) study.Case { return o.magnyRun(f, scale, cores) }, true, published})
		}
		// Not in the paper: what its scattering of threads is worth.
		all = append(all, curve{f.title, fmt.Sprintf("scale %d, compact", o.scale()), magnyCores,
			func(cores int) study.Case { return o.magnyRun(f, o.scale(), cores).With("placement=compact") }, false, 0})
	}
	return all
}

var figure2 = Part{
	Name:  "fig2",
	Title: "Figure 2: scaling on Magny-Cours",
	Needs: func(o Options) Needs { return scalingCases(o.figure2Curves()) },
	Report: func(o Options, d *Data) *Report {
		return reportScaling(o, d, "fig2", "Strong and weak scaling on Magny-Cours", "cores", 3, o.figure2Curves())
	},
}

// nehalemCores are the points of figure 3.
var nehalemCores = []int{1, 2, 4, 8}

// nehalemRun scatters one or two threads a core over the sockets. Two threads a
// core on part of the cores are a machine of fewer cores a socket, all in use.
func (o Options) nehalemRun(f family, scale, cores, perCore int) study.Case {
	c := o.on(queue, nehalem, f.at(scale), threads(cores*perCore))
	switch {
	case perCore == 1 || cores == 8:
		return c
	case cores == 1:
		return c.With("placement=compact")
	}
	return c.With(fmt.Sprintf("memory.cores=%d", cores/2))
}

func (o Options) figure3Curves() []curve {
	var all []curve
	for _, f := range families {
		all = append(all, curve{f.title, "1 thread a core", nehalemCores,
			func(cores int) study.Case { return o.nehalemRun(f, o.scale(), cores, 1) }, true, stated(f, 7)})
		all = append(all, curve{f.title, "2 threads a core", nehalemCores,
			func(cores int) study.Case { return o.nehalemRun(f, o.scale(), cores, 2) }, false, 0})
	}
	return all
}

var figure3 = Part{
	Name:  "fig3",
	Title: "Figure 3: scaling on Nehalem",
	Needs: func(o Options) Needs { return scalingCases(o.figure3Curves()) },
	Report: func(o Options, d *Data) *Report {
		return reportScaling(o, d, "fig3", fmt.Sprintf("Strong scaling on Nehalem, scale %d", o.scale()), "cores", 3, o.figure3Curves())
	},
}

// xmtProcessors are the points of figure 5.
var xmtProcessors = []int{1, 2, 4, 8, 16, 32, 64, 128}

func (o Options) xmtRun(kernel string, f family, scale, n int) study.Case {
	return o.on(kernel, xmt, f.at(scale), processors(n))
}

func (o Options) figure5Curves() []curve {
	var all []curve
	for _, f := range families {
		for _, variant := range []struct{ name, kernel string }{{"queue", queue}, {"queue, sorted", sorted}, {"dataflow", dataflow}} {
			for _, scale := range o.weakScales() {
				published := 0.0
				if variant.kernel == queue && scale == o.scale() {
					published = stated(f, 60)
				}
				all = append(all, curve{f.title + ", " + variant.name, fmt.Sprintf("scale %d", scale), xmtProcessors,
					func(n int) study.Case { return o.xmtRun(variant.kernel, f, scale, n) }, true, published})
			}
		}
	}
	return all
}

var figure5 = Part{
	Name:  "fig5",
	Title: "Figure 5: scaling on the XMT, three implementations",
	Needs: func(o Options) Needs { return scalingCases(o.figure5Curves()) },
	Report: func(o Options, d *Data) *Report {
		return reportScaling(o, d, "fig5", "Strong and weak scaling on the Cray XMT", "processors", 3, o.figure5Curves())
	},
}
