package experiments

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"

	"heddle/arch/isa"
	"heddle/kernels"
	"heddle/kernels/graph"
	"heddle/models"
)

// decoded runs the command line and decodes the JSON object that it prints.
func decoded(t *testing.T, want int, args ...string) (object map[string]json.RawMessage, stderr string) {
	t.Helper()
	status, stdout, stderr := heddle(t, args...)
	if status != want {
		t.Fatalf("%q: status %d, want %d: %s", args, status, want, stderr)
	}
	if err := json.Unmarshal([]byte(stdout), &object); err != nil {
		t.Fatalf("%q: %v in %s", args, err, stdout)
	}
	return object, stderr
}

// members returns the names in a JSON object.
func members(t *testing.T, object json.RawMessage) []string {
	t.Helper()
	var m map[string]json.RawMessage
	if err := json.Unmarshal(object, &m); err != nil {
		t.Fatalf("%v in %s", err, object)
	}
	return slices.Sorted(maps.Keys(m))
}

var (
	resultKeys = []string{"arrays", "config", "graph", "host", "hot_words", "kernel", "launches", "lines", "machine",
		"metrics", "peak", "result", "schedule", "seed", "series", "simulated", "stalls", "units"}
	hostKeys = []string{"check_seconds", "events_per_second", "instructions", "instructions_per_second", "peak_rss_bytes",
		"processor_seconds", "setup_seconds", "wall_seconds"}
)

func TestJSON(t *testing.T) {
	for _, machine := range []string{"functional", "tesla-c2050"} {
		for _, name := range kernelNames() {
			t.Run(machine+"/"+name, func(t *testing.T) {
				args := []string{"run", name, "--machine", machine, "--graph", "rmat-g:8", "--seed", "7", "--json"}
				if name == "matching/ld-dataflow" {
					args = append(args, "--set", fullEmptyKeys[kindOf(t, machine)]+"=true")
				}
				r, stderr := decoded(t, exitVerified, args...)
				if stderr != "" {
					t.Errorf("standard error: %s", stderr)
				}
				if got := slices.Sorted(maps.Keys(r)); !slices.Equal(got, resultKeys) {
					t.Errorf("keys %q", got)
				}
				if got := members(t, r["host"]); !slices.Equal(got, hostKeys) {
					t.Errorf("keys of host %q", got)
				}
				for key, want := range map[string]string{"kernel": name, "machine": machine} {
					if got := string(r[key]); got != `"`+want+`"` {
						t.Errorf("%s: %s", key, got)
					}
				}
				if string(r["seed"]) != "7" || !bytes.HasPrefix(r["graph"], []byte(`{"name":"rmat-g:8","vertices":256,"edges":`)) {
					t.Errorf("seed %s, graph %s", r["seed"], r["graph"])
				}
				if !bytes.HasPrefix(r["result"], []byte(`{"verified":true,`)) || len(members(t, r["result"])) < 2 {
					t.Errorf("result %s", r["result"])
				}
				checkCounts(t, r, machine != "functional")

				again, _ := decoded(t, exitVerified, args...)
				delete(r, "host")
				for key, first := range r {
					if !bytes.Equal(first, again[key]) {
						t.Errorf("%s differs between two runs", key)
					}
				}
			})
		}
	}
}

