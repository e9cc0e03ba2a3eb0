package stream

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"heddle/arch/isa"
	"heddle/arch/isa/isatest"
	"heddle/sim"
)

// A module's blocks are its own, and any run of as many adjacent blocks as
// there are modules, beginning at a multiple, has one in each.
func TestBlocksAreSpreadEvenly(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 130).Draw(r, "processors")
		block := uint64(8) << rapid.IntRange(0, 5).Draw(r, "block")
		m := &memorySystem{modules: make([]module, n), split: sim.NewDivisor(uint64(n))}
		for 1<<m.shift < block {
			m.shift++
		}
		turn := rapid.Uint64Range(0, 1<<36).Draw(r, "turn")
		seen := make([]bool, n)
		for i := range uint64(n) {
			offset := rapid.Uint64Range(0, block-1).Draw(r, "offset")
			node, local := m.locate((turn*uint64(n)+i)*block + offset)
			if seen[node] {
				r.Fatalf("module %d has two of %d adjacent blocks", node, n)
			}
			seen[node] = true
			// The modules' addresses of a turn are the same: so no two
			// addresses of a module are.
			if want := turn*block + offset; local != want {
				r.Fatalf("address %d within the module, want %d", local, want)
			}
		}
	})
}

// The first blocks of turns are spread too: strides of whole turns, the worst
// for plain interleaving, reach all modules about equally.
func TestStridesAreSpread(t *testing.T) {
	const modules, samples = 128, 128 * 400
	for _, stride := range []uint64{128 * 64, 1 << 20, 1 << 30, 12345 * 128 * 64} {
		m := &memorySystem{modules: make([]module, modules), split: sim.NewDivisor(modules), shift: 6}
		var count [modules]int
		for i := range uint64(samples) {
			node, _ := m.locate(i * stride)
			count[node]++
		}
		for node, c := range count { // mean 400, standard deviation 20
			if c < 300 || c > 500 {
				t.Errorf("stride %d: module %d has %d of %d blocks", stride, node, c, samples)
			}
		}
	}
}

// Without load a read takes the time that the description implies: of its
// module's distance, and with the DRAM's or without.
func TestUnloadedLatency(t *testing.T) {
	for _, processors := range []int{1, 2, 12, 27} {
		c := with(func(c *Config) { c.Processors = processors })
		var sum [2]sim.Cycles
		for i := range processors {
			r := newRig(t, c)
			a := r.alloc("a", 8*2*processors)
			skip := processors - int(a.Base/64)%processors // blocks to the next turn
			index := 8 * (skip + i)
			p := isatest.Main(t, "param a i64[]", fmt.Sprintf("ld.i64 r0, [$a + %d]", 8*index), "mul r0, r0, 3")
			node, _ := r.sys.memory.locate(a.Base + 8*uint64(index))
			way := sim.Cycles(40 + 25*r.sys.memory.torus.Hops(0, node))
			miss, buffered := r.run(p, 1, a), r.run(p, 1, a)
			wantCycles(t, fmt.Sprintf("module %d of %d, buffered", node, processors), buffered, 7+6+2*way+10+21)
			wantCycles(t, fmt.Sprintf("module %d of %d", node, processors), miss-buffered, 30+12+14+4)
			sum[0] += miss - 21
			sum[1] += buffered - 21
		}
		for i, buffered := range []bool{false, true} {
			got := float64(sum[i]) / float64(processors)
			if want := c.Unloaded(buffered).Seconds() * 1e9; got-want > 1e-3 || want-got > 1e-3 {
				t.Errorf("%d processors, buffered %v: mean latency %g cycles, implied %g", processors, buffered, got, want)
			}
		}
	}
}

// A processor sends a word every 6 cycles and no more: the time of n loads is
// one's and 6 for each more, whatever their streams. The memory unit's queue
// holds as many as it may.
func TestInjectionLimit(t *testing.T) {
	const loads = 40
	lines := isatest.Lines(loads, func(i int) string { return fmt.Sprintf("ld.i64 r%d, [$a + %d]", i, 8*i) })
	for _, queue := range []int{1, 2, 16, 10000} {
		c := with(func(c *Config) { c.MemoryUnit.Queue = queue })
		r := newRig(t, c)
		a := r.alloc("a", 64)
		r.warm(a)
		const streams = 100
		got := r.run(isatest.Main(t, "param a i64[]", lines), streams, a)
		wantCycles(t, fmt.Sprintf("queue %d", queue), got, hit+6*(streams*loads-1))
		s := r.sys.Stats()
		if throttled := s.Stalls[MemoryThrottle] > 0; throttled == (queue == 10000) {
			t.Errorf("queue %d: streams waited %d cycles for the memory unit", queue, s.Stalls[MemoryThrottle])
		}
		// An operation waits for those in the queue, no more.
		if got, most := s.Latency.Max(), uint64(hit+6*(queue-1)); queue < 10000 && got > most {
			t.Errorf("queue %d: a latency of %d cycles, at most %d", queue, got, most)
		}
	}
}

// Loads that the rate does not limit are not held up.
func TestBelowTheInjectionLimit(t *testing.T) {
	const n = 30 // one stream: a word in 21 cycles
	r := newRig(t, round())
	a := r.alloc("a", 64)
	r.warm(a)
	got := r.run(isatest.Main(t, "param a i64[]", isatest.Repeat(n, "st.i64 [$a], 1")), 1, a)
	wantCycles(t, "run", got, 21*(n-1)+hit)
}

