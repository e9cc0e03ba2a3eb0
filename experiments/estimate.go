package experiments

import (
	"math"
	"path/filepath"
	"strings"

	"heddle/experiments/catalog"
	"heddle/experiments/study"
)

// What a run is taken to need where no earlier one tells: about what
// matching/ld on rmat-g graphs needs on tesla-c2050.
const (
	usualInstructions = 60      // an edge
	usualRate         = 400_000 // instructions a second
	usualOther        = 2e-6    // seconds an edge to open the graph and check the answer
	usualArrays       = 28      // bytes an edge of the machine's memory
	leastEdges        = 64
	startSeconds      = 0.02 // of any run
)

// estimate is what a run is expected to need.
type estimate struct {
	instructions float64
	seconds      float64 // of one processor
	memory       int64   // bytes
}

// estimator tells from earlier runs what others will need. The rule: a run
// executes as many instructions an edge as the earlier run of the same kernel on
// the same machine that is most alike, at its speed; failing that, as many as one
// of the same kernel on any machine, at the speed of one of any kernel on the
// same machine; failing that, the usual. Opening the graph and checking the
// answer take as long an edge as they did then. Memory follows from the sizes of
// the graph and the machine, and is more where that run's arrays were larger than
// usual.
type estimator []catalog.Sample

// nearest returns the sample of a kernel and a machine, any where a pointer is
// nil, that is most alike: in edges and in what the machine runs at once, each by
// its ratio.
func (e estimator) nearest(kernel, machine *string, edges float64, contexts int) *catalog.Sample {
	var best *catalog.Sample
	least := math.Inf(1)
	for i := range e {
		s := &e[i]
		if kernel != nil && s.Kernel != *kernel || machine != nil && s.Machine != *machine {
			continue
		}
		off := math.Abs(math.Log(float64(s.Edges)/edges)) + math.Abs(math.Log(float64(1+s.Contexts)/float64(1+contexts)))
		if off < least {
			best, least = s, off
		}
	}
	return best
}

// of estimates r on a machine that runs so many contexts at once.
func (e estimator) of(r Run, contexts int, vertices, edges float64) estimate {
	edges = max(edges, leastEdges)
	machine := machineName(r.Machine)
	work := e.nearest(&r.Kernel, &machine, edges, contexts)
	memory := footprintOf(vertices, edges) + int64(contexts)*bytesPerContext
	if study.IsProperty(r.Kernel) {
		seconds := usualOther * edges
		if work != nil {
			seconds = (work.Simulating + work.Other) / float64(work.Edges) * edges
		}
		return estimate{0, startSeconds + seconds, memory}
	}
	speed := work
	if work == nil {
		work, speed = e.nearest(&r.Kernel, nil, edges, contexts), e.nearest(nil, &machine, edges, contexts)
	}
	perEdge, rate, other := float64(usualInstructions), float64(usualRate), float64(usualOther)
	if work != nil {
		of := float64(work.Edges)
		perEdge, other = float64(work.Instructions)/of, work.Other/of
		memory += int64(max(0, float64(work.Memory)/of-usualArrays) * edges)
	}
	if speed != nil && speed.Instructions > 0 {
		rate = float64(speed.Instructions) / speed.Simulating
	}
	instructions := perEdge * edges
	return estimate{instructions, startSeconds + instructions/rate + other*edges, memory}
}

// machineName returns the name that results of a machine have.
func machineName(machine string) string {
	if machine == "" {
		return ""
	}
	return strings.TrimSuffix(filepath.Base(machine), ".yaml")
}
