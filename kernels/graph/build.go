package graph

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"
)

// build makes the graph of n vertices from the entries, which it consumes. The
// result does not depend on their order. Where an edge's entries disagree on
// its weight the largest counts. In a directed input u->v and v->u are
// two halves of one edge; in an undirected one the second is a duplicate.
//
// A scatter of all entries to their rows would miss the caches and the TLB at
// every step. So the vertices are cut into buckets: each chunk of entries is
// first sorted by bucket, then each bucket's rows are filled, sorted and
// simplified. Both steps stay in the cache and share nothing, and the memory at
// the peak is 16 bytes an entry (32 with weights) and the result.
func build(n int, l *entryList, directed bool) *Graph {
	b := &builder{g: &Graph{XAdj: make([]int64, n+1)}, directed: directed}
	b.shift = max(10, bits.Len(uint(n-1))-8)
	b.buckets = (n-1)>>b.shift + 1
	b.sortChunks(l)
	b.fillBuckets()
	b.closeGaps()
	return b.g
}

type builder struct {
	g        *Graph
	directed bool
	shift    int // a vertex's bucket is its id >> shift
	buckets  int
	chunks   []sortedChunk
	base     []int64 // where each bucket starts in Adj, before simplification
	length   []int64 // of each bucket, after simplification
}

// half is one direction of an entry, as seen by vertex u.
type half struct {
	u   int32
	key int32 // the neighbor and the direction; see key
}

