package simt

import (
	"fmt"
	"testing"

	"heddle/arch/isa"
	"heddle/arch/isa/isatest"
	"heddle/sim"

	"pgregory.net/rapid"
)

// The passes of a group are the most distinct words that one bank has to give;
// atomics to one word take turns.
func TestConflictsAgainstOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lanes, addr := accesses(t, 4)
		banks := rapid.IntRange(1, 64).Draw(t, "banks")
		width := rapid.SampledFrom([]uint64{4, 8}).Draw(t, "width")
		group := uint(rapid.SampledFrom([]int{1, 16, 32, 64}).Draw(t, "group"))
		atomic := rapid.Bool().Draw(t, "atomic")
		want := 0
		for first := 0; first < 64; first += int(group) {
			type word struct {
				bank, number uint64
				lane         int
			}
			words := map[word]bool{}
			perBank := map[uint64]int{}
			for l := first; l < first+int(group); l++ {
				if lanes>>l&1 == 0 {
					continue
				}
				w := word{addr[l] / width % uint64(banks), addr[l] / width, 0}
				if atomic {
					w.lane = l
				}
				if !words[w] {
					words[w] = true
					perBank[w.bank]++
				}
			}
			most := 0
			for _, n := range perBank {
				most = max(most, n)
			}
			want += most
		}
		if got := conflicts(lanes, &addr, banks, width, group, atomic); got != want {
			t.Fatalf("%d passes, want %d", got, want)
		}
	})
}

// An access of degree d takes d-1 intervals longer than one without conflicts,
// and keeps the next waiting for d intervals.
func TestSharedMemoryTimes(t *testing.T) {
	c := round()
	for _, test := range []struct {
		name    string
		address string // r0 = index of a word
		inst    string
		degree  sim.Cycles
	}{
		{"stride 1", "mul r0, %lane, 1", "ld.i32.shared r%d, [0 + r0*4]", 1},
		{"stride 2", "mul r0, %lane, 2", "ld.i32.shared r%d, [0 + r0*4]", 2},
		{"stride 3", "mul r0, %lane, 3", "ld.i32.shared r%d, [0 + r0*4]", 1},
		{"stride 8", "mul r0, %lane, 8", "ld.i32.shared r%d, [0 + r0*4]", 8},
		{"stride 32", "mul r0, %lane, 32", "ld.i32.shared r%d, [0 + r0*4]", 32},
		{"stride 33", "mul r0, %lane, 33", "ld.i32.shared r%d, [0 + r0*4]", 1},
		{"broadcast", "mul r0, %lane, 0", "ld.i32.shared r%d, [0 + r0*4]", 1},
		{"two words of one bank", "and r0, %lane, 1\nmul r0, r0, 32", "ld.i32.shared r%d, [0 + r0*4]", 2},
		{"adjacent doublewords", "mul r0, %lane, 1", "ld.i64.shared r%d, [0 + r0*8]", 2},
		{"atomics to one word", "mul r0, %lane, 0", "atom.add.i32.shared r%d, [0 + r0*4], 1", 32},
		{"atomics to adjacent words", "mul r0, %lane, 1", "atom.add.i32.shared r%d, [0 + r0*4], 1", 1},
	} {
		use := func(n int) sim.Cycles {
			p := isatest.Main(t, "shared 8192", test.address,
				isatest.Lines(n, func(i int) string { return fmt.Sprintf(test.inst, 1+i) }),
				isatest.Lines(n, func(i int) string { return fmt.Sprintf("add r%d, r%d, 1", 1+i, 1+i) }))
			return cycles(t, c, p, 32, 32)
		}
		none := isatest.Main(t, "shared 8192", test.address, "add r0, r0, 1")
		latency := c.LoadStore.SharedLatency + (test.degree-1)*c.LoadStore.SharedInterval
		wantCycles(t, test.name, use(1)-cycles(t, c, none, 32, 32), latency)
		wantCycles(t, test.name+", nine more", use(10)-use(1), 9*test.degree*c.LoadStore.SharedInterval)
	}
}

// Shared memory is a block's own, zeroed at its start, also when a block
// follows another on the same SM.
func TestSharedMemoryIsTheBlocks(t *testing.T) {
	r := newRig(t, with(func(c *Config) { c.SMs, c.Occupancy.Blocks = 2, 2 }))
	out := r.alloc("out", isa.I64, 64*20)
	p := isatest.Main(t, "param out i64[]\nshared 512",
		"ld.i64.shared r0, [0 + %btid*8]",
		"add r0, r0, %tid",
		"st.i64.shared [0 + %btid*8], r0",
		"bar",
		"sub r1, 63, %btid", // another thread's
		"ld.i64.shared r2, [0 + r1*8]",
		"st.i64 [$out + %tid*8], r2")
	r.run(p, 64*20, 64, out)
	for i, got := range r.ints(out) {
		if want := int64(i/64*64 + 63 - i%64); got != want {
			t.Fatalf("thread %d read %d, want %d", i, got, want)
		}
	}
	if s := r.gpu.Stats(); s.SharedRequests != 3*40 || s.SharedPasses != 2*3*40 {
		t.Errorf("%d requests in %d passes, want 120 in 240", s.SharedRequests, s.SharedPasses)
	}
	if got := r.metrics()["shared_bank_conflict"]; got != 120 {
		t.Errorf("shared_bank_conflict is %v, want 120", got)
	}
}

// Local memory is a thread's own.
func TestLocalMemoryIsTheThreads(t *testing.T) {
	r := newRig(t, round())
	out := r.alloc("out", isa.I64, 256)
	p := isatest.Main(t, "param out i64[]\nlocal 32",
		"st.i64.local [8], %tid",
		"and r0, %tid, 3",
		"ld.i64.local r1, [0 + r0*8]", // 0 but for those whose index is 1
		"st.i64 [$out + %tid*8], r1")
	r.run(p, 256, 64, out)
	for i, got := range r.ints(out) {
		want := int64(0)
		if i%4 == 1 {
			want = int64(i)
		}
		if got != want {
			t.Fatalf("thread %d read %d, want %d", i, got, want)
		}
	}
	// Element i of a warp's lanes is contiguous: eight sectors to a store, and
	// each lane's own place to a load of mixed elements.
	s := r.gpu.Stats()
	if s.Stores.Transactions != 8*8+8*8 {
		t.Errorf("%d store transactions, want 8 local and 8 global ones of 8 warps", s.Stores.Transactions)
	}
}

// Warps have local memory of their own in the caches too: what all threads
// store reaches device memory once each.
func TestLocalMemoryTakesItsRoom(t *testing.T) {
	const warps = 6
	r := newRig(t, with(func(c *Config) { c.SMs = 2 }))
	r.run(isatest.Main(t, "local 24", "st.i64.local [0], 1", "st.i64.local [16], 2"), 32*warps, 32)
	for i := range r.gpu.memory.slices {
		r.gpu.memory.slices[i].cache.Flush(r.at)
	}
	all, _ := r.gpu.DRAM()
	if got, want := sim.Bytes(all.Writes)*r.gpu.config.DRAM.Burst(), sim.Bytes(warps*32*2*8); got != want {
		t.Errorf("%d bytes written, want %d", got, want)
	}
}
