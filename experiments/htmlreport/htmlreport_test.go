package htmlreport_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"heddle/experiments"
	"heddle/experiments/htmlreport"
	"heddle/experiments/study"
)

// results remembers the runs of results, for tests share them.
var results sync.Map // of kernel and machine to JSON

// resultJSON runs a kernel on a small graph and returns what --json prints.
func resultJSON(t testing.TB, kernel, machine string) []byte {
	t.Helper()
	key := kernel + " " + machine
	if text, ok := results.Load(key); ok {
		return text.([]byte)
	}
	r := experiments.Run{Kernel: kernel, Machine: machine, Graph: "rmat-g:8", Seed: 1, Source: -1}
	result, err := r.Execute(t.Context(), experiments.Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	results.Store(key, text)
	return text
}

func result(t testing.TB, kernel, machine string) htmlreport.Run {
	t.Helper()
	o, err := study.Read(resultJSON(t, kernel, machine))
	if err != nil {
		t.Fatal(err)
	}
	return htmlreport.Run{Name: machine + ".json", Outcome: o}
}

// hostile returns a result in which every text tries to become markup.
func hostile(t testing.TB) htmlreport.Run {
	t.Helper()
	var tree any
	if err := json.Unmarshal(resultJSON(t, "matching/ld", "tesla-c2050"), &tree); err != nil {
		t.Fatal(err)
	}
	const strike = `</script></style></title>"'><img src=x onerror="struck=1"><script>struck=1</script><svg onload="struck=1">{{.}}${struck=1}--><!--`
	var spoil func(x any, key string) any
	spoil = func(x any, key string) any {
		switch x := x.(type) {
		case string:
			if key == "kind" { // what a page looks at to tell machines apart
				return x
			}
			return strike + x
		case []any:
			for i := range x {
				x[i] = spoil(x[i], key)
			}
		case map[string]any:
			for k, v := range x {
				x[k] = spoil(v, k)
			}
			for _, members := range []string{"arrays", "metrics", "stalls", "result", "notes", "misses"} {
				if m, ok := x[members].(map[string]any); ok {
					for k, v := range m {
						if k != "verified" {
							delete(m, k)
							m[strike+k] = v
						}
					}
				}
			}
		}
		return x
	}
	text, err := json.Marshal(spoil(tree, ""))
	if err != nil {
		t.Fatal(err)
	}
	o, err := study.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	return htmlreport.Run{Name: strike, Outcome: o}
}

// folderOf returns a folder of two results and other things, and its path.
func folderOf(t *testing.T) (*htmlreport.Folder, string) {
	t.Helper()
	base := t.TempDir()
	dir := filepath.Join(base, "results")
	write := func(name string, text []byte) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("a.json", resultJSON(t, "matching/ld", "tesla-c2050"))
	write("deep/b.json", resultJSON(t, "matching/ld", "xeon-e5540"))
	write("other.json", []byte(`{"secret": 1}`))
	write("notes.txt", []byte("nothing"))
	write("../outside.json", resultJSON(t, "matching/ld", "cray-xmt"))
	folder, err := htmlreport.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { folder.Close() })
	return folder, dir
}

// pageOf returns a page about runs.
func pageOf(t *testing.T, runs ...htmlreport.Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := htmlreport.Write(&b, runs); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A page refers to nothing outside itself, and is the same each time.
func TestPageIsSelfContained(t *testing.T) {
	run := result(t, "matching/ld", "tesla-c2050")
	text := pageOf(t, run, run)
	if text != pageOf(t, run, run) {
		t.Error("two pages of the same runs differ")
	}
	head, _, _ := strings.Cut(text, `<script>`)
	for _, part := range []string{"src=\"", "url(", "@import", "<link rel=\"style", "http://", "https://"} {
		if strings.Contains(head, part) {
			t.Errorf("the page has %s", part)
		}
	}
	if strings.Contains(text, "ZgotmplZ") {
		t.Error("a value was refused by a template")
	}
	if n := strings.Count(text, "<script"); n != 3 {
		t.Errorf("%d scripts", n)
	}
}

// A page of any machine says what the result does.
func TestPageTells(t *testing.T) {
	for _, machine := range []string{"tesla-c2050", "tesla-c1060", "cray-xmt", "xeon-e5540", "opteron-6176se", "functional"} {
		run := result(t, "matching/ld", machine)
		text := pageOf(t, run)
		for _, l := range run.Lines {
			if !strings.Contains(text, `title="`) || l.Text == "" {
				t.Errorf("%s: line %s:%d", machine, l.File, l.Line)
			}
		}
		for _, u := range run.Units {
			if !strings.Contains(text, u.Name) {
				t.Errorf("%s: no %s", machine, u.Name)
			}
		}
		for _, want := range []string{machine, "rmat-g:8", "verified", "queue_sizes", "kernels/matching/matching.go", "adjncy"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %s", machine, want)
			}
		}
		if strings.Contains(text, "NaN") && machine != "functional" {
			i := strings.Index(text, "NaN")
			if i < strings.Index(text, "<script>") {
				t.Errorf("%s: %s", machine, text[max(0, i-80):i+20])
			}
		}
	}
}

// Of a hostile result no text becomes markup: a page about it has the elements
// of a page about the result that it was made of.
func TestHostileNames(t *testing.T) {
	for _, tag := range []string{"<img", "<svg", "onerror=\"struck", "<script>struck", "</style></title>"} {
		text := pageOf(t, hostile(t), hostile(t))
		head, _, _ := strings.Cut(text, "<script>")
		if strings.Contains(head, tag) {
			t.Errorf("the page has %s: %s", tag, head[max(0, strings.Index(head, tag)-200):][:300])
		}
	}
	if n := strings.Count(pageOf(t, hostile(t)), "<script"); n != 3 {
		t.Errorf("%d scripts", n)
	}
}
