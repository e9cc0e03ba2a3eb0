package study

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Detail is what an outcome tells of where time and traffic went.
type Detail struct {
	Arrays Arrays          `json:"arrays"`
	Lines  []Line          `json:"lines"`  // by time, the most first
	Series *Series         `json:"series"` // nil: the machine has no timing
	Units  []Unit          `json:"units"`
	Peak   Peak            `json:"peak"`
	Config json.RawMessage `json:"config"` // the resolved description, an object
}

// HotWord is a place in memory that many atomics went to.
type HotWord struct {
	Place      string `json:"place"`
	Array      string `json:"array"`
	Atomics    uint64 `json:"atomics"` // at least
	Cores      int    `json:"cores"`
	Contenders []struct {
		Program     string  `json:"program"`
		File        string  `json:"file"`
		Line        int     `json:"line"`
		Instruction string  `json:"instruction"`
		Share       float64 `json:"share"`
	} `json:"contenders"`
}

// Array is the traffic of one array.
type Array struct {
	Name         string  `json:"-"`
	Type         string  `json:"type"` // of an element
	Elements     int64   `json:"elements"`
	Loads        int64   `json:"loads"` // by threads, as are stores and atomics
	Stores       int64   `json:"stores"`
	Atomics      int64   `json:"atomics"`
	Requests     int64   `json:"requests"` // by warps
	Transactions int64   `json:"transactions"`
	Requested    int64   `json:"requested_bytes"`
	Moved        int64   `json:"moved_bytes"`
	Levels       []Level `json:"levels"`
	DRAMRead     int64   `json:"dram_read_bytes"`
	DRAMWritten  int64   `json:"dram_write_bytes"`
}

// Level is what a cache did with the accesses to an array.
type Level struct {
	Name     string `json:"name"`
	Accesses int64  `json:"accesses"`
	Hits     int64  `json:"hits"`
	Fetched  int64  `json:"fetched_bytes"`
	Written  int64  `json:"written_bytes"`
}

// Merge adds the traffic of an array of the same name.
func (a *Array) Merge(b *Array) {
	a.Elements += b.Elements
	a.Loads += b.Loads
	a.Stores += b.Stores
	a.Atomics += b.Atomics
	a.Requests += b.Requests
	a.Transactions += b.Transactions
	a.Requested += b.Requested
	a.Moved += b.Moved
	a.DRAMRead += b.DRAMRead
	a.DRAMWritten += b.DRAMWritten
	for i := range a.Levels {
		l, m := &a.Levels[i], b.Levels[i]
		l.Accesses += m.Accesses
		l.Hits += m.Hits
		l.Fetched += m.Fetched
		l.Written += m.Written
	}
}

// Arrays are the members of a JSON object in its order.
type Arrays []Array

// UnmarshalJSON reads {"<name>": {...}, ...}.
func (a *Arrays) UnmarshalJSON(text []byte) error {
	*a = nil
	return members(text, func(name string, value json.RawMessage) error {
		x := Array{}
		if err := json.Unmarshal(value, &x); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		x.Name = name
		*a = append(*a, x)
		return nil
	})
}

// Line is a line of a kernel's source and what its instructions did. Shares are
// of the threads' time.
type Line struct {
	Program      string   `json:"program"`
	File         string   `json:"file"`
	Line         int      `json:"line"`
	Text         string   `json:"text"`
	Instructions []string `json:"instructions"`
	Time         float64  `json:"time"`
	Issued       float64  `json:"issued"`
	Stalls       Numbers  `json:"stalls"`
	Issues       int64    `json:"issues"`
	Lanes        int64    `json:"lanes"`
	Divergent    int64    `json:"divergent"`
	Transactions int64    `json:"transactions"`
	Requested    int64    `json:"requested_bytes"`
	Moved        int64    `json:"moved_bytes"`
	Misses       Numbers  `json:"misses"`
}

// Series tells how a run went on: an item for each interval, nil where a figure
// is not defined.
type Series struct {
	Ends       []float64  `json:"end_seconds"`
	PerCycle   []*float64 `json:"instructions_per_cycle"`
	Occupancy  []*float64 `json:"occupancy"`
	Lanes      []*float64 `json:"lanes"`
	Divergence []*float64 `json:"divergence"`
	Bandwidth  []*float64 `json:"dram_bytes_per_second"`
	HitRates   Lists      `json:"hit_rates"`
	Stalls     Lists      `json:"stalls"`
}

