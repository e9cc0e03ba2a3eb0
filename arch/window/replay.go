package window

import (
	"heddle/arch/mem"
	"heddle/sim"
)

// replaySlack is by how many cycles an access of a replay may be earlier than
// one before it.
const replaySlack = 1024

// BeginReplay begins a launch whose accesses belong to no instruction.
func (m *Machine) BeginReplay() {
	m.running = &launch{kernel: &kernel{lines: make([]LineStats, 1)}}
}

// Replay performs a thread's access at a time, without a program, and returns
// when it is done.
func (m *Machine) Replay(a *sim.Access, thread int, at sim.Time) (done sim.Time) {
	c := m.cores[m.place[thread]]
	cycle := int64(m.clock.Cycle(at + m.clock.Period - 1))
	if now := cycle - replaySlack; now > c.at {
		c.at = now
		m.memory.Advance(sim.Time(now) * m.clock.Period)
	}
	counts := m.array(int(a.Array))
	counts.Requested += bytesOf(a.Size)
	switch a.Kind {
	case sim.StoreAccess:
		counts.Stores++
	case sim.AtomicAccess:
		counts.Atomics++
	default:
		counts.Loads++
	}
	end, _ := c.access(nil, cycle, mem.Access{Addr: a.Addr[0], Size: a.Size, Kind: mem.Kind(a.Kind), Array: a.Array}, 0)
	return sim.Time(end) * m.clock.Period
}
