package mem

import "heddle/sim"

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
	ways  int
	setOf sim.Divisor
	words []cacheWord // noLine: empty; empty ways are last
}

func newLRUTags(size, line sim.Bytes, ways int) lruTags {
	n := int(size / line)
	t := lruTags{ways: ways, setOf: sim.NewDivisor(uint64(n / ways)), words: make([]cacheWord, n)}
	for i := range t.words {
		t.words[i] = noLine
	}
	return t
}

// set returns the set of a line.
func (t *lruTags) set(line uint64) []cacheWord {
	_, set := t.setOf.Split(line)
	base := int(set) * t.ways
	return t.words[base : base+t.ways : base+t.ways]
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

// remove takes way w out.
func remove(set []cacheWord, w int) {
	copy(set[w:], set[w+1:])
	set[len(set)-1] = noLine
}

// l1Tags is the tag store of an L1. Lines stay in their slots, beside the time
// at which they are there.
type l1Tags struct {
	ways  int
	mask  uint64 // sets, less one
	clock uint64 // of uses, in steps of wayLimit
	words []cacheWord
	used  []uint64 // clock of the latest use + way; of an empty slot, way
	ready []sim.Time
}

const wayLimit = 64 // more than any way

func newL1Tags(size, line sim.Bytes, ways int) l1Tags {
	n := int(size / line)
	t := l1Tags{
		ways:  ways,
		mask:  uint64(n/ways) - 1,
		words: make([]cacheWord, n),
		used:  make([]uint64, n),
		ready: make([]sim.Time, n),
	}
	for i := range t.words {
		t.drop(i)
	}
	return t
}

// find returns the slot of line, or -1.
func (t *l1Tags) find(line uint64) int {
	base := int(line&t.mask) * t.ways
	for w, word := range t.words[base : base+t.ways] {
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
	base := int(line&t.mask) * t.ways
	oldest := ^uint64(0)
	for _, used := range t.used[base : base+t.ways] {
		oldest = min(oldest, used)
	}
	slot = base + int(oldest%wayLimit)
	if t.ready[slot] <= at {
		return slot, at
	}
	return t.landed(base, at)
}

// landed is victim for a set whose longest unused line is on its way.
func (t *l1Tags) landed(base int, at sim.Time) (slot int, free sim.Time) {
	first, oldest := base, -1
	for i := base; i < base+t.ways; i++ {
		if t.ready[i] <= at && (oldest < 0 || t.used[i] < t.used[oldest]) {
			oldest = i
		}
		if t.ready[i] < t.ready[first] {
			first = i
		}
	}
	if oldest >= 0 {
		return oldest, at
	}
	return first, t.ready[first]
}

// touch records a use of a slot.
func (t *l1Tags) touch(slot int) {
	t.clock += wayLimit
	t.used[slot] = t.clock | t.used[slot]%wayLimit
}

// put fills a slot.
func (t *l1Tags) put(slot int, word cacheWord, ready sim.Time) {
	t.words[slot], t.ready[slot] = word, ready
	t.touch(slot)
}

// drop empties a slot.
func (t *l1Tags) drop(slot int) {
	t.words[slot], t.used[slot], t.ready[slot] = noLine, uint64(slot%t.ways), 0
}
