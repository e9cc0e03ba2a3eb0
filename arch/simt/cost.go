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
	load          float64 // in the latest window
	transactions  float64
	marked        []seen
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
type seen struct{ time, issues, lanes, transactions float64 }

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
func (c *costs) mark(k *kernel, issue sim.Time) { c.marked = look(k, issue, c.marked[:0]) }

// look appends what was counted for the instructions so far.
func look(k *kernel, issue sim.Time, to []seen) []seen {
	for pc := range k.lines {
		l := &k.lines[pc]
		t := issue * sim.Time(l.Issues)
		for _, x := range l.Stalls {
			t += x
		}
		s := seen{float64(t), float64(l.Issues), float64(l.Lanes), float64(l.Transactions)}
		if k.ops[pc].atomic { // lanes are served one by one
			s.transactions = s.lanes
		}
		to = append(to, s)
	}
	return to
}

// measure ends the window that began with c.marked: it returns the time of its
// warps over what was predicted (0 if nothing was), and learns from it.
func (c *costs) measure(k *kernel, resident int, issue sim.Time) (ratio float64) {
	var accesses float64
	c.transactions = 0
	window := look(k, issue, nil)
	for pc := range window {
		d, m := &window[pc], &c.marked[pc]
		*d = seen{d.time - m.time, d.issues - m.issues, d.lanes - m.lanes, d.transactions - m.transactions}
		if c.of[pc].memory {
			accesses += d.issues
			c.transactions += d.transactions
		}
	}
	c.load = max(1, float64(resident)*c.transactions/max(1, accesses))
	var predicted, taken float64
	for pc, d := range window {
		predicted += d.issues * c.expect(pc, c.load)
		taken += d.time
	}
	for pc, d := range window {
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
	if predicted == 0 {
		return 0
	}
	return taken / predicted
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
