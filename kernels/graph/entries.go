package graph

// pair is one entry of the input: an edge, or one direction of it.
type pair struct{ u, v int32 }

// chunkLen is the number of entries held together: a growing list is never
// copied, and a chunk can be put in order within a processor's cache.
const chunkLen = 1 << 17

// entryList collects the input's entries: 8 bytes each, 16 with weights.
type entryList struct {
	pairs   [][]pair
	weights [][]float64 // parallel to pairs; nil when unweighted
	n       int64
}

func (l *entryList) add(u, v int32) {
	last := len(l.pairs) - 1
	if last < 0 || len(l.pairs[last]) == cap(l.pairs[last]) {
		// A small file must not pay for a whole chunk.
		size := min(max(64, int(l.n)), chunkLen)
		l.pairs = append(l.pairs, make([]pair, 0, size))
		last++
	}
	l.pairs[last] = append(l.pairs[last], pair{u, v})
	l.n++
}

func (l *entryList) addWeighted(u, v int32, w float64) {
	l.add(u, v)
	last := len(l.pairs) - 1
	if last == len(l.weights) {
		l.weights = append(l.weights, make([]float64, 0, cap(l.pairs[last])))
	}
	l.weights[last] = append(l.weights[last], w)
}
