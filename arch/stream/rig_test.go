package stream

import (
	"testing"

	"heddle/arch/isa"
	"heddle/arch/mem"
	"heddle/arch/net"
	"heddle/sim"
)

// round describes a machine of round numbers: every clock is 1 GHz, so that a
// cycle is a nanosecond everywhere; one processor without a network, whose
// memory unit takes a word every 6 cycles; and a module with a buffer that
// holds all that the tests use.
func round() Config {
	return Config{
		Clock: 1e9, Processors: 1, Streams: 128, Pipeline: 21, Lookahead: 8,
		Word:       WordConfig{Packed: true, Divide: 10, Special: 5},
		MemoryUnit: MemoryUnitConfig{Latency: 7, Bandwidth: 8e9 / 6, Queue: 16},
		Cache: mem.CacheConfig{
			Size: 16 << 10, Ways: 4, Line: 64, Sector: 64, Index: "modulo", Replacement: "lru",
			Write: "write-through", WriteHit: "update", Banks: 1, HitLatency: 12, MSHRs: 32, Merges: 8,
		},
		Network: net.TorusConfig{Interface: 40 * sim.Nanosecond, Hop: 25 * sim.Nanosecond},
		Module: ModuleConfig{
			Block: 64, Interval: 2, WordInterval: 9,
			Buffer: mem.CacheConfig{
				Enabled: true, Size: 1 << 20, Ways: 4, Line: 64, Sector: 64, Index: "modulo", Replacement: "lru",
				Write: "write-back", WriteAllocate: true, WriteHit: "update", Banks: 1024, HitLatency: 10, MSHRs: 64, Merges: 64,
			},
			DRAM: mem.DRAMConfig{ // a burst is a block: 64 bytes in four cycles
				Clock: 1e9, Channels: 1, Ranks: 1, Banks: 16, Groups: 1, RowBytes: 4096,
				Interleave: 64, BankInterleave: 4096, BusBytes: 16, BurstLength: 4, DataRate: 1,
				TRCD: 12, TRP: 12, TCL: 14, TCWL: 6, TRAS: 28, TRC: 40, TCCD: 4, TCCDL: 4, TRRD: 4, TFAW: 16,
				TWR: 12, TWTR: 5, TRTP: 4, TRTRS: 1, PagePolicy: "open", Reorder: 200,
				ControllerLatency: 30 * sim.Nanosecond,
			},
		},
		FullEmpty: FullEmptyConfig{Enabled: true, Retry: 50, Limit: 4, Trap: 300},
		Launch:    LaunchConfig{Streams: 100},
	}
}

// hit is the time from the issue of a load to its data in the round machine's
// buffer: memory unit, word, network both ways, buffer.
const hit = 7 + 6 + 2*40 + 10

// with returns the round description changed.
func with(change func(*Config)) Config {
	c := round()
	change(&c)
	return c
}

// rig is a machine with its memory.
type rig struct {
	t      testing.TB
	engine *sim.Engine
	space  *mem.Space
	sys    *System
	at     sim.Time // end of the latest run
}

func newRig(t testing.TB, c Config) *rig {
	t.Helper()
	r := &rig{t: t, engine: sim.NewEngine(), space: mem.NewSpace(1 << 30)}
	sys, err := New(c, r.engine, r.space)
	if err != nil {
		t.Fatal(err)
	}
	r.sys = sys
	return r
}

func (r *rig) alloc(name string, n int) isa.Array {
	r.t.Helper()
	a, err := r.space.Alloc(name, isa.I64, n)
	if err != nil {
		r.t.Fatal(err)
	}
	return a
}

// warm brings arrays into the modules' buffers.
func (r *rig) warm(arrays ...isa.Array) {
	for _, a := range arrays {
		for i := 0; i < a.Len; i += 8 {
			node, local := r.sys.memory.locate(a.Base + uint64(i)*8)
			r.sys.memory.modules[node].buffer.Access(r.at, mem.Access{Addr: local, Size: 8, Array: -1})
		}
	}
	r.at += 10 * sim.Microsecond // until the DRAM is done
}

// ints returns the elements of an array of 64-bit integers.
func (r *rig) ints(a isa.Array) []int64 { return r.space.View(a).([]int64) }

// try runs p and returns the cycles that it took.
func (r *rig) try(p *isa.Program, items int, args ...any) (sim.Cycles, error) {
	r.t.Helper()
	end, err := r.sys.Run(p, items, r.at, isa.Args(args...))
	if err != nil {
		return 0, err
	}
	if end%r.sys.period != 0 {
		r.t.Errorf("ended at %d fs, between two clock edges", end)
	}
	took := sim.Cycles((end - r.at) / r.sys.period)
	r.at = end
	return took, nil
}

// run is try of a program that must end well.
func (r *rig) run(p *isa.Program, items int, args ...any) sim.Cycles {
	r.t.Helper()
	n, err := r.try(p, items, args...)
	if err != nil {
		r.t.Fatal(err)
	}
	return n
}

func wantCycles(t testing.TB, what string, got, want sim.Cycles) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %d cycles, want %d", what, got, want)
	}
}
