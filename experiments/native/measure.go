// Package native times kernels on the computer that it runs on: goroutines on
// pinned threads, warmed up, repeated, with a measure of how quiet the computer
// was meanwhile.
package native

import (
	"context"
	"encoding/json"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"

	"heddle/kernels"
	"heddle/kernels/graph"
	"heddle/kernels/team"
)

// Warm-up goes on until it has lasted this long, for one run at least and most
// runs at most: caches and predictors fill, pages are mapped, clocks rise.
const (
	warmup      = 100 * time.Millisecond
	mostWarmups = 10
)

// Timing is how long the timed part of a kernel took: what a simulated run does
// between Start and Finish. Times are in seconds.
type Timing struct {
	Threads    int       `json:"threads"`
	Processors []int     `json:"processors"` // that the threads were pinned to, null if they were not
	Warmups    int       `json:"warmups"`    // runs before the first that counts
	Cold       bool      `json:"cold"`       // whether runs began with empty caches
	Samples    []float64 `json:"samples"`    // in the order of the runs
	Median     float64   `json:"seconds"`
	// Waited is for how long, during each sample, pinned workers could have run but
	// had no processor, in seconds of all together.
	Waited []float64 `json:"waited_seconds"`
	// Spins are the seconds that the slowest worker's loop of Noise took, before
	// or after each sample, whichever was longer.
	Spins []float64 `json:"spin_seconds"`
	// Undisturbed is the median of the samples that waited at most a twentieth of
	// their time and around which the loop was nearly at its fastest, NaN if there
	// is none.
	Undisturbed Number  `json:"undisturbed_seconds"`
	Least       float64 `json:"least_seconds"`
	Most        float64 `json:"most_seconds"`
	// Spread is the distance of the quartiles over the median.
	Spread float64 `json:"spread"`
	Noise  Noise   `json:"noise"`

	// Answer is that of the last run, which Measure leaves unchecked.
	Answer kernels.Answer `json:"-"`
}

// Options say how a kernel is timed.
type Options struct {
	Repeat int // runs that count; 0 means one
	// Cold empties the caches of what a run uses before each run that counts,
	// as they are when a simulated run begins. Without it each run finds what
	// the one before has left.
	Cold bool
}

// Measure runs a kernel natively on k.Threads threads, 0 for one a processor,
// and times it. Threads are pinned where the system allows it. Graph and rows
// are ready before, and the garbage collector rests meanwhile. Its error is the
// kernel's, or that of ctx if that ends.
func Measure(ctx context.Context, kernel kernels.Kernel, g *graph.Graph, k kernels.Options, o Options) (*Timing, error) {
	t, err := team.Pinned(ctx, k.Threads)
	if err != nil {
		t = team.New(ctx, k.Threads)
	}
	defer t.Close()
	run, err := kernel.Native(t, g, k)
	if err != nil {
		return nil, err
	}
	var cold *eviction
	if o.Cold {
		cold = newEviction(t)
	}
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))

	m := &Timing{Threads: t.Threads(), Processors: t.Processors(), Cold: o.Cold}
	for began := time.Now(); m.Warmups == 0 || m.Warmups < mostWarmups && time.Since(began) < warmup; m.Warmups++ {
		if err := run.Run(); err != nil {
			return nil, err
		}
	}
	noise := listen(t)
	for range max(1, o.Repeat) {
		if o.Cold {
			cold.evict()
		}
		spun, before := noise.sample(), waited(noise.threads)
		began := time.Now()
		err := run.Run()
		seconds := time.Since(began).Seconds()
		if err != nil {
			return nil, err
		}
		m.Samples = append(m.Samples, seconds)
		m.Waited = append(m.Waited, max(0, waited(noise.threads)-before))
		m.Spins = append(m.Spins, max(spun, noise.sample()))
	}
	m.Noise = noise.heard()
	m.summarize()
	m.Answer = run.Answer()
	return m, nil
}

// Number is a figure that JSON shows as null if it is NaN: if there is none.
type Number float64

// MarshalJSON implements json.Marshaler.
func (n Number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(n)) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// summarize computes what there is to say of the samples.
func (t *Timing) summarize() {
	sorted := slices.Sorted(slices.Values(t.Samples))
	quantile := func(p float64) float64 { return stat.Quantile(p, stat.LinInterp, sorted, nil) }
	t.Least, t.Most = sorted[0], sorted[len(sorted)-1]
	t.Median = Median(sorted)
	t.Spread = (quantile(0.75) - quantile(0.25)) / t.Median
	t.Undisturbed = Number(Median(t.Quiet(t.Fastest())))
}

// Fastest returns the least of the seconds that a loop took around samples.
func (t *Timing) Fastest() float64 { return slices.Min(t.Spins) }

// disturbed is how much of a sample threads have waited for, or how much longer
// than at its fastest a loop around it took, when the sample is of no use.
const disturbed = 0.05

// Quiet returns the undisturbed samples, ascending, if the loop takes so many
// seconds at its fastest.
func (t *Timing) Quiet(fastest float64) []float64 {
	var list []float64
	for i, x := range t.Samples {
		if t.Waited[i] <= disturbed*x && t.Spins[i] <= (1+disturbed)*fastest {
			list = append(list, x)
		}
	}
	slices.Sort(list)
	return list
}

// Median returns the middle of ascending numbers, NaN of none.
func Median(sorted []float64) float64 {
	n := len(sorted)
	if n == 0 {
		return math.NaN()
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
