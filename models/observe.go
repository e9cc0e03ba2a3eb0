package models

import (
	"fmt"
	"path"

	"heddle/arch/isa"
	"heddle/arch/simt"
	"heddle/arch/stream"
	"heddle/arch/window"
	"heddle/sim"
)

// observable is a device that keeps time, so that its threads can be watched.
type observable interface {
	Watch(p sim.Probe)
	layout() sim.Layout
	// shape returns the threads of a launch over items, and how many of them
	// wait for each other at a barrier.
	shape(items int) (threads, block int)
	// DRAMBytes returns the bytes that DRAM has read and written.
	DRAMBytes() sim.Bytes
}

// Observe lets o watch the machine, which has not run yet.
func (m *Machine) Observe(o sim.Observer) error {
	d, err := m.observable()
	if err == nil {
		m.observer = o
		d.Watch(o)
	}
	return err
}

func (m *Machine) observable() (observable, error) {
	d, ok := m.device.(observable)
	if !ok {
		return nil, fmt.Errorf("machine %s keeps no time: there is nothing to watch", m.Description.Name())
	}
	return d, nil
}

// Layout returns what is to be seen of the machine.
func (m *Machine) Layout() (sim.Layout, error) {
	d, err := m.observable()
	if err != nil {
		return sim.Layout{}, err
	}
	l := d.layout()
	l.Machine, l.Clock = m.Description.Name(), m.clock
	return l, nil
}

// DRAMBytes returns the bytes that DRAM has read and written so far.
func (m *Machine) DRAMBytes() sim.Bytes {
	d, err := m.observable()
	if err != nil {
		return 0
	}
	return d.DRAMBytes()
}

// showLaunch tells the observer, if there is one, of a launch.
func (m *Machine) showLaunch(p *isa.Program, items int, at sim.Time) {
	if m.observer == nil {
		return
	}
	l := &sim.Launched{Program: p.Name, At: at, Lines: make([]string, len(p.Code)), Regions: regionsOf(p), Arrays: m.Arrays()}
	l.Threads, l.Block = m.device.(observable).shape(items)
	for pc := range p.Code {
		line := p.Lines[p.Code[pc].Line]
		l.Lines[pc] = fmt.Sprintf("%s:%d", path.Base(line.File), line.Num)
	}
	m.observer.Launched(l)
}

// Arrays lists the arrays in the machine's memory, by ID.
func (m *Machine) Arrays() []sim.MemoryArray {
	var list []sim.MemoryArray
	for _, a := range m.Space.Arrays() {
		list = append(list, sim.MemoryArray{Name: a.Name, Type: a.Elem.String(), Element: a.Elem.Size(), Base: a.Base, Length: a.Len})
	}
	return list
}

func regionsOf(p *isa.Program) []sim.Region {
	var regions []sim.Region
	var open []int
	for pc := range p.Code {
		switch in := &p.Code[pc]; in.Op {
		case isa.OpRegionBegin:
			open = append(open, len(regions))
			regions = append(regions, sim.Region{Name: p.Regions[in.Off], From: int32(pc)})
		case isa.OpRegionEnd:
			last := len(open) - 1
			regions[open[last]].To = int32(pc)
			open = open[:last]
		}
	}
	return regions
}

func (d *gpuDevice) layout() sim.Layout {
	c := d.Config()
	return sim.Layout{Core: "SM", Context: "warp", Cores: c.SMs, Contexts: c.Occupancy.Warps, Width: c.WarpWidth, States: simt.States(), Issue: "warp instructions"}
}

func (d *gpuDevice) shape(items int) (threads, block int) {
	block = d.Config().Launch.BlockSize
	return (items + block - 1) / block * block, block
}

func (d *streamDevice) layout() sim.Layout {
	c := d.Config()
	return sim.Layout{Core: "processor", Context: "stream", Cores: c.Processors, Contexts: c.Launch.Streams, Width: 1, States: stream.States(), Issue: "words"}
}

func (d *streamDevice) shape(items int) (threads, block int) {
	n := d.Threads(items)
	return n, n
}

func (d *windowDevice) layout() sim.Layout {
	t := d.desc.topology()
	return sim.Layout{Core: "core", Context: "thread", Cores: t.Sockets * t.Dies * t.Cores, Contexts: t.SMT, Width: 1, States: window.States(), Issue: "instructions"}
}

func (d *windowDevice) shape(int) (threads, block int) { return d.desc.Threads, d.desc.Threads }

// DRAMBytes returns the bytes that the memories of all dies have read and
// written.
func (d *windowDevice) DRAMBytes() sim.Bytes { return d.memory.DieStats(-1).DRAM.Bytes }
