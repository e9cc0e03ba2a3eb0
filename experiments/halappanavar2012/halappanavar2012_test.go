package halappanavar2012

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"heddle/experiments/study"
)

// fake returns data for all that is needed: each run takes seconds(c).
func fake(n Needs, seconds func(c study.Case) float64) *Data {
	d := &Data{Version: "v", Outcomes: map[string]*study.Outcome{}}
	for _, c := range n.Cases {
		o := new(study.Outcome)
		s := seconds(c)
		o.Simulated.Seconds = &s
		o.Answer.Numbers = study.Numbers{{Name: "matched_percent", Value: 80}, {Name: "matched_percent_connected", Value: 82}, {Name: "mean_clustering", Value: 0.5}, {Name: "mean_degree", Value: 1.5}}
		o.Answer.Lists = map[string][]int64{
			"queue_sizes": {64, 32, 16, 8}, "degrees": {1, 2}, "vertices_of_degree": {2, 2}, "clustering_exponents": {-1}, "vertices_of_clustering": {2},
		}
		o.Metrics = study.Numbers{{Name: "memory_latency.mean", Value: 600}}
		o.Launches = []study.Launch{{Program: "matching/ld.find", Items: 8, Seconds: s}}
		d.Outcomes[c.ID()] = o
	}
	return d
}

func even(study.Case) float64 { return 1 }

var small = opened(Options{Scale: 10, Seed: 7})

func opened(o Options) *Paper {
	p, err := Open(o)
	if err != nil {
		panic(err)
	}
	return p
}

func TestParts(t *testing.T) {
	headers := map[string]string{
		"table2": "graph,scale,property,published,generated,relative_error,seed,version",
		"claims": "claim,where,text,published,simulated,relative_error,verdict,scale,paper_scale,trend,low,high,reason,seed,version",
	}
	const figure = "figure,panel,series,x,y,unit,kernel,machine,schedule,set,graph,seed,version"
	for _, o := range []*Paper{small, opened(Options{Scale: LeastScale}), opened(Options{Scale: DefaultScale}), opened(Options{Scale: DefaultScale, Full: true})} {
		for _, p := range Parts() {
			needs := p.Needs(o)
			d := fake(needs, even)
			if !d.Has(needs) {
				t.Fatalf("%s: data are missing", p.Name)
			}
			r := p.Report(o, d)
			want := headers[p.Name]
			if want == "" {
				want = figure
			}
			if got := strings.Join(r.Rows[0], ","); got != want {
				t.Errorf("%s: header %s", p.Name, got)
			}
			if len(r.Rows) < 4 || len(r.Text) == 0 {
				t.Errorf("%s: %d rows, %d lines", p.Name, len(r.Rows), len(r.Text))
			}
			for _, row := range r.Rows {
				if len(row) != len(r.Rows[0]) {
					t.Errorf("%s: %d cells in %v", p.Name, len(row), row)
				}
			}
			for _, line := range r.Text {
				if len(line) > 120 {
					t.Errorf("%s: %d columns: %s", p.Name, len(line), line)
				}
			}
			if r.Figure != nil {
				if err := r.Figure.Write(new(bytes.Buffer), "svg"); err != nil {
					t.Errorf("%s: %v", p.Name, err)
				}
			} else if headers[p.Name] == "" {
				t.Errorf("%s: no figure", p.Name)
			}
		}
	}
}

// A part asks for every run that it uses: without any one of them it is not
// complete, and needs name none twice.
func TestNeeds(t *testing.T) {
	for _, p := range Parts() {
		n := p.Needs(small)
		seen := map[string]bool{}
		for _, c := range n.Cases {
			if seen[c.ID()] && p.Name == "claims" {
				t.Errorf("%s: %s twice", p.Name, c)
			}
			seen[c.ID()] = true
		}
		d := fake(n, even)
		if len(n.Cases) > 0 {
			delete(d.Outcomes, n.Cases[0].ID())
			if d.Has(n) {
				t.Errorf("%s: has all without %s", p.Name, n.Cases[0])
			}
		}
	}
	all := All(Parts(), small)
	for i, c := range all.Cases {
		if slices.ContainsFunc(all.Cases[:i], func(x study.Case) bool { return x.ID() == c.ID() }) {
			t.Errorf("%s twice", c)
		}
	}
}

