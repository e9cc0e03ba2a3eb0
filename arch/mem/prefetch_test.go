package mem

import (
	"testing"

	"heddle/sim"
)

// prefetching returns a machine whose one core has a prefetcher, and its port.
func prefetching(t *testing.T, c *PrefetchConfig) (*Multicore, *CorePort) {
	t.Helper()
	config := xeon()
	config.Prefetch = c
	m := mustMulticore(t, config)
	return m, m.Port(0)
}

// TestPrefetchHidesMemory reads the lines of a page in order, each after the
// one before: once a stream is established, they come from L2.
func TestPrefetchHidesMemory(t *testing.T) {
	for _, down := range []bool{false, true} {
		m, p := prefetching(t, &PrefetchConfig{Streams: 4, Distance: 8, Degree: 2, Buffers: 16})
		line := uint64(m.config.Line)
		lines := uint64(m.config.Page) / line
		at := sim.Time(0)
		for i := range lines {
			addr := 16*uint64(m.config.Page) + i*line
			if down {
				addr = 17*uint64(m.config.Page) - (i+1)*line
			}
			at = p.Access(at, Access{Addr: addr, Size: 8, Kind: Read, Array: -1}) + 200*sim.Nanosecond
			want := FromL2
			if i <= trigger { // nothing is known of the page yet
				want = FromMemory
			}
			if p.From() != want {
				t.Errorf("down %v, line %d: from %v, want %v", down, i, p.From(), want)
			}
		}
		s := m.CoreStats(0)
		if want := int64(lines) - trigger - 1; s.Prefetches != want {
			t.Errorf("down %v: %d prefetches, want %d: none beyond the page", down, s.Prefetches, want)
		}
		if m.Home(17*uint64(m.config.Page)) >= 0 || m.Home(16*uint64(m.config.Page)-1) >= 0 {
			t.Error("a page was touched that the program did not touch")
		}
	}
}

// TestPrefetchWaits asks for a line that is on its way to L2: it comes when it
// is there, sooner than from memory and later than a hit.
func TestPrefetchWaits(t *testing.T) {
	m, p := prefetching(t, &PrefetchConfig{Streams: 4, Distance: 1, Degree: 1, Buffers: 16})
	line := uint64(m.config.Line)
	at := sim.Time(0)
	for i := range uint64(trigger + 1) {
		at = p.Access(at, Access{Addr: i * line, Size: 8, Kind: Read, Array: -1})
	}
	// The last access has begun when it missed; its prefetch is under way.
	took := p.Access(at, Access{Addr: (trigger + 1) * line, Size: 8, Kind: Read, Array: -1}) - at
	if hit, miss := m.l2Latency, m.config.Costs.Memory.Die; took < hit || took >= miss {
		t.Errorf("took %v, not from %v to %v", took, hit, miss)
	}
	if p.From() != FromL2 {
		t.Errorf("from %v", p.From())
	}
}

// TestPrefetchNeedsAStream goes over pages at random: nothing is fetched that
// nobody asked for.
func TestPrefetchNeedsAStream(t *testing.T) {
	m, p := prefetching(t, &PrefetchConfig{Streams: 4, Distance: 8, Degree: 2, Buffers: 16})
	at := sim.Time(0)
	for i := range uint64(64) {
		at = p.Access(at, Access{Addr: i * 37 % 64 * uint64(m.config.Page), Size: 8, Kind: Read, Array: -1})
	}
	if s := m.CoreStats(0); s.Prefetches != 0 {
		t.Errorf("%d prefetches", s.Prefetches)
	}
}
