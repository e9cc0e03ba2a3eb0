package sim

import (
	"testing"

	"pgregory.net/rapid"
)

func TestTicksFindTheEdgesOfTheirClock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		clock := Clock{Time(rapid.Int64Range(1, 1_000_000_000).Draw(t, "period"))}
		k := NewTicks(clock)
		near := Time(rapid.Int64Range(0, int64(Second)*1000/int64(clock.Period)).Draw(t, "cycle")) * clock.Period
		for _, at := range []Time{near, near + 1, near + clock.Period - 1, near + clock.Period/2} {
			if got, want := k.Edge(at), clock.Edge(at); got != want {
				t.Fatalf("period %d: edge from %d on is %d, want %d", clock.Period, at, got, want)
			}
		}
	})
}