// checkCounts holds figures that are told in several places against each other.
func checkCounts(t *testing.T, r map[string]json.RawMessage, timed bool) {
	t.Helper()
	var o struct {
		Simulated struct{ Seconds, Cycles *float64 }
		Host      struct {
			Instructions          uint64
			InstructionsPerSecond float64 `json:"instructions_per_second"`
			WallSeconds           float64 `json:"wall_seconds"`
			ProcessorSeconds      float64 `json:"processor_seconds"`
			EventsPerSecond       float64 `json:"events_per_second"`
			PeakRSS               int64   `json:"peak_rss_bytes"`
		}
		Metrics map[string]float64
		Config  map[string]any
		Stalls  map[string]float64
		Lines   []struct {
			Time   float64
			Issues uint64
			Lanes  uint64
			File   string
			Line   int
			Text   string
		}
		Launches []struct {
			Instructions       uint64
			ThreadInstructions uint64  `json:"thread_instructions"`
			Start              float64 `json:"start_seconds"`
			Seconds            float64
		}
	}
	for key, into := range map[string]any{"simulated": &o.Simulated, "host": &o.Host, "metrics": &o.Metrics, "config": &o.Config,
		"stalls": &o.Stalls, "lines": &o.Lines, "launches": &o.Launches} {
		if err := json.Unmarshal(r[key], into); err != nil {
			t.Fatalf("%s: %v", key, err)
		}
	}
	for _, l := range o.Lines {
		if source := kernels.Source(l.File); l.Text == "" || l.Line > len(source) || l.Text != strings.TrimSpace(source[l.Line-1]) {
			t.Errorf("%s:%d reads %q", l.File, l.Line, l.Text)
		}
	}
	var instructions, threads uint64
	for _, l := range o.Launches {
		instructions += l.Instructions
		threads += l.ThreadInstructions
	}
	if instructions == 0 || instructions != o.Host.Instructions || float64(instructions) != o.Metrics["inst_executed"] ||
		float64(threads) != o.Metrics["thread_inst_executed"] {
		t.Errorf("%d warp and %d thread instructions in launches, host %+v, metrics %v %v", instructions, threads, o.Host,
			o.Metrics["inst_executed"], o.Metrics["thread_inst_executed"])
	}
	if rate := o.Host.InstructionsPerSecond * o.Host.WallSeconds / float64(instructions); rate < 0.999 || rate > 1.001 || o.Host.PeakRSS <= 0 {
		t.Errorf("host %+v", o.Host)
	}
	if used := o.Host.ProcessorSeconds; used > 1.02*o.Host.WallSeconds+0.01 || used <= 0 && runtime.GOOS == "linux" {
		t.Errorf("%g s of one processor in %g s", used, o.Host.WallSeconds)
	}
	if o.Config["kind"] == nil {
		t.Errorf("config %s", r["config"])
	}
	if !timed {
		if o.Simulated.Seconds != nil || o.Simulated.Cycles != nil {
			t.Errorf("a machine without timing: simulated %s", r["simulated"])
		}
		return
	}
	if o.Simulated.Seconds == nil || *o.Simulated.Seconds <= 0 || *o.Simulated.Cycles <= 0 || o.Host.EventsPerSecond <= 0 {
		t.Errorf("simulated %s, host %+v", r["simulated"], o.Host)
	}
	var stack, time float64
	for _, s := range o.Stalls {
		stack += s
	}
	var issues, lanes uint64
	for i, l := range o.Lines {
		time += l.Time
		issues += l.Issues
		lanes += l.Lanes
		if i > 0 && l.Time > o.Lines[i-1].Time || l.File == "" || l.Line == 0 {
			t.Errorf("line %d: %+v", i, l)
		}
	}
	if stack < 1-1e-9 || stack > 1+1e-9 || time < 1-1e-9 || time > 1+1e-9 {
		t.Errorf("shares of time sum to %v, of lines to %v", stack, time)
	}
	if issues != instructions || lanes != threads {
		t.Errorf("lines: %d instructions issued, %d lanes; launches: %d, %d", issues, lanes, instructions, threads)
	}
	last := o.Launches[len(o.Launches)-1]
	// The launch's end is added up in floating point: a femtosecond's leeway.
	if end := last.Start + last.Seconds; end > *o.Simulated.Seconds+1e-15 {
		t.Errorf("the last launch ends at %v s, the run at %v s", end, *o.Simulated.Seconds)
	}
}

// Every machine emits the metrics that its kind declares, and no others.
// fullEmptyKeys are the keys that give machines of each kind full/empty bits.
var fullEmptyKeys = map[string]string{
	"simt": "load_store.full_empty", "window": "core.load_store.full_empty", "functional": "full_empty",
}

func kindOf(t *testing.T, machine string) string {
	t.Helper()
	d, err := models.Open(models.Library, machine)
	if err != nil {
		t.Fatal(err)
	}
	kind, _ := d.Value("kind")
	return kind
}

