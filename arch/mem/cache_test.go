package mem

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heddle/sim"
)

// ns1 is a clock whose cycle is a nanosecond, so that times read as cycles.
var ns1 = sim.NewClock(1e9)

const cycle = sim.Nanosecond

// fixed is a level that serves any number of accesses, each in its latency, and
// notes them.
type fixed struct {
	latency sim.Time
	seen    []Access
	at      []sim.Time
}

func (f *fixed) Access(at sim.Time, a Access) sim.Time {
	f.seen = append(f.seen, a)
	f.at = append(f.at, at)
	return at + f.latency
}

func (f *fixed) bytes(k Kind) (sum sim.Bytes) {
	for _, a := range f.seen {
		if a.Kind == k {
			sum += sim.Bytes(a.Size)
		}
	}
	return sum
}

// small is a write-back cache of 2 sets of 2 lines of 4 sectors of 32 bytes.
func small() CacheConfig {
	return CacheConfig{
		Enabled: true, Size: 512, Ways: 2, Line: 128, Sector: 32,
		Index: "modulo", Replacement: "lru", Write: "write-back", WriteAllocate: true, WriteHit: "update",
		Banks: 1, HitLatency: 10, BankInterval: 1, MSHRs: 4, Merges: 2,
	}
}

func mustCache(t testing.TB, cfg CacheConfig, below Level) *Cache {
	t.Helper()
	c, err := NewCache("L1", cfg, ns1, below)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// step is an access at a cycle, and the cycle at which it must be done.
type step struct {
	at    sim.Cycles
	kind  Kind
	addr  uint64
	size  int32
	done  sim.Cycles
	class string // hit, miss or merge
}

func play(t *testing.T, c *Cache, steps []step) {
	t.Helper()
	for i, s := range steps {
		before := c.Stats()
		done := c.Access(sim.Time(s.at)*cycle, Access{Addr: s.addr, Size: s.size, Kind: s.kind})
		after := c.Stats()
		class := "hit"
		if after.Merges > before.Merges {
			class = "merge"
		} else if after.Misses > before.Misses {
			class = "miss"
		}
		if done != sim.Time(s.done)*cycle || class != s.class {
			t.Errorf("step %d, %v of %d at %#x in cycle %d: %s done in cycle %v, want %s in %d",
				i, s.kind, s.size, s.addr, s.at, class, float64(done)/float64(cycle), s.class, s.done)
		}
	}
}

// Unless said otherwise: hit latency 10, 100 below.
func TestCacheTiming(t *testing.T) {
	for _, c := range []struct {
		name  string
		set   func(*CacheConfig)
		steps []step
	}{
		{"a miss is lookup plus below, a later hit the lookup", nil, []step{
			{0, Read, 0, 4, 110, "miss"},
			{110, Read, 28, 4, 120, "hit"},
			{200, Write, 0, 4, 210, "hit"},
		}},
		{"data in flight are there when they land, not a cycle before", nil, []step{
			{0, Read, 0, 4, 110, "miss"},
			{109, Read, 0, 4, 119, "merge"},
			{110, Read, 0, 4, 120, "hit"},
		}},
		{"an access in the miss's shadow ends with the miss", nil, []step{
			{0, Read, 0, 4, 110, "miss"},
			{50, Read, 4, 4, 110, "merge"},
			{99, Read, 8, 4, 110, "merge"},
		}},
		{"no more than two accesses wait on a miss; the third looks up again", nil, []step{
			{0, Read, 0, 4, 110, "miss"},
			{20, Read, 0, 4, 110, "merge"},
			{30, Read, 0, 4, 110, "merge"},
			{40, Read, 0, 4, 120, "merge"},
		}},
		{"each miss of a line has waiters of its own", nil, []step{
			{0, Read, 0, 4, 110, "miss"},
			{20, Read, 0, 4, 110, "merge"},
			{30, Read, 0, 4, 110, "merge"},
			{200, Read, 32, 4, 310, "miss"},
			{220, Read, 32, 4, 310, "merge"},
			{230, Read, 32, 4, 310, "merge"},
			{240, Read, 32, 4, 320, "merge"},
		}},
		{"a sector is fetched alone", nil, []step{
			{0, Read, 0, 4, 110, "miss"},
			{200, Read, 32, 4, 310, "miss"},
			{400, Read, 0, 64, 410, "hit"},
			{400, Read, 0, 128, 511, "miss"},
		}},
		{"a sector there does not wait for its neighbour", nil, []step{
			{0, Read, 0, 4, 110, "miss"},
			{200, Read, 32, 4, 310, "miss"},
			{250, Read, 0, 4, 260, "hit"},
			{251, Read, 0, 64, 310, "merge"},
		}},
		{"a bank takes an access every interval", func(c *CacheConfig) { c.BankInterval = 3; c.Banks = 2 }, []step{
			{0, Read, 0, 4, 110, "miss"},
			{0, Read, 128, 4, 110, "miss"}, // the other bank
			{0, Read, 0, 4, 110, "merge"},  // in cycle 3
			{200, Read, 0, 4, 210, "hit"},
			{200, Read, 0, 4, 213, "hit"},
			{206, Read, 0, 4, 216, "hit"}, // legal now
			{208, Read, 0, 4, 219, "hit"}, // a cycle early: waits until 209
		}},
		{"with the MSHRs taken a miss waits for the first to land", func(c *CacheConfig) { c.MSHRs = 2; c.BankInterval = 0 }, []step{
			{0, Read, 0, 4, 110, "miss"},
			{5, Read, 128, 4, 115, "miss"},
			{20, Read, 256, 4, 210, "miss"},  // at 110, when the first lands
			{99, Read, 384, 4, 215, "miss"},  // at 115
			{204, Read, 512, 4, 314, "miss"}, // looked up by 214: the MSHR of 210 is free
		}},
		{"a set whose lines are in flight takes no other line until one lands", func(c *CacheConfig) { c.BankInterval = 0 }, []step{
			{0, Read, 0, 4, 110, "miss"},
			{10, Read, 256, 4, 120, "miss"},
			{20, Read, 512, 4, 210, "miss"}, // at 110, in place of line 0
			{220, Read, 256, 4, 230, "hit"},
			{230, Read, 0, 4, 340, "miss"},
		}},
		{"nor does a write without a fetch", func(c *CacheConfig) { c.BankInterval = 0 }, []step{
			{0, Read, 0, 4, 110, "miss"},
			{10, Read, 256, 4, 120, "miss"},
			{20, Write, 512, 32, 110, "miss"},
			{50, Read, 512, 32, 110, "merge"},
		}},
		{"a line in flight outlives one that is there, however old", nil, []step{
			{0, Read, 256, 4, 110, "miss"},
			{200, Read, 0, 4, 310, "miss"},
			{210, Read, 256, 4, 220, "hit"}, // now line 0 is the older one
			{220, Read, 512, 4, 330, "miss"},
			{340, Read, 0, 4, 350, "hit"},
			{350, Read, 256, 4, 460, "miss"},
		}},
		{"a write that covers its sectors fetches nothing", nil, []step{
			{0, Write, 0, 32, 10, "miss"},
			{1, Read, 0, 32, 11, "hit"},
			{20, Write, 48, 80, 130, "miss"}, // sector 1 in part, 2 and 3 whole
			{40, Read, 64, 64, 50, "hit"},
			{41, Read, 32, 4, 130, "merge"},
		}},
		{"an atomic is performed where data are written back", nil, []step{
			{0, Atomic, 0, 4, 110, "miss"},
			{110, Atomic, 0, 4, 120, "hit"},
		}},
		{"a write that does not allocate goes below", func(c *CacheConfig) { c.WriteAllocate = false }, []step{
			{0, Write, 0, 4, 110, "miss"},
			{200, Write, 0, 4, 310, "miss"},
			{400, Read, 0, 4, 510, "miss"},
			{600, Write, 0, 4, 610, "hit"},
		}},
		{"a write-through cache passes writes, keeps its copy", func(c *CacheConfig) { c.Write = "write-through"; c.WriteAllocate = false }, []step{
			{0, Read, 0, 4, 110, "miss"},
			{200, Write, 0, 4, 310, "hit"},
			{400, Read, 0, 4, 410, "hit"},
			{500, Atomic, 0, 4, 610, "hit"}, // performed below: the copy is stale
			{700, Read, 0, 4, 810, "miss"},
		}},
		{"or drops it", func(c *CacheConfig) {
			c.Write, c.WriteHit, c.WriteAllocate = "write-through", "evict", false
		}, []step{
			{0, Read, 0, 4, 110, "miss"},
			{200, Write, 0, 4, 310, "hit"},
			{400, Read, 0, 4, 510, "miss"},
		}},
		{"an access over two lines is two", nil, []step{
			{0, Read, 0, 128, 110, "miss"},
			{200, Read, 120, 16, 311, "miss"}, // a hit, and a miss a bank interval later
		}},
		{"switched off it adds nothing", func(c *CacheConfig) { c.Enabled = false }, []step{
			{0, Read, 0, 4, 100, "miss"},
			{0, Read, 0, 4, 100, "miss"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := small()
			if c.set != nil {
				c.set(&cfg)
			}
			play(t, mustCache(t, cfg, &fixed{latency: 100 * cycle}), c.steps)
		})
	}
}

func TestDirtyLinesAreWrittenBack(t *testing.T) {
	below := &fixed{latency: 100 * cycle}
	c := mustCache(t, small(), below)
	play(t, c, []step{
		{0, Write, 0, 4, 110, "miss"},
		{200, Write, 64, 64, 210, "miss"},
		{300, Read, 256, 4, 410, "miss"},
		{500, Read, 512, 4, 610, "miss"}, // in place of line 0, whose dirty sectors are 0, 2 and 3
	})
	var writes []Access
	for i, a := range below.seen {
		if a.Kind == Write {
			writes = append(writes, a)
			if below.at[i] != 510*cycle {
				t.Errorf("write-back at %d, want when the miss leaves", below.at[i]/cycle)
			}
		}
	}
	want := []Access{{Addr: 0, Size: 32, Kind: Write}, {Addr: 64, Size: 64, Kind: Write}}
	if !slices.Equal(writes, want) {
		t.Errorf("written back %+v, want %+v", writes, want)
	}
	if s := c.Stats(); s.Evictions != 1 || s.Writebacks != 1 || s.Sent != 96 {
		t.Errorf("stats %+v, want one eviction, one write-back of 96 bytes", s)
	}
}

func TestFlushAndInvalidate(t *testing.T) {
	below := &fixed{latency: 100 * cycle}
	c := mustCache(t, small(), below)
	play(t, c, []step{{0, Write, 0, 32, 10, "miss"}, {100, Write, 128, 4, 210, "miss"}})
	if done := c.Flush(150 * cycle); done != 310*cycle {
		t.Errorf("flushed by cycle %d, want 310: the line that lands at 210, plus 100", done/cycle)
	}
	if got := below.bytes(Write); got != 64 {
		t.Errorf("flush wrote %d bytes, want 64", got)
	}
	if held, dirty := c.Holds(0); !held || dirty {
		t.Errorf("after flush: held %v, dirty %v; want a clean line", held, dirty)
	}
	c.Flush(400 * cycle)
	if got := below.bytes(Write); got != 64 {
		t.Errorf("a second flush wrote %d bytes more", got-64)
	}
	play(t, c, []step{{400, Write, 0, 4, 410, "hit"}})
	if held, dirty := c.Drop(4); !held || !dirty {
		t.Errorf("dropped a line: held %v, dirty %v; want both", held, dirty)
	}
	if held, _ := c.Drop(4); held {
		t.Error("a dropped line is still there")
	}
	c.Invalidate()
	if held, _ := c.Holds(128); held {
		t.Error("a line outlives Invalidate")
	}
}

// listCache is the plainest cache: each set a list of lines, the next to be
// replaced first.
type listCache struct {
	sets, ways int
	touch      bool // lru: a hit moves a line to the back
	list       map[int][]uint64
}

// access tells whether line is there, brings it in, and returns what it replaces.
func (c *listCache) access(line uint64) (hit bool, evicted uint64) {
	set := int(line % uint64(c.sets))
	l := c.list[set]
	i := slices.Index(l, line)
	if i >= 0 && !c.touch {
		return true, noTag
	}
	if i >= 0 {
		c.list[set] = append(slices.Delete(l, i, i+1), line)
		return true, noTag
	}
	evicted = noTag
	if len(l) == c.ways {
		evicted = l[0]
		l = l[1:]
	}
	c.list[set] = append(l, line)
	return false, evicted
}

func TestReplacementAgainstLists(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		policy := rapid.SampledFrom([]string{"lru", "fifo"}).Draw(t, "policy")
		ways := rapid.IntRange(1, 5).Draw(t, "ways")
		sets := rapid.SampledFrom([]int{1, 2, 3, 4, 12}).Draw(t, "sets")
		cfg := small()
		cfg.Replacement, cfg.Ways, cfg.Line, cfg.Sector = policy, ways, 32, 32
		cfg.Size = sim.Bytes(sets * ways * 32)
		below := &fixed{}
		c, err := NewCache("c", cfg, ns1, below)
		if err != nil {
			t.Fatal(err)
		}
		oracle := &listCache{sets: sets, ways: ways, touch: policy == "lru", list: map[int][]uint64{}}
		dirty := map[uint64]bool{}
		for i := range 60 {
			line := rapid.Uint64Range(0, uint64(2*sets*ways)).Draw(t, "line")
			kind := Kind(rapid.IntRange(0, 1).Draw(t, "kind"))
			before := c.Stats()
			below.seen = nil
			c.Access(sim.Time(i)*1000*cycle, Access{Addr: line * 32, Size: 4, Kind: kind})
			hit, evicted := oracle.access(line)
			if got := c.Stats().Hits > before.Hits; got != hit {
				t.Fatalf("access %d to line %d: hit %v, want %v", i, line, got, hit)
			}
			var want []Access
			if !hit {
				want = append(want, Access{Addr: line * 32, Size: 32})
			}
			if dirty[evicted] {
				want = append(want, Access{Addr: evicted * 32, Size: 32, Kind: Write})
			}
			if !slices.Equal(below.seen, want) {
				t.Fatalf("access %d to line %d: below saw %+v, want %+v", i, line, below.seen, want)
			}
			delete(dirty, evicted)
			if kind == Write {
				dirty[line] = true
			}
		}
	})
}

