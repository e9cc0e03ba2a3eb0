package window

import (
	"fmt"
	"strings"

	"heddle/arch/isa"
	"heddle/sim"
)

// watchInterval is how often, in cycles, the machine looks at its own progress.
const watchInterval = 4096

// hangCycles is how long the machine may go on without a thread writing memory
// or ending before the run is taken for one that never ends.
const hangCycles = 100_000_000

// checkProgress publishes how far the machine is and ends a run that has
// reached its limit or that goes round in circles.
func (m *Machine) checkProgress(now sim.Time) {
	m.watch = now + m.clock.Span(watchInterval)
	if m.maxTime < m.watch {
		m.watch = m.maxTime + 1
	}
	m.memory.Advance(now)
	m.publish(now)
	if m.onSample != nil {
		m.onSample(now)
	}
	if now > m.maxTime {
		m.stop(fmt.Errorf("reached the limit of %d cycles\n%s", m.clock.Cycle(m.maxTime), m.report()))
		return
	}
	did := uint64(m.running.start) - uint64(m.running.live)
	for _, c := range m.cores {
		did += c.stats.Stores + c.stats.Atomics
	}
	if did != m.progress {
		m.progress, m.progressAt = did, now
		return
	}
	if now-m.progressAt > m.clock.Span(m.patience) {
		m.stop(fmt.Errorf("no progress: in %d cycles no thread has written memory or ended\n%s", m.patience, m.report()))
	}
}

func (m *Machine) stop(err error) {
	m.failed = true
	m.engine.Stop(err)
}

func (m *Machine) publish(now sim.Time) {
	m.Progress.Instructions.Store(m.Instructions())
	m.Progress.Now.Store(int64(now))
	m.Progress.ThreadsDone.Store(int64(len(m.running.threads) - m.running.live))
}

// Instructions returns the number executed so far.
func (m *Machine) Instructions() uint64 {
	n := m.stats.Instructions
	for _, c := range m.cores {
		for _, t := range c.threads {
			n += t.executed()
		}
	}
	return n
}

// deadlock reports a launch in which every thread left waits for another.
func (m *Machine) deadlock() error {
	return fmt.Errorf("deadlock: %d of %d threads ended, and none can go on\n%s",
		len(m.running.threads)-m.running.live, len(m.running.threads), m.report())
}

// report tells where the threads are, at most ten of them.
func (m *Machine) report() string {
	var b strings.Builder
	p := m.running.Program
	n := 0
	for _, t := range m.running.threads {
		if t.over {
			continue
		}
		if n++; n > 10 {
			continue
		}
		what := "runs"
		switch {
		case t.atWait:
			what = "waits at the barrier before"
		case t.blocked && t.wake == never:
			state := "full"
			if p.Code[t.lone.PC].Op == isa.OpWriteEF {
				state = "empty"
			}
			what = fmt.Sprintf("waits for %s to be %s, in", m.space.Locate(t.lone.Addr), state)
		}
		fmt.Fprintf(&b, "  core %d, thread %d: %s %s: %s\n", t.core.id, t.number, what, p.Source(t.lone.PC), p.Disassemble(t.lone.PC))
	}
	if n > 10 {
		fmt.Fprintf(&b, "  and %d more threads\n", n-10)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
