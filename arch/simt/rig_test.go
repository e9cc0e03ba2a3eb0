package simt

import (
	"fmt"
	"strings"

	"heddle/arch/isa"
	"heddle/arch/mem"
	"heddle/arch/net"
	"heddle/sim"

	"pgregory.net/rapid"
)

// round describes a GPU of round numbers: every clock is 1 GHz, so that a
// cycle is a nanosecond everywhere, and every part keeps up with the others.
func round() Config {
	unit := func(latency sim.Cycles) UnitConfig { return UnitConfig{Latency: latency, Lanes: 32} }
	return Config{
		Clock: 1e9, SMs: 1, WarpWidth: 32,
		Scheduler: SchedulerConfig{Count: 1, Policy: "lrr", Interval: 1},
		Units: UnitsConfig{
			Int: unit(10), Compare: unit(11), Shift: unit(12), Mul: unit(13), Divide: unit(14), F32: unit(15),
			F64: unit(16), Special: unit(17), Convert: unit(18), Control: unit(5), Warp: unit(9), Sync: unit(8),
		},
		LoadStore: LoadStoreConfig{
			Lanes: 32, Latency: 20, TransactionInterval: 2, Queue: 8, Outstanding: 64, Coalescing: "lines",
			SharedBanks: 32, SharedBankWidth: 4, SharedGroup: 32, SharedLatency: 24, SharedInterval: 2,
			FullEmptyRetry: 100,
		},
		Occupancy: OccupancyConfig{
			Warps: 32, Threads: 1024, Blocks: 8, BlockThreads: 1024, Registers: 32768,
			RegistersPerThread: 64, RegisterUnit: 64, RegisterPer: "warp", Shared: 48 << 10, SharedUnit: 128,
		},
		Launch: LaunchConfig{BlockSize: 128},
		L1: mem.CacheConfig{
			Enabled: true, Size: 16 << 10, Ways: 4, Line: 128, Sector: 128, Index: "modulo", Replacement: "lru",
			Write: "write-through", WriteHit: "evict", Banks: 1, HitLatency: 30, BankInterval: 1, MSHRs: 32, Merges: 8,
		},
		Crossbar: net.CrossbarConfig{Clock: 1e9, Width: 32, Header: 8, RequestLatency: 40, ReplyLatency: 50},
		L2: L2Config{
			Clock: 1e9, SlicesPerChannel: 1,
			Slice: mem.CacheConfig{
				Enabled: true, Size: 64 << 10, Ways: 8, Line: 128, Sector: 32, Index: "modulo", Replacement: "lru",
				Write: "write-back", WriteAllocate: true, WriteHit: "update", Banks: 1, HitLatency: 60, BankInterval: 1,
				MSHRs: 64, Merges: 8,
			},
			MaskedWrites: true, AtomicInterval: 1, AtomicSameAddress: 7, AtomicGranule: 4,
		},
		DRAM: mem.DRAMConfig{ // a burst is a sector: 32 bytes in one cycle
			Clock: 1e9, Channels: 1, Ranks: 1, Banks: 16, Groups: 1, RowBytes: 4096,
			Interleave: 256, BankInterleave: 4096, BusBytes: 16, BurstLength: 2, DataRate: 2,
			TRCD: 12, TRP: 12, TCL: 12, TCWL: 6, TRAS: 28, TRC: 40, TCCD: 1, TCCDL: 1, TRRD: 4, TFAW: 16,
			TWR: 12, TWTR: 5, TRTP: 4, TRTRS: 1, PagePolicy: "open", Reorder: 200,
			ControllerLatency: 100 * sim.Nanosecond,
		},
	}
}

// with returns the round description changed.
func with(change func(*Config)) Config {
	c := round()
	change(&c)
	return c
}

// rig is a GPU with its memory.
type rig struct {
	t      rapid.TB
	engine *sim.Engine
	space  *mem.Space
	gpu    *GPU
	at     sim.Time // end of the latest run
}

