package models

import (
	"fmt"

	"heddle/arch/isa"
	"heddle/arch/net"
	"heddle/sim"
)

// windowMicrobenchmarks are the figures of WindowTheoryConfig that programs can
// measure, and how near a simulation must come.
var windowMicrobenchmarks = []microbenchmark[*windowBench]{
	{"l1_latency", 0.01, func(b *windowBench) float64 { return b.inCache(b.window.Memory.L1.Size / 2) }},
	{"l2_latency", 0.03, (*windowBench).l2Latency},
	{"l3_latency", 0.03, (*windowBench).l3Latency},
	{"memory_die", 0.03, func(b *windowBench) float64 { return b.inMemory(net.SameDie) }},
	{"memory_package", 0.03, func(b *windowBench) float64 { return b.inMemory(net.SamePackage) }},
	{"memory_1_hop", 0.03, func(b *windowBench) float64 { return b.inMemory(net.OneHop) }},
	{"memory_2_hops", 0.03, func(b *windowBench) float64 { return b.inMemory(net.TwoHops) }},
	{"dirty_die", 0.03, func(b *windowBench) float64 { return b.modified(net.SameDie) }},
	{"dirty_1_hop", 0.03, func(b *windowBench) float64 { return b.modified(net.OneHop) }},
	{"core_read", 0.3, func(b *windowBench) float64 { return b.read(1, net.SameDie) }}, // by Little's law for closed rows: a stream's are open
	{"socket_read", 0.05, (*windowBench).socketRead},
	{"machine_read", 0.05, func(b *windowBench) float64 { return b.read(b.cores(), net.SameDie) }},
	{"remote_read", 0.1, func(b *windowBench) float64 { return b.read(b.window.Memory.Cores, net.OneHop) }},
	{"atomic_die", 0.05, func(b *windowBench) float64 { return b.contend(b.window.Memory.Cores, "compact") }},
	{"atomic_machine", 0.35, func(b *windowBench) float64 { return b.contend(b.cores(), "scatter") }}, // the order of the cores is not that of chance
	{"mispredict", 0.25, (*windowBench).mispredict},                                                   // a branch ends its dispatch group anyway
	{"smt_busy", 0.05, func(b *windowBench) float64 { return b.shared(false) }},
	{"smt_waiting", 0.05, func(b *windowBench) float64 { return b.shared(true) }},
	{"region", 0.05, func(b *windowBench) float64 { return b.empty() }},
}

// windowBench is a bench for a multicore.
type windowBench struct {
	bench
	window WindowDescription
}

// team gives the bench an idle machine on which so many threads have a core
// each, with pages so large that translation costs little, as those who measure
// have it.
func (b *windowBench) team(threads int, placement string) {
	b.fresh("core.smt=1", fmt.Sprint("threads=", threads), "placement="+placement, "core.tlb.page=1 GiB", "memory.placement=local")
}

func (b *windowBench) cores() int { return b.window.topology().Total() / b.window.Core.SMT }

// dieAt returns a die at a distance from the first.
func (b *windowBench) dieAt(far net.Distance) int {
	m := b.device.(*windowDevice).memory
	for die := range m.Dies() {
		if m.Distance(0, die) == far {
			return die
		}
	}
	b.err = fmt.Errorf("no die is so far away")
	return 0
}

// place puts bytes of an array in the memory of a die.
func (b *windowBench) place(a isa.Array, from, to, die int) {
	if b.err == nil {
		b.err = b.device.(*windowDevice).memory.Place(a.Base+uint64(from), sim.Bytes(to-from), die)
	}
}

// inCache chases through size bytes that the first core's caches, or its die's,
// hold.
func (b *windowBench) inCache(size sim.Bytes) float64 {
	b.team(1, "compact")
	ring := b.ringOf(size, b.window.Memory.Line)
	return b.follow(ring, b.adopt("ring", ring), b.window.Memory.Line, true)
}

// l2Latency chases through what fits in L2 and is too much for L1.
func (b *windowBench) l2Latency() float64 {
	m := &b.window.Memory
	return b.inCache(min(m.L2.Size*3/4, max(2*m.L1.Size, m.L2.Size/2)))
}

// l3Latency chases through what fits in L3 and is too much for L1 and L2.
func (b *windowBench) l3Latency() float64 {
	m := &b.window.Memory
	return b.inCache(min(m.L3.Size*3/4, 2*(m.L1.Size+m.L2.Size)))
}

// rows returns a stride with which loads open a row each.
func (b *windowBench) rows() sim.Bytes {
	d := &b.window.Memory.DRAM
	return sim.Bytes(d.Channels)*max(d.RowBytes, d.Interleave) + max(d.Interleave, b.window.Memory.Line)
}

// inMemory chases through memory that is far away and that no load has touched,
// in nanoseconds.
func (b *windowBench) inMemory(far net.Distance) float64 {
	b.team(1, "compact")
	stride := b.rows()
	ring := b.ringOf(stride*(shortChain+longChain+1), stride)
	r := b.adopt("ring", ring)
	if b.err == nil {
		b.place(r, 0, 8*len(ring), b.dieAt(far))
	}
	return b.nanoseconds(b.follow(ring, r, stride, false))
}

func (b *windowBench) nanoseconds(cycles float64) float64 {
	return cycles / float64(b.window.Clock) * 1e9
}

