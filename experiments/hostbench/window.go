package hostbench

import (
	"fmt"
	"strconv"

	"heddle/arch/isa"
)

// How far a core looks ahead is seen from two loads that miss all caches, with
// other instructions between them: while both are in the window they are
// waited for together, and one after the other as soon as what lies between
// them fills one of its buffers (Wong, "Measuring reorder buffer capacity",
// 2013, has the idea).

// filling is an instruction that fills a buffer of the window.
type filling struct {
	name    string
	buffer  string
	counts  []int // between the two loads
	native  func(ring []int64, a, b int64, wides, narrows, n int, p *[512]int64) (int64, int64, int64)
	program *isa.Program
}

// Instructions of the kind lie between the loads in iterations of wide and then
// of narrow; each has an add and a fused compare more. Branches are few, as
// cores have a buffer for those too.
const wide, narrow = 16, 2

// split returns the iterations of wide and of narrow that n instructions take.
func split(n int) (wides, narrows int) { return n / wide, n % wide / narrow }

// ladder returns numbers from one to another, by 2 and later by 10 %.
func ladder(from, to int) []int {
	var counts []int
	for n := from; n <= to; n += max(2, n/40*4) {
		counts = append(counts, n)
	}
	return counts
}

var fillings = []filling{
	{"window/add", "reorder buffer", ladder(64, 448), fillAdd,
		fillProgram("add", func(b *isa.Builder, _ isa.ArrayParam, _ isa.Reg, sums []isa.Reg, i int) {
			b.SetAdd(sums[i%4], sums[i%4], 7)
		})},
	{"window/wait", "reservation stations", ladder(16, 208), fillWait,
		fillProgram("wait", func(b *isa.Builder, _ isa.ArrayParam, missing isa.Reg, sums []isa.Reg, i int) {
			b.Add(missing, i)
		})},
	{"window/load", "load buffer", ladder(24, 216), fillLoad,
		fillProgram("load", func(b *isa.Builder, data isa.ArrayParam, _ isa.Reg, _ []isa.Reg, i int) {
			b.Load(data, 8*i)
		})},
	{"window/store", "store buffer", ladder(16, 136), fillStore,
		fillProgram("store", func(b *isa.Builder, data isa.ArrayParam, _ isa.Reg, sums []isa.Reg, i int) {
			b.Store(data, 8*i, sums[0])
		})},
}

func windowCases(f Facts) []Case {
	var all []Case
	for _, w := range fillings {
		for _, n := range w.counts {
			all = append(all, Case{
				Name:    w.name + "/" + strconv.Itoa(n),
				Meaning: fmt.Sprintf("two loads from memory, %d instructions that fill the %s after each", n, w.buffer),
				Unit:    nanoseconds,
				prepare: func(h *host) (stage, error) {
					ring, at, err := h.chases(2)
					data := new([512]int64)
					wides, narrows := split(n)
					return stage{run: timed(func(times int) {
						var sum int64
						at[0], at[1], sum = w.native(ring, at[0], at[1], wides, narrows, times, data)
						h.sink += sum
					})}, err
				},
				simulate: func(s *simulator) float64 {
					m, ring, at := s.chases(2)
					data := m.alloc("data", 512)
					m.run(writeAll, data, 512, 8)
					wides, narrows := split(n)
					return m.perOperation(w.program, 250, 1, ring, at, data, wides, narrows)
				},
			})
		}
	}
	return all
}

// fillProgram returns n times: a load that misses and groups of instructions,
// twice.
func fillProgram(name string, fill func(b *isa.Builder, data isa.ArrayParam, missing isa.Reg, sums []isa.Reg, i int)) *isa.Program {
	b := isa.NewBuilder("fill-" + name)
	ring, at, data := b.Array("ring", isa.I64), b.Array("at", isa.I64), b.Array("data", isa.I64)
	wides, narrows, n := b.Int("wides"), b.Int("narrows"), b.Int("n")
	sums := make([]isa.Reg, 4)
	for i := range sums {
		sums[i] = b.Var(i)
	}
	places := [2]isa.Reg{b.Var(b.Load(at, 0)), b.Var(b.Load(at, 1))}
	b.For(0, n, 1, func(isa.Reg) {
		for _, place := range places {
			b.Set(place, b.Load(ring, place))
			b.For(0, wides, 1, func(isa.Reg) {
				for i := range wide {
					fill(b, data, place, sums, i)
				}
			})
			b.For(0, narrows, 1, func(isa.Reg) {
				for i := range narrow {
					fill(b, data, place, sums, i)
				}
			})
		}
	})
	for i, place := range places {
		b.Store(at, i, place)
	}
	b.Store(data, 0, b.Add(b.Add(sums[0], sums[1]), b.Add(sums[2], sums[3])))
	return b.MustBuild()
}

