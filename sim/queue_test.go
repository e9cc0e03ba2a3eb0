package sim

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func newQueue() *queue {
	q := new(queue)
	q.init()
	return q
}

// drain pops every event and returns their times; it fails on a wrong order.
func drain(t testing.TB, q *queue, now Time) []Time {
	var times []Time
	var last *Event
	for ev := q.first(now); ev != nil; ev = q.first(now) {
		q.remove(ev)
		if last != nil && !before(last, ev) {
			t.Fatalf("event (%d fs, order %d) after (%d fs, order %d)", ev.time, ev.order, last.time, last.order)
		}
		last, now = ev, ev.time
		times = append(times, ev.time)
	}
	if q.count != 0 || q.occupied.summary != 0 || len(q.heap) != 0 {
		t.Fatalf("an empty queue counts %d events, %d in the heap", q.count, len(q.heap))
	}
	return times
}

// TestQueueSorts pushes, removes and pops at random, at times from one
// femtosecond to hours apart.
func TestQueueSorts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := newQueue()
		q.shift = rapid.UintRange(0, lastShift).Draw(t, "shift")
		scale := rapid.IntRange(0, 50).Draw(t, "scale")
		var now Time
		var pending []*Event
		for range rapid.IntRange(1, 300).Draw(t, "operations") {
			switch op := rapid.IntRange(0, 9).Draw(t, "op"); {
			case op < 6:
				ev := new(Event)
				q.push(ev, now+min(Time(rapid.Int64Range(0, 64).Draw(t, "delay"))<<scale, Never-now-1), now)
				pending = append(pending, ev)
			case op < 7 && len(pending) > 0:
				i := rapid.IntRange(0, len(pending)-1).Draw(t, "removed")
				q.remove(pending[i])
				pending = slices.Delete(pending, i, i+1)
			case len(pending) > 0:
				want := slices.MinFunc(pending, func(a, b *Event) int {
					if before(a, b) {
						return -1
					}
					return 1
				})
				if got := q.first(now); got != want {
					t.Fatalf("first is (%d, %d), want (%d, %d)", got.time, got.order, want.time, want.order)
				}
				q.remove(want)
				now = want.time
				pending = slices.DeleteFunc(pending, func(ev *Event) bool { return ev == want })
			}
			if op := rapid.IntRange(0, 19).Draw(t, "resize"); op == 0 {
				q.resize(rapid.UintRange(0, lastShift).Draw(t, "shift"), now)
				q.pace.patience = firstPatience
			}
			if q.count != len(pending) {
				t.Fatalf("count is %d, want %d", q.count, len(pending))
			}
		}
	})
}

// TestQueueWork bounds the steps that a hundred thousand events cost, in
// patterns that make lists long or lie beyond the ring. A heap operation costs
// about log4(100000) = 8 levels by construction, so only the walks are counted.
func TestQueueWork(t *testing.T) {
	const n = 100_000
	patterns := map[string]func(i int, r *rand.Rand) Time{
		"at one time":                  func(int, *rand.Rand) Time { return Nanosecond },
		"ascending":                    func(i int, _ *rand.Rand) Time { return Time(i) },
		"descending":                   func(i int, _ *rand.Rand) Time { return Time(n - i) },
		"random within a bucket":       func(_ int, r *rand.Rand) Time { return Time(r.Int64N(1 << firstShift)) },
		"random within a microsecond":  func(_ int, r *rand.Rand) Time { return Time(r.Int64N(int64(Microsecond))) },
		"random within ten seconds":    func(_ int, r *rand.Rand) Time { return Time(r.Int64N(10 * int64(Second))) },
		"a burst and the far future":   func(i int, r *rand.Rand) Time { return Time(i%2) * Time(r.Int64N(int64(Second))) },
		"two times, the later first":   func(i int, _ *rand.Rand) Time { return Time(1 - i%2) },
		"exponentially spread":         func(_ int, r *rand.Rand) Time { return 1 << r.Int64N(60) },
		"a thousand times, descending": func(i int, _ *rand.Rand) Time { return Time(1000-i%1000) * Picosecond },
	}
	for name, at := range patterns {
		t.Run(name, func(t *testing.T) {
			q, r := newQueue(), rand.New(rand.NewPCG(1, 2))
			events := make([]Event, n)
			want := make([]Time, n)
			for i := range events {
				want[i] = at(i, r)
				q.push(&events[i], want[i], 0)
			}
			slices.Sort(want)
			if got := drain(t, q, 0); !slices.Equal(got, want) {
				t.Error("the events that came out are not those that went in")
			}
			if q.pace.walked > 4*n {
				t.Errorf("walked %d steps for %d events", q.pace.walked, n)
			}
			t.Logf("%.2f steps an event, days of 2^%d fs, %d reversals", float64(q.pace.walked)/n, q.shift, q.pace.reversed)
		})
	}
}

