package halappanavar2012

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"heddle/experiments/plot"
)

// Tolerance is how far from a published number, as a share of it, a simulated
// one may be to hold.
const Tolerance = 0.25

// Verdicts on a claim.
const (
	holds      = "holds"
	misses     = "MISSES"
	otherScale = "other scale" // a number of graphs of another size
	otherGraph = "other graph" // of a real graph that stands in for the paper's
	notStated  = "not stated"  // in the paper: simulated, with nothing to hold against
	unanswered = "unanswered"  // by any run
	unknown    = "unknown"     // nothing came of a run
)

// judged is a claim beside what was simulated.
type judged struct {
	claim
	simulated float64   // of an order: lower over higher
	trend     []float64 // the same on smaller graphs, parallel to claim.trend
	lower     float64   // of an order
	higher    float64
	verdict   string
}

func (c claim) judge(d *Data) judged {
	j := judged{claim: c, simulated: math.NaN(), lower: math.NaN(), higher: math.NaN()}
	if !c.isAnswered() {
		j.verdict = unanswered
		return j
	}
	if c.isOrder() {
		j.lower, j.higher = c.low.of(d), c.high.of(d)
		j.simulated = j.lower / j.higher
		switch {
		case math.IsNaN(j.simulated):
			j.verdict = unknown
		case c.foreign:
			j.verdict = otherGraph
		case j.lower < j.higher:
			j.verdict = holds
		default:
			j.verdict = misses
		}
		return j
	}
	j.simulated = c.value.of(d)
	for _, p := range c.trend {
		j.trend = append(j.trend, p.value.of(d))
	}
	switch {
	case math.IsNaN(j.simulated):
		j.verdict = unknown
	case math.IsNaN(c.published):
		j.verdict = notStated
	case c.exact && c.scale != c.paper:
		j.verdict = otherScale
	case math.Abs(relative(j.simulated, c.published)) <= Tolerance:
		j.verdict = holds
	default:
		j.verdict = misses
	}
	return j
}

var claimsPart = Part{
	Name:  "claims",
	Title: "The claims",
	Needs: func(o *Paper) Needs {
		var n Needs
		for _, c := range o.claims() {
			n.merge(c.needs())
		}
		return n
	},
	Report: reportClaims,
}

var claimsHeader = []string{"claim", "where", "text", "published", "simulated", "relative_error", "verdict", "scale", "paper_scale", "trend", "low", "high", "reason", "seed", "version"}

func reportClaims(o *Paper, d *Data) *Report {
	r := &Report{Rows: [][]string{claimsHeader}}
	r.Text = append(r.Text, fmt.Sprintf("  %-60s %9s %9s %8s  %s", "", "published", "simulated", "error", ""))
	tally := map[string]int{}
	var numbers, orders, open []string
	for _, c := range o.claims() {
		j := c.judge(d)
		tally[j.verdict]++
		r.Rows = append(r.Rows, j.row(o, d))
		if !c.isAnswered() {
			open = append(open, fmt.Sprintf("  %s (%s): %s", c.text, c.where, c.reason))
			continue
		}
		if c.isOrder() {
			orders = append(orders, fmt.Sprintf("  %-60s %9s %9s %8s  %s", c.text, short(j.lower), short(j.higher), "", j.verdict))
			continue
		}
		line := fmt.Sprintf("  %-60s %9s %9s %8s  %s", c.text, short(c.published), short(j.simulated), percent(relative(j.simulated, c.published)), j.verdict)
		if j.verdict == otherScale {
			line += fmt.Sprintf(" (%d, not %d)", c.scale, c.paper)
		}
		numbers = append(numbers, line)
		for i, p := range c.trend {
			numbers = append(numbers, fmt.Sprintf("  %-60s %9s %9s %8s", fmt.Sprintf("  the same at scale %d", p.scale), "", short(j.trend[i]), percent(relative(j.trend[i], c.published))))
		}
		r.Figure = trendFigure(r.Figure, &j)
	}
	if r.Figure != nil {
		bands(r.Figure)
		r.Figure.Notes = []string{notes(o, d)}
	}
	r.Text = append(r.Text, numbers...)
	r.Text = append(r.Text, fmt.Sprintf("  %-60s %9s %9s", "", "lower", "higher"))
	r.Text = append(r.Text, orders...)
	r.Text = append(r.Text, "  unanswered")
	r.Text = append(r.Text, open...)
	r.Text = append(r.Text, fmt.Sprintf("  %d hold, %d miss, %d are of other scales or graphs, %d have no published figure, %d are unanswered",
		tally[holds], tally[misses], tally[otherScale]+tally[otherGraph], tally[notStated], tally[unanswered]),
		fmt.Sprintf("  A number holds within %.0f %%. Vertices have 32 bits on every machine; on the multicores and the XMT", 100*Tolerance),
		"  the paper's had 64. It states ratios of times in words, and no times.")
	return r
}

// trendFigure adds a claim to the figure of how claims change with the size of
// the graphs, if it has a trend.
func trendFigure(f *plot.Figure, j *judged) *plot.Figure {
	if len(j.trend) == 0 {
		return f
	}
	if f == nil {
		f = &plot.Figure{Title: "The abstract's claims over the size of the graphs", Panels: []plot.Panel{{
			XLabel: "scale", YLabel: "simulated over published", YLog: true,
		}}}
	}
	panel := &f.Panels[0]
	line := plot.Line{Name: j.id}
	for i, p := range j.claim.trend {
		line.X, line.Y = append(line.X, float64(p.scale)), append(line.Y, j.trend[i]/j.published)
	}
	line.X, line.Y = append(line.X, float64(j.scale)), append(line.Y, j.simulated/j.published)
	panel.Lines = append(panel.Lines, line)
	for _, x := range line.X {
		if !slices.Contains(panel.XTicks, x) {
			panel.XTicks = append(panel.XTicks, x)
		}
	}
	return f
}

// bands draws where claims hold.
func bands(f *plot.Figure) {
	panel := &f.Panels[0]
	low, high := slices.Min(panel.XTicks), slices.Max(panel.XTicks)
	for _, y := range []float64{1 - Tolerance, 1 + Tolerance} {
		panel.Lines = append(panel.Lines, plot.Line{Name: fmt.Sprintf("within %.0f %%", 100*Tolerance), Dashed: true, X: []float64{low, high}, Y: []float64{y, y}})
	}
}

func (j *judged) row(o *Paper, d *Data) []string {
	c := j.claim
	published, failed := "", ""
	if !c.isOrder() {
		published, failed = number(c.published), number(relative(j.simulated, c.published))
	}
	var trend []string
	for i, p := range c.trend {
		trend = append(trend, fmt.Sprintf("%d:%s", p.scale, number(j.trend[i])))
	}
	scale := func(n int) string {
		if n == 0 {
			return ""
		}
		return strconv.Itoa(n)
	}
	return []string{
		c.id, c.where, c.text, published, number(j.simulated), failed, j.verdict, scale(c.scale), scale(c.paper),
		strings.Join(trend, " "), number(j.lower), number(j.higher), c.reason, strconv.FormatUint(o.Seed, 10), d.Version,
	}
}

func percent(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "-"
	}
	return fmt.Sprintf("%+.0f %%", 100*x)
}
