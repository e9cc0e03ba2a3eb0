package window

import "math/bits"

// tlb is a level of translation lookaside buffer: sets of pages, the latest
// used first.
type tlb struct {
	ways int
	mask uint64   // sets, less one
	page []uint64 // 1 + number of a page, 0 for none
}

func newTLB(entries, ways int) tlb {
	return tlb{ways, uint64(entries/ways) - 1, make([]uint64, entries)}
}

// touch makes page the latest used of its set, and reports whether it was
// there.
func (t *tlb) touch(page uint64) bool {
	first := int(page&t.mask) * t.ways
	set := t.page[first : first+t.ways]
	page++
	if set[0] == page {
		return true
	}
	held := page
	for i, p := range set {
		set[i] = held
		if p == page {
			return true
		}
		held = p
	}
	return false
}

// translation is a core's way from addresses to pages.
type translation struct {
	on, two       bool
	pageBits      uint
	first, second tlb
	secondLatency int64
	walk          int64
}

func newTranslation(c *TLBConfig) translation {
	t := translation{on: c.Entries > 0, two: c.SecondEntries > 0, pageBits: uint(bits.TrailingZeros64(uint64(c.Page)))}
	if t.on {
		t.first = newTLB(c.Entries, c.Ways)
	}
	if t.two {
		t.second = newTLB(c.SecondEntries, c.SecondWays)
	}
	t.secondLatency, t.walk = int64(c.SecondLatency), int64(c.Walk)
	return t
}

// latest reports whether the page of addr is the latest used of its set: that
// it costs nothing.
func (t *translation) latest(addr uint64) bool {
	page := addr >> (t.pageBits & 63)
	return !t.on || t.first.page[int(page&t.first.mask)*t.first.ways] == page+1
}

// delay returns the cycles that translating addr adds to an access.
func (t *translation) delay(addr uint64, s *Stats) int64 {
	page := addr >> (t.pageBits & 63)
	if t.first.touch(page) {
		return 0
	}
	s.TLBMisses++
	if t.two && t.second.touch(page) {
		return t.secondLatency
	}
	s.TLBWalks++
	return t.walk
}
