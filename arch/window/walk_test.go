package window

import "testing"

// TestWalksLoadEntries translates addresses of new pages: a walk takes what
// its loads do beside its own cycles, and waits for a walker.
func TestWalksLoadEntries(t *testing.T) {
	for _, c := range []struct {
		tables, walkers int
		want            [3]int64 // of three pages far apart, in the same cycle
	}{
		{0, 0, [3]int64{30, 30, 30}},
		{0, 2, [3]int64{30, 30, 60}},
		{0, 1, [3]int64{30, 60, 90}},
		{1, 0, [3]int64{30 + miss, 30 + miss, 30 + miss}},
		{2, 1, [3]int64{30 + 2*miss, 60 + 4*miss, 90 + 6*miss}},
	} {
		core := newRig(t, with(func(config *Config) {
			config.Core.TLB = TLBConfig{Page: 4096, Entries: 64, Ways: 4, SecondWays: 4, Walk: 30, Tables: c.tables, Walkers: c.walkers}
		})).machine.cores[0]
		for i, want := range c.want {
			addr := uint64(i+1) << 30
			if got := core.translate(100, addr); got != want {
				t.Errorf("%d tables, %d walkers, page %d: %d cycles, want %d", c.tables, c.walkers, i, got, want)
			}
			if got := core.translate(100, addr+8); got != 0 {
				t.Errorf("%d tables: the page again: %d cycles", c.tables, got)
			}
		}
		if core.stats.TLBWalks != 3 {
			t.Errorf("%d walks", core.stats.TLBWalks)
		}
	}
}
