package window

import "heddle/sim"

// Executed returns the instructions that the threads of a core have executed.
func (m *Machine) Executed(core int) uint64 {
	n := m.cores[core].executed
	for _, t := range m.cores[core].threads {
		n += t.executed()
	}
	return n
}

// Snapshot returns what the cores have counted, the running launch included.
func (m *Machine) Snapshot() Stats {
	s := m.Stats()
	if m.running != nil && !m.running.accounted {
		for _, t := range m.running.threads {
			for i, n := range t.cycles {
				s.Cycles[i] += n
			}
		}
	}
	s.Instructions = m.Instructions()
	return s
}

// Sample makes the machine call f with the time, about every watchInterval
// cycles, while programs run.
func (m *Machine) Sample(f func(now sim.Time)) { m.onSample = f }
