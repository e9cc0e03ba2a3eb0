package simt

import (
	"fmt"
	"testing"

	"heddle/arch/isa"
	"heddle/arch/isa/isatest"
	"heddle/sim"
)

// stream writes a program that visits elements 0 to n-1 of arrays, element by
// element over all threads, so that each warp's accesses are adjacent.
func stream(visit func(b *isa.Builder, x, y isa.ArrayParam, i isa.Reg)) *isa.Program {
	b := isa.NewBuilder("stream")
	x, y, n := b.Array("x", isa.I64), b.Array("y", isa.I64), b.Int("n")
	b.ParallelFor(n, func(i isa.Reg) { visit(b, x, y, i) })
	return b.MustBuild()
}

var (
	streamRead  = stream(func(b *isa.Builder, x, _ isa.ArrayParam, i isa.Reg) { b.Add(b.Load(x, i), 1) })
	streamWrite = stream(func(b *isa.Builder, _, y isa.ArrayParam, i isa.Reg) { b.Store(y, i, i) })
	streamCopy  = stream(func(b *isa.Builder, x, y isa.ArrayParam, i isa.Reg) { b.Store(y, i, b.Load(x, i)) })
)

// Streams through device memory come near the peak of its buses, and not over.
func TestStreamingBandwidth(t *testing.T) {
	const n = 1 << 17 // elements of 8 bytes: 16 times what L2 holds
	for _, channels := range []int{1, 2} {
		for _, l1 := range []bool{true, false} {
			for _, test := range []struct {
				name  string
				p     *isa.Program
				bytes sim.Bytes
			}{
				{"read", streamRead, 8 * n}, {"write", streamWrite, 8 * n}, {"copy", streamCopy, 16 * n},
			} {
				c := with(func(c *Config) {
					c.SMs, c.DRAM.Channels, c.L2.SlicesPerChannel = 4*channels, channels, 2
					c.L1.Enabled, c.Crossbar.Width = l1, 64
					c.LoadStore.Outstanding, c.L2.Slice.MSHRs = 256, 256 // sectors
					c.L2.Slice.Size /= sim.Bytes(2 * channels)
				})
				r := newRig(t, c)
				took := r.run(test.p, 1024*c.SMs, 256, r.alloc("x", isa.I64, n), r.alloc("y", isa.I64, n), n)
				capacity := float64(c.DRAM.Peak()) * (sim.Time(took) * sim.Nanosecond).Seconds() // bytes
				if share := float64(test.bytes) / capacity; share < 0.75 {
					t.Errorf("%s, %d channels, L1 %v: %.0f%% of the peak", test.name, channels, l1, 100*share)
				}
				all, _ := r.gpu.DRAM()
				if float64(all.Bytes) > capacity {
					t.Errorf("%s, %d channels, L1 %v: %d bytes moved in the time of %.0f", test.name, channels, l1, all.Bytes, capacity)
				}
			}
		}
	}
}

// With m lines in flight for the time of a trip, m/trip lines come a cycle
// (Little's law).
func TestBandwidthOfRequestEntries(t *testing.T) {
	const short, long = 128, 448 // lines: up to 56 KiB, in L2 and not in L1
	for _, entries := range []int{1, 2, 4, 8, 16} {
		c := with(func(c *Config) {
			c.L1.MSHRs, c.L1.Size = entries, 8<<10
			c.Crossbar.Width = 64
		})
		r := newRig(t, c)
		x := r.alloc("x", isa.I64, 16*long)
		r.run(streamRead, 512, 256, x, x, 16*long)
		run := func(lines int) sim.Cycles {
			return r.run(streamRead, 512, 256, x, x, 16*lines)
		}
		took := run(long) - run(short)
		want := float64(long-short) * float64(l2Hit(&c, 128)) / float64(entries)
		if share := float64(took) / want; share < 0.95 || share > 1.05 {
			t.Errorf("%d entries: %d cycles, want %.0f within 5%%", entries, took, want)
		}
	}
}

// The load/store unit sends one transaction of a warp's access each interval.
func TestTransactionThroughput(t *testing.T) {
	for _, interval := range []sim.Cycles{1, 2, 5} {
		for _, lines := range []int{1, 2, 8, 32} {
			c := with(func(c *Config) { c.LoadStore.TransactionInterval = interval })
			r := newRig(t, c)
			a := r.alloc("a", isa.I64, 512)
			run := func(n int) sim.Cycles {
				p := isatest.Main(t, "param a i64[]\nparam lines i64", "rem r0, %lane, $lines", "mul r0, r0, 16",
					isatest.Lines(n, func(i int) string { return fmt.Sprintf("ld.i64 r%d, [$a + r0*8]", 1+i) }))
				r.run(p, 32*8, 32*8, a, lines)
				return r.run(p, 32*8, 32*8, a, lines)
			}
			got := run(40) - run(20)
			wantCycles(t, fmt.Sprintf("%d transactions, interval %d", lines, interval), got, sim.Cycles(8*20*lines)*interval)
		}
	}
}
