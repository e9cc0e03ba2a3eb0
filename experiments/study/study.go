// Package study says what a study asks the simulator for, and holds what comes
// back. It runs nothing itself.
package study

import (
	"strconv"
	"strings"
)

// Case is one run that a study needs.
type Case struct {
	Kernel     string   // as matching/ld, or a property of the graph
	Machine    string   // in the library, or a file; "" of a property
	Graph      string   // a generator with its size, or a file
	Seed       uint64   // of the graph, its weights and the kernel
	Iterations int      // of a kernel that has a choice of their number; 0: its default
	Schedule   string   // of parallel loops; "": the kernel's default
	Set        []string // overrides of the machine's description, path=value
}

// propertyFamily is what stands in a kernel's place where no machine is asked,
// such as graph/degrees.
const propertyFamily = "graph/"

// IsProperty says whether what stands in a kernel's place is a property of the
// graph itself.
func IsProperty(kernel string) bool { return strings.HasPrefix(kernel, propertyFamily) }

// String writes c as the command line would have it.
func (c Case) String() string {
	var b strings.Builder
	if IsProperty(c.Kernel) {
		return c.Kernel + " of " + c.Graph
	}
	b.WriteString(c.Kernel + " on " + c.Machine + ", " + c.Graph)
	if c.Iterations > 0 {
		b.WriteString(" --iterations " + strconv.Itoa(c.Iterations))
	}
	if c.Schedule != "" {
		b.WriteString(" --schedule " + c.Schedule)
	}
	for _, s := range c.Set {
		b.WriteString(" --set " + s)
	}
	return b.String()
}

// ID tells cases apart.
func (c Case) ID() string {
	return strings.Join(append([]string{c.Kernel, c.Machine, c.Graph, strconv.FormatUint(c.Seed, 10), c.Schedule, strconv.Itoa(c.Iterations)}, c.Set...), "\x00")
}

// With returns c with one more override.
func (c Case) With(set ...string) Case {
	c.Set = append(append([]string(nil), c.Set...), set...)
	return c
}
