package sim

import (
	"math"
	"math/bits"
)

// Histogram counts values in power-of-two buckets: one for 0, then 1, 2-3,
// 4-7 and so on. Its zero value is empty.
type Histogram struct {
	counts  [65]uint64
	n       uint64
	sum     uint64 // low word
	sumHigh uint64
	max     uint64
}

// Add counts x.
func (h *Histogram) Add(x uint64) {
	h.counts[bits.Len64(x)]++
	h.n++
	var carry uint64
	h.sum, carry = bits.Add64(h.sum, x, 0)
	h.sumHigh += carry
	h.max = max(h.max, x)
}

// Merge adds what o has counted.
func (h *Histogram) Merge(o *Histogram) {
	for i, n := range o.counts {
		h.counts[i] += n
	}
	h.n += o.n
	var carry uint64
	h.sum, carry = bits.Add64(h.sum, o.sum, 0)
	h.sumHigh += o.sumHigh + carry
	h.max = max(h.max, o.max)
}

// Count returns the number of values.
func (h *Histogram) Count() uint64 { return h.n }

// Max returns the largest value, 0 if there is none.
func (h *Histogram) Max() uint64 { return h.max }

// Mean returns the mean, NaN if there is no value.
func (h *Histogram) Mean() float64 {
	return (float64(h.sumHigh)*0x1p64 + float64(h.sum)) / float64(h.n)
}

// Quantile returns the value that a fraction p of the values, 0 <= p <= 1, are
// not above; NaN if there is none. It is in the right bucket, so within a
// factor of two, and interpolated there as if the values were spread evenly.
func (h *Histogram) Quantile(p float64) float64 {
	if h.n == 0 {
		return math.NaN()
	}
	rank := max(1, math.Ceil(p*float64(h.n))) // of the value looked for, from 1
	var below float64
	for i, n := range h.counts {
		if n == 0 || below+float64(n) < rank {
			below += float64(n)
			continue
		}
		if i == 0 {
			return 0
		}
		low := math.Ldexp(1, i-1)
		high := min(2*low-1, float64(h.max))
		return low + (high-low)*(rank-below)/float64(n)
	}
	return float64(h.max)
}

// Buckets calls yield for every bucket that is not empty with its smallest and
// largest value and its count, from small to large.
func (h *Histogram) Buckets(yield func(low, high, count uint64) bool) {
	for i, n := range h.counts {
		if n == 0 {
			continue
		}
		low, high := uint64(0), uint64(0)
		if i > 0 {
			low = 1 << (i - 1)
			high = low + (low - 1)
		}
		if !yield(low, high, n) {
			return
		}
	}
}
