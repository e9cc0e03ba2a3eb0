package models

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"heddle/arch/isa"
	"heddle/arch/window"
	"heddle/kernels"
	"heddle/kernels/bfs"
	"heddle/kernels/graph"
	"heddle/kernels/irregular"
	"heddle/kernels/matching"
	"heddle/kernels/sorting"
	"heddle/sim"
)

// multicores are the machines of kind window.
var multicores = []string{"xeon-e5540", "xeon-x5650", "opteron-6176se"}

func kernel(t testing.TB, name string) kernels.Kernel {
	t.Helper()
	for _, k := range slices.Concat(matching.Kernels(), bfs.Kernels(), irregular.Kernels(), sorting.Kernels()) {
		if k.Name == name {
			return k
		}
	}
	t.Fatalf("no kernel %s", name)
	return kernels.Kernel{}
}

func openGraph(t testing.TB, name string) *graph.Graph {
	t.Helper()
	g, err := graph.Open(name, graph.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	g.EnsureWeights(1)
	return g
}

// multicore builds a machine of the library, with overrides.
func multicore(t testing.TB, name string, set ...string) *Machine {
	t.Helper()
	d, err := Open(Library, name)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Override(set...); err != nil {
		t.Fatal(err)
	}
	m, err := Build(d, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// simulate runs a kernel on a machine of the library, with overrides, and
// checks its answer.
func simulate(t testing.TB, machine, kernelName string, g *graph.Graph, set ...string) *Machine {
	t.Helper()
	m := multicore(t, machine, set...)
	answer, err := kernel(t, kernelName).Simulate(m, g, kernels.Options{Seed: 1, Source: -1})
	if err != nil {
		t.Fatal(err)
	}
	if err := answer.Check(g); err != nil {
		t.Errorf("%s on %s %v: %v", kernelName, machine, set, err)
	}
	return m
}

// Answers are right on every machine, and what the machines count adds up.
func TestMulticores(t *testing.T) {
	g := openGraph(t, "rmat-g:9")
	for _, machine := range multicores {
		for _, k := range []string{"matching/ld", "bfs/level"} {
			t.Run(fmt.Sprint(machine, "/", k), func(t *testing.T) {
				wantConserved(t, simulate(t, machine, k, g))
			})
		}
	}
}

// wantConserved checks the laws that the counts of a multicore keep.
func wantConserved(t *testing.T, m *Machine) {
	t.Helper()
	r := m.Report()
	if err := r.Metrics.Err(); err != nil {
		t.Error(err)
	}
	if missing := r.Metrics.Missing(); len(missing) > 0 {
		t.Errorf("metrics not reported: %v", missing)
	}
	value := func(name string) float64 { v, _ := r.Metrics.Get(name); return v }
	equal := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9*math.Abs(want) {
			t.Errorf("%s: %g, want %g", what, got, want)
		}
	}
	cpi, share := 0.0, 0.0
	for c := range window.NumCauses {
		cpi += value("cpi_" + c.String())
	}
	for _, s := range r.Stack {
		share += s.Share
	}
	equal("causes of cycles", cpi, value("cpi"))
	equal("shares of the stack", share, 1)
	lines, issues := 0.0, uint64(0)
	for _, l := range r.Lines {
		lines += l.Time()
		issues += l.Issues
	}
	equal("time of the source lines", lines+value("cpi_imbalance")/value("cpi"), 1)
	equal("instructions of the source lines", float64(issues), value("instructions"))

	forwarded := value("loads_forwarded") / 100 * value("loads")
	equal("accesses to L1", value("l1_accesses"), value("loads")-forwarded+value("stores")+value("atomics")+value("full_empty_retries"))
	transfers := value("c2c_die") + value("c2c_package") + value("c2c_1_hop") + value("c2c_2_hops")
	fetched := value("memory_reads_local") + value("memory_reads_remote")
	equal("lines from beyond L3", transfers+fetched+value("upgrades"), value("l3_misses"))
	var loads, stores, atomics uint64
	for _, a := range r.Arrays {
		loads, stores, atomics = loads+a.Loads, stores+a.Stores, atomics+a.Atomics
	}
	equal("loads by array", float64(loads), value("loads"))
	equal("stores by array", float64(stores), value("stores"))
	equal("atomics by array", float64(atomics), value("atomics"))
	if used, peak := value("dram_bandwidth_busiest_socket"), value("dram_sustained_bandwidth_socket"); used > peak {
		t.Errorf("a socket moved %g GB/s of %g", used, peak)
	}
}

// How far cores run ahead of each other changes no answer, and the time
// little. Which thread comes first is chance, and so is part of the time of one
// run: several are added up.
func TestMulticoreSkew(t *testing.T) {
	var graphs []*graph.Graph
	for _, name := range []string{"rmat-g:10", "rmat-er:10", "rmat-b:10"} {
		graphs = append(graphs, openGraph(t, name))
	}
	for machine, skews := range map[string][]int{"xeon-e5540": {100, 1000}, "opteron-6176se": {100}} { // 100: as described
		total := func(skew int) (seconds float64) {
			for _, g := range graphs {
				m := simulate(t, machine, "matching/ld", g, fmt.Sprintf("skew=%d cycles", skew), "schedule=cyclic") // little imbalance
				seconds += m.Report().Elapsed.Seconds()
			}
			return seconds
		}
		exact := total(0)
		for _, skew := range skews {
			change := total(skew)/exact - 1
			t.Logf("%s, skew %d: time changes by %+.2f %%", machine, skew, 100*change)
			if math.Abs(change) > 0.05 {
				t.Errorf("%s, skew %d: time changes by %+.2f %%", machine, skew, 100*change)
			}
		}
	}
}

// The same run gives the same bytes.
func TestMulticoreDeterminism(t *testing.T) {
	g := openGraph(t, "rmat-b:9")
	run := func() string {
		r := simulate(t, "xeon-e5540", "matching/ld", g).Report()
		b, err := json.Marshal([]any{r.Elapsed, r.Stack, r.Lines, r.Arrays})
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

// Machines that nobody built run as well.
func TestChimeras(t *testing.T) {
	g := openGraph(t, "rmat-g:9")
	for _, set := range [][]string{
		{"core.smt=8", "threads=64"},
		{"core.smt=8", "threads=64", "core.rob=64", "core.load_store.load_buffer=16", "core.load_store.store_buffer=8"},
		{"core.load_store.full_empty=true"},
		{"threads=1"},
		{"threads=3", "placement=compact"},
		{"memory.l3.kind=victim"},
		{"memory.placement=interleaved", "core.tlb.entries=0"},
		{"core.dispatch=1", "core.retire=1", "core.rob=2", "core.load_store.load_buffer=2", "core.load_store.store_buffer=2", "core.stations=1"},
	} {
		t.Run(fmt.Sprint(set), func(t *testing.T) { wantConserved(t, simulate(t, "xeon-e5540", "matching/ld", g, set...)) })
	}
	// A kernel that waits for full/empty bits runs where they are turned on.
	m := simulate(t, "xeon-e5540", "matching/ld-dataflow", g, "core.load_store.full_empty=true", "core.smt=8", "threads=64")
	wantConserved(t, m)
	var err error
	for _, p := range kernel(t, "matching/ld-dataflow").Programs() {
		err = errors.Join(err, multicore(t, "xeon-e5540").Check(p))
	}
	if err == nil || !strings.Contains(err.Error(), "needs full/empty bits, which this machine lacks (core.load_store.full_empty)") {
		t.Errorf("without the bits: %v", err)
	}
}

// Contended atomics take the measured cost of handing over their line.
func TestContendedAtomics(t *testing.T) {
	const each = 200
	b := isa.NewBuilder("count")
	word := b.Array("word", isa.I64)
	b.For(0, each, 1, func(isa.Reg) { b.FetchAdd(word, 0, 1) })
	p := b.MustBuild()
	for _, c := range []struct {
		machine   string
		threads   int
		placement string
		cost      float64 // ns
	}{
		{"opteron-6176se", 6, "compact", 56},
		{"opteron-6176se", 2, "compact", 56},
		{"opteron-6176se", 2, "scatter", 103},
		{"xeon-e5540", 2, "scatter", 110},
		{"xeon-e5540", 4, "compact", 45.8},
	} {
		m := multicore(t, c.machine, fmt.Sprint("threads=", c.threads), "placement="+c.placement, "core.smt=1")
		a, err := m.Alloc("word", isa.I64, 1)
		if err != nil {
			t.Fatal(err)
		}
		m.Start()
		if err := m.Launch(p, c.threads, a.Value()); err != nil {
			t.Fatal(err)
		}
		m.Finish()
		if got := m.View(a).([]int64)[0]; got != int64(c.threads*each) {
			t.Errorf("counted %d, want %d", got, c.threads*each)
		}
		l := m.Launches[0]
		took := float64(l.End-l.Start-m.device.(*windowDevice).fork()) / float64(sim.Nanosecond)
		if got := took / float64(c.threads*each); math.Abs(got/c.cost-1) > 0.05 {
			t.Errorf("%s, %d threads, %s: %.1f ns an atomic, want %.1f", c.machine, c.threads, c.placement, got, c.cost)
		}
	}
}

func BenchmarkMulticore(b *testing.B) {
	g := openGraph(b, "rmat-g:16")
	for _, machine := range multicores {
		b.Run(machine, func(b *testing.B) {
			var instructions uint64
			for range b.N {
				m := simulate(b, machine, "matching/ld", g)
				instructions += m.Report().Counts.Instructions
			}
			b.ReportMetric(float64(instructions)/b.Elapsed().Seconds()/1e6, "Minst/s")
		})
	}
}

// A loop of few iterations starts no team: the one thread that reaches it does
// all, for what it costs alone.
func TestAlone(t *testing.T) {
	b := isa.NewBuilder("count-threads")
	a := b.Array("a", isa.I64)
	b.FetchAdd(a, 0, 1)
	p := b.MustBuild()
	for _, c := range []struct{ items, threads int }{{1, 1}, {100, 1}, {101, 4}} {
		m := multicore(t, "xeon-e5540", "threads=4", "core.smt=1", "team.alone=100", "team.fork=5 us")
		array, err := m.Alloc("a", isa.I64, 1)
		if err != nil {
			t.Fatal(err)
		}
		m.Start()
		if err := m.Launch(p, c.items, array.Value()); err != nil {
			t.Fatal(err)
		}
		m.Finish()
		if got := m.View(array).([]int64)[0]; got != int64(c.threads) {
			t.Errorf("%d iterations: %d threads, want %d", c.items, got, c.threads)
		}
		l := m.Launches[0]
		if forked := l.End-l.Start > 5*sim.Microsecond; forked != (c.threads > 1) {
			t.Errorf("%d iterations took %d ns", c.items, (l.End-l.Start)/sim.Nanosecond)
		}
	}
}
