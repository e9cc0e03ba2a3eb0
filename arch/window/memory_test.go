package window

import (
	"fmt"
	"testing"

	"heddle/arch/isa"
	"heddle/arch/isa/isatest"
	"heddle/sim"
)

// independent is a program that loads the first words of n lines.
func independent(t testing.TB, n int) *isa.Program {
	return isatest.Main(t, "param a i64[]", isatest.Lines(n, func(i int) string { return fmt.Sprintf("ld.i64 r%d, [$a + %d]", i, i*64) }))
}

// Independent misses overlap up to the line fill buffers, and as far as the
// window reaches.
func TestMemoryParallelism(t *testing.T) {
	const n = 60
	misses := func(change func(*Config)) sim.Cycles {
		r := newRig(t, with(func(c *Config) {
			c.Core.Dispatch, c.Core.Retire = 1, 8
			change(c)
		}))
		return r.run(independent(t, n), r.alloc("a", isa.I64, n*8))
	}
	// One is dispatched a cycle: load i is issued in cycle 1+i. With b buffers
	// it waits for load i-b.
	for _, b := range []int{1, 2, 3, 7, 10, 59, 60} {
		want := sim.Cycles(1 + (n-1)%b + ((n-1)/b+1)*miss)
		wantCycles(t, fmt.Sprint(n, " misses with line fill buffers: ", b), misses(func(c *Config) { c.Core.LoadStore.LineFillBuffers = b }), want)
	}
	// With a buffer of b entries that are free when a load is retired, load i
	// is dispatched a cycle after load i-b is retired, and issued in the next.
	for _, b := range []int{1, 2, 3, 7, 10, 59, 60} {
		want := sim.Cycles(1 + (n-1)%b + ((n-1)/b+1)*(miss+2) - 2)
		wantCycles(t, fmt.Sprint(n, " misses with a load buffer of ", b), misses(func(c *Config) { c.Core.LoadStore.LoadBuffer = b }), want)
		if b < 60 { // the return needs an entry too
			want = max(want, sim.Cycles(1+n%b+(n/b+1)*(miss+2)-2-miss+1))
			wantCycles(t, fmt.Sprint(n, " misses with a reorder buffer of ", b), misses(func(c *Config) { c.Core.ROB = b }), want)
		}
	}
	// Loads of one line share its buffer and wait for it together.
	r := newRig(t, with(func(c *Config) { c.Core.Retire, c.Core.LoadStore.LineFillBuffers = 8, 1 }))
	p := isatest.Main(t, "param a i64[]", isatest.Lines(8, func(i int) string { return fmt.Sprintf("ld.i64 r%d, [$a + %d]", i, i*8) }))
	wantCycles(t, "eight loads of a line", r.run(p, r.alloc("a", isa.I64, 8)), 1+miss+1)
}

func TestLoadPorts(t *testing.T) {
	const n = 24
	for ports := 1; ports <= 4; ports++ {
		r := newRig(t, with(func(c *Config) { c.Core.LoadStore.LoadPorts, c.Core.Retire = []int{1, 2, 3, 4}[:ports], 8 }))
		got := r.run(independent(t, n), r.warm(r.alloc("a", isa.I64, n*8)))
		wantCycles(t, fmt.Sprint("hits on ports ", ports), got, sim.Cycles((n-1)/ports+1+hit))
	}
}

func TestForwarding(t *testing.T) {
	const latency = 19 // no other sum of latencies comes near
	for _, c := range []struct {
		name  string
		lines []string
		want  sim.Cycles
	}{
		// The store is issued in 1 and complete in 2, when the load of the
		// next cycle, issued in 1, gets its data.
		{"a store and its load", []string{"st.i64 [$a], 7", "ld.i64 r0, [$a]"}, 2 + latency},
		{"part of a store", []string{"st.i64 [$a], 7", "ld.i32 r0, [$a + 4]"}, 2 + latency},
		{"the younger of two stores", []string{"st.i64 [$a], 7", "mul r1, %tid, 3", "st.i64 [$a], r1", "ld.i64 r0, [$a]"}, 5 + latency},
		{"another word", []string{"st.i64 [$a], 7", "ld.i64 r0, [$a + 8]"}, 7},
		{"the same bits of another address", []string{"st.i64 [$a], 7", "ld.i64 r0, [$a + 512]"}, 7},
		{"the other half of a word", []string{"st.i32 [$a], 7", "ld.i32 r0, [$a + 4]"}, 7},
		// The store is retired in 2, in the cache from 3 to 7; then the load
		// is done in another 4.
		{"more than the store", []string{"st.i32 [$a], 7", "ld.i64 r0, [$a]"}, 7 + hit},
	} {
		r := newRig(t, with(func(c *Config) { c.Core.LoadStore.Forward = latency }))
		got := r.run(isatest.Main(t, "param a i64[]", c.lines...), r.warm(r.alloc("a", isa.I64, 128)))
		wantCycles(t, c.name, got, c.want)
		forwarded := uint64(0)
		if c.want == 2+latency || c.want == 5+latency {
			forwarded = 1
		}
		if v := r.machine.Stats().Forwarded; v != forwarded {
			t.Errorf("%s: %d loads forwarded, want %d", c.name, v, forwarded)
		}
	}
}

