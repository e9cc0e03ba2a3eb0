package stream

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Streams come back in the order of (cycle, put), whatever the distances, as
// from a sorted list.
func TestWheelIsAStableSort(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		const streams = 40
		w := newWheel(streams)
		type entry struct {
			cycle int64
			s     int16
		}
		var model []entry
		idle := make([]int16, streams)
		for i := range idle {
			idle[i] = int16(i)
		}
		now := int64(rapid.IntRange(0, 5000).Draw(r, "start"))
		w.base = now
		distance := rapid.OneOf(rapid.Int64Range(-3, 25), rapid.Int64Range(0, 2*wheelCycles), rapid.Int64Range(1000, 1030), rapid.Int64Range(0, 100000))
		for range rapid.IntRange(1, 200).Draw(r, "steps") {
			if len(idle) > 0 && rapid.Bool().Draw(r, "put") {
				s := idle[0]
				idle = idle[1:]
				at := now + distance.Draw(r, "distance")
				w.put(s, at)
				at = max(at, now)
				i, _ := slices.BinarySearchFunc(model, at, func(e entry, at int64) int {
					if e.cycle <= at {
						return -1
					}
					return 1
				})
				model = slices.Insert(model, i, entry{at, s})
				continue
			}
			cycle, some := w.soonest()
			if some != (len(model) > 0) {
				r.Fatalf("soonest says %v of %d streams", some, len(model))
			}
			if !some {
				continue
			}
			if cycle != model[0].cycle {
				r.Fatalf("soonest is %d, want %d", cycle, model[0].cycle)
			}
			if s := w.take(cycle); s != model[0].s {
				r.Fatalf("at %d took stream %d, want %d", cycle, s, model[0].s)
			}
			now = cycle
			idle = append(idle, model[0].s)
			model = model[1:]
		}
	})
}

func BenchmarkWheel(b *testing.B) {
	const streams = 100
	w := newWheel(streams)
	for i := range streams {
		w.put(int16(i), int64(i))
	}
	for i := 0; b.Loop(); i++ {
		at, _ := w.soonest()
		s := w.take(at)
		w.put(s, at+21+int64(i*7919%700))
	}
}
