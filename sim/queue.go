package sim

import (
	"math"
	"math/bits"
)

// queue is a calendar queue: a ring of buckets, each one day of 2^shift
// femtoseconds long, and a heap. The buckets hold the days from now on; the
// heap takes an event that lies beyond them, and one that would have to walk
// far to its place in its bucket, so that no pattern of times costs more than
// a heap does. The length of a day follows the events.
//
// Buckets are rings of events sorted by (time, order). An event is inserted
// from the tail, so events of one time cost nothing to keep in order.
type queue struct {
	tail     [buckets]*Event // last event of the day, whose next is the first
	occupied bitRing
	shift    uint
	heap     eventHeap
	count    int
	order    uint64 // events ever scheduled

	pace pace
}

const (
	buckets   = 4096
	walkLimit = 32 // steps from the tail of a bucket before the heap is cheaper

	firstShift = 16 // a day of 66 ps, a ring of 268 ns
	lastShift  = 50 // a ring of 4600 seconds

	firstPatience = 256
	lastReversal  = 16 // after which patience doubles no more
)

// pace watches what the present length of a day costs.
type pace struct {
	steps    uint64 // walked within buckets
	beyond   uint64 // events that lay beyond the ring
	since    uint64 // queue.order when the counts began
	patience uint64 // cost that must add up before the length changes
	reversed uint   // how often it grew after shrinking, or shrank after growing
	widened  bool   // by the last change
	walked   uint64 // steps, ever
}

func (q *queue) init() {
	q.occupied = newBitRing(buckets)
	q.shift = firstShift
	q.pace.patience = firstPatience
}

// push schedules ev at t >= now, after every pending event of that time.
func (q *queue) push(ev *Event, t, now Time) {
	ev.time = t
	ev.order = q.order
	q.order++
	q.count++
	q.insert(ev, now)
}

func (q *queue) insert(ev *Event, now Time) {
	day := uint64(ev.time) >> q.shift
	if day-uint64(now)>>q.shift >= buckets {
		q.heap.push(ev)
		q.pace.beyond++
		if q.pace.beyond >= q.pace.patience {
			q.adapt(now)
		}
		return
	}
	b := uint(day % buckets)
	tail := q.tail[b]
	if tail == nil {
		ev.place = inBucket
		ev.next, ev.prev = ev, ev
		q.tail[b] = ev
		q.occupied.set(b)
		return
	}
	if before(tail, ev) {
		link(ev, tail)
		q.tail[b] = ev
		return
	}
	q.walk(ev, tail, now)
}

// walk inserts ev before tail, the last event of its day.
func (q *queue) walk(ev, tail *Event, now Time) {
	after := tail.prev
	steps := uint64(1)
	for after != tail && !before(after, ev) && steps < walkLimit {
		after = after.prev
		steps++
	}
	if after == tail || before(after, ev) {
		link(ev, after) // after == tail: ev is the first of its day
	} else {
		q.heap.push(ev)
	}
	q.pace.walked += steps
	q.pace.steps += steps
	if q.pace.steps >= 4*q.pace.patience {
		q.adapt(now)
	}
}

// link puts ev behind after in the ring of a bucket.
func link(ev, after *Event) {
	ev.place = inBucket
	ev.prev, ev.next = after, after.next
	after.next.prev = ev
	after.next = ev
}

// first returns the event to run next, or nil; no event is earlier than now.
func (q *queue) first(now Time) *Event {
	var near *Event
	if b := q.occupied.next(uint(uint64(now) >> q.shift % buckets)); b >= 0 {
		near = q.tail[b].next
	}
	if len(q.heap) == 0 {
		return near
	}
	if far := q.heap[0].event; near == nil || before(far, near) {
		return far
	}
	return near
}

// remove takes the pending event ev out.
func (q *queue) remove(ev *Event) {
	q.count--
	if ev.place != inBucket {
		q.heap.remove(int(ev.place) - 1)
		ev.place = idle
		return
	}
	ev.place = idle
	b := uint(uint64(ev.time) >> q.shift % buckets)
	if ev.next == ev {
		q.tail[b] = nil
		q.occupied.clear(b)
	} else {
		ev.prev.next = ev.next
		ev.next.prev = ev.prev
		if q.tail[b] == ev {
			q.tail[b] = ev.prev
		}
	}
	ev.next, ev.prev = nil, nil
}

// adapt makes days shorter if events walk more than a step each, longer if
// more than one event in eight lies beyond the ring. It moves at most as many
// events as have paid for it, and waits twice as long each time it reverses
// itself.
func (q *queue) adapt(now Time) {
	p := &q.pace
	events := q.order - p.since
	shift := q.shift
	switch {
	case p.steps > events:
		shift -= min(shift, uint(bits.Len64(p.steps/events)))
	case 8*p.beyond > events:
		shift = min(shift+2, lastShift)
	}
	if shift != q.shift {
		widen := shift > q.shift
		if widen != p.widened && p.reversed < lastReversal {
			p.reversed++
		}
		p.widened = widen
		q.resize(shift, now)
	}
	p.steps, p.beyond, p.since = 0, 0, q.order
	p.patience = max(firstPatience<<p.reversed, uint64(q.count))
}

// resize changes the length of a day to 2^shift femtoseconds.
func (q *queue) resize(shift uint, now Time) {
	// Take out, in order, what the buckets hold and what they will.
	var first, last *Event
	horizon := uint64(now)>>shift + buckets
	taken := 0
	for {
		ev := q.first(now)
		if ev == nil || q.occupied.summary == 0 && uint64(ev.time)>>shift >= horizon {
			break
		}
		q.remove(ev)
		if last == nil {
			first = ev
		} else {
			last.next = ev
		}
		last = ev
		taken++
	}
	q.shift = shift
	q.count += taken
	q.pace.patience = math.MaxUint64 / 4 // until all are back
	for ev := first; ev != nil; {
		next := ev.next
		ev.next = nil
		q.insert(ev, now)
		ev = next
	}
}
