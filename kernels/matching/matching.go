// Package matching computes half-approximate weighted matchings: sets of edges
// without a common end, of at least half the greatest possible weight.
//
// Its kernels find the matching of locally dominant edges by the algorithms of
// Halappanavar, Feo, Villa, Tumeo and Pothen, "Approximate weighted matching on
// emerging manycore and multithreaded architectures", IJHPCA 26(4), 2012. An
// edge is locally dominant when it is heavier than every edge that shares an
// end with it and could still be matched. The result is the greedy matching:
// take the heaviest edge whose ends are both free, repeat.
//
// # Ties
//
// Edges are ordered by (weight, larger end, smaller end). No two edges compare
// equal, so there is one greedy matching, and no cycle of vertices that wait
// for each other. Among the edges of one vertex u the order is simply (weight,
// other end): of {u,a} and {u,b} with a < b, {u,b} has the larger end if b > u;
// if not, u is the larger end of both, and b the larger of the smaller ends. A
// scan of a row, whose neighbors ascend, therefore keeps the last of the
// heaviest: it takes an edge if its weight is at least the best so far.
//
// # Encodings
//
// Vertices are int32. mate[u] is u's partner, candidate[u] the neighbor that u
// would match with; -1 is none.
//
// In the kernels' tables of work V and E are the graph's vertices and edges, N
// vertices have neighbors, M are matched, and D is the sum of the matched
// vertices' degrees.
package matching

import (
	"math"

	"heddle/arch/isa"
	"heddle/kernels"
)

const none = -1

const paper = "Halappanavar et al., IJHPCA 26(4), 2012"

// Kernels lists the family's kernels.
func Kernels() []kernels.Kernel {
	return []kernels.Kernel{ld, ldSerial, ldSorted, ldDataflow}
}

// csr are the parameters that hold the graph without its weights.
type csr struct{ xadj, adjncy isa.ArrayParam }

func csrParams(b *isa.Builder) csr {
	return csr{b.Array("xadj", isa.I64), b.Array("adjncy", isa.I32)}
}

// heaviest returns the neighbor of u behind its heaviest edge, or -1. Unless
// mate is nil, only unmatched neighbors count.
func (g csr) heaviest(b *isa.Builder, weight isa.ArrayParam, u isa.Reg, mate *isa.ArrayParam) isa.Reg {
	maxWeight := b.Var(math.Inf(-1))
	maxNeighbor := b.Var(none)
	b.For(b.Load(g.xadj, u), b.Load(g.xadj, b.Add(u, 1)), 1, func(e isa.Reg) {
		v := b.Load(g.adjncy, e)
		consider := func() {
			w := b.Load(weight, e)
			b.If(b.Ge(w, maxWeight), func() {
				b.Set(maxWeight, w)
				b.Set(maxNeighbor, v)
			})
		}
		if mate == nil {
			consider()
		} else {
			b.If(b.Eq(b.Load(*mate, v), none), consider)
		}
	})
	return maxNeighbor
}

// bereft processes those who lost their candidate when u was matched: every
// neighbor whose candidate is u, but u's mate.
//
// Line 12 of Algorithm 1 and line 24 of Algorithm 3 do not except the mate,
// whose candidate is u too and which would look for a second mate.
func (g csr) bereft(b *isa.Builder, candidate, mate isa.ArrayParam, u isa.Reg, process func(s isa.Reg)) {
	mateOfU := b.Load(mate, u)
	b.For(b.Load(g.xadj, u), b.Load(g.xadj, b.Add(u, 1)), 1, func(e isa.Reg) {
		v := b.Load(g.adjncy, e)
		named := b.Eq(b.Load(candidate, v), u)
		b.If(b.And(named, b.Ne(v, mateOfU)), func() { process(v) })
	})
}