// sortedChunk is a chunk's halves by bucket: those of bucket k are
// halves[start[k]:start[k+1]].
type sortedChunk struct {
	halves []half
	weight []float64 // parallel to halves, or nil
	start  []int32
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

// sortChunks moves the entries into chunks sorted by bucket, without the
// self-loops.
func (b *builder) sortChunks(l *entryList) {
	b.chunks = make([]sortedChunk, len(l.pairs))
	inBlocks(len(l.pairs), 1, func(c, _ int) {
		var weight []float64
		if l.weights != nil {
			weight, l.weights[c] = l.weights[c], nil
		}
		b.chunks[c] = b.sortChunk(l.pairs[c], weight)
		l.pairs[c] = nil
	})
	b.base = make([]int64, b.buckets+1)
	for k := range b.buckets {
		b.base[k+1] = b.base[k]
		for i := range b.chunks {
			b.base[k+1] += int64(b.chunks[i].start[k+1] - b.chunks[i].start[k])
		}
	}
	b.g.Adj = make([]int32, b.base[b.buckets])
	if l.weights != nil {
		b.g.Weight = make([]float64, len(b.g.Adj))
	}
	b.g.Dropped.SelfLoops = l.n - int64(len(b.g.Adj))/2
	*l = entryList{}
}

func (b *builder) sortChunk(pairs []pair, weight []float64) sortedChunk {
	// Counting sort: start[k+1] is the next free place of bucket k, and its
	// end when all is placed.
	s := sortedChunk{start: make([]int32, b.buckets+2)}
	for _, e := range pairs {
		if e.u != e.v {
			s.start[e.u>>b.shift+2]++
			s.start[e.v>>b.shift+2]++
		}
	}
	for k := 2; k < len(s.start); k++ {
		s.start[k] += s.start[k-1]
	}
	s.halves = make([]half, s.start[b.buckets+1])
	if weight != nil {
		s.weight = make([]float64, len(s.halves))
	}
	for i, e := range pairs {
		if e.u == e.v {
			continue
		}
		for _, h := range [2]half{{e.u, key(e.v, 0)}, {e.v, key(e.u, 1)}} {
			next := &s.start[h.u>>b.shift+1]
			s.halves[*next] = h
			if weight != nil {
				s.weight[*next] = weight[i]
			}
			*next++
		}
	}
	s.start = s.start[:b.buckets+1]
	return s
}

// fillBuckets builds the rows of every bucket at the bucket's base, and leaves
// the degrees in XAdj.
func (b *builder) fillBuckets() {
	b.length = make([]int64, b.buckets)
	var duplicates, symmetrised atomic.Int64
	inBlocks(b.buckets, 1, func(k, _ int) {
		rows := b.scatter(k)
		dup, sym := b.simplify(k, rows)
		duplicates.Add(dup)
		symmetrised.Add(sym)
	})
	b.chunks = nil
	b.g.Dropped.Duplicates = duplicates.Load()
	b.g.Symmetrised = symmetrised.Load()
}

// vertices returns the first vertex of bucket k and their number.
func (b *builder) vertices(k int) (first int32, number int) {
	first = int32(k << b.shift)
	return first, min(1<<b.shift, len(b.g.XAdj)-1-int(first))
}

// scatter moves the halves of bucket k to their rows, in any order within one,
// and returns where in Adj each of its rows starts and the last ends.
func (b *builder) scatter(k int) (rows []int64) {
	first, number := b.vertices(k)
	rows = make([]int64, number+2)
	for i := range b.chunks {
		c := &b.chunks[i]
		for _, h := range c.halves[c.start[k]:c.start[k+1]] {
			rows[h.u-first+2]++
		}
	}
	rows[0], rows[1] = b.base[k], b.base[k]
	for i := 2; i < len(rows); i++ {
		rows[i] += rows[i-1]
	}
	for i := range b.chunks {
		c := &b.chunks[i]
		for j := c.start[k]; j < c.start[k+1]; j++ {
			h := c.halves[j]
			next := &rows[h.u-first+1]
			b.g.Adj[*next] = h.key
			if c.weight != nil {
				b.g.Weight[*next] = c.weight[j]
			}
			*next++
		}
	}
	return rows[:number+1]
}

// simplify sorts the rows of bucket k and merges parallel entries, without
// gaps from the bucket's base on.
func (b *builder) simplify(k int, rows []int64) (duplicates, symmetrised int64) {
	first, number := b.vertices(k)
	at := b.base[k]
	var scratch []weighted
	for i := range number {
		u := first + int32(i)
		row := b.g.Adj[rows[i]:rows[i+1]]
		var weight []float64
		if b.g.Weight == nil {
			slices.Sort(row)
		} else {
			weight = b.g.Weight[rows[i]:rows[i+1]]
			scratch = sortWeighted(row, weight, scratch)
		}
		degree, dup, sym := b.merge(u, row, weight, at)
		b.g.XAdj[u+1] = degree
		at += degree
		duplicates += dup
		symmetrised += sym
	}
	b.length[k] = at - b.base[k]
	return duplicates, symmetrised
}

// merge writes one plain id per neighbor of a sorted row to Adj[at:], which is
// at or before the row itself, and returns their number. Each edge counts once
// among duplicates and symmetrised, at its smaller end.
func (b *builder) merge(u int32, row []int32, weight []float64, at int64) (degree, duplicates, symmetrised int64) {
	for i := 0; i < len(row); {
		v, _ := unkey(row[i])
		var seen [2]int64
		first := i
		for ; i < len(row); i++ {
			w, direction := unkey(row[i])
			if w != v {
				break
			}
			seen[direction]++
		}
		if weight != nil {
			b.g.Weight[at+degree] = largest(weight[first:i])
		}
		b.g.Adj[at+degree] = v
		degree++
		if v < u {
			continue
		}
		oneWay := b.directed && (seen[0] == 0 || seen[1] == 0)
		if oneWay {
			symmetrised++
		}
		duplicates += seen[0] + seen[1] - 1
		if b.directed && !oneWay {
			duplicates--
		}
	}
	return degree, duplicates, symmetrised
}

// largest returns the maximum of some weights. An infinite one or one that is
// not a number stays visible, whatever the order.
func largest(weights []float64) float64 {
	top := weights[0]
	for _, w := range weights[1:] {
		top = math.Max(top, w)
	}
	return top
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
	slices.SortFunc(scratch, func(a, b weighted) int { return cmp.Compare(a.key, b.key) })
	for i, e := range scratch {
		row[i], weight[i] = e.key, e.weight
	}
	return scratch
}

// closeGaps turns degrees into row starts and moves the buckets together.
func (b *builder) closeGaps() {
	g := b.g
	for u := range len(g.XAdj) - 1 {
		g.XAdj[u+1] += g.XAdj[u]
	}
	for k, length := range b.length {
		first, _ := b.vertices(k)
		to, from := g.XAdj[first], b.base[k]
		copy(g.Adj[to:to+length], g.Adj[from:])
		if g.Weight != nil {
			copy(g.Weight[to:to+length], g.Weight[from:])
		}
	}
	at := g.XAdj[len(g.XAdj)-1]
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
