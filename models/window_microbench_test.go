package models

import (
	"math"
	"strings"
	"testing"
)

// What programs measure on the simulated multicores is what is published of
// the real ones and what follows from the descriptions.
func TestWindowMicrobenchmarks(t *testing.T) {
	lacks := map[string]string{
		"xeon-e5540": "memory_package memory_2_hops", "xeon-x5650": "memory_package memory_2_hops", "opteron-6176se": "smt_busy smt_waiting",
	}
	published := 0
	for _, name := range multicores {
		all, err := Microbenchmarks(builtin(t, name))
		if err != nil {
			t.Fatal(err)
		}
		measured := map[string]bool{}
		for _, m := range all {
			measured[m.Name] = true
			t.Logf("%s: %s: %.4g %s simulated, %.4g implied, %.4g cited", name, m.Name, m.Simulated, m.Unit, m.Implied, m.Cited)
			if !m.OK() {
				t.Errorf("%s: %s: %.4g %s simulated, %.4g implied, %.4g cited, give or take %g %%", name, m.Name, m.Simulated, m.Unit, m.Implied, m.Cited, 100*m.Tolerance)
			}
			if !math.IsNaN(m.Cited) {
				published++
				if m.Source.Comment == "" {
					t.Errorf("%s: %s cites nothing", name, m.Name)
				}
			}
		}
		for _, mb := range windowMicrobenchmarks {
			if want := !strings.Contains(lacks[name], mb.key); measured[mb.key] != want {
				t.Errorf("%s: %s measured: %v", name, mb.key, !want)
			}
		}
	}
	if published < 30 {
		t.Errorf("%d published figures", published)
	}
}

// What is overridden is what is measured, and no longer what is published.
func TestWindowMicrobenchmarksSeeTheDescription(t *testing.T) {
	set := []string{
		"memory.l1.latency=7 cycles", "memory.l3.latency=60 cycles", "memory.costs.memory.hop_1=150 ns", "memory.costs.dirty.die=50 ns",
		"memory.memory_bandwidth=5 GB/s", "memory.costs.handover.die=90 ns", "core.branch.mispredict=50 cycles", "team.fork=9250 ns",
	}
	want := map[string]float64{
		"l1_latency": 7, "l2_latency": 10, "l3_latency": 60, "memory_1_hop": 150, "dirty_die": 50, "machine_read": 10, "atomic_die": 90, "mispredict": 50, "region": 10,
	}
	all, err := Microbenchmarks(builtin(t, "xeon-e5540", set...))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		x, ok := want[m.Name]
		if !ok {
			continue
		}
		delete(want, m.Name)
		if math.Abs(m.Simulated-x) > 0.1*x {
			t.Errorf("%s: %.4g %s, want %.4g", m.Name, m.Simulated, m.Unit, x)
		}
		if overridden := m.Name != "l2_latency"; m.OK() == overridden && !math.IsNaN(m.Cited) {
			t.Errorf("%s: OK is %v", m.Name, m.OK())
		}
	}
	if len(want) > 0 {
		t.Errorf("not measured: %v", want)
	}
}

// Threads that wait keep its units busy; a core that is busy with
// one has nothing to give.
func TestSMTSharing(t *testing.T) {
	all, err := Microbenchmarks(builtin(t, "xeon-e5540", "core.smt=4", "threads=32", "core.stations=200")) // which one chain of additions does not fill
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		if want := map[string]float64{"smt_busy": 1, "smt_waiting": 4}[m.Name]; want > 0 && math.Abs(m.Simulated-want) > 0.05*want {
			t.Errorf("%s: %.4g, want %g", m.Name, m.Simulated, want)
		}
	}
}

func TestWindowMicrobenchmarksFailInOneLine(t *testing.T) {
	_, err := Microbenchmarks(builtin(t, "xeon-e5540", "capacity=1 MiB"))
	if err == nil || !strings.HasPrefix(err.Error(), "microbenchmark ") || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
	_, err = Microbenchmarks(builtin(t, "functional"))
	if want := "machine functional: there are no microbenchmarks for a machine of kind functional, which has no timing"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
