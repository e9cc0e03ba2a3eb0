package stream

import (
	"fmt"
	"strings"

	"heddle/arch/isa"
	"heddle/sim"
)

// watchInterval is how often, in cycles, the machine looks at its own progress.
const watchInterval = 2048

// hangOperations is how many operations the machine may execute without a
// thread changing memory or ending before the run is taken for one that never
// ends.
const hangOperations = 500_000_000

// progressMark is when progress was last seen.
type progressMark struct{ progress, operations uint64 }

// checkProgress publishes how far the machine is and ends a run that has
// reached its limit or that goes round in circles.
func (sys *System) checkProgress(now sim.Time) {
	sys.watch = now + sys.clock.Span(watchInterval)
	sys.memory.advance(now)
	sys.publish(now)
	if sys.onSample != nil {
		sys.onSample(now)
	}
	if now > sys.maxTime {
		sys.engine.Stop(fmt.Errorf("reached the limit of %d cycles\n%s", sys.clock.Cycle(sys.maxTime), sys.report()))
		return
	}
	if sys.progress != sys.watched.progress {
		sys.watched = progressMark{sys.progress, sys.stats.Operations}
		return
	}
	if sys.stats.Operations-sys.watched.operations > hangOperations {
		sys.engine.Stop(fmt.Errorf("no progress: in %d operations no thread has changed memory or ended\n%s", hangOperations, sys.report()))
	}
}

func (sys *System) publish(now sim.Time) {
	sys.Progress.Operations.Store(sys.stats.Operations)
	sys.Progress.Now.Store(int64(now))
	sys.Progress.ThreadsDone.Store(int64(sys.running.done))
}

// deadlock reports a launch in which every thread left waits for another.
func (sys *System) deadlock() error {
	text := fmt.Sprintf("deadlock: %d of %d threads ended, and no other can go on\n%s",
		sys.running.done, sys.running.threads, sys.report())
	if c := sys.cycleOfWaits(); c != "" {
		text += "\n" + c
	}
	return fmt.Errorf("%s", text)
}

// mostReported is how many threads a report names.
const mostReported = 10

// report tells where the threads are, at most ten of them.
func (sys *System) report() string {
	var b strings.Builder
	left := 0
	for t := range sys.running.threads {
		p, i := sys.place(t)
		s := &p.streams[i]
		if s.state == idle {
			continue
		}
		if left++; left <= mostReported {
			fmt.Fprintf(&b, "  processor %d, stream %d, thread %d: %s\n", p.id, i, t, sys.tell(p, i))
		}
	}
	if left > mostReported {
		fmt.Fprintf(&b, "  and %d more threads\n", left-mostReported)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// place returns the stream of a thread of the running launch.
func (sys *System) place(thread int) (*processor, int) {
	n := len(sys.processors)
	return sys.processors[thread%n], thread / n
}

// tell says what a stream's thread does.
func (sys *System) tell(p *processor, i int) string {
	s := &p.streams[i]
	prog := sys.kernel.program
	at := func(pc int32) string { return fmt.Sprintf("%s: %s", prog.Source(pc), prog.Disassemble(pc)) }
	switch s.state {
	case retrying, parked:
		addr := p.streams[i].thread.Addr
		text := fmt.Sprintf("waits for %s to be %s, in %s", sys.space.Locate(addr), sys.wanted(s), at(int32(s.blame)))
		switch c := sys.parking.latest(addr); {
		case c.addr != addr:
			return text
		case c.launch != sys.stats.Launches:
			return text + "; no thread has changed it in this launch"
		default:
			return text + fmt.Sprintf("; thread %d left it %s in %s", c.thread, stateAfter(prog.Code[c.pc].Op), at(c.pc))
		}
	case atBarrier:
		return "waits at the barrier " + at(int32(s.pc))
	}
	return "runs " + at(int32(s.pc))
}

// wanted names the state that the stream's operation waits for.
func (sys *System) wanted(s *stream) string {
	if sys.kernel.program.Code[s.blame].Op == isa.OpWriteEF {
		return "empty"
	}
	return "full"
}

func stateAfter(op isa.Op) string {
	if op == isa.OpWriteEF {
		return "full"
	}
	return "empty"
}

// cycleOfWaits follows each waiting thread to the one that last changed the
// bit of its word, and returns the first cycle among them in words, "" if
// there is none.
func (sys *System) cycleOfWaits() string {
	seen := make([]int, sys.running.threads) // by which walk, from 1 on
	for first := range seen {
		for t := first; t >= 0 && seen[t] == 0; t = sys.waitsFor(t) {
			seen[t] = first + 1
			if next := sys.waitsFor(t); next >= 0 && seen[next] == first+1 {
				return sys.tellCycle(next)
			}
		}
	}
	return ""
}

// waitsFor returns the thread that last changed the word that thread t waits
// for, -1 if t does not wait for one or nobody is known to have changed it.
func (sys *System) waitsFor(t int) int {
	p, i := sys.place(t)
	if s := &p.streams[i]; s.state != parked && s.state != retrying {
		return -1
	}
	addr := p.streams[i].thread.Addr
	c := sys.parking.latest(addr)
	if c.addr != addr || c.launch != sys.stats.Launches {
		return -1
	}
	return int(c.thread)
}

func (sys *System) tellCycle(first int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "cycle of waits: thread %d", first)
	for t := first; ; {
		p, i := sys.place(t)
		next := sys.waitsFor(t)
		fmt.Fprintf(&b, " waits for %s, last changed by thread %d", sys.space.Locate(p.streams[i].thread.Addr), next)
		if t = next; t == first {
			return b.String()
		}
		b.WriteString(", which")
	}
}
