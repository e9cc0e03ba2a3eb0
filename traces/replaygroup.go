package traces

import (
	"container/heap"
	"context"

	"heddle/sim"
)

// group is the threads that a context runs, and what has happened to them: in
// the run, and in the replay.
type group struct {
	first, end uint32   // threads
	tails      []uint32 // of each: where its queue ends
	context    int32
	gave       bool // its context to another, while it waits
	block      int32
	lead       int32    // thread of the next event
	at         sim.Time // when that is
	waits      bool     // at a barrier

	past [pastEvents]moment // a ring
	n    int
	sent moment // the latest access was
	done sim.Time
}

// moment is a time in the run and the same in the replay.
type moment struct{ run, replay sim.Time }

// pastEvents is how many of a context's latest accesses its next one may have
// waited for.
const pastEvents = 64

// block is the threads that wait for each other at a barrier.
type block struct {
	from, to      int32 // its groups, to not included
	live, arrived int
	release       moment
}

// remember notes that something has happened.
func (g *group) remember(m moment) {
	g.past[g.n%pastEvents] = m
	g.n++
}

// when returns the time in the replay of what happened at a time in the run:
// as long after what came last before it.
func (g *group) when(run sim.Time) sim.Time {
	ref := g.sent
	known := g.sent.run <= run
	for i := range min(g.n, pastEvents) {
		m := &g.past[i]
		if m.run <= run && (!known || m.run > ref.run || m.run == ref.run && m.replay > ref.replay) {
			ref, known = *m, true
		}
	}
	return max(0, ref.replay+run-ref.run)
}

// makeGroups makes the groups of the running launch, whose threads' queues end
// at tails, and gives contexts to as many as there are.
func (p *replay) makeGroups(threads int, tails []uint32) {
	l := &p.launch.Launch
	p.groups, p.ready, p.due = p.groups[:0], p.ready[:0], p.due[:0]
	p.blocks = make([]block, (threads+l.Block-1)/l.Block)
	at := p.now + max(0, l.At-p.recorded)
	p.last = at
	p.memory.Launch(l.Threads, l.Block, at)
	for t := 0; t < threads; t += p.width {
		end := min(t+p.width, threads)
		if p.next[t] == tails[end-1] {
			continue // of threads that do nothing
		}
		g := group{first: uint32(t), end: uint32(end), tails: tails[t:end], block: int32(t / l.Block)}
		b := &p.blocks[g.block]
		if b.live++; b.live == 1 {
			b.from = int32(len(p.groups))
		}
		p.groups = append(p.groups, g)
		b.to = int32(len(p.groups))
	}
	contexts := p.memory.Contexts()
	for i := min(contexts, len(p.groups)); i < len(p.groups); i++ {
		p.due = append(p.due, int32(i))
	}
	for i := range min(contexts, len(p.groups)) {
		from := moment{l.At, at}
		if i >= p.reader.Header.Contexts { // it waited for a context, and need not
			from.run = p.startOf(int32(i))
		}
		p.start(int32(i), int32(i), from)
	}
}

// start gives a group a context. Its threads have begun with the launch or,
// where they had to wait for a context, when they get one.
func (p *replay) start(i, context int32, from moment) {
	g := &p.groups[i]
	g.context, g.sent = context, from
	p.schedule(i)
}

// schedule finds the next event of a group: the earliest of its threads, but a
// barrier only when all are there.
func (p *replay) schedule(i int32) {
	g := &p.groups[i]
	lead, barrier := int32(-1), true
	var first *event
	var number uint32 // of first
	for t := g.first; t < g.end; t++ {
		if p.next[t] == g.tails[t-g.first] {
			continue
		}
		n := p.lanes[p.queues[p.next[t]]].event
		e := &p.events[n]
		is := e.code == BarrierRecord
		if first == nil || barrier && !is || barrier == is && (e.at < first.at || e.at == first.at && n < number) {
			lead, first, number, barrier = int32(t), e, n, is
		}
	}
	if g.lead = lead; lead < 0 {
		p.finish(i)
		return
	}
	g.at = g.when(first.at)
	heap.Push((*readyGroups)(p), i)
}

// finish ends a group and gives its context to the next.
func (p *replay) finish(i int32) {
	g := &p.groups[i]
	at := max(g.done, g.sent.replay)
	p.last = max(p.last, at)
	b := &p.blocks[g.block]
	b.live--
	p.pass(g, at)
	p.release(b)
}

