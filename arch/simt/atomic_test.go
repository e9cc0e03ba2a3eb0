package simt

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"heddle/arch/isa"
	"heddle/arch/isa/isatest"
	"heddle/arch/mem"
	"heddle/sim"
)

// atomicTrip is how long a lone atomic takes whose line is in L2.
func atomicTrip(c *Config, data sim.Bytes) sim.Cycles {
	packet := sim.Cycles((data + c.Crossbar.Header + c.Crossbar.Width - 1) / c.Crossbar.Width)
	return c.LoadStore.Latency + c.Crossbar.RequestLatency + packet + c.L2.Slice.HitLatency +
		c.L2.AtomicInterval + c.Crossbar.ReplyLatency + packet
}

// Atomics to one granule follow each other at their interval; those to others
// at the unit's; those of several slices overlap.
func TestAtomicTimes(t *testing.T) {
	wide := func(c *Config) { c.Crossbar.Width = 1024 } // all lanes in a packet
	for _, test := range []struct {
		name   string
		change func(*Config)
		index  string // of 8-byte words, in r0
		each   func(*Config) sim.Cycles
	}{
		{"one word", wide, "mov r0, 0",
			func(c *Config) sim.Cycles { return c.L2.AtomicSameAddress }},
		{"one word, a slow unit", func(c *Config) { wide(c); c.L2.AtomicInterval = 11 }, "mov r0, 0",
			func(c *Config) sim.Cycles { return c.L2.AtomicInterval }},
		{"adjacent words", wide, "and r0, %lane, 15",
			func(c *Config) sim.Cycles { return c.L2.AtomicInterval }},
		{"words of one granule", func(c *Config) { wide(c); c.L2.AtomicGranule = 128 }, "and r0, %lane, 15",
			func(c *Config) sim.Cycles { return c.L2.AtomicSameAddress }},
		{"words of different lines of one slice", func(c *Config) { wide(c); c.LoadStore.TransactionInterval = 3 },
			"mul r0, %lane, 16",
			func(c *Config) sim.Cycles { return c.LoadStore.TransactionInterval }},
		{"words of different slices", func(c *Config) {
			wide(c)
			c.L2.SlicesPerChannel, c.LoadStore.TransactionInterval, c.L2.AtomicInterval = 16, 1, 9
		}, "mul r0, %lane, 32", func(c *Config) sim.Cycles { return 1 }},
	} {
		c := with(test.change)
		run := func(lanes int) sim.Cycles {
			r := newRig(t, c)
			a := r.alloc("a", isa.I64, 1024)
			p := isatest.Main(t, "param a i64[]\nparam lanes i64", test.index, "lt r1, %lane, $lanes", "if r1",
				"atom.add.i64 r2, [$a + r0*8], 1", "add r2, r2, 1", "endif")
			r.run(p, 32, 32, a, 16)
			return r.run(p, 32, 32, a, lanes)
		}
		start := 1 + c.Units.Compare.Latency + c.Units.Control.Latency
		end := 1 + c.Units.Control.Latency
		one := start + atomicTrip(&c, 8) + end
		wantCycles(t, test.name+", one lane", run(1), one)
		for _, n := range []sim.Cycles{2, 7, 16} {
			wantCycles(t, fmt.Sprintf("%s, %d lanes", test.name, n), run(int(n)), one+(n-1)*test.each(&c))
		}
	}
}

// Atomics whose result nobody wants do not make their warp wait, and the unit
// goes on at its pace: many warps that count on one word are done when it has
// taken every one of them.
func TestAtomicThroughput(t *testing.T) {
	run := func(n int) sim.Cycles {
		r := newRig(t, round())
		a := r.alloc("a", isa.I64, 1)
		took := r.run(isatest.Main(t, "param a i64[]", isatest.Repeat(n, "atom.add.i64 [$a], 1")), 256, 256, a)
		if got := r.ints(a)[0]; got != int64(256*n) {
			t.Errorf("counted to %d, want %d", got, 256*n)
		}
		v := r.metrics()
		if ops, replays := v["atomic_operations"], v["atomic_replays"]; ops != float64(256*n) || replays != ops-1 {
			t.Errorf("%v operations, %v replays, want %d and one less", ops, replays, 256*n)
		}
		return took
	}
	wantCycles(t, "20 more atomics by 256 threads", run(30)-run(10), 20*256*round().L2.AtomicSameAddress)
}

