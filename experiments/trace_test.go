package experiments

import (
	"compress/gzip"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sarchlab/akita/v3/tracing"
)

// tracedMachines are one of each family, small enough for tests.
var tracedMachines = map[string][]string{
	"tesla-c2050": nil,
	"tesla-c1060": nil,
	"cray-xmt":    {"--set", "processors=4", "--set", "launch.streams=8"},
	"xeon-e5540":  {"--set", "threads=4"},
}

// traced runs a kernel with a timeline and returns its result.
func traced(t *testing.T, machine, kernel, path string, more ...string) map[string]json.RawMessage {
	t.Helper()
	args := append([]string{"run", kernel, "--machine", machine, "--graph", "rmat-g:6", "--json", "--trace", path}, tracedMachines[machine]...)
	result, _ := decoded(t, 0, append(args, more...)...)
	return result
}

// figureOf reads a member of a JSON object.
func figureOf[T any](t *testing.T, object json.RawMessage, name string) T {
	t.Helper()
	var all map[string]json.RawMessage
	var v T
	if err := json.Unmarshal(object, &all); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(all[name], &v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return v
}

// A timeline of a whole run is well-formed, and adds up to what the machine
// has counted.
func TestTimelineAddsUp(t *testing.T) {
	for machine := range tracedMachines {
		for _, kernel := range []string{"matching/ld", "bfs/level"} {
			t.Run(machine+"/"+strings.ReplaceAll(kernel, "/", "-"), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "run.pftrace")
				result := traced(t, machine, kernel, path)
				x := readTimeline(t, path)
				seconds := figureOf[float64](t, result["simulated"], "seconds")
				end := uint64(math.Ceil(seconds * 1e12))

				spent := map[string]float64{}
				last := map[*timelineTrack]uint64{} // end of the latest slice at the depth of states
				var whole float64
				launches, requests := 0, 0
				for _, s := range x.slices {
					if s.from > s.to || s.to > end+1 {
						t.Fatalf("%s on %s: %d to %d ps, of a run of %d", s.name, s.track.name, s.from, s.to, end)
					}
					switch s.kind {
					case "state":
						if s.depth != 1 || s.from < last[s.track] {
							t.Fatalf("%s on %s at depth %d from %d ps, the one before to %d", s.name, s.track.name, s.depth, s.from, last[s.track])
						}
						last[s.track] = s.to
						spent[s.name] += float64(s.to - s.from)
						whole += float64(s.to - s.from)
					case "launch":
						launches++
						fallthrough
					case "threads":
						if s.depth != 0 {
							t.Fatalf("%s on %s at depth %d", s.name, s.track.name, s.depth)
						}
					case "request":
						requests++
						if s.depth != 0 || s.args["array"] == "" || s.args["level"] == "" || s.args["address"] == "" {
							t.Fatalf("request %v at depth %d", s, s.depth)
						}
					}
				}
				var shares map[string]float64
				if err := json.Unmarshal(result["stalls"], &shares); err != nil {
					t.Fatal(err)
				}
				// Ends of slices are rounded down to a picosecond.
				for name, share := range shares {
					if got := spent[name] / whole; math.Abs(got-share) > 1e-3*share+1e-5 {
						t.Errorf("%s: %.6f of the timeline, %.6f of the machine's time", name, got, share)
					}
				}
				var list []json.RawMessage
				if err := json.Unmarshal(result["launches"], &list); err != nil || launches != len(list) || requests == 0 {
					t.Errorf("%d launches of %d, %d requests: %v", launches, len(list), requests, err)
				}
				checkIPC(t, x, machine, result)
			})
		}
	}
}

// checkIPC holds the area under the curve of instructions against their
// number.
func checkIPC(t *testing.T, x *timeline, machine string, result map[string]json.RawMessage) {
	t.Helper()
	name := "inst_executed"
	switch machine {
	case "cray-xmt":
		name = "words_issued"
	case "xeon-e5540":
		name = "instructions"
	}
	want := figureOf[float64](t, result["metrics"], name)
	cycle := figureOf[float64](t, result["simulated"], "seconds") / figureOf[float64](t, result["simulated"], "cycles")
	var sum float64
	curve := x.counters["IPC"]
	for i := range len(curve) - 1 {
		sum += curve[i].value * float64(curve[i+1].at-curve[i].at) * 1e-12 / cycle
	}
	if math.Abs(sum-want) > 0.02*want {
		t.Errorf("the curve of IPC is of %.0f instructions, the machine issued %.0f", sum, want)
	}
}

