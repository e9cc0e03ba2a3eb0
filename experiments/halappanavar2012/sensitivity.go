package halappanavar2012

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"heddle/experiments/plot"
	"heddle/experiments/study"
)

// Parameter is a value of a machine's description that is not published of that
// machine.
type Parameter struct {
	Machine string
	Path    string
	Value   string // as the description has it
	Tag     string // R: recalled, I: inferred, M: measured, mostly of a relative
}

// mostSensitive is how many parameters a claim's report names.
const mostSensitive = 5

// screeningScale is the scale of the abstract's graphs on which all parameters
// are varied: there are many.
const screeningScale = 12

// headlineAtMost returns options for claims on smaller graphs: the abstract's of
// this scale, the others two below.
func (o Options) headlineAtMost(scale int) Options {
	o.Full = false
	o.Scale = min(o.Scale, scale) - headline
	return o
}

// Missed returns the claims about times that miss, by id, and the machines that
// they are of.
func Missed(o *Paper, d *Data) (ids, machines []string) {
	for _, c := range o.claims() {
		if c.base == nil || c.judge(d).verdict != misses {
			continue
		}
		ids = append(ids, c.id)
		for _, m := range []string{c.base.Machine, c.run.Machine} {
			if !slices.Contains(machines, m) {
				machines = append(machines, m)
			}
		}
	}
	return ids, machines
}

// Variation is one change of one parameter behind a claim.
type Variation struct {
	Claim string
	Parameter
	Changed   string // its value
	scale     int    // of the graph
	base, run study.Case
}

// Cases returns the runs of a variation.
func (v *Variation) Cases() []study.Case { return []study.Case{v.base, v.run} }

// Set returns the override that makes the change.
func (v *Variation) Set() string { return v.Path + "=" + v.Changed }

// Screening returns what to vary for claims that miss: each parameter of the
// machines of a claim, by itself, halved and doubled, on small graphs. The first
// of each claim has no parameter and changes nothing.
func Screening(o *Paper, ids []string, parameters []Parameter) []Variation {
	return o.screening.variations(ids, func(c *claim) []Parameter {
		return slices.DeleteFunc(slices.Clone(parameters), func(p Parameter) bool {
			return p.Machine != c.base.Machine && p.Machine != c.run.Machine
		})
	})
}

// Strongest returns the variations of those parameters, on larger graphs, that
// the claims were most sensitive to in a screening.
func Strongest(o *Paper, d *Data, screening []Variation) []Variation {
	found := effectsOf(d, screening)
	return o.varied.variations(found.claims, func(c *claim) []Parameter { return strongest(found.of[c.id]) })
}

// variations returns those of the parameters that vary gives for a claim.
func (o *Paper) variations(ids []string, vary func(c *claim) []Parameter) []Variation {
	var all []Variation
	seen := map[string]bool{}
	for _, c := range o.claims() {
		if c.base == nil || !slices.Contains(ids, c.id) || seen[c.id] {
			continue
		}
		seen[c.id] = true
		all = append(all, Variation{Claim: c.id, scale: c.scale, base: *c.base, run: *c.run})
		for _, p := range vary(&c) {
			for _, factor := range []float64{0.5, 2} {
				changed, ok := scaledValue(p.Value, factor)
				if !ok {
					continue
				}
				v := Variation{Claim: c.id, Parameter: p, Changed: changed, scale: c.scale, base: *c.base, run: *c.run}
				if p.Machine == c.base.Machine {
					v.base = v.base.With(v.Set())
				}
				if p.Machine == c.run.Machine {
					v.run = v.run.With(v.Set())
				}
				all = append(all, v)
			}
		}
	}
	return all
}

// scaledValue multiplies the number that a value begins with. Whole numbers
// stay whole; where half of one is not, there is no such value, nor of text.
func scaledValue(text string, factor float64) (string, bool) {
	end := 0
	for end < len(text) && (text[end] >= '0' && text[end] <= '9' || text[end] == '.') {
		end++
	}
	x, err := strconv.ParseFloat(text[:end], 64)
	if err != nil || x == 0 {
		return "", false
	}
	unit := text[end:]
	whole := strings.HasSuffix(unit, "cycle") || strings.HasSuffix(unit, "cycles") || unit == "" && !strings.Contains(text, ".")
	y := x * factor
	if whole && y != math.Trunc(y) {
		y = math.Round(y)
		if y == 0 || y == x {
			return "", false
		}
	}
	if y == 1 {
		unit = strings.Replace(unit, "cycles", "cycle", 1)
	} else if strings.HasSuffix(unit, "cycle") {
		unit += "s"
	}
	return strconv.FormatFloat(y, 'f', -1, 64) + unit, true
}

