package calibrate

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"heddle/experiments/hostbench"
	"heddle/models"
)

// known is a machine whose microbenchmarks can be simulated, and what it tells
// of itself.
func known(t *testing.T, set ...string) (*models.Description, hostbench.Facts) {
	t.Helper()
	d, err := models.Open(models.Library, "xeon-e5540")
	if err != nil {
		t.Fatal(err)
	}
	set = append([]string{"memory.l3.size=1 MiB", "memory.sockets=1", "memory.cores=2", "core.smt=1", "threads=2", "theory=null", "memory.memory_bandwidth=14 GB/s", "core.tlb.tables=2", "core.tlb.walkers=2", "core.tlb.together=2", "memory.dram.idle_close=null",
		"core.dispatch=5", "core.retire=5", "core.units.int.ports=[0, 1, 5, 6]", "core.units.compare.ports=[0, 1, 5, 6]", "core.units.control.ports=[0, 6]",
		"core.branch.predictor.history=24", "core.branch.predictor.global=4096", "core.load_store.store_operations=2", "core.load_store.store_fills=6",
		"memory.l2.oldest=4", "memory.costs.atomic_keep=100 cycles"}, set...)
	// What DRAM does beyond its mean, where pages lie and how tables of predictors
	// are organized is not fitted, but as in all fits.
	base, err := open(template)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range base.Sources() {
		if strings.HasPrefix(s.Path, "memory.dram.") || s.Path == "memory.scattered" || s.Path == "core.branch.predictor.global_ways" || s.Path == "core.branch.predictor.global_tag" {
			set = append(set, s.Path+"="+s.Value)
		}
	}
	if err := d.Override(set...); err != nil {
		t.Fatal(err)
	}
	return d, hostbench.Facts{
		Processor: "known", CPUs: []int{0, 1}, Cores: 2, Sockets: 1, Line: 64, Page: 4096, Memory: 4 << 30, Virtual: true,
		Caches: []hostbench.Cache{{Level: 1, Bytes: 32 << 10, Ways: 8}, {Level: 2, Bytes: 256 << 10, Ways: 8}, {Level: 3, Bytes: 1 << 20, Ways: 16}},
	}
}

