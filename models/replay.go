package models

import (
	"fmt"

	"heddle/arch/isa"
	"heddle/sim"
)

// Replayer is the memory system of a machine without its programs: accesses
// come from elsewhere, as a recorded trace has them.
type Replayer struct {
	machine *Machine
	device  replayable
	layout  sim.Layout
}

// replayable is a device whose memory can be accessed without a program.
type replayable interface {
	observable
	// beginReplay begins a launch of threads in blocks.
	beginReplay(block int, at sim.Time)
	replay(a *sim.Access, context int, at sim.Time) (done sim.Time)
	// contexts returns how many contexts run at once.
	contexts() int
}

// Replayer returns the machine's memory system, for a replay in the place of a
// run.
func (m *Machine) Replayer() (*Replayer, error) {
	layout, err := m.Layout()
	if err != nil {
		return nil, err
	}
	return &Replayer{m, m.device.(replayable), layout}, nil
}

// Contexts returns how many warps, streams or threads the machine runs at once,
// 0 of a machine that keeps no time.
func (m *Machine) Contexts() int {
	if d, ok := m.device.(replayable); ok {
		return d.contexts()
	}
	return 0
}

// Width returns how many threads a context runs at once.
func (r *Replayer) Width() int { return r.layout.Width }

// Contexts returns how many contexts the machine has.
func (r *Replayer) Contexts() int { return r.device.contexts() }

// Place puts an array into the memory, and returns its address.
func (r *Replayer) Place(a sim.MemoryArray) (base uint64, err error) {
	t, err := isa.ParseType(a.Type)
	if err != nil || t.Size() != a.Element {
		return 0, fmt.Errorf("array %s: no elements of type %q have %d bytes", a.Name, a.Type, a.Element)
	}
	placed, err := r.machine.Space.Reserve(a.Name, t, a.Length)
	return placed.Base, err
}

// Launch begins a launch of threads in blocks.
func (r *Replayer) Launch(_, block int, at sim.Time) {
	if !r.machine.Started() {
		r.machine.Start()
	}
	r.device.beginReplay(block, at)
}

// Access performs an access of a context at a time, and returns when it is
// done.
func (r *Replayer) Access(a *sim.Access, context int, at sim.Time) (done sim.Time) {
	return r.device.replay(a, context, at)
}

// End ends the replay.
func (r *Replayer) End(elapsed sim.Time) {
	r.machine.now, r.machine.busy, r.machine.elapsed = elapsed, elapsed, elapsed
}

func (d *gpuDevice) contexts() int {
	c := d.Config()
	return c.SMs * c.Occupancy.Warps
}

func (d *gpuDevice) beginReplay(block int, _ sim.Time) { d.BeginReplay(block) }

func (d *gpuDevice) replay(a *sim.Access, context int, at sim.Time) sim.Time {
	return d.Replay(a, context, at)
}

func (d *streamDevice) contexts() int {
	c := d.Config()
	return c.Processors * c.Launch.Streams
}

func (d *streamDevice) beginReplay(int, sim.Time) {}

func (d *streamDevice) replay(a *sim.Access, context int, at sim.Time) sim.Time {
	return d.Replay(a, context, at)
}

func (d *windowDevice) contexts() int { return d.desc.Threads }

func (d *windowDevice) beginReplay(int, sim.Time) { d.BeginReplay() }

func (d *windowDevice) replay(a *sim.Access, context int, at sim.Time) sim.Time {
	return d.Replay(a, context, at)
}
