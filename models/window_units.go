package models

import (
	"fmt"
	"math"

	"heddle/arch/window"
	"heddle/sim"
)

func (d *windowDevice) units(r *Report) {
	c := &d.desc
	cycles := float64(d.Stats().Elapsed)
	ran := float64(d.Clock().Span(sim.Cycles(d.Stats().Elapsed)))
	for die := range c.Memory.Sockets * c.Memory.Dies {
		group := fmt.Sprintf("socket %d", die/c.Memory.Dies)
		if c.Memory.Dies > 1 {
			group += fmt.Sprintf(", die %d", die%c.Memory.Dies)
		}
		add := func(u Unit) {
			u.Group = group
			r.Units = append(r.Units, u)
		}
		for i := range c.Memory.Cores {
			core := die*c.Memory.Cores + i
			add(Unit{Name: fmt.Sprintf("core %d", core), Kind: "core", Busy: float64(d.Executed(core)) / (cycles * float64(c.Core.Dispatch)), Of: "the instructions that it can dispatch", Hits: math.NaN()})
		}
		served := d.memory.CoresOf(die)
		levels, _ := windowLevels(&served.Served, c.Memory.Line)
		shared := d.memory.DieStats(die)
		for i, l := range levels[:3] {
			busy, of := math.NaN(), ""
			if i == 2 {
				if c.Memory.L3.Kind == "none" {
					break
				}
				busy, of = float64(shared.L3Busy)/ran, "the time of its port"
			}
			add(Unit{Name: fmt.Sprintf("L%d", i+1), Kind: "cache", Busy: busy, Of: of, Hits: float64(l.Hits) / float64(l.Accesses), Bytes: l.Fetched})
		}
		reads, writes := lines(shared)
		add(Unit{Name: "memory", Kind: "memory", Busy: float64(shared.MemoryBusy) / ran, Of: "the time of its controller", Hits: math.NaN(), Bytes: sim.Bytes(reads+writes) * c.Memory.Line})
	}
	for _, l := range d.memory.Links() {
		r.Units = append(r.Units, Unit{Name: fmt.Sprintf("die %d to %d", l.From, l.To), Kind: "link", Group: "links", Busy: float64(l.Busy) / ran, Of: "its time", Hits: math.NaN(), Bytes: l.Bytes})
	}
	dies := float64(c.Memory.Sockets * c.Memory.Dies)
	r.Peak = Peak{dies * float64(c.Memory.Cores) * float64(c.Core.Dispatch) * float64(c.Clock), dies * min(float64(c.Memory.DRAM.Peak()), float64(c.Memory.MemoryBandwidth))}
}

func (d *windowDevice) legend() legend {
	s := legend{places: d.desc.Threads, levels: []string{"l1", "l2", "l3", "other caches"}}
	for cause := range window.NumCauses {
		s.stack = append(s.stack, cause.String())
	}
	return s
}

func (d *windowDevice) sample(f func(sim.Time)) { d.Sample(f) }

func (d *windowDevice) count(c *counters, _ sim.Time) {
	s := d.Snapshot()
	cores := d.memory.CoresOf(-1)
	reads, writes := lines(d.memory.DieStats(-1))
	*c = counters{
		Counts: d.counts(), branches: s.Branches, divergent: s.Mispredicts,
		dramRead: sim.Bytes(reads) * d.desc.Memory.Line, dramWritten: sim.Bytes(writes) * d.desc.Memory.Line,
	}
	levels, _ := windowLevels(&cores.Served, d.desc.Memory.Line)
	for i, l := range levels {
		c.accesses[i], c.hits[i] = l.Accesses, l.Hits
	}
	busy := int64(0)
	for cause, n := range s.Cycles {
		c.stack[cause] = float64(n)
		if window.Cause(cause) != window.Imbalance {
			busy += n
		}
	}
	c.resident = sim.Time(busy) * d.Clock().Period
}
