package mem

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// An address with more than half of the atomics that share its entry keeps it,
// and none is credited with more than it had.
func TestHotWordsAgainstCounts(t *testing.T) {
	// Addresses that share an entry, found by trying: the first two after which
	// the count of the first has gone down.
	shared := []uint64{4096}
	for a := uint64(4100); len(shared) < 3; a += 4 {
		if a > 1<<20 {
			t.Fatal("no two addresses share an entry")
		}
		var h HotWords
		h.Add(shared[0], 0, Site{})
		if h.Add(a, 0, Site{}); !slices.ContainsFunc(h.entries[:], func(e hotEntry) bool { return e.count > 0 }) {
			shared = append(shared, a)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		var h HotWords
		counts := map[uint64]uint64{}
		draws := rapid.SliceOfN(rapid.SampledFrom([]int{0, 0, 0, 1, 2}), 1, 60).Draw(t, "draws")
		for _, d := range draws {
			h.Add(shared[d], d, Site{PC: int32(d)})
			counts[shared[d]]++
		}
		top := h.Top(5)
		for _, w := range top {
			if w.Atomics > counts[w.Addr] {
				t.Fatalf("address %d: at least %d atomics, had %d", w.Addr, w.Atomics, counts[w.Addr])
			}
		}
		for addr, n := range counts {
			if margin := 2*int(n) - len(draws); margin > 1 && (len(top) != 1 || top[0].Addr != addr || int(top[0].Atomics) < margin) {
				t.Fatalf("address %d had %d of %d atomics; found %v", addr, n, len(draws), top)
			}
		}
	})
}
