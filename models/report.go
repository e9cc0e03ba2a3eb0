package models

import (
	"cmp"
	"slices"

	"heddle/arch/isa"
	"heddle/arch/mem"
	"heddle/sim"
)

// Report is what a machine has to tell after a run.
type Report struct {
	Upload   sim.Time // copies to the machine before the timed part
	Elapsed  sim.Time // the timed part
	Download sim.Time // copies of the answer from the machine
	Timed    bool     // whether the machine keeps time at all
	Cycles   sim.Cycles
	Counts   Counts
	Sampling *Sampling // nil: simulated whole
	Metrics  *sim.Values
	Threads  float64 // time of all threads while they were on the machine, in cycles
	Stack    []Share // where the time of the machine's threads went; sums to 1
	Lines    []Line
	Arrays   []Array
	HotWords []HotWord
	Series   *Series // nil without timing
	Units    []Unit  // what the machine consists of, and how busy it was
	Peak     Peak
	Memory   sim.Bytes // simulated arrays
}

// Share is a part of a whole.
type Share struct {
	Name  string
	Share float64
}

// Count is a number of things of a name.
type Count struct {
	Name string
	N    uint64
}

// Line is a line of a kernel's source and what its instructions did.
type Line struct {
	Program      string
	Source       isa.Line
	Text         []string // its instructions
	Issues       uint64
	Lanes        uint64
	Divergent    uint64
	Transactions uint64
	Requested    sim.Bytes
	Moved        sim.Bytes
	Misses       []Count // by level of cache, merged ones included
	Issued       float64 // share of the threads' time
	Stalls       []Share // of the threads' time, by reason
}

// sourceLines adds up a program's instructions that were issued by their source
// lines, of which each has the caches and the reasons to stall named. It gives
// add each instruction with its line, whose text it has already.
func sourceLines(p *isa.Program, issues func(pc int) uint64, caches, stalls []string, add func(l *Line, pc int)) []Line {
	var lines []Line
	at := map[int32]int{} // index in lines of each of the program's lines
	for pc := range p.Code {
		n := issues(pc)
		if n == 0 {
			continue
		}
		source := p.Code[pc].Line
		i, ok := at[source]
		if !ok {
			i = len(lines)
			at[source] = i
			l := Line{Program: p.Name, Source: p.Lines[source]}
			for _, name := range caches {
				l.Misses = append(l.Misses, Count{name, 0})
			}
			for _, name := range stalls {
				l.Stalls = append(l.Stalls, Share{name, 0})
			}
			lines = append(lines, l)
		}
		l := &lines[i]
		l.Text = append(l.Text, p.Disassemble(int32(pc)))
		l.Issues += n
		add(l, pc)
	}
	return lines
}

// Time returns the line's share of the threads' time.
func (l *Line) Time() float64 {
	t := l.Issued
	for _, s := range l.Stalls {
		t += s.Share
	}
	return t
}

// Level is what a cache did with the accesses to an array.
type Level struct {
	Name             string
	Accesses, Hits   int64
	Fetched, Written sim.Bytes
}

// Array is the traffic of one array.
type Array struct {
	Name                   string
	Elem                   isa.Type
	Len                    int
	Loads, Stores, Atomics uint64 // by threads
	Requests, Transactions uint64
	Requested, Moved       sim.Bytes
	Levels                 []Level
	DRAMRead, DRAMWritten  sim.Bytes
}

// HotWord is a place that many atomics went to.
type HotWord struct {
	Place      string
	Array      string // "" outside all arrays
	Atomics    uint64 // at least
	Cores      int    // that they came from, at least
	Contenders []Contender
}

// contend adds a contender; those of one line count as one.
func (w *HotWord) contend(c Contender) {
	for i := range w.Contenders {
		if o := &w.Contenders[i]; o.Program == c.Program && o.Source == c.Source {
			o.Share += c.Share
			return
		}
	}
	w.Contenders = append(w.Contenders, c)
}

// Contender is a source line whose atomics went to a hot word, with the first
// of its instructions, and its share of them.
type Contender struct {
	Program string
	Source  isa.Line
	Text    string
	Share   float64
}

// hottest is how many hot words a report has.
const hottest = 8

// hotWords adds the hottest words; programs are in the order of their first
// launch.
func (r *Report) hotWords(space *mem.Space, words []mem.HotWord, program func(i int32) *isa.Program) {
	for _, h := range words {
		place := space.Locate(h.Addr)
		w := HotWord{Place: place.String(), Atomics: h.Atomics, Cores: h.Cores}
		if place.Inside() {
			w.Array = place.Array.Name
		}
		whole := uint64(0)
		for _, s := range h.Sites {
			whole += s.Count
		}
		if len(r.Lines) == 0 {
			h.Sites = nil // a replay's accesses are of no program
		}
		for _, s := range h.Sites {
			p := program(s.Program)
			w.contend(Contender{p.Name, p.Source(s.PC), p.Disassemble(s.PC), float64(s.Count) / float64(whole)})
		}
		r.HotWords = append(r.HotWords, w)
	}
}

// Report returns what the machine has to tell; elapsed time is that of the
// timed part, up to now if it has not ended.
func (m *Machine) Report() *Report {
	if m.elapsed == 0 && m.timed {
		m.Finish()
	}
	r := &Report{Upload: m.upload, Elapsed: m.elapsed, Download: m.download, Counts: m.device.counts(), Memory: m.Space.Used()}
	if m.clock.Period > 0 {
		r.Timed = true
		r.Cycles = m.clock.Cycle(m.elapsed)
	}
	m.device.report(r, m.elapsed)
	if r.Timed {
		r.Series = m.sampler.series(m.elapsed)
		if m.bus != nil {
			r.Units = append(r.Units, m.busUnit())
		}
	}
	if r.Counts.Instructions == 0 {
		r.Stack, r.Lines = nil, nil // of nothing there are no shares
	}
	slices.SortStableFunc(r.Lines, func(a, b Line) int {
		return cmp.Or(cmp.Compare(b.Time(), a.Time()), cmp.Compare(b.Issues, a.Issues))
	})
	return r
}