var sensitivityHeader = []string{"claim", "machine", "parameter", "tag", "value", "changed_to", "simulated", "simulated_changed", "relative_change", "scale", "seed", "version"}

// effect is what a variation does to a claim's number.
type effect struct {
	*Variation
	value, changed float64
}

func (e *effect) relative() float64 { return relative(e.changed, e.value) }

// effects are what variations do to claims.
type effects struct {
	claims []string            // in the paper's order
	values map[string]float64  // of a claim with nothing changed
	of     map[string][]effect // of a claim
}

// effectsOf leaves out variations whose runs are missing, such as of values that
// the machine refuses.
func effectsOf(d *Data, variations []Variation) effects {
	all := effects{values: map[string]float64{}, of: map[string][]effect{}}
	for i := range variations {
		v := &variations[i]
		x := speedup(v.base, v.run).of(d)
		if v.Path == "" {
			all.claims = append(all.claims, v.Claim)
			all.values[v.Claim] = x
			continue
		}
		if e := (effect{v, all.values[v.Claim], x}); !math.IsNaN(e.relative()) {
			all.of[v.Claim] = append(all.of[v.Claim], e)
		}
	}
	return all
}

// Sensitivity reports what variations did: the table all of them, the text and
// the figure the strongest.
func Sensitivity(o *Paper, d *Data, screening, strong []Variation) *Report {
	r := &Report{Rows: [][]string{sensitivityHeader}}
	claims := map[string]claim{}
	for _, c := range o.varied.claims() {
		claims[c.id] = c
	}
	found := effectsOf(d, strong)
	lists := []effects{effectsOf(d, screening)}
	if o.varied.Scale > o.screening.Scale {
		lists = append(lists, found)
	}
	for _, list := range lists {
		for _, id := range list.claims {
			for _, e := range list.of[id] {
				r.Rows = append(r.Rows, []string{
					id, e.Machine, e.Path, e.Tag, e.Value, e.Changed, number(e.value), number(e.changed), number(e.relative()),
					strconv.Itoa(e.scale), strconv.FormatUint(o.Seed, 10), d.Version,
				})
			}
		}
	}
	figure := &plot.Figure{Title: "What the claims that miss depend on", Columns: 2, Notes: []string{notes(o, d) + "; each parameter halved and doubled by itself"}}
	for _, id := range found.claims {
		best := strongest(found.of[id])
		if len(best) == 0 {
			continue
		}
		c := claims[id]
		r.Text = append(r.Text, fmt.Sprintf("  %s: %s at scale %d; most sensitive to", c.text, short(found.values[id]), c.scale))
		panel := plot.Panel{Title: fmt.Sprintf("%s, scale %d", id, c.scale), YLabel: "claim's number"}
		halved, doubled := plot.Bars{Name: "halved"}, plot.Bars{Name: "doubled"}
		for _, p := range best {
			low, high := math.NaN(), math.NaN()
			for _, e := range found.of[id] {
				switch {
				case e.Parameter != p:
				case e.isDoubled():
					high = e.changed
				default:
					low = e.changed
				}
			}
			r.Text = append(r.Text, fmt.Sprintf("    %-16s %-36s %-14s [%s]  halved %s, doubled %s", p.Machine, p.Path, p.Value, p.Tag, short(low), short(high)))
			panel.Groups = append(panel.Groups, endOf(p.Path))
			halved.Values, doubled.Values = append(halved.Values, low), append(doubled.Values, high)
		}
		panel.Bars = []plot.Bars{halved, doubled}
		figure.Panels = append(figure.Panels, panel)
	}
	if len(figure.Panels) > 0 {
		r.Figure = figure
	}
	return r
}

// endOf returns as many of a path's last keys as there is room for below a bar.
func endOf(path string) string {
	const room = 18
	for len(path) > room {
		_, rest, more := strings.Cut(path, ".")
		if !more {
			break
		}
		path = rest
	}
	return path
}

func (e *effect) isDoubled() bool {
	doubled, _ := scaledValue(e.Value, 2)
	return e.Changed == doubled
}

// strongest returns the parameters whose changes move a claim most.
func strongest(list []effect) []Parameter {
	most := map[Parameter]float64{}
	var order []Parameter
	for _, e := range list {
		if _, ok := most[e.Parameter]; !ok {
			order = append(order, e.Parameter)
		}
		most[e.Parameter] = max(most[e.Parameter], math.Abs(math.Log(e.changed/e.value)))
	}
	slices.SortStableFunc(order, func(a, b Parameter) int { return cmp.Compare(most[b], most[a]) })
	return order[:min(len(order), mostSensitive)]
}
