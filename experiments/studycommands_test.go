package experiments

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"heddle/experiments/batch"
)

// studying changes to an empty folder, which is also the user's cache.
func studying(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("XDG_CACHE_HOME", dir)
	t.Setenv("HOME", dir)
}

// rowsOf reads CSV.
func rowsOf(t *testing.T, text string) [][]string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// column returns the cells under a name.
func column(t *testing.T, rows [][]string, name string) []string {
	t.Helper()
	i := slices.Index(rows[0], name)
	if i < 0 {
		t.Fatalf("no column %s in %v", name, rows[0])
	}
	var cells []string
	for _, r := range rows[1:] {
		cells = append(cells, r[i])
	}
	return cells
}

func TestBadStudyInput(t *testing.T) {
	studying(t)
	if err := os.WriteFile("file", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, want string }{
		{"compare no/such", `unknown kernel "no/such"`},
		{"compare --machine tesla-c2050,tesla-c205", `nearest is tesla-c2050`},
		{"compare --machine tesla-c2050,,functional", "--machine: a name is empty"},
		{"compare --machine tesla-c2050@l1.siz=1", "--set l1.siz: unknown key: nearest is l1.size"},
		{"compare --baseline functional", "--baseline functional: not among --machine tesla-c2050"},
		{"compare --csv no/such/file", "--csv no/such/file: no folder no/such"},
		{"compare --csv .", "--csv .: is a directory"},
		{"compare --graph rmat-g:99", `rmat-g:99: size "99": want the base-2 logarithm of the vertices, 1 to 30`},
		{"compare --schedule fair", `unknown schedule "fair": one of cyclic, static, dynamic, guided, block-dynamic`},
		{"compare --jobs -1", "--jobs -1: want 0 to 4096"},
		{"compare --results file", "--results: mkdir file: not a directory"},
		{"sweep", `no --set has more than one value, such as --set l1.size="16 KiB,48 KiB"`},
		{"sweep --set l1.siz=16KiB,48KiB", "--set l1.siz: unknown key: nearest is l1.size"},
		{"sweep --set sms=1,,2", "--set sms: value 2 of 3 is empty"},
		{"sweep --set sms=1,1", "--set sms: 1 is there twice"},
		{"sweep --set sms=1,2 --set sms=3,4", "--set sms: varies twice"},
		{"sweep --set sms=1,many", `--set sms: "many" is not a whole number`},
		{"sweep --set sms=1,2 --metric ips", "--metric ips: machine tesla-c2050 has no such metric: nearest is ipc; heddle metrics lists them"},
		{"sweep --set sms=1,2 --plot a.gif", "--plot a.gif: want a file that ends in .png or .svg"},
		{"sweep --set sms=1,2 --plot no/such.svg", "--plot no/such.svg: no folder no"},
		{"microbench", "too few arguments: usage: heddle microbench MACHINE [flags]"},
		{"microbench functional", "machine functional: there are no microbenchmarks for a machine of kind functional"},
		{"microbench tesla-c2050 --set sms=0", "--set sms: 0 is out of range 1..1024"},
	} {
		status, stdout, stderr := heddle(t, strings.Fields(c.args)...)
		if status != exitBadInput || stdout != "" || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: status %d, %q, %q\nwant %q", c.args, status, stdout, stderr, c.want)
		}
	}
	if kept, _ := filepath.Glob("heddle/results/*.json"); len(kept) > 0 {
		t.Errorf("kept results %v of runs that were refused", kept)
	}
}

