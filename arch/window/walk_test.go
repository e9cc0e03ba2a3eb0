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

// Entries of as many pages as lie together are in a row in every table but the
// first, and groups of them elsewhere.
func TestEntriesTogether(t *testing.T) {
	const pages = 4096
	for _, together := range []uint64{0, 1, 2, 4, 512} {
		walk := translation{together: together}
		for table := range 3 {
			used := map[uint64]bool{}
			far, shared := 0, 0 // few groups share a place, as frames are drawn
			for page := range uint64(pages) {
				at := walk.entry(table, page)
				if used[at] {
					shared++
				}
				used[at] = true
				if page == 0 || at == walk.entry(table, page-1)+entryBytes {
					continue
				}
				far++
				if table == 0 || together == 0 || page%together != 0 {
					t.Fatalf("%d together: table %d, page %d is not beside the one before", together, table, page)
				}
			}
			if shared > pages/100 || table == 0 && shared > 0 {
				t.Errorf("%d together: table %d has %d entries in others' places", together, table, shared)
			}
			if table > 0 && together > 0 && far < int(pages/together)*9/10-1 {
				t.Errorf("%d together: table %d has %d groups that lie apart", together, table, far)
			}
		}
	}
}