// Threads all over the GPU contend for one word and each gets its own answer.
func TestAtomicsUnderContention(t *testing.T) {
	const n = 1500
	r := newRig(t, with(func(c *Config) { c.SMs, c.Scheduler.Count = 3, 2 }))
	old := r.alloc("old", isa.I64, n)
	cell := r.alloc("cell", isa.I64, 4)
	program := func(op func(b *isa.Builder, cell isa.ArrayParam, i isa.Reg) isa.Reg) *isa.Program {
		b := isa.NewBuilder("contend")
		cell, old := b.Array("cell", isa.I64), b.Array("old", isa.I64)
		b.ParallelFor(n, func(i isa.Reg) { b.Store(old, i, op(b, cell, i)) })
		return b.MustBuild()
	}
	sorted := func() []int64 { return slices.Sorted(slices.Values(r.ints(old))) }
	scatter := func(i int) int64 { return int64(i*7919%n) + 1 } // a permutation of 1..n

	t.Run("add", func(t *testing.T) {
		r.ints(cell)[0] = 0
		r.run(program(func(b *isa.Builder, c isa.ArrayParam, i isa.Reg) isa.Reg { return b.FetchAdd(c, 0, 1) }), n, 64, cell, old)
		for i, v := range sorted() {
			if v != int64(i) {
				t.Fatalf("returned values are not 0..%d: %d at place %d", n-1, v, i)
			}
		}
		if r.ints(cell)[0] != n {
			t.Errorf("counted to %d, want %d", r.ints(cell)[0], n)
		}
	})
	t.Run("max", func(t *testing.T) {
		r.ints(cell)[1] = 0
		p := program(func(b *isa.Builder, c isa.ArrayParam, i isa.Reg) isa.Reg {
			return b.FetchMax(c, 1, b.Add(b.Rem(b.Mul(i, 7919), n), 1))
		})
		r.run(p, n, 64, cell, old)
		if r.ints(cell)[1] != n {
			t.Errorf("maximum %d, want %d", r.ints(cell)[1], n)
		}
		// Each value returned is the maximum of those before, so one that was
		// raised returns less, and different values were seen in ascending order.
		for i, v := range r.ints(old) {
			if v > n || v < 0 || v == scatter(i) {
				t.Fatalf("thread %d wrote %d and saw %d", i, scatter(i), v)
			}
		}
	})
	t.Run("min", func(t *testing.T) {
		r.ints(cell)[2] = n + 1
		p := program(func(b *isa.Builder, c isa.ArrayParam, i isa.Reg) isa.Reg {
			return b.FetchMin(c, 2, b.Add(b.Rem(b.Mul(i, 7919), n), 1))
		})
		r.run(p, n, 64, cell, old)
		if r.ints(cell)[2] != 1 {
			t.Errorf("minimum %d, want 1", r.ints(cell)[2])
		}
		for i, v := range r.ints(old) {
			if v > n+1 || v < 1 || v == scatter(i) {
				t.Fatalf("thread %d wrote %d and saw %d", i, scatter(i), v)
			}
		}
	})
	t.Run("exchange", func(t *testing.T) {
		r.ints(cell)[3] = -1
		r.run(program(func(b *isa.Builder, c isa.ArrayParam, i isa.Reg) isa.Reg { return b.Exchange(c, 3, i) }), n, 64, cell, old)
		// What was there, all that was written, and what is left are the same.
		all := append(sorted(), r.ints(cell)[3])
		slices.Sort(all)
		for i, v := range all {
			if v != int64(i-1) {
				t.Fatalf("value %d was lost or seen twice", i-1)
			}
		}
	})
	t.Run("compare and swap", func(t *testing.T) {
		r.ints(cell)[0] = 0
		b := isa.NewBuilder("count")
		cellp, oldp := b.Array("cell", isa.I64), b.Array("old", isa.I64)
		b.ParallelFor(n, func(i isa.Reg) {
			seen := b.Var(b.Load(cellp, 0))
			b.Loop(func() {
				was := b.CompareSwap(cellp, 0, seen, b.Add(seen, 1))
				b.BreakIf(b.Eq(was, seen))
				b.Set(seen, was)
			})
			b.Store(oldp, i, seen)
		})
		r.run(b.MustBuild(), n, 64, cell, old)
		for i, v := range sorted() {
			if v != int64(i) {
				t.Fatalf("won values are not 0..%d: %d at place %d", n-1, v, i)
			}
		}
		if r.ints(cell)[0] != n {
			t.Errorf("counted to %d, want %d", r.ints(cell)[0], n)
		}
	})
}

// The hottest words are found, with at least a bound on their atomics.
func TestHotWords(t *testing.T) {
	r := newRig(t, round())
	a := r.alloc("a", isa.I64, 64)
	r.run(isatest.Main(t, "param a i64[]", isatest.Repeat(5, "atom.add.i64 [$a + 40], 1"), isatest.Repeat(2, "atom.add.i64 [$a + 80], 1"),
		"atom.add.i64 [$a + %lane*8], 1"), 32, 32, a)
	hot := r.gpu.HotWords(2)
	want := []mem.HotWord{
		{Addr: a.Base + 40, Atomics: 5*32 + 1, Cores: 1, Sites: []mem.SiteCount{{Site: mem.Site{PC: 0}, Count: 32}, {Site: mem.Site{PC: 1}, Count: 32}, {Site: mem.Site{PC: 2}, Count: 32}, {Site: mem.Site{PC: 3}, Count: 32}}},
		{Addr: a.Base + 80, Atomics: 2*32 + 1, Cores: 1, Sites: []mem.SiteCount{{Site: mem.Site{PC: 5}, Count: 32}, {Site: mem.Site{PC: 6}, Count: 32}, {Site: mem.Site{PC: 7}, Count: 1}}},
	}
	if !reflect.DeepEqual(hot, want) {
		t.Errorf("hot words %v, want %v", hot, want)
	}
}