func TestCompare(t *testing.T) {
	studying(t)
	args := []string{"compare", "--graph", "rmat-g:6", "--machine", "tesla-c2050,tesla-c2050@sms=1,functional"}
	status, stdout, stderr := heddle(t, args...)
	if status != exitVerified || stderr != "" {
		t.Fatalf("status %d, %q", status, stderr)
	}
	for _, want := range []string{
		"matching/ld, rmat-g:6: 64 vertices, ", "seed 1; every answer verified",
		"tesla-c2050  tesla-c2050@sms=1  functional", "\nspeed-up", " 1.00", "  matching/ld.find ", "  between launches", "  memory_dependency",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	status, csvText, stderr := heddle(t, append(args, "--csv", "-")...)
	if status != exitVerified || stderr != "" {
		t.Fatalf("status %d, %q", status, stderr)
	}
	rows := rowsOf(t, csvText)
	if got := strings.Join(rows[0], ","); got != "quantity,value,kernel,machine,schedule,set,graph,vertices,edges,seed,version" {
		t.Errorf("header %s", got)
	}
	speedups := map[string]string{}
	for _, r := range rows[1:] {
		if r[0] == "speedup" {
			speedups[r[3]+" "+r[5]] = r[1]
		}
	}
	if speedups["tesla-c2050 "] != "1" || speedups["tesla-c2050 sms=1"] == "" || len(speedups) != 2 { // the functional machine has no time
		t.Errorf("speed-ups %v", speedups)
	}
	if _, again, _ := heddle(t, append(args, "--csv", "-", "--fresh")...); again != csvText {
		t.Error("a second comparison differs:", firstDifference(again, csvText))
	}
	_, rebased, _ := heddle(t, append(args, "--baseline", "tesla-c2050@sms=1", "--csv", "-")...)
	for _, r := range rowsOf(t, rebased) {
		if r[0] == "speedup" && r[5] == "sms=1" && r[1] != "1" {
			t.Errorf("the baseline's speed-up is %s", r[1])
		}
	}
}

// A table names the schedule that loops followed, whoever chose it.
func TestScheduleOfATable(t *testing.T) {
	studying(t)
	for _, c := range []struct{ args, want string }{
		{"", "xeon-e5540 static, tesla-c2050 cyclic, cray-xmt@processors=1 block-dynamic"},
		{"--schedule guided", "xeon-e5540 guided, tesla-c2050 guided, cray-xmt@processors=1 guided"},
	} {
		args := append([]string{"compare", "--graph", "rmat-g:6", "--machine", "xeon-e5540,tesla-c2050,cray-xmt@processors=1", "--csv", "-"}, strings.Fields(c.args)...)
		status, text, stderr := heddle(t, args...)
		if status != exitVerified {
			t.Fatal(stderr)
		}
		var got []string
		for _, r := range rowsOf(t, text)[1:] {
			if r[0] == "seconds" {
				name := r[3]
				if r[5] != "" {
					name += "@" + r[5]
				}
				got = append(got, name+" "+r[4])
			}
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: %s, want %s", c.args, strings.Join(got, ", "), c.want)
		}
	}
}

// The same comparison again runs nothing; another seed, machine or override
// does. An override to what the description says anyway is none.
func TestKeptResults(t *testing.T) {
	studying(t)
	args := []string{"compare", "-v", "--graph", "rmat-g:6"}
	for _, c := range []struct {
		more string
		kept bool
	}{
		{"", false}, {"", true}, {"--seed 2", false}, {"--seed 2", true}, {"--set sms=7", false}, {"--schedule static", false}, {"--schedule static", true}, {"--graph rmat-g:7", false},
		{"--machine functional", false}, {"--set sms=14", true}, {"--fresh", false}, {"--fresh", false}, {"--results elsewhere", false}, {"", true},
	} {
		status, _, stderr := heddle(t, append(args, strings.Fields(c.more)...)...)
		if status != exitVerified || strings.Contains(stderr, "kept: ") != c.kept || strings.Contains(stderr, "done: ") == c.kept {
			t.Errorf("%q: status %d, %s", c.more, status, stderr)
		}
	}
}

// A kept result that is damaged is made again, and told of.
func TestDamagedResult(t *testing.T) {
	studying(t)
	args := []string{"compare", "--graph", "rmat-g:5", "--machine", "functional", "--csv", "-"}
	_, before, _ := heddle(t, args...)
	files, _ := filepath.Glob("heddle/results/*.json")
	if len(files) != 1 {
		t.Fatal(files)
	}
	if err := os.Truncate(files[0], 50); err != nil {
		t.Fatal(err)
	}
	status, after, stderr := heddle(t, args...)
	if status != exitVerified || after != before || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "done again, for the kept result was damaged: matching/ld on functional, rmat-g:5\n") {
		t.Errorf("status %d, %s%s", status, stderr, firstDifference(after, before))
	}
	if _, _, stderr := heddle(t, args...); stderr != "" {
		t.Error(stderr)
	}
}

