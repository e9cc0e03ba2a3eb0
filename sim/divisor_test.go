package sim

import (
	"testing"

	"pgregory.net/rapid"
)

func TestDivisorDivides(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Uint64Range(1, 1<<32-1).Draw(t, "n")
		x := rapid.OneOf(rapid.Uint64(), rapid.Uint64Range(0, 1<<32), rapid.Map(rapid.Uint64Range(0, 1<<20), func(k uint64) uint64 { return k * n }),
			rapid.Map(rapid.Uint64Range(1, 1<<20), func(k uint64) uint64 { return k*n - 1 })).Draw(t, "x")
		d := NewDivisor(n)
		if q, r := d.Split(x); q != x/n || r != x%n {
			t.Fatalf("%d / %d = %d rest %d, want %d rest %d", x, n, q, r, x/n, x%n)
		}
	})
}
