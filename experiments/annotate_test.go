package experiments

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"heddle/experiments/study"
)

// outcomeOf runs the command line and returns its result, as a file and read
// back.
func outcomeOf(t *testing.T, args ...string) (path string, o *study.Outcome) {
	t.Helper()
	status, stdout, stderr := heddle(t, append([]string{"run", "--json"}, args...)...)
	if status != exitVerified {
		t.Fatalf("%q: status %d: %s", args, status, stderr)
	}
	path = filepath.Join(t.TempDir(), "run.json")
	if err := os.WriteFile(path, []byte(stdout), 0o600); err != nil {
		t.Fatal(err)
	}
	o, err := study.Read([]byte(stdout))
	if err != nil {
		t.Fatal(err)
	}
	return path, o
}

// On every kind of machine each line, array, hot word and launch has its
// figures on a line of the annotation.
func TestAnnotate(t *testing.T) {
	for _, machine := range []string{"tesla-c2050", "tesla-c1060", "cray-xmt", "xeon-e5540", "opteron-6176se", "functional"} {
		t.Run(machine, func(t *testing.T) {
			path, o := outcomeOf(t, "bfs/level", "--machine", machine, "--graph", "rmat-g:8")
			status, stdout, stderr := heddle(t, "annotate", path)
			if status != exitVerified || stderr != "" {
				t.Fatalf("status %d: %s", status, stderr)
			}
			has := func(what string, parts ...string) {
				t.Helper()
				if !slices.ContainsFunc(strings.Split(stdout, "\n"), func(line string) bool {
					return !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(line, p) })
				}) {
					t.Errorf("%s: no line has %q:\n%s", what, parts, stdout)
				}
			}
			if len(o.Lines) < 5 || len(o.Arrays) < 5 || len(o.Launches) < 3 {
				t.Fatalf("%d lines, %d arrays, %d launches", len(o.Lines), len(o.Arrays), len(o.Launches))
			}
			for _, l := range o.Lines {
				parts := []string{rough(float64(l.Issues)), digits(float64(l.Lanes)/float64(l.Issues), 3), fmt.Sprint(l.Line), l.Text}
				if o.Simulated.Seconds != nil {
					parts = append(parts, percent(l.Time), some(float64(l.Transactions)))
					for _, m := range l.Misses {
						parts = append(parts, some(m.Value))
					}
				}
				has("line", parts...)
			}
			for _, a := range o.Arrays {
				has("array", a.Name, count(a.Elements), some(float64(a.Loads)), some(float64(a.Stores)), some(float64(a.Atomics)), size(float64(a.Requested)))
			}
			for _, h := range o.HotWords {
				has("hot word", h.Place, rough(float64(h.Atomics)), percent(h.Contenders[0].Share), fmt.Sprintf(":%d", h.Contenders[0].Line))
			}
			for i, l := range o.Launches {
				has("launch", fmt.Sprint(i+1), strings.TrimPrefix(l.Program, "bfs/"), count(l.Items), rough(float64(l.Instructions)))
			}
			has("series", "frontier, by launch")
			if o.Simulated.Seconds != nil && !strings.Contains(stdout, "instructions a cycle  ") {
				t.Errorf("no series:\n%s", stdout)
			}
		})
	}
}

// Lines come in the order asked for.
func TestAnnotateOrders(t *testing.T) {
	path, o := outcomeOf(t, "--graph", "rmat-g:8")
	for order, by := range map[string]func(l *study.Line) float64{
		byTime:         func(l *study.Line) float64 { return l.Time },
		byIssues:       func(l *study.Line) float64 { return float64(l.Issues) },
		byTransactions: func(l *study.Line) float64 { return float64(l.Transactions) },
		byMisses:       func(l *study.Line) float64 { return l.Misses[1].Value },
	} {
		last := math.Inf(1)
		for _, l := range sorted(o.Lines, order) {
			if by(l) > last {
				t.Errorf("%s: %v after %v", order, by(l), last)
			}
			last = by(l)
		}
		if status, stdout, _ := heddle(t, "annotate", "--sort", order, path); status != exitVerified || !strings.Contains(stdout, sorted(o.Lines, order)[0].Text) {
			t.Errorf("%s: status %d\n%s", order, status, stdout)
		}
	}
}

// run --annotate shows below the report what annotate shows of the result.
func TestRunAnnotate(t *testing.T) {
	args := []string{"bfs/level", "--machine", "xeon-e5540", "--graph", "rmat-g:7"}
	path, _ := outcomeOf(t, args...)
	_, alone, _ := heddle(t, "annotate", path, "--sort", "time")
	status, stdout, stderr := heddle(t, append([]string{"run", "--annotate=time"}, args...)...)
	if status != exitVerified || stderr != "" || !strings.HasSuffix(stdout, alone) || !strings.HasPrefix(stdout, "bfs/level on xeon-e5540") {
		t.Errorf("status %d, %s\n%s\nnot\n%s", status, stderr, stdout, alone)
	}
}

func TestAnnotateRefuses(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, x := range []struct {
		want string
		args []string
	}{
		{"too few arguments", nil},
		{"no such file", []string{filepath.Join(dir, "no.json")}},
		{"not a file", []string{dir}},
		{"bad.json: line 2: ", []string{write("bad.json", "{\n\"a\":\n")}},
		{"a JSON array: not a result", []string{write("list.json", "[1]")}},
		{"no kernel, machine and graph: not a result", []string{write("empty.json", "{}")}},
		{"lines.issues is a JSON string", []string{write("type.json", `{"lines": [{"issues": "many"}]}`)}},
		{"no description of a machine", []string{write("config.json", `{"kernel": "k", "machine": "m", "graph": {"name": "g"}, "config": []}`)}},
		{"series: a list of 0 items beside 1", []string{write("series.json", `{"kernel": "k", "machine": "m", "graph": {"name": "g"}, "config": {"kind": "simt"}, "series": {"end_seconds": [1]}}`)}},
		{`--sort "size": want source, time, issues, transactions, misses`, []string{"--sort", "size", "-"}},
	} {
		status, stdout, stderr := heddle(t, append([]string{"annotate"}, x.args...)...)
		if status != exitBadInput || stdout != "" || !strings.Contains(stderr, x.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%q: status %d, %q; want %q", x.args, status, stderr, x.want)
		}
	}
}

func TestByTimeOf(t *testing.T) {
	nan := math.NaN()
	for _, x := range []struct {
		ends, values, want []float64
	}{
		{[]float64{1, 2, 3, 4}, []float64{1, 3, 5, 7}, []float64{2, 6}},
		{[]float64{4}, []float64{5}, []float64{5, 5}},
		{[]float64{1, 4}, []float64{8, 2}, []float64{5, 2}},
		{[]float64{1, 2, 4}, []float64{nan, 3, nan}, []float64{3, nan}},
	} {
		got := byTimeOf(x.ends, x.values, 2)
		if fmt.Sprint(got) != fmt.Sprint(x.want) {
			t.Errorf("%v by %v: %v, want %v", x.values, x.ends, got, x.want)
		}
	}
}

func TestSpark(t *testing.T) {
	for _, x := range []struct {
		width  int
		values []float64
		want   string
	}{
		{8, []float64{0, 1, 4, 8, math.NaN()}, " ▁▄█ "},
		{8, []float64{0, 0}, "  "},
		{4, []float64{1, 8, 2, 4, 0, 0, 6, 1}, "█▄ ▆"},
	} {
		if got := spark(x.values, x.width); got != x.want {
			t.Errorf("%v: %q, want %q", x.values, got, x.want)
		}
	}
}