// A graph file is known by its contents, not by its name.
func TestKeptByContents(t *testing.T) {
	studying(t)
	for _, c := range []struct {
		text string
		kept bool
	}{{"0 1\n1 2\n", false}, {"0 1\n1 2\n", true}, {"0 1\n1 2\n2 3\n", false}} {
		if err := os.WriteFile("g.txt", []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		status, _, stderr := heddle(t, "compare", "-v", "--graph", "g.txt")
		if status != exitVerified || strings.Contains(stderr, "kept: ") != c.kept {
			t.Errorf("%q: status %d, %s", c.text, status, stderr)
		}
	}
}

func TestSweep(t *testing.T) {
	studying(t)
	args := []string{"sweep", "--graph", "rmat-g:6", "--set", "sms=1,2,4", "--set", "scheduler.policy=lrr,gto", "--set", "l1.enabled=false", "--metric", "ipc"}
	status, stdout, stderr := heddle(t, append(args, "--plot", "a.png", "--csv", "a.csv")...)
	if status != exitVerified || stderr != "" {
		t.Fatalf("status %d, %q", status, stderr)
	}
	for _, want := range []string{"matching/ld on tesla-c2050, rmat-g:6: ", "with l1.enabled=false\n", "  sms  scheduler.policy ", "  4    gto  "} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	text, err := os.ReadFile("a.csv")
	if err != nil {
		t.Fatal(err)
	}
	rows := rowsOf(t, string(text))
	if got := strings.Join(rows[0][:6], ","); got != "sms,scheduler.policy,seconds,speedup,cycles,instructions" {
		t.Errorf("header %s", got)
	}
	if got := strings.Join(rows[0][len(rows[0])-9:], ","); got != "kernel,machine,schedule,set,graph,vertices,edges,seed,version" {
		t.Errorf("header ends in %s", got)
	}
	if got := strings.Join(column(t, rows, "sms"), " "); got != "1 1 2 2 4 4" {
		t.Errorf("sms %s", got)
	}
	if got := column(t, rows, "set")[5]; got != "l1.enabled=false sms=4 scheduler.policy=gto" {
		t.Errorf("set %s", got)
	}
	if got := column(t, rows, "metric.ipc")[0]; got == "" {
		t.Error("no ipc")
	}
	drawn, err := os.ReadFile("a.png")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(bytes.NewReader(drawn)); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(".*.tmp"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	status, csvText, _ := heddle(t, append(args, "--csv", "-", "--fresh", "--jobs", "1")...)
	if status != exitVerified || csvText != string(text) {
		t.Error("a second sweep differs:", firstDifference(csvText, string(text)))
	}
	if status, _, stderr := heddle(t, "sweep", "--graph", "rmat-g:6", "--set", "scheduler.policy=lrr,gto", "--plot", "b.svg"); status != exitVerified {
		t.Errorf("bars: %s", stderr)
	}
}

// A sweep that is interrupted says so, and goes on where it was.
func TestResumedSweep(t *testing.T) {
	studying(t)
	var runs []Run
	for _, n := range []string{"1", "2", "3"} {
		runs = append(runs, Run{Kernel: "matching/ld", Machine: "tesla-c2050", Graph: "rmat-g:6", Source: -1, Set: []string{"sms=" + n}})
	}
	c := newCLI(new(bytes.Buffer), new(bytes.Buffer))
	jobs := make([]batched, len(runs))
	ctx, interrupt := context.WithCancel(context.Background())
	defer interrupt()
	done := 0
	for i, r := range runs {
		var err error
		if jobs[i], err = r.job(); err != nil {
			t.Fatal(err)
		}
		do := jobs[i].Do
		jobs[i].Do = func(ctx context.Context) (value json.RawMessage, err error) {
			if value, err = do(ctx); err == nil {
				done++
			}
			if i == 1 {
				interrupt()
			}
			return value, err
		}
	}
	results, err := c.doJobs(ctx, jobs, batchFlags{jobs: 1})
	if !errors.Is(err, ErrInterrupted) || err.Error() != "interrupted: 2 of 3 runs are done and kept; the same command goes on from there" {
		t.Fatal(err)
	}
	if results[0].Err != nil || !errors.Is(results[2].Err, batch.ErrNotDone) {
		t.Errorf("%+v", results)
	}
	if _, err := c.doJobs(context.Background(), jobs, batchFlags{jobs: 1}); err != nil || done != 3 {
		t.Errorf("%d done, %v", done, err)
	}
}

// A run that fails is told of by name; the others are kept.
func TestFailedRun(t *testing.T) {
	studying(t)
	status, stdout, stderr := heddle(t, "sweep", "matching/ld", "--graph", "rmat-g:8", "--set", "memory.capacity=1 MiB,2 MiB", "--machine", "functional")
	if status != exitVerified {
		t.Fatalf("%d %s %s", status, stdout, stderr)
	}
	status, stdout, stderr = heddle(t, "sweep", "matching/ld", "--graph", "rmat-g:13", "--set", "memory.capacity=1 MiB,64 MiB", "--machine", "functional")
	if status != exitBadInput || stdout != "" || !strings.Contains(stderr, "memory.capacity") {
		t.Errorf("%d %s %s", status, stdout, stderr)
	}
}

func TestMicrobench(t *testing.T) {
	studying(t)
	status, stdout, stderr := heddle(t, "microbench", "tesla-c2050", "--set", "sms=2", "--csv", "a.csv")
	if status != exitFailed || !strings.Contains(stderr, "figures of tesla-c2050 are off") {
		t.Errorf("2 SMs hold: status %d, %s", status, stderr)
	}
	if !strings.Contains(stdout, "OFF") || !strings.Contains(stdout, "Andersch") || !strings.Contains(stdout, "l1_latency") {
		t.Errorf("%s", stdout)
	}
	text, _ := os.ReadFile("a.csv")
	rows := rowsOf(t, string(text))
	if got := strings.Join(rows[0], ","); got != "figure,unit,measured,implied,published,tolerance,holds,source,machine,version" {
		t.Errorf("header %s", got)
	}
	holds := column(t, rows, "holds")
	figures := column(t, rows, "figure")
	if holds[slices.Index(figures, "l1_latency")] != "true" || holds[slices.Index(figures, "f32_peak")] != "false" {
		t.Errorf("%v %v", figures, holds)
	}
}

func TestSplitOutside(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "a": "a", "a, b": "a|b", "[4, 4],[8,8]": "[4, 4]|[8,8]", `"a,b",c`: `"a,b"|c`, "{a: 1, b: 2}, c": "{a: 1, b: 2}|c", ",": "|", "]a,b": "]a|b",
	} {
		if got := strings.Join(splitOutside(text, ','), "|"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
