package models

import (
	"fmt"
	"math"

	"heddle/arch/simt"
	"heddle/sim"
)

func (d *gpuDevice) units(r *Report) {
	c := d.Config()
	s := d.Stats()
	ran := float64(s.Elapsed)
	slots := ran / float64(d.Clock().Span(c.Scheduler.Interval)) * float64(c.Scheduler.Count)
	for i := range c.SMs {
		m := d.SM(i)
		r.Units = append(r.Units, Unit{Name: fmt.Sprintf("SM %d", i), Kind: "core", Busy: float64(m.Issued) / slots, Of: "its issue slots", Hits: math.NaN()})
		if c.L1.Enabled {
			u := Unit{Name: fmt.Sprintf("L1 %d", i), Kind: "cache", Group: "L1", Hits: float64(m.L1.Hits-m.L1.PassedHits) / float64(m.L1.Reads), Bytes: m.L1.Fetched}
			u.Busy, u.Of = float64(m.L1.Accesses())*float64(d.Clock().Span(c.L1.BankInterval))/(ran*float64(c.L1.Banks)), "the time of its banks"
			r.Units = append(r.Units, u)
		}
	}
	requested, replied := d.Crossbar()
	port := float64(c.Crossbar.Width) * float64(c.Crossbar.Clock) * s.Elapsed.Seconds()
	slices := d.Slices()
	r.Units = append(r.Units, Unit{Name: "to L2", Kind: "link", Group: "crossbar", Busy: float64(requested) / (port * float64(len(slices))), Of: "the width of the slices' ports", Hits: math.NaN(), Bytes: requested},
		Unit{Name: "to SMs", Kind: "link", Group: "crossbar", Busy: float64(replied) / (port * float64(min(len(slices), c.SMs))), Of: "the width of the narrower side's ports", Hits: math.NaN(), Bytes: replied})
	bank := float64(sim.NewClock(c.L2.Clock).Span(c.L2.Slice.BankInterval))
	for i, x := range slices {
		r.Units = append(r.Units, Unit{Name: fmt.Sprintf("L2 %d", i), Kind: "cache", Group: "L2", Busy: float64(x.Accesses()) * bank / (ran * float64(c.L2.Slice.Banks)), Of: "the time of its banks",
			Hits: float64(x.Hits) / float64(x.Accesses()), Bytes: x.Fetched + x.Sent})
	}
	_, channels := d.DRAM()
	for i, x := range channels {
		r.Units = append(r.Units, Unit{Name: fmt.Sprintf("DRAM channel %d", i), Kind: "memory", Busy: float64(x.Busy) / ran, Of: "the time of its data bus", Hits: math.NaN(), Bytes: x.Bytes})
	}
	r.Peak = Peak{float64(c.SMs) * float64(c.Scheduler.Count) * float64(c.Clock) / float64(c.Scheduler.Interval), float64(c.DRAM.Peak())}
}

func (d *gpuDevice) legend() legend {
	c := d.Config()
	s := legend{places: c.SMs * c.Occupancy.Warps, levels: []string{"l1", "l2"}, stack: []string{"issued"}}
	for stall := range simt.NumStalls {
		s.stack = append(s.stack, stall.String())
	}
	return s
}

func (d *gpuDevice) sample(f func(sim.Time)) { d.Sample(f) }

func (d *gpuDevice) count(c *counters, now sim.Time) {
	s := d.Stats()
	l1, l2 := d.Caches()
	dram, _ := d.DRAM()
	burst := d.Config().DRAM.Burst()
	*c = counters{
		Counts: Counts{s.Instructions, s.ThreadInstructions}, branches: s.Branches, divergent: s.DivergentBranches,
		dramRead: sim.Bytes(dram.Reads) * burst, dramWritten: sim.Bytes(dram.Writes) * burst, resident: d.Resident(now),
	}
	c.accesses[0], c.hits[0] = l1.Reads, l1.Hits-l1.PassedHits
	c.accesses[1], c.hits[1] = l2.Accesses(), l2.Hits
	c.stack[0] = float64(s.Issued)
	for stall, t := range s.Stalls {
		c.stack[1+stall] = float64(t)
	}
}
