package stream

import "math/bits"

// wheelCycles is how far ahead a wheel keeps its streams in buckets; beyond
// lie only those that wait for a hot word or a launch.
const wheelCycles = 1024

// nobody ends a list of streams.
const nobody = int16(-1)

// wheel holds the streams of a processor that know when they can issue next,
// and gives them back in the order of that cycle; those of one cycle in the
// order in which they were put in. Both take a few operations whatever the
// number of streams: a ring of buckets, one a cycle, with a bit for each that
// is not empty.
type wheel struct {
	base     int64 // no stream is due before
	soon     int64 // cycle of the stream to be taken next, unknown if before base
	near     int   // streams in buckets
	summary  uint16
	occupied [wheelCycles / 64]uint64
	bucket   [wheelCycles]struct{ first, last int16 }
	next     []int16 // of each stream in its bucket's list
	far      []due   // a heap: beyond the ring
	order    uint64  // of entries of the heap
}

// due is a stream that is ready at a cycle.
type due struct {
	cycle  int64
	order  uint64
	stream int16
}

func (a due) before(b due) bool {
	return a.cycle < b.cycle || a.cycle == b.cycle && a.order < b.order
}

func newWheel(streams int) wheel { return wheel{soon: -1, next: make([]int16, streams)} }

// put makes stream s due at a cycle; one that has passed counts as the first
// that may come.
func (w *wheel) put(s int16, cycle int64) {
	if cycle < w.base {
		cycle = w.base
	}
	if cycle-w.base >= wheelCycles {
		w.order++
		w.push(due{cycle, w.order, s})
		return
	}
	if cycle < w.soon {
		w.soon = cycle
	}
	w.append(s, cycle)
}

func (w *wheel) append(s int16, cycle int64) {
	i := uint(cycle) % wheelCycles
	w.near++
	w.next[s] = nobody
	if bit := uint64(1) << (i & 63); w.occupied[i>>6]&bit == 0 {
		w.occupied[i>>6] |= bit
		w.summary |= 1 << (i >> 6)
		w.bucket[i].first = s
	} else {
		w.next[w.bucket[i].last] = s
	}
	w.bucket[i].last = s
}

// soonest returns the cycle of the stream to be taken next, or false if there
// is none.
func (w *wheel) soonest() (cycle int64, some bool) {
	if w.soon >= w.base {
		return w.soon, true
	}
	return w.search()
}

// search finds what soonest returns.
func (w *wheel) search() (cycle int64, some bool) {
	if w.near == 0 {
		if len(w.far) == 0 {
			return 0, false
		}
		return w.far[0].cycle, true
	}
	// From the base's bucket on, then round the ring.
	i := uint(w.base) % wheelCycles
	word := i >> 6
	if m := w.occupied[word] >> (i & 63); m != 0 {
		w.soon = w.base + int64(bits.TrailingZeros64(m))
		return w.soon, true
	}
	if m := w.summary >> (word + 1); m != 0 {
		word += 1 + uint(bits.TrailingZeros16(m))
	} else {
		word = uint(bits.TrailingZeros16(w.summary))
	}
	at := word<<6 + uint(bits.TrailingZeros64(w.occupied[word]))
	w.soon = w.base + int64((at-i)%wheelCycles)
	return w.soon, true
}

// first returns the first stream of cycle, which is the soonest, or nobody if
// that is beyond the ring.
func (w *wheel) first(cycle int64) int16 {
	if w.near == 0 {
		return nobody
	}
	return w.bucket[uint(cycle)%wheelCycles].first
}

// take removes and returns the first stream of cycle, which is the soonest.
func (w *wheel) take(cycle int64) int16 {
	if cycle > w.base {
		w.advance(cycle)
	}
	i := uint(cycle) % wheelCycles
	b := &w.bucket[i]
	s := b.first
	w.near--
	if b.first = w.next[s]; b.first == nobody {
		w.soon = -1
		if w.occupied[i>>6] &^= 1 << (i & 63); w.occupied[i>>6] == 0 {
			w.summary &^= 1 << (i >> 6)
		}
	}
	return s
}

// advance moves the base to cycle. What comes within reach joins its bucket
// before anything is put there directly, so the order within a cycle holds.
func (w *wheel) advance(cycle int64) {
	w.base = cycle
	for len(w.far) > 0 && w.far[0].cycle-cycle < wheelCycles {
		d := w.pop()
		w.append(d.stream, d.cycle)
	}
}

func (w *wheel) push(d due) {
	i := len(w.far)
	w.far = append(w.far, d)
	for i > 0 {
		up := (i - 1) / 2
		if w.far[up].before(d) {
			break
		}
		w.far[i] = w.far[up]
		i = up
	}
	w.far[i] = d
}

func (w *wheel) pop() due {
	top := w.far[0]
	n := len(w.far) - 1
	d := w.far[n]
	w.far = w.far[:n]
	for i := 0; n > 0; {
		child := 2*i + 1
		if child+1 < n && w.far[child+1].before(w.far[child]) {
			child++
		}
		if child >= n || d.before(w.far[child]) {
			w.far[i] = d
			break
		}
		w.far[i] = w.far[child]
		i = child
	}
	return top
}
