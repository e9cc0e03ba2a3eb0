package graph

import (
	"math"
	"slices"
	"sync/atomic"
)

// pair is one entry of the input: an edge, or one direction of it.
type pair struct{ u, v int32 }

// chunkLen is the number of entries held together, so that a growing list is
// never copied.
const chunkLen = 1 << 18

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

// key packs a neighbor and the direction its entry was written in (1: from the
// neighbor) into an int32 whose order is that of (neighbor, direction).
func key(v, direction int32) int32 {
	return int32(uint32(v)<<1|uint32(direction)) ^ math.MinInt32
}

func unkey(k int32) (v, direction int32) {
	x := uint32(k) ^ 1<<31
	return int32(x >> 1), int32(x & 1)
}

// build makes the graph of n vertices from the entries, which it consumes. The
// result does not depend on their order. Where an edge's entries disagree on
// its weight the largest counts. In a directed input u->v and v->u are
// two halves of one edge; in an undirected one the second is a duplicate.
func build(n int, l *entryList, directed bool) *Graph {
	g := &Graph{}
	b := builder{n: n, g: g, directed: directed}
	b.count(l)
	b.scatter(l)
	*l = entryList{} // let the collector have the entries before Adj is copied
	b.simplify()
	b.pack()
	return g
}

type builder struct {
	n        int
	g        *Graph
	directed bool
	x        []int64 // V+2 row starts; see count
	degree   []int32 // of the simple graph
}

// scatterWorkers bounds the workers of count and scatter, each of which reads
// every entry and keeps those of its own vertices: no locks, and no result
// that depends on timing.
const scatterWorkers = 8

// count leaves the start of row u in x[u+1]; scatter then advances it to the
// start of row u+1, which is what CSR wants there.
func (b *builder) count(l *entryList) {
	b.x = make([]int64, b.n+2)
	inRanges(b.n, scatterWorkers, func(lo, hi int) {
		x, first, span := b.x, int32(lo), uint32(hi-lo)
		for _, chunk := range l.pairs {
			for _, e := range chunk {
				if e.u == e.v {
					continue
				}
				if uint32(e.u-first) < span {
					x[e.u+2]++
				}
				if uint32(e.v-first) < span {
					x[e.v+2]++
				}
			}
		}
	})
	for i := 2; i < len(b.x); i++ {
		b.x[i] += b.x[i-1]
	}
	b.g.Dropped.SelfLoops = l.n - b.x[b.n+1]/2
}

func (b *builder) scatter(l *entryList) {
	g := b.g
	g.Adj = make([]int32, b.x[b.n+1])
	if l.weights != nil {
		g.Weight = make([]float64, len(g.Adj))
	}
	inRanges(b.n, scatterWorkers, func(lo, hi int) {
		x, adj, first, span := b.x, g.Adj, int32(lo), uint32(hi-lo)
		for c, chunk := range l.pairs {
			for i, e := range chunk {
				if e.u == e.v {
					continue
				}
				if uint32(e.u-first) < span {
					at := x[e.u+1]
					adj[at] = key(e.v, 0)
					if g.Weight != nil {
						g.Weight[at] = l.weights[c][i]
					}
					x[e.u+1] = at + 1
				}
				if uint32(e.v-first) < span {
					at := x[e.v+1]
					adj[at] = key(e.u, 1)
					if g.Weight != nil {
						g.Weight[at] = l.weights[c][i]
					}
					x[e.v+1] = at + 1
				}
			}
		}
	})
}

// simplify sorts each row and merges its parallel entries at the row's front.
func (b *builder) simplify() {
	b.degree = make([]int32, b.n)
	var duplicates, symmetrised atomic.Int64
	inBlocks(b.n, grain, func(lo, hi int) {
		var dup, sym int64
		var scratch []weighted
		for u := lo; u < hi; u++ {
			row := b.g.Adj[b.x[u]:b.x[u+1]]
			var weight []float64
			if b.g.Weight == nil {
				slices.Sort(row)
			} else {
				weight = b.g.Weight[b.x[u]:b.x[u+1]]
				scratch = sortWeighted(row, weight, scratch)
			}
			d, s := b.merge(int32(u), row, weight)
			dup += d
			sym += s
		}
		duplicates.Add(dup)
		symmetrised.Add(sym)
	})
	b.g.Dropped.Duplicates = duplicates.Load()
	b.g.Symmetrised = symmetrised.Load()
}

// merge reduces a sorted row to one plain vertex id per neighbor. Each edge is
// counted once, at its smaller end.
func (b *builder) merge(u int32, row []int32, weight []float64) (duplicates, symmetrised int64) {
	kept := 0
	for i := 0; i < len(row); {
		v, _ := unkey(row[i])
		var seen [2]int64
		start := i
		for ; i < len(row); i++ {
			w, direction := unkey(row[i])
			if w != v {
				break
			}
			seen[direction]++
		}
		if weight != nil {
			largest := weight[start]
			for _, w := range weight[start+1 : i] {
				largest = math.Max(largest, w)
			}
			weight[kept] = largest
		}
		row[kept] = v
		kept++
		if v < u {
			continue
		}
		switch {
		case !b.directed:
			duplicates += seen[0] + seen[1] - 1
		case seen[0] == 0 || seen[1] == 0:
			duplicates += seen[0] + seen[1] - 1
			symmetrised++
		default:
			duplicates += seen[0] + seen[1] - 2
		}
	}
	b.degree[u] = int32(kept)
	return duplicates, symmetrised
}

type weighted struct {
	key    int32
	weight float64
}

func sortWeighted(row []int32, weight []float64, scratch []weighted) []weighted {
	scratch = scratch[:0]
	for i, k := range row {
		scratch = append(scratch, weighted{k, weight[i]})
	}
	slices.SortFunc(scratch, func(a, b weighted) int {
		if a.key < b.key {
			return -1
		}
		if a.key > b.key {
			return 1
		}
		return 0
	})
	for i, e := range scratch {
		row[i], weight[i] = e.key, e.weight
	}
	return scratch
}

// pack closes the gaps that merging left between the rows.
func (b *builder) pack() {
	g := b.g
	g.XAdj = b.x[: b.n+1 : b.n+1]
	at := int64(0)
	for u, d := range b.degree {
		from := g.XAdj[u]
		if from != at {
			copy(g.Adj[at:at+int64(d)], g.Adj[from:])
			if g.Weight != nil {
				copy(g.Weight[at:at+int64(d)], g.Weight[from:])
			}
		}
		g.XAdj[u] = at
		at += int64(d)
	}
	g.XAdj[b.n] = at
	g.Adj = trim(g.Adj[:at])
	if g.Weight != nil {
		g.Weight = trim(g.Weight[:at])
	}
}

// trim returns s without its spare capacity where that is worth a copy.
func trim[E any](s []E) []E {
	if cap(s)-len(s) <= len(s)/8 {
		return s[:len(s):len(s)]
	}
	return append(make([]E, 0, len(s)), s...)
}
