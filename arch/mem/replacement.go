package mem

import (
	"math/bits"

	"heddle/sim"
)

// replacement is the state of a cache's replacement policy.
//
// The order of up to 16 ways, by their last use (lru) or their fill (fifo), is
// a word of 4 bits a way, the latest lowest; of more ways, it is a stamp each.
type replacement struct {
	policy policy
	ways   int
	order  []uint64 // by set
	stamp  []uint64 // by slot
	clock  uint64   // of stamps
	random uint64   // state of the random policy
	tree   []uint64 // plru: a bit for each inner node of a set's tree, node 1 its root
}

type policy uint8

const (
	lru policy = iota
	fifo
	random
	plru
)

var policies = map[string]policy{"lru": lru, "fifo": fifo, "random": random, "plru": plru}

func newReplacement(sets, ways int, name string) replacement {
	r := replacement{policy: policies[name], ways: ways, random: 0x9e3779b97f4a7c15}
	switch {
	case r.policy == plru:
		r.tree = make([]uint64, sets)
	case r.policy == random:
	case ways > 16:
		r.stamp = make([]uint64, sets*ways)
	default:
		r.order = make([]uint64, sets)
		for i := range r.order {
			r.order[i] = 0xfedcba9876543210
		}
	}
	return r
}

// latest reports whether the order of set is known to begin with way.
func (r *replacement) latest(set, way int) bool {
	return set < len(r.order) && int(r.order[set]&15) == way
}

// used notes that the way of set, in slot i, was used.
func (r *replacement) used(set, way, i int) {
	if r.policy != fifo {
		r.filled(set, way, i)
	}
}

// filled notes that the way of set, in slot i, was filled.
func (r *replacement) filled(set, way, i int) {
	switch {
	case r.order != nil:
		r.order[set] = toFront(r.order[set], uint64(way))
	case r.stamp != nil:
		r.clock++
		r.stamp[i] = r.clock
	case r.tree != nil:
		r.pointAway(set, way)
	}
}

// toFront makes way the first in order.
func toFront(order, way uint64) uint64 {
	const every = 0x1111111111111111
	x := order ^ way*every
	at := bits.TrailingZeros64((x-every)&^x&(8*every)) &^ 3
	later := order & (1<<(at&63) - 1)
	return order&(^uint64(15)<<(at&63)) | later<<4 | way
}

// pick returns the way of a full set whose line a fill starting at time at
// replaces: the policy's choice among the lines that have landed, else the
// first to land.
func (r *replacement) pick(set int, lines []cacheLine, at sim.Time) (way int) {
	if r.order != nil {
		order := r.order[set]
		for last := 4 * (len(lines) - 1); last >= 0; last -= 4 {
			if way := int(order >> (last & 63) & 15); lines[way].ready <= at {
				return way
			}
		}
		return firstToLand(lines)
	}
	way = firstToLand(lines)
	if lines[way].ready > at {
		return way
	}
	switch r.policy {
	case random:
		way = int(r.draw() % uint64(len(lines)))
	case plru:
		way = r.pointedAt(set)
	default:
		return oldest(r.stamp[set*len(lines):], lines, at)
	}
	for lines[way].ready > at { // the pick is in flight: the next that is not
		way = (way + 1) % len(lines)
	}
	return way
}

// firstToLand returns the line that has landed or will first, the first of
// equals.
func firstToLand(lines []cacheLine) (way int) {
	for w := range lines {
		if lines[w].ready < lines[way].ready {
			way = w
		}
	}
	return way
}

// oldest returns the landed line with the least stamp; there is one.
func oldest(stamp []uint64, lines []cacheLine, at sim.Time) (way int) {
	least := ^uint64(0)
	for w := range lines {
		if lines[w].ready <= at && stamp[w] < least {
			way, least = w, stamp[w]
		}
	}
	return way
}

// draw returns the next number of a xorshift generator (G. Marsaglia,
// "Xorshift RNGs", 2003).
func (r *replacement) draw() uint64 {
	x := r.random
	x ^= x << 13
	x ^= x >> 7
	x ^= x << 17
	r.random = x
	return x >> 11
}

// pointAway turns the tree of set away from way.
func (r *replacement) pointAway(set, way int) {
	node := 1
	for half := r.ways / 2; half > 0; half /= 2 {
		right := way / half & 1
		if right == 0 {
			r.tree[set] |= 1 << node
		} else {
			r.tree[set] &^= 1 << node
		}
		node = 2*node + right
	}
}

// pointedAt returns the way that the tree of set points at.
func (r *replacement) pointedAt(set int) int {
	node := 1
	for node < r.ways {
		node = 2*node + int(r.tree[set]>>node&1)
	}
	return node - r.ways
}
