package experiments

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"heddle/kernels"
	"heddle/models"
)

// Layout of the report on a terminal.
const (
	reportWidth  = 100
	barWidth     = 50
	longestNames = 10 // rows of a table of source lines
	leastShare   = 0.0005
)

// report writes a result for people.
type report struct {
	*Result
	color   bool
	sources *sources
	lines   []string
}

// writeReport writes r as a page of text, in color if color is set.
func writeReport(w io.Writer, r *Result, color bool) error {
	p := report{Result: r, color: color, sources: newSources()}
	p.title()
	p.answer()
	p.time()
	p.stack()
	rows := familyRows[p.kind()]
	p.figures("Cores", rows.cores)
	p.figures("Memory", rows.memory)
	p.arrays(p.Simulated.Seconds != nil)
	p.hotWords()
	p.hotLines()
	p.host()
	_, err := io.WriteString(w, strings.Join(p.lines, "\n")+"\n")
	return err
}

func (p *report) add(format string, args ...any) {
	p.lines = append(p.lines, fmt.Sprintf(format, args...))
}

// section begins a part of the page.
func (p *report) section(heading, rest string) {
	p.add("")
	p.add("%s%s", p.paint(bold, heading), rest)
}

// Colors, as the numbers of SGR escape sequences.
const (
	bold  = "1"
	red   = "1;31"
	green = "1;32"
)

func (p *report) paint(color, text string) string {
	if !p.color {
		return text
	}
	return "\x1b[" + color + "m" + text + "\x1b[0m"
}

func (p *report) title() {
	g := &p.Graph
	of := "not opened"
	if g.Vertices > 0 {
		of = fmt.Sprintf("%s vertices, %s edges", count(g.Vertices), count(g.Edges))
	}
	p.add("%s on %s, %s: %s, seed %d", p.paint(bold, p.Kernel), p.Machine, g.Name, of, p.Seed)
	if title, ok := p.Config.Value("title"); ok {
		p.add("%s", title)
	}
	if g.Weights == randomWeights {
		p.add("%s: random weights, 1 to %s", g.Name, count(g.MaxWeight))
	}
	for _, remark := range g.Remarks {
		p.add("%s: %s", g.Name, remark)
	}
}

func (p *report) answer() {
	verdict := p.paint(green, "verified")
	switch {
	case p.Incomplete:
		verdict = p.paint(red, "none: the run is incomplete")
	case !p.Answer.Verified:
		verdict = p.paint(red, "WRONG")
	}
	p.section("Answer", ": "+verdict)
	if p.Error != "" {
		p.lines = append(p.lines, indented(p.Error)...)
	}
	var t table
	for _, f := range p.Answer.Figures {
		t.add(f.Name, figure(f))
	}
	p.lines = append(p.lines, t.lines("  ")...)
}

func indented(text string) []string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = "  " + lines[i]
	}
	return lines
}

// figure writes the value of one of the kernel's figures.
func figure(f kernels.Figure) string {
	var text string
	switch x := f.Value.(type) {
	case int64:
		text = count(x)
	case float64:
		text = digits(x, 6)
		if x == math.Trunc(x) && math.Abs(x) < 1e15 {
			text = count(int64(x))
		}
	case []int64:
		const shown = 8
		var items []string
		for _, n := range x[:min(shown, len(x))] {
			items = append(items, count(n))
		}
		text = strings.Join(items, " ")
		if len(x) > shown {
			text += fmt.Sprintf(" ... %s, %s in all,", count(x[len(x)-1]), count(len(x)))
		}
	}
	return strings.TrimSpace(text + " " + f.Unit)
}

// time tells of the simulated time and of the programs that it went to.
func (p *report) time() {
	s := &p.Simulated
	timed := s.Seconds != nil
	switch {
	case timed && *s.Upload+*s.Download > 0:
		p.section("Time", fmt.Sprintf(": %s, %s cycles; copies to the machine before %s, back after %s",
			duration(*s.Seconds), count(int64(*s.Cycles)), duration(*s.Upload), duration(*s.Download)))
	case timed: // the machine is its own host
		p.section("Time", fmt.Sprintf(": %s, %s cycles", duration(*s.Seconds), count(int64(*s.Cycles))))
	default:
		p.section("Programs", ": this machine has no timing")
	}
	if e := s.Sampling; e != nil {
		p.lines = append(p.lines,
			fmt.Sprintf("  estimated from %d windows with %s of the instructions; what follows is of these", e.Windows, percent(e.Detailed)),
			fmt.Sprintf("  95 %% interval: %s to %s", duration(e.Interval[0]), duration(e.Interval[1])))
	}
	type program struct {
		launches, items int
		seconds         float64
		instructions    uint64
		threads         uint64
	}
	programs := map[string]*program{}
	var order []string
	for _, l := range p.Launches {
		a := programs[l.Program]
		if a == nil {
			a = &program{}
			programs[l.Program] = a
			order = append(order, l.Program)
		}
		a.launches++
		a.items += l.Items
		a.seconds += l.Seconds
		a.instructions += l.Instructions
		a.threads += l.ThreadInstructions
	}
	t := table{right: "lrrrrrr"}
	head := []string{"program", "launches", "items", "instructions", "lanes"}
	if timed {
		head = append(head, "time", "share")
	}
	t.add(head...)
	var running float64
	for _, name := range order {
		a := programs[name]
		running += a.seconds
		row := []string{name, count(a.launches), count(a.items), rough(float64(a.instructions)),
			digits(float64(a.threads)/float64(a.instructions), 3)}
		if timed {
			row = append(row, duration(a.seconds), percent(a.seconds / *s.Seconds))
		}
		t.add(row...)
	}
	if timed && *s.Seconds > 0 {
		t.add("between launches", "", "", "", "", duration(*s.Seconds-running), percent(1 - running / *s.Seconds))
	}
	p.lines = append(p.lines, t.lines("  ")...)
}

