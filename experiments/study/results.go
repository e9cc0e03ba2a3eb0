package study

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// State is how far a run of a study is.
type State string

// States of runs.
const (
	Done    State = "done"
	Running State = "running"
	Queued  State = "queued"
	Failed  State = "failed"
	Left    State = "left"
)

// Results are what is known of a study's runs.
type Results struct {
	*Study
	Version string    // of the simulator
	IDs     []string  // of the kept results; this and what follows are parallel to Points
	States  []State   //
	Values  []Numbers // as Outcome.Values gives them, of runs that are done
}

// Columns of every timed run, and the groups of those that depend on the kernel
// and the machine.
var (
	runColumns   = []string{"seconds", "cycles", "instructions", "upload_seconds", "download_seconds", "memory_bytes", "vertices", "edges"}
	figureGroups = []string{"result", "stall", "metric"}
)

// Values returns the figures of a run under the names of the columns.
func (o *Outcome) Values() Numbers {
	maybe := func(x *float64) float64 {
		if x == nil {
			return math.NaN()
		}
		return *x
	}
	cycles := math.NaN()
	if o.Simulated.Cycles != nil {
		cycles = float64(*o.Simulated.Cycles)
	}
	values := []float64{
		o.Seconds(), cycles, float64(o.Host.Instructions), maybe(o.Simulated.Upload), maybe(o.Simulated.Download),
		float64(o.Simulated.Memory), float64(o.Graph.Vertices), float64(o.Graph.Edges),
	}
	var all Numbers
	for i, name := range runColumns {
		all = append(all, Number{name, values[i]})
	}
	for i, group := range []Numbers{o.Answer.Numbers, o.Stalls, o.Metrics} {
		for _, n := range group {
			all = append(all, Number{figureGroups[i] + "." + n.Name, n.Value})
		}
	}
	return all
}

// base returns for every point the index of the run that b compares it with, -1
// where there is none.
func (s *Study) base(b Baseline) []int {
	place := func(p *Point, at []Coordinate) string {
		labels := slices.Clone(p.At)
		for _, c := range at {
			labels[slices.Index(s.Dimensions, c.Dimension)] = c.Label
		}
		return strings.Join(labels, "\x00")
	}
	index := map[string]int{}
	for i := range s.Points {
		index[place(&s.Points[i], nil)] = i
	}
	bases := make([]int, len(s.Points))
	for i := range s.Points {
		bases[i] = -1
		if at, ok := index[place(&s.Points[i], b.At)]; ok {
			bases[i] = at
		}
	}
	return bases
}

// speedups returns the time of each run's base over its own, NaN where one of
// them has none.
func (r *Results) speedups(b Baseline) []float64 {
	all := make([]float64, len(r.Points))
	for i, base := range r.base(b) {
		all[i] = math.NaN()
		if base >= 0 {
			all[i] = r.Values[base].Get("seconds") / r.Values[i].Get("seconds")
		}
	}
	return all
}

// Column returns a figure of every run under a column's name, NaN where there is
// none.
func (r *Results) Column(name string) []float64 {
	if baseline, ok := strings.CutPrefix(name, "speedup."); ok {
		for _, b := range r.Baselines {
			if b.Name == baseline {
				return r.speedups(b)
			}
		}
	}
	all := make([]float64, len(r.Points))
	for i := range all {
		all[i] = r.Values[i].Get(name)
	}
	return all
}

// Count returns how many distinct runs are in a state: points that ask for the
// same run count once.
func (r *Results) Count(state State) int {
	n := 0
	seen := map[string]bool{}
	for i, s := range r.States {
		if s == state && !seen[r.IDs[i]] {
			n++
		}
		seen[r.IDs[i]] = true
	}
	return n
}

// Table is the results as rows: text, and numbers where the column is of
// numbers.
type Table struct {
	Columns []Column
	Rows    [][]Cell // a point each, parallel to Columns
}

// Column is a column's name and whether it holds text.
type Column struct {
	Name string
	Text bool
}

// Cell is text or a number, by its column; a number that is not finite is none.
type Cell struct {
	Text   string
	Number float64
}

// Table returns all that is known, a run a row: its place, its state, every
// figure, and what it comes from. Figures of the host, which differ from one
// execution to the next, are left out.
func (r *Results) Table() *Table {
	t := new(Table)
	t.Rows = make([][]Cell, len(r.Points))
	text := func(name string, of func(i int) string) {
		t.Columns = append(t.Columns, Column{name, true})
		for i := range t.Rows {
			t.Rows[i] = append(t.Rows[i], Cell{Text: of(i)})
		}
	}
	numbers := func(name string) {
		t.Columns = append(t.Columns, Column{name, false})
		for i, x := range r.Column(name) {
			t.Rows[i] = append(t.Rows[i], Cell{Number: x})
		}
	}
	for d, name := range r.Dimensions {
		text(name, func(i int) string { return r.Points[i].At[d] })
	}
	text("state", func(i int) string { return string(r.States[i]) })
	for _, name := range runColumns {
		numbers(name)
	}
	for _, b := range r.Baselines {
		numbers("speedup." + b.Name)
	}
	for _, group := range figureGroups {
		for _, name := range r.Figures(group) {
			numbers(name)
		}
	}
	text("run.kernel", func(i int) string { return r.Points[i].Kernel })
	text("run.machine", func(i int) string { return r.Points[i].Machine })
	text("run.graph", func(i int) string { return r.Points[i].Graph })
	text("run.schedule", func(i int) string { return r.Points[i].Schedule })
	text("run.set", func(i int) string { return strings.Join(r.Points[i].Set, "; ") })
	text("run.seed", func(i int) string { return fmt.Sprint(r.Points[i].Seed) })
	text("run.id", func(i int) string { return r.IDs[i] })
	text("version", func(int) string { return r.Version })
	return t
}

// Figures returns the columns of a group beyond those of every run, in the order
// in which the runs have them.
func (r *Results) Figures(group string) []string {
	var names []string
	seen := map[string]bool{}
	for _, values := range r.Values {
		for _, n := range values {
			if strings.HasPrefix(n.Name, group+".") && !seen[n.Name] {
				seen[n.Name] = true
				names = append(names, n.Name)
			}
		}
	}
	return names
}