//go:noinline
func fillAdd(ring []int64, a, b int64, wides, narrows, n int, p *[512]int64) (int64, int64, int64) {
	s, t, u, v := p[0], p[1], p[2], p[3]
	x, y := p[4], p[5]
	for range n {
		a = ring[a]
		for range wides {
			s += x
			t += x
			u += x
			v += x
			s ^= y
			t ^= y
			u ^= y
			v ^= y
			s += x
			t += x
			u += x
			v += x
			s ^= y
			t ^= y
			u ^= y
			v ^= y
		}
		for range narrows {
			s += x
			t += x
		}
		b = ring[b]
		for range wides {
			s += x
			t += x
			u += x
			v += x
			s ^= y
			t ^= y
			u ^= y
			v ^= y
			s += x
			t += x
			u += x
			v += x
			s ^= y
			t ^= y
			u ^= y
			v ^= y
		}
		for range narrows {
			s += x
			t += x
		}
	}
	return a, b, s + t + u + v
}

//go:noinline
func fillWait(ring []int64, a, b int64, wides, narrows, n int, p *[512]int64) (int64, int64, int64) {
	s, t, u, v := p[0], p[1], p[2], p[3]
	for range n {
		a = ring[a]
		for range wides {
			s += a
			t += a
			u += a
			v += a
			s ^= a
			t ^= a
			u ^= a
			v ^= a
			s += a
			t += a
			u += a
			v += a
			s ^= a
			t ^= a
			u ^= a
			v ^= a
		}
		for range narrows {
			s += a
			t += a
		}
		b = ring[b]
		for range wides {
			s += b
			t += b
			u += b
			v += b
			s ^= b
			t ^= b
			u ^= b
			v ^= b
			s += b
			t += b
			u += b
			v += b
			s ^= b
			t ^= b
			u ^= b
			v ^= b
		}
		for range narrows {
			s += b
			t += b
		}
	}
	return a, b, s + t + u + v
}

//go:noinline
func fillLoad(ring []int64, a, b int64, wides, narrows, n int, p *[512]int64) (int64, int64, int64) {
	var s, t, u, v int64
	for range n {
		a = ring[a]
		for range wides {
			s += p[0]
			t += p[8]
			u += p[16]
			v += p[24]
			s += p[32]
			t += p[40]
			u += p[48]
			v += p[56]
			s += p[64]
			t += p[72]
			u += p[80]
			v += p[88]
			s += p[96]
			t += p[104]
			u += p[112]
			v += p[120]
		}
		for range narrows {
			s += p[0]
			t += p[8]
		}
		b = ring[b]
		for range wides {
			s += p[0]
			t += p[8]
			u += p[16]
			v += p[24]
			s += p[32]
			t += p[40]
			u += p[48]
			v += p[56]
			s += p[64]
			t += p[72]
			u += p[80]
			v += p[88]
			s += p[96]
			t += p[104]
			u += p[112]
			v += p[120]
		}
		for range narrows {
			s += p[0]
			t += p[8]
		}
	}
	return a, b, s + t + u + v
}

//go:noinline
func fillStore(ring []int64, a, b int64, wides, narrows, n int, p *[512]int64) (int64, int64, int64) {
	y := p[5]
	for range n {
		a = ring[a]
		for range wides {
			p[0] = y
			p[8] = y
			p[16] = y
			p[24] = y
			p[32] = y
			p[40] = y
			p[48] = y
			p[56] = y
			p[64] = y
			p[72] = y
			p[80] = y
			p[88] = y
			p[96] = y
			p[104] = y
			p[112] = y
			p[120] = y
		}
		for range narrows {
			p[0] = y
			p[8] = y
		}
		b = ring[b]
		for range wides {
			p[0] = y
			p[8] = y
			p[16] = y
			p[24] = y
			p[32] = y
			p[40] = y
			p[48] = y
			p[56] = y
			p[64] = y
			p[72] = y
			p[80] = y
			p[88] = y
			p[96] = y
			p[104] = y
			p[112] = y
			p[120] = y
		}
		for range narrows {
			p[0] = y
			p[8] = y
		}
	}
	return a, b, y
}
