package experiments

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	study2012 "heddle/experiments/halappanavar2012"
	"heddle/experiments/study"
)

func TestBadReproduceInput(t *testing.T) {
	studying(t)
	if err := os.Mkdir("graphs", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("file", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, want string }{
		{"", "which paper? known: halappanavar2012"},
		{"halapanavar2012", `unknown paper "halapanavar2012": nearest is halappanavar2012; known: halappanavar2012`},
		{"halappanavar2012 fig6", `unknown part "fig6": nearest is fig1; known: table2, fig1, fig2, fig3, fig4, fig5, claims`},
		{"halappanavar2012 --scale 7", "--scale 7: want 8 to 24"},
		{"halappanavar2012 --scale 25", "--scale 25: want 8 to 24"},
		{"halappanavar2012 --scale big", `--scale "big": want a whole number`},
		{"halappanavar2012 --graphs nowhere", "--graphs nowhere: no such folder"},
		{"halappanavar2012 --graphs graphs", "--graphs graphs: no file for cit-patent (cit-Patents, cit-patent, cit-HepPh); soc-live ("},
		{"halappanavar2012 --out file", "--out: mkdir file: not a directory"},
		{"halappanavar2012 fig3 --jobs 5000", "--jobs 5000: want 0 to 4096"},
	} {
		status, stdout, stderr := heddle(t, append([]string{"reproduce"}, strings.Fields(c.args)...)...)
		if status != exitBadInput || stdout != "" || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: status %d, %q, %q\nwant %q", c.args, status, stdout, stderr, c.want)
		}
	}
}

// Parts leave their files, whole; again they are the same bytes, whether runs
// were kept or not.
func TestReproduce(t *testing.T) {
	studying(t)
	args := []string{"reproduce", "halappanavar2012", "table2", "fig1", "--scale", "8"}
	status, stdout, stderr := heddle(t, args...)
	if status != exitVerified || stderr != "" {
		t.Fatalf("status %d, %q", status, stderr)
	}
	for _, want := range []string{"Table II: the synthetic graphs\n", "  RMAT-B ", "Figure 1: degrees, ", "  halappanavar2012/fig1.csv halappanavar2012/fig1.png halappanavar2012/fig1.svg\n"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	files, _ := filepath.Glob("halappanavar2012/*")
	if len(files) != 4 {
		t.Errorf("files %v", files)
	}
	first := map[string][]byte{}
	for _, f := range files {
		first[filepath.Base(f)], _ = os.ReadFile(f)
	}
	for out, more := range map[string][]string{"again": nil, "fresh": {"--fresh", "--jobs", "1"}} {
		if status, _, stderr := heddle(t, append(append(args, "--out", out), more...)...); status != exitVerified {
			t.Fatalf("%s: status %d, %s", out, status, stderr)
		}
		for name, want := range first {
			if got, err := os.ReadFile(filepath.Join(out, name)); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s/%s differs: %v", out, name, err)
			}
		}
	}
}

// What was done before an interruption is not done again.
func TestResumedReproduction(t *testing.T) {
	studying(t)
	ctx, interrupt := context.WithCancel(context.Background())
	interrupt()
	var out, errors bytes.Buffer
	args := []string{"reproduce", "halappanavar2012", "fig3", "--scale", "8", "-v"}
	status := Main(ctx, args, &out, &errors)
	if status != exitFailed || !strings.Contains(errors.String(), "interrupted: 0 of 24 runs are done and kept; the same command goes on from there") || out.Len() > 0 {
		t.Fatalf("status %d, %s", status, errors.String())
	}
	for _, want := range []string{"done: ", "kept: "} {
		status, _, stderr := heddle(t, args...)
		if status != exitVerified || strings.Count(stderr, want) != 24 {
			t.Errorf("status %d, %s", status, stderr)
		}
	}
	text, err := os.ReadFile("halappanavar2012/fig3.csv")
	if err != nil {
		t.Fatal(err)
	}
	rows := rowsOf(t, string(text))
	if len(rows) != 1+3*2*4+1 {
		t.Errorf("%d rows", len(rows))
	}
	series := column(t, rows, "series")
	for i, s := range column(t, rows, "set") {
		if published := series[i] == "published speed-up"; published == strings.Contains(s, "threads=") {
			t.Errorf("set %q", s)
		}
	}
}