// TestTreePLRU checks the property that names tree PLRU: the victim shares no
// half, at any level, with the way touched last. And it is LRU with two ways.
func TestTreePLRU(t *testing.T) {
	cfg := small()
	cfg.Replacement, cfg.Ways, cfg.Size = "plru", 8, 8*128
	c := mustCache(t, cfg, &fixed{})
	for line := range uint64(8) {
		c.Access(0, Access{Addr: line * 128, Size: 4})
	}
	for _, touched := range []uint64{0, 3, 4, 7, 5} {
		c.Access(cycle*1000, Access{Addr: touched * 128, Size: 4})
		victim, _ := c.tags.victim(0, cycle*2000)
		if victim/4 == int(touched)/4 {
			t.Errorf("after way %d, way %d of the same half is replaced", touched, victim)
		}
	}
	two := newTags(2, 2, "plru", false)
	two.insert(0, 0, 10, 0)
	two.insert(0, 1, 11, 0)
	for _, way := range []int{0, 1, 1, 0, 0} {
		two.touch(0, way)
		if v, _ := two.victim(0, 0); v != 1-way {
			t.Errorf("of two ways, after way %d was touched way %d is replaced", way, v)
		}
	}
}

func TestNoPolicyReplacesALineInFlight(t *testing.T) {
	for name := range policies {
		tg := newTags(8, 8, name, false)
		for w := range 8 {
			tg.insert(0, w, uint64(w), 0)
			tg.lines[w].ready = 100
		}
		tg.lines[5].ready = 50
		for range 20 {
			if v, free := tg.victim(0, 60); v != 5 || free != 60 {
				t.Errorf("%s: way %d is replaced at %d, want way 5, which alone has landed, at 60", name, v, free)
			}
			if v, free := tg.victim(0, 49); v != 5 || free != 50 {
				t.Errorf("%s: way %d is replaced at %d, want way 5 at 50, when it lands", name, v, free)
			}
		}
	}
}

