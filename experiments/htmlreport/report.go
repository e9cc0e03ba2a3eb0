package htmlreport

import (
	"cmp"
	"fmt"
	"html/template"
	"maps"
	"math"
	"slices"
	"strings"

	"heddle/experiments/measure"
	"heddle/experiments/study"
)

// report is a page about runs.
type report struct {
	page
	Runs       []*view
	Comparison *comparison // nil for one run
	Charts     []charts    // what the page's program draws, by run
}

// view is what a page shows of a run.
type view struct {
	Run
	Index    int
	Label    string // that tells it from the page's other runs
	Machine  string
	Answer   []cell
	Summary  []cell
	Layers   []layer
	Stalls   []share
	Rates    []barRow
	Hits     []barRow
	Levels   []string // of caches, by which arrays and launches have hit rates
	Programs []listing
	Arrays   []study.Array
	Launches launches
	Metrics  []cell
	Config   []setting
	Timed    bool
}

// cell is a figure with its name: as people read it, and in full.
type cell struct {
	Name, Text, Value string
}

// share is a part of the threads' time.
type share struct {
	Name  string
	Value float64
	Color template.CSS
}

// barRow is a figure beside others of its kind.
type barRow struct {
	Name, Text string
	Value      float64
	Part       float64 // of the longest bar
}

func newReport(runs []Run) *report {
	title := "Heddle: " + label(runs[0])
	if len(runs) > 1 {
		title = fmt.Sprintf("Heddle: %d runs", len(runs))
	}
	p := &report{page: newPage(title)}
	p.Libraries = template.JS(libraries)
	labels := labels(runs)
	for i, r := range runs {
		v := newView(r, i, labels[i])
		p.Runs = append(p.Runs, v)
		p.Charts = append(p.Charts, chartsOf(v))
	}
	if len(runs) > 1 {
		p.Comparison = compare(p.Runs)
	}
	return p
}

func label(r Run) string { return r.Kernel + " on " + r.Outcome.Machine + ", " + r.Graph.Name }

// labels names runs by what tells them apart, or by their files.
func labels(runs []Run) []string {
	names := make([]string, len(runs))
	parts := func(r Run) []string {
		return []string{r.Kernel, r.Outcome.Machine, r.Graph.Name, r.Schedule, fmt.Sprintf("seed %d", r.Seed)}
	}
	differ := map[int]bool{}
	for _, r := range runs {
		for k, text := range parts(r) {
			if text != parts(runs[0])[k] {
				differ[k] = true
			}
		}
	}
	seen := map[string]bool{}
	unique := true
	for i, r := range runs {
		var words []string
		for k, text := range parts(r) {
			if differ[k] && text != "" {
				words = append(words, text)
			}
		}
		names[i] = strings.Join(words, ", ")
		unique = unique && !seen[names[i]] && names[i] != ""
		seen[names[i]] = true
	}
	if unique {
		return names
	}
	for i, r := range runs {
		names[i] = r.Name
	}
	return names
}

func newView(r Run, i int, name string) *view {
	v := &view{Run: r, Index: i, Label: name, Timed: r.Simulated.Seconds != nil}
	config := newConfig(r.Config)
	v.Config = config.settings
	v.Machine = config.get("title")
	v.answer()
	v.summary()
	v.Layers = layersOf(r.Units, config)
	for _, s := range r.Stalls {
		if s.Value > 0 {
			v.Stalls = append(v.Stalls, share{s.Name, s.Value, template.CSS(colorOf(s.Name))})
		}
	}
	v.rates()
	v.hits()
	v.Programs = programsOf(r.Lines)
	v.Arrays = slices.Clone(r.Outcome.Arrays)
	slices.SortStableFunc(v.Arrays, func(a, b study.Array) int { return cmp.Compare(b.Moved+b.Requested, a.Moved+a.Requested) })
	v.Launches = launchesOf(r.Outcome.Launches)
	for _, m := range r.Outcome.Metrics {
		v.Metrics = append(v.Metrics, cell{m.Name, number(m.Value), raw(m.Value)})
	}
	return v
}