func TestMetricsAsDeclared(t *testing.T) {
	declared := models.Metrics()
	seen := map[string]bool{}
	for _, machine := range models.Names(models.Library) {
		for _, name := range kernelNames() {
			r := Run{Kernel: name, Machine: machine, Graph: "karate", Seed: 1, Source: -1}
			result, err := r.Execute(context.Background(), Hooks{})
			if err != nil && strings.Contains(err.Error(), "full/empty") {
				// Refused until the description gives the machine the bits.
				r.Set = []string{fullEmptyKeys[kindOf(t, machine)] + "=true"}
				result, err = r.Execute(context.Background(), Hooks{})
			}
			if err != nil {
				t.Fatalf("%s on %s: %v", name, machine, err)
			}
			if err := result.Metrics.Err(); err != nil {
				t.Errorf("%s on %s: %v", name, machine, err)
			}
			if missing := result.Metrics.Missing(); len(missing) > 0 {
				t.Errorf("%s on %s: declared but not emitted: %q", name, machine, missing)
			}
			kind, _ := result.Config.Value("kind")
			seen[kind] = true
			var emitted []string
			for v := range result.Metrics.All() {
				emitted = append(emitted, v.Name)
			}
			if want := declared[kind].Columns(); !slices.Equal(emitted, want) {
				t.Errorf("%s on %s emits %q, declared are %q", name, machine, emitted, want)
			}
		}
	}
	for kind, d := range declared {
		if err := d.Check(); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
		if !seen[kind] {
			t.Errorf("no machine of kind %s", kind)
		}
	}
}

func TestSeedAndOverrides(t *testing.T) {
	run := func(args ...string) map[string]json.RawMessage {
		t.Helper()
		r, _ := decoded(t, exitVerified, append([]string{"run", "--machine", "functional", "--graph", "rmat-g:8", "--json"}, args...)...)
		return r
	}
	first := run()
	if other := run("--seed", "2"); bytes.Equal(first["result"], other["result"]) {
		t.Error("another seed, the same result")
	}
	wide := run("--set", "warp_width=64", "--set", "block_size=128")
	if bytes.Equal(first["metrics"], wide["metrics"]) {
		t.Error("wider warps, the same metrics")
	}
	if config := string(wide["config"]); !strings.Contains(config, `"warp_width":64`) || !strings.Contains(config, `"block_size":128`) {
		t.Errorf("config %s", config)
	}
	checked := run("--memcheck")
	if !bytes.Equal(first["result"], checked["result"]) {
		t.Error("memcheck changes the result")
	}
	named, _ := decoded(t, exitVerified, "run", "--machine", "functional", "--graph", "rmat-g:8,seed=1", "--json", "--seed", "9")
	if n, m := string(first["graph"]), string(named["graph"]); strings.Replace(m, ",seed=1", "", 1) != n {
		t.Errorf("a graph with a seed of its own: %s, want %s", m, n)
	}
	from, _ := decoded(t, exitVerified, "run", "bfs/level", "--machine", "functional", "--graph", "karate", "--source", "11", "--json")
	if !bytes.Contains(from["result"], []byte(`"source":11,`)) {
		t.Errorf("from vertex 11: %s", from["result"])
	}
}

// A limit that is reached, or an interrupt, leaves what is known so far.
func TestIncomplete(t *testing.T) {
	for _, machine := range []string{"functional", "tesla-c2050"} {
		r, stderr := decoded(t, exitFailed, "run", "--machine", machine, "--graph", "rmat-g:8", "--max-cycles", "100", "--json")
		if string(r["incomplete"]) != "true" || string(r["result"]) != `{"verified":false}` {
			t.Errorf("%s: incomplete %s, result %s", machine, r["incomplete"], r["result"])
		}
		var why string
		if err := json.Unmarshal(r["error"], &why); err != nil || why == "" {
			t.Errorf("%s: error %s", machine, r["error"])
		}
		first, _, _ := strings.Cut(why, "\n")
		if stderr != "heddle: "+first+"\n" {
			t.Errorf("%s: %q on standard error, %q in the result", machine, stderr, why)
		}
	}
	status, stdout, _ := heddle(t, "run", "--machine", "functional", "--graph", "karate", "--max-cycles", "10")
	if status != exitFailed || !strings.Contains(stdout, "\nAnswer: none: the run is incomplete\n  the run does not end within 10 instructions: thread 0: ") {
		t.Errorf("status %d:\n%s", status, stdout)
	}
}