// slowing is a level whose latency changes from access to access.
type slowing []sim.Time

func (s *slowing) Access(at sim.Time, _ Access) sim.Time {
	latency := (*s)[0]
	*s = (*s)[1:]
	return at + latency
}

func TestMissWaitsForSectorsAlreadyInFlight(t *testing.T) {
	play(t, mustCache(t, small(), &slowing{500 * cycle, 100 * cycle}), []step{
		{0, Read, 0, 32, 510, "miss"},
		{10, Read, 0, 64, 510, "miss"}, // sector 1 lands at 120, sector 0 at 510
		{200, Read, 32, 32, 210, "hit"},
	})
}

func TestRandomReplacementUsesEveryWay(t *testing.T) {
	tg := newTags(4, 4, "random", false)
	for w := range 4 {
		tg.insert(0, w, uint64(w), 0)
	}
	var count [4]int
	for range 4000 {
		v, _ := tg.victim(0, 0)
		count[v]++
	}
	for w, n := range count {
		if n < 900 || n > 1100 { // 1000 expected, 3.6 standard deviations
			t.Errorf("way %d replaced %d times of 4000", w, n)
		}
	}
}

// TestCacheConservation checks the laws of CacheStats, and the traffic against
// what the level below saw, on any cache, accesses and times.
func TestCacheConservation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pick := func(name string, from ...string) string { return rapid.SampledFrom(from).Draw(t, name) }
		cfg := CacheConfig{
			Enabled: rapid.IntRange(0, 9).Draw(t, "enabled") > 0, Ways: rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "ways"),
			Line: 128, Sector: sim.Bytes(rapid.SampledFrom([]int{4, 32, 128}).Draw(t, "sector")),
			Index: pick("index", "modulo", "xor"), Replacement: pick("replacement", "lru", "fifo", "random", "plru"),
			Write: pick("write", "write-back", "write-through"), WriteHit: pick("write_hit", "update", "evict"),
			WriteAllocate: rapid.Bool().Draw(t, "allocate"), Banks: rapid.IntRange(1, 3).Draw(t, "banks"),
			HitLatency: 10, BankInterval: 1, MSHRs: rapid.IntRange(1, 4).Draw(t, "mshrs"), Merges: rapid.IntRange(0, 2).Draw(t, "merges"),
		}
		cfg.Size = cfg.Line * sim.Bytes(4*cfg.Ways)
		below := &fixed{latency: 100 * cycle}
		c, err := NewCache("c", cfg, ns1, below)
		if err != nil {
			t.Fatal(err)
		}
		at := sim.Time(0)
		for range 80 {
			at = max(0, at+sim.Time(rapid.IntRange(-20, 60).Draw(t, "step"))*cycle)
			a := Access{
				Addr: rapid.Uint64Range(0, 4000).Draw(t, "addr"), Size: rapid.Int32Range(1, 300).Draw(t, "size"),
				Kind: Kind(rapid.IntRange(0, 2).Draw(t, "kind")), Array: rapid.Int16Range(-1, 5).Draw(t, "array"),
			}
			least := at + 10*cycle
			if !cfg.Enabled {
				least = at + 100*cycle
			}
			if done := c.Access(at, a); done < least {
				t.Fatalf("%+v at %d done at %d, before %d", a, at, done, least)
			}
		}
		c.Flush(at)
		var sum CacheStats
		for id := -1; id <= 5; id++ {
			s := c.ArrayStats(id)
			sum.Add(s)
			if s.Hits+s.Misses != s.Accesses() || s.Merges > s.Misses || s.Writebacks < 0 {
				t.Fatalf("array %d: %+v: hits + misses is not accesses", id, s)
			}
		}
		if sum != c.Stats() {
			t.Fatalf("sum over arrays %+v, total %+v", sum, c.Stats())
		}
		if sum.Fetched != below.bytes(Read) || sum.Sent != below.bytes(Write)+below.bytes(Atomic) {
			t.Fatalf("counted %d bytes fetched, %d sent; below saw %d, %d",
				sum.Fetched, sum.Sent, below.bytes(Read), below.bytes(Write)+below.bytes(Atomic))
		}
		if cfg.Enabled && sum.Fetched%cfg.Sector != 0 {
			t.Fatalf("%d bytes fetched is not a multiple of the sector", sum.Fetched)
		}
		for i := range c.tags.lines {
			if l := c.tags.lines[i]; l.dirty != 0 {
				t.Fatalf("slot %d is dirty after a flush", i)
			}
		}
	})
}

