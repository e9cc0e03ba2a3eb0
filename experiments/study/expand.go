package study

import (
	"path/filepath"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"heddle/kernels/graph"
	"heddle/models"
)

// block is a product: a run for each combination of what its lists hold.
type block struct {
	part      string
	kernels   []item
	machines  []item
	graphs    []item
	overrides []item
	schedules []item
	seeds     []item
	axes      []axis // keys that vary
	leftOut   bool   // a graph whose parameter is empty
}

// item is one thing in a list: what it is, what it is called, and what it sets.
type item struct {
	line        int
	label, name string
	set         []assignment
	schedule    string // of a machine
	scheduled   int    // line of schedule
	iterations  int    // of a kernel
}

// assignment is an override of a machine's description.
type assignment struct {
	line int
	text string // path=value
}

// axis is a key of the description and the values that it takes.
type axis struct {
	key    string
	values []assignment
	labels []string
}

// blockKeys are the keys that a study and each of its parts may have.
func (r *reader) blockKeys(path string, b *block) []key {
	items := func(name, what string, into *[]item) key {
		return key{name, func(n *yaml.Node) {
			*into = nil
			at := join(path, name)
			r.list(n, at, func(i *yaml.Node) {
				before := len(r.faults)
				x := r.item(i, at, what)
				switch {
				case len(r.faults) > before:
				case what == "graph" && x.name == "":
					b.leftOut = true
				case what != "" && x.name == "":
					r.fault(i.Line, at, "a value is wanted")
				default:
					r.add(into, x, at)
				}
			})
		}}
	}
	return []key{
		items("kernels", "kernel", &b.kernels),
		items("machines", "machine", &b.machines),
		items("graphs", "graph", &b.graphs),
		items("overrides", "", &b.overrides),
		items("schedules", "schedule", &b.schedules),
		{"seeds", func(n *yaml.Node) {
			b.seeds = nil
			at := join(path, "seeds")
			r.list(n, at, func(i *yaml.Node) {
				text := r.text(i, at)
				if _, err := strconv.ParseUint(text, 10, 64); text != "" && err != nil {
					r.fault(i.Line, at, "%q: want a whole number, 0 to 2^64-1", text)
				}
				r.add(&b.seeds, item{line: i.Line, label: text, name: text}, at)
			})
		}},
		{"vary", func(n *yaml.Node) { b.axes = r.axes(n, join(path, "vary")) }},
	}
}

// add appends an item unless there is one of its label.
func (r *reader) add(list *[]item, x item, path string) {
	if slices.ContainsFunc(*list, func(y item) bool { return x.label != "" && y.label == x.label }) {
		r.fault(x.line, path, "%q is there twice: give one another name", x.label)
		return
	}
	*list = append(*list, x)
}

// item reads a name, or {name: label, <what>: name, set: ...}. Without a what
// it has a name and overrides alone.
func (r *reader) item(n *yaml.Node, path, what string) item {
	x := item{line: n.Line}
	named := false
	if n.Kind == yaml.ScalarNode && what != "" {
		x.name = r.text(n, path)
		x.label = x.name
		return x
	}
	keys := []key{{"name", func(v *yaml.Node) { x.label = r.text(v, join(path, "name")) }}}
	if what != "" {
		keys = append(keys, key{what, func(v *yaml.Node) {
			x.name, x.line, named = r.text(v, join(path, what)), v.Line, true
		}})
	}
	if what == "" || what == "machine" {
		keys = append(keys, key{"set", func(v *yaml.Node) { x.set = r.assignments(v, join(path, "set")) }})
	}
	if what == "machine" {
		keys = append(keys, key{"schedule", func(v *yaml.Node) {
			x.schedule, x.scheduled = r.text(v, join(path, "schedule")), v.Line
		}})
	}
	if what == "kernel" {
		keys = append(keys, key{"iterations", func(v *yaml.Node) { x.iterations = r.positive(v, join(path, "iterations")) }})
	}
	before := len(r.faults)
	r.section(n, path, keys)
	if len(r.faults) > before {
		return x
	}
	switch {
	case what != "" && !named:
		r.fault(n.Line, path, "no %s", what)
	case what == "" && x.label == "":
		r.fault(n.Line, path, "no name")
	case x.label == "":
		x.label = x.name
	}
	return x
}

