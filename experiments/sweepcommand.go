package experiments

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"heddle/experiments/plot"
	"heddle/experiments/study"
	"heddle/models"
)

// mostPoints is the largest sweep.
const mostPoints = 10_000

func (c *cli) sweepCommand() *cobra.Command {
	s := sweep{Run: Run{Kernel: defaultKernel}}
	var set []string
	var flags batchFlags
	cmd := &cobra.Command{
		Use:   "sweep [KERNEL]",
		Short: "Simulate a kernel while keys of a machine's description vary",
		Long: `Simulates a kernel on a machine for each combination of values of one or more
keys of its description, and shows how the simulated time depends on them. A
--set with one value holds for all runs. Results are kept: a sweep that was
interrupted goes on where it was, and one with more values runs those alone.`,
		Example: `  heddle sweep --set l1.size="12 KiB,24 KiB,48 KiB" --plot l1.svg
  heddle sweep matching/ld --graph rmat-b:14 --set sms=1,2,4,7,14 --set scheduler.policy=lrr,gto --csv sms.csv
  heddle sweep --set crossbar.width="32 B,64 B" --metric l2_read_throughput --csv -`,
		Args: arguments(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				s.Kernel = args[0]
			}
			if err := s.split(set); err != nil {
				return err
			}
			return c.sweep(cmd.Context(), &s, flags)
		},
		ValidArgsFunction: names(kernelNames),
	}
	f := cmd.Flags()
	f.StringArrayVar(&set, "set", nil, "values of a key of the description, `PATH=VALUE,VALUE,...`; may be repeated")
	f.StringVarP(&s.Machine, "machine", "m", defaultMachine, "`NAME` of a machine, or the path of its description")
	addInputFlags(cmd, &s.Run)
	f.StringVar(&s.Schedule, "schedule", "", "`KIND` of parallel loops: cyclic, static, dynamic, guided or block-dynamic, with ,CHUNK after all but the first; without it the machine's")
	f.StringVar(&s.metric, "metric", "", "show and plot this metric, by the `NAME` that heddle metrics lists, in place of the time")
	f.StringVar(&s.csvFile, "csv", "", "write all figures to a CSV `FILE`; -: to standard output in place of the table")
	f.StringVar(&s.plotFile, "plot", "", "draw the time, or --metric, in a `FILE` that ends in .svg or .png")
	flags.add(cmd)
	completeWith(cmd, "machine", func() []string { return models.Names(models.Library) })
	return cmd
}

// sweep is a Run and the values that keys of its machine take.
type sweep struct {
	Run
	axes              []axis
	metric            string // "" is the time
	csvFile, plotFile string
}

// axis is a key that varies.
type axis struct {
	path   string
	values []string
}

// split takes apart what --set gave.
func (s *sweep) split(set []string) error {
	for _, assignment := range set {
		path, text, ok := strings.Cut(assignment, "=")
		values := splitOutside(text, ',')
		if !ok || len(values) == 1 {
			s.Set = append(s.Set, assignment)
			continue
		}
		path = strings.TrimSpace(path)
		for i, v := range values {
			if v == "" {
				return badInput("--set %s: value %d of %d is empty", path, i+1, len(values))
			}
			if slices.Contains(values[:i], v) {
				return badInput("--set %s: %s is there twice", path, v)
			}
		}
		if slices.ContainsFunc(s.axes, func(a axis) bool { return a.path == path }) {
			return badInput("--set %s: varies twice", path)
		}
		s.axes = append(s.axes, axis{path, values})
	}
	if len(s.axes) == 0 {
		return badInput("no --set has more than one value, such as --set l1.size=\"16 KiB,48 KiB\"")
	}
	points := 1
	for _, a := range s.axes {
		if points *= len(a.values); points > mostPoints {
			return badInput("more than %s combinations of values", count(mostPoints))
		}
	}
	return nil
}

// point is a combination of values, one for each axis.
type point []string

// points returns all combinations, the last axis varying fastest.
func (s *sweep) points() []point {
	all := []point{nil}
	for _, a := range s.axes {
		var next []point
		for _, p := range all {
			for _, v := range a.values {
				next = append(next, append(slices.Clip(p), v))
			}
		}
		all = next
	}
	return all
}