func TestSlicesUseAllTheirSets(t *testing.T) {
	cfg := small()
	cfg.Size, cfg.Ways, cfg.Banks = 64*128, 1, 4
	below := &fixed{}
	c := mustCache(t, cfg, below)
	if err := c.Interleave(12, 256); err != nil {
		t.Fatal(err)
	}
	// The lines of slice 5: chunks of two lines, every twelfth.
	var mine []uint64
	for line := uint64(0); len(mine) < 64; line++ {
		if line/2%12 == 5 {
			mine = append(mine, line*128)
		}
	}
	for range 2 {
		for _, addr := range mine {
			c.Access(0, Access{Addr: addr, Size: 128})
		}
	}
	if s := c.Stats(); s.Misses != 64 || s.Hits != 64 {
		t.Errorf("64 lines in a slice of 64 one-way sets: %d misses, %d hits; want 64, 64", s.Misses, s.Hits)
	}
	if err := c.Interleave(12, 100); err == nil {
		t.Error("a chunk of 100 bytes of 128-byte lines was accepted")
	}
}

func TestXorIndexSpreadsStrides(t *testing.T) {
	for index, want := range map[string]int{"modulo": 1, "xor": 16} {
		tg := newTags(16, 1, "lru", index == "xor")
		sets := map[int]bool{}
		for i := range uint64(16) {
			set, _ := tg.find(i*16, i*16)
			sets[set] = true
		}
		if len(sets) != want {
			t.Errorf("%s: lines 16 sets apart use %d sets, want %d", index, len(sets), want)
		}
	}
}

