package catalog

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heddle/experiments/batch"
	"heddle/experiments/study"
)

const result = `{"kernel":"matching/ld","machine":"m","graph":{"name":"g","vertices":4,"edges":7},"seed":18446744073709551615,
"result":{"verified":true,"weight":2.5},"simulated":{"seconds":0.001,"cycles":9,"memory_bytes":64,"contexts":48},
"host":{"wall_seconds":2,"instructions":100,"setup_seconds":1,"check_seconds":0.5},"metrics":{"ipc":null,"bytes":3},"stalls":{"issued":1}}`

func open(t *testing.T, s *batch.Store) *Catalog {
	t.Helper()
	c, err := Open(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func put(t *testing.T, s *batch.Store, id, value string) {
	t.Helper()
	if err := s.Put(id, json.RawMessage(value)); err != nil {
		t.Fatal(err)
	}
}

// The catalog has what the store has, whoever put it there or removed it.
func TestSync(t *testing.T) {
	ctx := context.Background()
	s, err := batch.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	put(t, s, "a", result)
	put(t, s, "statistics", `{"clustering": 1}`) // a result that is no run's
	if err := s.Fail("b", batch.Failure{Job: "b", Reason: "why"}); err != nil {
		t.Fatal(err)
	}
	for range 2 { // a second one finds the first's tables
		c := open(t, s)
		values, err := c.Values(ctx, "a")
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]float64{"seconds": 0.001, "cycles": 9, "instructions": 100, "edges": 7, "memory_bytes": 64, "result.weight": 2.5, "stall.issued": 1, "metric.bytes": 3} {
			if got := values.Get(name); got != want {
				t.Errorf("%s %g, want %g", name, got, want)
			}
		}
		if got := values.Get("metric.ipc"); !math.IsNaN(got) {
			t.Errorf("ipc %g, want none", got)
		}
		samples, err := c.Samples(ctx)
		if want := (Sample{"matching/ld", "m", 7, 48, 64, 100, 2, 1.5}); err != nil || len(samples) != 1 || samples[0] != want {
			t.Errorf("samples %+v, %v", samples, err)
		}
	}
	if err := os.Remove(filepath.Join(s.Dir(), "a.json")); err != nil {
		t.Fatal(err)
	}
	if values, err := open(t, s).Values(ctx, "a"); err != nil || values != nil {
		t.Errorf("values of a result that is gone: %v, %v", values, err)
	}
}

// What a run cost is processor time where the result tells it.
func TestSampleOfBusyComputer(t *testing.T) {
	for _, c := range []struct{ processor, want float64 }{{0, 8}, {2, 2}} {
		o := new(study.Outcome)
		o.Host.WallSeconds, o.Host.ProcessorSeconds = 8, c.processor
		if got := SampleOf(o).Simulating; got != c.want {
			t.Errorf("%g s of processor time in 8 s: %g s", c.processor, got)
		}
	}
}

func TestDamaged(t *testing.T) {
	s, err := batch.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(s.Dir(), Name)
	if err := os.WriteFile(path, []byte(strings.Repeat("no database ", 100)), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(context.Background(), s); err == nil || !strings.HasPrefix(err.Error(), path+": ") || !strings.HasSuffix(err.Error(), "without this file it is made anew from the results beside it") {
		t.Errorf("%v", err)
	}
}
