package experiments

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heddle/experiments/study"
)

// replayed records a run and replays it on a machine, and returns both.
func replayed(t *testing.T, record, replay string) (run, again map[string]json.RawMessage) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.trace")
	run, _ = decoded(t, 0, append(strings.Fields("record --json -o "+path), strings.Fields(record)...)...)
	again, _ = decoded(t, 0, append(strings.Fields("replay --json "+path), strings.Fields(replay)...)...)
	return run, again
}

// One thread's replay on the memory that it was recorded on is the run: all
// accesses, hits and misses of every level, for every array, and the bytes from
// DRAM. That of many threads, whose order depends on times, is about it.
func TestReplayIsTheRun(t *testing.T) {
	for _, machine := range []string{
		"xeon-e5540 --set threads=1",
		"opteron-6176se --set threads=1",
		"cray-xmt --set processors=1 --set launch.streams=1",
	} {
		t.Run(strings.Fields(machine)[0], func(t *testing.T) {
			run, again := replayed(t, "matching/ld-serial --graph rmat-g:8 --machine "+machine, "--machine "+machine)
			type traffic struct {
				Levels  []study.Level `json:"levels"`
				Read    int64         `json:"dram_read_bytes"`
				Written int64         `json:"dram_write_bytes"`
			}
			var want, got map[string]traffic
			for _, x := range []struct {
				from json.RawMessage
				to   *map[string]traffic
			}{{run["arrays"], &want}, {again["arrays"], &got}} {
				if err := json.Unmarshal(x.from, x.to); err != nil {
					t.Fatal(err)
				}
			}
			misses := int64(0)
			for name, w := range want {
				g := got[name]
				if g.Read != w.Read || g.Written != w.Written || len(g.Levels) != len(w.Levels) {
					t.Fatalf("%s: %+v, not %+v", name, g, w)
				}
				for i, l := range w.Levels {
					misses += l.Accesses - l.Hits
					if g.Levels[i] != l {
						t.Errorf("%s: %+v, not %+v", name, g.Levels[i], l)
					}
				}
			}
			if misses == 0 {
				t.Error("no misses")
			}
			simulated, recorded := figureOf[float64](t, objectOf(t, again), "simulated_seconds"), figureOf[float64](t, objectOf(t, again), "recorded_seconds")
			if math.Abs(simulated-recorded) > 1e-3*recorded {
				t.Errorf("%g s, not %g", simulated, recorded)
			}
		})
	}
	for _, machine := range []string{"tesla-c2050", "tesla-c1060", "cray-xmt --set processors=4"} {
		_, again := replayed(t, "matching/ld --graph rmat-g:7 --machine "+machine, "--machine "+machine)
		whole := objectOf(t, again)
		simulated, recorded := figureOf[float64](t, whole, "simulated_seconds"), figureOf[float64](t, whole, "recorded_seconds")
		if math.Abs(simulated-recorded) > 0.05*recorded {
			t.Errorf("%s: %g s, not about %g", machine, simulated, recorded)
		}
	}
}

// objectOf returns members as an object.
func objectOf(t *testing.T, object map[string]json.RawMessage) json.RawMessage {
	t.Helper()
	b, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A trace of any machine can be replayed on any other, which is asked for the
// same accesses.
func TestReplayElsewhere(t *testing.T) {
	dir := t.TempDir()
	machines := []string{"tesla-c2050", "tesla-c1060", "cray-xmt", "xeon-e5540"}
	for _, from := range machines {
		path := filepath.Join(dir, from)
		run, _ := decoded(t, 0, "record", "bfs/level", "--graph", "rmat-g:6", "--machine", from, "--json", "-o", path)
		var arrays map[string]struct{ Loads, Stores, Atomics uint64 }
		if err := json.Unmarshal(run["arrays"], &arrays); err != nil {
			t.Fatal(err)
		}
		var asked uint64
		for _, a := range arrays {
			asked += a.Loads + a.Stores + a.Atomics
		}
		for _, to := range machines {
			again, _ := decoded(t, 0, "replay", path, "--machine", to, "--json")
			whole := objectOf(t, again)
			done := figureOf[uint64](t, whole, "loads") + figureOf[uint64](t, whole, "stores") + figureOf[uint64](t, whole, "atomics")
			// A multicore's loads from its own store buffers go to no memory.
			if done != asked && (from != "xeon-e5540" || done > asked || done < asked*9/10) {
				t.Errorf("%s on %s: %d accesses of %d", from, to, done, asked)
			}
			if figureOf[float64](t, whole, "simulated_seconds") <= 0 {
				t.Errorf("%s on %s: no time", from, to)
			}
		}
	}
}

// Files that are no traces, or do not fit, are refused in one line.
func TestBadReplay(t *testing.T) {
	inputs(t)
	if status, _, stderr := heddle(t, strings.Fields("record bfs/level --graph karate -o good.trace")...); status != 0 {
		t.Fatal(stderr)
	}
	good, err := os.ReadFile("good.trace")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"cut.trace": string(good[:len(good)-9]), "first.trace": string(good[:40])} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ args, want string }{
		{"record bfs/level", "no file: want -o FILE"},
		{"record bfs/level -o none/x", "-o none/x: no folder none"},
		{"record bfs/level -o x --machine functional", "-o x: machine functional keeps no time: there is nothing to watch"},
		{"replay", "too few arguments: usage: heddle replay FILE [flags]"},
		{"replay none.trace", "open none.trace: no such file or directory"},
		{"replay good.mtx", "good.mtx: not a memory trace: its first line is another"},
		{"replay empty.mtx", "empty.mtx: not a memory trace: its first line is another"},
		{"replay first.trace", "first.trace: damaged: line 2, the header, does not end"},
		{"replay cut.trace", "cut.trace: damaged: record "},
		{"replay good.trace --machine functional", "machine functional keeps no time: there is nothing to watch"},
		{"replay good.trace --set sms=0", "sms"},
	} {
		status, out, stderr := heddle(t, strings.Fields(c.args)...)
		if status != exitBadInput || out != "" || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: status %d, output %q, error %q, not %q", c.args, status, out, stderr, c.want)
		}
	}
}
