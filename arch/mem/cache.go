package mem

import (
	"fmt"
	"math/bits"

	"heddle/sim"
)

// Cache is one level of cache (of one core, or a slice of a shared one): set-
// associative, sectored, banked, with a limit on misses in flight. It holds
// tags and times, no data.
//
// The time of an access is computed in one walk. The line's bank takes it when
// it is free. After the hit latency its data are there, or, if they are still
// in flight, when they land; a miss then goes below when an MSHR is free. A
// line whose data are in flight is not replaced. Write-backs of replaced lines
// take bandwidth below but nobody waits for them.
type Cache struct {
	// What an access looks at comes first, close together for the host's caches.
	lineBits   uint8
	sectorBits uint8
	enabled    bool
	single     bool // one bank, and no other slice
	lineMask   uint32

	bankInterval sim.Time
	hitLatency   sim.Time
	stats        []arrayStats // by array ID + 1
	missed       *int64       // misses of all arrays
	banks        sim.Banks
	tags         tags

	below        Level
	mshrs        slots
	sectors      int // a line
	merges       uint16
	writeThrough bool
	allocate     bool
	evictOnWrite bool
	slices       bool // the cache is one of several slices
	bankOf       sim.Divisor

	chunk      sim.Divisor // lines of one slice that are adjacent
	turn       sim.Divisor // lines of one chunk of each slice
	chunkLines uint64      // the divisor of chunk

	fill []sim.Time // of mixed lines, when each sector lands: line slot x sectors + sector
	name string
}

// NewCache returns an empty cache whose misses go to below. Errors name the
// key of c at fault.
func NewCache(name string, c CacheConfig, clock sim.Clock, below Level) (*Cache, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("cache %s: %w", name, err)
	}
	lines := int(c.Size / c.Line)
	sectors := int(c.Line / c.Sector)
	return &Cache{
		name:         name,
		below:        below,
		missed:       new(int64),
		enabled:      c.Enabled,
		writeThrough: c.Write == "write-through",
		allocate:     c.WriteAllocate,
		evictOnWrite: c.WriteHit == "evict",
		hitLatency:   clock.Span(c.HitLatency),
		bankInterval: clock.Span(c.BankInterval),
		banks:        make(sim.Banks, c.Banks),
		bankOf:       sim.NewDivisor(uint64(c.Banks)),
		mshrs:        newSlots(c.MSHRs),
		merges:       uint16(c.Merges),
		single:       c.Banks == 1,
		lineBits:     uint8(bits.TrailingZeros64(uint64(c.Line))),
		lineMask:     uint32(c.Line) - 1,
		sectorBits:   uint8(bits.TrailingZeros64(uint64(c.Sector))),
		sectors:      sectors,
		tags:         newTags(lines, c.Ways, c.Replacement, c.Index == "xor"),
		fill:         make([]sim.Time, lines*sectors),
	}, nil
}

// Name returns the name given to NewCache.
func (c *Cache) Name() string { return c.name }

// Access performs a at time at. An access that spans lines is done when the
// last of them is. What a read hit needs comes first and alone, so that the
// compiler keeps it in registers.
func (c *Cache) Access(at sim.Time, a Access) sim.Time {
	in := uint32(a.Addr) & c.lineMask
	last := in + uint32(a.Size) - 1
	if !c.enabled || last > c.lineMask {
		return c.other(at, a)
	}
	if uint(a.Array+1) >= uint(len(c.stats)) {
		c.grow(int(a.Array) + 2)
	}
	s := &c.stats[a.Array+1].CacheStats
	line := a.Addr >> (c.lineBits & 63)
	local, bank := line, uint64(0)
	if !c.single {
		local, bank = c.place(line)
	}
	start := c.banks[bank].Reserve(at, c.bankInterval)
	s.BankWait += start - at
	need := uint32(2)<<(last>>(c.sectorBits&31)&31) - uint32(1)<<(in>>(c.sectorBits&31)&31)
	set, i := c.tags.find(local, line)
	if i >= 0 && a.Kind == Read {
		if l := &c.tags.lines[i]; need&^l.valid == 0 && l.ready <= start {
			c.tags.touch(set, i)
			s.Reads++
			s.Hits++
			return start + c.hitLatency
		}
	}
	s.count(a.Kind)
	if c.writeThrough && a.Kind != Read {
		return c.writeBelow(start, line, set, i, need, s, a)
	}
	if i >= 0 {
		l := &c.tags.lines[i]
		c.tags.touch(set, i)
		if a.Kind != Read {
			l.dirty |= need
		}
		if need&^l.valid == 0 {
			return c.present(start, i, need, s)
		}
	}
	c.countMiss(s)
	if i < 0 && a.Kind == Write && !c.allocate {
		s.Sent += sim.Bytes(a.Size)
		return c.below.Access(start+c.hitLatency, a)
	}
	return c.miss(start, line, set, i, need, s, a)
}

// place returns the number of line among those of this slice, and its bank.
func (c *Cache) place(line uint64) (local, bank uint64) {
	local = c.local(line)
	_, bank = c.bankOf.Split(local)
	return local, bank
}