// The figures and the claims name the paper's points.
func TestPaperPoints(t *testing.T) {
	full := opened(Options{Full: true, Scale: DefaultScale, Seed: 1})
	n := All(Parts(), full)
	has := func(want study.Case) {
		t.Helper()
		if !slices.ContainsFunc(n.Cases, func(c study.Case) bool { return c.ID() == want.ID() }) {
			t.Errorf("no %s", want)
		}
	}
	on := func(kernel, machine, graph string, set ...string) study.Case {
		return study.Case{Kernel: kernel, Machine: machine, Graph: graph, Seed: 1, Set: set}
	}
	has(on("matching/ld", "opteron-6176se", "rmat-g:24", "threads=48"))
	has(on("matching/ld", "xeon-e5540", "rmat-b:24", "threads=8"))
	has(on("matching/ld", "xeon-e5540", "rmat-b:24", "threads=16")) // two a core
	has(on("matching/ld", "xeon-e5540", "rmat-b:24", "threads=8", "memory.cores=2"))
	has(on("matching/ld", "xeon-e5540", "rmat-b:24", "threads=2", "placement=compact"))
	has(on("matching/ld", "xeon-x5650", "rmat-er:23", "threads=24"))
	has(on("matching/ld", "tesla-c1060", "rmat-er:23"))
	has(on("matching/ld", "tesla-c2050-l1-off", "rmat-g:23", "dram.ecc.enabled=true", "l2.masked_writes=false"))
	has(on("matching/ld-sorted", "cray-xmt", "rmat-er:24", "processors=128"))
	has(on("matching/ld-dataflow", "cray-xmt", "rmat-er:22", "processors=1"))
	has(study.Case{Kernel: "graph/degrees", Graph: "rmat-b:24", Seed: 1})
	has(study.Case{Kernel: "graph/clustering", Graph: "rmat-b:24", Seed: 1})
	for _, c := range n.Cases {
		if c.Seed != 1 {
			t.Errorf("seed %d of %s", c.Seed, c)
		}
	}
}

func TestClaimsAreToldApart(t *testing.T) {
	ids, texts := map[string]bool{}, map[string]bool{}
	for _, c := range small.claims() {
		if ids[c.id] {
			t.Errorf("claim %s twice", c.id)
		}
		if c.where == "" || c.text == "" || len(c.text) > 63 {
			t.Errorf("claim %s: %q in %q", c.id, c.text, c.where)
		}
		if texts[c.text] && !strings.Contains(c.text, "and worse") {
			t.Errorf("claim %s: %q twice", c.id, c.text)
		}
		if c.isAnswered() == (len(c.needs().Cases) == 0) || !c.isAnswered() && c.reason == "" {
			t.Errorf("claim %s: needs %v, reason %q", c.id, c.needs(), c.reason)
		}
		ids[c.id], texts[c.text] = true, true
	}
	for _, id := range []string{"magny-48", "nehalem-8", "tesla", "fermi", "xmt-128"} {
		if !ids[id] {
			t.Errorf("no claim %s", id)
		}
	}
}

// A number holds within a quarter of what is published and not beyond; an
// order only if it is strict.
func TestVerdicts(t *testing.T) {
	c := study.Case{Kernel: "k"}
	d := &Data{Outcomes: map[string]*study.Outcome{}}
	set := func(x float64) {
		o := new(study.Outcome)
		o.Simulated.Seconds = &x
		d.Outcomes[c.ID()] = o
	}
	q := timeOf(c)
	for _, x := range []struct {
		simulated float64
		claim     claim
		want      string
	}{
		{5, claim{published: 4, value: q}, holds},
		{5.001, claim{published: 4, value: q}, misses},
		{3, claim{published: 4, value: q}, holds},
		{2.999, claim{published: 4, value: q}, misses},
		{0, claim{published: 0, value: q}, holds},
		{1e-9, claim{published: 0, value: q}, misses},
		{4, claim{published: 4, value: q, exact: true, scale: 10, paper: 24}, otherScale},
		{4, claim{published: 4, value: q, exact: true, scale: 24, paper: 24}, holds},
		{4, claim{published: 4, value: timeOf(study.Case{Kernel: "none"})}, unknown},
		{4, claim{low: q, high: q.over(q)}, misses},
		{0.5, claim{low: q, high: q.over(q)}, holds},
		{1, claim{low: q, high: q.over(q)}, misses},
		{0.5, claim{low: q, high: q.over(q), foreign: true}, otherGraph},
		{0.5, claim{low: q, high: timeOf(study.Case{Kernel: "none"})}, unknown},
		{4, claim{published: math.NaN(), value: q}, notStated},
		{4, claim{published: math.NaN(), reason: "none"}, unanswered},
	} {
		set(x.simulated)
		if got := x.claim.judge(d).verdict; got != x.want {
			t.Errorf("%g, published %g: %s, want %s", x.simulated, x.claim.published, got, x.want)
		}
	}
}