// figures simulates the microbenchmarks of a known machine: of series, those
// around what is to be found.
func figures(t *testing.T, d *models.Description, f hostbench.Facts) *hostbench.Results {
	t.Helper()
	around := map[string][2]int{
		"window/add": {88, 180}, "window/wait": {20, 60}, "window/load": {32, 72}, "window/store": {20, 60},
		"chase/base": {64, 8192}, "chase/huge": {0, 0},
	}
	var cases []hostbench.Case
	for _, c := range hostbench.Cases(f) {
		i := strings.LastIndexByte(c.Name, '/')
		n, err := strconv.Atoi(c.Name[i+1:])
		if r, ok := around[c.Name[:max(i, 0)]]; !ok || err == nil && r[0] <= n && n <= r[1] {
			cases = append(cases, c)
		}
	}
	r, err := new(hostbench.Simulator).Simulate(context.Background(), d, f, cases, func(hostbench.Figure) {})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// number reads the number that a value begins with.
func number(t *testing.T, d *models.Description, path string) float64 {
	t.Helper()
	text, ok := d.Value(path)
	x, err := strconv.ParseFloat(firstWord(text), 64)
	if !ok || err != nil {
		t.Fatalf("%s: %q", path, text)
	}
	return x
}

// TestRecoversAKnownMachine fits a description to microbenchmarks that were
// simulated on a known one, and wants its parameters back within 5 %.
func TestRecoversAKnownMachine(t *testing.T) {
	d, facts := known(t)
	measured := figures(t, d, facts)
	fit, err := New(context.Background(), measured, Options{Header: "# head\n", Log: t.Logf})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{
		"clock", "threads", "core.smt", "core.dispatch", "core.rob", "core.stations", "core.branch.mispredict",
		"core.units.int.latency", "core.units.shift.latency", "core.units.mul.latency", "core.units.mul.interval",
		"core.units.divide.latency", "core.units.f64.latency", "core.units.special.latency", "core.units.special.interval", "core.units.convert.latency",
		"core.load_store.load_buffer", "core.load_store.store_buffer", "core.load_store.forward", "core.load_store.line_fill_buffers", "core.load_store.barrier",
		"core.tlb.entries", "core.tlb.second_entries", "core.tlb.second_latency", "core.tlb.walk", "core.tlb.walkers", "core.tlb.together",
		"core.branch.predictor.history", "core.branch.predictor.global", "core.load_store.store_operations", "core.load_store.store_fills",
		"memory.l2.oldest", "memory.costs.atomic_keep",
		"memory.cores", "memory.l1.size", "memory.l1.latency", "memory.l2.size", "memory.l2.latency", "memory.l2.interval",
		"memory.l3.size", "memory.l3.latency", "memory.memory_bandwidth", "memory.costs.atomic_hold",
		"memory.costs.clean.die", "memory.costs.dirty.die", "memory.costs.handover.die", "memory.costs.memory.die",
	} {
		want, got := number(t, d, path), number(t, fit.Machine, path)
		if math.Abs(got/want-1) > 0.05 {
			t.Errorf("%s: %g, fitted %g", path, want, got)
		}
	}
	// The known machine has no prefetcher.
	if distance := number(t, fit.Machine, "memory.prefetch.distance"); distance != 0 {
		t.Errorf("memory.prefetch.distance: 0, fitted %g", distance)
	}
	for _, path := range []string{"core.units.int.ports", "core.units.f64.ports", "core.load_store.load_ports"} {
		if want, got := items(d, path), items(fit.Machine, path); got != want {
			t.Errorf("%s: %d, fitted %d", path, want, got)
		}
	}
	// What forks cost is known for two threads alone: in one key, not in two.
	if want, got := number(t, d, "team.fork")+number(t, d, "team.per_thread"), number(t, fit.Machine, "team.fork"); math.Abs(got/want-1) > 0.05 {
		t.Errorf("team.fork: %g, fitted %g", want, got)
	}
	if bare := fit.Machine.UnsourcedLeaves(); len(bare) > 0 {
		t.Errorf("%s has no source on its line", bare[0].Path)
	}
	if !strings.HasPrefix(fit.Text, "# head\n") {
		t.Errorf("begins with %.20q", fit.Text)
	}
}

func items(d *models.Description, path string) int {
	n := 0
	for _, s := range d.Sources() {
		if strings.HasPrefix(s.Path, path+".") {
			n++
		}
	}
	return n
}

// TestRefusesWhatWasRefused does not fit to a figure that there is not.
func TestRefusesWhatWasRefused(t *testing.T) {
	_, facts := known(t)
	r := &hostbench.Results{Facts: facts, Figures: []hostbench.Figure{{Name: "int/latency", Refused: "noise"}}}
	if _, err := New(context.Background(), r, Options{}); err == nil || !strings.Contains(err.Error(), "int/latency was refused: noise") {
		t.Errorf("%v", err)
	}
	r.Figures = nil
	if _, err := New(context.Background(), r, Options{}); err == nil || !strings.Contains(err.Error(), "int/latency is not among the results") {
		t.Errorf("%v", err)
	}
}

// TestEdge finds a step in a series that rises besides.
func TestEdge(t *testing.T) {
	var r hostbench.Results
	for n := 20; n <= 80; n += 4 {
		x := 100 + float64(n)/2
		if n > 48 {
			x += 90
		}
		r.Figures = append(r.Figures, hostbench.Figure{Name: name("s", n), Value: x})
	}
	below, above, ok := edge(r.Series("s"))
	if !ok || below.At != 48 || above.At != 52 {
		t.Errorf("%d, %d, %v", below.At, above.At, ok)
	}
	flat := slices.DeleteFunc(r.Series("s"), func(p hostbench.Point) bool { return p.At > 48 })
	if _, _, ok := edge(flat); ok {
		t.Error("a step where there is none")
	}
}
