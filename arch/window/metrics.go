package window

import (
	"slices"

	"heddle/arch/isa"
)

// Stats returns what the cores have counted.
func (m *Machine) Stats() Stats {
	s := m.stats
	for _, c := range m.cores {
		s.add(&c.stats)
	}
	return s
}

// Kernel is a program that the machine has run, with what it counted for each
// of its instructions.
type Kernel struct {
	Program *isa.Program
	Lines   []LineStats // by pc
}

// Kernels returns the programs run, in the order of their first launch.
func (m *Machine) Kernels() []Kernel {
	var all []Kernel
	for _, k := range m.order {
		all = append(all, Kernel{k.program, k.lines})
	}
	return all
}

// Arrays returns the counts of the arrays of the machine's Space, by ID.
func (m *Machine) Arrays() []ArrayStats { return slices.Clone(m.arrays) }
