package models

import (
	"fmt"
	"math"

	"heddle/arch/stream"
	"heddle/sim"
)

func (d *streamDevice) units(r *Report) {
	c := d.Config()
	s := d.Stats()
	ran := float64(s.Elapsed)
	cycles := ran / float64(d.Clock().Period)
	for i := range c.Processors {
		p := d.Processor(i)
		r.Units = append(r.Units, Unit{Name: fmt.Sprintf("processor %d", i), Kind: "core", Busy: float64(p.Words) / cycles, Of: "its cycles", Hits: math.NaN()})
	}
	var sent sim.Bytes
	for i := range c.Processors {
		p := d.Processor(i)
		bytes := sim.Bytes(float64(p.Sending)/float64(c.WordInterval())+0.5) * 8
		sent += bytes
		r.Units = append(r.Units, Unit{Name: fmt.Sprintf("injection %d", i), Kind: "link", Group: "network", Busy: float64(p.Sending) / ran, Of: "the words that a processor can send", Hits: math.NaN(), Bytes: bytes})
	}
	for i := range c.Processors {
		m := d.Module(i)
		r.Units = append(r.Units, Unit{Name: fmt.Sprintf("buffer %d", i), Kind: "cache", Group: "data buffers", Busy: float64(m.Busy) / ran, Of: "the operations that a module can take",
			Hits: float64(m.Buffer.Hits) / float64(m.Buffer.Accesses()), Bytes: m.Buffer.Fetched + m.Buffer.Sent})
	}
	for i := range c.Processors {
		m := d.Module(i)
		r.Units = append(r.Units, Unit{Name: fmt.Sprintf("DRAM %d", i), Kind: "memory", Busy: float64(m.DRAM.Busy) / (ran * float64(c.Module.DRAM.Channels)), Of: "the time of its data buses", Hits: math.NaN(), Bytes: m.DRAM.Bytes})
	}
	operations := 1.0
	if c.Word.Packed {
		operations = 3 // one on memory, one of arithmetic, one of control
	}
	r.Peak = Peak{operations * float64(c.Processors) * float64(c.Clock), float64(c.Module.DRAM.Peak()) * float64(c.Processors)}
}

func (d *streamDevice) legend() legend {
	c := d.Config()
	s := legend{places: c.Processors * c.Launch.Streams, levels: []string{"buffer"}, stack: []string{"issued"}}
	for stall := range stream.NumStalls {
		s.stack = append(s.stack, stall.String())
	}
	return s
}

func (d *streamDevice) sample(f func(sim.Time)) { d.Sample(f) }

func (d *streamDevice) count(c *counters, now sim.Time) {
	s := d.Stats()
	buffers, _ := d.Buffers()
	dram := d.DRAM()
	burst := d.Config().Module.DRAM.Burst()
	*c = counters{
		Counts:   d.counts(),
		dramRead: sim.Bytes(dram.Reads) * burst, dramWritten: sim.Bytes(dram.Writes) * burst,
		resident: sim.Time(d.Resident(now)) * d.Clock().Period,
	}
	c.accesses[0], c.hits[0] = buffers.Accesses(), buffers.Hits
	c.stack[0] = float64(s.Words)
	for stall, n := range s.Stalls {
		c.stack[1+stall] = float64(n)
	}
}