// interrupter interrupts at the first run that is done.
type interrupter struct {
	bytes.Buffer
	interrupt context.CancelFunc
}

func (w *interrupter) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("done: ")) {
		w.interrupt()
	}
	return w.Buffer.Write(p)
}

// A study that is interrupted in its midst goes on from there.
func TestInterruptedReproduction(t *testing.T) {
	studying(t)
	ctx, interrupt := context.WithCancel(context.Background())
	errors := &interrupter{interrupt: interrupt}
	args := []string{"reproduce", "halappanavar2012", "fig3", "--scale", "8", "-v", "--jobs", "1"}
	status := Main(ctx, args, new(bytes.Buffer), errors)
	if status != exitFailed || !strings.Contains(errors.String(), " of 24 runs are done and kept; the same command goes on from there") {
		t.Fatalf("status %d, %s", status, errors.String())
	}
	done := strings.Count(errors.String(), "done: ")
	if done < 1 || done >= 24 {
		t.Fatalf("%d runs were done before", done)
	}
	status, _, stderr := heddle(t, args...)
	if status != exitVerified || strings.Count(stderr, "kept: ") != done || strings.Count(stderr, "done: ") != 24-done {
		t.Errorf("status %d, %d were done before: %s", status, done, stderr)
	}
}

// A part whose machine or kernel is not there says so in a line.
func TestLacking(t *testing.T) {
	needs := study2012.Needs{Cases: []study.Case{
		{Kernel: "matching/ld", Machine: "tesla-c2050"}, {Kernel: "matching/no", Machine: "tesla-c2050"}, {Kernel: "matching/ld", Machine: "tesla-c2051"}, {Kernel: "matching/ld", Machine: "tesla-c2051"},
	}}
	err := lacking(needs)
	if want := `unknown kernel "matching/no": nearest is matching/ld, unknown machine "tesla-c2051": nearest is tesla-c2050`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	paper, err := study2012.Open(study2012.Options{Scale: 10})
	if err != nil {
		t.Fatal(err)
	}
	if err := lacking(study2012.All(study2012.Parts(), paper)); err != nil {
		t.Error(err)
	}
}

// Uncertain parameters are recalled, inferred or measured numbers of parts that are
// on.
func TestUncertain(t *testing.T) {
	list, err := uncertain("tesla-c1060")
	if err != nil {
		t.Fatal(err)
	}
	paths := map[string]string{}
	for _, p := range list {
		paths[p.Path] = p.Tag
	}
	for path, tag := range map[string]string{"l2.atomic_same_address": "I", "units.mul.latency": "R", "l2.atomic_granule": "M", "clock": "", "l1.hit_latency": "", "l2.slice.hit_latency": "", "theory.launch.value": ""} {
		if paths[path] != tag {
			t.Errorf("%s: tag %q, want %q", path, paths[path], tag)
		}
	}
}