// Stores enter the cache in order and one a cycle, and hold their entry of the
// store buffer until they have.
func TestStoreBuffer(t *testing.T) {
	const n = 30
	stores := isatest.Main(t, "param a i64[]", isatest.Lines(n, func(i int) string { return fmt.Sprintf("st.i64 [$a + %d], 1", i*64) }))
	// With width for all, stores retire in 2 and go to the cache in cycles 3
	// to n+2.
	wide := func(c *Config) { c.Core.Dispatch, c.Core.Retire = 32, 32 }
	spread := func(c *Config) {
		wide(c)
		all := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
		c.Core.LoadStore.StorePorts, c.Core.LoadStore.DataPorts = all, nil
	}
	r := newRig(t, with(spread))
	wantCycles(t, "stores that hit", r.run(stores, r.warm(r.alloc("a", isa.I64, n*8))), 3+n-1+hit)
	r = newRig(t, with(spread))
	wantCycles(t, "stores that miss together", r.run(stores, r.alloc("a", isa.I64, n*8)), 3+n-1+miss)
	for _, b := range []int{1, 2, 5} {
		// A store dispatched in d is sent in d+3, and in the cache miss later.
		r = newRig(t, with(func(c *Config) { c.Core.LoadStore.StoreBuffer = b }))
		got := r.run(stores, r.alloc("a", isa.I64, n*8))
		if b == 1 {
			wantCycles(t, "stores one by one", got, n*(3+miss))
		} else if low, high := sim.Cycles(n/b*miss), sim.Cycles((n/b+1)*(miss+3+b)); got < low || got > high {
			t.Errorf("stores with a buffer of %d: %d cycles, want %d to %d", b, got, low, high)
		}
	}
}

// A load passes older stores whose address is not known, or waits for them.
func TestStoreAddresses(t *testing.T) {
	p := isatest.Main(t, "param a i64[]", "div r0, %tid, 3", "st.i64 [$a + r0*8], 7", "ld.i64 r1, [$a + 512]", isatest.Repeat(10, "add r1, r1, 1"))
	for policy, want := range map[string]sim.Cycles{
		// The store is issued when the divide is complete, in 21, and goes to
		// the cache in 23.
		"predicted": 23 + hit,
		"known":     22 + hit + 10,
	} {
		r := newRig(t, with(func(c *Config) { c.Core.LoadStore.StoreAddresses = policy }))
		wantCycles(t, policy, r.run(p, r.warm(r.alloc("a", isa.I64, 128))), want)
	}
}

func TestAtomics(t *testing.T) {
	// Each waits until the one before it is retired.
	const n, lock = 7, 20
	r := newRig(t, round())
	a := r.warm(r.alloc("a", isa.I64, 1))
	p := isatest.Main(t, "param a i64[]", isatest.Repeat(n, "atom.add.i64 r0, [$a], 1"))
	wantCycles(t, "atomics", r.run(p, a), 1+n*lock)
	if r.ints(a)[0] != n {
		t.Errorf("the sum is %d, want %d", r.ints(a)[0], n)
	}
	// A store is retired in 2 and in the cache from 3 to 7, when the atomic
	// begins.
	r = newRig(t, round())
	p = isatest.Main(t, "param a i64[]", "st.i64 [$a], 1", "atom.add.i64 r0, [$a], 1")
	wantCycles(t, "an atomic behind a store", r.run(p, r.warm(r.alloc("a", isa.I64, 1))), 7+lock)
	// A load does not pass an atomic; arithmetic does.
	r = newRig(t, round())
	p = isatest.Main(t, "param a i64[]", "atom.add.i64 r0, [$a], 1", "ld.i64 r1, [$a]")
	wantCycles(t, "a load behind an atomic", r.run(p, r.warm(r.alloc("a", isa.I64, 1))), 1+lock+hit)
	r = newRig(t, round())
	p = isatest.Main(t, "param a i64[]", "atom.add.i64 r0, [$a], 1", "mov r1, 1", isatest.Repeat(10, "add r1, r1, 1"))
	wantCycles(t, "adds behind an atomic", r.run(p, r.warm(r.alloc("a", isa.I64, 1))), 1+lock+3) // retired four a cycle
	// What follows ownership of the line takes as long after a miss.
	r = newRig(t, round())
	p = isatest.Main(t, "param a i64[]", "atom.add.i64 r0, [$a], 1")
	wantCycles(t, "an atomic that misses", r.run(p, r.alloc("a", isa.I64, 1)), 1+miss+lock-hit)
}