// Atomic operations on one word are done one after another, each in the word's
// interval; on different words they are not.
func TestHotWord(t *testing.T) {
	for _, interval := range []sim.Cycles{1, 6, 9, 40} {
		for _, streams := range []int{1, 2, 100} {
			c := with(func(c *Config) { c.Module.WordInterval = interval })
			r := newRig(t, c)
			a := r.alloc("a", 1024)
			r.warm(a)
			one := r.run(isatest.Main(t, "param a i64[]", "atom.add.i64 r0, [$a], 1"), streams, a)
			wantCycles(t, fmt.Sprintf("%d streams, one word every %d", streams, interval), one,
				hit+max(6, interval)*sim.Cycles(streams-1))
			if got := r.ints(a)[0]; got != int64(streams) {
				t.Errorf("%d streams counted %d", streams, got)
			}
			if h := r.sys.HotWords(1); streams > 1 && (len(h) != 1 || h[0].Addr != a.Base || h[0].Atomics != uint64(streams)) {
				t.Errorf("hot words are %v", h)
			}
			many := r.run(isatest.Main(t, "param a i64[]", "atom.add.i64 r0, [$a + %tid*8 + 8], 1"), streams, a)
			wantCycles(t, fmt.Sprintf("%d streams, a word each", streams), many, hit+6*sim.Cycles(streams-1))
		}
	}
}

// Loads and stores of a hot word are limited by its module alone.
func TestHotModule(t *testing.T) {
	c := with(func(c *Config) { c.Processors, c.Module.Interval = 8, 5; c.Network.Hop = 0 })
	r := newRig(t, c)
	a := r.alloc("a", 8)
	r.warm(a)
	const n = 800
	got := r.run(isatest.Main(t, "param a i64[]", "st.i64 [$a], 1"), n, a)
	// The first is there after memory unit, word and way; the last has waited
	// for all the others, less what the ledger's epochs let slip in.
	want := sim.Cycles(7 + 6 + 40 + 5*(n-1) + 10 + 40)
	if got < want-5 || got > want+5 {
		t.Errorf("%d stores to one word: %d cycles, want %d", n, got, want)
	}
}

// A processor's cache serves loads that hit without the network, and drops
// what an atomic changes.
func TestCache(t *testing.T) {
	c := with(func(c *Config) { c.Cache.Enabled = true })
	r := newRig(t, c)
	a := r.alloc("a", 8)
	r.warm(a)
	const missed = 12 + hit - 7 // the cache's lookup in place of the memory unit's latency
	p := isatest.Main(t, "param a i64[]", "ld.i64 r0, [$a]", "mul r0, r0, 3")
	wantCycles(t, "miss", r.run(p, 1, a), missed+21)
	wantCycles(t, "hit", r.run(p, 1, a), 21+21)
	r.run(isatest.Main(t, "param a i64[]", "atom.add.i64 r0, [$a], 1"), 1, a)
	wantCycles(t, "after an atomic", r.run(p, 1, a), missed+21)
	_, cache := r.sys.Buffers()
	if cache.Reads != 3 || cache.Hits != 1 {
		t.Errorf("%d hits of %d loads, want 1 of 3", cache.Hits, cache.Reads)
	}
}

// Local memory is the thread's own, and in the modules like any other.
func TestLocalMemory(t *testing.T) {
	r := newRig(t, with(func(c *Config) { c.Processors = 4 }))
	a := r.alloc("a", 50)
	p := isatest.Main(t, "param a i64[]\nlocal 16", "st.i64.local [8], %tid", "ld.i64.local r0, [8]", "st.i64 [$a + %tid*8], r0")
	r.run(p, 50, a)
	for i, x := range r.ints(a) {
		if x != int64(i) {
			t.Errorf("thread %d read %d", i, x)
		}
	}
	if got := r.sys.Stats().Accesses[reads]; got != 50 {
		t.Errorf("%d loads, want 50", got)
	}
}

// Shared memory of blocks is refused, with the instruction's place.
func TestRefusals(t *testing.T) {
	shared := isatest.Main(t, "shared 64", "mov r0, 1", "st.i64.shared [8], r0")
	sync := isatest.Main(t, "param a i64[]", "readfe.i64 r0, [$a]")
	for _, c := range []struct {
		p      *isa.Program
		change func(*Config)
		want   string
	}{
		{shared, func(*Config) {}, "test.asm:5: st.i64.shared [8], r0: needs shared memory of a thread block, which this machine lacks"},
		{isatest.Main(t, "param a i64[]", "purge.i64 [$a]"), func(c *Config) { c.FullEmpty.Enabled = false },
			"test.asm:4: purge.i64 [$a]: needs full/empty bits, which this machine lacks (full_empty.enabled)"},
		{sync, func(c *Config) { c.FullEmpty.Enabled = false },
			"test.asm:4: readfe.i64 r0, [$a]: needs full/empty bits, which this machine lacks (full_empty.enabled)"},
	} {
		err := newRig(t, with(c.change)).sys.Check(c.p)
		if err == nil || err.Error() != c.want {
			t.Errorf("got %v\nwant %s", err, c.want)
		}
	}
}