// assignments reads {path: value}.
func (r *reader) assignments(n *yaml.Node, path string) []assignment {
	var all []assignment
	r.entries(n, path, func(name string, at, value *yaml.Node) {
		all = append(all, assignment{at.Line, name + "=" + r.value(value, join(path, name))})
	})
	return all
}

// axes reads {key: [value, ...]}.
func (r *reader) axes(n *yaml.Node, path string) []axis {
	var all []axis
	r.entries(n, path, func(name string, at, values *yaml.Node) {
		path := join(path, name)
		if IsDimension(name) {
			r.fault(at.Line, path, "is what the runs differ in already")
			return
		}
		a := axis{key: name}
		r.list(values, path, func(v *yaml.Node) {
			text := r.value(v, path)
			if text != "" && slices.Contains(a.labels, text) {
				r.fault(v.Line, path, "%s is there twice", text)
			}
			a.labels = append(a.labels, text)
			a.values = append(a.values, assignment{v.Line, name + "=" + text})
		})
		all = append(all, a)
	})
	return all
}

// blocks returns the parts, each with what the whole says where it says nothing
// itself, or the whole if there are no parts.
func (r *reader) blocks(whole block, parts []*yaml.Node, line int) []block {
	blocks := []block{whole}
	if len(parts) > 0 {
		blocks = nil
	}
	var names []string
	for _, n := range parts {
		b := whole
		keys := append([]key{{"name", func(v *yaml.Node) { b.part = r.text(v, "parts.name") }}}, r.blockKeys("parts", &b)...)
		r.section(n, "parts", keys)
		switch {
		case n.Kind != yaml.MappingNode:
		case b.part == "":
			r.fault(n.Line, "parts", "a part has no name")
		case slices.Contains(names, b.part):
			r.fault(n.Line, "parts", "two parts are called %s", b.part)
		}
		names = append(names, b.part)
		blocks = append(blocks, b)
	}
	blocks = slices.DeleteFunc(blocks, func(b block) bool { return b.leftOut && len(b.graphs) == 0 })
	if len(blocks) == 0 {
		r.fault(line, "", "every graph is left out: a parameter is empty")
	}
	for _, b := range blocks {
		where, at := "", line
		if b.part != "" {
			where, at = "part "+b.part+": ", parts[slices.Index(names, b.part)].Line
		}
		for _, list := range []struct {
			name  string
			items []item
		}{{"kernels", b.kernels}, {"machines", b.machines}, {"graphs", b.graphs}} {
			if len(list.items) == 0 && (list.name != "machines" || b.simulates()) {
				r.fault(at, "", "%sno %s", where, list.name)
			}
		}
	}
	return blocks
}

// simulates says whether some of a block's kernels run on a machine.
func (b *block) simulates() bool {
	return slices.ContainsFunc(b.kernels, func(k item) bool { return !IsProperty(k.name) })
}

// Names of dimensions. Keys of vary come after them, and seed last.
var fixedDimensions = []string{"part", "kernel", "machine", "graph", "override", "schedule", "seed"}

// IsDimension says whether every study has a dimension of that name, or may have
// one that is not a key of its vary.
func IsDimension(name string) bool { return slices.Contains(fixedDimensions, name) }