// check returns an error unless all lists have an item for each interval.
func (s *Series) check() error {
	lists := [][]*float64{s.PerCycle, s.Occupancy, s.Lanes, s.Divergence, s.Bandwidth}
	for _, l := range append(append(Lists(nil), s.HitRates...), s.Stalls...) {
		lists = append(lists, l.Items)
	}
	for _, l := range lists {
		if len(l) != len(s.Ends) {
			return fmt.Errorf("series: a list of %d items beside %d intervals", len(l), len(s.Ends))
		}
	}
	return nil
}

// List is a named list of figures.
type List struct {
	Name  string     `json:"name"`
	Items []*float64 `json:"items"`
}

// Lists are the members of a JSON object in its order.
type Lists []List

// UnmarshalJSON reads {"<name>": [number or null, ...], ...}.
func (l *Lists) UnmarshalJSON(text []byte) error {
	*l = nil
	return members(text, func(name string, value json.RawMessage) error {
		x := List{Name: name}
		if err := json.Unmarshal(value, &x.Items); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		*l = append(*l, x)
		return nil
	})
}

// Unit is a part of a machine and how busy it was.
type Unit struct {
	Name  string   `json:"name"`
	Kind  string   `json:"kind"`
	Group string   `json:"group"`
	Busy  *float64 `json:"busy"` // share, nil where it is not defined
	Of    string   `json:"of"`
	Hits  *float64 `json:"hit_rate"`
	Bytes int64    `json:"bytes"`
}

// Peak is the most that a machine can do; 0 without timing.
type Peak struct {
	Instructions float64 `json:"instructions_per_second"`
	DRAM         float64 `json:"dram_bytes_per_second"`
}

// Read is Decode of a file that may hold anything: an error says in a line why
// it is no result.
func Read(text []byte) (*Outcome, error) {
	o, err := Decode(text)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		line := 1 + bytes.Count(bytes.TrimRight(text[:min(int(syntax.Offset), len(text))], "\n"), []byte("\n"))
		err = fmt.Errorf("line %d: %w", line, syntax)
	case errors.As(err, &kind) && kind.Field == "":
		err = fmt.Errorf("a JSON %s", kind.Value)
	case errors.As(err, &kind):
		err = fmt.Errorf("%s is a JSON %s", kind.Field, kind.Value)
	case err == nil:
		err = o.check()
	}
	if err != nil {
		return nil, fmt.Errorf("%w: not a result of heddle run --json", err)
	}
	return o, nil
}

// check returns why o cannot be the outcome of a run.
func (o *Outcome) check() error {
	var config map[string]json.RawMessage
	switch {
	case o.Kernel == "" || o.Machine == "" || o.Graph.Name == "":
		return errors.New("no kernel, machine and graph")
	case json.Unmarshal(o.Config, &config) != nil || config["kind"] == nil:
		return errors.New("no description of a machine under config")
	case o.Series != nil:
		return o.Series.check()
	}
	return nil
}

// Program is the lines of a program that come from one file, in the file's
// order.
type Program struct {
	Program, File string
	Lines         []Line
}

// ByProgram returns the lines of each program and file, those that took most
// time first.
func ByProgram(lines []Line) []Program {
	var all []Program
	times := map[[2]string]float64{}
	issues := map[[2]string]int64{}
	at := map[[2]string]int{}
	for _, l := range lines {
		key := [2]string{l.Program, l.File}
		i, ok := at[key]
		if !ok {
			i = len(all)
			at[key] = i
			all = append(all, Program{Program: l.Program, File: l.File})
		}
		all[i].Lines = append(all[i].Lines, l)
		times[key] += l.Time
		issues[key] += l.Issues
	}
	for i := range all {
		slices.SortStableFunc(all[i].Lines, func(a, b Line) int { return cmp.Compare(a.Line, b.Line) })
	}
	slices.SortStableFunc(all, func(a, b Program) int {
		x, y := [2]string{a.Program, a.File}, [2]string{b.Program, b.File}
		return cmp.Or(cmp.Compare(times[y], times[x]), cmp.Compare(issues[y], issues[x]))
	})
	return all
}
