package simt

import "math/bits"

// A transaction is one request of a warp's access to the memory system.
type transaction struct {
	addr  uint64
	lanes uint64 // that it serves
	size  int32  // bytes moved
	used  int32  // bytes asked for by its lanes, at most size where they overlap
}

// transactions is the coalescer's output and scratch space.
type transactions struct {
	list *[64]transaction
	n    int
	// An open-addressed table of the list's chunks.
	table [128]chunkEntry
	now   uint32
}

// chunkEntry is one of the current access if it is stamped so, and empty
// otherwise: the table need not be cleared.
type chunkEntry struct {
	key   uint64
	stamp uint32
	index uint32
}

// coalescer turns the addresses of a warp's lanes into transactions.
type coalescer func(t *transactions, lanes uint64, addr *[64]uint64, size int32)

// chunks makes one transaction for each distinct aligned chunk of 2^shift
// bytes: the rule of compute capability 2.x with chunks of an L1 line, and of
// L2 sectors where L1 is bypassed; and of 3.x and later with sectors.
func chunks(shift uint) coalescer {
	return func(t *transactions, lanes uint64, addr *[64]uint64, size int32) {
		t.n = 0
		t.gather(lanes, addr, shift, size)
	}
}

// gather appends a transaction for each distinct chunk.
func (t *transactions) gather(lanes uint64, addr *[64]uint64, shift uint, size int32) {
	t.now++
	last := -1
	var lastKey uint64
	for m := lanes; m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m) & 63
		key := addr[l] >> (shift & 63)
		if last < 0 || key != lastKey {
			h := key * 0x9e3779b97f4a7c15 >> 57
			if e := &t.table[h]; e.stamp == t.now && e.key == key {
				last = int(e.index)
			} else {
				last = t.find(h, key, shift)
			}
			lastKey = key
		}
		tr := &t.list[last&63]
		tr.lanes |= 1 << l
		tr.used += size
	}
}

// find returns the index of the chunk's transaction, whose search begins at
// entry h; it is appended if it is new.
func (t *transactions) find(h, key uint64, shift uint) int {
	for {
		e := &t.table[h&127]
		switch {
		case e.stamp != t.now:
			*e = chunkEntry{key, t.now, uint32(t.n)}
			t.list[t.n&63] = transaction{addr: key << shift, size: 1 << shift}
			t.n++
			return t.n - 1
		case e.key == key:
			return int(e.index)
		}
		h++
	}
}

// segments is the rule of compute capability 1.2 and 1.3: each half-warp has
// one transaction for each distinct segment, of 32 bytes for 1-byte elements
// and 128 bytes for 4- and 8-byte ones, which shrinks to half and then quarter
// as long as one half of it holds all that is used.
func segments(t *transactions, lanes uint64, addr *[64]uint64, size int32) {
	shift := uint(7)
	if size == 1 {
		shift = 5
	}
	t.n = 0
	for half := uint(0); half < 64; half += 16 {
		group := lanes & (0xffff << half)
		if group == 0 {
			continue
		}
		first := t.n
		t.gather(group, addr, shift, size)
		for i := first; i < t.n; i++ {
			t.list[i].shrink(addr, size)
		}
	}
}

// shrink halves the segment down to 32 bytes while one half suffices.
func (t *transaction) shrink(addr *[64]uint64, size int32) {
	low, high := ^uint64(0), uint64(0)
	for m := t.lanes; m != 0; m &= m - 1 {
		a := addr[bits.TrailingZeros64(m)&63]
		low, high = min(low, a), max(high, a+uint64(size))
	}
	for t.size > 32 {
		half := t.size / 2
		middle := t.addr + uint64(half)
		switch {
		case high <= middle:
		case low >= middle:
			t.addr = middle
		default:
			return
		}
		t.size = half
	}
}

// conflicts returns the passes that a shared-memory access needs: for each
// group of lanes, the largest number of distinct words in one bank. Lanes that
// read or write the same word share its pass, unless they do so atomically.
func conflicts(lanes uint64, addr *[64]uint64, banks int, width uint64, group uint, atomic bool) (passes int) {
	for first := uint(0); first < 64; first += group {
		m := lanes >> first << first
		if first+group < 64 {
			m &= 1<<(first+group) - 1
		}
		if m == 0 {
			continue
		}
		var words [64]uint64
		var perBank [64]uint8
		n, most := 0, uint8(1)
	lane:
		for ; m != 0; m &= m - 1 {
			w := addr[bits.TrailingZeros64(m)&63] / width
			for _, seen := range words[:n] {
				if seen == w && !atomic {
					continue lane
				}
			}
			words[n] = w
			n++
			b := w % uint64(banks)
			perBank[b]++
			most = max(most, perBank[b])
		}
		passes += int(most)
	}
	return passes
}