func (v *view) answer() {
	for _, n := range v.Outcome.Answer.Numbers {
		v.Answer = append(v.Answer, cell{n.Name, number(n.Value), raw(n.Value)})
	}
	for _, name := range slices.Sorted(maps.Keys(v.Outcome.Answer.Lists)) {
		list := v.Outcome.Answer.Lists[name]
		const shown = 12
		var items []string
		for _, n := range list[:min(shown, len(list))] {
			items = append(items, measure.Count(n))
		}
		text := strings.Join(items, ", ")
		if len(list) > shown {
			text += fmt.Sprintf(", ..., %s in all", measure.Count(len(list)))
		}
		v.Answer = append(v.Answer, cell{Name: name, Text: text})
	}
}

func (v *view) summary() {
	add := func(name, text, value string) { v.Summary = append(v.Summary, cell{name, text, value}) }
	o := v.Outcome
	if v.Timed {
		add("simulated time", measure.Duration(*o.Simulated.Seconds), raw(*o.Simulated.Seconds))
		if c := o.Simulated.Cycles; c != nil {
			add("cycles", measure.Count(*c), fmt.Sprint(*c))
			add("instructions a cycle, whole machine", measure.Digits(float64(o.Host.Instructions)/float64(*c), 3), "")
		}
	}
	add("instructions", measure.Count(o.Host.Instructions), fmt.Sprint(o.Host.Instructions))
	add("vertices", measure.Count(o.Graph.Vertices), fmt.Sprint(o.Graph.Vertices))
	add("edges", measure.Count(o.Graph.Edges), fmt.Sprint(o.Graph.Edges))
	add("launches", measure.Count(len(o.Launches)), fmt.Sprint(len(o.Launches)))
	if v.Timed {
		read, written := dramBytes(o)
		add("DRAM read", measure.Size(float64(read)), fmt.Sprint(read))
		add("DRAM written", measure.Size(float64(written)), fmt.Sprint(written))
	}
	add("arrays", measure.Size(float64(o.Simulated.Memory)), fmt.Sprint(o.Simulated.Memory))
	add("simulated in", measure.Duration(o.Host.WallSeconds), raw(o.Host.WallSeconds))
}

// dramBytes returns what all launches read and wrote.
func dramBytes(o *study.Outcome) (read, written int64) {
	for i := range o.Launches {
		read += o.Launches[i].DRAMRead
		written += o.Launches[i].DRAMWritten
	}
	return read, written
}

// rates fills the bandwidths that the machine's metrics tell.
func (v *view) rates() {
	peak := v.Peak.DRAM
	longest := peak
	for _, m := range v.Outcome.Metrics {
		is := strings.HasSuffix(m.Name, "_throughput") || strings.HasSuffix(m.Name, "_bandwidth") || strings.Contains(m.Name, "_bandwidth_")
		if !is || math.IsNaN(m.Value) || strings.Contains(m.Name, "peak") || strings.Contains(m.Name, "sustained") {
			continue
		}
		bytes := m.Value * 1e9
		longest = max(longest, bytes)
		v.Rates = append(v.Rates, barRow{Name: m.Name, Text: measure.Bandwidth(bytes), Value: bytes})
	}
	if peak > 0 && len(v.Rates) > 0 {
		v.Rates = append(v.Rates, barRow{Name: "most that DRAM can do", Text: measure.Bandwidth(peak), Value: peak})
	}
	for i := range v.Rates {
		v.Rates[i].Part = v.Rates[i].Value / longest
	}
}

// hits fills the hit rates of all arrays together, by level of cache.
func (v *view) hits() {
	type total struct{ hits, accesses int64 }
	totals := map[string]*total{}
	for _, a := range v.Outcome.Arrays {
		for _, l := range a.Levels {
			if totals[l.Name] == nil {
				totals[l.Name] = &total{}
				v.Levels = append(v.Levels, l.Name)
			}
			totals[l.Name].hits += l.Hits
			totals[l.Name].accesses += l.Accesses
		}
	}
	for _, name := range v.Levels {
		t := totals[name]
		if t.accesses == 0 {
			continue
		}
		rate := float64(t.hits) / float64(t.accesses)
		v.Hits = append(v.Hits, barRow{name, fmt.Sprintf("%s of %s", measure.Percent(rate), measure.Rough(float64(t.accesses))), rate, rate})
	}
}
