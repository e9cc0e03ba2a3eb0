package isa

import "testing"

// aluLoop is a program of n iterations of eight additions, and what its loop
// needs.
func aluLoop(n int) *Program {
	b := NewBuilder("alu")
	x, y := b.Var(1), b.Var(ThreadID)
	b.For(0, n, 1, func(i Reg) {
		for range 4 {
			b.SetAdd(x, x, y)
			b.SetAdd(y, y, i)
		}
	})
	b.SharedMemory(8)
	b.StoreTo(b.SharedArray(0, I64), 0, x)
	return b.MustBuild()
}

func benchmarkALU(b *testing.B, width int) {
	p := aluLoop(10000)
	var total uint64
	for b.Loop() {
		l := NewLaunch(p, newFlatMemory(0), width, width, width, nil)
		w, err := RunFunctional(l, 0)
		if err != nil {
			b.Fatal(err)
		}
		total += w.Instructions
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(total), "ns/instruction")
}

func BenchmarkFunctional(b *testing.B) {
	b.Run("width=1", func(b *testing.B) { benchmarkALU(b, 1) })
	b.Run("width=32", func(b *testing.B) { benchmarkALU(b, 32) })
}
