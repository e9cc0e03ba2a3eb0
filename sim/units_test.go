package sim

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestClock holds that edges are whole periods, and that a time is legal on an
// edge and rounded up a femtosecond later.
func TestClock(t *testing.T) {
	if got := NewClock(1.15e9).Period; got != 869_565 {
		t.Errorf("the period of 1.15 GHz is %d fs, want 869565", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		c := NewClock(Frequency(rapid.Float64Range(1e6, 1e10).Draw(t, "frequency")))
		n := Cycles(rapid.Int64Range(0, 1e9).Draw(t, "cycles"))
		at := c.Span(n)
		if c.Cycle(at) != n || c.Edge(at) != at {
			t.Fatalf("cycle %d begins at %d: cycle %d, edge %d", n, at, c.Cycle(at), c.Edge(at))
		}
		if c.Cycle(at+c.Period-1) != n || c.Edge(at+1) != c.Span(n+1) {
			t.Fatalf("cycle %d ends before %d", n, c.Span(n+1))
		}
	})
}

func TestTimeFor(t *testing.T) {
	for _, x := range []struct {
		bandwidth Bandwidth
		bytes     Bytes
		want      Time
	}{
		{8e9, 128, 16 * Nanosecond},
		{144e9, 32, 222_222}, // 222 222.2 fs
		{144e9, 48, 333_333}, // 333 333.3 fs
		{144e9, 24, 166_667}, // 166 666.7 fs
		{Bandwidth(math.Inf(1)), 1 << 30, 0},
	} {
		if got := x.bandwidth.TimeFor(x.bytes); got != x.want {
			t.Errorf("%d bytes at %g B/s take %d fs, want %d", x.bytes, float64(x.bandwidth), got, x.want)
		}
	}
}
