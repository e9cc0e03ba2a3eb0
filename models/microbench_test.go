package models

import (
	"math"
	"strings"
	"testing"
)

// TestMicrobenchmarks holds what programs measure on the simulated machines
// against the published figures and the closed formulas.
func TestMicrobenchmarks(t *testing.T) {
	for _, name := range []string{"tesla-c2050", "tesla-c2050-l1-off"} {
		all, err := Microbenchmarks(builtin(t, name))
		if err != nil {
			t.Fatal(err)
		}
		measured := map[string]bool{}
		for _, m := range all {
			measured[m.Name] = true
			t.Logf("%s: %s: %.4g %s simulated, %.4g implied, %.4g cited", name, m.Name, m.Simulated, m.Unit, m.Implied, m.Cited)
			if !m.OK() {
				t.Errorf("%s: %s: %.4g %s simulated, %.4g cited (%s), give or take %g %%",
					name, m.Name, m.Simulated, m.Unit, m.Cited, m.Source.Comment, 100*m.Tolerance)
			}
			if !math.IsNaN(m.Cited) && m.Source.Comment == "" {
				t.Errorf("%s cites nothing", m.Name)
			}
			// No program beats what the description implies, but by the edges
			// of clocks and the beginnings of chains.
			bandwidth := strings.HasSuffix(m.Unit, "/s")
			if bandwidth && m.Simulated > 1.005*m.Implied || !bandwidth && m.Simulated < 0.995*m.Implied {
				t.Errorf("%s: %s: %.4g %s simulated beats the implied %.4g", name, m.Name, m.Simulated, m.Unit, m.Implied)
			}
		}
		for _, mb := range gpuMicrobenchmarks {
			if want := name == "tesla-c2050" || mb.key != "l1_latency"; measured[mb.key] != want {
				t.Errorf("%s: %s measured: %v", name, mb.key, !want)
			}
		}
	}
}

// TestMicrobenchmarksSeeTheDescription: what is overridden is what is measured.
func TestMicrobenchmarksSeeTheDescription(t *testing.T) {
	all, err := Microbenchmarks(builtin(t, "tesla-c2050", "sms=2", "l2.atomic_same_address=50 cycles", "host.launch=20 us", "l1.hit_latency=80 cycles"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		want := math.NaN()
		switch m.Name {
		case "atomic_same_address":
			want = 100
		case "l1_latency":
			want = 100
		case "launch":
			want = 20
		}
		if math.Abs(m.Simulated-want) > 0.02*want {
			t.Errorf("%s: %.4g %s, want %.4g", m.Name, m.Simulated, m.Unit, want)
		}
		if !math.IsNaN(want) && m.OK() {
			t.Errorf("%s: as published, although it is overridden", m.Name)
		}
	}
}

func TestMicrobenchmarksFailInOneLine(t *testing.T) {
	for _, set := range []string{"memory.capacity=1 MiB", "dram={channels: 64, row: 65536 B}", "occupancy.registers_per_thread=1"} {
		_, err := Microbenchmarks(builtin(t, "tesla-c2050", "sms=1", set))
		if err == nil || !strings.HasPrefix(err.Error(), "microbenchmark ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", set, err)
		}
	}
}
