package hostbench

import (
	"fmt"
	"slices"
	"time"
)

// Sampling: batches of samples are taken until the medians of the best of them
// agree. The least median is the figure: whatever else runs on a computer only
// ever adds time, and seldom to a whole batch.
const (
	sampleTime    = time.Millisecond / 2 // of one sample, at least
	batchSamples  = 9
	fewestBatches = 3
	mostBatches   = 15
	best          = 3    // batches that must agree
	agreement     = 0.02 // relative, of the best medians: no more batches are needed
	widest        = 0.10 // relative: above, the figure is refused
	outlier       = 3    // scaled median absolute deviations
)

// stage is a microbenchmark that is ready to run.
type stage struct {
	// run does n operations and returns how long they took.
	run func(n int) time.Duration
	// figure turns the nanoseconds of an operation into the figure's unit; nil
	// for what is a time.
	figure func(ns float64) float64
	close  func() // nil for nothing to do
}

// timed returns a run that times work.
func timed(work func(n int)) func(n int) time.Duration {
	return func(n int) time.Duration {
		began := time.Now()
		work(n)
		return time.Since(began)
	}
}

// estimate is what sampling found.
type estimate struct {
	ns       float64 // of an operation
	spread   float64
	samples  int
	outliers int
}

// sample measures run: the nanoseconds of an operation. It refuses when the
// best batches differ too much.
func sample(run func(n int) time.Duration) (estimate, error) {
	n := 1
	for run(n) < sampleTime && n < 1<<40 {
		n *= 2
	}
	var e estimate
	var medians []float64
	for range mostBatches {
		samples := make([]float64, batchSamples)
		for i := range samples {
			samples[i] = float64(run(n).Nanoseconds()) / float64(n)
		}
		kept := withoutOutliers(samples)
		e.samples += len(samples)
		e.outliers += len(samples) - len(kept)
		medians = append(medians, median(kept))
		slices.Sort(medians)
		if len(medians) < fewestBatches {
			continue
		}
		e.ns, e.spread = medians[0], medians[best-1]/medians[0]-1
		if e.spread <= agreement {
			return e, nil
		}
	}
	if !(e.spread <= widest) {
		return e, fmt.Errorf("the best %d of %d batches differ by %.0f %%, more than %.0f %%: the computer is not quiet enough",
			best, mostBatches, 100*e.spread, 100*widest)
	}
	return e, nil
}

// withoutOutliers sorts x and returns what lies near its median.
func withoutOutliers(x []float64) []float64 {
	slices.Sort(x)
	m := median(x)
	deviations := make([]float64, len(x))
	for i, v := range x {
		deviations[i] = max(v-m, m-v)
	}
	slices.Sort(deviations)
	// 1.4826 makes the deviation that of a normal distribution.
	far := outlier * 1.4826 * median(deviations)
	return slices.DeleteFunc(slices.Clone(x), func(v float64) bool { return max(v-m, m-v) > far })
}

// median returns the middle of a sorted slice that is not empty.
func median(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
