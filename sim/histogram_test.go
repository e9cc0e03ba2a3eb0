package sim

import (
	"math"
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestHistogram holds the summary of random values against the values sorted.
func TestHistogram(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) uint64 {
			return rapid.Uint64().Draw(t, "x") >> rapid.UintRange(0, 63).Draw(t, "shift")
		}), 1, 100).Draw(t, "values")
		var h, low, high Histogram
		var mean float64
		for i, x := range values {
			h.Add(x)
			if i%2 == 0 {
				low.Add(x)
			} else {
				high.Add(x)
			}
			mean += float64(x) / float64(len(values))
		}
		low.Merge(&high)
		if low != h {
			t.Fatal("merging halves gives another histogram than adding all")
		}
		slices.Sort(values)
		if h.Count() != uint64(len(values)) || h.Max() != values[len(values)-1] {
			t.Fatalf("count %d, max %d", h.Count(), h.Max())
		}
		if math.Abs(h.Mean()-mean) > 1e-12*mean {
			t.Fatalf("mean %g, want %g", h.Mean(), mean)
		}
		if got, want := h.Quantile(1), float64(h.Max()); got != want {
			t.Fatalf("quantile 1 is %g, want the maximum, %g", got, want)
		}
		last := 0.0
		for p := 0.0; p <= 1; p += 0.125 {
			rank := max(1, int(math.Ceil(p*float64(len(values)))))
			exact, got := values[rank-1], h.Quantile(p)
			if got < last {
				t.Fatalf("quantile %g is %g, less than one before", p, got)
			}
			last = got
			if bucket := bits.Len64(exact); bucket < 53 && bits.Len64(uint64(got)) != bucket {
				t.Fatalf("quantile %g is %g, not in the bucket of %d", p, got, exact)
			}
		}
		var n uint64
		h.Buckets(func(low, high, count uint64) bool {
			for _, x := range values {
				if x >= low && x <= high {
					count--
					n++
				}
			}
			if count != 0 {
				t.Fatalf("bucket from %d to %d is off by %d", low, high, int64(count))
			}
			return true
		})
		if n != h.Count() {
			t.Fatalf("%d values in buckets, want %d", n, h.Count())
		}
	})
}

func TestEmptyHistogram(t *testing.T) {
	var h Histogram
	if !math.IsNaN(h.Mean()) || !math.IsNaN(h.Quantile(0.5)) || h.Max() != 0 || h.Count() != 0 {
		t.Errorf("mean %g, median %g, max %d, count %d", h.Mean(), h.Quantile(0.5), h.Max(), h.Count())
	}
}

// TestHistogramSum holds the mean where the sum of the values needs more than
// 64 bits.
func TestHistogramSum(t *testing.T) {
	var h Histogram
	for range 4 {
		h.Add(math.MaxUint64)
	}
	if h.Mean() != 0x1p64 {
		t.Errorf("mean %g, want %g", h.Mean(), 0x1p64)
	}
}

// TestStateTimer holds that the totals are the spans between changes and sum
// to the time elapsed.
func TestStateTimer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const states = 4
		start := Time(rapid.IntRange(0, 1000).Draw(t, "start"))
		timer := NewStateTimer(states, start)
		var want [states]Time
		now, state := start, 0
		for range rapid.IntRange(0, 50).Draw(t, "changes") {
			span := Time(rapid.IntRange(0, 100).Draw(t, "span"))
			want[state] += span
			now += span
			if rapid.Bool().Draw(t, "settle") {
				timer.Settle(now)
			} else {
				state = rapid.IntRange(0, states-1).Draw(t, "state")
				timer.Enter(state, now)
			}
		}
		if timer.State() != state || timer.Elapsed() != now-start {
			t.Fatalf("state %d after %d, want %d after %d", timer.State(), timer.Elapsed(), state, now-start)
		}
		twice := NewStateTimer(states, 0)
		twice.Merge(&timer)
		twice.Merge(&timer)
		for i := range timer.States() {
			if timer.Total(i) != want[i] || twice.Total(i) != 2*want[i] {
				t.Fatalf("%d and %d in state %d, want %d and twice that", timer.Total(i), twice.Total(i), i, want[i])
			}
		}
	})
	timer := NewStateTimer(1, 5)
	expectPanic(t, "before the last change at 5 fs", func() { timer.Enter(0, 4) })
}
