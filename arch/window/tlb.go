package window

import (
	"math/bits"

	"heddle/arch/mem"
	"heddle/sim"
)

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
	tables        int
	together      uint64
	walkers       []int64 // until when each is busy
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
	t.together = uint64(c.Together)
	t.tables, t.walkers = c.Tables, make([]int64, c.Walkers)
	return t
}

// latest reports whether the page of addr is the latest used of its set: that
// it costs nothing.
func (t *translation) latest(addr uint64) bool {
	page := addr >> (t.pageBits & 63)
	return !t.on || t.first.page[int(page&t.first.mask)*t.first.ways] == page+1
}

// delay returns the cycles that translating addr adds to an access, and whether
// a page walk is among them, which is for core.walk.
func (t *translation) delay(addr uint64, s *Stats) (cycles int64, walk bool) {
	page := addr >> (t.pageBits & 63)
	if t.first.touch(page) {
		return 0, false
	}
	s.TLBMisses++
	if t.two && t.second.touch(page) {
		return t.secondLatency, false
	}
	s.TLBWalks++
	return t.walk, true
}

// Page tables lie above all arrays, entryBytes for each page.
const (
	tableBase  = 1 << 46
	tableBytes = 1 << 42
	entryBytes = 8
)

// entry returns the address of a page's entry in a table.
func (t *translation) entry(table int, page uint64) uint64 {
	if table > 0 && t.together > 0 {
		page = mem.Frame(page/t.together)*t.together + page%t.together
	}
	return tableBase + uint64(table)*tableBytes + page*entryBytes
}

// translate returns the cycles that translating addr adds to an access at cycle
// at.
func (c *core) translate(at int64, addr uint64) int64 {
	t := &c.tlb
	cycles, walk := t.delay(addr, &c.stats)
	if !walk || t.tables == 0 && len(t.walkers) == 0 {
		return cycles
	}
	start := at
	var free *int64
	for i := range t.walkers {
		if w := &t.walkers[i]; free == nil || *w < *free {
			free = w
		}
	}
	if free != nil {
		start = max(start, *free)
	}
	end := start + cycles
	for table := range t.tables {
		begin := sim.Time(end) * c.period
		done := c.port.Access(begin, mem.Access{Addr: t.entry(table, addr>>(t.pageBits&63)), Size: entryBytes, Kind: mem.Read, Array: -1})
		end += int64((done - begin + c.period - 1) / c.period)
	}
	if free != nil {
		*free = end
	}
	return end - at
}
