package experiments

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"heddle/experiments/study"
)

// Layout of an annotation on a terminal.
const (
	mostStallColumns = 5
	mostPhases       = 60   // launches shown
	leastStall       = 0.01 // share of the threads' time with which a reason has a column
	sparkWidth       = 64
	contextLines     = 2 // of the source around lines that did something
)

// annotation writes what each line, array and launch of a run did.
type annotation struct {
	*study.Outcome
	order   string
	color   bool
	sources *sources
	lines   []string
}

// writeAnnotation writes an annotation of o as text, its source lines in the
// given order.
func writeAnnotation(w io.Writer, o *study.Outcome, order string, color bool) error {
	p := annotation{Outcome: o, order: order, color: color, sources: newSources()}
	p.sourceLines()
	p.arrays()
	p.phases()
	p.series()
	_, err := io.WriteString(w, strings.Join(p.lines, "\n")+"\n")
	return err
}

func (p *annotation) section(heading, rest string) {
	if p.color {
		heading = "\x1b[" + bold + "m" + heading + "\x1b[0m"
	}
	p.lines = append(p.lines, "", heading+rest)
}

// stallColumns returns the reasons for stalls that have columns of their own,
// and whether there are others.
func (p *annotation) stallColumns() (names []string, more bool) {
	total := map[string]float64{}
	for _, l := range p.Lines {
		for _, s := range l.Stalls {
			if s.Value > 0 {
				if total[s.Name] == 0 {
					names = append(names, s.Name)
				}
				total[s.Name] += s.Value
			}
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(total[b], total[a]) })
	n := 0
	for n < len(names) && n < mostStallColumns && total[names[n]] >= leastStall {
		n++
	}
	return names[:n], n < len(names)
}

// sourceLines writes the lines of each program, or of all by what they did.
func (p *annotation) sourceLines() {
	columns, more := p.stallColumns()
	cycles := math.NaN() // of the threads
	if p.Simulated.Threads != nil {
		cycles = *p.Simulated.Threads
	}
	timed := cycles > 0
	t := table{}
	head := []string{"issues", "lanes"}
	if timed {
		head = append([]string{"time"}, head...)
		head = append(head, columns...)
		if more {
			head = append(head, "other")
		}
	}
	levels := p.missColumns()
	head = append(head, "divergent")
	if timed {
		head = append(head, "transactions")
		for _, level := range levels {
			head = append(head, level+" misses")
		}
	}
	t.right = strings.Repeat("r", len(head)+1)
	t.add(append(head, "line", "")...)
	blank := make([]string, len(head))
	row := func(l *study.Line, text string) {
		cells := []string{rough(float64(l.Issues)), digits(float64(l.Lanes)/float64(l.Issues), 3)}
		if timed {
			cells = append([]string{percent(l.Time)}, cells...)
			rest := 0.0
			for _, s := range l.Stalls {
				if !slices.Contains(columns, s.Name) {
					rest += zeroIfNone(s.Value)
				}
			}
			for _, name := range columns {
				cells = append(cells, some(zeroIfNone(l.Stalls.Get(name))*cycles))
			}
			if more {
				cells = append(cells, some(rest*cycles))
			}
		}
		cells = append(cells, some(float64(l.Divergent)))
		if timed {
			cells = append(cells, some(float64(l.Transactions)))
			for _, level := range levels {
				cells = append(cells, some(zeroIfNone(l.Misses.Get(level))))
			}
		}
		t.add(append(cells, fmt.Sprint(l.Line), text)...)
	}
	if p.order == bySource {
		p.inOrder(func(title string) { t.add(append(slices.Clone(blank), "", title)...) }, row,
			func(number int, text string) { t.add(append(slices.Clone(blank), fmt.Sprint(number), text)...) })
	} else {
		for _, l := range sorted(p.Lines, p.order) {
			row(l, strings.TrimSpace(l.Text)+"  "+l.Program+" "+l.File)
		}
	}
	what := ": warp issues and active lanes each"
	if timed {
		what += "; share of the threads' time, cycles of stalls by reason"
	}
	p.section("Source", what)
	p.lines = append(p.lines, t.lines("  ")...)
}

// some writes a count, nothing for none.
func some(x float64) string {
	if !(math.Round(x) > 0) {
		return ""
	}
	return rough(math.Round(x))
}

func zeroIfNone(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return x
}

func (p *annotation) missColumns() []string {
	for _, l := range p.Lines {
		if len(l.Misses) > 0 {
			var names []string
			for _, m := range l.Misses {
				names = append(names, m.Name)
			}
			return names
		}
	}
	return nil
}

// sorted returns the lines by what order says, the most first.
func sorted(lines []study.Line, order string) []*study.Line {
	var all []*study.Line
	for i := range lines {
		all = append(all, &lines[i])
	}
	by := func(l *study.Line) float64 {
		switch order {
		case byTime:
			return l.Time
		case byTransactions:
			return float64(l.Transactions)
		case byMisses:
			last := 0.0 // of the level nearest to memory
			for _, m := range l.Misses {
				last = m.Value
			}
			return last
		}
		return float64(l.Issues)
	}
	slices.SortStableFunc(all, func(a, b *study.Line) int { return cmp.Compare(by(b), by(a)) })
	return all
}

// inOrder goes over each program's lines as the source has them, with a little
// of the source around them where it is the one that was run.
func (p *annotation) inOrder(title func(string), row func(*study.Line, string), context func(int, string)) {
	for _, group := range study.ByProgram(p.Lines) {
		title(group.Program + "  " + group.File)
		last := 0
		for i := range group.Lines {
			l := &group.Lines[i]
			from := max(l.Line-contextLines, last+1)
			if last > 0 && l.Line-last <= 2*contextLines+1 {
				from = last + 1
			} else if last > 0 {
				title("...")
			}
			source := p.sources.matching(group.File, l.Line, l.Text)
			if source != nil {
				for n := from; n < l.Line; n++ {
					context(n, expanded(source[n-1]))
				}
				row(l, expanded(source[l.Line-1]))
			} else {
				row(l, l.Text)
			}
			last = l.Line
		}
	}
}

// expanded returns a line of source with spaces for tabs.
func expanded(text string) string { return strings.ReplaceAll(text, "\t", "    ") }
