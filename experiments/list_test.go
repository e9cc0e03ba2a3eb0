package experiments

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"heddle/kernels/graph"
	"heddle/models"
)

// The list names everything that heddle run takes, each with words about it.
func TestList(t *testing.T) {
	status, stdout, stderr := heddle(t, "list")
	if status != exitVerified || stderr != "" {
		t.Fatalf("status %d, %s", status, stderr)
	}
	described := func(name, doc string) {
		t.Helper()
		if doc == "" || !strings.Contains(stdout, "\n  "+name+" ") || !strings.Contains(stdout, doc) {
			t.Errorf("%s is not listed, or not described: %q", name, doc)
		}
	}
	for _, k := range Kernels() {
		described(k.Name, k.Doc)
		described(k.Name, k.Source)
	}
	machines, err := machineEntries()
	if err != nil || len(machines) != len(models.Names(models.Library)) {
		t.Fatalf("%d machines, %v", len(machines), err)
	}
	for _, m := range machines {
		described(m.Name, m.Title)
		described(m.Name, m.Kind)
	}
	for _, g := range graph.Generators() {
		described(g.Name, g.Doc)
	}
	if len(graphNames()) != len(graph.Generators()) || len(graph.Formats()) == 0 {
		t.Errorf("graphs %q", graphNames())
	}

	var lists struct {
		Kernels    []kernelEntry
		Machines   []machineEntry
		Graphs     []graphEntry
		GraphFiles []graphEntry `json:"graph_files"`
	}
	_, stdout, _ = heddle(t, "list", "--json")
	if err := json.Unmarshal([]byte(stdout), &lists); err != nil || len(lists.Kernels) != len(Kernels()) ||
		len(lists.Machines) != len(machines) || len(lists.Graphs) != len(graph.Generators()) || len(lists.GraphFiles) != len(graph.Formats()) {
		t.Errorf("%v in %s", err, stdout)
	}
	_, stdout, _ = heddle(t, "machine", "list")
	if n := strings.Count(stdout, "\n"); n != len(machines) {
		t.Errorf("%d machines:\n%s", n, stdout)
	}
}

func TestMetricsCommand(t *testing.T) {
	_, stdout, _ := heddle(t, "metrics")
	_, object, _ := heddle(t, "metrics", "--json")
	var kinds map[string][]struct{ Name, Kind, Unit, Meaning string }
	if err := json.Unmarshal([]byte(object), &kinds); err != nil {
		t.Fatal(err)
	}
	for kind, declared := range models.Metrics() {
		if !strings.Contains(stdout, "Machines of kind "+kind+"\n") || len(kinds[kind]) != len(declared) {
			t.Fatalf("kind %s: %d of %d metrics", kind, len(kinds[kind]), len(declared))
		}
		for i, m := range declared {
			if !strings.Contains(stdout, "\n  "+m.Name+" ") || !strings.Contains(stdout, "  "+m.Meaning+"\n") {
				t.Errorf("%s of %s is not listed", m.Name, kind)
			}
			if k := kinds[kind][i]; k.Name != m.Name || k.Kind != m.Kind.String() || k.Unit != m.Unit || k.Meaning != m.Meaning {
				t.Errorf("%+v, declared %+v", k, m)
			}
		}
	}
}

// A description is shown as written, and resolved so that it reads back.
func TestMachineShow(t *testing.T) {
	for _, name := range models.Names(models.Library) {
		status, shown, stderr := heddle(t, "machine", "show", name)
		file, err := models.Library.ReadFile(name + ".yaml")
		if status != exitVerified || err != nil || shown != string(file) {
			t.Errorf("%s: status %d, %s%v", name, status, stderr, err)
		}
		_, resolved, _ := heddle(t, "machine", "show", name, "--resolved")
		t.Chdir(t.TempDir())
		if err := os.WriteFile("shown.yaml", []byte(resolved), 0o666); err != nil {
			t.Fatal(err)
		}
		again, err := models.Open(models.Library, "shown.yaml")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		first, err := models.Open(models.Library, name)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := json.Marshal(first)
		got, _ := json.Marshal(again)
		if string(got) != string(want) {
			t.Errorf("%s resolved reads back as %s, want %s", name, got, want)
		}
		if _, raw, _ := heddle(t, "machine", "show", "./shown.yaml"); raw != resolved {
			t.Errorf("%s: a file is not shown as it is", name)
		}
	}
	_, shown, _ := heddle(t, "machine", "show", "tesla-c2050", "--set", "host.launch=20 us")
	for _, want := range []string{"\n  launch: 20 us # --set, was ", "\n# dram_peak ", "\n# launch ", " 20.00 us "} {
		if !strings.Contains(shown, want) {
			t.Errorf("no %q in\n%s", want, shown)
		}
	}
}

func TestCompletion(t *testing.T) {
	for args, want := range map[string]string{
		"run":           "matching/ld\n",
		"run --machine": "tesla-c2050\n",
		"run --graph":   "rmat-g:\n",
		"machine show":  "functional\n",
		"graph info":    "karate\n",
	} {
		words := append([]string{"__complete"}, strings.Fields(args)...)
		status, stdout, _ := heddle(t, append(words, "")...)
		if status != exitVerified || !strings.Contains(stdout, want) {
			t.Errorf("%q: status %d, %q", args, status, stdout)
		}
	}
}

// full is a disk without space.
type full struct{}

var errFull = errors.New("no space left")

func (full) Write([]byte) (int, error) { return 0, errFull }

// Output that cannot be written is a failure.
func TestOutputFails(t *testing.T) {
	for _, args := range []string{"list", "run --machine functional --graph karate", "run --machine functional --graph karate --json"} {
		var stderr strings.Builder
		status := Main(t.Context(), strings.Fields(args), full{}, &stderr)
		if want := "heddle: standard output: no space left\n"; status != exitFailed || stderr.String() != want {
			t.Errorf("%s: status %d, %q", args, status, stderr.String())
		}
	}
}

// No override makes a machine's description crash the program: it is taken, or
// refused in words.
func FuzzSet(f *testing.F) {
	for _, set := range []string{"l1.size=16 KiB", "l1={size: 1 KiB}", "units.f64.lanes=1", "dram=null", "sms", "=", "a.b.c=[1, 2", "kind=functional", "clock=1e300 GHz",
		"l1.size=3 B", "dram.interleave=7 B", "warp_width=64", "l2.slice.ways=3", "dram.channels=5"} {
		f.Add(set)
	}
	f.Fuzz(func(t *testing.T, set string) {
		var stderr strings.Builder
		switch status := Main(t.Context(), []string{"machine", "show", "tesla-c2050", "--set", set}, io.Discard, &stderr); {
		case status == exitVerified && stderr.Len() == 0:
		case status == exitBadInput && strings.HasPrefix(stderr.String(), "heddle: "):
		default:
			t.Errorf("%q: status %d, %q", set, status, stderr.String())
		}
	})
}
