package mem

import (
	"math/bits"

	"heddle/sim"
)

// cacheWord is a line in a tag store: its number and what its holder may do.
type cacheWord uint64

const (
	dirtyLine    cacheWord = 1 << iota // modified
	writableLine                       // no other copy: may be modified
	wordFlags    = 2

	noLine = ^cacheWord(0)
)

func newWord(line uint64, flags cacheWord) cacheWord { return cacheWord(line)<<wordFlags | flags }

func (w cacheWord) line() uint64     { return uint64(w >> wordFlags) }
func (w cacheWord) flags() cacheWord { return w & (1<<wordFlags - 1) }

// lruTags is a set-associative tag store whose sets are kept in the order of
// use, the latest first: nothing is stored beside the lines, a line that is
// used often is found at once, and the last is the one to replace.
type lruTags struct {
	ways     int
	setOf    sim.Divisor
	pageBits uint        // of a line's number, those within a page, if pages are scattered; else 0
	oldest   uint64      // of which any may be replaced; 0 for the last
	state    uint64      // of a generator that chooses among them
	words    []cacheWord // noLine: empty; empty ways are last
}

func newLRUTags(size, line sim.Bytes, ways int) lruTags {
	n := int(size / line)
	t := lruTags{ways: ways, setOf: sim.NewDivisor(uint64(n / ways)), words: make([]cacheWord, n)}
	for i := range t.words {
		t.words[i] = noLine
	}
	return t
}

// scatter makes pages of so many lines fall anywhere in memory.
func (t *lruTags) scatter(lines sim.Bytes) { t.pageBits = uint(bits.TrailingZeros64(uint64(lines))) }

// set returns the set of a line.
func (t *lruTags) set(line uint64) []cacheWord {
	if t.pageBits > 0 {
		line = Frame(line>>(t.pageBits&63))<<(t.pageBits&63) | line&(1<<(t.pageBits&63)-1)
	}
	_, set := t.setOf.Split(line)
	base := int(set) * t.ways
	return t.words[base : base+t.ways : base+t.ways]
}

// frameBits is the length of a frame's number, for memory of a million pages.
const frameBits = 20

// Frame returns the number of the frame that a page lies in, if pages are
// scattered: a hash of the page's (the finalizer of SplitMix64, Steele, Lea,
// Flood, OOPSLA 2014). Two pages may get the same, which does not matter, as
// frames only choose sets.
func Frame(page uint64) uint64 {
	page = (page ^ page>>30) * 0xbf58476d1ce4e5b9
	page = (page ^ page>>27) * 0x94d049bb133111eb
	return (page ^ page>>31) >> (64 - frameBits)
}

// find returns the way of line in its set, or -1.
func find(set []cacheWord, line uint64) int {
	for w, word := range set {
		if word.line() == line {
			return w
		}
	}
	return -1
}

// promote makes way w the latest used.
func promote(set []cacheWord, w int) {
	word := set[w]
	copy(set[1:w+1], set[:w])
	set[0] = word
}

// insert adds a line as the latest used and returns the line it replaces, or
// noLine.
func insert(set []cacheWord, word cacheWord) (replaced cacheWord) {
	last := len(set) - 1
	replaced = set[last]
	copy(set[1:], set[:last])
	set[0] = word
	return replaced
}

// place is insert where it need not be the last line that is replaced.
func (t *lruTags) place(set []cacheWord, word cacheWord) (replaced cacheWord) {
	last := len(set) - 1
	if t.oldest > 1 && set[last] != noLine {
		t.state = t.state*lcgFactor + lcgSum
		last -= int(t.state >> 33 % t.oldest)
	}
	return insert(set[:last+1], word)
}

// A linear congruential generator modulo 2^64 (Knuth, MMIX).
const (
	lcgFactor = 6364136223846793005
	lcgSum    = 1442695040888963407
)

// remove takes way w out.
func remove(set []cacheWord, w int) {
	copy(set[w:], set[w+1:])
	set[len(set)-1] = noLine
}

// l1Tags is the tag store of an L1. A line stays in its slot, beside the time
// at which it is there. What is known of a set lies together, as simulating
// many cores in turn finds it in none of the host's near caches: the lines of
// its ways, their latest uses, their times. A slot is named by the index of
// its line.
type l1Tags struct {
	ways  int
	mask  uint64      // sets, less one
	clock cacheWord   // of uses, in steps of wayLimit
	rows  []cacheWord // times are no lines, but as long
}

const wayLimit = 64 // more than any way

func newL1Tags(size, line sim.Bytes, ways int) l1Tags {
	n := int(size / line)
	t := l1Tags{ways: ways, mask: uint64(n/ways) - 1, rows: make([]cacheWord, 3*n)}
	for set := range n / ways {
		for w := range ways {
			slot := set*3*ways + w
			t.rows[slot], t.rows[slot+ways] = noLine, cacheWord(w)
		}
	}
	return t
}

// base returns the first slot of the set of a line.
func (t *l1Tags) base(line uint64) int { return int(line&t.mask) * 3 * t.ways }

// used returns when a slot was used last: the clock + the way; of an empty
// slot, the way alone.
func (t *l1Tags) used(slot int) *cacheWord { return &t.rows[slot+t.ways] }

// ready returns when the line in a slot is there.
func (t *l1Tags) ready(slot int) sim.Time { return sim.Time(t.rows[slot+2*t.ways]) }

// find returns the slot of line, or -1.
func (t *l1Tags) find(line uint64) int {
	base := t.base(line)
	for w, word := range t.rows[base : base+t.ways] {
		if word.line() == line {
			return base + w
		}
	}
	return -1
}

// victim returns the slot that a fill starting at time at takes, and when it
// is free: an empty one, else the longest unused of those that have landed,
// else the one that lands first.
func (t *l1Tags) victim(line uint64, at sim.Time) (slot int, free sim.Time) {
	base := t.base(line)
	oldest := ^cacheWord(0)
	for _, used := range t.rows[base+t.ways : base+2*t.ways] {
		oldest = min(oldest, used)
	}
	slot = base + int(oldest%wayLimit)
	if t.ready(slot) <= at {
		return slot, at
	}
	return t.landed(base, at)
}

// landed is victim for a set whose longest unused line is on its way.
func (t *l1Tags) landed(base int, at sim.Time) (slot int, free sim.Time) {
	first, oldest := base, -1
	for i := base; i < base+t.ways; i++ {
		if t.ready(i) <= at && (oldest < 0 || *t.used(i) < *t.used(oldest)) {
			oldest = i
		}
		if t.ready(i) < t.ready(first) {
			first = i
		}
	}
	if oldest >= 0 {
		return oldest, at
	}
	return first, t.ready(first)
}

// touch records a use of a slot.
func (t *l1Tags) touch(slot int) {
	t.clock += wayLimit
	used := t.used(slot)
	*used = t.clock | *used%wayLimit
}

// put fills a slot.
func (t *l1Tags) put(slot int, word cacheWord, ready sim.Time) {
	t.rows[slot], t.rows[slot+2*t.ways] = word, cacheWord(ready)
	t.touch(slot)
}

// drop empties a slot.
func (t *l1Tags) drop(slot int) {
	t.rows[slot], t.rows[slot+2*t.ways] = noLine, 0
	*t.used(slot) %= wayLimit
}
