package stream

import (
	"fmt"
	"testing"

	"heddle/arch/isa"
)

// BenchmarkStream runs 100 streams on each processor through a loop with a
// load, a store and arithmetic, and reports program instructions a second.
func BenchmarkStream(b *testing.B) {
	build := isa.NewBuilder("bench")
	x, y, n := build.Array("x", isa.I64), build.Array("y", isa.I64), build.Int("n")
	build.ParallelFor(n, func(i isa.Reg) {
		v := build.Load(x, build.And(build.Mul(i, 7919), 1<<20-1))
		build.If(build.Ne(v, -1), func() { build.SetAdd(v, v, 1) })
		build.Store(y, i, build.Add(v, i))
	})
	p := build.MustBuild()
	for _, processors := range []int{1, 8, 128} {
		b.Run(fmt.Sprintf("processors=%d", processors), func(b *testing.B) {
			c := with(func(c *Config) {
				c.Processors = processors
				c.MemoryUnit.Bandwidth = 8e9
				c.Module.Buffer.Size = 128 << 10
			})
			r := newRig(b, c)
			const items = 1 << 18
			xs, ys := r.alloc("x", 1<<20), r.alloc("y", items)
			for b.Loop() {
				r.run(p, items, xs, ys, items)
			}
			s := r.sys.Stats()
			b.ReportMetric(float64(s.Operations)/b.Elapsed().Seconds()/1e6, "Minst/s")
			b.ReportMetric(float64(s.Operations)/float64(s.Words), "inst/word")
		})
	}
}
