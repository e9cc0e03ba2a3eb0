package net

import (
	"testing"

	"heddle/sim"
)

// A copy takes the latency and its bytes at the bandwidth; the bus adds up
// what it has copied.
func TestPCIeCopy(t *testing.T) {
	p := NewPCIe(PCIeConfig{Bandwidth: 4e9, Latency: 10 * sim.Microsecond})
	var bytes sim.Bytes
	var busy sim.Time
	for i, test := range []struct {
		at   sim.Time
		n    sim.Bytes
		took sim.Time
	}{
		{0, 0, 10 * sim.Microsecond},
		{5, 4, 10*sim.Microsecond + sim.Nanosecond},
		{sim.Millisecond, 4_000_000, 10*sim.Microsecond + sim.Millisecond},
		{sim.Second, 4_000_000_000, 10*sim.Microsecond + sim.Second},
	} {
		if got, want := p.Copy(test.at, test.n), test.at+test.took; got != want {
			t.Errorf("%d bytes at %v: done at %v, want %v", test.n, test.at, got, want)
		}
		bytes, busy = bytes+test.n, busy+test.took
		if b, n, d := p.Copied(); b != bytes || n != int64(i+1) || d != busy {
			t.Errorf("copied %d bytes in %d copies and %v, want %d in %d and %v", b, n, d, bytes, i+1, busy)
		}
	}
}
