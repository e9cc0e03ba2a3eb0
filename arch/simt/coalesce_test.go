package simt

import (
	"fmt"
	"math/bits"
	"testing"

	"heddle/arch/isa"
	"heddle/arch/isa/isatest"
	"heddle/sim"

	"pgregory.net/rapid"
)

// accesses draws which lanes access memory, and the aligned addresses that
// they access: at random, near each other, or in a pattern.
func accesses(t *rapid.T, size uint64) (lanes uint64, addr [64]uint64) {
	lanes = rapid.Uint64().Draw(t, "lanes")
	if rapid.Bool().Draw(t, "half") {
		lanes &= 1<<32 - 1
	}
	if lanes == 0 {
		lanes = 1
	}
	span := rapid.SampledFrom([]uint64{1, 8, 40, 300, 5000, 1 << 40}).Draw(t, "span")
	stride := rapid.Uint64Range(0, 40).Draw(t, "stride")
	base := rapid.Uint64Range(0, 200).Draw(t, "base")
	random := rapid.Bool().Draw(t, "random")
	for l := range addr {
		if random {
			addr[l] = (base + rapid.Uint64Range(0, span).Draw(t, "index")) * size
		} else {
			addr[l] = (base + stride*uint64(l)) * size
		}
	}
	return lanes, addr
}

// Each distinct chunk has one transaction, in the order of the lanes that
// first touch them; it serves the lanes whose address lies in it.
func TestChunksAgainstOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.SampledFrom([]uint64{1, 4, 8}).Draw(t, "size")
		shift := uint(rapid.IntRange(5, 8).Draw(t, "shift"))
		combine := chunks(shift)
		got := transactions{list: new([64]transaction)}
		for range 3 { // what one access leaves behind does not disturb the next
			lanes, addr := accesses(t, size)
			var want []transaction
		lane:
			for l := range 64 {
				if lanes>>l&1 == 0 {
					continue
				}
				chunk := addr[l] / (1 << shift) * (1 << shift)
				for i := range want {
					if want[i].addr == chunk {
						want[i].lanes |= 1 << l
						want[i].used += int32(size)
						continue lane
					}
				}
				want = append(want, transaction{addr: chunk, lanes: 1 << l, size: 1 << shift, used: int32(size)})
			}
			combine(&got, lanes, &addr, int32(size))
			compareTransactions(t, &got, want)
		}
	})
}

// The algorithm of the CUDA C Programming Guide for compute capability 1.2 and
// 1.3: for each half-warp, the segment of the lowest thread that is left, all
// threads in it, and then half of it while the others' half is not used.
func TestSegmentsAgainstOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.SampledFrom([]uint64{1, 4, 8}).Draw(t, "size")
		lanes, addr := accesses(t, size)
		segment := uint64(128)
		if size == 1 {
			segment = 32
		}
		var want []transaction
		for half := 0; half < 64; half += 16 {
			left := lanes & (0xffff << half)
			for left != 0 {
				base := addr[bits.TrailingZeros64(left)] / segment * segment
				tr := transaction{addr: base, size: int32(segment)}
				for l := half; l < half+16; l++ {
					if left>>l&1 != 0 && addr[l] >= base && addr[l] < base+segment {
						tr.lanes |= 1 << l
						tr.used += int32(size)
					}
				}
				left &^= tr.lanes
				for tr.size > 32 {
					lower, upper := false, false
					for l := range 64 {
						if tr.lanes>>l&1 != 0 {
							lower = lower || addr[l] < tr.addr+uint64(tr.size)/2
							upper = upper || addr[l] >= tr.addr+uint64(tr.size)/2
						}
					}
					if lower && upper {
						break
					}
					tr.size /= 2
					if upper {
						tr.addr += uint64(tr.size)
					}
				}
				want = append(want, tr)
			}
		}
		got := transactions{list: new([64]transaction)}
		segments(&got, lanes, &addr, int32(size))
		compareTransactions(t, &got, want)
	})
}

func compareTransactions(t rapid.TB, got *transactions, want []transaction) {
	t.Helper()
	if got.n != len(want) {
		t.Fatalf("%d transactions, want %d:\n%+v\n%+v", got.n, len(want), got.list[:got.n], want)
	}
	for i, w := range want {
		if got.list[i] != w {
			t.Fatalf("transaction %d: %+v, want %+v", i, got.list[i], w)
		}
	}
}

// generations are the descriptions of the three rules.
var generations = map[string]func(*Config){
	"segments": func(c *Config) { c.LoadStore.Coalescing, c.L1.Enabled = "segments", false },
	"lines":    func(c *Config) {},
	"uncached": func(c *Config) { c.L1.Enabled = false },
	"sectors":  func(c *Config) { c.LoadStore.Coalescing, c.L1.Sector = "sectors", 32 },
}

// moved is what a warp's access costs.
type moved struct {
	transactions uint64
	bytes        sim.Bytes
}