// Speed-ups as published make every claim of the abstract hold.
func TestClaimsHoldForThePaper(t *testing.T) {
	published := map[string]float64{
		"opteron-6176se threads=1": 1, "opteron-6176se threads=48": 1.0 / 32, "xeon-e5540 threads=1": 1, "xeon-e5540 threads=8": 1.0 / 7,
		"tesla-c1060": 1.0 / 3, "tesla-c2050": 0.1, "xeon-x5650 threads=1": 1, "cray-xmt processors=1": 1, "cray-xmt processors=128": 1.0 / 60,
	}
	needs := claimsPart.Needs(small)
	d := fake(needs, func(c study.Case) float64 {
		if s, ok := published[strings.TrimSpace(c.Machine+" "+strings.Join(c.Set, " "))]; ok {
			return s
		}
		return 0.5
	})
	for _, c := range small.headlineClaims() {
		if j := c.judge(d); j.verdict != holds || math.Abs(j.simulated-c.published) > 1e-9 {
			t.Errorf("%s: %g, published %g: %s", c.id, j.simulated, c.published, j.verdict)
		}
	}
	if ids, _ := Missed(small, d); slices.Contains(ids, "xmt-128") {
		t.Errorf("missed: %v", ids)
	}
}

func TestShrinkage(t *testing.T) {
	for _, c := range []struct {
		sizes []int64
		want  float64
	}{
		{[]int64{64, 32, 16}, 0.5},
		{[]int64{100, 10}, 0.1},
		{[]int64{1 << 20, 1 << 19, 1}, 0.5}, // the last is below a thousandth of the first
		{[]int64{7}, math.NaN()},
		{nil, math.NaN()},
	} {
		if got := shrinkage(c.sizes); math.Abs(got-c.want) > 1e-12 || math.IsNaN(got) != math.IsNaN(c.want) {
			t.Errorf("%v: %g, want %g", c.sizes, got, c.want)
		}
	}
}

func TestRealGraphs(t *testing.T) {
	o := Options{Scale: 10, Graphs: t.TempDir()}
	if paths, missing := o.RealGraphs(); len(paths) != 0 || len(missing) != 3 {
		t.Errorf("%v, %v", paths, missing)
	}
	for _, name := range []string{"cit-HepPh.mtx.gz", "cit-Patents.txt.gz", "soc-Slashdot0902.graph", "USA-road-d.NY.gr.gz"} {
		if err := os.WriteFile(filepath.Join(o.Graphs, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	paths, missing := o.RealGraphs()
	var names []string
	for _, p := range paths {
		names = append(names, filepath.Base(p))
	}
	if got := strings.Join(names, " "); got != "cit-Patents.txt.gz soc-Slashdot0902.graph USA-road-d.NY.gr.gz" || len(missing) != 0 {
		t.Errorf("%s, missing %v", got, missing)
	}
	if !o.isPapers(0) || o.isPapers(1) || (Options{}).isPapers(0) {
		t.Error("the paper's own graphs are not told from those that stand in")
	}
	if n := len(figure4.Needs(opened(o)).Cases) - len(figure4.Needs(opened(Options{Scale: 10})).Cases); n != 3*(1+len(platforms)) {
		t.Errorf("%d more runs", n)
	}
	// However the folder is written, the study's files are those of the figure
	// and the claims.
	t.Chdir(o.Graphs)
	if err := os.Symlink(".", " $(scale) "); err != nil {
		t.Skip(err)
	}
	for _, folder := range []string{".", "./", "../" + filepath.Base(o.Graphs), " $(scale) ", o.Graphs + "//."} {
		p := opened(Options{Scale: 10, Graphs: folder})
		needs := All(Parts(), p)
		if got := len(figure4.Report(p, fake(needs, even)).Figure.Panels[1].Groups); got != 3 {
			t.Errorf("%q: %d real graphs", folder, got)
		}
	}
}

// The time of an item is that of the first launch of its program.
func TestItemTime(t *testing.T) {
	c := study.Case{Kernel: "k"}
	d := &Data{Outcomes: map[string]*study.Outcome{c.ID(): {Launches: []study.Launch{
		{Program: "a", Items: 2, Seconds: 1}, {Program: "b", Items: 4, Seconds: 1}, {Program: "b", Items: 1, Seconds: 9},
	}}}}
	if x := itemTime(c, "b").of(d); x != 0.25 {
		t.Errorf("%g s an item, want 0.25", x)
	}
	if x := itemTime(c, "c").of(d); !math.IsNaN(x) {
		t.Errorf("%g s an item of no launch", x)
	}
}
