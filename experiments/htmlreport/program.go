package htmlreport

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"heddle/experiments/study"
	"heddle/kernels"
)

// listing is the source of a program as a page shows it.
type listing struct {
	study.Program
	Time    float64
	Issues  int64
	Stalls  []string // reasons that have columns
	Misses  []string // levels of cache that have columns
	Rows    []sourceRow
	Largest float64 // share of the time of a line
}

// sourceRow is a line of source, with what it did unless it is there only for
// its neighbors.
type sourceRow struct {
	Number int
	Text   string
	Gap    bool // source that is left out
	*study.Line
}

// contextLines is how many lines of source are shown around those that did
// something.
const contextLines = 2

// leastStall is the share of the threads' time with which a reason for stalls
// has a column.
const leastStall = 0.002

func programsOf(lines []study.Line) []listing {
	var all []listing
	for _, p := range study.ByProgram(lines) {
		q := listing{Program: p}
		stalls := map[string]float64{}
		for i := range p.Lines {
			l := &p.Lines[i]
			q.Time += l.Time
			q.Issues += l.Issues
			q.Largest = max(q.Largest, l.Time)
			for _, s := range l.Stalls {
				if s.Value > 0 {
					stalls[s.Name] += s.Value
				}
			}
			if len(q.Misses) == 0 {
				for _, m := range l.Misses {
					q.Misses = append(q.Misses, m.Name)
				}
			}
		}
		for _, name := range slices.Sorted(maps.Keys(stalls)) {
			if stalls[name] >= leastStall {
				q.Stalls = append(q.Stalls, name)
			}
		}
		slices.SortStableFunc(q.Stalls, func(a, b string) int { return cmp.Compare(stalls[b], stalls[a]) })
		q.Rows = rowsOf(p)
		all = append(all, q)
	}
	return all
}

// rowsOf returns the lines of a program in their order, with what is around
// them where the source is the one that was run.
func rowsOf(p study.Program) []sourceRow {
	var rows []sourceRow
	source := kernels.Source(p.File)
	for i := range p.Lines {
		l := &p.Lines[i]
		if l.Line < 1 || l.Line > len(source) || strings.TrimSpace(source[l.Line-1]) != l.Text {
			source = nil // another version's
		}
	}
	expand := func(text string) string { return strings.ReplaceAll(text, "\t", "    ") }
	last := 0
	for i := range p.Lines {
		l := &p.Lines[i]
		if source == nil {
			rows = append(rows, sourceRow{Number: l.Line, Text: l.Text, Line: l})
			continue
		}
		from := max(l.Line-contextLines, last+1)
		if last > 0 && l.Line-last <= 2*contextLines+1 {
			from = last + 1
		} else if last > 0 {
			rows = append(rows, sourceRow{Gap: true})
		}
		for n := from; n < l.Line; n++ {
			rows = append(rows, sourceRow{Number: n, Text: expand(source[n-1])})
		}
		rows = append(rows, sourceRow{Number: l.Line, Text: expand(source[l.Line-1]), Line: l})
		last = l.Line
	}
	return rows
}
