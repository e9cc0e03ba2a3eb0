package experiments

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"heddle/arch/isa"
	"heddle/experiments/study"
	"heddle/kernels"
	"heddle/kernels/graph"
	"heddle/models"
)

// validator finds what is wrong with the runs that a study asks for, each fault
// with the line that asks.
type validator struct {
	study  *study.Study
	known  map[string]bool // what has been looked at, and whether it is good
	built  map[string]int  // contexts of the machines that were built
	told   map[string]bool
	faults []error
}

// validateStudy returns all that keeps runs of a study from beginning: kernels,
// machines, overrides, schedules and graphs that do not exist, and kernels that
// do not fit their machine. Else it returns how many contexts the machine of each
// point has.
func validateStudy(s *study.Study) (contexts []int, err error) {
	v := validator{study: s, known: map[string]bool{}, built: map[string]int{}, told: map[string]bool{}}
	for i := range s.Points {
		v.point(&s.Points[i])
		contexts = append(contexts, v.built[buildOf(&s.Points[i])])
	}
	if len(v.faults) > 0 {
		return nil, &InputError{errors.Join(v.faults...)}
	}
	return contexts, nil
}

// buildOf names what is built for a point.
func buildOf(p *study.Point) string {
	return strings.Join(append([]string{"build", p.Kernel, p.Machine}, p.Set...), "\x00")
}

// once runs a check unless it has been run, and says whether all is well. A
// fault stands at the line.
func (v *validator) once(what string, line int, check func() error) bool {
	if ok, seen := v.known[what]; seen {
		return ok
	}
	err := check()
	v.known[what] = err == nil
	for _, e := range flatten(err) {
		v.fault(line, "", e.Error())
	}
	return err == nil
}

func (v *validator) fault(line int, path, message string) {
	f := models.Fault{File: v.study.File, Line: line, Path: path, Message: message}
	if !v.told[f.Error()] {
		v.told[f.Error()] = true
		v.faults = append(v.faults, f)
	}
}

func (v *validator) point(p *study.Point) {
	if study.IsProperty(p.Kernel) {
		v.once("property "+p.Kernel, p.Origin.Kernel, func() error { _, err := propertyOf(p.Kernel); return err })
		v.once("graph "+p.Graph, p.Origin.Graph, func() error { return graph.Check(p.Graph) })
		return
	}
	var k kernels.Kernel
	good := v.once("kernel "+p.Kernel, p.Origin.Kernel, func() error { _, err := kernel(p.Kernel); return err })
	if good {
		k, _ = kernel(p.Kernel) // there is one
	}
	if p.Schedule != "" {
		good = v.once("schedule "+p.Schedule, p.Origin.Schedule, func() error { _, err := isa.ParseSchedule(p.Schedule); return err }) && good
	}
	good = v.once("graph "+p.Graph, p.Origin.Graph, func() error { return graph.Check(p.Graph) }) && good
	machine := v.once("machine "+p.Machine, p.Origin.Machine, func() error { _, err := describeMachine(p.Machine, nil); return err })
	if !good || !machine {
		return
	}
	what := buildOf(p)
	if _, seen := v.known[what]; seen {
		return
	}
	m, err := runOf(p.Case).build(k)
	if v.known[what] = err == nil; err == nil {
		v.built[what] = m.Contexts()
	}
	for _, e := range flatten(err) {
		line, path, message := p.Origin.Machine, "", e.Error()
		var f models.Fault
		if errors.As(e, &f) && f.File == models.CommandLine {
			path, message = f.Path, f.Message
			line = overrideLine(p, f.Path)
		}
		v.fault(line, path, message)
	}
}

// overrideLine returns the line of p's last override at path, above or below
// it; that of its machine if there is none.
func overrideLine(p *study.Point, path string) int {
	line := p.Origin.Machine
	for i, set := range p.Set {
		key, _, _ := strings.Cut(set, "=")
		key = strings.TrimSpace(key)
		if key == path || strings.HasPrefix(path, key+".") || strings.HasPrefix(key, path+".") {
			line = p.Origin.Set[i]
		}
	}
	return line
}

// flatten returns the errors that err joins.
func flatten(err error) []error {
	var bad *InputError
	if errors.As(err, &bad) {
		err = bad.Err
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []error
		for _, e := range joined.Unwrap() {
			all = append(all, flatten(e)...)
		}
		return all
	}
	if err == nil {
		return nil
	}
	return []error{err}
}

// readThrough is the size of graph files, in bytes, up to which they are read
// whole before a study begins.
const readThrough = 16 << 20

// graphSizes tell how large graphs are, by name.
type graphSizes map[string]graphSize

type graphSize struct{ vertices, edges float64 }

// of returns a graph's size, about.
func (g graphSizes) of(name string) (vertices, edges float64) {
	if s, ok := g[name]; ok {
		return s.vertices, s.edges
	}
	return extent(name)
}

// readGraphs reads the graph files, but large ones, that some of a study's
// points need, so that a file's fault is told before any run begins, and returns
// how large they are.
func readGraphs(s *study.Study, needed func(i int) bool) (graphSizes, error) {
	type file struct {
		name     string
		line     int
		weighted string // a kernel that needs weights, or ""
	}
	var files []*file
	byName := map[string]*file{}
	for i := range s.Points {
		p := &s.Points[i]
		if !needed(i) || graph.IsGenerator(p.Graph) {
			continue
		}
		f := byName[p.Graph]
		if f == nil {
			info, err := os.Stat(p.Graph)
			if err != nil || info.Size() > readThrough {
				continue
			}
			f = &file{name: p.Graph, line: p.Origin.Graph}
			byName[p.Graph] = f
			files = append(files, f)
		}
		if k, err := kernel(p.Kernel); err == nil && k.Weighted && f.weighted == "" {
			f.weighted = k.Name
		}
	}
	sizes := graphSizes{}
	faults := make([]error, len(files))
	var mu sync.Mutex
	var readers errgroup.Group
	readers.SetLimit(2)
	for i, f := range files {
		readers.Go(func() error {
			g, err := graph.Open(f.name, graph.Options{})
			if err == nil && f.weighted != "" && g.Weight != nil {
				err = g.CheckPositiveWeights()
			}
			if err != nil {
				faults[i] = models.Fault{File: s.File, Line: f.line, Path: filepath.Base(f.name), Message: err.Error()}
				return nil
			}
			mu.Lock()
			defer mu.Unlock()
			sizes[f.name] = graphSize{float64(g.Vertices()), float64(g.Edges())}
			return nil
		})
	}
	_ = readers.Wait() // faults has the errors
	if err := errors.Join(faults...); err != nil {
		return nil, &InputError{err}
	}
	return sizes, nil
}
