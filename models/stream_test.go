package models

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"heddle/kernels"
	"heddle/kernels/graph"
	"heddle/sim"
)

// wantThreadTime checks that the stack, and the lines' time, is all the time of
// the machine's threads, and that arrays and lines count the same operations.
func wantThreadTime(t *testing.T, r *Report) {
	t.Helper()
	stack := 0.0
	for _, s := range r.Stack {
		stack += s.Share
	}
	lines, sent := 0.0, uint64(0)
	for i := range r.Lines {
		lines += r.Lines[i].Time()
		sent += r.Lines[i].Transactions
	}
	if math.Abs(stack-1) > 1e-9 || math.Abs(lines-1) > 1e-9 {
		t.Errorf("the stack adds up to %g, the lines to %g", stack, lines)
	}
	var arrays uint64
	for _, a := range r.Arrays {
		arrays += a.Transactions
	}
	words, _ := r.Metrics.Get("memory_words")
	if arrays != sent || r.Metrics.Err() != nil || len(r.Metrics.Missing()) > 0 {
		t.Errorf("arrays took %d words, lines sent %d; metrics: %v, missing %v", arrays, sent, r.Metrics.Err(), r.Metrics.Missing())
	}
	if rate, _ := r.Metrics.Get("cache_hit_rate"); math.IsNaN(rate) && words != float64(sent) {
		t.Errorf("%g words, lines sent %d", words, sent)
	}
}

// Answers are right for any number of processors, and the time is accounted
// for.
func TestCrayXMT(t *testing.T) {
	g := openGraph(t, "rmat-g:10")
	for _, kernelName := range []string{"matching/ld", "matching/ld-sorted", "matching/ld-dataflow", "bfs/level"} {
		for _, processors := range []int{1, 16, 128} {
			t.Run(fmt.Sprintf("%s/%d", kernelName, processors), func(t *testing.T) {
				m := simulate(t, "cray-xmt", kernelName, g, fmt.Sprintf("processors=%d", processors))
				r := m.Report()
				wantThreadTime(t, r)
				if r.Elapsed <= 0 || r.Upload != 0 || r.Download != 0 {
					t.Errorf("elapsed %v, copied for %v and %v", r.Elapsed, r.Upload, r.Download)
				}
			})
		}
	}
}

// Machines that nobody built run as well.
func TestStreamChimeras(t *testing.T) {
	g := openGraph(t, "rmat-g:9")
	for _, set := range [][]string{
		{"cache.enabled=true"},
		{"word.packed=false"},
		{"lookahead=1"},
		{"memory_unit.queue=1", "memory_unit.bandwidth=0.1 GB/s"},
		{"module.buffer.enabled=false"},
		{"launch.streams=1"},
		{"full_empty.limit=1", "full_empty.trap=0 cycles"},
		{"pipeline=1 cycle", "module.word_interval=100 cycles"},
	} {
		for _, kernelName := range []string{"matching/ld", "matching/ld-dataflow"} {
			t.Run(fmt.Sprint(kernelName, set), func(t *testing.T) {
				wantThreadTime(t, simulate(t, "cray-xmt", kernelName, g, append(set, "processors=12")...).Report())
			})
		}
	}
	var err error
	for _, p := range kernel(t, "matching/ld-dataflow").Programs() {
		err = errors.Join(err, build(t, "cray-xmt", "full_empty.enabled=false").Check(p))
	}
	if err == nil || !strings.Contains(err.Error(), "needs full/empty bits, which this machine lacks (full_empty.enabled)") {
		t.Errorf("without the bits: %v", err)
	}
}

// The same run gives the same bytes.
func TestStreamDeterminism(t *testing.T) {
	g := openGraph(t, "rmat-b:9")
	run := func() string {
		r := simulate(t, "cray-xmt", "matching/ld-dataflow", g, "processors=8").Report()
		b, err := json.Marshal([]any{r.Elapsed, r.Stack, r.Lines, r.Arrays, r.HotWords})
		if err != nil {
			t.Fatal(err)
		}
		metrics, err := r.Metrics.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		return string(b) + string(metrics)
	}
	if a, b := run(), run(); a != b {
		t.Error("two runs differ")
	}
}

