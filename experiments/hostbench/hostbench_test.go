package hostbench

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// sampled passes over run until it is settled or passes are over.
func sampled(run func(pass, n int) time.Duration) (*sampler, int) {
	s := new(sampler)
	for pass := range mostPasses {
		if s.settled() {
			return s, pass
		}
		s.pass(func(n int) time.Duration { return run(pass, n) })
	}
	return s, mostPasses
}

// TestSample finds the time of an operation under noise, and refuses where
// there is nothing but noise.
func TestSample(t *testing.T) {
	calls := 0
	s, passes := sampled(func(_, n int) time.Duration { // each third sample is disturbed
		calls++
		d := time.Duration(n) * 20 * time.Nanosecond
		if calls%3 == 0 {
			d *= 7
		}
		return d
	})
	if ns, err := s.value(); err != nil || math.Abs(ns-20) > 0.1 || s.outliers == 0 || s.outliers >= s.samples/2 || passes != fewestPasses {
		t.Errorf("%g, %v after %d passes: %+v", ns, err, passes, s)
	}
	// Whole passes are disturbed but two: those give the figure.
	s, _ = sampled(func(pass, n int) time.Duration {
		d := time.Duration(n) * 20 * time.Nanosecond
		if pass != 1 && pass != 7 {
			d *= time.Duration(2 + pass)
		}
		return d
	})
	if ns, err := s.value(); err != nil || math.Abs(ns-20) > 0.1 {
		t.Errorf("two quiet passes: %g, %v", ns, err)
	}
	calls = 0
	s, passes = sampled(func(_, n int) time.Duration { // no two batches agree
		calls++
		return time.Duration(n) * time.Duration(10+calls) * time.Microsecond
	})
	if _, err := s.value(); err == nil || !strings.Contains(err.Error(), "not quiet enough") || passes != mostPasses {
		t.Errorf("%v after %d passes", err, passes)
	}
}

func TestOutliers(t *testing.T) {
	got := withoutOutliers([]float64{10.2, 10, 10.1, 50, 9.9, 10, 1})
	if want := []float64{9.9, 10, 10, 10.1, 10.2}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := withoutOutliers([]float64{3, 3, 3}); len(got) != 3 {
		t.Errorf("of equal samples only %v", got)
	}
}

// TestRings follows every ring once round.
func TestRings(t *testing.T) {
	const page, line = 4096, 64
	round := func(what string, words []int64, places int) {
		t.Helper()
		seen := map[int64]bool{}
		for at := int64(0); !seen[at]; at = words[at] {
			seen[at] = true
		}
		if len(seen) != places {
			t.Errorf("%s: comes round after %d places, want %d", what, len(seen), places)
		}
	}
	words := make([]int64, 32<<10/8)
	lay(words, 32<<10/line, line/8)
	round("lines", words, 512)
	words = make([]int64, 100*page/8)
	layPages(words, 100, page, line)
	round("pages", words, 100)
	words = make([]int64, 3*blockPages*page/8)
	layBlocks(words, page, line)
	round("blocks", words, 3*blockPages*page/line/2)
}

// TestSplit makes what was asked for out of the two loops.
func TestSplit(t *testing.T) {
	for _, w := range fillings {
		for _, n := range w.counts {
			if a, b := split(n); a*wide+b*narrow != n {
				t.Errorf("%s: %d instructions are %d of %d and %d of %d", w.name, n, a, wide, b, narrow)
			}
		}
	}
}

// TestNames wants each figure to have a name of its own and to be either in
// both worlds or have a reason.
func TestNames(t *testing.T) {
	f := Facts{CPUs: []int{0, 1, 2, 3}, Cores: 4, Sockets: 1, Line: 64, Page: 4096, Caches: []Cache{{1, 32 << 10, 8}, {2, 256 << 10, 8}}}
	seen := map[string]bool{}
	for _, c := range Cases(f) {
		if seen[c.Name] || c.Meaning == "" || c.prepare == nil {
			t.Errorf("%s: %+v", c.Name, c)
		}
		if c.simulate == nil && !strings.HasPrefix(c.Name, "chase/huge/") {
			t.Errorf("%s is not simulated", c.Name)
		}
		seen[c.Name] = true
	}
}

// TestMeasureRuns runs a microbenchmark of each kind on this computer and
// wants a time, whatever it is.
func TestMeasureRuns(t *testing.T) {
	f := Describe()
	h := &host{facts: f}
	defer h.free()
	seen := map[string]bool{}
	for _, c := range Cases(f) {
		kind := c.Name[:strings.LastIndexByte(c.Name, '/')]
		if seen[kind] || kind == "chains" || strings.HasPrefix(kind, "window") || strings.HasPrefix(kind, "random") || strings.HasPrefix(kind, "stream/w") || strings.HasPrefix(kind, "stream/r") || kind == "transfer" {
			continue // they take all of a large memory
		}
		seen[kind] = true
		s, err := c.prepare(h)
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		if d := s.run(100); d <= 0 {
			t.Errorf("%s: %v", c.Name, d)
		}
	}
}

// TestTopology reads what a computer of two cores with two threads each tells.
func TestTopology(t *testing.T) {
	root := t.TempDir()
	write := func(path, text string) {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for cpu, core := range map[string]string{"cpu0": "0", "cpu1": "0", "cpu2": "1", "cpu3": "1"} {
		write(cpu+"/topology/physical_package_id", "0")
		write(cpu+"/topology/core_id", core)
	}
	for i, c := range []struct{ level, kind, size, ways string }{
		{"1", "Data", "48K", "12"}, {"1", "Instruction", "32K", "8"}, {"2", "Unified", "2M", "16"},
	} {
		dir := "cpu0/cache/index" + string(rune('0'+i)) + "/"
		write(dir+"level", c.level)
		write(dir+"type", c.kind)
		write(dir+"size", c.size)
		write(dir+"ways_of_associativity", c.ways)
		write(dir+"coherency_line_size", "128")
	}
	f := Facts{CPUs: []int{0, 1, 2, 3}}
	f.topology(root)
	if f.Cores != 2 || f.Sockets != 1 || f.SMT() != 2 || f.Line != 128 || !slices.Equal(f.CPUs, []int{0, 2, 1, 3}) {
		t.Errorf("%+v", f)
	}
	if want := []Cache{{1, 48 << 10, 12}, {2, 2 << 20, 16}}; !slices.Equal(f.Caches, want) {
		t.Errorf("%v", f.Caches)
	}
}