// The transactions of common patterns, worked out by hand. In patterns, %s is
// the size of an element; lanes number 32.
func TestCoalescingPatterns(t *testing.T) {
	for _, p := range []struct {
		name    string
		elem    isa.Type
		address string // an expression of the lane, in r0, for an index
		loads   map[string]moved
		stores  map[string]moved
	}{
		{"adjacent words", isa.I32, "mov r0, %lane",
			map[string]moved{"segments": {2, 128}, "lines": {1, 128}, "uncached": {4, 128}, "sectors": {4, 128}},
			map[string]moved{"segments": {2, 128}, "lines": {4, 128}, "uncached": {4, 128}, "sectors": {4, 128}}},
		{"adjacent words, one off", isa.I32, "add r0, %lane, 1",
			map[string]moved{"segments": {3, 128 + 64 + 32}, "lines": {2, 256}, "uncached": {5, 160}, "sectors": {5, 160}},
			map[string]moved{"segments": {3, 128 + 64 + 32}, "lines": {5, 160}, "uncached": {5, 160}, "sectors": {5, 160}}},
		{"adjacent words, backwards", isa.I32, "sub r0, 31, %lane",
			map[string]moved{"segments": {2, 128}, "lines": {1, 128}, "uncached": {4, 128}, "sectors": {4, 128}},
			map[string]moved{"segments": {2, 128}, "lines": {4, 128}, "uncached": {4, 128}, "sectors": {4, 128}}},
		{"every second word", isa.I32, "mul r0, %lane, 2",
			map[string]moved{"segments": {2, 256}, "lines": {2, 256}, "uncached": {8, 256}, "sectors": {8, 256}},
			map[string]moved{"segments": {2, 256}, "lines": {8, 256}, "uncached": {8, 256}, "sectors": {8, 256}}},
		{"a line apart", isa.I32, "mul r0, %lane, 32",
			map[string]moved{"segments": {32, 1024}, "lines": {32, 4096}, "uncached": {32, 1024}, "sectors": {32, 1024}},
			map[string]moved{"segments": {32, 1024}, "lines": {32, 1024}, "uncached": {32, 1024}, "sectors": {32, 1024}}},
		{"one word", isa.I32, "mov r0, 5",
			map[string]moved{"segments": {2, 64}, "lines": {1, 128}, "uncached": {1, 32}, "sectors": {1, 32}},
			map[string]moved{"segments": {2, 64}, "lines": {1, 32}, "uncached": {1, 32}, "sectors": {1, 32}}},
		{"adjacent doubles", isa.F64, "mov r0, %lane",
			map[string]moved{"segments": {2, 256}, "lines": {2, 256}, "uncached": {8, 256}, "sectors": {8, 256}},
			map[string]moved{"segments": {2, 256}, "lines": {8, 256}, "uncached": {8, 256}, "sectors": {8, 256}}},
		{"adjacent bytes", isa.I8, "mov r0, %lane",
			map[string]moved{"segments": {2, 64}, "lines": {1, 128}, "uncached": {1, 32}, "sectors": {1, 32}},
			map[string]moved{"segments": {2, 64}, "lines": {1, 32}, "uncached": {1, 32}, "sectors": {1, 32}}},
	} {
		for name, change := range generations {
			r := newRig(t, with(change))
			a := r.alloc("a", p.elem, 2048)
			value, reg := "1", "r1"
			if p.elem == isa.F64 {
				value, reg = "1.0", "d1"
			}
			size := p.elem.Size()
			load := isatest.Main(t, fmt.Sprintf("param a %s[]", p.elem), p.address, fmt.Sprintf("ld.%s %s, [$a + r0*%d]", p.elem, reg, size))
			store := isatest.Main(t, fmt.Sprintf("param a %s[]", p.elem), p.address, fmt.Sprintf("st.%s [$a + r0*%d], %s", p.elem, size, value))
			r.run(load, 32, 32, a)
			r.run(store, 32, 32, a)
			s := r.gpu.Stats()
			asked := sim.Bytes(32 * size)
			for _, kind := range []struct {
				name string
				got  access
				want moved
			}{{"load", s.Loads, p.loads[name]}, {"store", s.Stores, p.stores[name]}} {
				want := access{Requests: 1, Threads: 32, Transactions: kind.want.transactions, Requested: asked, Moved: kind.want.bytes}
				if kind.got != want {
					t.Errorf("%s, %s of %s: %+v, want %+v", name, kind.name, p.name, kind.got, want)
				}
			}
		}
	}
}

// What warps store to adjacent words reaches device memory once, whole,
// whatever the rule.
func TestStoredBytesReachDRAM(t *testing.T) {
	const n = 1 << 12
	for name, change := range generations {
		for _, l2 := range []bool{true, false} {
			r := newRig(t, with(func(c *Config) { change(c); c.L2.Slice.Enabled = l2 }))
			y := r.alloc("y", isa.I64, n)
			r.run(streamWrite, 512, 128, r.alloc("x", isa.I64, 1), y, n)
			for i := range r.gpu.memory.slices {
				r.gpu.memory.slices[i].cache.Flush(r.at)
			}
			all, _ := r.gpu.DRAM()
			if got := sim.Bytes(all.Writes) * r.gpu.config.DRAM.Burst(); got != 8*n || all.Reads != 0 {
				t.Errorf("%s, L2 %v: %d bytes written, want %d; %d bursts read, want 0", name, l2, got, 8*n, all.Reads)
			}
		}
	}
}
