package experiments

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"heddle/experiments/study"
)

// planned is a run that a study still needs.
type planned struct {
	estimate
	Run
	id    string
	name  string // of the point, for people
	group string // the same without the seed
}

// plan says what is left of a study to do.
type plan struct {
	total, kept, failed int // distinct runs
	left                []planned
}

// makePlan sorts out what is kept, what has failed and what is left. With retry
// what has failed is left, too.
func (s *openStudy) makePlan(e estimator, sizes graphSizes, kept map[string]bool, retry bool) *plan {
	p := new(plan)
	seen := map[string]bool{}
	for i, id := range s.ids {
		if seen[id] {
			continue
		}
		seen[id] = true
		p.total++
		if kept[id] {
			p.kept++
			continue
		}
		if _, failed := s.store.Failure(id); failed && !retry {
			p.failed++
			continue
		}
		r := s.runs[i]
		v, edges := sizes.of(r.Graph)
		p.left = append(p.left, planned{e.of(r, s.contexts[i], v, edges), r, id, s.pointName(i, true), s.pointName(i, false)})
	}
	return p
}

// pointName names a point by its labels, and by its seed if there are several
// and it is wanted.
func (s *openStudy) pointName(i int, seed bool) string {
	var parts []string
	for d, name := range s.Dimensions {
		l := s.Points[i].At[d]
		switch {
		case l == "" || name == "seed" && (!seed || s.seeds == 1):
			continue
		case name == "seed":
			l = "seed " + l
		case !study.IsDimension(name):
			l = name + " " + l
		}
		parts = append(parts, l)
	}
	return strings.Join(parts, ", ")
}

// sum returns what all that is left needs: the time of one processor, and the
// time of workers within a bound of memory, as if runs were cut finely, but no
// less than the longest takes.
func (p *plan) sum(workers int, memory int64) (work, elapsed float64) {
	longest, bytes := 0.0, 0.0
	for i := range p.left {
		r := &p.left[i]
		work += r.seconds
		longest = max(longest, r.seconds)
		bytes += r.seconds * float64(min(r.memory, memory))
	}
	return work, max(longest, work/float64(min(workers, max(len(p.left), 1))), bytes/float64(memory))
}

// mostPlanned is how many lines a plan has.
const mostPlanned = 40

// lines are the plan as text.
func (p *plan) lines(s *openStudy, workers int, memory int64) []string {
	lines := []string{fmt.Sprintf("%s: %s", s.Name, s.Title),
		fmt.Sprintf("%s runs: %s kept, %s failed before, %s to do", count(p.total), count(p.kept), count(p.failed), count(len(p.left)))}
	if len(p.left) == 0 {
		return lines
	}
	t := table{right: "lrrr"}
	t.add("", "runs", "time of each", "memory of each")
	groups := p.groups()
	for _, g := range groups[:min(len(groups), mostPlanned)] {
		t.add(g.name, count(g.runs), about(g.seconds), size(float64(g.memory)))
	}
	if len(groups) > mostPlanned {
		rest := groups[mostPlanned]
		runs := 0
		for _, g := range groups[mostPlanned:] {
			runs += g.runs
			rest.memory = max(rest.memory, g.memory)
		}
		t.add("shorter ones", count(runs), "up to "+about(rest.seconds), "up to "+size(float64(rest.memory)))
	}
	work, elapsed := p.sum(workers, memory)
	lines = append(lines, t.lines("  ")...)
	lines = append(lines, fmt.Sprintf("about %s of one processor, %s on %d, with %s of memory for all runs at a time",
		about(work), about(elapsed), min(workers, len(p.left)), size(float64(memory))))
	for _, g := range groups {
		if g.memory > memory {
			lines = append(lines, fmt.Sprintf("%s may need more memory than that, and will run alone", g.name))
		}
	}
	return lines
}

// planGroup are runs that differ in the seed alone.
type planGroup struct {
	estimate // the largest
	name     string
	runs     int
}

// groups returns what is left, the longest first.
func (p *plan) groups() []planGroup {
	at := map[string]int{}
	var groups []planGroup
	for _, r := range p.left {
		i, ok := at[r.group]
		if !ok {
			i = len(groups)
			at[r.group] = i
			groups = append(groups, planGroup{name: r.group})
		}
		g := &groups[i]
		g.runs++
		g.seconds, g.memory = max(g.seconds, r.seconds), max(g.memory, r.memory)
	}
	slices.SortStableFunc(groups, func(a, b planGroup) int { return cmp.Compare(b.seconds, a.seconds) })
	return groups
}

// about writes an expected time.
func about(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d < 10*time.Second:
		return d.Round(100 * time.Millisecond).String()
	case d < time.Hour:
		return d.Round(time.Second).String()
	}
	return d.Round(time.Minute).String()
}

// seedsOf returns the number of distinct seeds of a study.
func seedsOf(s *study.Study) int {
	seeds := map[uint64]bool{}
	for i := range s.Points {
		seeds[s.Points[i].Seed] = true
	}
	return len(seeds)
}
