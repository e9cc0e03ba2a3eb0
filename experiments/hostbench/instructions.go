package hostbench

import "heddle/arch/isa"

// Instruction classes are measured by loops of dependent operations, for
// latency, and of eight independent chains, for throughput. No two operations
// in a row are of a kind that a compiler would merge.

// arithmetic is a microbenchmark of one thread that touches no memory.
type arithmetic struct {
	name, meaning string
	operations    int // of one iteration that are counted
	native        func(n int, sink *int64)
	body          func(b *isa.Builder) (loop func(), result func() isa.Reg)
}

func instructionCases() []Case {
	var all []Case
	for _, a := range []arithmetic{
		{"int/latency", "dependent integer add or exclusive or", 16, intLatency, chainOf(1, 8, addXor)},
		{"int/throughput", "independent integer adds and exclusive ors", 16, intThroughput, chainOf(8, 1, addXor)},
		{"shift/latency", "dependent rotation, less than an add beside it", 8, shiftLatency, chainOf(1, 8, shiftAdd)},
		{"mul/latency", "dependent integer multiply", 8, mulLatency, mulChains(1, 8)},
		{"mul/throughput", "independent integer multiplies", 8, mulThroughput, mulChains(8, 1)},
		{"divide/latency", "dependent integer divide, with an add", 4, divideLatency, chainOf(1, 4, divideAdd)},
		{"divide/throughput", "independent integer divides", 4, divideThroughput, chainOf(4, 1, divideAdd)},
		{"f64/latency", "dependent double precision add or multiply", 16, f64Latency, floatChains(1, 8)},
		{"f64/throughput", "independent double precision adds and multiplies", 16, f64Throughput, floatChains(8, 1)},
		{"special/latency", "dependent double precision divide, with an add", 4, specialLatency, specialChains(1, 4)},
		{"special/throughput", "independent double precision divides", 4, specialThroughput, specialChains(4, 1)},
		{"convert/latency", "dependent conversion to integer and back, with an add", 4, convertLatency, convertChain},
	} {
		all = append(all, a.toCase())
	}
	return append(all, loadThroughput.toCase(), mixThroughput.toCase(), forwardLatency.toCase())
}

func (a arithmetic) toCase() Case {
	return Case{
		Name: a.name, Meaning: a.meaning, Unit: nanoseconds,
		prepare: func(h *host) (stage, error) {
			per := float64(a.operations)
			return stage{
				run:    timed(func(n int) { a.native(n, &h.sink) }),
				figure: func(ns float64) float64 { return ns / per },
			}, nil
		},
		simulate: func(s *simulator) float64 {
			m := s.machine(1)
			b := isa.NewBuilder(a.name)
			out := b.Array("out", isa.I64)
			n := b.Int("n")
			loop, result := a.body(b)
			b.For(0, n, 1, func(isa.Reg) { loop() })
			b.Store(out, 0, result())
			return m.perOperation(b.MustBuild(), 500, a.operations, m.alloc("out", 1))
		},
	}
}

// chainOf returns the body of so many chains of links each; link makes an
// operation or more on x and writes x.
func chainOf(chains, links int, link func(b *isa.Builder, x isa.Reg)) func(b *isa.Builder) (func(), func() isa.Reg) {
	return func(b *isa.Builder) (func(), func() isa.Reg) {
		x := make([]isa.Reg, chains)
		for i := range x {
			x[i] = b.Var(i + 5)
		}
		return chained(b, x, links, link), func() isa.Reg { return sumOf(b, x) }
	}
}

// floatChainOf is chainOf for doubles.
func floatChainOf(chains, links int, link func(b *isa.Builder, x isa.Reg)) func(b *isa.Builder) (func(), func() isa.Reg) {
	return func(b *isa.Builder) (func(), func() isa.Reg) {
		x := make([]isa.Reg, chains)
		for i := range x {
			x[i] = b.Var(float64(i) + 1.5)
		}
		return chained(b, x, links, link), func() isa.Reg { return b.F64ToI64(sumOf(b, x)) }
	}
}

func chained(b *isa.Builder, x []isa.Reg, links int, link func(b *isa.Builder, x isa.Reg)) func() {
	return func() {
		for i := range x {
			for range links {
				link(b, x[i])
			}
		}
	}
}

func sumOf(b *isa.Builder, x []isa.Reg) isa.Reg {
	sum := x[0]
	for _, other := range x[1:] {
		sum = b.Add(sum, other)
	}
	return sum
}

func addXor(b *isa.Builder, x isa.Reg)    { b.SetAdd(x, b.Xor(x, 3), 7) }
func shiftAdd(b *isa.Builder, x isa.Reg)  { b.SetAdd(x, b.Shr(x, 5), 7) }
func divideAdd(b *isa.Builder, x isa.Reg) { b.SetAdd(x, b.Div(1<<40+12345, x), 77777) }

// mulChains links multiplies; the add at the end of each chain writes it.
func mulChains(chains, links int) func(b *isa.Builder) (func(), func() isa.Reg) {
	return chainOf(chains, 1, func(b *isa.Builder, x isa.Reg) {
		product := x
		for range links {
			product = b.Mul(product, 0x9e3779b1)
		}
		b.SetAdd(x, product, 7)
	})
}

