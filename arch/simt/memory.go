package simt

import (
	"fmt"
	"math/bits"

	"heddle/arch/mem"
	"heddle/arch/net"
	"heddle/sim"
)

// memorySystem is what the SMs share: crossbar, L2 slices with their atomic
// units, DRAM channels.
type memorySystem struct {
	crossbar   *net.Crossbar
	slices     []slice
	channels   []*mem.DRAM
	interleave sim.Divisor // bytes of consecutive addresses on one channel
	chunk      uint64      // interleave
	turn       sim.Divisor // chunks of one turn round all slices
	order      []int32     // slices, as a turn meets them
	masked     bool
	sector     int32
	last       sim.Time // when the last write was done
	missed     int64    // accesses that missed in L2
}

// slice is a part of L2, with the atomic unit that works on its data.
type slice struct {
	cache    *mem.Cache
	atomics  *sim.Ledger // the unit; bookings come with the line, so out of order
	interval sim.Time
	same     sim.Time
	granule  uint
	// When each granule can take its next atomic, by a hash of its address.
	// Granules that collide exclude each other, once in a thousand.
	granules []sim.Time
	ops      int64 // atomics performed, by lane
	replays  int64 // of them, those that waited for another on their granule
}

func newMemorySystem(c *Config) (*memorySystem, error) {
	n := c.DRAM.Channels * c.L2.SlicesPerChannel
	m := &memorySystem{
		crossbar:   net.NewCrossbar(c.Crossbar, c.SMs, n),
		slices:     make([]slice, n),
		channels:   make([]*mem.DRAM, c.DRAM.Channels),
		interleave: sim.NewDivisor(uint64(c.DRAM.Interleave)),
		chunk:      uint64(c.DRAM.Interleave),
		turn:       sim.NewDivisor(uint64(n)),
		masked:     c.L2.MaskedWrites,
		sector:     int32(c.L2.Slice.Sector),
	}
	if c.DRAM.Interleave%c.L2.Slice.Line != 0 {
		return nil, fmt.Errorf("dram.interleave: %d bytes is not a multiple of l2.slice.line, %d", c.DRAM.Interleave, c.L2.Slice.Line)
	}
	for i := range n {
		channel, sub := i%c.DRAM.Channels, i/c.DRAM.Channels
		m.order = append(m.order, int32(channel*c.L2.SlicesPerChannel+sub))
	}
	one := c.DRAM
	one.Channels = 1
	clock := sim.NewClock(c.L2.Clock)
	for i := range m.channels {
		d, err := mem.NewDRAM(fmt.Sprintf("dram%d", i), one)
		if err != nil {
			return nil, err
		}
		m.channels[i] = d
	}
	for i := range m.slices {
		channel := i / c.L2.SlicesPerChannel
		below := &channelPort{m: m, dram: m.channels[channel],
			slices: uint64(c.L2.SlicesPerChannel), sub: uint64(i % c.L2.SlicesPerChannel)}
		cache, err := mem.NewCache(fmt.Sprintf("l2.%d", i), c.L2.Slice, clock, below)
		if err != nil {
			return nil, err
		}
		cache.CountMisses(&m.missed)
		m.slices[i] = slice{
			cache:    cache,
			atomics:  sim.NewLedger(16*clock.Span(c.L2.AtomicInterval), 256),
			interval: clock.Span(c.L2.AtomicInterval),
			same:     clock.Span(c.L2.AtomicSameAddress),
			granule:  uint(bits.TrailingZeros64(uint64(c.L2.AtomicGranule))),
			granules: make([]sim.Time, 1024),
		}
	}
	return m, nil
}

// locate returns the slice of an address, and the address within the slice:
// chunks of interleave bytes go round the channels, and those of one channel
// round its slices.
func (m *memorySystem) locate(addr uint64) (slice int, local uint64) {
	chunk, offset := m.interleave.Split(addr)
	turn, at := m.turn.Split(chunk)
	return int(m.order[at]), turn*m.chunk + offset
}

// channelPort gives a slice's misses their address within the channel.
type channelPort struct {
	m           *memorySystem
	dram        *mem.DRAM
	slices, sub uint64
}

func (p *channelPort) Access(at sim.Time, a mem.Access) sim.Time {
	chunk, offset := p.m.interleave.Split(a.Addr)
	a.Addr = (chunk*p.slices+p.sub)*p.m.chunk + offset
	done := p.dram.Access(at, a)
	if a.Kind == mem.Write { // nobody waits for it but the end of the run
		p.m.last = max(p.m.last, done)
	}
	return done
}

// advance tells the resources that take bookings out of order that nothing
// will be booked before now.
func (m *memorySystem) advance(now sim.Time) {
	m.crossbar.Advance(now)
	for i := range m.slices {
		m.slices[i].atomics.Advance(now)
	}
	for _, d := range m.channels {
		d.Advance(now)
	}
}

// smPort is an SM's way to the memory system.
type smPort struct {
	m  *memorySystem
	sm int
}

// Access performs a read or a write that lies within one line.
func (p *smPort) Access(at sim.Time, a mem.Access) sim.Time {
	m := p.m
	i, local := m.locate(a.Addr)
	a.Addr = local
	cache := m.slices[i].cache
	if a.Kind == mem.Read {
		arrive := m.crossbar.Request(at, p.sm, i, 0)
		ready := cache.Access(arrive, a)
		return m.crossbar.Reply(ready, i, p.sm, sim.Bytes(a.Size))
	}
	arrive := m.crossbar.Request(at, p.sm, i, sim.Bytes(a.Size))
	if m.masked {
		// The slice keeps byte masks: it need not fetch what is not written.
		end := a.Addr + uint64(a.Size)
		a.Addr &^= uint64(m.sector - 1)
		a.Size = (int32(end-a.Addr) + m.sector - 1) &^ (m.sector - 1)
	}
	done := cache.Access(arrive, a)
	m.last = max(m.last, done)
	return done
}

// atomic performs the atomics of a transaction's lanes and returns when their
// old values are back.
func (p *smPort) atomic(at sim.Time, t *transaction, addr *[64]uint64, size int32, array int16, returns bool) sim.Time {
	m := p.m
	i, local := m.locate(t.addr)
	data := sim.Bytes(bits.OnesCount64(t.lanes)) * sim.Bytes(size)
	arrive := m.crossbar.Request(at, p.sm, i, data)
	s := &m.slices[i]
	ready := s.cache.Access(arrive, mem.Access{Addr: local, Size: t.size, Kind: mem.Atomic, Array: array})
	done := ready
	for l := t.lanes; l != 0; l &= l - 1 {
		granule := addr[bits.TrailingZeros64(l)&63] >> s.granule
		free := &s.granules[granule*0x9e3779b97f4a7c15>>54]
		start := s.atomics.Reserve(ready, s.interval)
		if *free > start {
			start = *free
			s.replays++
		}
		*free = start + s.same
		done = max(done, start+s.interval)
	}
	s.ops += int64(bits.OnesCount64(t.lanes))
	m.last = max(m.last, done)
	if !returns {
		return done
	}
	return m.crossbar.Reply(done, i, p.sm, data)
}
