package hostbench

import (
	"fmt"
	"slices"
	"time"
)

// Sampling: every microbenchmark takes a few batches of samples in a pass, and
// passes follow until the medians of the best batches of each agree. The least
// median is the figure: whatever else runs on a computer only ever adds time,
// and seldom to a whole batch in each pass. What neighbors do with the memory
// that computers share lasts for seconds, so that all batches of a pass may
// suffer; and as figures are compared with each other, all are measured over the
// same time.
const (
	sampleTime   = time.Millisecond / 2 // of one sample, at least
	batchSamples = 9
	passBatches  = 2
	fewestPasses = 4
	mostPasses   = 12
	best         = 3    // batches that must agree; more than a pass has
	agreement    = 0.02 // relative, of the best medians: no more batches are needed
	widest       = 0.10 // relative: above, the figure is refused
	outlier      = 3    // scaled median absolute deviations
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

// sampler has the samples of a microbenchmark.
type sampler struct {
	medians  []float64 // of batches, nanoseconds of an operation, ascending
	samples  int
	outliers int
}

// pass measures run in a pass.
func (s *sampler) pass(run func(n int) time.Duration) {
	n := 1
	for run(n) < sampleTime && n < 1<<40 {
		n *= 2
	}
	for range passBatches {
		batch := make([]float64, batchSamples)
		for i := range batch {
			batch[i] = float64(run(n).Nanoseconds()) / float64(n)
		}
		kept := withoutOutliers(batch)
		s.samples += len(batch)
		s.outliers += len(batch) - len(kept)
		s.medians = append(s.medians, median(kept))
	}
	slices.Sort(s.medians)
}

// spread is by how much the best batches differ, relative.
func (s *sampler) spread() float64 { return s.medians[best-1]/s.medians[0] - 1 }

// settled reports whether more passes are not needed.
func (s *sampler) settled() bool {
	return len(s.medians) >= passBatches*fewestPasses && s.spread() <= agreement
}

// value returns the nanoseconds of an operation. It refuses when the best
// batches differ too much.
func (s *sampler) value() (float64, error) {
	if spread := s.spread(); !(spread <= widest) {
		return 0, fmt.Errorf("the best %d of %d batches differ by %.0f %%, more than %.0f %%: the computer is not quiet enough",
			best, len(s.medians), 100*spread, 100*widest)
	}
	return s.medians[0], nil
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