func TestInterrupt(t *testing.T) {
	for name, hooks := range map[string]func(stop func()) Hooks{
		"opening": func(stop func()) Hooks {
			return Hooks{Built: func(*models.Machine) error { stop(); return nil }}
		},
		"running": func(stop func()) Hooks {
			return Hooks{Running: func(*models.Machine, *graph.Graph) { stop() }}
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithCancel(context.Background())
			defer stop()
			r := Run{Kernel: "bfs/level", Machine: "tesla-c2050", Graph: "rmat-g:12", Seed: 1, Source: -1}
			result, err := r.Execute(ctx, hooks(stop))
			if !errors.Is(err, ErrInterrupted) || result == nil {
				t.Fatalf("%v, %v", result, err)
			}
			text, err := json.Marshal(result)
			if err != nil || !bytes.Contains(text, []byte(`"result":{"verified":false},"incomplete":true,"error":"interrupted",`)) {
				t.Errorf("%v\n%s", err, text)
			}
			var page bytes.Buffer
			if err := writeReport(&page, result, false); err != nil || !strings.Contains(page.String(), "Answer: none: the run is incomplete\n  interrupted\n") {
				t.Errorf("%v\n%s", err, page.String())
			}
		})
	}
}

// Main ends a run when its context does, as an interrupt makes it.
func TestInterruptMain(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	var stdout, stderr bytes.Buffer
	status := Main(ctx, []string{"run", "--graph", "rmat-g:14", "--json"}, &stdout, &stderr)
	if status != exitFailed || !strings.Contains(stderr.String(), "heddle: interrupted\n") {
		t.Errorf("status %d, %q", status, stderr.String())
	}
	var r map[string]json.RawMessage
	if err := json.Unmarshal(stdout.Bytes(), &r); err != nil || string(r["incomplete"]) != "true" {
		t.Errorf("%v in %s", err, stdout.String())
	}
}

// answer is one that its check does not accept.
type answer struct{ verdict error }

func (a answer) Check(*graph.Graph) error  { return a.verdict }
func (a answer) Figures() []kernels.Figure { return []kernels.Figure{{Name: "half", Value: 0.5}} }

// testKernel runs program once with an array of a vertex's size.
func testKernel(program *isa.Program, verdict error) kernels.Kernel {
	return kernels.Kernel{
		Name:     "test/kernel",
		Programs: func() []*isa.Program { return []*isa.Program{program} },
		Simulate: func(m kernels.Machine, g *graph.Graph, _ kernels.Options) (kernels.Answer, error) {
			a, err := m.Alloc("cell", isa.I64, g.Vertices())
			if err != nil {
				return nil, err
			}
			m.Start()
			if err := m.Launch(program, g.Vertices(), a.Value()); err != nil {
				return nil, err
			}
			m.Finish()
			return answer{verdict}, nil
		},
	}
}

func program(body func(b *isa.Builder, cell isa.ArrayParam)) *isa.Program {
	b := isa.NewBuilder("test/kernel.main")
	body(b, b.Array("cell", isa.I64))
	return b.MustBuild()
}

func TestWrongAnswer(t *testing.T) {
	store := program(func(b *isa.Builder, cell isa.ArrayParam) { b.Store(cell, 0, 1) })
	r := Run{Machine: "tesla-c2050", Graph: "karate"}
	result, err := r.execute(context.Background(), testKernel(store, errors.New("vertex 3: is wrong")), Hooks{})
	var bad *InputError
	if err == nil || err.Error() != "wrong answer: vertex 3: is wrong" || errors.As(err, &bad) {
		t.Fatalf("error %v", err)
	}
	if result.Answer.Verified || result.Incomplete || result.Error != err.Error() || len(result.Answer.Figures) != 1 {
		t.Errorf("result %+v", result)
	}
}

// What a machine lacks is refused before anything is opened.
func TestMisfit(t *testing.T) {
	wait := program(func(b *isa.Builder, cell isa.ArrayParam) { b.Store(cell, 0, b.ReadFF(cell, 0)) })
	for machine, key := range map[string]string{"tesla-c2050": "load_store.full_empty", "functional": "full_empty"} {
		r := Run{Machine: machine, Graph: "no such graph"}
		_, err := r.execute(context.Background(), testKernel(wait, nil), Hooks{})
		var bad *InputError
		if !errors.As(err, &bad) || !strings.HasPrefix(err.Error(), "test/kernel does not run on "+machine+": experiments/run_test.go:") ||
			!strings.Contains(err.Error(), "("+key+")") {
			t.Errorf("%s: %v", machine, err)
		}
	}
}

