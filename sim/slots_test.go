package sim

import (
	"testing"

	"pgregory.net/rapid"
)

// The bookings of a Slots are those of a plain set of cycles.
func TestSlotsTakeTheFirstFreeCycles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		clock := Clock{Time(rapid.IntRange(1, 2_000_000).Draw(t, "period"))}
		s := NewSlots(clock)
		taken := map[Time]bool{}
		now := Time(0)
		total := 0
		for range rapid.IntRange(1, 200).Draw(t, "requests") {
			if rapid.IntRange(0, 4).Draw(t, "advance") == 0 {
				now += Time(rapid.IntRange(0, 1000).Draw(t, "by")) * clock.Period / 3
				s.Advance(now)
			}
			at := now + Time(rapid.IntRange(0, 2000*2).Draw(t, "at"))*clock.Period/2
			n := rapid.IntRange(1, 9).Draw(t, "n")
			total += n
			c := (at + clock.Period - 1) / clock.Period
			left := n
			for ; left > 0; c++ {
				if !taken[c] {
					taken[c] = true
					left--
				}
			}
			if got, want := s.Reserve(at, n), c*clock.Period; got != want {
				t.Fatalf("%d cycles from %d: done at %d, want %d", n, at, got, want)
			}
		}
		if s.Busy() != Time(total)*clock.Period {
			t.Fatalf("busy %d, want %d cycles", s.Busy(), total)
		}
	})
}

// Behind the ring nothing is lost: a long queue of requests for one time is
// served at one a cycle.
func TestSlotsBehindTheRing(t *testing.T) {
	clock := Clock{1000}
	s := NewSlots(clock)
	for i := range 3 * 64 * slotWords {
		if got, want := s.Reserve(0, 1), Time(i+1)*1000; got != want {
			t.Fatalf("request %d: done at %d, want %d", i, got, want)
		}
	}
	s.Advance(64 * slotWords * 1000)
	if got, want := s.Reserve(0, 1), Time(3*64*slotWords+1)*1000; got != want {
		t.Fatalf("after the ring moved: done at %d, want %d", got, want)
	}
}

func TestSlotsDoNotAllocate(t *testing.T) {
	s := NewSlots(Clock{1000})
	at := Time(0)
	if n := testing.AllocsPerRun(1000, func() { s.Reserve(at, 3); at += 5000; s.Advance(at) }); n != 0 {
		t.Errorf("%g allocations", n)
	}
}

func BenchmarkSlotsReserve(b *testing.B) {
	s := NewSlots(Clock{1_739_130})
	at := Time(0)
	for b.Loop() {
		s.Reserve(at+500*Nanosecond, 4)
		at += 8 * Nanosecond
		if at>>20 != (at-8*Nanosecond)>>20 {
			s.Advance(at)
		}
	}
}
