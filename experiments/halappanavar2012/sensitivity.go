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

// Parameter is a value of a machine's description that is not sure.
type Parameter struct {
	Machine string
	Path    string
	Value   string // as the description has it
	Tag     string // R: recalled, I: inferred
}

// mostSensitive is how many parameters a claim's report names.
const mostSensitive = 5

// sensitivityScale is the scale of the graphs that parameters are varied on:
// there are many.
const sensitivityScale = 12

func (o Options) forSensitivity() Options {
	o.Full = false
	o.Scale = min(o.Scale-headline, sensitivityScale-headline)
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

// Variations returns what to vary for claims that miss: each parameter of the
// machines of a claim, by itself, halved and doubled. The first of each claim
// has no parameter and changes nothing.
func Variations(o *Paper, ids []string, parameters []Parameter) []Variation {
	small := o.varied
	var all []Variation
	for _, c := range small.claims() {
		if c.base == nil || !slices.Contains(ids, c.id) {
			continue
		}
		ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return id == c.id })
		all = append(all, Variation{Claim: c.id, scale: c.scale, base: *c.base, run: *c.run})
		for _, p := range parameters {
			if p.Machine != c.base.Machine && p.Machine != c.run.Machine {
				continue
			}
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

// Sensitivity reports what variations did. Those whose runs are missing, such
// as of values that the machine refuses, are left out.
func Sensitivity(o *Paper, d *Data, variations []Variation) *Report {
	r := &Report{Rows: [][]string{sensitivityHeader}}
	claims := map[string]claim{}
	for _, c := range o.varied.claims() {
		claims[c.id] = c
	}
	var order []string
	effects := map[string][]effect{}
	values := map[string]float64{}
	for i := range variations {
		v := &variations[i]
		x := speedup(v.base, v.run).of(d)
		if v.Path == "" {
			order = append(order, v.Claim)
			values[v.Claim] = x
			continue
		}
		e := effect{v, values[v.Claim], x}
		if math.IsNaN(e.relative()) {
			continue
		}
		effects[v.Claim] = append(effects[v.Claim], e)
		r.Rows = append(r.Rows, []string{
			v.Claim, v.Machine, v.Path, v.Tag, v.Value, v.Changed, number(e.value), number(e.changed), number(e.relative()),
			strconv.Itoa(v.scale), strconv.FormatUint(o.Seed, 10), d.Version,
		})
	}
	figure := &plot.Figure{Title: "What the claims that miss depend on", Columns: 2, Notes: []string{notes(o, d) + "; each parameter halved and doubled by itself"}}
	for _, id := range order {
		best := strongest(effects[id])
		if len(best) == 0 {
			continue
		}
		r.Text = append(r.Text, fmt.Sprintf("  %s: %s at scale %d; most sensitive to", claims[id].text, short(values[id]), claims[id].scale))
		panel := plot.Panel{Title: fmt.Sprintf("%s, scale %d", id, claims[id].scale), YLabel: "claim's number"}
		halved, doubled := plot.Bars{Name: "halved"}, plot.Bars{Name: "doubled"}
		for _, path := range best {
			low, high := math.NaN(), math.NaN()
			var p Parameter
			for _, e := range effects[id] {
				if e.Machine+" "+e.Path != path {
					continue
				}
				p = e.Parameter
				if e.isDoubled() {
					high = e.changed
				} else {
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

// strongest returns the parameters whose changes move a claim most, as machine
// and path.
func strongest(effects []effect) []string {
	most := map[string]float64{}
	var order []string
	for _, e := range effects {
		path := e.Machine + " " + e.Path
		if _, ok := most[path]; !ok {
			order = append(order, path)
		}
		most[path] = max(most[path], math.Abs(math.Log(e.changed/e.value)))
	}
	slices.SortStableFunc(order, func(a, b string) int { return cmp.Compare(most[b], most[a]) })
	return order[:min(len(order), mostSensitive)]
}