// A window holds what is in it and nothing else.
func TestTimelineWindow(t *testing.T) {
	dir := t.TempDir()
	for machine := range tracedMachines {
		path := filepath.Join(dir, machine+".pftrace")
		result := traced(t, machine, "matching/ld", path)
		var launches []struct {
			Start   float64 `json:"start_seconds"`
			Seconds float64 `json:"seconds"`
		}
		if err := json.Unmarshal(result["launches"], &launches); err != nil {
			t.Fatal(err)
		}
		l := launches[0] // the longest
		for _, other := range launches {
			if other.Seconds > l.Seconds {
				l = other
			}
		}
		from, length := uint64((l.Start+0.2*l.Seconds)*1e12), uint64(0.6*l.Seconds*1e12)
		traced(t, machine, "matching/ld", path, "--trace-from", fmt.Sprint(from, " ps"), "--trace-for", fmt.Sprint(length, " ps"), "--trace-cores", "0,2-3")
		x := readTimeline(t, path)
		some := map[string]int{}
		for _, s := range x.slices {
			if s.from < from || s.to > from+length {
				t.Fatalf("%s: %s on %s from %d to %d ps", machine, s.name, s.track.name, s.from, s.to)
			}
			if parent := s.track.parent.name; parent != "host" && !strings.HasSuffix(parent, " 0") &&
				!strings.HasSuffix(parent, " 2") && !strings.HasSuffix(parent, " 3") {
				t.Fatalf("%s: %s on %s", machine, s.name, parent)
			}
			some[s.kind]++
		}
		for _, kind := range []string{"launch", "region", "threads", "state", "request"} {
			if some[kind] == 0 {
				t.Errorf("%s: no slice of kind %s in %v", machine, kind, some)
			}
		}
	}
}

