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

// What is found is in the queue when Find returns, over several steps of one
// team, with more finds than a batch holds.
func TestFind(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		team := New(context.Background(), rapid.IntRange(1, 8).Draw(r, "threads"))
		defer team.Close()
		const most = 5000
		q := NewQueue(most)
		for range 3 {
			n := rapid.IntRange(0, most).Draw(r, "n")
			divisor := rapid.IntRange(1, 4).Draw(r, "divisor")
			q.Clear()
			err := team.Find(n, rapid.IntRange(1, 2000).Draw(r, "grain"), q, func(lo, hi int, found *Batch) {
				for i := lo; i < hi; i++ {
					if i%divisor == 0 {
						found.Add(int32(i))
					}
				}
			})
			if err != nil {
				r.Fatal(err)
			}
			got := slices.Sorted(slices.Values(q.Vertices()))
			if want := (n + divisor - 1) / divisor; q.Size() != want || len(got) != want {
				r.Fatalf("%d found, size %d; want %d", len(got), q.Size(), want)
			}
			for k, v := range got {
				if int(v) != k*divisor {
					r.Fatalf("found %v", got)
				}
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
