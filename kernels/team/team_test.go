package team

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"
)

func TestEachCoversEveryIndexOnce(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(0, 3000).Draw(r, "n")
		grain := rapid.IntRange(1, 400).Draw(r, "grain")
		seen := make([]atomic.Int32, n)
		workers := New(context.Background(), rapid.IntRange(-1, 8).Draw(r, "threads"))
		defer workers.Close()
		err := workers.Each(n, grain, func(lo, hi int) {
			if lo%grain != 0 || hi-lo > grain || hi-lo < grain && hi != n {
				r.Errorf("chunk [%d, %d)", lo, hi)
			}
			for i := lo; i < hi; i++ {
				seen[i].Add(1)
			}
		})
		if err != nil {
			r.Fatal(err)
		}
		for i := range seen {
			if k := seen[i].Load(); k != 1 {
				r.Fatalf("index %d: %d times", i, k)
			}
		}
	})
}

// Whatever workers add at the same time is in the queue, pairs side by side, over
// several steps of one team.
func TestQueue(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		team := New(context.Background(), rapid.IntRange(1, 8).Draw(r, "threads"))
		defer team.Close()
		const most = 5000
		q := NewQueue(2 * most)
		for range 3 {
			n := rapid.IntRange(0, most).Draw(r, "n")
			divisor := rapid.IntRange(1, 4).Draw(r, "divisor")
			q.Clear()
			err := team.Each(n, rapid.IntRange(1, 2000).Draw(r, "grain"), func(lo, hi int) {
				for i := lo; i < hi; i++ {
					if i%divisor == 0 {
						q.AddPair(int32(2*i), int32(2*i+1))
					} else {
						q.Add(int32(2 * i))
					}
				}
			})
			if err != nil {
				r.Fatal(err)
			}
			got := q.Vertices()
			for k, v := range got {
				if v%2 == 1 && (k == 0 || got[k-1] != v-1) {
					r.Fatalf("%d is not behind the other of its pair: %v", v, got)
				}
			}
			var want []int32
			for i := range n {
				want = append(want, int32(2*i))
				if i%divisor == 0 {
					want = append(want, int32(2*i+1))
				}
			}
			if sorted := slices.Sorted(slices.Values(got)); q.Size() != len(want) || !slices.Equal(sorted, want) {
				r.Fatalf("%d in the queue, size %d; want %d: %v", len(got), q.Size(), len(want), sorted)
			}
		}
	})
}

func TestTheContextEndsIt(t *testing.T) {
	for threads := 1; threads <= 4; threads++ {
		ctx, cancel := context.WithCancel(context.Background())
		var calls atomic.Int32
		team := New(ctx, threads)
		err := team.Each(1000, 1, func(int, int) {
			calls.Add(1)
			cancel()
		})
		if err != context.Canceled {
			t.Errorf("%d threads: error %v", threads, err)
		}
		team.Close()
		// Each worker may have taken a chunk before the first ended the context.
		if n := int(calls.Load()); n < 1 || n > threads {
			t.Errorf("%d threads: %d chunks after the end", threads, n)
		}
	}
}
