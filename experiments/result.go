package experiments

import (
	"slices"

	"heddle/kernels"
	"heddle/kernels/graph"
	"heddle/models"
	"heddle/sim"
)

// Result is what came of a run. As JSON it is one object; apart from Host, the
// same run gives the same bytes.
type Result struct {
	Kernel     string              `json:"kernel"`
	Machine    string              `json:"machine"`
	Graph      Graph               `json:"graph"`
	Seed       uint64              `json:"seed"`
	Schedule   string              `json:"schedule"` // of parallel loops
	Answer     Answer              `json:"result"`
	Incomplete bool                `json:"incomplete,omitempty"` // the run did not come to its end
	Error      string              `json:"error,omitempty"`      // why, or what is wrong with the answer
	Simulated  Simulated           `json:"simulated"`
	Host       Host                `json:"host"`
	Metrics    *sim.Values         `json:"metrics"`
	Stalls     Shares              `json:"stalls"` // of the threads' time
	Launches   []Launch            `json:"launches"`
	Arrays     Arrays              `json:"arrays"`
	HotWords   []HotWord           `json:"hot_words"`
	Lines      []Line              `json:"lines"`  // by time, the most first
	Series     *Series             `json:"series"` // null without timing
	Units      []Unit              `json:"units"`
	Peak       Peak                `json:"peak"`
	Config     *models.Description `json:"config"`
}

// Graph describes the input of a run.
type Graph struct {
	Name        string   `json:"name"`
	Vertices    int      `json:"vertices"`
	Edges       int64    `json:"edges"`
	Weights     string   `json:"weights"`              // none, given or random
	MaxWeight   int      `json:"max_weight,omitempty"` // of random ones
	SelfLoops   int64    `json:"self_loops_dropped"`
	Duplicates  int64    `json:"duplicates_dropped"`
	Symmetrised int64    `json:"symmetrised"`
	Remarks     []string `json:"remarks,omitempty"`
}

// Where the weights of a graph come from.
const (
	noWeights     = "none"
	givenWeights  = "given"
	randomWeights = "random"
)

// describe returns what a result says of g, whose weights may be random.
func describe(g *graph.Graph, random bool) Graph {
	weights, heaviest := noWeights, 0
	switch {
	case random:
		weights, heaviest = randomWeights, g.HeaviestRandom()
	case g.Weight != nil:
		weights = givenWeights
	}
	return Graph{
		Name: g.Name, Vertices: g.Vertices(), Edges: g.Edges(), Weights: weights, MaxWeight: heaviest,
		SelfLoops: g.Dropped.SelfLoops, Duplicates: g.Dropped.Duplicates, Symmetrised: g.Symmetrised,
		Remarks: g.Remarks(),
	}
}

// Answer is whether the kernel's answer was right, and the kernel's own
// figures.
type Answer struct {
	Verified bool
	Figures  []kernels.Figure
}

// MarshalJSON writes {"verified": ..., "<figure>": ..., ...}.
func (a Answer) MarshalJSON() ([]byte, error) {
	members := []member{{"verified", a.Verified}}
	for _, f := range a.Figures {
		value := f.Value
		switch x := value.(type) {
		case float64:
			value = Float(x)
		case []int64:
			if x == nil {
				value = []int64{}
			}
		}
		members = append(members, member{f.Name, value})
	}
	return object(members)
}

// Simulated is the time that the machine would have taken. A machine without
// timing has none.
type Simulated struct {
	Seconds  *float64    `json:"seconds"`
	Cycles   *sim.Cycles `json:"cycles"` // of the machine's main clock
	Upload   *float64    `json:"upload_seconds"`
	Download *float64    `json:"download_seconds"`
	Sampling *Sampling   `json:"sampling,omitempty"`
	Memory   sim.Bytes   `json:"memory_bytes"`  // of all arrays
	Contexts int         `json:"contexts"`      // warps, streams or threads at once; 0 without timing
	Threads  *float64    `json:"thread_cycles"` // of all threads while they were on the machine: what Stalls are shares of
}

// Sampling is how far the time of a sampled run is to be trusted.
type Sampling struct {
	Windows  int        `json:"windows"`
	Detailed float64    `json:"detailed"` // share of the instructions
	Interval [2]float64 `json:"seconds_interval_95"`
}

// Shares are parts of a whole, in the machine's order.
type Shares []models.Share

// over returns the shares of a part that was the given share of the whole.
func (s Shares) over(part float64) Shares {
	scaled := slices.Clone(s)
	for i := range scaled {
		scaled[i].Share /= part
	}
	return scaled
}

// MarshalJSON writes {"<name>": share, ...}.
func (s Shares) MarshalJSON() ([]byte, error) {
	var members []member
	for _, x := range s {
		members = append(members, member{x.Name, Float(x.Share)})
	}
	return object(members)
}