// A program that waits for ever, reads what nothing wrote or goes out of bounds
// ends the run with a report, not as bad input.
func TestRunFails(t *testing.T) {
	for name, c := range map[string]struct {
		run  Run
		body func(b *isa.Builder, cell isa.ArrayParam)
		want string
	}{
		"deadlock": {
			Run{Set: []string{"load_store.full_empty=true"}},
			func(b *isa.Builder, cell isa.ArrayParam) {
				b.Store(cell, 0, b.ReadFE(cell, 1))
				b.Store(cell, 0, b.ReadFE(cell, 1))
			},
			"deadlock",
		},
		"bounds": {
			Run{},
			func(b *isa.Builder, cell isa.ArrayParam) { b.Store(cell, 1000, 1) },
			"cell",
		},
		"memcheck": {
			Run{Memcheck: true},
			func(b *isa.Builder, cell isa.ArrayParam) { b.Store(cell, 0, b.Load(cell, 5)) },
			"cell[5]",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.run.Machine, c.run.Graph = "tesla-c2050", "karate"
			result, err := c.run.execute(context.Background(), testKernel(program(c.body), nil), Hooks{})
			var bad *InputError
			if err == nil || errors.As(err, &bad) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "experiments/run_test.go:") {
				t.Fatalf("error %v", err)
			}
			if !result.Incomplete || result.Error != err.Error() {
				t.Errorf("result %+v", result)
			}
		})
	}
}

func TestHooksInOrder(t *testing.T) {
	var order []string
	note := func(format string, args ...any) { order = append(order, fmt.Sprintf(format, args...)) }
	r := Run{Kernel: "matching/ld", Machine: "functional", Graph: "karate", Seed: 3}
	result, err := r.Execute(context.Background(), Hooks{
		Built:    func(m *models.Machine) error { note("built %s", m.Description.Name()); return nil },
		Running:  func(m *models.Machine, g *graph.Graph) { note("running %d", g.Vertices()) },
		Checking: func() { note("checking") },
	})
	if want := []string{"built functional", "running 34", "checking"}; err != nil || !slices.Equal(order, want) {
		t.Errorf("%v, hooks %q", err, order)
	}
	if result.Graph.Weights != randomWeights {
		t.Errorf("weights %q", result.Graph.Weights)
	}
	refuse := errors.New("no")
	if _, err := r.Execute(context.Background(), Hooks{Built: func(*models.Machine) error { return refuse }}); err != refuse {
		t.Errorf("a hook's error came back as %v", err)
	}
}

// Arrays of one name count as one, whose traffic is their sum.
func TestArraysMerge(t *testing.T) {
	queue := models.Array{Name: "queue", Elem: isa.I32, Len: 10, Loads: 1, Stores: 2, Atomics: 3, Requests: 4, Transactions: 5,
		Requested: 6, Moved: 7, Levels: []models.Level{{Name: "l1", Accesses: 8, Hits: 4, Fetched: 9, Written: 10}}, DRAMRead: 11, DRAMWritten: 12}
	tail := models.Array{Name: "tail", Elem: isa.I64, Len: 1, Levels: []models.Level{{Name: "l1"}}}
	text, err := json.Marshal(arraysOf([]models.Array{queue, tail, queue}))
	const want = `{"queue":{"type":"i32","elements":20,"loads":2,"stores":4,"atomics":6,"requests":8,"transactions":10,"requested_bytes":12,"moved_bytes":14,` +
		`"levels":[{"name":"l1","accesses":16,"hits":8,"fetched_bytes":18,"written_bytes":20}],"dram_read_bytes":22,"dram_write_bytes":24},` +
		`"tail":{"type":"i64","elements":1,"loads":0,"stores":0,"atomics":0,"requests":0,"transactions":0,"requested_bytes":0,"moved_bytes":0,` +
		`"levels":[{"name":"l1","accesses":0,"hits":0,"fetched_bytes":0,"written_bytes":0}],"dram_read_bytes":0,"dram_write_bytes":0}}`
	if err != nil || string(text) != want {
		t.Errorf("%v\n%s", err, text)
	}
}
