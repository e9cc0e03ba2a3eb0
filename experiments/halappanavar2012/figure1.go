package halappanavar2012

import (
	"fmt"
	"math"
	"strconv"

	"heddle/experiments/plot"
	"heddle/experiments/study"
)

var figure1 = Part{
	Name:   "fig1",
	Title:  "Figure 1: degrees, local clustering coefficients, queue sizes",
	Needs:  func(o *Paper) Needs { return casesOf(o.fig1) },
	Report: reportFigure1,
}

func (o *Paper) clusteringOf(f family) study.Case {
	return only(o.fig1, "part", "graphs", "graph", f.at(o.headlineScale()))
}

// untimedRun gives the sizes of the queue and the cardinality, which are much
// the same whatever the machine.
func (o *Paper) untimedRun(f family) study.Case {
	return only(o.fig1, "part", "queues", "graph", f.at(o.headlineScale()))
}

// queueSizes returns |Q_C| of each iteration.
func queueSizes(o *study.Outcome) []int64 { return o.Answer.Lists["queue_sizes"] }

func reportFigure1(o *Paper, d *Data) *Report {
	table := newRows("fig1", d)
	degrees := plot.Panel{Title: "(a) degrees", XLabel: "degree", YLabel: "vertices", XLog: true, YLog: true}
	clustering := plot.Panel{Title: "(b) local clustering", XLabel: "local clustering coefficient", YLabel: "vertices", XLog: true, YLog: true}
	queues := plot.Panel{Title: "(c) queue sizes", XLabel: "iteration", YLabel: "vertices in the queue", YLog: true}
	var text []string
	longest, first := 0, 0.0
	for _, f := range families {
		c := o.clusteringOf(f)
		s := d.outcome(c)
		degree := plot.Line{Name: f.title, Style: plot.Dots}
		for i, k := range s.Answer.Lists["degrees"] {
			n := float64(s.Answer.Lists["vertices_of_degree"][i])
			degree.X, degree.Y = append(degree.X, float64(k)), append(degree.Y, n)
			table.run("a", f.title, strconv.FormatInt(k, 10), n, "vertices", c)
		}
		degrees.Lines = append(degrees.Lines, degree)

		mean := s.Answer.Numbers.Get("mean_clustering")
		table.run("b", f.title, "0", s.Answer.Numbers.Get("unclustered"), "vertices", c)
		local := plot.Line{Name: f.title}
		for i, e := range s.Answer.Lists["clustering_exponents"] {
			low, n := math.Ldexp(1, int(e)), float64(s.Answer.Lists["vertices_of_clustering"][i])
			local.X, local.Y = append(local.X, low), append(local.Y, n)
			table.run("b", f.title, number(low), n, "vertices", c)
		}
		clustering.Lines = append(clustering.Lines, local)
		table.run("b mean", f.title, "", mean, "1", c)

		run := o.untimedRun(f)
		outcome := d.outcome(run)
		sizes := queueSizes(outcome)
		line := plot.Line{Name: f.title}
		for i, n := range sizes {
			line.X, line.Y = append(line.X, float64(i+1)), append(line.Y, float64(n))
			table.run("c", f.title, strconv.Itoa(i+1), float64(n), "vertices", run)
		}
		queues.Lines = append(queues.Lines, line)
		longest = max(longest, len(sizes))
		if len(sizes) > 0 {
			first = max(first, float64(sizes[0]))
		}
		text = append(text, fmt.Sprintf("  %-8s  mean clustering coefficient %s; %d iterations; the queue shrinks to %s of itself an iteration",
			f.title, short(mean), len(sizes), short(shrinkage(sizes))))
	}
	// The trend: half as many each iteration.
	trend := plot.Line{Name: "halves", Dashed: true}
	for i := 0; i < longest && first*math.Pow(0.5, float64(i)) >= 1; i++ {
		trend.X, trend.Y = append(trend.X, float64(i+1)), append(trend.Y, first*math.Pow(0.5, float64(i)))
	}
	queues.Lines = append(queues.Lines, trend)
	for i := 1; i <= longest; i += 1 + longest/12 {
		queues.XTicks = append(queues.XTicks, float64(i))
	}
	return &Report{
		Text: text, Rows: table.list,
		Figure: &plot.Figure{
			Title:  fmt.Sprintf("Characteristics of the graphs, scale %d", o.headlineScale()),
			Panels: []plot.Panel{degrees, clustering, queues},
			Notes:  []string{notes(o, d) + "; (b) vertices from the coefficient to twice it, those of coefficient 0 left out"},
		},
	}
}

// notes is the line below a figure.
func notes(o *Paper, d *Data) string { return fmt.Sprintf("heddle %s, seed %d", d.Version, o.Seed) }

// shrinkage returns the geometric mean of a queue's size over that of the
// iteration before, while it has at least a thousandth of its first size: after
// that few vertices decide.
func shrinkage(sizes []int64) float64 {
	last := 0
	for last+1 < len(sizes) && sizes[last+1] >= sizes[0]/1000 && sizes[last+1] > 0 {
		last++
	}
	if last == 0 {
		return math.NaN()
	}
	return math.Pow(float64(sizes[last])/float64(sizes[0]), 1/float64(last))
}