// Launch is one launch of a program; times are from the start of the timed
// part.
type Launch struct {
	Program            string  `json:"program"`
	Items              int     `json:"items"`
	Start              float64 `json:"start_seconds"`
	Seconds            float64 `json:"seconds"`
	Instructions       uint64  `json:"instructions"`
	ThreadInstructions uint64  `json:"thread_instructions"`
	Activity
	Notes Notes `json:"notes"`
}

// Notes are figures of a launch, such as the size of the queue it filled.
type Notes []models.Note

// MarshalJSON writes {"<name>": value, ...}.
func (n Notes) MarshalJSON() ([]byte, error) {
	var members []member
	for _, x := range n {
		members = append(members, member{x.Name, x.Value})
	}
	return object(members)
}

// Line is a line of a kernel's source and what its instructions did.
type Line struct {
	Program      string    `json:"program"`
	File         string    `json:"file"` // relative to the module
	Line         int       `json:"line"`
	Text         string    `json:"text"` // of the source, "" if it is not at hand
	Instructions []string  `json:"instructions"`
	Time         Float     `json:"time"`   // share of the threads' time
	Issued       Float     `json:"issued"` // part of Time, as are the stalls
	Stalls       Shares    `json:"stalls"`
	Issues       uint64    `json:"issues"`
	Lanes        uint64    `json:"lanes"`
	Divergent    uint64    `json:"divergent"`
	Transactions uint64    `json:"transactions"`
	Requested    sim.Bytes `json:"requested_bytes"`
	Moved        sim.Bytes `json:"moved_bytes"`
	Misses       Counts    `json:"misses"` // by level of cache
}

// end marks a result of which err kept the rest from being known. Threads that
// were still running have stalls but no whole yet that the machine could take
// shares of, so shares become those of the time that is accounted for.
func (r *Result) end(err error) {
	r.Incomplete = true
	r.Error = err.Error()
	var whole float64
	for _, s := range r.Stalls {
		whole += s.Share
	}
	r.Stalls = r.Stalls.over(whole)
	for i := range r.Lines {
		l := &r.Lines[i]
		l.Time /= Float(whole)
		l.Issued /= Float(whole)
		l.Stalls = l.Stalls.over(whole)
	}
}

// add takes over what the machine has to tell.
func (r *Result) add(report *models.Report, launches []models.Launch) {
	r.Simulated.Memory = report.Memory
	if report.Timed {
		seconds := func(t sim.Time) *float64 { s := t.Seconds(); return &s }
		r.Simulated.Seconds = seconds(report.Elapsed)
		r.Simulated.Cycles = &report.Cycles
		r.Simulated.Threads = &report.Threads
		r.Simulated.Upload = seconds(report.Upload)
		r.Simulated.Download = seconds(report.Download)
	}
	if s := report.Sampling; s != nil {
		r.Simulated.Sampling = &Sampling{s.Windows, s.Detailed, [2]float64{s.Low.Seconds(), s.High.Seconds()}}
	}
	r.Host.Instructions = report.Counts.Instructions
	r.Metrics = report.Metrics
	r.Stalls = report.Stack
	r.Launches = make([]Launch, len(launches))
	for i, l := range launches {
		r.Launches[i] = Launch{
			Program: l.Program, Items: l.Items, Start: l.Start.Seconds(), Seconds: (l.End - l.Start).Seconds(),
			Instructions: l.Instructions, ThreadInstructions: l.ThreadInstructions, Activity: activityOf(&l.Activity), Notes: l.Notes,
		}
	}
	r.Arrays = arraysOf(report.Arrays)
	r.HotWords = make([]HotWord, len(report.HotWords))
	for i := range report.HotWords {
		r.HotWords[i] = hotWordOf(&report.HotWords[i])
	}
	if report.Series != nil {
		r.Series = seriesOf(report.Series)
	}
	r.Units = make([]Unit, len(report.Units))
	for i, u := range report.Units {
		r.Units[i] = Unit{u.Name, u.Kind, u.Group, Float(u.Busy), u.Of, Float(u.Hits), u.Bytes}
	}
	r.Peak = Peak(report.Peak)
	sources := newSources()
	r.Lines = make([]Line, len(report.Lines))
	for i, l := range report.Lines {
		r.Lines[i] = Line{
			Program: l.Program, File: l.Source.File, Line: l.Source.Num, Text: sources.line(l.Source.File, l.Source.Num), Instructions: l.Text,
			Time: Float(l.Time()), Issued: Float(l.Issued), Stalls: l.Stalls,
			Issues: l.Issues, Lanes: l.Lanes, Divergent: l.Divergent,
			Transactions: l.Transactions, Requested: l.Requested, Moved: l.Moved, Misses: l.Misses,
		}
	}
}