// TestQueueAdapts holds the length of a day against what steady traffic needs:
// with n pending events spread over a period, buckets hold about one event
// each and nearly none lies beyond the ring.
func TestQueueAdapts(t *testing.T) {
	for _, period := range []Time{20 * Picosecond, Nanosecond, Microsecond, 100 * Millisecond} {
		const n = 256
		q, r := newQueue(), rand.New(rand.NewPCG(3, 4))
		events := make([]Event, n)
		for i := range events {
			q.push(&events[i], Time(r.Int64N(int64(period))), 0)
		}
		var now Time
		steady := func(count int) (steps, heaped float64) {
			walked := q.pace.walked
			for range count {
				ev := q.first(now)
				now = ev.time
				q.remove(ev)
				q.push(ev, now+1+Time(r.Int64N(int64(period))), now)
				if ev.place != inBucket {
					heaped++
				}
			}
			return float64(q.pace.walked-walked) / float64(count), heaped / float64(count)
		}
		steady(200_000)
		steps, heaped := steady(100_000)
		if steps > 1.5 || heaped > 0.15 {
			t.Errorf("period %d fs: %.2f steps an event, %.0f %% through the heap; days of 2^%d fs", period, steps, 100*heaped, q.shift)
		}
		t.Logf("period %d fs: %.2f steps an event, %.0f %% through the heap; days of 2^%d fs", period, steps, 100*heaped, q.shift)
	}
}

// TestQueueWalkIsBounded puts one event before ten thousand of its day.
func TestQueueWalkIsBounded(t *testing.T) {
	q, events := newQueue(), make([]Event, 10_001)
	for i := range events[1:] {
		q.push(&events[i+1], Time(i+1), 0)
	}
	q.push(&events[0], 0, 0)
	if q.pace.walked > walkLimit {
		t.Errorf("walked %d steps, want %d at most", q.pace.walked, walkLimit)
	}
	if got := q.first(0); got != &events[0] {
		t.Errorf("first is at %d", got.time)
	}
	drain(t, q, 0)
}

// TestQueueResize holds that longer days bring into the buckets what they
// then span, and shorter ones send away what they do not.
func TestQueueResize(t *testing.T) {
	q, events := newQueue(), make([]Event, 100)
	for i := range events {
		q.push(&events[i], Time(i)*Second, 0)
	}
	for _, x := range []struct {
		shift uint
		heap  int
	}{
		{firstShift, 99},
		{39, 97}, // 4096 days of 2^39 fs are 2.25 s
		{lastShift, 0},
		{0, 99},
	} {
		q.resize(x.shift, 0)
		if len(q.heap) != x.heap || q.count != len(events) {
			t.Errorf("of %d events %d are in the heap, want %d, with days of 2^%d fs", q.count, len(q.heap), x.heap, x.shift)
		}
	}
	drain(t, q, 0)
}

// TestQueueSettles holds that traffic no length of a day suits, dense with
// every second event scheduled far away and cancelled, does not keep the queue
// changing its mind.
func TestQueueSettles(t *testing.T) {
	q, r := newQueue(), rand.New(rand.NewPCG(5, 6))
	events := make([]Event, 256)
	for i := range events {
		q.push(&events[i], Time(r.Int64N(100_000)), 0)
	}
	var far Event
	var now Time
	changes := 0
	for range 400_000 {
		shift := q.shift
		q.push(&far, now+Microsecond, now)
		q.remove(&far)
		ev := q.first(now)
		now = ev.time
		q.remove(ev)
		q.push(ev, now+Time(r.Int64N(100_000)), now)
		if q.shift != shift {
			changes++
		}
	}
	if changes > 40 {
		t.Errorf("the length of a day changed %d times", changes)
	}
	t.Logf("%d changes, %d reversals, days of 2^%d fs", changes, q.pace.reversed, q.shift)
}

func TestBitRing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := 64 << rapid.IntRange(0, 6).Draw(t, "log words")
		r, set := newBitRing(n), make([]bool, n)
		for range rapid.IntRange(0, 50).Draw(t, "operations") {
			i := rapid.IntRange(0, n-1).Draw(t, "bit")
			if set[i] = rapid.Bool().Draw(t, "set"); set[i] {
				r.set(uint(i))
			} else {
				r.clear(uint(i))
			}
			from := rapid.IntRange(0, n-1).Draw(t, "from")
			want := -1
			for d := range n {
				if set[(from+d)%n] {
					want = (from + d) % n
					break
				}
			}
			if got := r.next(uint(from)); got != want {
				t.Fatalf("next(%d) = %d, want %d", from, got, want)
			}
		}
	})
}
