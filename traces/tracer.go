package traces

import (
	"fmt"
	"io"

	"heddle/sim"
)

// Options say what a Tracer shows.
type Options struct {
	From, For sim.Time // window, from the start of the timed part; For 0: to the end of the run
	Cores     []int    // whose contexts and requests are shown; nil: all

	// Now returns the engine's time, and DRAM the bytes that DRAM has moved.
	Now  func() sim.Time
	DRAM func() sim.Bytes
}

// Tracer writes a timeline of a run for a viewer: for each core the threads in
// its contexts, what they spend their time with, and its requests to memory;
// for the host launches, copies and regions of programs; for the machine
// instructions issued, bandwidth, occupancy and the program's own figures over
// time. It implements sim.Observer. What it keeps grows with the machine and
// not with the run.
type Tracer struct {
	options Options
	layout  sim.Layout
	out     viewer

	origin   sim.Time // start of the timed part
	began    bool
	from, to sim.Time // window, as the machine counts
	cores    []core
	next     int    // track
	slices   uint64 // numbered so far

	launch   launch
	host     host
	counters counters
}

// core is what is known of a core; of one that is not shown, nothing.
type core struct {
	shown    bool
	group    int
	contexts []slot
	requests lanes
}

// slot is a context's threads and state.
type slot struct {
	track   int // 0: nothing has been shown of it
	busy    bool
	begun   bool   // its threads' slice has
	thread  int    // first
	id      uint64 // of the threads' slice
	started sim.Time

	// Its present state, which may go on.
	state    int
	pc       int32
	from, to sim.Time
}

// launch is the running one.
type launch struct {
	*sim.Launched // nil between launches
	id            uint64
}

// NewTracer returns a tracer that writes to w in the format that the ending of
// path names or, if that is a database, to file, which exists and is empty.
func NewTracer(path, file string, w io.Writer, l sim.Layout, o Options) (*Tracer, error) {
	out, err := newViewer(path, file, w)
	if err != nil {
		return nil, err
	}
	return newTracer(out, l, o)
}

func newTracer(out viewer, l sim.Layout, o Options) (*Tracer, error) {
	t := &Tracer{options: o, layout: l, out: out, cores: make([]core, l.Cores)}
	for i := range t.cores {
		t.cores[i].shown = o.Cores == nil
	}
	for _, i := range o.Cores {
		if i < 0 || i >= l.Cores {
			return nil, fmt.Errorf("core %d: %s has %ss 0 to %d", i, l.Machine, l.Core, l.Cores-1)
		}
		t.cores[i].shown = true
	}
	t.host.begin(t)
	t.counters.begin(t)
	return t, nil
}

// track returns the number of a new track or group.
func (t *Tracer) track() int {
	t.next++
	return t.next
}

// number returns the id of a new slice.
func (t *Tracer) number() uint64 {
	t.slices++
	return t.slices
}

// Began implements sim.Observer.
func (t *Tracer) Began(at sim.Time) {
	t.origin, t.began = at, true
	t.from, t.to = at+t.options.From, sim.Never
	if t.options.For > 0 {
		t.to = t.from + t.options.For
	}
	t.counters.start(t)
}

// clip cuts a span to the window and makes it count from the start; it reports
// whether anything is left.
func (t *Tracer) clip(from, to sim.Time) (sim.Time, sim.Time, bool) {
	from, to = max(from, t.from), min(to, t.to)
	return from - t.origin, to - t.origin, t.began && from < to
}

// at returns the context c, or nil if it is not shown.
func (t *Tracer) at(c sim.Context) *slot {
	k := &t.cores[c.Core]
	if !k.shown {
		return nil
	}
	if k.contexts == nil {
		k.contexts = make([]slot, t.layout.Contexts)
		k.group = t.track()
		t.out.group(k.group, fmt.Sprintf("%s %d", t.layout.Core, c.Core), rankCores+int(c.Core))
	}
	return &k.contexts[c.Slot]
}

