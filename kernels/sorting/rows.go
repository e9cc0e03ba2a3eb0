// Package sorting sorts a graph's rows by the weight of their edges, which
// matching/ld-sorted and matching/ld-dataflow presuppose.
//
// sorting/rows sorts each row by decreasing weight, the greater neighbor first
// among equal weights, a thread a row. Halappanavar, Feo, Villa, Tumeo and
// Pothen, "Approximate weighted matching on emerging manycore and multithreaded
// architectures", IJHPCA 26(4), 2012, section V, say that this takes far longer
// than matching, and not how they sort. Here it is heap sort (Williams, CACM
// 7(6), 1964): in place, without recursion, and O(d log d) for a row of d
// entries whatever their order, so that a hub does not hold up all.
//
// # Encodings
//
// Neighbors are int32 and weights float64, in the order of the graph's CSR
// form. The rows of sorted and key are heaps first, the least edge at the
// front, and then sorted.
//
// # Work
//
// A = 2E entries are sorted. Up and down count how often an entry moves by a
// level of its heap, at most log2 of a row's length for each entry, each way.
//
//	xadj          loads 2V
//	adjncy        loads A
//	weight        loads A
//	sorted, key   stores A + up + 2(A - N) + down, loads more than that
package sorting

import (
	"heddle/arch/isa"
	"heddle/kernels"
	"heddle/kernels/graph"
)

// Kernels lists the family's kernels.
func Kernels() []kernels.Kernel {
	return []kernels.Kernel{{
		Name:     "sorting/rows",
		Doc:      "Heap sort of each vertex's neighbors by decreasing weight.",
		Source:   "Halappanavar et al., IJHPCA 26(4), 2012, section V; Williams, CACM 7(6), 1964",
		Weighted: true,
		Simulate: simulateRows,
		Native:   nativeRows,
		Programs: func() []*isa.Program { return kernels.Programs(rowsProgram) },
	}}
}

// entry is a neighbor and the weight of its edge, in registers.
type entry struct{ neighbor, weight isa.Reg }

// heap is a row on its way to being sorted.
type heap struct {
	b           *isa.Builder
	sorted, key isa.ArrayParam
	lo          isa.Reg // place of the row
}

func (h heap) get(i isa.Operand) entry {
	at := h.b.Add(h.lo, i)
	return entry{h.b.Load(h.sorted, at), h.b.Load(h.key, at)}
}

func (h heap) put(i isa.Operand, x entry) {
	at := h.b.Add(h.lo, i)
	h.b.Store(h.sorted, at, x.neighbor)
	h.b.Store(h.key, at, x.weight)
}

// less says whether x comes after y in a sorted row.
func (h heap) less(x, y entry) isa.Reg {
	b := h.b
	return b.Or(b.Lt(x.weight, y.weight), b.And(b.Eq(x.weight, y.weight), b.Lt(x.neighbor, y.neighbor)))
}

// raise puts x into the heap, from place i, which is free, upwards.
func (h heap) raise(i isa.Reg, x entry) {
	b := h.b
	hole := b.Var(i)
	b.While(func() isa.Reg { return b.Gt(hole, 0) }, func() {
		up := b.Shr(b.Sub(hole, 1), 1)
		above := h.get(up)
		b.BreakUnless(h.less(x, above))
		h.put(hole, above)
		b.Set(hole, up)
	})
	h.put(hole, x)
}

// lower puts x into the heap of n entries, from its front, which is free,
// downwards.
func (h heap) lower(n isa.Reg, x entry) {
	b := h.b
	hole := b.Var(0)
	child := b.Var(1)
	b.While(func() isa.Reg { return b.Lt(child, n) }, func() {
		least := h.get(child)
		below := entry{b.Var(least.neighbor), b.Var(least.weight)}
		other := b.Add(child, 1)
		b.If(b.Lt(other, n), func() {
			right := h.get(other)
			b.If(h.less(right, below), func() {
				b.Set(below.neighbor, right.neighbor)
				b.Set(below.weight, right.weight)
				b.Set(child, other)
			})
		})
		b.BreakIf(h.less(x, below))
		h.put(hole, below)
		b.Set(hole, child)
		b.SetAdd(child, b.Shl(child, 1), 1)
	})
	h.put(hole, x)
}

var rowsProgram = kernels.NewParallelProgram("sorting/rows", func(b *isa.Builder) {
	xadj := b.Array("xadj", isa.I64)
	adjncy := b.Array("adjncy", isa.I32)
	weight := b.Array("weight", isa.F64)
	h := heap{b: b, sorted: b.Array("sorted", isa.I32), key: b.Array("key", isa.F64)}
	b.ParallelFor(b.Int("vertices"), func(u isa.Reg) {
		h := h
		h.lo = b.Load(xadj, u)
		n := b.Sub(b.Load(xadj, b.Add(u, 1)), h.lo)
		b.For(0, n, 1, func(i isa.Reg) {
			at := b.Add(h.lo, i)
			h.raise(i, entry{b.Load(adjncy, at), b.Load(weight, at)})
		})
		// The least edge goes to the end, and the last takes its place.
		last := b.Var(b.Sub(n, 1))
		b.While(func() isa.Reg { return b.Gt(last, 0) }, func() {
			least, x := h.get(0), h.get(last)
			h.put(last, least)
			h.lower(last, x)
			b.SetAdd(last, last, -1)
		})
	})
})

func simulateRows(m kernels.Machine, g *graph.Graph, o kernels.Options) (kernels.Answer, error) {
	if err := g.CheckPositiveWeights(); err != nil {
		return nil, err
	}
	setup := kernels.NewArrays(m)
	xadj := setup.Adopt("xadj", g.XAdj)
	adjncy := setup.Adopt("adjncy", g.Adj)
	weight := setup.Adopt("weight", g.Weight)
	sorted := setup.Alloc("sorted", isa.I32, len(g.Adj))
	key := setup.Alloc("key", isa.F64, len(g.Adj))
	loops := kernels.NewLoops(setup, o)
	if err := setup.Err(); err != nil {
		return nil, err
	}
	m.Start()
	if v := g.Vertices(); v > 0 {
		if err := loops.Launch(rowsProgram, v, xadj, adjncy, weight, sorted, key, v); err != nil {
			return nil, err
		}
	}
	m.Finish()
	return newAnswer(m.View(sorted).([]int32), m.View(key).([]float64)), nil
}
