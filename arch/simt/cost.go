package simt

import (
	"heddle/arch/isa"
	"heddle/sim"
)

// costs is what the instructions of a program cost a warp, as measured in
// windows; later windows count for more.
//
// An access to memory takes the larger of a latency and of a time in proportion
// to the load: the transactions that the resident warps have under way when all
// wait for memory. The first is learned from windows in which memory answered
// at once, the second from those in which it was saturated.
type costs struct {
	of            []cost
	memory, other cost    // of all instructions of a kind, for those not met yet
	saturated     float64 // a time of an access that only a saturated memory takes
	// Of the latest window: load, accesses and transactions, transactions over
	// time, and the share of its warps' time at which the load/store unit did not
	// take their access.
	load, accesses, transactions, pace, queued float64
	// Of the warps in the latest window: time predicted, and taken.
	predicted, taken float64
	marked, window   []seen
}

type cost struct {
	memory  bool
	flat    mean // time, whatever the load
	perLoad mean // time over load
	perLane mean // transactions of a lane
}

// mean is a weighted mean.
type mean struct{ sum, weight float64 }

func (m *mean) add(sum, weight float64) {
	const keep = 0.5 // of what earlier windows saw
	m.sum = keep*m.sum + sum
	m.weight = keep*m.weight + weight
}

func (m *mean) or(other float64) float64 {
	if m.weight == 0 {
		return other
	}
	return m.sum / m.weight
}

// seen is what was counted for an instruction.
type seen struct{ time, queued, issues, lanes, transactions float64 }

func (g *GPU) newCosts(k *kernel) *costs {
	c := &g.config
	core := sim.NewClock(c.Crossbar.Clock)
	l2 := g.pipeline + g.lookup + core.Span(c.Crossbar.RequestLatency+c.Crossbar.ReplyLatency) +
		sim.NewClock(c.L2.Clock).Span(c.L2.Slice.HitLatency)
	costs := &costs{of: make([]cost, len(k.ops)), saturated: 3 * float64(l2)}
	costs.memory.memory = true
	for pc := range k.ops {
		o := &k.ops[pc]
		costs.of[pc].memory = o.memory != isa.NoMemory && o.space != isa.Shared
	}
	costs.memory.flat.add(float64(l2), 1)
	return costs
}

// mark begins a window.
func (c *costs) mark(k *kernel, issue sim.Time) { c.marked = count(k, issue, c.marked[:0]) }

// count appends what was counted for the instructions so far.
func count(k *kernel, issue sim.Time, to []seen) []seen {
	for pc := range k.lines {
		l := &k.lines[pc]
		t := issue * sim.Time(l.Issues)
		for _, x := range l.Stalls {
			t += x
		}
		s := seen{float64(t), float64(l.Stalls[MemoryThrottle]), float64(l.Issues), float64(l.Lanes), float64(l.Transactions)}
		if k.ops[pc].atomic { // lanes are served one by one
			s.transactions = s.lanes
		}
		to = append(to, s)
	}
	return to
}

// look takes what was counted since the mark for the window.
func (c *costs) look(k *kernel, resident int, issue sim.Time) {
	c.accesses, c.transactions = 0, 0
	c.window = count(k, issue, c.window[:0])
	for pc := range c.window {
		d, m := &c.window[pc], &c.marked[pc]
		*d = seen{d.time - m.time, d.queued - m.queued, d.issues - m.issues, d.lanes - m.lanes, d.transactions - m.transactions}
		if c.of[pc].memory {
			c.accesses += d.issues
			c.transactions += d.transactions
		}
	}
	c.load = max(1, float64(resident)*c.transactions/max(1, c.accesses))
	c.predicted, c.taken, c.queued = 0, 0, 0
	for pc, d := range c.window {
		c.predicted += d.issues * c.expect(pc, c.load)
		c.taken += d.time
		c.queued += d.queued
	}
	c.queued /= max(1, c.taken)
	c.pace = max(1, c.transactions) * float64(resident) / max(1, c.taken)
}

// learn ends the window: it returns the time of its warps over what was
// predicted (0 if nothing was), and learns from it.
func (c *costs) learn() (ratio float64) {
	for pc, d := range c.window {
		if d.issues == 0 {
			continue
		}
		for _, to := range []*cost{&c.of[pc], c.kind(pc)} {
			if to.memory {
				to.perLane.add(d.transactions, d.lanes)
			}
			mean := d.time / d.issues
			saturated := to.memory && mean > c.saturated
			if saturated || to.memory && mean < c.load*to.perLoad.or(0) {
				to.perLoad.add(d.time, d.issues*c.load)
			}
			if !saturated || mean < to.flat.or(0) {
				to.flat.add(d.time, d.issues)
			}
		}
	}
	if c.predicted == 0 {
		return 0
	}
	return c.taken / c.predicted
}

// kind returns the cost of all instructions of the one's kind.
func (c *costs) kind(pc int) *cost {
	if c.of[pc].memory {
		return &c.memory
	}
	return &c.other
}

// expect returns the time that the instruction is expected to cost a warp under
// a load.
func (c *costs) expect(pc int, load float64) float64 {
	x, all := &c.of[pc], c.kind(pc)
	t := x.flat.or(0)
	if x.memory {
		t = max(t, load*x.perLoad.or(0))
	}
	if t > 0 {
		return t
	}
	return max(all.flat.or(0), load*all.perLoad.or(0))
}

// expectAll fills in what each instruction is expected to cost under a load.
func (c *costs) expectAll(load float64, cost []sim.Time) {
	for pc := range cost {
		cost[pc] = max(1, sim.Time(c.expect(pc, load)))
	}
}

// rescale returns the time that the metered instructions are expected to take
// under a load over what they were taken to cost.
func (c *costs) rescale(load float64, m *isa.Meter) float64 {
	var expected, cost float64
	for pc := range m.Insts {
		n := float64(m.Insts[pc].Issues)
		expected += n * max(1, c.expect(pc, load))
		cost += n * float64(m.Cost[pc])
	}
	return expected / max(1, cost)
}