func TestFence(t *testing.T) {
	// The store is in the cache in 7, the fence issued then and complete in
	// 15, and the load issued then.
	r := newRig(t, round())
	p := isatest.Main(t, "param a i64[]", "st.i64 [$a], 1", "fence", "ld.i64 r0, [$a]")
	wantCycles(t, "a store, a fence, a load", r.run(p, r.warm(r.alloc("a", isa.I64, 1))), 7+8+hit)
}

func TestTLB(t *testing.T) {
	// Loads of 8 pages in turn, each depending on the one before.
	const pages, rounds = 8, 3
	chase := func(entries, second int) sim.Cycles {
		r := newRig(t, with(func(c *Config) {
			c.Core.TLB = TLBConfig{Page: 4096, Entries: entries, Ways: max(entries, 1), SecondEntries: second, SecondWays: max(second, 1), SecondLatency: 7, Walk: 30}
		}))
		a := r.warm(r.alloc("a", isa.I64, pages*512))
		for i := range pages {
			r.ints(a)[i*512] = int64(a.Base) + int64((i+1)%pages)*4096
		}
		return r.run(isatest.Main(t, "param a i64[]", "mov r0, $a", isatest.Repeat(pages*rounds, "ld.i64 r0, [r0]")), a)
	}
	const loads = pages * rounds
	wantCycles(t, "no TLB", chase(0, 0), 2+loads*hit)
	wantCycles(t, "room for all", chase(8, 0), 2+loads*hit+pages*30)
	wantCycles(t, "room for fewer, used in turn", chase(4, 0), 2+loads*(hit+30))
	wantCycles(t, "a second level", chase(4, 8), 2+loads*hit+pages*30+(loads-pages)*7)
}

// A load that may pass atomics is issued while an older one waits, and is
// retired with it; another word's atomic still waits for the first.
func TestPassingAtomics(t *testing.T) {
	const lock = 20
	c := with(func(c *Config) { c.Core.LoadStore.PassAtomics = true })
	r := newRig(t, c)
	p := isatest.Main(t, "param a i64[]", "atom.add.i64 r0, [$a], 1", "ld.i64 r1, [$a + 8]")
	wantCycles(t, "a load behind an atomic", r.run(p, r.warm(r.alloc("a", isa.I64, 2))), 1+lock)
	r = newRig(t, c)
	p = isatest.Main(t, "param a i64[]", "st.i64 [$a], 1", "fence", "ld.i64 r0, [$a]")
	wantCycles(t, "a store, a fence, a load", r.run(p, r.warm(r.alloc("a", isa.I64, 1))), 7+8)
	r = newRig(t, c)
	const n = 5
	p = isatest.Main(t, "param a i64[]", isatest.Repeat(n, "atom.add.i64 r0, [$a], 1"))
	wantCycles(t, "atomics", r.run(p, r.warm(r.alloc("a", isa.I64, 1))), 1+n*lock)
}

// A store that takes several places takes them from what is dispatched and
// retired beside it.
func TestStoreOperations(t *testing.T) {
	const n, adds = 64, 7
	for operations := 1; operations <= 4; operations++ {
		r := newRig(t, with(func(c *Config) { c.Core.LoadStore.StoreOperations = operations }))
		a := r.warm(r.alloc("a", isa.I64, 1))
		group := "st.i64 [$a], 1\n" + isatest.Lines(adds, func(i int) string { return fmt.Sprintf("mov r%d, 1", i) })
		run := func(n int) sim.Cycles { return r.run(isatest.Main(t, "param a i64[]", isatest.Repeat(n, group)), a) }
		if got, want := run(3*n)-run(n), sim.Cycles(2*n*(adds+operations)/4); got != want {
			t.Errorf("%d operations a store: %d cycles for %d stores, want %d", operations, got, 2*n, want)
		}
	}
}

// Stores that miss hold so many line fill buffers at most.
func TestStoreFills(t *testing.T) {
	const n = 24
	took := map[int]sim.Cycles{}
	for _, fills := range []int{0, 1, 2, 4} {
		r := newRig(t, with(func(c *Config) { c.Core.LoadStore.StoreFills = fills }))
		a := r.alloc("a", isa.I64, 8*n)
		took[fills] = r.run(isatest.Main(t, "param a i64[]", isatest.Lines(n, func(i int) string { return fmt.Sprintf("st.i64 [$a + %d], 1", 64*i) })), a)
	}
	for _, fills := range []int{1, 2, 4} {
		if least := sim.Cycles(n / fills * miss); took[fills] < least || took[fills] > least+50 {
			t.Errorf("%d lines at a time: %d cycles for %d stores, want %d", fills, took[fills], n, least)
		}
	}
	if took[0] > 2*miss {
		t.Errorf("without a limit: %d cycles", took[0])
	}
}