// What programs measure on the simulated machine is what is published of the
// real one and what follows from the description.
func TestStreamMicrobenchmarks(t *testing.T) {
	all, err := Microbenchmarks(builtin(t, "cray-xmt"))
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != len(streamMicrobenchmarks) {
		t.Errorf("%d figures of %d", len(all), len(streamMicrobenchmarks))
	}
	for _, m := range all {
		t.Logf("%s: %.4g %s simulated, %.4g implied, %.4g cited", m.Name, m.Simulated, m.Unit, m.Implied, m.Cited)
		if !m.OK() {
			t.Errorf("%s: %.4g %s simulated, %.4g implied, %.4g cited (%s), give or take %g %%",
				m.Name, m.Simulated, m.Unit, m.Implied, m.Cited, m.Source.Comment, 100*m.Tolerance)
		}
		if !math.IsNaN(m.Cited) && m.Source.Comment == "" {
			t.Errorf("%s cites nothing", m.Name)
		}
	}
}

// What is overridden is what is measured.
func TestStreamMicrobenchmarksSeeTheDescription(t *testing.T) {
	all, err := Microbenchmarks(builtin(t, "cray-xmt", "processors=8", "pipeline=10 cycles", "module.word_interval=30 cycles",
		"memory_unit.bandwidth=0.5 GB/s", "network.interface=1 us", "clock=1 GHz"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		want := map[string]float64{
			"saturating_streams": 10,
			"f64_peak":           24,
			"hot_word":           30,
			"memory_peak":        4,
			// Unit, word, both ways over 1.5 hops on average, buffer, DRAM: the
			// hops of a ring of two are 0.5.
			"unloaded_latency": 10 + 16 + 2*(1000+1.5*50) + 12 + 30 + 40,
			"loaded_latency":   10 + 16*16 + 2*(1000+1.5*50) + 12 + 30 + 40,
		}[m.Name]
		if math.Abs(m.Simulated-want) > 0.03*want {
			t.Errorf("%s: %.4g %s, want %.4g", m.Name, m.Simulated, m.Unit, want)
		}
	}
}

// A processor with s streams issues in min(s/21, 1) of its cycles.
func TestIssueSaturation(t *testing.T) {
	for _, streams := range []int{1, 5, 20, 21, 22, 60, 100} {
		b := streamBench{bench: bench{d: builtin(t, "cray-xmt", "processors=1")}}
		if err := b.d.Decode(&b.stream); err != nil {
			t.Fatal(err)
		}
		got, want := 1/b.perWord(streams), min(float64(streams)/21, 1)
		if math.Abs(got-want) > 0.01*want || b.err != nil {
			t.Errorf("%d streams: issued in %g of the cycles, want %g (%v)", streams, got, want, b.err)
		}
	}
}

func TestEveryStreamFigureHasALaw(t *testing.T) {
	fields := reflect.VisibleFields(reflect.TypeFor[StreamTheoryConfig]())
	for _, f := range fields {
		if key := f.Tag.Get("yaml"); streamLaws[key].implied == nil || streamLaws[key].formula == "" {
			t.Errorf("%s has no law", key)
		}
	}
	if len(streamLaws) != len(fields) {
		t.Errorf("%d laws for %d figures", len(streamLaws), len(fields))
	}
}

// TestTheoryOfTheXMT works the figures out by hand.
func TestTheoryOfTheXMT(t *testing.T) {
	const word = 8 / 0.675 * 0.5                                        // cycles
	const unloaded = 10 + word + 2*(100+4*25) + 12 + 0.5*(30+5*(3+3+2)) // 4 hops in 4 x 4 x 8
	want := map[string]float64{
		"memory": 1 << 20, "saturating_streams": 21, "f64_peak": 128 * 1.5, "mean_hops": 1 + 1 + 2,
		"unloaded_latency": unloaded, "loaded_latency": unloaded + 15*word, "memory_peak": 86.4,
		"words_in_flight": unloaded / word, "module_dram_peak": 6.4, "hot_word": 8,
	}
	checks, err := builtin(t, "cray-xmt").Theory()
	if err != nil || len(checks) != len(want) {
		t.Fatalf("%d checks, %v", len(checks), err)
	}
	for _, c := range checks {
		if math.Abs(c.Implied-want[c.Key]) > 1e-6*c.Implied {
			t.Errorf("%s, not %g", c, want[c.Key])
		}
	}
}

// A description whose keys do not fit together is refused, each fault at its
// place.
func TestStreamRelations(t *testing.T) {
	for set, want := range map[string]string{
		"launch.streams=129":                  "--set launch.streams: 129 is more than streams, 128",
		"module.block=96 B":                   "--set module.block: 96 bytes is not a power of two",
		"module.buffer.line=32 B":             "--set module.buffer.line: 32 bytes, but module.block has 64",
		"module.dram.channels=2":              "--set module.dram.channels: 2, but a module has 1",
		"cache.ways=3":                        "cache.size: 16384 bytes is not a multiple of ways x line = 192 bytes",
		"module.dram.data_rate=3":             "burst_length: 4 is not a multiple of data_rate (3)",
		"module.dram.clock=20 GHz":            "--set module.dram.clock: 20 GHz is out of range 1 MHz..10 GHz",
		"processors=0":                        "--set processors: 0 is out of range 1..8192",
		"memory_unit.bandwith=1 GB/s":         "nearest is memory_unit.bandwidth",
		"launch.region=5 cycles":              `"5 cycles"`,
		"module.dram.controller_latency=2 ms": "--set module.dram.controller_latency: 2 ms is more than 1 ms",
	} {
		_, err := Build(builtin(t, "cray-xmt", set), Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\nwant %s", set, err, want)
		}
	}
}

// Each number of the description at both ends of its range makes a machine
// that computes the right answer, or is refused.
func TestEndsOfStreamRanges(t *testing.T) {
	g := openGraph(t, "karate")
	fields, err := Fields(reflect.TypeFor[StreamDescription]())
	if err != nil {
		t.Fatal(err)
	}
	k := kernel(t, "matching/ld-dataflow")
	for _, f := range fields {
		ends := append(strings.Split(f.Range, ".."), f.OneOf...)
		if f.Type == "switch" {
			ends = append(ends, "on", "off")
		}
		for _, end := range ends {
			if end == "" || f.Path == "processors" && end != "1" {
				continue
			}
			d := builtin(t, "cray-xmt")
			if d.Override("processors=2", f.Path+"="+end) != nil {
				continue
			}
			m, err := Build(d, Options{MaxCycles: 1_000_000_000_000})
			if err != nil || refused(m, k) {
				continue
			}
			if err := tryKernel(t, m, k.Name, g); err != nil {
				t.Errorf("%s=%s: %v", f.Path, end, err)
			}
		}
	}
}

// refused reports whether a machine cannot run a kernel.
func refused(m *Machine, k kernels.Kernel) bool {
	for _, p := range k.Programs() {
		if m.Check(p) != nil {
			return true
		}
	}
	return false
}

// tryKernel runs a kernel on m.
func tryKernel(t *testing.T, m *Machine, name string, g *graph.Graph) error {
	t.Helper()
	answer, err := kernel(t, name).Simulate(m, g, kernels.Options{Seed: 1, Source: -1})
	if err == nil {
		err = answer.Check(g)
	}
	return err
}

// The limit of cycles and Stop end a run.
func TestStreamRunsEnd(t *testing.T) {
	g := openGraph(t, "rmat-g:9")
	m, err := Build(builtin(t, "cray-xmt", "processors=2"), Options{MaxCycles: sim.Cycles(20000)})
	if err != nil {
		t.Fatal(err)
	}
	err = tryKernel(t, m, "matching/ld", g)
	if err == nil || !strings.HasPrefix(err.Error(), "reached the limit of 20000 cycles\n  processor 0, stream 0, thread 0: ") {
		t.Errorf("got %v", err)
	}
	m = build(t, "cray-xmt", "processors=2")
	stopped := errors.New("stopped")
	m.Stop(stopped)
	if err := tryKernel(t, m, "matching/ld", g); !errors.Is(err, stopped) {
		t.Errorf("got %v", err)
	}
	if r := m.Report(); r.Metrics.Err() != nil || len(r.Metrics.Missing()) > 0 {
		t.Errorf("%v, missing %v", r.Metrics.Err(), r.Metrics.Missing())
	}
}
