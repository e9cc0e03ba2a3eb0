package mem

import (
	"testing"

	"heddle/sim"
)

// A core that took a line keeps it for one atomic after the other: another may
// ask for it before the next of them would begin, or when the time is over, and
// may then have it.
func TestAtomicKeep(t *testing.T) {
	c := xeon()
	c.Costs.AtomicKeep = 200
	m := mustMulticore(t, c)
	hold := gigahertz.Span(c.Costs.AtomicHold)
	add := func(core int, at sim.Time) sim.Time {
		return m.Port(core).Access(at, Access{Addr: 0, Size: 8, Kind: Atomic})
	}
	free := add(0, 0) + hold
	taken := add(1, free) // from core 0: since then it is kept
	busy := taken + hold
	again := busy + 4*ns // when core 1's next atomic begins, after its L1 latency
	for _, x := range []struct {
		name     string
		core     int
		at, want sim.Time
	}{
		{"its own core", 1, taken, taken},
		{"while the first atomic goes on", 0, taken, again},
		{"just before the next begins", 0, again - 1, again},
		{"as the next would have begun", 0, again, again},
		{"later, as there is none", 0, again + ns, again + ns},
	} {
		if got := m.Port(x.core).Yields(x.at, 8); got != x.want {
			t.Errorf("%s: core %d at %d: %d, want %d", x.name, x.core, x.at, got, x.want)
		}
	}
	end := taken + 200*ns
	for at := busy; at < end; at = add(1, at) + hold { // up to the time, and beyond
	}
	if got := m.Port(0).Yields(end-1, 8); got != end {
		t.Errorf("just before the time is over: %d, want %d", got, end)
	}
	if got := m.Port(0).Yields(end, 8); got != end {
		t.Errorf("when the time is over: %d, want %d", got, end)
	}
	if plain := mustMulticore(t, xeon()); plain.Port(0).Keeps() || !m.Port(0).Keeps() {
		t.Error("only a machine with such a time keeps lines")
	}
}

// Of a set that is full, one of the oldest lines is replaced, each of them as
// often; without such lines, or while there is room, the last.
func TestOldestReplaced(t *testing.T) {
	const ways, rounds = 8, 40_000
	for _, oldest := range []int{0, 1, 2, 3, 8} {
		tags := newLRUTags(64*ways, 64, ways)
		tags.oldest = uint64(oldest)
		set := tags.words[:ways]
		for n := range uint64(ways) {
			if got := tags.place(set, newWord(n, 0)); got != noLine {
				t.Fatalf("oldest %d: a line was replaced in a set with room", oldest)
			}
		}
		var replaced [ways]int // by place before
		for n := range uint64(rounds) {
			before := [ways]cacheWord(set)
			got := tags.place(set, newWord(ways+n, 0))
			for place, word := range before {
				if word == got {
					replaced[place]++
				}
			}
			if set[0] != newWord(ways+n, 0) {
				t.Fatalf("oldest %d: the new line is not the youngest", oldest)
			}
		}
		among := max(oldest, 1)
		for place, n := range replaced {
			if want := rounds / among; place < ways-among && n != 0 || place >= ways-among && (n < want*9/10 || n > want*11/10) {
				t.Errorf("oldest %d: place %d replaced %d times of %d", oldest, place, n, rounds)
			}
		}
	}
}