// Claims that miss are followed by what they depend on.
func TestVary(t *testing.T) {
	studying(t)
	var out bytes.Buffer
	c := newCLI(&out, new(bytes.Buffer))
	r := reproduction{Options: study2012.Options{Scale: study2012.LeastScale, Seed: 1}, out: "."}
	var err error
	if r.paper, err = study2012.Open(r.Options); err != nil {
		t.Fatal(err)
	}
	needs := study2012.All(study2012.Parts(), r.paper)
	data := &study2012.Data{Version: "v", Outcomes: map[string]*study.Outcome{}}
	// Every claim holds but that of the GPU, and those that contradict others:
	// speed-ups of 32 over both one Nehalem and one Magny-Cours core say that
	// these are as fast.
	for _, x := range needs.Cases {
		o, seconds := new(study.Outcome), 1.0
		switch set := strings.Join(x.Set, " "); {
		case x.Machine == "opteron-6176se" && set == "threads=48":
			seconds = 1.0 / 32
		case x.Machine == "xeon-e5540" && set == "threads=8":
			seconds = 1.0 / 7
		case x.Machine == "tesla-c1060":
			seconds = 1.0 / 3
		case x.Machine == "cray-xmt" && set == "processors=128":
			seconds = 1.0 / 60
		case x.Machine == "opteron-6176se" && set == "threads=8":
			seconds = 2.0 / 7
		case x.Machine == "cray-xmt" && x.Kernel == "matching/ld-sorted", x.Machine == "cray-xmt" && set == "processors=32":
			seconds = 0.5
		}
		if x.Machine == "cray-xmt" && x.Kernel == "matching/ld-sorted" && strings.HasSuffix(x.Set[0], "=32") {
			seconds = 0.25
		}
		o.Simulated.Seconds = &seconds
		data.Outcomes[x.ID()] = o
	}
	if ids, _ := study2012.Missed(r.paper, data); strings.Join(ids, " ") != "fermi magny-slow-1 magny-slow-xmt-1" {
		t.Fatalf("missed: %v", ids)
	}
	few := func(machine string) ([]study2012.Parameter, error) {
		list, err := uncertain(machine)
		if machine != "tesla-c2050" && machine != "xeon-x5650" {
			return nil, err
		}
		return list[:4], err
	}
	if err := c.vary(context.Background(), &r, data, few); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("sensitivity.csv")
	if err != nil {
		t.Fatal(err)
	}
	rows := rowsOf(t, string(text))
	machines := map[string]int{}
	for i, m := range column(t, rows, "machine") {
		machines[m]++
		if tag := column(t, rows, "tag")[i]; !strings.ContainsAny(tag, "RIM") {
			t.Errorf("tag %s", tag)
		}
	}
	if machines["tesla-c2050"] < 4 || machines["xeon-x5650"] < 4 || len(machines) != 2 {
		t.Errorf("variations %v", machines)
	}
	if !strings.Contains(out.String(), "Tesla C2050 over one core of its Nehalem host: ") {
		t.Error(out.String())
	}
}

func TestExtent(t *testing.T) {
	studying(t)
	if err := os.WriteFile("g.mtx", make([]byte, 1000), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{"rmat-g:10": 8192, "rmat-g:10,degree=4": 4096, "rmat-g:10,seed=3,degree=2": 2048, "rgg:4": 128, "karate": 0, "rmat-g": 0, "rmat-g:99": 0, "g.mtx": 100, "no.mtx": 0} {
		if _, got := extent(name); got != want {
			t.Errorf("%s: %g edges, want %g", name, got, want)
		}
	}
}

// How long a study takes is told before it begins, of the runs that are not
// kept.
func TestAnnounce(t *testing.T) {
	studying(t)
	var told bytes.Buffer
	c := newCLI(new(bytes.Buffer), &told)
	needs := study2012.Needs{Cases: []study.Case{
		{Kernel: "matching/ld", Machine: "functional", Graph: "rmat-er:16", Seed: 1},
		{Kernel: "matching/ld", Machine: "functional", Graph: "rmat-er:6", Seed: 1},
	}}
	if _, err := c.doNeeds(context.Background(), study2012.Needs{Cases: needs.Cases[1:]}, batchFlags{}); err != nil {
		t.Fatal(err)
	}
	if err := c.announce(context.Background(), needs, batchFlags{jobs: 2}); err != nil {
		t.Fatal(err)
	}
	if got := told.String(); !strings.HasPrefix(got, "heddle: 1 of 2 runs are still to be done: about ") || !strings.HasSuffix(got, "s, 2 at a time\n") {
		t.Errorf("%q", got)
	}
}
