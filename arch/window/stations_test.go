package window

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Stations behave as a list of all departures.
func TestStationsAgainstList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 12).Draw(t, "size")
		s := newStations(size)
		var all []int64
		at := int64(0)
		for range rapid.IntRange(1, 200).Draw(t, "instructions") {
			at += rapid.SampledFrom([]int64{0, 0, 0, 1, 2, 30, 63, 64, 65, 300}).Draw(t, "gap")
			all = slices.DeleteFunc(all, func(d int64) bool { return d < at })
			slices.Sort(all)
			want := int64(-1)
			if len(all) >= size {
				want = all[len(all)-size]
			}
			forget(s, at)
			if got := s.next().at; got != want {
				t.Fatalf("at %d with %v of %d: waits for %d, want %d", at, all, size, got, want)
			}
			at = max(at, want+1)
			forget(s, at)
			all = slices.DeleteFunc(all, func(d int64) bool { return d < at })
			issue := at + 1 + rapid.SampledFrom([]int64{0, 0, 1, 2, 3, 20, 60, 61, 62, 63, 64, 65, 90, 200}).Draw(t, "wait")
			s.take(issue, because(1, L3))
			all = append(all, issue)
		}
	})
}

func forget(s *stations, at int64) {
	if at > s.from {
		s.forget(at)
	}
}
