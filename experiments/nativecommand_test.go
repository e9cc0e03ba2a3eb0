package experiments

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Every kernel runs natively, and says so in the shape of a simulated run.
func TestNativeJSON(t *testing.T) {
	for _, name := range kernelNames() {
		status, stdout, stderr := heddle(t, "native", name, "--graph", "karate", "--threads", "2", "--repeat", "3", "--json")
		if status != exitVerified {
			t.Fatalf("%s: exit status %d: %s", name, status, stderr)
		}
		var native, simulated struct {
			Kernel   string
			Graph    Graph
			Seed     uint64
			Result   map[string]any
			Measured struct {
				Threads int
				Samples []float64
				Seconds float64
				Waited  []float64 `json:"waited_seconds"`
				Spins   []float64 `json:"spin_seconds"`
				Noise   map[string]any
			}
			Host map[string]float64
		}
		if err := json.Unmarshal([]byte(stdout), &native); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		m := native.Measured
		if m.Threads != 2 || len(m.Samples) != 3 || len(m.Waited) != 3 || m.Seconds <= 0 || len(m.Spins) != 3 || m.Noise["spins"] != 12.0 {
			t.Errorf("%s: measured %+v", name, m)
		}
		_, stdout, _ = heddle(t, "run", name, "--graph", "karate", "--machine", "functional", "--set", "full_empty=true", "--json")
		if err := json.Unmarshal([]byte(stdout), &simulated); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if native.Kernel != simulated.Kernel || native.Graph.Name != simulated.Graph.Name ||
			native.Graph.Edges != simulated.Graph.Edges || native.Seed != simulated.Seed {
			t.Errorf("%s: %+v natively, %+v simulated", name, native, simulated)
		}
		for figure, want := range simulated.Result {
			if got := native.Result[figure]; !sameFigure(got, want) {
				t.Errorf("%s: %s is %v natively, %v simulated", name, figure, got, want)
			}
		}
		for figure := range native.Host {
			if _, ok := simulated.Host[figure]; !ok {
				t.Errorf("%s: a simulated run does not tell host.%s", name, figure)
			}
		}
	}
}

// sameFigure compares what came out of JSON. Queues' sizes may depend on the
// order in which threads get to work, and are compared by their sum.
func sameFigure(a, b any) bool {
	total := func(x any) (sum float64, ok bool) {
		list, ok := x.([]any)
		for _, y := range list {
			sum += y.(float64)
		}
		return sum, ok
	}
	x, listA := total(a)
	y, listB := total(b)
	if listA && listB {
		return x == y
	}
	return a == b
}

func TestNativePage(t *testing.T) {
	status, stdout, stderr := heddle(t, "native", "irregular/average", "--graph", "karate", "--threads", "1",
		"--repeat", "2", "--iterations", "3", "--cold")
	if status != exitVerified {
		t.Fatalf("exit status %d: %s", status, stderr)
	}
	for _, want := range []string{"irregular/average on ", "karate: 34 vertices, 78 edges", "Answer: verified",
		"iterations      3\n", "of 2 runs", "emptied before each run", "the machine was "} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
}

func TestNativeRefuses(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"bfs/levels"}, "nearest is bfs/level"},
		{[]string{"--graph", "karat"}, "karat"},
		{[]string{"--threads", "-1"}, "--threads -1: want 0 to 1024"},
		{[]string{"--repeat", "0"}, "--repeat 0: want 1 to"},
		{[]string{"--repeat", "many"}, "want a whole number"},
		{[]string{"bfs/level", "--graph", "karate", "--source", "34"}, "source 34: karate has vertices 0 to 33"},
		{[]string{"bfs/level", "--iterations", "2"}, "bfs/level has no number of iterations to choose"},
		{[]string{"irregular/average", "--iterations", "-2"}, "--iterations -2: want 0 to"},
		{[]string{"one", "two"}, "unexpected argument"},
	} {
		status, stdout, stderr := heddle(t, append([]string{"native"}, c.args...)...)
		if status != exitBadInput || !strings.Contains(stderr, c.want) || stdout != "" || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%v: exit status %d, %q", c.args, status, stderr)
		}
	}
}

// Iterations are part of a run: of what it does, and of its key.
func TestIterationsOfARun(t *testing.T) {
	instructions := map[string]uint64{}
	for _, n := range []string{"1", "4"} {
		status, stdout, stderr := heddle(t, "run", "irregular/average", "--graph", "karate", "--machine", "functional", "--iterations", n, "--json")
		if status != exitVerified {
			t.Fatal(stderr)
		}
		var raw struct{ Host struct{ Instructions uint64 } }
		if err := json.Unmarshal([]byte(stdout), &raw); err != nil {
			t.Fatal(err)
		}
		instructions[n] = raw.Host.Instructions
	}
	if instructions["1"]*2 >= instructions["4"] {
		t.Errorf("instructions of 1 and 4 iterations: %v", instructions)
	}
	if status, _, stderr := heddle(t, "run", "--iterations", "4"); status != exitBadInput || !strings.Contains(stderr, "matching/ld has no number") {
		t.Errorf("exit status %d: %s", status, stderr)
	}
	a := Run{Kernel: "irregular/average", Machine: "functional", Graph: "karate"}
	b := a
	b.Iterations = 4
	keyA, errA := a.key()
	keyB, errB := b.key()
	if errA != nil || errB != nil || string(keyA) == string(keyB) {
		t.Errorf("keys %s and %s, %v and %v", keyA, keyB, errA, errB)
	}
}

// commandLineVariable makes the tests' program the command line.
const commandLineVariable = "HEDDLE_TEST_COMMAND_LINE"

func TestMain(m *testing.M) {
	if os.Getenv(commandLineVariable) != "" {
		os.Exit(Main(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// A simulated thread does what the native one does, less what Go adds: checks
// of indexes, extensions of signs, spills. Under valgrind or by the processor.
func TestNativeCount(t *testing.T) {
	if _, err := exec.LookPath("valgrind"); err != nil {
		t.Skip("valgrind is not installed")
	}
	// The program that valgrind runs is this test's, as the command line.
	t.Setenv(commandLineVariable, "1")
	status, stdout, stderr := heddle(t, "native", "irregular/average", "--graph", "rmat-g:8", "--iterations", "2", "--count", "--json")
	if status != exitVerified {
		t.Fatalf("exit status %d: %s", status, stderr)
	}
	var list []struct {
		Kernel            string
		Native            struct{ Instructions, Loads, Stores float64 }
		Simulated         simulatedCount
		InstructionsRatio float64 `json:"instructions_ratio"`
		AccessesRatio     float64 `json:"accesses_ratio"`
	}
	if err := json.Unmarshal([]byte(stdout), &list); err != nil || len(list) != 1 {
		t.Fatalf("%v in %s", err, stdout)
	}
	x := list[0]
	// The runtime's own stores differ from process to process by more than a
	// run's 256, so only a surplus would tell.
	if x.Native.Stores > 8*256 || x.Simulated.Stores != 256 {
		t.Errorf("%v stores natively, %d simulated, of 256 vertices", x.Native.Stores, x.Simulated.Stores)
	}
	if x.InstructionsRatio < 0.5 || x.InstructionsRatio > 1.1 || x.AccessesRatio < 0.8 || x.AccessesRatio > 1.1 {
		t.Errorf("%+v", x)
	}
}