func (c *cli) sweep(ctx context.Context, s *sweep, flags batchFlags) error {
	if err := checkOutput("--csv", s.csvFile); err != nil {
		return err
	}
	if err := checkPlot(s.plotFile); err != nil {
		return err
	}
	points := s.points()
	runs := make([]Run, len(points))
	for i, p := range points {
		runs[i] = s.Run
		runs[i].Set = slices.Clone(s.Set)
		for j, v := range p {
			runs[i].Set = append(runs[i].Set, s.axes[j].path+"="+v)
		}
	}
	if err := s.checkMetric(); err != nil {
		return err
	}
	outcomes, err := c.doRuns(ctx, runs, flags)
	if err != nil {
		return err
	}
	if s.plotFile != "" {
		figure := s.figure(points, outcomes)
		err := writeFile(s.plotFile, func(w io.Writer) error { return figure.Write(w, formatOf(s.plotFile)) })
		if err != nil {
			return err
		}
	}
	if s.csvFile != "" {
		if err := c.writeCSV(s.csvFile, s.rows(points, runs, outcomes)); err != nil || s.csvFile == "-" {
			return err
		}
	}
	c.println(s.table(points, outcomes)...)
	return nil
}

// checkPlot refuses the path of a figure that cannot be drawn.
func checkPlot(path string) error {
	if path != "" && !slices.Contains(plot.Formats(), formatOf(path)) {
		return badInput("--plot %s: want a file that ends in .%s", path, strings.Join(plot.Formats(), " or ."))
	}
	return checkOutput("--plot", path)
}

// formatOf returns the extension of a path without its dot.
func formatOf(path string) string { return strings.TrimPrefix(filepath.Ext(path), ".") }

// checkMetric refuses a metric that the machine does not report.
func (s *sweep) checkMetric() error {
	if s.metric == "" {
		return nil
	}
	d, err := describeMachine(s.Machine, nil)
	if err != nil {
		return &InputError{err}
	}
	var known []string
	kind, _ := d.Value("kind")
	for _, m := range models.Metrics()[kind] {
		known = append(known, m.Name)
	}
	if slices.Contains(known, s.metric) {
		return nil
	}
	hint := ""
	if near := models.Nearest(s.metric, known); near != "" {
		hint = ": nearest is " + near
	}
	return badInput("--metric %s: machine %s has no such metric%s; heddle metrics lists them", s.metric, d.Name(), hint)
}

// value returns what the sweep looks at.
func (s *sweep) value(o *study.Outcome) float64 {
	if s.metric == "" {
		return o.Seconds()
	}
	return o.Metrics.Get(s.metric)
}

func (s *sweep) table(points []point, outcomes []*study.Outcome) []string {
	o := outcomes[0]
	lines := []string{fmt.Sprintf("%s on %s, %s: %s vertices, %s edges, seed %d; every answer verified",
		o.Kernel, o.Machine, o.Graph.Name, count(o.Graph.Vertices), count(o.Graph.Edges), o.Seed)}
	if len(s.Set) > 0 {
		lines = append(lines, "with "+strings.Join(s.Set, ", "))
	}
	t := table{right: strings.Repeat("l", len(s.axes)) + "rrr"}
	var head []string
	for _, a := range s.axes {
		head = append(head, a.path)
	}
	head = append(head, "time", "speed-up", "cycles")
	if s.metric != "" {
		head = append(head, s.metric)
		t.right += "r"
	}
	t.add(head...)
	for i, p := range points {
		o := outcomes[i]
		cycles := "-"
		if o.Simulated.Cycles != nil {
			cycles = count(*o.Simulated.Cycles)
		}
		row := append(slices.Clone(p), seconds(o.Simulated.Seconds), digits(outcomes[0].Seconds()/o.Seconds(), 3), cycles)
		if s.metric != "" {
			row = append(row, digits(s.value(o), 4))
		}
		t.add(row...)
	}
	return append(lines, t.lines("  ")...)
}