// pass gives the context of g to the next group that waits for one.
func (p *replay) pass(g *group, at sim.Time) {
	if len(p.due) == 0 || g.gave {
		return
	}
	g.gave = true
	i := p.due[0]
	p.due = p.due[1:]
	p.start(i, g.context, moment{p.startOf(i), at})
}

// startOf returns when a group's first thread began in the run.
func (p *replay) startOf(i int32) sim.Time {
	g := &p.groups[i]
	for t := g.first; t < g.end; t++ {
		if p.next[t] < g.tails[t-g.first] {
			return p.events[p.lanes[p.queues[p.next[t]]].event].at
		}
	}
	return p.launch.Launch.At
}

// patience is how many events are replayed between two looks at the context.
const patience = 1 << 12

// run replays a launch.
func (p *replay) run(ctx context.Context) error {
	for n := 0; len(p.ready) > 0; n++ {
		if n%patience == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		p.step(heap.Pop((*readyGroups)(p)).(int32))
	}
	return nil
}

// step performs the next event of a group.
func (p *replay) step(i int32) {
	g := &p.groups[i]
	lead := p.lanes[p.queues[p.next[g.lead]]].event
	e := &p.events[lead]
	a := &p.access
	a.Lanes, a.Thread = 0, int(g.first)
	for t := g.first; t < g.end; t++ {
		if p.next[t] == g.tails[t-g.first] {
			continue
		}
		l := &p.lanes[p.queues[p.next[t]]]
		if l.event != lead && !p.joins(&p.events[l.event], e) {
			continue
		}
		p.next[t]++
		if e.code == MemoryRecord {
			a.Lanes |= 1 << (t - g.first)
			p.addr[t-g.first] = p.bases[e.id] + l.offset
			p.result.Accesses++
			p.result.Kinds[e.kind]++
		}
	}
	switch e.code {
	case MemoryRecord:
		p.result.Requests++
		a.Kind, a.Array, a.Size, a.Addr = e.kind, e.id, int32(e.size), p.addr[:]
		done := p.memory.Access(a, int(g.context), g.at)
		g.remember(moment{e.at + e.took, done})
		g.sent = moment{e.at, g.at}
		g.done = max(g.done, done)
	case BarrierRecord:
		p.arrive(i, e)
		return
	default: // a start
		g.sent = moment{e.at, g.at}
	}
	p.schedule(i)
}

// joins reports whether a thread's next event becomes one with another of its
// group: events of a narrower machine, or of one whose warps are cut
// differently, do if they are of a kind. Those of one instruction are one
// anyway.
func (p *replay) joins(other, e *event) bool {
	if other.code != e.code {
		return false
	}
	return e.code != MemoryRecord || p.reader.Header.Width != p.width && other.kind == e.kind && other.size == e.size && other.id == e.id
}

// arrive makes a group wait at the barrier of its block. While it does another
// may have its context.
func (p *replay) arrive(i int32, e *event) {
	g := &p.groups[i]
	g.waits = true
	b := &p.blocks[g.block]
	b.arrived++
	b.release = moment{max(b.release.run, e.at), max(b.release.replay, g.at)}
	if b.arrived < b.live {
		p.pass(g, g.at)
	}
	p.release(b)
}

// release lets the groups of a block go on when all that have not ended are at
// the barrier.
func (p *replay) release(b *block) {
	if b.arrived == 0 || b.arrived < b.live {
		return
	}
	at := b.release
	b.arrived, b.release = 0, moment{}
	for i := b.from; i < b.to; i++ {
		if g := &p.groups[i]; g.waits {
			g.waits = false
			g.remember(at)
			g.sent = at
			p.schedule(i)
		}
	}
}

// readyGroups is the heap of a replay's groups by the time of their next event.
type readyGroups replay

func (r *readyGroups) Len() int { return len(r.ready) }
func (r *readyGroups) Less(i, j int) bool {
	a, b := r.ready[i], r.ready[j]
	if x, y := r.groups[a].at, r.groups[b].at; x != y {
		return x < y
	}
	return a < b
}
func (r *readyGroups) Swap(i, j int) { r.ready[i], r.ready[j] = r.ready[j], r.ready[i] }
func (r *readyGroups) Push(x any)    { r.ready = append(r.ready, x.(int32)) }
func (r *readyGroups) Pop() any {
	last := len(r.ready) - 1
	i := r.ready[last]
	r.ready = r.ready[:last]
	return i
}
