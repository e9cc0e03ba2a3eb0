package experiments

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// BenchmarkSample runs kernels on the Fermi model whole, and sampled three times.
// It reports how many times as fast the sampled run of median time is, by how much
// its time is off, half the width of its interval, and whether the interval holds
// the whole run's time.
func BenchmarkSample(b *testing.B) {
	for _, graph := range []string{"rmat-er:20", "rmat-g:20", "rmat-b:20", "rmat-g:18", "rmat-er:18"} {
		for _, kernel := range []string{"matching/ld", "bfs/level"} {
			b.Run(strings.ReplaceAll(kernel, "/", "-")+"/"+strings.ReplaceAll(graph, ":", "-"), func(b *testing.B) {
				run := Run{Kernel: kernel, Machine: "tesla-c2050", Graph: graph, Seed: 1, Source: -1}
				for b.Loop() {
					benchmarkSample(b, run)
				}
			})
		}
	}
}

func benchmarkSample(b *testing.B, run Run) {
	whole, err := run.Execute(b.Context(), Hooks{})
	if err != nil {
		b.Fatal(err)
	}
	run.Sample = true
	var sampled *Result
	var walls []float64
	for range 3 { // what else a host does weighs more in a short run
		if sampled, err = run.Execute(b.Context(), Hooks{}); err != nil {
			b.Fatal(err)
		}
		walls = append(walls, sampled.Host.WallSeconds)
	}
	slices.Sort(walls)
	t := *whole.Simulated.Seconds
	low, high := sampled.Simulated.Sampling.Interval[0], sampled.Simulated.Sampling.Interval[1]
	inside := 0.0
	if low <= t && t <= high {
		inside = 1
	}
	b.ReportMetric(whole.Host.WallSeconds/walls[1], "times-as-fast")
	b.ReportMetric(100*(*sampled.Simulated.Seconds/t-1), "%-off")
	b.ReportMetric(100*(high-low)/2/t, "%-interval")
	b.ReportMetric(inside, "inside")
}

// A sampled run's answer is checked like any other, and its time comes with an
// interval around it.
func TestSampledRun(t *testing.T) {
	run := Run{Kernel: "bfs/level", Machine: "tesla-c2050", Graph: "rmat-g:15", Seed: 1, Source: -1}
	whole, err := run.Execute(t.Context(), Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	run.Sample = true
	sampled, err := run.Execute(t.Context(), Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	s := sampled.Simulated.Sampling
	if !sampled.Answer.Verified || s == nil || s.Windows == 0 || s.Detailed <= 0 || s.Detailed >= 1 {
		t.Fatalf("verified %t, sampling %+v", sampled.Answer.Verified, s)
	}
	got, want := *sampled.Simulated.Seconds, *whole.Simulated.Seconds
	if off := got/want - 1; math.Abs(off) > 0.25 {
		t.Errorf("%g s, want %g s", got, want)
	}
	if got < s.Interval[0] || got > s.Interval[1] {
		t.Errorf("%g s outside of %v", got, s.Interval)
	}
	var launches float64
	for _, l := range sampled.Launches {
		launches += l.Seconds
	}
	if launches > got {
		t.Errorf("launches of %g s in a run of %g s", launches, got)
	}
	var text strings.Builder
	if err := writeReport(&text, sampled, false); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("estimated from %d windows", s.Windows); !strings.Contains(text.String(), want) {
		t.Errorf("no %q in:\n%s", want, text.String())
	}
}
