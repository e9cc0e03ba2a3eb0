package mem

import (
	"math/bits"

	"heddle/sim"
)

// tags is the tag store of a set-associative cache. A line lives in slot
// set x ways + way.
//
// A search looks at the set's filter first: a byte of each way, a hash of the
// line in it. Lines that are not there are mostly told apart by it alone, and
// so a miss touches none of the slots but the one that it fills.
type tags struct {
	filter []uint64 // a byte for each way, the first way's lowest
	lines  []cacheLine
	fold   uint   // bits of a set number, for folding; 0 for none
	mask   uint64 // sets - 1 if sets is a power of two, else 0
	words  int    // of a set's filter
	ways   int
	setOf  sim.Divisor
	replacement
}

// cacheLine is the state of one slot, half a line of the host's cache.
type cacheLine struct {
	tag    uint64   // line number, noTag if the slot is empty
	ready  sim.Time // when the line's latest fill lands
	valid  uint32   // sectors there or in flight
	dirty  uint32   // sectors that the level below has not seen
	array  int16    // that the line was filled for
	merged uint16   // accesses that wait on its latest miss
	mixed  bool     // sectors land at different times: see Cache.fill
}

const (
	noTag = ^uint64(0)

	everyByte = 0x0101010101010101
	topBits   = 0x80 * everyByte

	// Bytes of a filter. That of a line is at least 0x80.
	emptySlot = 0
	noSlot    = 1 // beyond the last way
)

func newTags(lines, ways int, replacement string, fold bool) tags {
	sets := lines / ways
	t := tags{
		ways:        ways,
		words:       (ways + 7) / 8,
		setOf:       sim.NewDivisor(uint64(sets)),
		lines:       make([]cacheLine, lines),
		replacement: newReplacement(sets, ways, replacement),
	}
	if sets&(sets-1) == 0 {
		t.mask = uint64(sets - 1)
	}
	if fold && sets > 1 {
		t.fold = uint(bits.Len(uint(sets - 1)))
	}
	t.filter = make([]uint64, sets*t.words)
	for i := range t.filter {
		if used := ways - i%t.words*8; used < 8 {
			t.filter[i] = noSlot * everyByte << (8 * used)
		}
	}
	for i := range t.lines {
		t.lines[i].tag = noTag
	}
	return t
}

// mark returns the byte that stands for line in a filter, in every byte.
func mark(line uint64) uint64 {
	return (line*0x9e3779b97f4a7c15>>57 | 0x80) * everyByte
}

// zeroBytes returns the top bits of the bytes of x that are 0. The lowest is
// exact; above it there may be more.
func zeroBytes(x uint64) uint64 { return (x - everyByte) &^ x & topBits }

// find returns the set of the line of number local among those that the cache
// may hold, and its slot, -1 if it is not there. The set's number is local's
// remainder, or, if the index is folded, that of the xor of all of its bits, a
// set number's width at a time.
func (t *tags) find(local, line uint64) (set, slot int) {
	if t.fold != 0 {
		for s := t.fold; s < 48; s *= 2 { // no line has more bits
			local ^= local >> (s & 63)
		}
	}
	if t.mask != 0 {
		set = int(local & t.mask)
	} else {
		_, rest := t.setOf.Split(local)
		set = int(rest)
	}
	m := mark(line)
	if t.words > 1 {
		return set, t.findWide(set, line, m)
	}
	for z := zeroBytes(t.filter[set] ^ m); z != 0; z &= z - 1 {
		if i := set*t.ways + bits.TrailingZeros64(z)>>3; t.lines[i].tag == line {
			return set, i
		}
	}
	return set, -1
}

// findWide finds line in a set of more than 8 ways.
func (t *tags) findWide(set int, line, m uint64) int {
	base := set * t.ways
	for _, f := range t.filter[set*t.words:][:t.words] {
		for z := zeroBytes(f ^ m); z != 0; z &= z - 1 {
			if i := base + bits.TrailingZeros64(z)>>3; t.lines[i].tag == line {
				return i
			}
		}
		base += 8
	}
	return -1
}

// write puts byte b in the filter for slot i of set.
func (t *tags) write(set, i int, b uint64) {
	w := i - set*t.ways
	f := &t.filter[set*t.words+w>>3]
	shift := uint(w&7) * 8
	*f = *f&^(0xff<<shift) | b<<shift
}

// empty returns the first empty slot of set, or -1.
func (t *tags) empty(set int) int {
	for k, f := range t.filter[set*t.words:][:t.words] {
		if z := zeroBytes(f); z != 0 {
			return set*t.ways + 8*k + bits.TrailingZeros64(z)>>3
		}
	}
	return -1
}

// insert puts line in slot i, with no sector yet.
func (t *tags) insert(set, i int, line uint64, array int16) {
	t.lines[i] = cacheLine{tag: line, array: array}
	t.write(set, i, mark(line)&0xff)
	t.filled(set, i-set*t.ways, i)
}

// drop empties slot i of set.
func (t *tags) drop(set, i int) {
	t.lines[i] = cacheLine{tag: noTag}
	t.write(set, i, emptySlot)
}

// touch records a use of slot i.
func (t *tags) touch(set, i int) {
	if way := i - set*t.ways; !t.latest(set, way) {
		t.used(set, way, i)
	}
}

// victim returns the slot of set that a fill starting at time at takes, and
// when it is free: an empty slot, else what the policy picks among the lines
// that have landed, else the line that lands first.
func (t *tags) victim(set int, at sim.Time) (slot int, free sim.Time) {
	if i := t.empty(set); i >= 0 {
		return i, at
	}
	base := set * t.ways
	way := t.pick(set, t.lines[base:][:t.ways], at)
	return base + way, max(at, t.lines[base+way].ready)
}