// modified chases through lines that the last core of a die has modified, in
// nanoseconds.
func (b *windowBench) modified(far net.Distance) float64 {
	b.team(b.cores(), "compact")
	if b.err != nil {
		return 0
	}
	line := b.window.Memory.Line
	ring := b.ringOf(line*(shortChain+longChain+1), line)
	r := b.alloc("ring", isa.I64, len(ring))
	writer := (b.dieAt(far)+1)*b.window.Memory.Cores - 1
	p := isa.NewBuilder("modify")
	to, by, n := p.Array("ring", isa.I64), p.Int("by"), p.Int("n")
	p.If(p.Eq(isa.ThreadID, by), func() {
		step := int(line / 8)
		p.For(0, n, step, func(i isa.Reg) { p.Store(to, i, p.Rem(p.Add(i, step), n)) })
	})
	b.run(p.MustBuild(), 1, r, writer, len(ring))
	return b.nanoseconds(b.follow(ring, r, line, false))
}

// read streams through memory, a word of each line, in bytes of lines a second:
// each thread through its own die's or, if far is more, the cores of the first
// die through that of one as far away.
func (b *windowBench) read(threads int, far net.Distance) float64 {
	b.team(threads, "compact")
	if b.err != nil {
		return 0
	}
	w := &b.window
	const pages = 24 // of each thread
	line := int(w.Memory.Line)
	each := pages * int(w.Memory.Page)
	data := b.alloc("data", isa.I64, threads*each/8)
	out := b.alloc("out", isa.I64, 8*threads)
	away := b.dieAt(far)
	for t := range threads {
		die := away
		if far == net.SameDie {
			die = t / w.Memory.Cores
		}
		b.place(data, t*each, (t+1)*each, die)
	}
	lines := each / line
	return float64(threads*lines*line) / b.between(lines, streaming, data, out, lines).Seconds()
}

// between is what all iterations of a program take beside none.
func (b *windowBench) between(n int, program func(line int) *isa.Program, args ...any) sim.Time {
	p := program(int(b.window.Memory.Line))
	none := append([]any(nil), args[:len(args)-1]...)
	empty := b.run(p, 1, append(none, 0)...)
	return b.run(p, 1, args...) - empty
}

// streaming has each thread load a word of each of n lines of its own.
func streaming(line int) *isa.Program {
	b := isa.NewBuilder("streaming")
	data, out, n := b.Array("data", isa.I64), b.Array("out", isa.I64), b.Int("n")
	sum := b.Var(0)
	at := b.Mul(b.Mul(isa.ThreadID, n), line/8)
	b.For(at, b.Add(at, b.Mul(n, line/8)), line/8, func(i isa.Reg) { b.SetAdd(sum, sum, b.Load(data, i)) })
	b.Store(out, b.Mul(isa.ThreadID, 8), sum)
	return b.MustBuild()
}

func (b *windowBench) socketRead() float64 {
	return b.read(b.window.Memory.Dies*b.window.Memory.Cores, net.SameDie)
}

// contend has threads add to one word, and returns the nanoseconds between two
// additions.
func (b *windowBench) contend(threads int, placement string) float64 {
	const each = 64
	b.team(threads, placement)
	word := b.alloc("word", isa.I64, 1)
	short := b.run(count(1), 1, word)
	long := b.run(count(1+each), 1, word)
	return (long - short).Seconds() * 1e9 / float64(each*threads)
}

// mispredict compares branches on random bits with the same on bits that are
// all alike. A branch's bit is loaded so many branches before that none waits
// for it.
func (b *windowBench) mispredict() float64 {
	const ahead, bits = 8, 16 << 10
	p := isa.NewBuilder("branches")
	from, out := p.Array("bits", isa.I8), p.Array("out", isa.I64)
	sum := p.Var(0)
	var bit [ahead]isa.Reg
	for k := range bit {
		bit[k] = p.Var(0)
	}
	p.For(0, bits, ahead, func(i isa.Reg) {
		for k := range bit {
			next := p.Load(from, p.And(p.Add(i, k), bits-1))
			p.IfElse(p.Ne(bit[k], 0), func() { p.SetAdd(sum, sum, 3) }, func() { p.SetAdd(sum, sum, 5) }) // a jump either way
			p.Set(bit[k], next)
		}
	})
	p.Store(out, 0, sum)
	program := p.MustBuild()
	measure := func(bit func(random uint64) uint64) (cycles, misses float64) {
		b.team(1, "compact")
		list := make([]uint8, bits)
		x := uint64(1)
		for i := range list {
			x = x*6364136223846793005 + 1442695040888963407 // Knuth's MMIX
			list[i] = uint8(bit(x >> 63))
		}
		data, sum := b.adopt("bits", list), b.alloc("out", isa.I64, 1)
		cycles = b.cycles(b.run(program, 1, data, sum))
		if b.err == nil {
			misses, _ = b.Report().Metrics.Get("branch_misses")
		}
		return cycles, misses
	}
	random, missed := measure(func(random uint64) uint64 { return random })
	zeros, few := measure(func(uint64) uint64 { return 0 })
	ones, fewer := measure(func(uint64) uint64 { return 1 })
	return (random - (zeros+ones)/2) / (missed - (few+fewer)/2)
}

// shared compares the additions that all threads of a core do with those of one
// of them: chains of them, or many at a time.
func (b *windowBench) shared(chained bool) float64 {
	const short, long = 200, 1000
	program := func(n int) *isa.Program {
		p := isa.NewBuilder(fmt.Sprintf("additions-%d", n))
		x := p.Var(1.0)
		for range n {
			if chained {
				p.SetAdd(x, x, 1.5)
			} else {
				p.Add(x, 1.5)
			}
		}
		return p.MustBuild()
	}
	took := func(threads int) float64 {
		b.fresh(fmt.Sprint("threads=", threads), "placement=compact")
		return (b.run(program(long), 1) - b.run(program(short), 1)).Seconds()
	}
	n := b.window.Core.SMT
	return float64(n) * took(1) / took(n)
}
