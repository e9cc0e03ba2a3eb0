package mem

import (
	"math/bits"

	"heddle/sim"
)

// tags is the tag store of a set-associative cache. A line lives in slot
// set x ways + way.
type tags struct {
	ways   int
	setOf  sim.Divisor
	fold   bool
	folds  uint // bits of a set number, for folding
	policy policy
	clock  uint64 // of touches or fills, for lru and fifo
	random uint64 // state of the random policy

	tag   []uint64   // line number, noTag if the slot is empty
	ready []sim.Time // when the line's latest fill lands
	stamp []uint64   // of the line's latest touch (lru) or of its fill (fifo)
	lines []cacheLine
	tree  []uint64 // plru: a bit for each inner node of a set's tree, node 1 its root
}

// cacheLine is the rest of the state of one slot: what the search for a victim
// looks at is in arrays of its own, for the host's caches.
type cacheLine struct {
	valid  uint32 // sectors there or in flight
	dirty  uint32 // sectors that the level below has not seen
	array  int16  // that the line was filled for
	merged uint16 // accesses that wait on its latest miss
}

const noTag = ^uint64(0)

type policy uint8

const (
	lru policy = iota
	fifo
	random
	plru
)

var policies = map[string]policy{"lru": lru, "fifo": fifo, "random": random, "plru": plru}

func newTags(lines, ways int, replacement string, fold bool) tags {
	sets := lines / ways
	t := tags{
		ways:   ways,
		setOf:  sim.NewDivisor(uint64(sets)),
		fold:   fold && sets > 1,
		folds:  uint(bits.Len(uint(sets - 1))),
		policy: policies[replacement],
		random: 0x9e3779b97f4a7c15,
		tag:    make([]uint64, lines),
		lines:  make([]cacheLine, lines),
		ready:  make([]sim.Time, lines),
		stamp:  make([]uint64, lines),
	}
	for i := range t.tag {
		t.tag[i] = noTag
	}
	if t.policy == plru {
		t.tree = make([]uint64, sets)
	}
	return t
}

// set returns the set of a line.
func (t *tags) set(line uint64) int {
	if t.fold {
		x := line
		for y := line >> t.folds; y != 0; y >>= t.folds {
			x ^= y
		}
		line = x
	}
	_, set := t.setOf.Split(line)
	return int(set)
}

// find returns the slot of line, or -1.
func (t *tags) find(set int, line uint64) int {
	base := set * t.ways
	for w, tag := range t.tag[base : base+t.ways] {
		if tag == line {
			return base + w
		}
	}
	return -1
}

// touch records a use of slot i.
func (t *tags) touch(set, i int) {
	switch t.policy {
	case lru:
		t.clock++
		t.stamp[i] = t.clock
	case plru:
		t.pointAway(set, i-set*t.ways)
	}
}

// insert puts line in slot i, with no sector yet.
func (t *tags) insert(set, i int, line uint64, array int16) {
	t.clock++
	t.tag[i] = line
	t.lines[i] = cacheLine{array: array}
	t.ready[i], t.stamp[i] = 0, t.clock
	if t.policy == plru {
		t.pointAway(set, i-set*t.ways)
	}
}

// drop empties slot i.
func (t *tags) drop(i int) {
	t.tag[i] = noTag
	t.lines[i] = cacheLine{}
	t.ready[i] = 0
}

// victim returns the slot of set that a fill starting at time at takes, and
// when it is free: an empty slot, else what the policy picks among the lines
// that have landed, else the line that lands first.
func (t *tags) victim(set int, at sim.Time) (slot int, free sim.Time) {
	base := set * t.ways
	ready := t.ready[base : base+t.ways]
	stamp := t.stamp[base:][:len(ready)]
	first, landed, oldest := 0, 0, -1
	for w, tag := range t.tag[base:][:len(ready)] {
		if tag == noTag {
			return base + w, at
		}
		if ready[w] > at {
			if ready[w] < ready[first] {
				first = w
			}
			continue
		}
		landed++
		if oldest < 0 || stamp[w] < stamp[oldest] {
			oldest = w
		}
	}
	if landed == 0 {
		return base + first, ready[first]
	}
	way := oldest
	switch t.policy {
	case random:
		way = int(t.draw() % uint64(t.ways))
	case plru:
		way = t.pointedAt(set)
	}
	for ready[way] > at { // the pick is in flight: the next that is not
		way = (way + 1) % t.ways
	}
	return base + way, at
}

// draw returns the next number of a xorshift generator (G. Marsaglia,
// "Xorshift RNGs", 2003).
func (t *tags) draw() uint64 {
	x := t.random
	x ^= x << 13
	x ^= x >> 7
	x ^= x << 17
	t.random = x
	return x >> 11
}

// pointAway turns the tree of set away from way.
func (t *tags) pointAway(set, way int) {
	node := 1
	for half := t.ways / 2; half > 0; half /= 2 {
		right := way / half & 1
		if right == 0 {
			t.tree[set] |= 1 << node
		} else {
			t.tree[set] &^= 1 << node
		}
		node = 2*node + right
	}
}

// pointedAt returns the way that the tree of set points at.
func (t *tags) pointedAt(set int) int {
	node := 1
	for node < t.ways {
		node = 2*node + int(t.tree[set]>>node&1)
	}
	return node - t.ways
}
