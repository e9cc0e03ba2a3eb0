package experiments

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heddle/experiments/studies"
)

// smallStudy has 8 distinct runs; writeStudy leaves it in the working directory.
const smallStudy = `
title: A small study
parameters: {scale: 9}
kernels: [matching/ld]
machines: [tesla-c2050]
graphs: [rmat-g:$(scale)]
vary: {sms: [1, 2], l1.enabled: [true, false]}
seeds: [1, 2]
baselines: {one-SM: {sms: 1}}
plots:
  - {name: speedup, show: speedup.one-SM, x: sms}
  - {name: hits, show: metric.global_hit_rate, x: l1.enabled, panels: sms}
`

func writeStudy(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// Whatever a study's file asks for that there is not is refused with its line
// before anything is run.
func TestBadStudyFile(t *testing.T) {
	studying(t)
	writeStudy(t, "short.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 1.0\n")
	writeStudy(t, "negative.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n2 1 -1.0\n")
	for _, c := range []struct{ change, to, want string }{
		{"matching/ld", "matching/lt", `s.yaml:4: unknown kernel "matching/lt": nearest is matching/ld; known: `},
		{"[tesla-c2050]", "[tesla-c2051]", `s.yaml:5: unknown machine "tesla-c2051": nearest is tesla-c2050; known: `},
		{"[tesla-c2050]", "[no/such.yaml]", "s.yaml:5: machine file: open no/such.yaml: no such file or directory"},
		{"sms: [1, 2]", "sms: [1, 2], l1.siz: [16 KiB]", "s.yaml:7: l1.siz: unknown key: nearest is l1.size"},
		{"sms: [1, 2]", "sms: [1, 0]", "s.yaml:7: sms: 0 is out of range 1..1024"},
		{"rmat-g:$(scale)", "rmat-g:99", `s.yaml:6: rmat-g:99: size "99": want the base-2 logarithm of the vertices, 1 to 30`},
		{"rmat-g:$(scale)", "rmet-g:4", `s.yaml:6: rmet-g:4: no such file and no generator "rmet-g"`},
		{"rmat-g:$(scale)", "no.mtx", "s.yaml:6: no.mtx: no such file or directory"},
		{"rmat-g:$(scale)", "short.mtx", "s.yaml:6: short.mtx: short.mtx:"},
		{"rmat-g:$(scale)", "negative.mtx", "s.yaml:6: negative.mtx: negative.mtx: "},
		{"seeds:", "schedules: [fair]\nseeds:", `s.yaml:8: unknown schedule "fair": one of `},
		{"kernels: [matching/ld]", "kernels: [matching/ld-dataflow]", "s.yaml:5: matching/ld-dataflow does not run on tesla-c2050: "},
	} {
		if !strings.Contains(smallStudy, c.change) {
			t.Fatal(c.change)
		}
		writeStudy(t, "s.yaml", strings.Replace(smallStudy, c.change, c.to, 1))
		status, stdout, stderr := heddle(t, "study", "run", "s.yaml")
		if status != exitBadInput || stdout != "" || !strings.HasPrefix(stderr, "heddle: "+c.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: status %d, %q, %q\nwant %q", c.to, status, stdout, stderr, c.want)
		}
	}
	writeStudy(t, "s.yaml", smallStudy)
	for _, c := range []struct{ args, want string }{
		{"run", "too few arguments: usage: heddle study run FILE [flags]"},
		{"run no.yaml", "study no.yaml: no such file or directory"},
		{"run l2", `unknown study "l2": nearest is l1; known: `},
		{"show l2", `unknown study "l2": nearest is l1; known: `},
		{"run s.yaml --param scal=3", `--param scal=3: no parameter "scal": nearest is scale`},
		{"run s.yaml --memory much", "--memory much: "},
		{"run s.yaml --memory 1KiB", "--memory 1KiB: want at least 64.0 MiB"},
		{"run s.yaml --on pbs", `unknown cluster "pbs"`},
		{"run s.yaml --detach", "--sbatch and --detach are for --on slurm"},
		{"run s.yaml --retries -1", "--retries -1: want 0 to 100"},
		{"run s.yaml --jobs 5000", "--jobs 5000: want 0 to 4096"},
		{"run s.yaml --results s.yaml", "--results: mkdir s.yaml: not a directory"},
		{"results s.yaml --csv - --json -", "--csv - and --json -: the standard output takes one of them"},
		{"results s.yaml --parquet no/such", "--parquet no/such: no folder no"},
		{"task s.yaml 0", "s.yaml: invalid character"},
		{"stat s.yaml", `unknown command "stat": nearest is `},
	} {
		status, stdout, stderr := heddle(t, append([]string{"study"}, strings.Fields(c.args)...)...)
		if status != exitBadInput || stdout != "" || !strings.HasPrefix(stderr, "heddle: "+c.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: status %d, %q, %q\nwant %q", c.args, status, stdout, stderr, c.want)
		}
	}
	if made, _ := filepath.Glob("s*"); len(made) != 2 { // s.yaml and short.mtx
		t.Errorf("left behind: %v", made)
	}
}

// A study runs once: its results are the same bytes however they were made.
func TestStudy(t *testing.T) {
	studying(t)
	writeStudy(t, "s.yaml", smallStudy)
	status, stdout, stderr := heddle(t, "study", "run", "s.yaml", "--dry-run")
	if status != exitVerified || stderr != "" || !strings.Contains(stdout, "8 runs: 0 kept, 0 failed before, 8 to do\n") ||
		!strings.Contains(stdout, "  matching/ld, tesla-c2050, rmat-g:9, sms 1, l1.enabled true      2 ") {
		t.Fatalf("status %d, %q, %s", status, stderr, stdout)
	}
	if _, stdout, _ := heddle(t, "study", "status", "s.yaml"); stdout != "s: 8 runs: 0 done, 0 running, 0 queued, 0 failed, 8 left\n" {
		t.Errorf("status before: %s", stdout)
	}
	if status, _, stderr := heddle(t, "study", "run", "s.yaml"); status != exitVerified || stderr != "" {
		t.Fatalf("status %d, %q", status, stderr)
	}
	if _, stdout, _ := heddle(t, "study", "status", "s.yaml"); stdout != "s: 8 runs: 8 done, 0 running, 0 queued, 0 failed, 0 left\n" {
		t.Errorf("status after: %s", stdout)
	}
	if _, stdout, _ = heddle(t, "study", "run", "s.yaml"); !strings.HasSuffix(stdout, "\n8 runs: 8 kept, 0 failed before, 0 to do\n") {
		t.Errorf("again: %s", stdout)
	}
	// A comparison of what the study ran is answered by the same results.
	status, _, stderr = heddle(t, "compare", "-v", "--graph", "rmat-g:9", "--set", "sms=1", "--set", "l1.enabled=true")
	if status != exitVerified || !strings.Contains(stderr, "kept: ") {
		t.Errorf("a comparison: status %d, %s", status, stderr)
	}

	read := func(more ...string) map[string][]byte {
		args := append([]string{"study", "results", "s.yaml", "--csv", "r.csv", "--json", "r.json", "--parquet", "r.parquet"}, more...)
		if status, stdout, stderr = heddle(t, args...); status != exitVerified || stderr != "" {
			t.Fatalf("status %d, %q", status, stderr)
		}
		files := map[string][]byte{}
		for _, f := range []string{"r.csv", "r.json", "r.parquet"} {
			files[f], _ = os.ReadFile(f)
		}
		return files
	}
	first := read()
	for _, want := range []string{"s: A small study\n", "\n  sms  l1.enabled  seeds ", "  over one-SM           95 %\n", "       1.00   1.00 to 1.00\n"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in %s", want, stdout)
		}
	}
	rows := rowsOf(t, string(first["r.csv"]))
	if len(rows) != 9 || strings.Join(rows[0][:7], " ") != "kernel machine graph sms l1.enabled seed state" {
		t.Errorf("%d rows, %v", len(rows), rows[0])
	}
	if got := strings.Join(column(t, rows, "sms"), ""); got != "11112222" {
		t.Errorf("sms %s", got)
	}
	if got := column(t, rows, "speedup.one-SM"); got[0] != "1" || got[4] == "1" || got[4] == "" {
		t.Errorf("speed-ups %v", got)
	}
	var objects []map[string]any
	if err := json.Unmarshal(first["r.json"], &objects); err != nil || len(objects) != 8 {
		t.Fatalf("%d objects, %v", len(objects), err)
	}
	for i, cell := range column(t, rows, "metric.ipc") {
		if number, _ := objects[i]["metric.ipc"].(float64); plainNumber(number) != cell || cell == "" {
			t.Errorf("ipc %s in CSV, %v in JSON", cell, objects[i]["metric.ipc"])
		}
	}

	if status, _, stderr := heddle(t, "study", "run", "s.yaml", "--results", "elsewhere", "--jobs", "1", "--memory", "64 MiB"); status != exitVerified {
		t.Fatalf("status %d, %q", status, stderr)
	}
	for name, text := range read("--results", "elsewhere") {
		if !bytes.Equal(text, first[name]) {
			t.Errorf("%s differs:%s", name, firstDifference(string(text), string(first[name])))
		}
	}

	if status, stdout, stderr = heddle(t, "study", "plot", "s.yaml"); status != exitVerified || stdout != "s/speedup.png\ns/speedup.svg\ns/hits.png\ns/hits.svg\n" {
		t.Errorf("status %d, %s, %s", status, stdout, stderr)
	}
	if svg, _ := os.ReadFile("s/speedup.svg"); !bytes.Contains(svg, []byte("speed-up over one-SM")) || !bytes.Contains(svg, []byte("geometric mean of 2 seeds with its 95 % interval")) {
		t.Errorf("%s", svg)
	}
	if left, _ := filepath.Glob("*/.*.tmp"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A damaged result is told of in a line and made again, the same as before.
func TestDamagedStudy(t *testing.T) {
	studying(t)
	writeStudy(t, "s.yaml", "kernels: [matching/ld]\nmachines: [functional]\ngraphs: [rmat-g:5, rmat-g:6, rmat-g:7]\n")
	results := func() string {
		_, text, _ := heddle(t, "study", "results", "s.yaml", "--csv", "-")
		return text
	}
	run := func() (string, string) {
		status, stdout, stderr := heddle(t, "study", "run", "s.yaml")
		if status != exitVerified {
			t.Fatalf("status %d, %s", status, stderr)
		}
		return stdout, stderr
	}
	run()
	before := results()
	files, _ := filepath.Glob("heddle/results/*.json")
	if len(files) != 3 {
		t.Fatal(files)
	}
	if err := os.Truncate(files[0], 100); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(files[1])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(files[1], bytes.Replace(text, []byte(`"verified":true`), []byte(`"verified":null`), 1), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, stdout, _ := heddle(t, "study", "status", "s.yaml"); stdout != "s: 3 runs: 1 done, 0 running, 0 queued, 0 failed, 2 left\n" {
		t.Error(stdout)
	}
	plan, told := run()
	if !strings.Contains(plan, "3 runs: 1 kept, 0 failed before, 2 to do\n") || strings.Count(told, "\n") != 1 || !strings.Contains(told, "damaged results in ") {
		t.Errorf("%s%s", plan, told)
	}
	if after := results(); after != before {
		t.Error("not the same results:", firstDifference(after, before))
	}
	if plan, told := run(); !strings.Contains(plan, "3 kept") || told != "" {
		t.Errorf("%s%s", plan, told)
	}
}

// A run that fails is recorded with its reason, keeps no other from being done,
// and is tried again when that is asked for.
func TestFailedStudy(t *testing.T) {
	studying(t)
	writeStudy(t, "s.yaml", `
kernels: [matching/ld]
machines: [{name: small, machine: functional, set: {memory.capacity: 1 MiB}}]
graphs: [rmat-g:6, rmat-g:13]
`)
	for _, c := range []struct {
		more, plan string
	}{
		{"", "2 runs: 0 kept, 0 failed before, 2 to do\n"},
		{"", "2 runs: 1 kept, 1 failed before, 0 to do\n"},
		{"--retry", "2 runs: 1 kept, 0 failed before, 1 to do\n"},
	} {
		status, stdout, stderr := heddle(t, append([]string{"study", "run", "s.yaml"}, strings.Fields(c.more)...)...)
		if status != exitFailed || !strings.Contains(stdout, c.plan) || !strings.Contains(stderr, "1 runs of study s failed; --retry does them again\n  matching/ld, small, rmat-g:13: machine functional, memory.capacity: ") {
			t.Errorf("%s: status %d, %s, %s", c.more, status, stdout, stderr)
		}
	}
	status, stdout, _ := heddle(t, "study", "status", "s.yaml", "--json")
	var told struct {
		Done, Failed, Left int
		Runs               []runStatus
	}
	if err := json.Unmarshal([]byte(stdout), &told); status != exitVerified || err != nil {
		t.Fatalf("status %d, %v, %s", status, err, stdout)
	}
	if told.Done != 1 || told.Failed != 1 || told.Left != 0 || !strings.Contains(told.Runs[1].Reason, "memory.capacity") {
		t.Errorf("%+v", told)
	}
	if _, stdout, _ := heddle(t, "study", "results", "s.yaml"); !strings.Contains(stdout, "  rmat-g:13       failed\n") {
		t.Error(stdout)
	}
}

// The studies that come with Heddle ask for nothing that there is not.
func TestLibraryOfStudies(t *testing.T) {
	studying(t)
	for _, name := range studies.Names() {
		s, err := readStudy(name, nil)
		if err == nil {
			_, err = validateStudy(s)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if status, stdout, _ := heddle(t, "study", "show", name); status != exitVerified || !strings.Contains(stdout, "kernels:") {
			t.Errorf("%s: status %d, %s", name, status, stdout)
		}
	}
	if status, stdout, _ := heddle(t, "study", "list"); status != exitVerified || strings.Count(stdout, "\n") != len(studies.Names()) {
		t.Errorf("status %d, %s", status, stdout)
	}
}
