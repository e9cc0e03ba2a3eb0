// Package hostbench measures a computer by small programs: latencies and
// bandwidths of its memory, what branches, atomics and instructions cost, how
// far its cores look ahead, what goroutines cost.
//
// Each microbenchmark exists twice, side by side: as Go that runs on the
// computer, and as a program for machines of kind window that does the same. So
// a description can be held against a computer figure by figure, and a fit to
// the figures can be tried on a machine whose description is known.
package hostbench

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Figure is what a microbenchmark measured.
type Figure struct {
	Name    string  `json:"name"` // topic/what[/how much]
	Meaning string  `json:"meaning"`
	Unit    string  `json:"unit"`
	Value   float64 `json:"value"`   // 0 if refused
	Spread  float64 `json:"spread"`  // of the least medians, relative; 0 if simulated
	Samples int     `json:"samples"` // taken, outliers included; 0 if simulated
	Outlier int     `json:"outliers"`
	Refused string  `json:"refused,omitempty"` // why there is no value
}

// Results are the figures of a computer or of a simulated machine.
type Results struct {
	Facts   Facts    `json:"facts"`
	Figures []Figure `json:"figures"`
}

// Value returns a figure's value, and whether there is one.
func (r *Results) Value(name string) (float64, bool) {
	f := r.Figure(name)
	if f == nil || f.Refused != "" {
		return 0, false
	}
	return f.Value, true
}

// Figure returns the figure of a name, nil if there is none.
func (r *Results) Figure(name string) *Figure {
	i := slices.IndexFunc(r.Figures, func(f Figure) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return &r.Figures[i]
}

// Point is a figure of a series, at its parameter.
type Point struct {
	At     int // the last part of its name
	Figure *Figure
}

// Series returns the figures named prefix/number that have a value, by
// ascending number.
func (r *Results) Series(prefix string) []Point {
	var all []Point
	for i := range r.Figures {
		f := &r.Figures[i]
		rest, ok := strings.CutPrefix(f.Name, prefix+"/")
		if n, err := strconv.Atoi(rest); ok && err == nil && f.Refused == "" {
			all = append(all, Point{n, f})
		}
	}
	slices.SortFunc(all, func(a, b Point) int { return a.At - b.At })
	return all
}

// Case is a microbenchmark: a figure and how to get it.
type Case struct {
	Name    string
	Meaning string
	Unit    string
	// prepare returns what runs it on this computer.
	prepare func(h *host) (stage, error)
	// simulate returns the figure of a simulated machine; nil for what has no
	// counterpart there.
	simulate func(s *simulator) float64
}

// Units of figures.
const (
	nanoseconds = "ns"
	gigabytes   = "GB/s"
)

// Cases returns the microbenchmarks for a computer of which so much is known,
// in the order in which they run.
func Cases(f Facts) []Case {
	var all []Case
	all = append(all, instructionCases()...)
	all = append(all, branchCases()...)
	all = append(all, rowCases()...)
	all = append(all, chaseCases(f)...)
	all = append(all, pageCases()...)
	all = append(all, chainCases(f)...)
	all = append(all, windowCases(f)...)
	all = append(all, bandwidthCases(f)...)
	all = append(all, sharingCases(f)...)
	return append(all, teamCases(f)...)
}

// kib writes a size for names of figures, which count in KiB.
func kib(bytes int) string { return strconv.Itoa(bytes >> 10) }

// sizeText writes a size for people.
func sizeText(bytes int) string {
	switch {
	case bytes%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", bytes>>20)
	case bytes%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", bytes>>10)
	}
	return fmt.Sprintf("%d B", bytes)
}
