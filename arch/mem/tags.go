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
	ways   int
	words  int // of a set's filter
	setOf  sim.Divisor
	fold   uint     // bits of a set number, for folding; 0 for none
	filter []uint64 // a byte for each way, the first way's lowest
	lines  []cacheLine
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

// set returns the set of a line. Folding xors all of its bits, a set number's
// width at a time.
func (t *tags) set(line uint64) int {
	if t.fold != 0 {
		for s := t.fold; s < 64; s *= 2 {
			line ^= line >> (s & 63)
		}
	}
	_, set := t.setOf.Split(line)
	return int(set)
}

// mark returns the byte that stands for line in a filter, in every byte.
func mark(line uint64) uint64 {
	return (line*0x9e3779b97f4a7c15>>57 | 0x80) * everyByte
}

// zeroBytes returns the top bits of the bytes of x that are 0. The lowest is
// exact; above it there may be more.
func zeroBytes(x uint64) uint64 { return (x - everyByte) &^ x & topBits }

// find returns the slot of line, or -1.
func (t *tags) find(set int, line uint64) int {
	m := mark(line)
	base := set * t.ways
	if t.words == 1 {
		for z := zeroBytes(t.filter[set] ^ m); z != 0; z &= z - 1 {
			if i := base + bits.TrailingZeros64(z)>>3; t.lines[i].tag == line {
				return i
			}
		}
		return -1
	}
	return t.findWide(set*t.words, base, line, m)
}

// findWide finds line in a set of more than 8 ways.
func (t *tags) findWide(word, base int, line, m uint64) int {
	for _, f := range t.filter[word:][:t.words] {
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
func (t *tags) touch(set, i int) { t.used(set, i-set*t.ways, i) }

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