// The JSON form says what the other one does.
func TestTimelineJSON(t *testing.T) {
	dir := t.TempDir()
	pf, zipped := filepath.Join(dir, "run.pftrace"), filepath.Join(dir, "run.json.gz")
	traced(t, "tesla-c2050", "matching/ld", pf)
	traced(t, "tesla-c2050", "matching/ld", zipped)
	f, err := os.Open(zipped)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		TraceEvents []struct {
			Ph, Name, Cat string
			Ts            json.Number
			Args          map[string]any
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	got, want := map[string]int{}, map[string]int{}
	for _, e := range file.TraceEvents {
		if e.Ph == "B" {
			us, err := e.Ts.Float64()
			if err != nil {
				t.Fatal(err)
			}
			got[fmt.Sprintf("%s %s %.0f %v", e.Cat, e.Name, us*1e3, e.Args["line"])]++
		}
	}
	for _, s := range readTimeline(t, pf).slices {
		line := any(nil)
		if s.args["line"] != "" {
			line = s.args["line"]
		}
		want[fmt.Sprintf("%s %s %.0f %v", s.kind, s.name, float64(s.from), line)]++
	}
	if len(got) == 0 || len(got) != len(want) {
		t.Fatalf("%d different slices in JSON, %d in the other form", len(got), len(want))
	}
	for key, n := range want {
		if got[key] != n {
			t.Fatalf("%q: %d times in JSON, %d in the other form", key, got[key], n)
		}
	}
}

// Daisen's database has the rows of the timeline, each in its parent.
func TestTimelineDaisen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.sqlite3")
	result := traced(t, "cray-xmt", "matching/ld", path)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	number := func(query string) (n float64) {
		t.Helper()
		if err := db.QueryRow(query).Scan(&n); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		return n
	}
	for _, c := range []struct {
		query string
		want  float64
	}{
		{"SELECT COUNT(*) FROM trace WHERE end_time < start_time", 0},
		{"SELECT COUNT(*) FROM trace WHERE kind = '' OR what = '' OR location = ''", 0},
		{"SELECT COUNT(*) FROM trace c LEFT JOIN trace p ON c.parent_id = p.task_id WHERE c.parent_id <> '' AND p.task_id IS NULL", 0},
		{"SELECT COUNT(*) FROM trace c JOIN trace p ON c.parent_id = p.task_id WHERE c.kind = 'state' AND (c.start_time < p.start_time - 1e-15 OR c.end_time > p.end_time + 1e-15)", 0},
		{"SELECT COUNT(*) FROM trace WHERE kind = 'Simulation' AND start_time = (SELECT MIN(start_time) FROM trace) AND end_time = (SELECT MAX(end_time) FROM trace)", 1},
		{"SELECT COUNT(*) FROM trace WHERE kind = 'threads'", figureOf[float64](t, result["metrics"], "threads_launched")},
		{"SELECT COUNT(*) FROM trace WHERE kind = 'launch'", figureOf[float64](t, result["metrics"], "regions_launched")},
		{"SELECT COUNT(*) FROM trace WHERE kind = 'req_in'", figureOf[float64](t, result["metrics"], "memory_words")},
	} {
		if got := number(c.query); got != c.want {
			t.Errorf("%s: %g, not %g", c.query, got, c.want)
		}
	}

	reader := tracing.NewSQLiteTraceReader(path)
	reader.DB = db // akita opens it with a driver that needs C
	if got := len(reader.ListComponents()); float64(got) != number("SELECT COUNT(DISTINCT location) FROM trace") {
		t.Errorf("akita lists %d components", got)
	}
	whole := reader.ListTasks(tracing.TaskQuery{Kind: "launch"})
	if len(whole) == 0 {
		t.Fatal("akita finds no launch")
	}
	for _, launch := range whole {
		threads := reader.ListTasks(tracing.TaskQuery{ParentID: launch.ID, EnableParentTask: true})
		if len(threads) == 0 {
			t.Errorf("akita finds no threads in %s", launch.What)
		}
		for _, x := range threads {
			if x.ParentTask.What != launch.What || x.StartTime < launch.StartTime || x.EndTime > launch.EndTime {
				t.Fatalf("akita reads %+v in %+v", x, launch)
			}
		}
	}

	ended := number("SELECT MAX(end_time) FROM trace")
	if seconds := figureOf[float64](t, result["simulated"], "seconds"); ended > seconds+1e-12 || ended < 0.9*seconds {
		t.Errorf("the last task ends at %g s of %g", ended, seconds)
	}
}

// What cannot be traced is refused before anything runs, and leaves nothing.
func TestBadTrace(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("dir.pftrace", 0o777); err != nil {
		t.Fatal(err)
	}
	const formats = ".pftrace or .json, either with .gz (Perfetto), .sqlite3 or .db (akita's Daisen)"
	for _, c := range []struct{ args, want string }{
		{"--trace x.txt", "--trace x.txt: what format? The name ends in " + formats},
		{"--trace none/x.json", "--trace none/x.json: no folder none"},
		{"--trace dir.pftrace", "--trace dir.pftrace: is a directory"},
		{"--trace-from 1us", "--trace-from: no file: want --trace FILE"},
		{"--trace x.json --trace-from soon", `--trace-from "soon" is not a time: a number with fs, ps, ns, us, ms or s`},
		{"--trace x.json --trace-for 0ns", `--trace-for "0ns": nothing would be shown`},
		{"--trace x.json --trace-cores 3-1", `--trace-cores "3-1": want numbers and ranges, such as 0,4-7`},
		{"--trace x.json --trace-cores 14", "--trace: core 14: tesla-c2050 has SMs 0 to 13"},
		{"--trace x.json --machine functional", "--trace: machine functional keeps no time: there is nothing to watch"},
		{"--trace x.json --graph none.mtx", "none.mtx"},
	} {
		status, out, stderr := heddle(t, append([]string{"run"}, strings.Fields(c.args)...)...)
		if status != exitBadInput || out != "" || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: status %d, output %q, error %q, not %q", c.args, status, out, stderr, c.want)
		}
	}
	left, err := os.ReadDir(".")
	if err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
