package simt

import (
	"testing"

	"heddle/arch/isa"
)

// A longer run of the same program allocates no more than a short one: the
// simulation of an instruction allocates nothing.
func TestInstructionsDoNotAllocate(t *testing.T) {
	b := isa.NewBuilder("mixed")
	in, out, sum := b.Array("in", isa.I64), b.Array("out", isa.I64), b.Array("sum", isa.I64)
	n := b.Int("n")
	b.SharedMemory(8 * 128)
	b.LocalMemory(16)
	cell, local := b.SharedArray(0, isa.I64), b.LocalArray(0, isa.I64)
	f := b.Func("f", []isa.Type{isa.I64}, []isa.Type{isa.I64})
	f.Define(func(a []isa.Reg) { b.Return(b.Mul(a[0], 3)) })
	b.For(0, n, 1, func(i isa.Reg) {
		at := b.And(b.Mul(b.Add(b.Mul(i, 61), isa.ThreadID), 17), 4095)
		v := b.Load(in, at)
		b.IfElse(b.And(v, 1), func() { b.Store(out, at, i) }, func() { b.FetchAdd(sum, b.And(v, 63), 1) })
		b.StoreTo(cell, isa.BlockThread, v)
		b.Barrier()
		b.StoreTo(local, 0, b.LoadFrom(cell, b.Sub(127, isa.BlockThread)))
		b.Call(f, b.LoadFrom(local, 0))
		b.I64ToF64(v)
	})
	p := b.MustBuild()
	for _, policy := range []string{"lrr", "gto"} {
		r := newRig(t, with(func(c *Config) { c.SMs, c.Scheduler.Count, c.Scheduler.Policy = 2, 2, policy }))
		args := []any{r.alloc("in", isa.I64, 4096), r.alloc("out", isa.I64, 4096), r.alloc("sum", isa.I64, 64)}
		for i := range r.ints(args[0].(isa.Array)) {
			r.ints(args[0].(isa.Array))[i] = int64(i * 31)
		}
		r.run(p, 512, 128, append(args, 150)...) // the first grows what will be reused
		var issued [2]uint64
		var allocated [2]float64
		for i, n := range []int{10, 150} {
			before := r.gpu.Stats().Instructions
			allocated[i] = testing.AllocsPerRun(1, func() { r.run(p, 512, 128, append(args, n)...) })
			issued[i] = (r.gpu.Stats().Instructions - before) / 2 // it runs once more to warm up
		}
		more := issued[1] - issued[0]
		if more < 20_000 {
			t.Fatalf("only %d instructions more", more)
		}
		if extra := allocated[1] - allocated[0]; extra > 3 {
			t.Errorf("%s: %v allocations more for %d instructions more", policy, extra, more)
		}
	}
}

func BenchmarkInstructions(b *testing.B) {
	r := newRig(b, with(func(c *Config) { c.SMs = 4 }))
	const n = 1 << 14
	x, y := r.alloc("x", isa.I64, n), r.alloc("y", isa.I64, n)
	b.ReportAllocs()
	for b.Loop() {
		r.run(streamCopy, 4096, 256, x, y, n)
	}
	b.ReportMetric(float64(r.gpu.Stats().Instructions)/b.Elapsed().Seconds()/1e6, "Minst/s")
}
