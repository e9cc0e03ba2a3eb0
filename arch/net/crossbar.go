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
	small     [257]uint16 // flits of a packet, by its bytes of data
	request   sim.Time
	reply     uint64       // cycles
	coreOut   []sim.Server // a core sends nearly in the order of its times
	sliceIn   []sim.Slots
	sliceOut  []sim.Slots
	coreIn    []sim.Slots
	requested sim.Bytes
	replied   sim.Bytes
	ports     []sim.Slots // all of them
}

// NewCrossbar returns a crossbar between cores cores and slices slices.
func NewCrossbar(c CrossbarConfig, cores, slices int) *Crossbar {
	clock := sim.NewClock(c.Clock)
	x := &Crossbar{clock: clock, width: c.Width, header: c.Header,
		request: clock.Span(c.RequestLatency), reply: uint64(c.ReplyLatency)}
	for data := range x.small {
		x.small[data] = uint16(x.divide(sim.Bytes(data)))
	}
	x.ports = make([]sim.Slots, 2*slices+cores)
	for i := range x.ports {
		x.ports[i] = sim.NewSlots(clock)
	}
	x.coreOut = make([]sim.Server, cores)
	x.sliceIn, x.sliceOut, x.coreIn = x.ports[:slices], x.ports[slices:2*slices], x.ports[2*slices:]
	return x
}

// flits returns the cycles for which a packet with data occupies a port, at
// least one.
func (x *Crossbar) flits(data sim.Bytes) int {
	if uint64(data) < uint64(len(x.small)) {
		return int(x.small[data])
	}
	return x.divide(data)
}

func (x *Crossbar) divide(data sim.Bytes) int {
	return max(1, int((data+x.header+x.width-1)/x.width))
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
	out := &x.sliceOut[slice]
	sent := out.Book(out.Cycle(at), n) - uint64(n)
	return sim.Time(x.coreIn[core].Book(sent+x.reply, n)) * x.clock.Period
}

// Advance tells the ports that nothing will be sent before now.
func (x *Crossbar) Advance(now sim.Time) {
	for i := range x.ports {
		x.ports[i].Advance(now)
	}
}

// Moved returns the data bytes sent to and from the slices so far.
func (x *Crossbar) Moved() (requested, replied sim.Bytes) { return x.requested, x.replied }

// PortBandwidth returns the bytes that one port passes a second.
func (x *Crossbar) PortBandwidth() sim.Bandwidth {
	return sim.Bandwidth(float64(x.width) / x.clock.Period.Seconds())
}
