package isa

import (
	"fmt"
	"strings"
)

// Explainer is a Memory that can say more of a fault than the fault itself,
// such as the array that the address belongs to.
type Explainer interface {
	Explain(*Fault) string
}

// Locator is a Memory that knows what an address belongs to.
type Locator interface {
	// Where names the array element at addr, or says where addr lies.
	Where(addr uint64) string
}

// A Stop is where a thread stands when a run ends before the thread has.
type Stop struct {
	Thread int
	PC     int32
	Text   string // of the instruction
	Source Line
	Addr   uint64 // of the word that it waits for
	Where  string // name of Addr, if the memory knows one
	Waits  bool   // for a full/empty word
}

func (s Stop) String() string {
	text := fmt.Sprintf("thread %d: %s (%s)", s.Thread, s.Text, s.Source)
	if s.Waits {
		text += fmt.Sprintf(" waits for %#x", s.Addr)
		if s.Where != "" {
			text += ", " + s.Where
		}
	}
	return text
}

// stop returns where a lane of w stands, at pc.
func (w *Warp) stop(lane int, pc int32) Stop {
	s := Stop{Thread: w.Thread(lane), PC: pc, Text: w.Program.Disassemble(pc), Source: w.Program.Source(pc)}
	if s.Waits = w.Pending>>lane&1 != 0; s.Waits {
		s.Addr = w.Addr[lane]
		if m, ok := w.Memory.(Locator); ok {
			s.Where = m.Where(s.Addr)
		}
	}
	return s
}

// Trap is the error of a run that a thread's illegal access has ended.
type Trap struct {
	Stop
	Fault *Fault
	cause string
}

// Trap returns the error of a warp that Step left Faulted.
func (w *Warp) Trap() *Trap {
	t := &Trap{Stop: w.stop(w.Fault.Lane, w.PC-1), Fault: w.Fault, cause: w.Fault.Error()}
	if m, ok := w.Memory.(Explainer); ok {
		t.cause = m.Explain(w.Fault)
	}
	return t
}

func (t *Trap) Error() string { return fmt.Sprintf("%s: %s", t.Source, t.line()) }

func (t *Trap) line() string {
	return fmt.Sprintf("thread %d: %s: %s", t.Thread, t.Text, t.cause)
}

// Unwrap returns the fault.
func (t *Trap) Unwrap() error { return t.Fault }

// mostStops is how many threads a report of a run that is stuck names.
const mostStops = 10

// Stuck is the error of a run in which no thread can go on.
type Stuck struct {
	Stops []Stop // the first of the threads
	Total int    // threads that have not ended
}

func (s *Stuck) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "deadlock: %d threads wait for each other", s.Total)
	for _, t := range s.Stops {
		b.WriteString("\n  " + t.String())
	}
	if more := s.Total - len(s.Stops); more > 0 {
		fmt.Fprintf(&b, "\n  and %d more", more)
	}
	return b.String()
}

// add notes the lanes of w that wait: for their words if it is blocked, or
// those active.
func (s *Stuck) add(w *Warp, pc int32) {
	lanes := w.Active
	if w.Pending != 0 {
		lanes = w.Pending
	}
	for ; lanes != 0; lanes &= lanes - 1 {
		s.Total++
		if len(s.Stops) < mostStops {
			s.Stops = append(s.Stops, w.stop(lowest(lanes), pc))
		}
	}
}
