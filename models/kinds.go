package models

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"heddle/arch/simt"
	"heddle/arch/stream"
	"heddle/sim"
)

// family is a kind of machine.
type family struct {
	build   func(*Machine, *Description, Options) error
	metrics sim.Declaration
	// theory checks a description and lists the keys that it states of what
	// the machine lacks; nil for machines without timing.
	theory func(*Description) (checks []Check, baseless []string, err error)
}

// families are the kinds of machine by the name that a description gives.
func families() map[string]family {
	return map[string]family{
		"simt":       {buildGPU, simt.Metrics, gpuTheory},
		"stream":     {buildStream, stream.Metrics, streamTheory},
		"window":     {buildWindow, WindowMetrics, windowTheory},
		"functional": {buildFunctional, FunctionalMetrics, nil},
	}
}

// family returns the kind of machine that d describes.
func (d *Description) family() (family, error) {
	all := families()
	kinds := strings.Join(slices.Sorted(maps.Keys(all)), ", ")
	name, ok := d.Value("kind")
	if !ok {
		return family{}, Fault{d.files[0], 0, "kind", "missing: one of " + kinds + " is wanted"}
	}
	n := d.root.child("kind")
	f, ok := all[name]
	if !ok {
		return family{}, Fault{n.file, n.line, "kind", fmt.Sprintf("%q is not one of %s", name, kinds)}
	}
	if n.file == CommandLine && n.was != "" && n.was != name {
		return family{}, Fault{n.file, n.line, "kind", fmt.Sprintf("a machine of kind %s cannot become one of kind %s: its keys are others", n.was, name)}
	}
	return f, nil
}

// Metrics returns the declarations of what machines of each kind report.
func Metrics() map[string]sim.Declaration {
	all := map[string]sim.Declaration{}
	for name, f := range families() {
		all[name] = f.metrics
	}
	return all
}
