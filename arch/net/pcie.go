package net

import "heddle/sim"

// PCIeConfig describes the bus between a host and its accelerator, as a host
// program sees it.
type PCIeConfig struct {
	Bandwidth sim.Bandwidth `yaml:"bandwidth" range:"1 MB/s..1 TB/s" doc:"sustained, each way"`
	Latency   sim.Time      `yaml:"latency" range:"0 ns..1 ms" doc:"of a small copy that the host waits for"`
}

// PCIe is the bus as a resource of its host.
type PCIe struct {
	config PCIeConfig
	bytes  sim.Bytes
	copies int64
	busy   sim.Time
}

// NewPCIe returns an idle bus.
func NewPCIe(c PCIeConfig) *PCIe { return &PCIe{config: c} }

// Copy returns when a copy of n bytes that starts at time at has ended.
func (p *PCIe) Copy(at sim.Time, n sim.Bytes) sim.Time {
	t := p.config.Latency + p.config.Bandwidth.TimeFor(n)
	p.bytes += n
	p.copies++
	p.busy += t
	return at + t
}

// Copied returns the bytes, the copies, and the time that they took so far.
func (p *PCIe) Copied() (sim.Bytes, int64, sim.Time) { return p.bytes, p.copies, p.busy }
