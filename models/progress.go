package models

import "heddle/sim"

// Progress is how far a run is.
type Progress struct {
	Instructions uint64   // warp instructions
	Now          sim.Time // simulated
	Launches     int64    // begun
	Done, Of     int64    // thread blocks of the running launch
}

// Progress may be called from any goroutine while the machine runs.
func (m *Machine) Progress() Progress { return m.device.progress() }

// Part is a component of a machine as a monitor shows it: a name and a pointer
// to its state.
type Part struct {
	Name  string
	State any
}

// Parts returns the machine's components.
func (m *Machine) Parts() []Part { return m.device.parts() }
