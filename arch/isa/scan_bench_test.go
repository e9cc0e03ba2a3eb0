package isa_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"heddle/arch/isa"
	"heddle/arch/mem"
)

// BenchmarkScan runs the loop that graph kernels are made of: as many lanes of a
// warp as it says each look for the heaviest of many edges whose other end is
// free, which half are. All data fits into a host's first caches.
func BenchmarkScan(b *testing.B) {
	const edges = 1 << 9
	s := mem.NewSpace(1 << 20)
	array := func(name string, elem isa.Type, n int) isa.Array {
		a, err := s.Alloc(name, elem, n)
		if err != nil {
			b.Fatal(err)
		}
		return a
	}
	adjncy := array("adjncy", isa.I32, edges)
	weight := array("weight", isa.F64, edges)
	mate := array("mate", isa.I32, edges)
	rng := rand.New(rand.NewPCG(1, 1))
	for e := range edges {
		s.View(adjncy).([]int32)[e] = rng.Int32N(edges)
		s.View(weight).([]float64)[e] = rng.Float64()
		s.View(mate).([]int32)[e] = -rng.Int32N(2)
	}
	p := scan()
	for _, lanes := range []int{1, 2, 8, 32} {
		b.Run(fmt.Sprintf("lanes=%d", lanes), func(b *testing.B) {
			args := isa.Args(adjncy, weight, mate, lanes, edges)
			l := isa.NewLaunch(p, s, 32, 32, 32, args)
			var n uint64
			for b.Loop() {
				w, err := isa.RunFunctional(l, 0)
				if err != nil {
					b.Fatal(err)
				}
				n += w.Instructions
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/instruction")
		})
	}
}

func scan() *isa.Program {
	b := isa.NewBuilder("scan")
	adjncy := b.Array("adjncy", isa.I32)
	weight := b.Array("weight", isa.F64)
	mate := b.Array("mate", isa.I32)
	lanes := b.Int("lanes")
	edges := b.Int("edges")
	b.If(b.Lt(isa.Lane, lanes), func() {
		heaviest := b.Var(math.Inf(-1))
		neighbor := b.Var(-1)
		b.For(0, 64, 1, func(isa.Reg) {
			b.For(isa.Lane, edges, 1, func(e isa.Reg) {
				v := b.Load(adjncy, e)
				b.If(b.Eq(b.Load(mate, v), -1), func() {
					w := b.Load(weight, e)
					b.If(b.Ge(w, heaviest), func() {
						b.Set(heaviest, w)
						b.Set(neighbor, v)
					})
				})
			})
		})
	})
	return b.MustBuild()
}