func TestCacheConfigFaultsNameTheKey(t *testing.T) {
	for _, c := range []struct {
		set  func(*CacheConfig)
		want string
	}{
		{func(c *CacheConfig) { c.Size = 500 }, "size: 500 bytes is not a multiple of ways x line = 256 bytes"},
		{func(c *CacheConfig) { c.Line = 96 }, "line: 96 bytes is not a power of two"},
		{func(c *CacheConfig) { c.Sector = 256 }, "sector: 256 bytes"},
		{func(c *CacheConfig) { c.Sector = 2; c.Line = 128 }, "sector: 2 bytes"},
		{func(c *CacheConfig) { c.Ways = 0 }, "ways: 0 is less than 1"},
		{func(c *CacheConfig) { c.Replacement = "mru" }, `replacement: "mru" is not one of lru, fifo, random, plru`},
		{func(c *CacheConfig) { c.Replacement = "plru"; c.Ways = 3; c.Size = 768 }, "replacement: plru needs"},
		{func(c *CacheConfig) { c.Index = "xor"; c.Size = 768 }, "index: xor needs a power of two of sets, not 3"},
		{func(c *CacheConfig) { c.MSHRs = 0 }, "mshrs: 0 is less than 1"},
		{func(c *CacheConfig) { c.HitLatency = -1 }, "hit_latency: -1 is negative"},
	} {
		cfg := small()
		c.set(&cfg)
		_, err := NewCache("L2", cfg, ns1, nil)
		if err == nil || !strings.HasPrefix(err.Error(), "cache L2: "+c.want) {
			t.Errorf("got %v, want cache L2: %s", err, c.want)
		}
	}
	bad := small()
	bad.Size, bad.Write = 500, "back"
	if _, err := NewCache("L2", bad, ns1, nil); err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("two faults: %v", err)
	}
}

