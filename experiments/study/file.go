package study

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"heddle/models"
)

// Study is what a study's file asks for: the runs, by what they are compared,
// and what is drawn of them.
type Study struct {
	Name       string // of its folder and its jobs
	Title      string
	File       string
	Parameters []Parameter
	// Dimensions are what the points differ in, by name: part, kernel, machine,
	// graph, override, schedule, a key of vary, seed. Those that the file does
	// not mention are left out.
	Dimensions []string
	Points     []Point
	Baselines  []Baseline
	Plots      []Plot
}

// Point is a run of a study and its place.
type Point struct {
	Case
	At     []string // labels, parallel to Study.Dimensions
	Origin Origin
}

// Origin is where the file says what a point is: lines.
type Origin struct {
	Kernel, Machine, Graph, Schedule int
	Set                              []int // parallel to Case.Set
}

// Label returns a point's place in a dimension, "" where it has none.
func (s *Study) Label(p *Point, dimension string) string {
	if i := slices.Index(s.Dimensions, dimension); i >= 0 {
		return p.At[i]
	}
	return ""
}

// Find returns the points that have all of some labels, in the study's order.
func (s *Study) Find(at ...Coordinate) []*Point {
	var found []*Point
	for i := range s.Points {
		p := &s.Points[i]
		if !slices.ContainsFunc(at, func(c Coordinate) bool { return s.Label(p, c.Dimension) != c.Label }) {
			found = append(found, p)
		}
	}
	return found
}

// Baseline is what a speed-up is over: the run whose place agrees in all
// dimensions but the named ones.
type Baseline struct {
	Name string
	At   []Coordinate
}

// Coordinate is a label in a dimension.
type Coordinate struct{ Dimension, Label string }

// Plot is a figure of a study.
type Plot struct {
	Name   string // of its files
	Title  string
	Show   string // a column of the results, such as seconds, speedup.host or metric.ipc
	X      string // a dimension
	Panels string // a dimension, or ""
	Kind   string // lines, bars or "": lines if all labels of X are numbers
	Log    []string
	Only   []Coordinate // a point's label in each of these dimensions must be among those listed
}

// Kinds of plots, and the axes that may be logarithmic.
var (
	plotKinds = []string{"lines", "bars"}
	plotAxes  = []string{"x", "y"}
)

// most bounds what a study may ask for.
const (
	longestFile = 1 << 20 // bytes
	mostPoints  = 100_000
)

// ReadFile reads a study's file. Set replaces parameters of the file, name=value.
// Paths in the file are relative to its folder. The error tells of all faults,
// each with its line.
func ReadFile(path string, set ...string) (*Study, error) {
	f, err := os.Open(path)
	if err != nil {
		var why *os.PathError
		if errors.As(err, &why) {
			err = why.Err
		}
		return nil, fmt.Errorf("study %s: %w", path, err)
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, longestFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("study %s: %w", path, err)
	case len(text) > longestFile:
		return nil, fmt.Errorf("study %s: longer than %d bytes", path, longestFile)
	}
	return Parse(path, text, set...)
}

// Parse is ReadFile of a file that has been read already.
func Parse(path string, text []byte, set ...string) (*Study, error) {
	r := &reader{file: path}
	s := &Study{File: path, Name: strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))}
	top := r.document(text)
	if top != nil {
		r.study(s, top, set)
	}
	if len(r.faults) > 0 {
		return nil, errors.Join(r.faults...)
	}
	return s, nil
}

// study reads the file's top.
func (r *reader) study(s *Study, top *yaml.Node, set []string) {
	if top.Kind != yaml.MappingNode {
		r.fault(top.Line, "", "a section of keys is wanted")
		return
	}
	var whole block
	var parts []*yaml.Node
	baselines, plots := &yaml.Node{}, &yaml.Node{}
	// Parameters come first in the list: the others use them.
	keys := []key{
		{"parameters", r.readParameters},
		{"name", func(n *yaml.Node) { s.Name = r.name(n, "name") }},
		{"title", func(n *yaml.Node) { s.Title = r.text(n, "title") }},
		{"parts", func(n *yaml.Node) { r.list(n, "parts", func(p *yaml.Node) { parts = append(parts, p) }) }},
		{"baselines", func(n *yaml.Node) { baselines = n }},
		{"plots", func(n *yaml.Node) { plots = n }},
	}
	r.replace(set)
	r.section(top, "", append(keys, r.blockKeys("", &whole)...))
	s.Parameters = r.parameters
	for _, p := range r.replaced {
		if !hasParameter(s.Parameters, p.Name) {
			r.faults = append(r.faults, fmt.Errorf("--param %s=%s: %s", p.Name, p.Value, noParameter(p.Name, s.Parameters)))
		}
	}
	if s.Title == "" {
		s.Title = s.Name
	}
	if len(r.faults) > 0 {
		return // what follows from a fault is not worth telling
	}
	blocks := r.blocks(whole, parts, top.Line)
	if len(r.faults) > 0 {
		return
	}
	r.expand(s, blocks, top.Line)
	if len(r.faults) > 0 {
		return
	}
	if baselines.Kind != 0 {
		r.readBaselines(s, baselines)
	}
	if plots.Kind != 0 {
		r.list(plots, "plots", func(n *yaml.Node) { r.readPlot(s, n) })
	}
}

var nameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// name reads a name that files can have.
func (r *reader) name(n *yaml.Node, path string) string {
	text := r.text(n, path)
	if text != "" && !nameForm.MatchString(text) {
		r.fault(n.Line, path, "%q: want letters, digits, dots and hyphens, at most 64", text)
	}
	return text
}

