package window

import (
	"math/bits"

	"heddle/arch/mem"
	"heddle/sim"
)

// core is a processor core: what its hardware threads share.
type core struct {
	event   sim.Event
	machine *Machine
	probe   sim.Probe // the machine's
	id      int
	port    Port
	// corePort is port, if it is what it is in every machine, so that the calls
	// are direct.
	corePort *mem.CorePort
	period   sim.Time
	periods  sim.Divisor // by the period
	width    int         // instructions dispatched a cycle
	retire   int         // instructions of a thread retired a cycle

	threads []*thread // of the running launch that have not ended
	at      int64     // cycle of the running event
	taken   bool      // several threads take turns at dispatch
	sharing int       // threads that split the buffers
	ended   []*thread // of the running launch
	leaves  int64     // when the next of them is retired

	ports      ports
	front      calendar // dispatch cycles, when there are turns
	stations   *stations
	fpStations *stations // the same as stations unless the core has both
	fills      fillBuffers
	storeFills []int64 // ring of when the latest lines for stores are there, as many as there may be on their way
	storeFill  int     // in it, the oldest
	tlb        translation
	predictor  predictor
	stats      Stats
	executed   uint64 // by threads that have ended
}

func newCore(m *Machine, id int, port Port) *core {
	k := &m.config.Core
	c := &core{
		machine: m, id: id, port: port, width: k.Dispatch, retire: k.Retire, period: m.clock.Period, periods: sim.NewDivisor(uint64(m.clock.Period)),
		stations: newStations(k.Stations),
		fills:    newFillBuffers(k.LoadStore.LineFillBuffers, uint(bits.TrailingZeros64(uint64(m.line)))),
		tlb:      newTranslation(&k.TLB), predictor: newPredictor(&k.Branch.Predictor),
		storeFills: make([]int64, k.LoadStore.StoreFills),
	}
	c.corePort, _ = port.(*mem.CorePort)
	c.fpStations = c.stations
	if k.FPStations > 0 {
		c.fpStations = newStations(k.FPStations)
	}
	c.event.Init(c)
	return c
}

// Handle runs the core's threads up to Config.Skew cycles beyond now. Of those
// that can go on, the one that is least far is dispatched.
func (c *core) Handle(now sim.Time) {
	m := c.machine
	if now >= m.watch {
		m.checkProgress(now)
	}
	passed, _ := c.periods.Split(uint64(now - sim.Time(c.at)*c.period))
	c.at += int64(passed)
	horizon := c.at + int64(m.config.Skew)
	for {
		var t *thread
		limit := horizon
		for _, o := range c.threads {
			switch {
			case !o.runnable(c.at, horizon):
			case t == nil:
				t = o
			case o.wake < t.wake:
				t, limit = o, min(limit, t.wake)
			default:
				limit = min(limit, o.wake)
			}
		}
		if t == nil {
			break
		}
		t.run(limit)
		if m.failed {
			return
		}
	}
	c.schedule()
}

// schedule plans the core's next event: when its first thread can go on. What
// its store buffers send to the cache before then is sent now, for no access
// may be made for a time that is past.
func (c *core) schedule() {
	wake := never
	for _, t := range c.threads {
		wake = min(wake, t.wake)
	}
	for _, t := range c.threads {
		t.drain(wake)
	}
	if wake == never {
		c.machine.engine.Cancel(&c.event)
		return
	}
	c.machine.engine.At(&c.event, sim.Time(wake)*c.period)
}

// rouse lets a thread that waited go on at cycle at, when the core's event
// runs.
func (c *core) rouse(t *thread, at int64) {
	t.wake = at
	if e := c.machine.engine; sim.Time(at)*c.period < c.event.Time() {
		e.At(&c.event, max(e.Now(), sim.Time(at)*c.period))
	}
}

// access makes an access of t, of its instruction at pc, at or after cycle at,
// and returns when it is done and what a thread waits for until then. One that
// needs a line waits for a line fill buffer.
func (c *core) access(t *thread, at int64, a mem.Access, pc int32) (done int64, cause Cause) {
	if !c.fills.free(at) && !c.port.InL1(a.Addr) {
		start := c.fills.next(at)
		c.stats.FillWait += start - at
		at = start
	}
	limited := a.Kind == mem.Write && len(c.storeFills) > 0
	if limited && c.storeFills[c.storeFill] > at && !c.port.InL1(a.Addr) {
		c.stats.FillWait += c.storeFills[c.storeFill] - at
		at = c.storeFills[c.storeFill]
	}
	begin := sim.Time(at) * c.period
	var end sim.Time
	var from mem.Source
	if p := c.corePort; p != nil {
		end = p.Access(begin, a)
		from = p.From()
	} else {
		end = c.port.Access(begin, a)
		from = c.port.From()
	}
	cycles, _ := c.periods.Split(uint64(end - begin + c.period - 1))
	done = at + int64(cycles)
	if c.probe != nil {
		c.showMemory(t, a, pc, begin, sim.Time(done)*c.period, from)
	}
	if from == mem.FromL1 {
		return done, L1
	}
	line := &c.machine.running.kernel.lines[pc]
	for level := range missedLevels[from] {
		line.Misses[level]++
	}
	if from == mem.FromFill {
		return done, c.fills.cause(a.Addr)
	}
	c.fills.take(fill{a.Addr >> (c.fills.shift & 63), at, done, causeOf[from]}, c.at)
	if limited { // stores ask in order
		c.storeFills[c.storeFill] = done
		c.storeFill = (c.storeFill + 1) % len(c.storeFills)
	}
	return done, causeOf[from]
}

// crowded reports whether reservation stations are scarce: that it takes a look
// to tell if there is one.
func (c *core) crowded() bool {
	return c.stations.held >= c.stations.size || c.fpStations.held >= c.fpStations.size
}