// Started implements sim.Probe.
func (t *Tracer) Started(c sim.Context, thread int, at sim.Time) {
	t.counters.resident++
	if x := t.at(c); x != nil {
		*x = slot{track: x.track, busy: true, thread: thread, id: t.number(), started: at, state: -1}
	}
}

// Spent implements sim.Probe.
func (t *Tracer) Spent(c sim.Context, state int, pc int32, from, to sim.Time, issued int) {
	if issued > 0 {
		t.counters.issued(t, from, issued)
		t.host.issued(pc, from, to)
	}
	t.counters.tick(t)
	x := t.at(c)
	if x == nil {
		return
	}
	if x.state == state && x.pc == pc && x.to == from {
		x.to = to
		return
	}
	t.showState(c, x)
	x.state, x.pc, x.from, x.to = state, pc, from, to
}

// showState writes the state that a context was in.
func (t *Tracer) showState(c sim.Context, x *slot) {
	from, to, some := t.clip(x.from, x.to)
	if x.state < 0 || !some {
		return
	}
	if x.track == 0 {
		x.track = t.track()
		t.out.track(x.track, t.cores[c.Core].group, fmt.Sprintf("%s %d", t.layout.Context, c.Slot), int(c.Slot))
	}
	if !x.begun {
		x.begun = true
		begin, _, _ := t.clip(x.started, x.to)
		t.out.begin(x.track, &slice{name: t.threads(x), kind: "threads", id: x.id, parent: t.launch.id, from: begin})
	}
	s := slice{name: t.layout.States[x.state], kind: "state", id: t.number(), parent: x.id, from: from, to: to}
	if line := t.line(x.pc); line != "" {
		s.args = []arg{{name: "line", text: line}}
	}
	t.out.slice(x.track, &s)
}

// threads names the threads of a context.
func (t *Tracer) threads(x *slot) string {
	if t.layout.Width == 1 {
		return fmt.Sprintf("thread %d", x.thread)
	}
	return fmt.Sprintf("threads %d-%d", x.thread, x.thread+t.layout.Width-1)
}

// line returns where an instruction of the running program comes from.
func (t *Tracer) line(pc int32) string {
	if l := t.launch.Launched; l != nil && pc >= 0 && int(pc) < len(l.Lines) {
		return l.Lines[pc]
	}
	return ""
}

// Arrived implements sim.Probe; the wait is a state.
func (t *Tracer) Arrived(sim.Context, sim.Time) {}

// Ended implements sim.Probe.
func (t *Tracer) Ended(c sim.Context, at sim.Time) {
	t.counters.resident--
	if x := t.at(c); x != nil {
		t.finish(c, x, at)
	}
}

// finish ends what is shown of a context's threads.
func (t *Tracer) finish(c sim.Context, x *slot, at sim.Time) {
	t.showState(c, x)
	if x.begun {
		t.out.end(x.track, min(max(at, x.to), t.to)-t.origin)
	}
	*x = slot{track: x.track}
}

// Launched implements sim.Observer.
func (t *Tracer) Launched(l *sim.Launched) {
	t.launch = launch{l, t.number()}
	t.host.launched(l)
}

// Returned implements sim.Observer.
func (t *Tracer) Returned(at sim.Time) {
	t.finishAll(at)
	t.host.returned(t, at)
	t.launch = launch{}
}

// finishAll ends threads that a run which failed or was interrupted has left.
func (t *Tracer) finishAll(at sim.Time) {
	for i := range t.cores {
		for j := range t.cores[i].contexts {
			x := &t.cores[i].contexts[j]
			if x.busy {
				t.counters.resident--
				t.finish(sim.Context{Core: int32(i), Slot: int32(j)}, x, max(at, x.to))
			}
		}
	}
}

// Close ends the file. The run has ended.
func (t *Tracer) Close() error {
	if t.launch.Launched != nil {
		t.Returned(t.options.Now())
	}
	t.counters.end(t)
	return t.out.close()
}
