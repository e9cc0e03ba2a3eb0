package simt

import (
	"heddle/arch/isa"
	"heddle/arch/mem"
	"heddle/sim"

	"pgregory.net/rapid"
)

// Sizes of the arrays of a random program.
const (
	inputs   = 512 // read by all
	slots    = 4   // of each thread, in out
	counters = 16  // that all add to, or raise
)

// author writes random programs that end and whose answer does not depend on
// the order in which threads execute: each thread writes slots of its own, all
// add to counters and raise others, and shared memory is handed on between
// barriers.
type author struct {
	t       *rapid.T
	b       *isa.Builder
	in, out isa.ArrayParam
	sum     isa.ArrayParam
	most    isa.ArrayParam
	ints    []isa.Reg // assigned on every path to here
	doubles []isa.Reg
	vars    []isa.Reg // of ints, may be assigned to
	loops   int
	nested  int
	left    int // statements still to write
}

// randomProgram writes one for blocks of the given size.
func randomProgram(t *rapid.T, block int) *isa.Program {
	b := isa.NewBuilder("random")
	a := &author{t: t, b: b, left: 40}
	a.in, a.out = b.Array("in", isa.I64), b.Array("out", isa.I64)
	a.sum, a.most = b.Array("sum", isa.I64), b.Array("most", isa.I32)
	b.SharedMemory(8 * block)
	b.LocalMemory(32)
	a.ints = []isa.Reg{isa.ThreadID, isa.Lane, isa.BlockThread}
	for range 4 {
		v := b.Var(a.int())
		a.ints, a.vars = append(a.ints, v), append(a.vars, v)
	}
	a.doubles = []isa.Reg{b.Var(1.5), b.I64ToF64(isa.ThreadID)}
	cell := b.SharedArray(0, isa.I64)
	for range 1 + a.pick("phases", 3) {
		a.block(8)
		if a.pick("hand on", 2) == 0 {
			b.StoreTo(cell, isa.BlockThread, a.int())
			b.Barrier()
			from := b.Rem(b.Add(isa.BlockThread, a.pick("distance", block)), block)
			b.Set(a.vars[0], b.LoadFrom(cell, from))
			b.Barrier()
		}
	}
	for i := range slots {
		b.Store(a.out, a.own(i), a.int())
	}
	p, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (a *author) pick(label string, n int) int { return rapid.IntRange(0, n-1).Draw(a.t, label) }

func (a *author) int() isa.Operand {
	if i := a.pick("int", len(a.ints)+1); i < len(a.ints) {
		return a.ints[i]
	}
	return a.pick("literal", 20) - 5
}

func (a *author) variable() isa.Reg { return a.vars[a.pick("variable", len(a.vars))] }

// own returns the index of a slot of the thread.
func (a *author) own(i int) isa.Reg { return a.b.Add(a.b.Mul(isa.ThreadID, slots), i) }

// block writes up to n statements; what they define is forgotten after it.
func (a *author) block(n int) {
	ints, doubles := len(a.ints), len(a.doubles)
	a.nested++
	for range 1 + a.pick("statements", n) {
		if a.left--; a.left < 0 {
			break
		}
		a.statement()
	}
	a.nested--
	a.ints, a.doubles = a.ints[:ints], a.doubles[:doubles]
}

func (a *author) statement() {
	b := a.b
	switch a.pick("statement", 20) {
	case 0, 1:
		ops := []func(x, y isa.Operand) isa.Reg{b.Add, b.Sub, b.Mul, b.Min, b.Xor, b.Shr, b.Lt, b.Eq}
		a.ints = append(a.ints, ops[a.pick("op", len(ops))](a.int(), a.int()))
	case 2:
		b.Set(a.variable(), a.int())
	case 3:
		v := a.variable()
		b.SetAdd(v, v, a.int())
	case 4:
		d := a.doubles[a.pick("double", len(a.doubles))]
		a.doubles = append(a.doubles, b.FMA(d, 0.5, d))
	case 5:
		a.ints = append(a.ints, b.Div(a.int(), b.Or(b.And(a.int(), 6), 1)))
	case 6:
		a.ints = append(a.ints, b.F64ToI64(b.Sqrt(b.I64ToF64(b.And(a.int(), 1023)))))
	case 7, 8, 9: // a gather
		a.ints = append(a.ints, b.Load(a.in, b.And(b.Mul(a.int(), 1+a.pick("stride", 40)), inputs-1)))
	case 10:
		b.Store(a.out, a.own(a.pick("slot", slots)), a.int())
	case 11:
		a.ints = append(a.ints, b.Load(a.out, a.own(a.pick("slot", slots))))
	case 12:
		b.FetchAdd(a.sum, b.And(a.int(), counters-1), a.int())
	case 13:
		b.FetchMax(a.most, b.And(a.int(), counters-1), b.And(a.int(), 255))
	case 14:
		local := b.LocalArray(8*a.pick("at", 2), isa.I64)
		b.StoreTo(local, b.And(a.int(), 1), a.int())
		a.ints = append(a.ints, b.LoadFrom(local, b.And(a.int(), 1)))
	case 15:
		if a.nested < 5 {
			b.If(a.int(), func() { a.block(4) })
		}
	case 16:
		if a.nested < 5 {
			b.IfElse(b.Lt(a.int(), a.int()), func() { a.block(4) }, func() { a.block(4) })
		}
	case 17, 18:
		if a.loops < 2 {
			a.loops++
			b.For(0, b.And(a.int(), 3), 1, func(isa.Reg) { a.block(5) })
			a.loops--
		}
	case 19:
		if a.loops > 0 && a.pick("leave", 2) == 0 {
			b.BreakIf(b.Lt(a.int(), 0))
		} else if a.loops > 0 {
			b.If(b.Eq(a.int(), a.int()), func() { b.Continue() })
		}
	}
}

// randomConfig draws a small GPU: caches that do not hold the arrays, few
// entries of everything.
func randomConfig(t *rapid.T) Config {
	pick := func(label string, from, to int) int { return rapid.IntRange(from, to).Draw(t, label) }
	c := round()
	c.SMs = pick("SMs", 1, 3)
	c.WarpWidth = rapid.SampledFrom([]int{4, 32, 64}).Draw(t, "width")
	c.Scheduler.Count = 1 << pick("schedulers", 0, 2)
	c.Scheduler.Policy = rapid.SampledFrom([]string{"lrr", "gto"}).Draw(t, "policy")
	c.Scheduler.Interval = sim.Cycles(pick("interval", 1, 2))
	c.Units.Mul.Lanes = pick("lanes", 1, 80)
	c.Units.F64 = UnitConfig{Latency: 30, Lanes: 16, Exclusive: rapid.Bool().Draw(t, "exclusive")}
	c.LoadStore.Queue = pick("queue", 1, 8)
	c.LoadStore.Outstanding = pick("outstanding", 1, 64)
	c.LoadStore.Lanes = pick("addresses", 1, 64)
	rapid.SampledFrom([]func(*Config){
		generations["segments"], generations["lines"], generations["uncached"], generations["sectors"],
	}).Draw(t, "generation")(&c)
	c.L1.Size, c.L1.MSHRs = sim.Bytes(1<<pick("L1", 9, 13)), pick("L1 MSHRs", 1, 8)
	c.L2.SlicesPerChannel, c.DRAM.Channels = pick("slices", 1, 2), pick("channels", 1, 3)
	c.L2.Slice.Size, c.L2.Slice.MSHRs = sim.Bytes(1<<pick("L2", 10, 13)), pick("L2 MSHRs", 1, 16)
	c.L2.MaskedWrites = rapid.Bool().Draw(t, "masked")
	c.L2.AtomicGranule = rapid.SampledFrom([]sim.Bytes{4, 32}).Draw(t, "granule")
	c.Launch.BlockInterval = sim.Cycles(pick("block interval", 0, 5))
	c.Occupancy.Registers, c.Occupancy.Blocks = 1<<17, pick("blocks", 1, 8)
	c.Occupancy.Warps = 64
	return c
}

// arrays gives a space the arrays of a random program for so many threads,
// and returns them as arguments.
func randomArrays(t rapid.TB, s *mem.Space, threads int) []any {
	t.Helper()
	var args []any
	for _, a := range []struct {
		name string
		elem isa.Type
		n    int
	}{{"in", isa.I64, inputs}, {"out", isa.I64, slots * threads}, {"sum", isa.I64, counters}, {"most", isa.I32, counters}} {
		array, err := s.Alloc(a.name, a.elem, a.n)
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, array)
	}
	for i, in := 0, s.View(args[0].(isa.Array)).([]int64); i < len(in); i++ {
		in[i] = int64(i*i*7919%1009 - 400)
	}
	return args
}
