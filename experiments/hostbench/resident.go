package hostbench

import "heddle/arch/isa"

// resident is a microbenchmark of what is in the first-level cache.
type resident struct {
	name, meaning string
	operations    int
	native        func(n int, p *[512]int64) int64
	body          func(b *isa.Builder, data isa.ArrayParam)
}

var loadThroughput = resident{
	"load/throughput", "loads of the first-level cache, twelve independent chains", 48, loadWide,
	func(b *isa.Builder, data isa.ArrayParam) {
		for range 12 {
			at := b.Load(data, 8) // 0
			for range 3 {
				at = b.Load(data, at)
			}
		}
	},
}

var mixThroughput = resident{
	"mix/throughput", "independent integer operations, three for each store", 16, mixWide,
	func(b *isa.Builder, data isa.ArrayParam) {
		for i := range 4 {
			x := b.Add(b.Xor(i, 3), 1)
			b.Xor(i, 5)
			b.Store(data, 8*i, x)
		}
	},
}

var forwardLatency = resident{
	"forward/latency", "store, dependent load of it, and add", 4, forwardChain,
	func(b *isa.Builder, data isa.ArrayParam) {
		for range 4 {
			b.Store(data, 0, b.Add(b.Load(data, 0), 3))
		}
	},
}

func (r resident) toCase() Case {
	return Case{
		Name: r.name, Meaning: r.meaning, Unit: nanoseconds,
		prepare: func(h *host) (stage, error) {
			data := new([512]int64)
			per := float64(r.operations)
			return stage{
				run:    timed(func(n int) { h.sink += r.native(n, data) }),
				figure: func(ns float64) float64 { return ns / per },
			}, nil
		},
		simulate: func(s *simulator) float64 {
			m := s.machine(1)
			b := isa.NewBuilder(r.name)
			data := b.Array("data", isa.I64)
			n := b.Int("n")
			b.For(0, n, 1, func(isa.Reg) { r.body(b, data) })
			array := m.alloc("data", 512)
			p := b.MustBuild()
			m.run(writeAll, array, 512, 8)
			m.write(array, 8, 0)
			m.run(p, array, 10)
			return m.perOperation(p, 500, r.operations, array)
		},
	}
}

// node is a place that leads to itself.
type node struct{ next *node }

func loadWide(n int, _ *[512]int64) int64 {
	var nodes [12]node
	for i := range nodes {
		nodes[i].next = &nodes[i]
	}
	if followTwelve(n, &nodes) == nil {
		return 1
	}
	return 0
}

//go:noinline
func followTwelve(n int, nodes *[12]node) *node {
	a, b, c, d, e, f := &nodes[0], &nodes[1], &nodes[2], &nodes[3], &nodes[4], &nodes[5]
	g, h, i, j, k, l := &nodes[6], &nodes[7], &nodes[8], &nodes[9], &nodes[10], &nodes[11]
	for range n {
		a, b, c, d, e, f = a.next, b.next, c.next, d.next, e.next, f.next
		g, h, i, j, k, l = g.next, h.next, i.next, j.next, k.next, l.next
		a, b, c, d, e, f = a.next, b.next, c.next, d.next, e.next, f.next
		g, h, i, j, k, l = g.next, h.next, i.next, j.next, k.next, l.next
		a, b, c, d, e, f = a.next, b.next, c.next, d.next, e.next, f.next
		g, h, i, j, k, l = g.next, h.next, i.next, j.next, k.next, l.next
		a, b, c, d, e, f = a.next, b.next, c.next, d.next, e.next, f.next
		g, h, i, j, k, l = g.next, h.next, i.next, j.next, k.next, l.next
	}
	for _, p := range [...]*node{b, c, d, e, f, g, h, i, j, k, l} {
		if p == a {
			return nil
		}
	}
	return a
}

//go:noinline
func mixWide(n int, p *[512]int64) int64 {
	a, b, c, d, e, f, g, h := p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]
	y, z := p[8], p[9]
	for range n {
		a = (a ^ z) + y
		b ^= y
		p[0] = a
		c = (c ^ z) + y
		d ^= y
		p[8] = c
		e = (e ^ z) + y
		f ^= y
		p[16] = e
		g = (g ^ z) + y
		h ^= y
		p[24] = g
	}
	return a + b + c + d + e + f + g + h
}

// forwardChain is told where to store and where to load, so that it is not
// known to be the same place.
func forwardChain(n int, p *[512]int64) int64 { return throughMemory(n, p, 0, 0, 3) }

//go:noinline
func throughMemory(n int, p *[512]int64, i, j uint, y int64) int64 {
	i, j = i%512, j%512
	for range n {
		p[i] = p[j] + y
		p[i] = p[j] + y
		p[i] = p[j] + y
		p[i] = p[j] + y
	}
	return p[i]
}
