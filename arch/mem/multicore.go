package mem

import (
	"fmt"

	"heddle/arch/net"
	"heddle/sim"
)

// Multicore is the coherent memory of a multicore machine, as times; it holds
// no data. Each core accesses it through its Port.
//
// An access is computed in one walk. What the core's L1 or L2 can do alone
// costs their latency. All else is a transaction: the directory says who has
// the line, the configured cost by distance says how long it takes, and the
// resources on the way (the port of an L3, links, a memory controller, DRAM)
// add how long the request waits for them. A transaction on a line begins when
// those before it allow: writes and atomics one after the other, each when the
// line's last user has done with it; reads together, once the owner has the
// data.
//
// A directory of all lines stands for tags with valid bits, for snoop filters
// and for the answers to snoops: it is exact, takes no time of its own and
// loses nothing. Requests, probes and acknowledgements take no bandwidth but
// what net.SocketLinksConfig.Header allows for.
type Multicore struct {
	config MulticoreConfig
	dir    directory
	pages  pageTable
	ports  []*CorePort
	dies   []multicoreDie
	links  *net.SocketLinks

	lineBits  uint
	inclusive bool // L3
	victim    bool // L3
	moesi     bool
	forwards  bool // mesif
	broadcast bool // writes to shared lines go to all dies
	detours   bool // requests go by the home die

	l2Latency  sim.Time
	l3Latency  sim.Time
	l3Hold     sim.Time // of a line at the port of an L3
	memoryHold sim.Time // of a line at a memory controller
	atomicHold sim.Time
	atomicKeep sim.Time
	taken      map[uint64]sim.Time // lines that an atomic took from another core, and when it had them; with atomicKeep
	clean      [net.Distances]sim.Time
	dirty      [net.Distances]sim.Time
	handover   [net.Distances]sim.Time // to a write: without the atomic
	request    [net.Distances]sim.Time // from a core to a memory controller
	reply      [net.Distances]sim.Time // from DRAM to a core
	oneWay     [net.Distances]sim.Time // between dies
	farthest   net.Distance

	advanced sim.Time // time of the last Advance that did something
	step     sim.Time // between such
}

// multicoreDie is what the cores of a die share.
type multicoreDie struct {
	l3         lruTags
	l3Port     *sim.Ledger
	controller *sim.Ledger
	dram       *DRAM
	cores      uint64 // mask
	near       []net.Distance
	stats      dieCounts
}

// NewMulticore returns the memory of an idle machine with empty caches. Cycles
// in c are of clock, the cores'. Errors name the key of c at fault.
func NewMulticore(c MulticoreConfig, clock sim.Clock) (*Multicore, error) {
	if err := c.Validate(clock); err != nil {
		return nil, err
	}
	links, err := net.NewSocketLinks(c.Links, c.Sockets, c.Dies, c.Line)
	if err != nil {
		return nil, err
	}
	n := c.Sockets * c.Dies
	m := &Multicore{
		config:     c,
		pages:      newPageTable(&c),
		dies:       make([]multicoreDie, n),
		links:      links,
		lineBits:   log2(c.Line),
		inclusive:  c.L3.Kind == "inclusive",
		victim:     c.L3.Kind == "victim",
		moesi:      c.Protocol == "moesi",
		forwards:   c.Protocol == "mesif",
		broadcast:  c.Lookup != "directory",
		detours:    c.Lookup != "snoop",
		l2Latency:  clock.Span(c.L2.Latency),
		l3Latency:  clock.Span(c.L3.Latency),
		memoryHold: c.MemoryBandwidth.TimeFor(c.Line),
		atomicHold: clock.Span(c.Costs.AtomicHold),
		atomicKeep: clock.Span(c.Costs.AtomicKeep),
		taken:      map[uint64]sim.Time{},
		clean:      c.Costs.Clean.table(),
		dirty:      c.Costs.Dirty.table(),
		farthest:   links.Farthest(),
	}
	m.prices()
	for i := range m.dies {
		d := &m.dies[i]
		d.cores = (uint64(1)<<c.Cores - 1) << (i * c.Cores)
		d.controller = sim.NewLedger(8*m.memoryHold, 1024)
		if c.L3.Kind != "none" {
			m.l3Hold = c.L3.Bandwidth.TimeFor(c.Line)
			d.l3 = newLRUTags(c.L3.Size, c.Line, c.L3.Ways)
		}
		d.l3Port = sim.NewLedger(max(8*m.l3Hold, sim.Nanosecond), 1024)
		if d.dram, err = NewDRAM(fmt.Sprintf("dram%d", i), c.DRAM); err != nil {
			return nil, err
		}
		for other := range n {
			d.near = append(d.near, links.Distance(i, other))
		}
	}
	for core := range n * c.Cores {
		m.ports = append(m.ports, newCorePort(m, core, clock))
	}
	m.step = min(m.dies[0].l3Port.Horizon(), m.dies[0].controller.Horizon(), m.ports[0].l2Port.Horizon()) / 8
	return m, nil
}

// prices derives from the published costs what the parts of a way cost.
func (m *Multicore) prices() {
	c := &m.config
	handover, memory := c.Costs.Handover.table(), c.Costs.Memory.table()
	for d, has := range c.distances() {
		if !has {
			continue
		}
		m.handover[d] = handover[d] - m.atomicHold
		// A load finds out in L2 that it goes on. The rest of what its way
		// costs beside the DRAM is half before and half after.
		way := memory[d] - m.l2Latency - c.DRAM.Unloaded()
		m.request[d] = m.l2Latency + way/2
		m.reply[d] = way - way/2
		// Remote memory is local memory and a way there and back.
		m.oneWay[d] = max(0, memory[d]-memory[net.SameDie]) / 2
	}
}

// Config returns the description given to NewMulticore.
func (m *Multicore) Config() MulticoreConfig { return m.config }

// Cores returns the number of cores.
func (m *Multicore) Cores() int { return len(m.ports) }

// Dies returns the number of dies.
func (m *Multicore) Dies() int { return len(m.dies) }

// Die returns the die of a core.
func (m *Multicore) Die(core int) int { return m.ports[core].die }

// Distance returns how far apart two dies are.
func (m *Multicore) Distance(a, b int) net.Distance { return m.dies[a].near[b] }

// Port returns the way of a core to the memory.
func (m *Multicore) Port(core int) *CorePort { return m.ports[core] }

// Advance tells the memory that no access will be made for a time before now.
// It may be called as often as one likes.
func (m *Multicore) Advance(now sim.Time) {
	if now-m.advanced < m.step {
		return
	}
	m.advanced = now
	m.links.Advance(now)
	for i := range m.dies {
		d := &m.dies[i]
		d.l3Port.Advance(now)
		d.controller.Advance(now)
		d.dram.Advance(now)
	}
	for _, p := range m.ports {
		p.l2Port.Advance(now)
	}
}