// stack draws where the time of the threads went.
func (p *report) stack() {
	t := table{right: "lr"}
	for _, s := range p.Stalls {
		if s.Share >= leastShare {
			t.add(s.Name, percent(s.Share), bar(s.Share, barWidth))
		}
	}
	if len(t.rows) > 0 {
		p.section("Where the threads' time went", "")
		p.lines = append(p.lines, t.lines("  ")...)
	}
}

func (p *report) figures(heading string, rows []metricRow) {
	if p.Metrics == nil {
		return
	}
	var t table
	for _, r := range rows {
		var parts []string
		for _, part := range r.parts {
			if text, ok := p.fill(part); ok {
				parts = append(parts, text)
			}
		}
		if len(parts) > 0 {
			t.add(r.label, strings.Join(parts, "; "))
		}
	}
	if len(t.rows) > 0 {
		p.section(heading, "")
		p.lines = append(p.lines, t.lines("  ")...)
	}
}

// fill puts the metrics' values in their places.
func (p *report) fill(part string) (string, bool) {
	var b strings.Builder
	for {
		before, rest, more := strings.Cut(part, "{")
		b.WriteString(before)
		if !more {
			return b.String(), true
		}
		name, after, _ := strings.Cut(rest, "}")
		name, bare := strings.CutSuffix(name, "#")
		x, ok := p.Metrics.Get(name)
		if !ok || math.IsNaN(x) || math.IsInf(x, 0) {
			return "", false
		}
		if bare {
			b.WriteString(rough(x))
		} else {
			b.WriteString(quantity(x, p.unit(name)))
		}
		part = after
	}
}

// unit returns the unit of a metric that is set.
func (p *report) unit(name string) string {
	for v := range p.Metrics.All() {
		if v.Name == name {
			return v.Metric.Unit
		}
	}
	return ""
}

// quantity writes the value of a metric.
func quantity(x float64, unit string) string {
	switch unit {
	case "%":
		return percent(x / 100)
	case "B":
		return size(x)
	case "1":
		return digits(x, 3)
	}
	return rough(x) + " " + unit
}

func (p *report) arrays(timed bool) {
	if len(p.Arrays) == 0 {
		return
	}
	p.section("Arrays", arraysHead)
	p.lines = append(p.lines, p.Arrays.lines(timed)...)
}

func (p *report) hotWords() {
	if len(p.HotWords) == 0 {
		return
	}
	var words []string
	for _, w := range p.HotWords {
		words = append(words, fmt.Sprintf("%s %s", w.Place, rough(float64(w.Atomics))))
	}
	p.section("Most atomics", ": "+strings.Join(words, ", "))
}

// hotLines lists the source lines that took most of the threads' time.
func (p *report) hotLines() {
	t := table{right: "r"}
	for _, l := range p.Lines[:min(longestNames, len(p.Lines))] {
		if !(l.Time >= leastShare) {
			break
		}
		stall := "issued"
		if s := slices.MaxFunc(append(Shares{{}}, l.Stalls...), func(a, b models.Share) int { return cmp.Compare(a.Share, b.Share) }); s.Share > float64(l.Issued) {
			stall = s.Name
		}
		text := p.sources.line(l.File, l.Line)
		if text == "" && len(l.Instructions) > 0 {
			text = l.Instructions[0]
		}
		program := l.Program[strings.LastIndexByte(l.Program, '/')+1:]
		t.add(percent(float64(l.Time)), stall, program, fmt.Sprintf("%s:%d", l.File, l.Line), text)
	}
	if len(t.rows) == 0 {
		return
	}
	p.section("Source lines", " by time: share, what it was spent on most")
	for _, line := range t.lines("  ") {
		p.lines = append(p.lines, cut(line, reportWidth))
	}
}

// cut shortens text to width columns.
func cut(text string, width int) string {
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:width-3]) + "..."
}

func (p *report) host() {
	h := &p.Host
	p.section("Simulator", fmt.Sprintf(": %s for %s instructions, %s instructions/s, %s events/s",
		duration(h.WallSeconds), rough(float64(h.Instructions)), rough(float64(h.InstructionsPerSecond)), rough(float64(h.EventsPerSecond))))
	memory := ""
	if h.PeakRSS > 0 {
		memory = fmt.Sprintf("; %s of memory at most, for %s of simulated arrays", size(float64(h.PeakRSS)), size(float64(p.Simulated.Memory)))
	}
	p.add("  set-up %s, check %s%s", duration(h.SetupSeconds), duration(h.CheckSeconds), memory)
}
