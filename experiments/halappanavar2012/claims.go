package halappanavar2012

import (
	"fmt"
	"math"
	"strconv"
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
	unknown    = "unknown"     // nothing to hold against
)

// judged is a claim beside what was simulated.
type judged struct {
	claim
	simulated float64 // of an order: lower over higher
	onSmaller float64 // the same on smaller graphs, NaN if there is none
	lower     float64 // of an order
	higher    float64
	verdict   string
}

func (c claim) judge(d *Data) judged {
	j := judged{claim: c, onSmaller: math.NaN(), lower: math.NaN(), higher: math.NaN()}
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
	if c.smaller != nil {
		j.onSmaller = c.smaller.of(d)
	}
	switch {
	case math.IsNaN(j.simulated):
		j.verdict = unknown
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
	Needs: func(o Options) Needs {
		var n Needs
		for _, c := range o.claims() {
			n.merge(c.needs())
		}
		return n
	},
	Report: reportClaims,
}

var claimsHeader = []string{"claim", "where", "text", "published", "simulated", "relative_error", "verdict", "scale", "paper_scale", "simulated_on_smaller", "low", "high", "seed", "version"}

func reportClaims(o Options, d *Data) *Report {
	r := &Report{Rows: [][]string{claimsHeader}}
	r.Text = append(r.Text, fmt.Sprintf("  %-60s %9s %9s %8s  %s", "", "published", "simulated", "error", ""))
	tally := map[string]int{}
	var numbers, orders []string
	for _, c := range o.claims() {
		j := c.judge(d)
		tally[j.verdict]++
		r.Rows = append(r.Rows, j.row(o, d))
		if c.isOrder() {
			orders = append(orders, fmt.Sprintf("  %-60s %9s %9s %8s  %s", c.text, short(j.lower), short(j.higher), "", j.verdict))
			continue
		}
		line := fmt.Sprintf("  %-60s %9s %9s %8s  %s", c.text, short(c.published), short(j.simulated), percent(relative(j.simulated, c.published)), j.verdict)
		if j.verdict == otherScale {
			line += fmt.Sprintf(" (%d, not %d)", c.scale, c.paper)
		}
		numbers = append(numbers, line)
		if !math.IsNaN(j.onSmaller) {
			numbers = append(numbers, fmt.Sprintf("  %-60s %9s %9s %8s", fmt.Sprintf("  the same at scale %d, not %d", o.scaleOfSmaller(c), c.scale), "", short(j.onSmaller), percent(relative(j.onSmaller, c.published))))
		}
	}
	r.Text = append(r.Text, numbers...)
	r.Text = append(r.Text, fmt.Sprintf("  %-60s %9s %9s", "", "lower", "higher"))
	r.Text = append(r.Text, orders...)
	r.Text = append(r.Text, fmt.Sprintf("  %d hold, %d miss, %d are of other scales or graphs; a number holds within %.0f %%",
		tally[holds], tally[misses], tally[otherScale]+tally[otherGraph], 100*Tolerance))
	return r
}

// scaleOfSmaller returns the scale of claim's smaller graphs.
func (o Options) scaleOfSmaller(c claim) int {
	if c.paper == paperGPUScale {
		return o.gpuScale()
	}
	return o.scale()
}

func (j *judged) row(o Options, d *Data) []string {
	c := j.claim
	published, failed := "", ""
	if !c.isOrder() {
		published, failed = number(c.published), number(relative(j.simulated, c.published))
	}
	scale := func(n int) string {
		if n == 0 {
			return ""
		}
		return strconv.Itoa(n)
	}
	return []string{
		c.id, c.where, c.text, published, number(j.simulated), failed, j.verdict, scale(c.scale), scale(c.paper),
		number(j.onSmaller), number(j.lower), number(j.higher), strconv.FormatUint(o.Seed, 10), d.Version,
	}
}

func percent(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "-"
	}
	return fmt.Sprintf("%+.0f %%", 100*x)
}