// rows is the sweep's CSV: a run a line.
func (s *sweep) rows(points []point, runs []Run, outcomes []*study.Outcome) [][]string {
	var head []string
	for _, a := range s.axes {
		head = append(head, a.path)
	}
	head = append(head, "seconds", "speedup", "cycles", "instructions")
	for _, n := range outcomes[0].Answer.Numbers {
		head = append(head, "result."+n.Name)
	}
	for _, n := range outcomes[0].Stalls {
		head = append(head, "stall."+n.Name)
	}
	for _, n := range outcomes[0].Metrics {
		head = append(head, "metric."+n.Name)
	}
	head = append(head, comparisonHeader[2:]...)
	rows := [][]string{head}
	for i, o := range outcomes {
		cycles := math.NaN()
		if o.Simulated.Cycles != nil {
			cycles = float64(*o.Simulated.Cycles)
		}
		row := slices.Clone([]string(points[i]))
		add := func(x float64) {
			text := ""
			if !math.IsNaN(x) && !math.IsInf(x, 0) {
				text = number(x)
			}
			row = append(row, text)
		}
		for _, x := range []float64{o.Seconds(), outcomes[0].Seconds() / o.Seconds(), cycles, float64(o.Host.Instructions)} {
			add(x)
		}
		for _, n := range outcomes[0].Answer.Numbers {
			add(o.Answer.Numbers.Get(n.Name))
		}
		for _, n := range outcomes[0].Stalls {
			add(o.Stalls.Get(n.Name))
		}
		for _, n := range outcomes[0].Metrics {
			add(o.Metrics.Get(n.Name))
		}
		rows = append(rows, append(row, provenance(runs[i], o)...))
	}
	return rows
}

// figure draws the last axis that has numbers along x, or else the last axis as
// groups of bars; the other axes' combinations are series.
func (s *sweep) figure(points []point, outcomes []*study.Outcome) *plot.Figure {
	along, numeric := len(s.axes)-1, false
	var xs []float64
	var unit string
	for i := len(s.axes) - 1; i >= 0 && !numeric; i-- {
		if v, u, ok := study.Numeric(s.axes[i].values); ok {
			along, numeric, xs, unit = i, true, v, u
		}
	}
	x := s.axes[along]
	yLabel, scale := s.label(outcomes)
	panel := plot.Panel{XLabel: x.path + study.In(unit), YLabel: yLabel, YZero: true}
	series := map[string][]float64{} // values by place on the axis
	var order []string
	for i, p := range points {
		var rest []string
		for j, v := range p {
			if j != along {
				rest = append(rest, s.axes[j].path+" "+v)
			}
		}
		name := strings.Join(rest, ", ")
		if series[name] == nil {
			order = append(order, name)
			series[name] = make([]float64, len(x.values))
		}
		series[name][slices.Index(x.values, p[along])] = s.value(outcomes[i]) / scale
	}
	for _, name := range order {
		label := name
		if label == "" {
			label = outcomes[0].Kernel + " on " + outcomes[0].Machine
		}
		if numeric {
			panel.Lines = append(panel.Lines, plot.Line{Name: label, X: xs, Y: series[name]})
		} else {
			panel.Groups = x.values
			panel.Bars = append(panel.Bars, plot.Bars{Name: label, Values: series[name]})
		}
	}
	if numeric {
		low, high := slices.Min(xs), slices.Max(xs)
		panel.XLog = low > 0 && high/low >= 4
		if len(xs) <= 10 {
			panel.XTicks = xs
		}
	}
	o := outcomes[0]
	return &plot.Figure{
		Title:  fmt.Sprintf("%s on %s, %s", o.Kernel, o.Machine, o.Graph.Name),
		Panels: []plot.Panel{panel},
		Notes:  []string{strings.Join(append([]string{fmt.Sprintf("heddle %s, seed %d", version(), o.Seed)}, s.Set...), ", ")},
	}
}

// label returns what the y axis shows, and of what unit.
func (s *sweep) label(outcomes []*study.Outcome) (label string, unit float64) {
	if s.metric == "" {
		longest := 0.0
		for _, o := range outcomes {
			longest = max(longest, o.Seconds())
		}
		name, unit := study.TimeUnit(longest)
		return "simulated time" + study.In(name), unit
	}
	for _, declared := range models.Metrics() {
		for _, m := range declared {
			if m.Name == s.metric {
				return m.Name + study.In(m.Unit), 1
			}
		}
	}
	return s.metric, 1
}