func floatChains(chains, links int) func(b *isa.Builder) (func(), func() isa.Reg) {
	return floatChainOf(chains, links, func(b *isa.Builder, x isa.Reg) { b.SetAdd(x, b.Mul(x, 0.5), 1.25) })
}

func specialChains(chains, links int) func(b *isa.Builder) (func(), func() isa.Reg) {
	return floatChainOf(chains, links, func(b *isa.Builder, x isa.Reg) { b.SetAdd(x, b.Div(1.7, x), 1.25) })
}

func convertChain(b *isa.Builder) (func(), func() isa.Reg) {
	return floatChainOf(1, 2, func(b *isa.Builder, x isa.Reg) { b.SetAdd(x, b.I64ToF64(b.F64ToI64(x)), 0.25) })(b)
}

// The same on this computer. Operands are parameters, so that nothing is known
// when the loops are compiled.

func intLatency(n int, sink *int64) { *sink += addXorChain(n, 5, 7, 3) }

//go:noinline
func addXorChain(n int, x, y, z int64) int64 {
	for range n {
		x = (x ^ z) + y
		x = (x ^ z) + y
		x = (x ^ z) + y
		x = (x ^ z) + y
		x = (x ^ z) + y
		x = (x ^ z) + y
		x = (x ^ z) + y
		x = (x ^ z) + y
	}
	return x
}

func intThroughput(n int, sink *int64) {
	*sink += addXorWide(n, [8]int64{5, 6, 7, 8, 9, 10, 11, 12}, 7, 3)
}

//go:noinline
func addXorWide(n int, from [8]int64, y, z int64) int64 {
	a, b, c, d, e, f, g, h := from[0], from[1], from[2], from[3], from[4], from[5], from[6], from[7]
	for range n {
		a = (a ^ z) + y
		b = (b ^ z) + y
		c = (c ^ z) + y
		d = (d ^ z) + y
		e = (e ^ z) + y
		f = (f ^ z) + y
		g = (g ^ z) + y
		h = (h ^ z) + y
	}
	return a + b + c + d + e + f + g + h
}

func shiftLatency(n int, sink *int64) { *sink += int64(shiftAddChain(n, 5, 7)) }

//go:noinline
func shiftAddChain(n int, x, y uint64) uint64 {
	for range n {
		x = x>>5 + y
		x = x>>5 + y
		x = x>>5 + y
		x = x>>5 + y
		x = x>>5 + y
		x = x>>5 + y
		x = x>>5 + y
		x = x>>5 + y
	}
	return x
}

func mulLatency(n int, sink *int64) { *sink += mulChain(n, 5, 0x9e3779b1, 7) }

//go:noinline
func mulChain(n int, x, y, z int64) int64 {
	for range n {
		x = x*y*y*y*y*y*y*y*y + z
	}
	return x
}

func mulThroughput(n int, sink *int64) {
	*sink += mulWide(n, [8]int64{5, 6, 7, 8, 9, 10, 11, 12}, 0x9e3779b1, 7)
}

//go:noinline
func mulWide[T int64 | float64](n int, from [8]T, y, z T) T {
	a, b, c, d, e, f, g, h := from[0], from[1], from[2], from[3], from[4], from[5], from[6], from[7]
	for range n {
		a = a*y + z
		b = b*y + z
		c = c*y + z
		d = d*y + z
		e = e*y + z
		f = f*y + z
		g = g*y + z
		h = h*y + z
	}
	return a + b + c + d + e + f + g + h
}

func divideLatency(n int, sink *int64) { *sink += int64(divideChain[uint64](n, 5, 1<<40+12345, 77777)) }

//go:noinline
func divideChain[T uint64 | float64](n int, x, y, z T) T {
	for range n {
		x = y/x + z
		x = y/x + z
		x = y/x + z
		x = y/x + z
	}
	return x
}

func divideThroughput(n int, sink *int64) {
	*sink += int64(divideWide(n, [4]uint64{5, 6, 7, 8}, 1<<40+12345, 77777))
}

//go:noinline
func divideWide[T uint64 | float64](n int, from [4]T, y, z T) T {
	a, b, c, d := from[0], from[1], from[2], from[3]
	for range n {
		a = y/a + z
		b = y/b + z
		c = y/c + z
		d = y/d + z
	}
	return a + b + c + d
}

func f64Latency(n int, sink *int64) { *sink += int64(floatChain(n, 1.5, 0.5, 1.25)) }

//go:noinline
func floatChain(n int, x, y, z float64) float64 {
	for range n {
		x = x*y + z
		x = x*y + z
		x = x*y + z
		x = x*y + z
		x = x*y + z
		x = x*y + z
		x = x*y + z
		x = x*y + z
	}
	return x
}

func f64Throughput(n int, sink *int64) {
	*sink += int64(mulWide(n, [8]float64{1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5}, 0.5, 1.25))
}

func specialLatency(n int, sink *int64) { *sink += int64(divideChain(n, 1.5, 1.7, 1.25)) }

func specialThroughput(n int, sink *int64) {
	*sink += int64(divideWide(n, [4]float64{1.5, 2.5, 3.5, 4.5}, 1.7, 1.25))
}

func convertLatency(n int, sink *int64) { *sink += int64(convertBack(n, 1.5, 0.25)) }

//go:noinline
func convertBack(n int, x, z float64) float64 {
	for range n {
		x = float64(int64(x)) + z
		x = float64(int64(x)) + z
	}
	return x
}