func newRig(t rapid.TB, c Config) *rig {
	t.Helper()
	r := &rig{t: t, engine: sim.NewEngine(), space: mem.NewSpace(1 << 30)}
	g, err := New(c, r.engine, r.space)
	if err != nil {
		t.Fatal(err)
	}
	r.gpu = g
	return r
}

func (r *rig) alloc(name string, elem isa.Type, n int) isa.Array {
	r.t.Helper()
	a, err := r.space.Alloc(name, elem, n)
	if err != nil {
		r.t.Fatal(err)
	}
	return a
}

// ints returns the elements of an array of 64-bit integers.
func (r *rig) ints(a isa.Array) []int64 { return r.space.View(a).([]int64) }

// try runs p and returns the cycles that it took.
func (r *rig) try(p *isa.Program, threads, block int, args ...any) (sim.Cycles, error) {
	r.t.Helper()
	end, err := r.gpu.Run(p, threads, block, r.at, isa.Args(args...))
	if err != nil {
		return 0, err
	}
	if end%sim.Nanosecond != 0 {
		r.t.Errorf("ended at %d fs, between two clock edges", end)
	}
	took := sim.Cycles((end - r.at) / sim.Nanosecond)
	r.at = end
	return took, nil
}

// run is try of a program that must end well.
func (r *rig) run(p *isa.Program, threads, block int, args ...any) sim.Cycles {
	r.t.Helper()
	n, err := r.try(p, threads, block, args...)
	if err != nil {
		r.t.Fatal(err)
	}
	return n
}

// cycles runs a program without arguments on a fresh GPU.
func cycles(t rapid.TB, c Config, p *isa.Program, threads, block int) sim.Cycles {
	t.Helper()
	return newRig(t, c).run(p, threads, block)
}

func wantCycles(t rapid.TB, what string, got, want sim.Cycles) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %d cycles, want %d", what, got, want)
	}
}

// classes has an instruction of every class of unit that writes a register:
// one that depends on its own result, and its class's configuration.
var classes = []struct {
	name  string
	init  string // makes x what the instruction wants
	chain string // x = x op ...
	unit  func(*UnitsConfig) *UnitConfig
}{
	{"int", "mov r0, 1", "add r0, r0, %tid", func(u *UnitsConfig) *UnitConfig { return &u.Int }},
	{"compare", "mov r0, 1", "lt r0, r0, %tid", func(u *UnitsConfig) *UnitConfig { return &u.Compare }},
	{"shift", "mov r0, 1", "shl r0, r0, 1", func(u *UnitsConfig) *UnitConfig { return &u.Shift }},
	{"mul", "mov r0, 1", "mul r0, r0, 3", func(u *UnitsConfig) *UnitConfig { return &u.Mul }},
	{"divide", "mov r0, 1", "div r0, r0, 3", func(u *UnitsConfig) *UnitConfig { return &u.Divide }},
	{"f32", "mov s0, 1.0f", "add.f32 s0, s0, 1.0f", func(u *UnitsConfig) *UnitConfig { return &u.F32 }},
	{"f64", "mov d0, 1.0", "fma.f64 d0, d0, 2.0, 1.0", func(u *UnitsConfig) *UnitConfig { return &u.F64 }},
	{"special", "mov d0, 1.0", "sqrt.f64 d0, d0", func(u *UnitsConfig) *UnitConfig { return &u.Special }},
	{"warp", "mov r0, 1", "any r0, r0", func(u *UnitsConfig) *UnitConfig { return &u.Warp }},
}

// numbered replaces register 0 of a line by register i.
func numbered(line string, i int) string {
	for _, bank := range []string{"r", "s", "d"} {
		line = strings.ReplaceAll(line, " "+bank+"0", fmt.Sprintf(" %s%d", bank, i))
	}
	return line
}
