package stream

import (
	"fmt"
	"math/bits"

	"heddle/arch/mem"
	"heddle/arch/net"
	"heddle/sim"
)

// memorySystem is what the processors share: the torus and the modules.
//
// A request's way is computed when it is issued. Requests of different
// processors reach a module out of the order of their times, by up to the
// difference of their ways; a module's own time is a ledger, which allows it.
type memorySystem struct {
	torus    *net.Torus
	modules  []module
	split    sim.Divisor // blocks over modules
	shift    uint        // of a block
	interval sim.Time
	same     sim.Time
	words    []wordQueue
	missed   int64 // operations that missed in the buffers
}

// module is the memory of a node.
type module struct {
	port   *sim.Ledger
	buffer *mem.Cache
	dram   *mem.DRAM
}

// wordQueue is when a word can take its next atomic or synchronised operation.
type wordQueue struct {
	addr uint64
	free sim.Time
}

// wordQueues is how many words are kept track of at once. A word whose entry
// another one occupies that is still busy is served without regard to its own
// earlier operations.
const wordQueues = 1 << 16

func newMemorySystem(c *Config, clock sim.Clock) (*memorySystem, error) {
	m := &memorySystem{
		torus:    net.NewTorus(c.Network, c.Processors),
		modules:  make([]module, c.Processors),
		split:    sim.NewDivisor(uint64(c.Processors)),
		shift:    uint(bits.TrailingZeros64(uint64(c.Module.Block))),
		interval: clock.Span(c.Module.Interval),
		same:     clock.Span(c.Module.WordInterval),
		words:    make([]wordQueue, wordQueues),
	}
	for i := range m.modules {
		d, err := mem.NewDRAM(fmt.Sprintf("module.dram %d", i), c.Module.DRAM)
		if err != nil {
			return nil, err
		}
		b, err := mem.NewCache(fmt.Sprintf("module.buffer %d", i), c.Module.Buffer, clock, d)
		if err != nil {
			return nil, err
		}
		m.modules[i] = module{sim.NewLedger(16*m.interval, 512), b, d}
	}
	return m, nil
}

// scatter mixes the bits of x (the finaliser of Steele, Lea and Flood's
// SplitMix, OOPSLA 2014).
func scatter(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// locate returns the module of an address, and the address within the module.
// Of as many adjacent blocks as there are modules, each has one; which one
// comes first is hashed.
func (m *memorySystem) locate(addr uint64) (node int, local uint64) {
	turn, block := m.split.Split(addr >> m.shift)
	first, _ := bits.Mul64(scatter(turn), uint64(len(m.modules)))
	block += first
	if block >= uint64(len(m.modules)) {
		block -= uint64(len(m.modules))
	}
	return int(block), turn<<m.shift | addr&(1<<m.shift-1)
}

// request performs a memory operation that leaves a processor at time at, and
// returns when its reply is back.
func (p *processor) request(at sim.Time, a mem.Access, serial bool) sim.Time {
	sys := p.system
	m := sys.memory
	node, local := m.locate(a.Addr)
	way := m.torus.Latency(p.id, node)
	start := p.inject.Reserve(at, sys.word)
	d := &m.modules[node]
	served := d.port.Reserve(start+sys.word+way, m.interval)
	addr := a.Addr
	a.Addr = local
	before := d.buffer.Misses(a.Array)
	ready := d.buffer.Access(served, a)
	m.missed += d.buffer.Misses(a.Array) - before
	if serial {
		q := &m.words[addr>>3*0x9e3779b97f4a7c15>>48]
		switch {
		case q.addr == addr && q.free > ready:
			sys.stats.WordConflict++
			sys.stats.WordWait += q.free - ready
			ready = q.free
			q.free += m.same
		case q.addr == addr || q.free <= ready:
			*q = wordQueue{addr, ready + m.same}
		}
	}
	done := ready + way
	sys.lastDone = max(sys.lastDone, done)
	return done
}

// Access sends what the processor's cache misses or writes through.
func (p *processor) Access(at sim.Time, a mem.Access) sim.Time { return p.request(at, a, false) }

// advance tells the resources that take bookings out of order that nothing
// will be booked before now.
func (m *memorySystem) advance(now sim.Time) {
	for i := range m.modules {
		m.modules[i].port.Advance(now)
		m.modules[i].dram.Advance(now)
	}
}
