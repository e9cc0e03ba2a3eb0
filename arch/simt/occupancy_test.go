package simt

import (
	"fmt"
	"math"
	"testing"

	"heddle/arch/isa"
	"heddle/arch/isa/isatest"
	"heddle/sim"

	"pgregory.net/rapid"
)

// The blocks of an SM by the occupancy calculator's rules, worked out by hand
// for 32 warps, 1024 threads, 8 blocks, 32768 registers in units of 64 a warp,
// and 48 KiB of shared memory in units of 128 bytes.
func TestLimitsByHand(t *testing.T) {
	for _, test := range []struct {
		block, registers, shared int
		want                     int
		by                       string
	}{
		{64, 10, 0, 8, "blocks"},
		{128, 10, 0, 8, "blocks"}, // 8 x 4 warps just fit
		{160, 10, 0, 6, "warps"},  // 5 warps
		{129, 10, 0, 6, "warps"},  // 5 warps too, the last with one thread
		{256, 32, 0, 4, "warps"},  // 32 x 32 x 8 = 8192 registers: also 4
		{256, 33, 0, 3, "registers"},
		{512, 10, 0, 2, "warps"},
		{1024, 10, 0, 1, "warps"},
		{1024, 33, 0, 0, "registers"},
		{32, 10, 6 << 10, 8, "blocks"},
		{32, 10, 6<<10 + 1, 7, "shared"}, // 6272 bytes
		{32, 10, 48 << 10, 1, "shared"},
		{32, 10, 48<<10 + 1, 0, "shared"},
	} {
		c := round()
		got, by := c.Limits(programOf(t, test.registers, test.shared), test.block)
		if got != test.want || by != test.by {
			t.Errorf("blocks of %d threads, %d registers, %d bytes: %d by %s, want %d by %s",
				test.block, test.registers, test.shared, got, by, test.want, test.by)
		}
	}
}

// The two ways of rounding registers: 3 warps of 21 registers in units of 512
// are 2 units a warp, but 4 for the block.
func TestRegisterRounding(t *testing.T) {
	c := with(func(c *Config) { c.Occupancy.RegisterUnit, c.Occupancy.Registers = 512, 24*512 })
	p := programOf(t, 21, 0)
	if n, by := c.Limits(p, 96); n != 4 || by != "registers" {
		t.Errorf("units a warp: %d blocks by %s, want 4 by registers", n, by)
	}
	c.Occupancy.RegisterPer = "block"
	if n, by := c.Limits(p, 96); n != 6 || by != "registers" {
		t.Errorf("units a block: %d blocks by %s, want 6 by registers", n, by)
	}
}

// programOf returns a program of so many registers and bytes of shared memory.
func programOf(t rapid.TB, registers, shared int) *isa.Program {
	t.Helper()
	p := isatest.Main(t, fmt.Sprintf("shared %d", shared), fmt.Sprintf("mov r%d, 1", registers-1))
	if p.Registers() != registers {
		t.Fatalf("program of %d registers, want %d", p.Registers(), registers)
	}
	return p
}

// resident writes a program whose blocks count how many of them are there at
// once: count[0] is the number now, count[1] the most so far.
func resident(registers, shared int) func(t rapid.TB) *isa.Program {
	return func(t rapid.TB) *isa.Program {
		return isatest.Main(t, fmt.Sprintf("param count i64[]\nshared %d", shared),
			fmt.Sprintf("mov r%d, 1", registers-1),
			"eq r0, %btid, 0",
			"if r0",
			"atom.add.i64 r1, [$count], 1",
			"add r1, r1, 1",
			"atom.max.i64 r1, [$count + 8], r1",
			isatest.Repeat(10, "mul r1, r1, r1"), // all resident blocks overlap
			isatest.Repeat(10, "div r1, r1, 7"),
			"atom.add.i64 r1, [$count], -1",
			"mov r1, r1",
			"endif",
			"bar")
	}
}