// coordinates reads {dimension: label} or {dimension: [label, ...]}, which must
// exist in the study.
func (r *reader) coordinates(s *Study, n *yaml.Node, path string, several bool) []Coordinate {
	var all []Coordinate
	r.entries(n, path, func(name string, at, value *yaml.Node) {
		path := join(path, name)
		if !r.dimension(s, name, at.Line, path) {
			return
		}
		labels := []string{""}
		if several {
			labels = r.texts(value, path)
		} else {
			labels[0] = r.text(value, path)
		}
		var known []string
		for i := range s.Points {
			if l := s.Label(&s.Points[i], name); !slices.Contains(known, l) {
				known = append(known, l)
			}
		}
		for _, label := range labels {
			if label != "" && !slices.Contains(known, label) {
				r.fault(value.Line, path, "no %s %q%s; known: %s", name, label, nearest(label, known), strings.Join(known, ", "))
			}
			all = append(all, Coordinate{name, label})
		}
	})
	return all
}

// dimension refuses a name that is no dimension of the study.
func (r *reader) dimension(s *Study, name string, line int, path string) bool {
	if slices.Contains(s.Dimensions, name) {
		return true
	}
	r.fault(line, path, "%s is nothing that the runs differ in%s; known: %s", strconv.Quote(name), nearest(name, s.Dimensions), strings.Join(s.Dimensions, ", "))
	return false
}

func nearest(name string, known []string) string {
	if near := models.Nearest(name, known); near != "" {
		return ": nearest is " + near
	}
	return ""
}

func (r *reader) readBaselines(s *Study, n *yaml.Node) {
	r.entries(n, "baselines", func(name string, at, value *yaml.Node) {
		path := join("baselines", name)
		if !nameForm.MatchString(name) {
			r.fault(at.Line, path, "want a name of letters, digits, dots and hyphens")
		}
		before := len(r.faults)
		b := Baseline{name, r.coordinates(s, value, path, false)}
		s.Baselines = append(s.Baselines, b)
		if len(r.faults) > before {
			return
		}
		found := slices.ContainsFunc(s.base(b), func(i int) bool { return i >= 0 })
		if !found {
			r.fault(at.Line, path, "no run is there to compare any other with")
		}
	})
}

func (r *reader) readPlot(s *Study, n *yaml.Node) {
	const path = "plots"
	p := Plot{Show: "seconds"}
	r.section(n, path, []key{
		{"name", func(v *yaml.Node) { p.Name = r.name(v, "plots.name") }},
		{"title", func(v *yaml.Node) { p.Title = r.text(v, "plots.title") }},
		{"show", func(v *yaml.Node) {
			p.Show = r.text(v, "plots.show")
			r.checkShow(s, v.Line, p.Show)
		}},
		{"x", func(v *yaml.Node) { p.X = r.text(v, "plots.x"); r.dimension(s, p.X, v.Line, "plots.x") }},
		{"panels", func(v *yaml.Node) {
			p.Panels = r.text(v, "plots.panels")
			r.dimension(s, p.Panels, v.Line, "plots.panels")
		}},
		{"kind", func(v *yaml.Node) { p.Kind = r.oneOf(v, "plots.kind", plotKinds) }},
		{"log", func(v *yaml.Node) {
			for _, axis := range r.texts(v, "plots.log") {
				if !slices.Contains(plotAxes, axis) {
					r.fault(v.Line, "plots.log", "%q: want x, y or both", axis)
				}
				p.Log = append(p.Log, axis)
			}
		}},
		{"only", func(v *yaml.Node) { p.Only = r.coordinates(s, v, "plots.only", true) }},
	})
	switch {
	case n.Kind != yaml.MappingNode:
		return
	case p.Name == "":
		r.fault(n.Line, path, "a plot has no name")
	case p.X == "":
		r.fault(n.Line, path, "plot %s has no x: want one of %s", p.Name, strings.Join(s.Dimensions, ", "))
	case p.X == p.Panels:
		r.fault(n.Line, path, "plot %s: x and panels are the same", p.Name)
	case slices.ContainsFunc(s.Plots, func(x Plot) bool { return x.Name == p.Name }):
		r.fault(n.Line, path, "two plots are called %s", p.Name)
	}
	if p.Title == "" {
		p.Title = s.Title
	}
	s.Plots = append(s.Plots, p)
}

func (r *reader) oneOf(n *yaml.Node, path string, known []string) string {
	text := r.text(n, path)
	if text != "" && !slices.Contains(known, text) {
		r.fault(n.Line, path, "%q: want %s", text, strings.Join(known, " or "))
	}
	return text
}

// checkShow refuses what can be no column of the results. Which metrics there
// are depends on the machines.
func (r *reader) checkShow(s *Study, line int, show string) {
	group, name, dotted := strings.Cut(show, ".")
	switch {
	case slices.Contains(runColumns, show):
	case group == "speedup" && dotted:
		var known []string
		// Baselines are read before plots.
		for _, b := range s.Baselines {
			known = append(known, b.Name)
		}
		if !slices.Contains(known, name) {
			r.fault(line, "plots.show", "no baseline %q%s; known: %s", name, nearest(name, known), strings.Join(known, ", "))
		}
	case group == "metric" && dotted:
		var known []string
		for _, declared := range models.Metrics() {
			for _, m := range declared {
				known = append(known, m.Name)
			}
		}
		if !slices.Contains(known, name) {
			slices.Sort(known)
			r.fault(line, "plots.show", "no machine reports a metric %q%s; heddle metrics lists them", name, nearest(name, known))
		}
	case dotted && slices.Contains(figureGroups, group):
	default:
		r.fault(line, "plots.show", "%q: want %s, speedup.BASELINE, %s.NAME", show, strings.Join(runColumns, ", "), strings.Join(figureGroups, ".NAME, "))
	}
}
