package sim

import "math/bits"

// bitRing is a ring of at most 4096 bits in which the next set bit, going
// round, is found in constant time: a summary word has one bit for each word
// that is not zero.
type bitRing struct {
	summary uint64
	words   []uint64
}

// newBitRing returns a ring of n clear bits; n is a multiple of 64, at most
// 4096.
func newBitRing(n int) bitRing { return bitRing{words: make([]uint64, n/64)} }

func (r *bitRing) set(i uint) {
	r.words[i>>6] |= 1 << (i & 63)
	r.summary |= 1 << (i >> 6)
}

func (r *bitRing) clear(i uint) {
	if r.words[i>>6] &^= 1 << (i & 63); r.words[i>>6] == 0 {
		r.summary &^= 1 << (i >> 6)
	}
}

// next returns the first set bit at or after i, going round, or -1 if all are
// clear.
func (r *bitRing) next(i uint) int {
	w := i >> 6
	if m := r.words[w] >> (i & 63); m != 0 {
		return int(i) + bits.TrailingZeros64(m)
	}
	if m := r.summary >> (w + 1); m != 0 {
		w += 1 + uint(bits.TrailingZeros64(m))
	} else if r.summary != 0 {
		w = uint(bits.TrailingZeros64(r.summary))
	} else {
		return -1
	}
	return int(w<<6) + bits.TrailingZeros64(r.words[w])
}
