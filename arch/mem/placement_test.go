package mem

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heddle/sim"
)

func TestPagePlacement(t *testing.T) {
	touch := func(m *Multicore, core int, addr uint64) {
		m.Port(core).Access(0, Access{Addr: addr, Size: 8})
	}
	m := mustMulticore(t, opteron())
	if m.Home(1<<20) != -1 {
		t.Error("a page that nobody touched has a home")
	}
	touch(m, 7, 1<<20+4088)
	touch(m, 40, 1<<20)
	touch(m, 40, 1<<20+4096)
	if a, b := m.Home(1<<20), m.Home(1<<20+4096); a != 1 || b != 6 {
		t.Errorf("pages touched first from dies 1 and 6 are on %d and %d", a, b)
	}
	if err := m.Place(1<<20, 3*4096-1, 3); err != nil {
		t.Fatal(err)
	}
	if a, b, c := m.Home(1<<20), m.Home(1<<20+2*4096), m.Home(1<<20+3*4096); a != 1 || b != 3 || c != -1 {
		t.Errorf("placed on die 3: pages are on %d, %d and %d", a, b, c)
	}
	if err := m.Place(0, 1, 8); err == nil || !strings.Contains(err.Error(), "die 8 of 8") {
		t.Errorf("die 8 of 8: %v", err)
	}
	c := opteron()
	c.Placement, c.Page = "interleaved", 2<<20
	m = mustMulticore(t, c)
	for page := range uint64(20) {
		touch(m, 5, page<<21)
		if got := m.Home(page << 21); got != int(page%8) {
			t.Errorf("page %d is on die %d", page, got)
		}
	}
}

// TestPagesPackMemory places pages at random, in the table and beyond: in each die's
// memory they lie side by side, each in one place.
func TestPagesPackMemory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := opteron()
		c.Placement = rapid.SampledFrom([]string{"local", "interleaved"}).Draw(t, "placement")
		table := newPageTable(&c)
		table.near = 15
		type place struct {
			die   int
			local uint64
		}
		known := map[uint64]place{}
		taken := map[place]uint64{}
		var pages [8]uint64
		for range 50 {
			page := rapid.Uint64Range(0, 20).Draw(t, "page")
			toucher := rapid.IntRange(0, 7).Draw(t, "die")
			die, local := table.at(page<<12|0x123, toucher)
			p := place{die, local}
			if was, ok := known[page]; ok {
				if was != p {
					t.Fatalf("page %d moved from %v to %v", page, was, p)
				}
				continue
			}
			if other, ok := taken[p]; ok {
				t.Fatalf("pages %d and %d are at %v", page, other, p)
			}
			if local != pages[die]<<12|0x123 {
				t.Fatalf("page %d of die %d is at %#x", pages[die], die, local)
			}
			if c.Placement == "local" && die != toucher || c.Placement == "interleaved" && die != int(page%8) {
				t.Fatalf("page %d, touched from die %d, is on die %d", page, toucher, die)
			}
			pages[die]++
			known[page], taken[p] = p, page
		}
	})
}

// TestFarLines uses addresses beyond any table.
func TestFarLines(t *testing.T) {
	m := mustMulticore(t, xeon())
	far := Access{Addr: 1<<62 + 8, Size: 8, Kind: Write}
	m.Port(0).Access(0, far)
	m.Port(4).Access(sim.Microsecond, far)
	if m.Port(4).From() != from(FromDirty, 2) || m.Home(far.Addr) != 0 || m.Home(1<<61) != -1 {
		t.Errorf("from %v, home %d", m.Port(4).From(), m.Home(far.Addr))
	}
}

func TestPins(t *testing.T) {
	c := opteron() // 4 sockets of 2 dies of 6 cores
	for _, p := range []struct {
		policy         string
		slots, threads int
		want           []Pin
	}{
		{"compact", 1, 3, []Pin{{0, 0}, {1, 0}, {2, 0}}},
		{"compact", 2, 3, []Pin{{0, 0}, {0, 1}, {1, 0}}},
		{"scatter", 1, 10, []Pin{{0, 0}, {12, 0}, {24, 0}, {36, 0}, {6, 0}, {18, 0}, {30, 0}, {42, 0}, {1, 0}, {13, 0}}},
	} {
		pins, err := c.Pins(p.policy, p.slots, p.threads)
		if err != nil {
			t.Fatal(err)
		}
		for i := range p.want {
			if len(pins) != p.threads || pins[i] != p.want[i] {
				t.Errorf("%s of %d: %v, not %v", p.policy, p.threads, pins, p.want)
				break
			}
		}
	}
	for _, policy := range []string{"compact", "scatter"} {
		pins, err := c.Pins(policy, 2, 96)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[Pin]bool{}
		for i, p := range pins {
			if seen[p] || p.Core < 0 || p.Core > 47 || p.Slot < 0 || p.Slot > 1 {
				t.Fatalf("%s: thread %d at %v", policy, i, p)
			}
			seen[p] = true
			if policy == "scatter" && (p.Slot == 1) != (i >= 48) {
				t.Fatalf("thread %d at %v while cores are free", i, p)
			}
		}
	}
	for _, bad := range []struct {
		policy         string
		slots, threads int
		want           string
	}{
		{"compact", 1, 49, "threads: 49 is not in 1..48"},
		{"compact", 1, 0, "threads: 0 is not in 1..48"},
		{"close", 1, 4, `thread placement: "close" is not one of compact, scatter`},
	} {
		if _, err := c.Pins(bad.policy, bad.slots, bad.threads); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("got %v, want %s", err, bad.want)
		}
	}
}
