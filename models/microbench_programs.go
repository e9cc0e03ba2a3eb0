package models

import (
	"fmt"

	"heddle/arch/isa"
)

// alone runs body in the launch's first thread only.
func alone(b *isa.Builder, body func()) { b.If(b.Eq(isa.ThreadID, 0), body) }

// walk follows ring from element 0 for steps steps.
func walk() *isa.Program {
	b := isa.NewBuilder("walk")
	ring, out, steps := b.Array("ring", isa.I64), b.Array("out", isa.I64), b.Int("steps")
	alone(b, func() {
		at := b.Var(0)
		b.For(0, steps, 1, func(isa.Reg) { b.Set(at, b.Load(ring, at)) })
		b.Store(out, 0, at)
	})
	return b.MustBuild()
}

// chain follows ring from element from for lap steps in a loop, and then for n
// steps without one.
func chain(n int) *isa.Program {
	b := isa.NewBuilder(fmt.Sprintf("chain-%d", n))
	ring, out, from := b.Array("ring", isa.I64), b.Array("out", isa.I64), b.Int("from")
	lap := b.Int("lap")
	alone(b, func() {
		at := b.Var(from)
		b.For(0, lap, 1, func(isa.Reg) { b.Set(at, b.Load(ring, at)) })
		for range n {
			at = b.Load(ring, at)
		}
		b.Store(out, 0, at)
	})
	return b.MustBuild()
}

// Hops are loads of every thread; a thread's lie hopWords apart, which for the
// sizes of caches is no near multiple of anything.
const shortHops, longHops, hopWords = 16, 48, 25024

// hop loads n words of the power of two of words in data, each warp's together.
func hop(n, words int) *isa.Program {
	b := isa.NewBuilder(fmt.Sprintf("hop-%d", n))
	data, out := b.Array("data", isa.F64), b.Array("out", isa.F64)
	at := b.Var(isa.ThreadID)
	total := b.Var(0.0)
	values := make([]isa.Reg, 0, n)
	for range n {
		values = append(values, b.Load(data, b.And(at, words-1)))
		b.SetAdd(at, at, hopWords)
		if len(values) == 8 { // in flight at once
			for _, v := range values {
				b.SetAdd(total, total, v)
			}
			values = values[:0]
		}
	}
	for _, v := range values {
		b.SetAdd(total, total, v)
	}
	b.Store(out, isa.ThreadID, total)
	return b.MustBuild()
}

// sum adds up data, each thread every so many words.
func sum() *isa.Program {
	b := isa.NewBuilder("sum")
	data, out, n := b.Array("data", isa.F64), b.Array("out", isa.F64), b.Int("n")
	total := b.Var(0.0)
	b.ParallelFor(n, func(i isa.Reg) { b.SetAdd(total, total, b.Load(data, i)) })
	b.Store(out, isa.ThreadID, total)
	return b.MustBuild()
}

// count adds 1 to word n times in every thread.
func count(n int) *isa.Program {
	b := isa.NewBuilder(fmt.Sprintf("count-%d", n))
	word := b.Array("word", isa.I64)
	for range n {
		b.FetchAdd(word, 0, 1)
	}
	return b.MustBuild()
}

// multiplyAdd does n multiply-adds, four chains of them, in every thread.
func multiplyAdd(t isa.Type, n int) *isa.Program {
	b := isa.NewBuilder(fmt.Sprintf("multiply-add-%s-%d", t, n))
	out := b.Array("out", t)
	id := b.I64ToF64(isa.ThreadID)
	if t == isa.F32 {
		id = b.I64ToF32(isa.ThreadID)
	}
	var sums [4]isa.Reg
	for i := range sums {
		sums[i] = b.Add(id, float64(i))
	}
	for i := range n {
		sums[i%4] = b.FMA(sums[i%4], 0.5, id)
	}
	b.Store(out, isa.ThreadID, b.Add(b.Add(sums[0], sums[1]), b.Add(sums[2], sums[3])))
	return b.MustBuild()
}
