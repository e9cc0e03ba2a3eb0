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
	points        []point
	linear        bool // a dashed line of linear speed-up from its first point
	// published is the speed-up on the most cores over the first point, 0 if
	// the paper does not state it in words.
	published float64
}

// point is a run on some cores.
type point struct {
	cores int
	run   study.Case
}

// points returns the runs of a study at a place, as they are in a dimension
// whose labels are numbers of cores.
func points(s *study.Study, dimension string, place ...string) []point {
	var all []point
	for _, p := range s.Find(at(place...)...) {
		cores, err := strconv.Atoi(s.Label(p, dimension))
		if err != nil {
			panic(fmt.Sprintf("study %s: %s: %v", s.Name, dimension, err)) // it comes with the program
		}
		all = append(all, point{cores, p.Case})
	}
	return all
}

// casesOf returns the runs of a study.
func casesOf(s *study.Study) Needs {
	var n Needs
	for i := range s.Points {
		n.Cases = append(n.Cases, s.Points[i].Case)
	}
	return n
}

// reportScaling draws curves, a panel for each of their names, and lists the
// speed-up of each.
func reportScaling(o *Paper, d *Data, name, title, axis string, columns int, curves []curve) *Report {
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
		for i, p := range c.points {
			seconds := d.outcome(p.run).Seconds()
			line.X, line.Y = append(line.X, float64(p.cores)), append(line.Y, seconds)
			table.run(c.panel, c.series, strconv.Itoa(p.cores), seconds, "s", p.run)
			if !slices.Contains(panel.XTicks, float64(p.cores)) {
				panel.XTicks = append(panel.XTicks, float64(p.cores))
			}
			if i == 0 {
				first = seconds
			}
			speedups += fmt.Sprintf(" %d:%s", p.cores, short(first/seconds))
		}
		fewest, most := c.points[0].cores, c.points[len(c.points)-1].cores
		panel.Lines = append(panel.Lines, line)
		if c.linear {
			low, high := float64(fewest), float64(most)
			panel.Lines = append(panel.Lines, plot.Line{Name: "linear", Dashed: true, X: []float64{low, high}, Y: []float64{first, first * low / high}})
		}
		text = append(text, fmt.Sprintf("  %-20s %-12s speed-up%s", c.panel, c.series, speedups))
		if c.published > 0 {
			panel.Lines = append(panel.Lines, plot.Line{Name: publishedName, Style: plot.Marks, X: []float64{float64(most)}, Y: []float64{first / c.published}})
			table.run(c.panel, publishedName, strconv.Itoa(most), c.published, "speed-up", study.Case{Graph: c.points[0].run.Graph, Seed: o.Seed})
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

func (o *Paper) magnyRun(f family, scale, cores int) study.Case {
	return only(o.fig2, "part", "scattered", "graph", f.at(scale), "threads", strconv.Itoa(cores))
}

func (o *Paper) figure2Curves() []curve {
	var all []curve
	for _, f := range families {
		for _, scale := range o.weakScales() {
			c := curve{panel: f.title, series: fmt.Sprintf("scale %d", scale), linear: true,
				points: points(o.fig2, "threads", "part", "scattered", "graph", f.at(scale))}
			if scale == o.scale() {
				c.published = stated(f, 32)
			}
			all = append(all, c)
		}
		// Not in the paper: what its scattering of threads is worth.
		all = append(all, curve{panel: f.title, series: fmt.Sprintf("scale %d, compact", o.scale()),
			points: points(o.fig2, "threads", "part", "compact", "graph", f.at(o.scale()))})
	}
	return all
}

var figure2 = Part{
	Name:  "fig2",
	Title: "Figure 2: scaling on Magny-Cours",
	Needs: func(o *Paper) Needs { return casesOf(o.fig2) },
	Report: func(o *Paper, d *Data) *Report {
		return reportScaling(o, d, "fig2", "Strong and weak scaling on Magny-Cours", "cores", 3, o.figure2Curves())
	},
}

// Parts of figure 3's study.
const (
	onePerCore = "1 thread a core"
	twoPerCore = "2 threads a core"
)

func (o *Paper) nehalemRun(f family, scale, cores int) study.Case {
	return only(o.fig3, "part", onePerCore, "graph", f.at(scale), "machine", strconv.Itoa(cores))
}

func (o *Paper) figure3Curves() []curve {
	var all []curve
	for _, f := range families {
		for _, part := range []string{onePerCore, twoPerCore} {
			c := curve{panel: f.title, series: part, points: points(o.fig3, "machine", "part", part, "graph", f.at(o.scale()))}
			if part == onePerCore {
				c.linear, c.published = true, stated(f, 7)
			}
			all = append(all, c)
		}
	}
	return all
}

var figure3 = Part{
	Name:  "fig3",
	Title: "Figure 3: scaling on Nehalem",
	Needs: func(o *Paper) Needs { return casesOf(o.fig3) },
	Report: func(o *Paper, d *Data) *Report {
		return reportScaling(o, d, "fig3", fmt.Sprintf("Strong scaling on Nehalem, scale %d", o.scale()), "cores", 3, o.figure3Curves())
	},
}

func (o *Paper) xmtRun(kernel string, f family, scale, n int) study.Case {
	return only(o.fig5, "kernel", kernel, "graph", f.at(scale), "processors", strconv.Itoa(n))
}

func (o *Paper) figure5Curves() []curve {
	var all []curve
	for _, f := range families {
		for _, variant := range []struct{ name, kernel string }{{"queue", queue}, {"queue, sorted", sorted}, {"dataflow", dataflow}} {
			for _, scale := range o.weakScales() {
				c := curve{panel: f.title + ", " + variant.name, series: fmt.Sprintf("scale %d", scale), linear: true,
					points: points(o.fig5, "processors", "kernel", variant.kernel, "graph", f.at(scale))}
				if variant.kernel == queue && scale == o.scale() {
					c.published = stated(f, 60)
				}
				all = append(all, c)
			}
		}
	}
	return all
}

var figure5 = Part{
	Name:  "fig5",
	Title: "Figure 5: scaling on the XMT, three implementations",
	Needs: func(o *Paper) Needs { return casesOf(o.fig5) },
	Report: func(o *Paper, d *Data) *Report {
		return reportScaling(o, d, "fig5", "Strong and weak scaling on the Cray XMT", "processors", 3, o.figure5Curves())
	},
}
