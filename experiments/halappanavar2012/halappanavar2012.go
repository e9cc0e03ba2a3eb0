// Package halappanavar2012 repeats the evaluation of Halappanavar, Feo, Villa,
// Tumeo and Pothen, "Approximate weighted matching on emerging manycore and
// multithreaded architectures", IJHPCA 26(4), 2012, on models of its machines.
//
// The runs are those of the studies called halappanavar2012-*. Each part, a table
// or a figure of the paper or the list of its claims, says which of them it needs
// and makes a report of what comes back. The package has what a study cannot say:
// what is published, what holds and what does not, and figures drawn as the
// paper draws them. It runs nothing itself.
package halappanavar2012

import (
	"fmt"
	"slices"

	"heddle/experiments/plot"
	"heddle/experiments/study"
)

// Options say how large the graphs are.
type Options struct {
	Scale  int    // base-2 logarithm of vertices of the largest graphs of figures 2 to 5
	Full   bool   // the paper's scales, in place of Scale
	Seed   uint64 // of graphs, weights and kernels
	Graphs string // folder of real graphs for figure 4; "" leaves them out
}

// Scales that Options takes. The smallest graphs of a study are two scales
// below Options.Scale.
const (
	LeastScale   = 8
	MostScale    = 24
	DefaultScale = 15
)

// The paper's scales: of the GPUs and their host (figure 4), and of the other
// machines.
const (
	paperGPUScale = 23
	paperScale    = 24
)

// scale returns that of the largest graphs of figures 2, 3 and 5.
func (o Options) scale() int {
	if o.Full {
		return paperScale
	}
	return o.Scale
}

// gpuScale returns that of figure 4.
func (o Options) gpuScale() int {
	if o.Full {
		return paperGPUScale
	}
	return o.Scale
}

// headline is how much larger than in the figures the graphs are of the few
// runs behind the abstract's claims, and of those that need no timing.
const headline = 2

func (o Options) headlineScale() int {
	if o.Full {
		return paperScale
	}
	return o.Scale + headline
}

func (o Options) headlineGPUScale() int {
	if o.Full {
		return paperGPUScale
	}
	return o.Scale + headline
}

// trendScales are smaller scales, ascending, that the abstract's claims are simulated
// on too: whether they come nearer to what is published on larger graphs.
func trendScales(scale int) []int { return []int{scale - 4, scale - 2} }

// weakScales are the scales of figures 2 and 5, ascending.
func (o Options) weakScales() []int { return []int{o.scale() - 2, o.scale() - 1, o.scale()} }

// family is one of the paper's classes of graphs.
type family struct {
	title string // as the paper has it
	graph string // of its generator
}

var families = []family{{"RMAT-ER", "rmat-er"}, {"RMAT-G", "rmat-g"}, {"RMAT-B", "rmat-b"}}

// goodSkew is the family of the abstract's claims.
const goodSkew = 1

func (f family) at(scale int) string { return fmt.Sprintf("%s:%d", f.graph, scale) }

// Kernels of the paper.
const (
	queue    = "matching/ld"
	sorted   = "matching/ld-sorted"
	dataflow = "matching/ld-dataflow"
)

// Needs are what a part's report is made of.
type Needs struct {
	Cases []study.Case
}

// Data is what came of all that was asked for.
type Data struct {
	Version  string                    // of the simulator
	Outcomes map[string]*study.Outcome // by Case.ID
}

// outcome returns what came of a case, or nil.
func (d *Data) outcome(c study.Case) *study.Outcome { return d.Outcomes[c.ID()] }

// Has says whether all that is needed is there.
func (d *Data) Has(n Needs) bool {
	return !slices.ContainsFunc(n.Cases, func(c study.Case) bool { return d.outcome(c) == nil })
}

// Report is what a part makes: lines of text, a table for programs, and for
// figures a figure.
type Report struct {
	Text   []string
	Rows   [][]string // the first is the header
	Figure *plot.Figure
}

// Part is a table or a figure of the paper, or the list of its claims.
type Part struct {
	Name  string // as the command line has it
	Title string
	Needs func(o *Paper) Needs
	// Report makes the report. All that Needs asked for is there; runs that
	// Needs did not ask for are not.
	Report func(o *Paper, d *Data) *Report
}

// Parts returns all parts in the paper's order.
func Parts() []Part {
	return []Part{table2, figure1, figure2, figure3, figure4, figure5, claimsPart}
}

// merge adds more needs, each once.
func (n *Needs) merge(more Needs) {
	for _, c := range more.Cases {
		if !slices.ContainsFunc(n.Cases, func(x study.Case) bool { return x.ID() == c.ID() }) {
			n.Cases = append(n.Cases, c)
		}
	}
}

// All returns what several parts need.
func All(parts []Part, o *Paper) Needs {
	var n Needs
	for _, p := range parts {
		n.merge(p.Needs(o))
	}
	return n
}