// expand makes the points of blocks.
func (r *reader) expand(s *Study, blocks []block, line int) {
	has := map[string]bool{"kernel": true, "machine": true, "graph": true, "seed": true}
	var keys []string
	points := 0
	for i := range blocks {
		b := &blocks[i]
		has["part"] = has["part"] || b.part != ""
		has["override"] = has["override"] || len(b.overrides) > 0
		has["schedule"] = has["schedule"] || len(b.schedules) > 0
		if len(b.overrides) == 0 {
			b.overrides = []item{{}}
		}
		if len(b.schedules) == 0 {
			b.schedules = []item{{}}
		}
		if len(b.seeds) == 0 {
			b.seeds = []item{{label: "1", name: "1"}}
		}
		product := 1
		for _, n := range []int{len(b.kernels), len(b.machines), len(b.graphs), len(b.overrides), len(b.schedules), len(b.seeds)} {
			product = min(product*n, mostPoints+1)
		}
		for _, a := range b.axes {
			product = min(product*len(a.values), mostPoints+1)
			if !slices.Contains(keys, a.key) {
				keys = append(keys, a.key)
			}
		}
		if points += product; points > mostPoints {
			r.fault(line, "", "more than %d runs", mostPoints)
			return
		}
	}
	for _, d := range fixedDimensions[:len(fixedDimensions)-1] {
		if has[d] {
			s.Dimensions = append(s.Dimensions, d)
		}
	}
	s.Dimensions = append(append(s.Dimensions, keys...), "seed")
	for _, b := range blocks {
		b.points(s)
	}
}

// points adds the combinations of a block, the seeds varying fastest.
func (b *block) points(s *Study) {
	dir := filepath.Dir(s.File)
	for _, k := range b.kernels {
		if IsProperty(k.name) {
			bare := block{part: b.part}
			for _, g := range b.graphs {
				for _, seed := range b.seeds {
					s.Points = append(s.Points, bare.point(s, dir, k, item{}, g, item{}, item{}, nil, seed))
				}
			}
			continue
		}
		for _, m := range b.machines {
			for _, g := range b.graphs {
				for _, o := range b.overrides {
					for _, schedule := range b.schedules {
						b.vary(nil, func(varied []int) {
							for _, seed := range b.seeds {
								s.Points = append(s.Points, b.point(s, dir, k, m, g, o, schedule, varied, seed))
							}
						})
					}
				}
			}
		}
	}
}

// vary calls each with an index of a value for every axis, the last varying
// fastest.
func (b *block) vary(chosen []int, each func(chosen []int)) {
	if len(chosen) == len(b.axes) {
		each(chosen)
		return
	}
	for i := range b.axes[len(chosen)].values {
		b.vary(append(slices.Clip(chosen), i), each)
	}
}

func (b *block) point(s *Study, dir string, k, m, g, o, schedule item, varied []int, seed item) Point {
	labels := map[string]string{"part": b.part, "kernel": k.label, "machine": m.label, "graph": g.label, "override": o.label, "schedule": schedule.label, "seed": seed.label}
	assignments := slices.Concat(m.set, o.set)
	for i, a := range b.axes {
		assignments = append(assignments, a.values[varied[i]])
		labels[a.key] = a.labels[varied[i]]
	}
	p := Point{
		Case:   Case{Kernel: k.name, Machine: within(dir, m.name, models.IsPath), Graph: within(dir, g.name, graph.IsPath), Schedule: schedule.name, Iterations: k.iterations},
		Origin: Origin{Kernel: k.line, Machine: m.line, Graph: g.line, Schedule: schedule.line},
	}
	p.Seed, _ = strconv.ParseUint(seed.name, 10, 64) // it has been checked
	if p.Schedule == "" {
		p.Schedule, p.Origin.Schedule = m.schedule, m.scheduled
	}
	for _, a := range assignments {
		p.Set = append(p.Set, a.text)
		p.Origin.Set = append(p.Origin.Set, a.line)
	}
	for _, d := range s.Dimensions {
		p.At = append(p.At, labels[d])
	}
	return p
}

// within returns the path of a file that is named in dir; other names stay.
func within(dir, name string, isFile func(string) bool) string {
	if !isFile(name) || filepath.IsAbs(name) {
		return name
	}
	path := filepath.Join(dir, name)
	if !isFile(path) { // Join drops a leading dot
		path = "." + string(filepath.Separator) + path
	}
	return path
}
