// Package net is what connects cores and memories: crossbars, buses, links.
package net

import "heddle/sim"

// CrossbarConfig describes a crossbar between cores and memory slices.
type CrossbarConfig struct {
	Clock          sim.Frequency `yaml:"clock" range:"1 MHz..10 GHz" doc:"clock of the crossbar"`
	Width          sim.Bytes     `yaml:"width" range:"1 B..1 KiB" doc:"bytes that each port passes a cycle, each way"`
	Header         sim.Bytes     `yaml:"header" range:"0 B..256 B" doc:"bytes of a packet beside its data"`
	RequestLatency sim.Cycles    `yaml:"request_latency" range:"0 cycles..10000 cycles" doc:"from core to slice without contention"`
	ReplyLatency   sim.Cycles    `yaml:"reply_latency" range:"0 cycles..10000 cycles" doc:"from slice to core without contention"`
}

// Crossbar connects every core with every memory slice by two networks, one
// for requests and one for replies. A packet contends with others for the port
// that it leaves by and the port that it enters by; the switch does not block.
type Crossbar struct {
	clock     sim.Clock
	width     sim.Bytes
	header    sim.Bytes
	widths    sim.Divisor
	request   sim.Time
	reply     sim.Time
	coreOut   []sim.Server // a core sends nearly in the order of its times
	sliceIn   []*sim.Slots
	sliceOut  []*sim.Slots
	coreIn    []*sim.Slots
	requested sim.Bytes
	replied   sim.Bytes
	ports     []*sim.Slots // all of them
}

// NewCrossbar returns a crossbar between cores cores and slices slices.
func NewCrossbar(c CrossbarConfig, cores, slices int) *Crossbar {
	clock := sim.NewClock(c.Clock)
	x := &Crossbar{clock: clock, width: c.Width, header: c.Header, widths: sim.NewDivisor(uint64(c.Width)),
		request: clock.Span(c.RequestLatency), reply: clock.Span(c.ReplyLatency)}
	ports := func(n int) []*sim.Slots {
		from := len(x.ports)
		for range n {
			x.ports = append(x.ports, sim.NewSlots(clock))
		}
		return x.ports[from:]
	}
	x.coreOut = make([]sim.Server, cores)
	x.sliceIn, x.sliceOut, x.coreIn = ports(slices), ports(slices), ports(cores)
	return x
}

// flits returns the cycles for which a packet with data occupies a port, at
// least one.
func (x *Crossbar) flits(data sim.Bytes) int {
	n, _ := x.widths.Split(uint64(data + x.header + x.width - 1))
	return max(1, int(n))
}

// Request sends a packet with data from a core at time at and returns when the
// slice has all of it: without contention, after the request latency and one
// cycle for each width bytes, from the first edge of the clock on.
func (x *Crossbar) Request(at sim.Time, core, slice int, data sim.Bytes) sim.Time {
	x.requested += data
	n := x.flits(data)
	start := x.coreOut[core].Reserve(at, x.clock.Span(sim.Cycles(n)))
	return x.sliceIn[slice].Reserve(start+x.request, n)
}

// Reply sends a packet with data from a slice back to a core.
func (x *Crossbar) Reply(at sim.Time, slice, core int, data sim.Bytes) sim.Time {
	x.replied += data
	n := x.flits(data)
	sent := x.sliceOut[slice].Reserve(at, n)
	return x.coreIn[core].Reserve(sent-x.clock.Span(sim.Cycles(n))+x.reply, n)
}

// Advance tells the ports that nothing will be sent before now.
func (x *Crossbar) Advance(now sim.Time) {
	for _, p := range x.ports {
		p.Advance(now)
	}
}

// Moved returns the data bytes sent to and from the slices so far.
func (x *Crossbar) Moved() (requested, replied sim.Bytes) { return x.requested, x.replied }

// PortBandwidth returns the bytes that one port passes a second.
func (x *Crossbar) PortBandwidth() sim.Bandwidth {
	return sim.Bandwidth(float64(x.width) / x.clock.Period.Seconds())
}
