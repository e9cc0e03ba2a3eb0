package graph

import (
	"math/rand/v2"
)

// RMAT are the parameters of a recursive-matrix graph (Chakrabarti, Zhan,
// Faloutsos, "R-MAT: a recursive model for graph mining", SDM 2004): an edge
// descends Scale times into one of the four quadrants of the adjacency matrix.
type RMAT struct {
	A, B, C float64 // probabilities of the top left, top right and bottom left quadrant; the rest is the bottom right's
	Scale   int     // log2 of the vertices
	Degree  int     // edges generated per vertex
	Seed    uint64
}

// The parameter sets of Halappanavar, Feo, Villa, Tumeo and Pothen,
// "Approximate weighted matching on emerging manycore and multithreaded
// architectures", IJHPCA 26(4), 2012, section III-C: Erdős-Rényi, "good" and
// "bad" degree skew.
var rmatFamilies = map[string]RMAT{
	"rmat-er": {A: 0.25, B: 0.25, C: 0.25},
	"rmat-g":  {A: 0.45, B: 0.15, C: 0.15},
	"rmat-b":  {A: 0.55, B: 0.15, C: 0.15},
}

// rmatDegree is the papers' number of generated edges per vertex.
const rmatDegree = 8

// rmatChunk is the number of edges drawn from one random stream. It is part of
// what graph a seed means.
const rmatChunk = 1 << 17

// Generate makes the graph of Degree * 2^Scale random edges, less self-loops
// and duplicates, its vertex ids shuffled so that an id says nothing about a
// degree. Isolated vertices stay. The graph depends on the parameters alone.
// Progress, which may be nil, is told of the edges generated so far.
func (p RMAT) Generate(progress func(done, total int64)) *Graph {
	n := 1 << p.Scale
	total := int64(p.Degree) * int64(n)
	label := p.shuffle(n)
	chunks := int((total + rmatChunk - 1) / rmatChunk)
	l := &entryList{pairs: make([][]pair, chunks), n: total}
	report := tally{total: total, progress: progress}
	inBlocks(chunks, 1, func(c, _ int) {
		size := min(total-int64(c)*rmatChunk, rmatChunk)
		chunk := make([]pair, size)
		p.fill(chunk, uint64(c))
		for i, e := range chunk {
			chunk[i] = pair{label[e.u], label[e.v]}
		}
		l.pairs[c] = chunk
		report.add(size)
	})
	return build(n, l, false)
}

// fill draws the edges of chunk c from a stream of the chunk's own, so that
// the graph does not depend on how many processors make it.
func (p RMAT) fill(chunk []pair, c uint64) {
	rng := rand.NewPCG(mix(p.Seed), mix(^p.Seed+mix(c)))
	const one = 1 << 32
	a := uint64(p.A * one)
	ab := uint64((p.A + p.B) * one)
	abc := uint64((p.A + p.B + p.C) * one)
	for i := range chunk {
		var u, v, random uint64
		for level := range p.Scale {
			if level&1 == 0 {
				random = rng.Uint64()
			}
			r := random & (one - 1)
			random >>= 32
			// The sign bit of threshold-1-r says r >= threshold: no branch
			// for the processor to mispredict.
			right := (a - 1 - r) >> 63
			lower := (ab - 1 - r) >> 63
			last := (abc - 1 - r) >> 63
			u = u<<1 | lower
			v = v<<1 | (right ^ lower ^ last)
		}
		chunk[i] = pair{int32(u), int32(v)}
	}
}

// shuffle returns a random permutation of the n vertices.
func (p RMAT) shuffle(n int) []int32 {
	label := make([]int32, n)
	for i := range label {
		label[i] = int32(i)
	}
	rng := rand.New(rand.NewPCG(mix(p.Seed+1), mix(^p.Seed)))
	rng.Shuffle(n, func(i, j int) { label[i], label[j] = label[j], label[i] })
	return label
}