func TestSlots(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "n")
		s, plain := newSlots(n), make([]sim.Time, n)
		for range 50 {
			at := sim.Time(rapid.IntRange(0, 50).Draw(t, "at"))
			want := max(at, slices.Min(plain))
			if got := s.next(at); got != want {
				t.Fatalf("next(%d) = %d, want %d", at, got, want)
			}
			free := want + sim.Time(rapid.IntRange(0, 50).Draw(t, "hold"))
			s.take(free)
			plain[slices.Index(plain, slices.Min(plain))] = free
		}
	})
}

func BenchmarkCacheHit(b *testing.B) {
	for _, c := range []struct {
		name string
		size sim.Bytes
		run  int // accesses to a line before the next
	}{{"16KiB/random", 16 << 10, 1}, {"16KiB/runs-of-4", 16 << 10, 4}, {"768KiB/random", 768 << 10, 1}} {
		b.Run(c.name, func(b *testing.B) {
			cfg := small()
			cfg.Size, cfg.Ways = c.size, 4
			l1 := mustCache(b, cfg, &fixed{})
			lines := uint64(c.size / cfg.Line)
			for i := range lines {
				l1.Access(0, Access{Addr: i * 128, Size: 128})
			}
			addr, x := make([]uint64, 4096), uint64(1)
			for i := range addr {
				if i%c.run == 0 {
					x = x*6364136223846793005 + 1442695040888963407
				}
				addr[i] = (x>>33)%lines*128 + x>>60*4
			}
			at, i := sim.Time(1000*cycle), 0
			b.ReportAllocs()
			for b.Loop() {
				l1.Access(at, Access{Addr: addr[i&4095], Size: 32})
				at += cycle
				i++
			}
			if s := l1.Stats(); s.Misses != int64(lines) {
				b.Fatalf("%d misses", s.Misses)
			}
		})
	}
}

// quiet is a level without a memory of its accesses.
type quiet struct{}

func (quiet) Access(at sim.Time, _ Access) sim.Time { return at + 100*cycle }

func BenchmarkCacheMiss(b *testing.B) {
	cfg := small()
	cfg.Size, cfg.Ways, cfg.MSHRs = 768<<10, 8, 32
	c := mustCache(b, cfg, quiet{})
	at, x := sim.Time(0), uint64(1)
	b.ReportAllocs()
	for b.Loop() {
		x = x*6364136223846793005 + 1442695040888963407
		at += 10 * cycle
		c.Access(at, Access{Addr: x >> 34 << 5, Size: 32})
	}
}
