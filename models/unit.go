package models

import (
	"math"

	"heddle/sim"
)

// Unit is a part of a machine: a core, a cache, a memory or a link, and how
// busy it was over the time for which programs ran.
type Unit struct {
	Name  string
	Kind  string  // core, cache, memory or link
	Group string  // what it belongs to, such as a socket; "" for the whole machine
	Busy  float64 // share of what it can do that it did
	Of    string  // what Busy is a share of
	Hits  float64 // of a cache: the share of accesses that hit; else NaN
	Bytes sim.Bytes
}

// Peak is the most that a machine can do.
type Peak struct {
	Instructions float64 // a second, by warps
	DRAM         float64 // bytes a second
}

// busUnit returns the bus between host and device.
func (m *Machine) busUnit() Unit {
	bytes, _, busy := m.bus.Copied()
	return Unit{Name: "PCIe", Kind: "link", Busy: float64(busy) / float64(m.upload+m.elapsed+m.download), Of: "the time of the run and its copies", Hits: math.NaN(), Bytes: bytes}
}
