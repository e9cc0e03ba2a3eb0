package traces

import (
	"context"
	"fmt"
	"slices"

	"heddle/sim"
)

// Memory is the memory system that a trace is replayed on.
type Memory interface {
	// Width is how many threads a context runs at once, Contexts how many
	// contexts there are.
	Width() int
	Contexts() int
	// Place puts an array of the trace into the memory and returns its
	// address.
	Place(a sim.MemoryArray) (base uint64, err error)
	// Launch begins a launch of threads in blocks.
	Launch(threads, block int, at sim.Time)
	// Access performs an access of a context at a time, and returns when it is
	// done. Times may go back a little from one access to the next.
	Access(a *sim.Access, context int, at sim.Time) (done sim.Time)
}

// Replayed is what came of a replay.
type Replayed struct {
	Elapsed  sim.Time // of the replay
	Recorded sim.Time // of the run
	Launches int
	Accesses uint64                  // of threads
	Kinds    [sim.AccessKinds]uint64 // of them
	Requests uint64                  // of contexts
	Skipped  uint64                  // not recorded, as they are in no array
}

// Replay performs the accesses of a trace on a memory system, without
// executing anything.
//
// A context performs its accesses in their order. What an access waited for
// in the run is not recorded but read off its times: of all that had happened
// to the context before it (the accesses of its latest before were sent or
// done, its threads had begun or left a barrier) the latest is what it waited
// for, and what passed in between was computation. In the replay it is sent as
// long after the same. On the memory that the trace comes from a single thread
// thus gets its own times back.
//
// The end of ctx ends the replay with its error.
func Replay(ctx context.Context, r *Reader, m Memory) (*Replayed, error) {
	p := &replay{memory: m, reader: r, width: m.Width()}
	var x Record
	for {
		if err := r.Next(&x); err != nil {
			return nil, err
		}
		if err := p.place(); err != nil {
			return nil, err
		}
		switch x.Kind {
		case LaunchRecord:
			p.begin(&x)
		case ReturnRecord:
			if err := p.sort(); err != nil {
				return nil, err
			}
			if err := p.run(ctx); err != nil {
				return nil, err
			}
			p.end(x.At)
		case EndRecord:
			p.result.Skipped = x.Skipped
			return &p.result, nil
		default:
			if err := p.keep(&x); err != nil {
				return nil, err
			}
		}
	}
}

// replay is a replay going on.
type replay struct {
	memory Memory
	reader *Reader
	bases  []uint64 // of the arrays, in the memory
	width  int      // threads of a context
	result Replayed

	now      sim.Time // end of the latest launch
	recorded sim.Time // the same, in the run
	launch   Record

	// The running launch.
	events []event  // in the trace's order
	lanes  []lane   // of the events
	queues []uint32 // lanes by thread, in the trace's order
	next   []uint32 // of each thread: where it is in queues
	groups []group
	ready  []int32 // heap of groups, by the time of their next event
	due    []int32 // groups that have no context yet, in order
	blocks []block
	last   sim.Time
	access sim.Access
	addr   [maxLanes]uint64
}

// event is a record of threads.
type event struct {
	at   sim.Time
	took sim.Time
	code RecordKind
	kind sim.AccessKind
	size uint8
	id   int16 // array
}

// lane is an event's part of one thread.
type lane struct {
	thread uint32
	event  uint32
	offset uint64
}

// mostLanes bounds the accesses of a launch, which are kept in memory, some 50
// bytes each.
const mostLanes = 1 << 27

// place puts arrays that the trace has told of into the memory.
func (p *replay) place() error {
	for _, a := range p.reader.Arrays[len(p.bases):] {
		base, err := p.memory.Place(a)
		if err != nil {
			return err
		}
		p.bases = append(p.bases, base)
	}
	return nil
}

func (p *replay) begin(x *Record) {
	p.launch = *x
	p.events, p.lanes = p.events[:0], p.lanes[:0]
}

// keep notes an event of the running launch.
func (p *replay) keep(x *Record) error {
	e := event{at: x.At, code: x.Kind}
	threads := uint64(1)<<min(p.reader.Header.Width, p.launch.Launch.Threads-x.Thread) - 1
	if p.reader.Header.Width == maxLanes && p.launch.Launch.Threads-x.Thread >= maxLanes {
		threads = ^uint64(0)
	}
	if x.Kind == MemoryRecord {
		a := &x.Access
		threads = a.Lanes
		e.took, e.kind, e.size, e.id = a.Took, a.Kind, uint8(a.Size), int16(a.Array)
	}
	for i := 0; threads>>i != 0 && i < maxLanes; i++ {
		if threads>>i&1 != 0 {
			p.lanes = append(p.lanes, lane{uint32(x.Thread + i), uint32(len(p.events)), x.Access.Offset[i]})
		}
	}
	p.events = append(p.events, e)
	if len(p.lanes) > mostLanes {
		return fmt.Errorf("launch %d has more than %d accesses", p.result.Launches+1, mostLanes)
	}
	return nil
}

// sort makes the queues of the threads.
func (p *replay) sort() error {
	threads := 0
	for i := range p.lanes {
		threads = max(threads, int(p.lanes[i].thread)+1)
	}
	if threads > len(p.lanes) { // all that are there have begun
		return fmt.Errorf("damaged: launch %d has a thread %d, and others that have not begun", p.result.Launches+1, threads-1)
	}
	p.next = slices.Grow(p.next[:0], threads+1)[:threads+1]
	clear(p.next)
	for i := range p.lanes {
		p.next[p.lanes[i].thread+1]++
	}
	for t := range threads {
		p.next[t+1] += p.next[t]
	}
	p.queues = slices.Grow(p.queues[:0], len(p.lanes))[:len(p.lanes)]
	fill := slices.Clone(p.next)
	for i := range p.lanes {
		t := p.lanes[i].thread
		p.queues[fill[t]] = uint32(i)
		fill[t]++
	}
	p.makeGroups(threads, fill)
	return nil
}

func (p *replay) end(at sim.Time) {
	p.result.Launches++
	p.now = p.last
	p.recorded = at
	p.result.Elapsed, p.result.Recorded = p.now, at
}