// Blocks are resident in a run up to the limit of every kind, and no more.
func TestResidentBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pick := func(label string, from, to int) int { return rapid.IntRange(from, to).Draw(t, label) }
		c := with(func(c *Config) {
			c.SMs = pick("SMs", 1, 3)
			o := &c.Occupancy
			o.Warps = pick("warps", 1, 32)
			o.Threads = pick("threads", 32, 1024)
			o.Blocks = pick("blocks", 1, 12)
			o.Registers = 1 << pick("registers", 10, 15)
			o.RegisterUnit = 1 << pick("unit", 0, 9)
			o.RegisterPer = rapid.SampledFrom([]string{"warp", "block"}).Draw(t, "per")
			o.Shared = sim.Bytes(1) << pick("shared", 8, 13)
			c.Launch.BlockSize = 1
			c.Crossbar.Width = 1024
			c.L2.AtomicSameAddress = 1
		})
		registers, shared, block := pick("program's registers", 2, 64), pick("program's shared", 0, 3000), pick("block", 1, 200)
		p := resident(registers, shared)(t)
		// A second way to the limit: give blocks out until something is lacking.
		most := 0
		o := &c.Occupancy
		warps := (block + 31) / 32
		ceil := func(n, unit int) int { return int(math.Ceil(float64(n)/float64(unit))) * unit }
		regs := warps * ceil(registers*32, o.RegisterUnit)
		if o.RegisterPer == "block" {
			regs = ceil(registers*32*warps, o.RegisterUnit)
		}
		bytes := ceil(shared, int(o.SharedUnit))
		for n := 1; n <= o.Blocks && n*warps <= o.Warps && n*block <= o.Threads && n*regs <= o.Registers && n*bytes <= int(o.Shared); n++ {
			most = n
		}
		if got, by := c.Limits(p, block); got != most {
			t.Fatalf("%d blocks by %s, want %d", got, by, most)
		}
		r := newRig(t, c)
		count := r.alloc("count", isa.I64, 2)
		blocks := 3*most*c.SMs + 1
		_, err := r.try(p, blocks*block, block, count)
		if most == 0 {
			wantError(t, err, "does not fit")
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		got := r.ints(count)
		if got[0] != 0 || got[1] != int64(most*c.SMs) {
			t.Fatalf("%d blocks there at once and %d at the end, want %d and 0", got[1], got[0], most*c.SMs)
		}
		s := r.gpu.Stats()
		if s.Blocks != uint64(blocks) || s.Warps != uint64(blocks*warps) {
			t.Errorf("%d blocks and %d warps started, want %d and %d", s.Blocks, s.Warps, blocks, blocks*warps)
		}
		if v := r.metrics(); v["achieved_occupancy"] > 100*float64(most*warps)/float64(o.Warps) {
			t.Errorf("occupancy of %v%% achieved by %d of %d warps", v["achieved_occupancy"], most*warps, o.Warps)
		}
	})
}

// Warps that all stay for as long give the occupancy of the formula.
func TestAchievedOccupancy(t *testing.T) {
	r := newRig(t, round())
	r.run(isatest.Main(t, "", "mov r0, 1", isatest.Repeat(50, "div r0, r0, 3"), "bar"), 96*4, 96)
	if got, want := r.metrics()["achieved_occupancy"], 100*12.0/32; math.Abs(got-want) > 0.5 {
		t.Errorf("achieved occupancy %v%%, want %v%%", got, want)
	}
}

// Blocks are given out an interval apart, first one to each SM.
func TestBlockInterval(t *testing.T) {
	c := with(func(c *Config) { c.SMs, c.Launch.BlockInterval = 3, 40 })
	r := newRig(t, c)
	out := r.alloc("out", isa.I64, 7)
	r.run(isatest.Main(t, "param out i64[]", "clock r0", "st.i64 [$out + %block*8], r0"), 32*7, 32, out)
	for i, at := range r.ints(out) {
		if at != int64(40*i) {
			t.Errorf("block %d began at %d, want %d", i, at, 40*i)
		}
	}
}

// A launch's threads are rounded up to whole blocks, and the identities that a
// program reads agree with each other.
func TestThreadIdentities(t *testing.T) {
	r := newRig(t, with(func(c *Config) { c.SMs = 2 }))
	const block, threads = 48, 100
	out := r.alloc("out", isa.I64, 8*144)
	store := func(i int, reg string) string { return fmt.Sprintf("st.i64 [$out + r0*8 + %d], %%%s", 8*i, reg) }
	r.run(isatest.Main(t, "param out i64[]", "mul r0, %tid, 8", store(0, "tid"), store(1, "btid"), store(2, "block"), store(3, "nthreads"),
		store(4, "lane"), store(5, "width"), store(6, "bsize"), store(7, "nblocks")), threads, block, out)
	for i := range 144 {
		want := []int64{int64(i), int64(i % block), int64(i / block), 144, int64(i % block % 32), 32, block, 3}
		for j, w := range want {
			if got := r.ints(out)[8*i+j]; got != w {
				t.Fatalf("thread %d: value %d is %d, want %d", i, j, got, w)
			}
		}
	}
}