// other performs an access to several lines, or to a cache that is off.
func (c *Cache) other(at sim.Time, a Access) (done sim.Time) {
	if !c.enabled {
		return c.bypass(at, a)
	}
	line := a.Addr >> c.lineBits
	for end := a.Addr + uint64(a.Size); a.Addr < end; line++ {
		part := a
		part.Size = int32(min(end, (line+1)<<c.lineBits) - a.Addr)
		done = max(done, c.Access(at, part))
		a.Addr += uint64(part.Size)
	}
	return done
}

func (c *Cache) bypass(at sim.Time, a Access) sim.Time {
	s := c.of(a.Array)
	s.count(a.Kind)
	c.countMiss(s)
	if a.Kind == Read {
		s.Fetched += sim.Bytes(a.Size)
	} else {
		s.Sent += sim.Bytes(a.Size)
	}
	return c.below.Access(at, a)
}

func (s *CacheStats) count(k Kind) {
	switch k {
	case Read:
		s.Reads++
	case Write:
		s.Writes++
	default:
		s.Atomics++
	}
}

// present serves an access whose sectors are all there or in flight.
func (c *Cache) present(start sim.Time, i int, need uint32, s *CacheStats) sim.Time {
	lands := c.landed(i, need)
	if lands <= start {
		s.Hits++
		return start + c.hitLatency
	}
	c.countMiss(s)
	s.Merges++
	l := &c.tags.lines[i]
	if l.merged >= c.merges { // looks the line up again when it is there
		return lands + c.hitLatency
	}
	l.merged++
	return max(lands, start+c.hitLatency)
}

// miss brings the absent sectors of need into line, which is in slot i of set,
// or in none if i < 0, and returns when all of need is there.
func (c *Cache) miss(start sim.Time, line uint64, set, i int, need uint32, s *CacheStats, a Access) sim.Time {
	absent := need
	if i >= 0 {
		absent &^= c.tags.lines[i].valid
	}
	fetch := absent // a sector that is written whole needs no fetch
	if a.Kind == Write {
		fetch &^= c.coveredMask(a.Addr, a.Size)
	}
	looked := start + c.hitLatency
	at := looked
	if fetch != 0 {
		at = c.mshrs.next(at)
	}
	var victim cacheLine
	if i < 0 {
		var free sim.Time
		i, free = c.tags.victim(set, at)
		at = max(at, free)
		victim = c.tags.lines[i]
		c.tags.insert(set, i, line, a.Array)
	}
	s.MSHRWait += at - looked
	if written := absent &^ fetch; written != 0 {
		when := start
		if at > looked {
			when = at
		}
		c.land(i, written, when)
	}
	done := at
	if fetch != 0 {
		for m := fetch; m != 0; {
			run := lowestRun(m)
			m &^= run
			size := c.runBytes(run)
			lands := c.below.Access(at, Access{Addr: c.runAddr(line, run), Size: int32(size), Kind: Read, Array: a.Array})
			s.Fetched += size
			c.land(i, run, lands)
			done = max(done, lands)
		}
		c.mshrs.take(done)
		c.tags.lines[i].merged = 0
	}
	if a.Kind != Read && !c.writeThrough {
		c.tags.lines[i].dirty |= need
	}
	if victim.valid != 0 {
		c.of(victim.array).Evictions++
		if victim.dirty != 0 {
			c.writeBack(at, &victim)
		}
	}
	if there := need &^ absent; there != 0 {
		done = max(done, c.landed(i, there))
	}
	return done
}

// writeBelow passes a write or an atomic through a write-through cache.
func (c *Cache) writeBelow(start sim.Time, line uint64, set, i int, need uint32, s *CacheStats, a Access) sim.Time {
	at := start + c.hitLatency
	switch {
	case i >= 0:
		l := &c.tags.lines[i]
		if need&^l.valid == 0 && l.ready <= start {
			s.Hits++
			s.PassedHits++
		} else {
			c.countMiss(s)
		}
		if c.evictOnWrite || a.Kind == Atomic {
			c.tags.drop(set, i)
		} else {
			c.tags.touch(set, i)
		}
	case c.allocate && a.Kind == Write:
		c.countMiss(s)
		c.miss(start, line, set, i, need, s, a)
	default:
		c.countMiss(s)
	}
	s.Sent += sim.Bytes(a.Size)
	return c.below.Access(at, a)
}

// writeBack sends the dirty sectors of l below.
func (c *Cache) writeBack(at sim.Time, l *cacheLine) sim.Time {
	done := at
	if l.dirty == 0 {
		return done
	}
	s := c.of(l.array)
	s.Writebacks++
	for m := l.dirty; m != 0; {
		run := lowestRun(m)
		m &^= run
		size := c.runBytes(run)
		done = max(done, c.below.Access(at, Access{Addr: c.runAddr(l.tag, run), Size: int32(size), Kind: Write, Array: l.array}))
		s.Sent += size
	}
	return done
}
