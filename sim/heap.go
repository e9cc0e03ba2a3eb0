package sim

// eventHeap is a 4-ary heap of events with the keys beside the pointers, so
// that comparing does not touch the events.
type eventHeap []heapEntry

type heapEntry struct {
	time  Time
	order uint64
	event *Event
}

func (a heapEntry) before(b heapEntry) bool {
	return a.time < b.time || a.time == b.time && a.order < b.order
}

func (h *eventHeap) push(ev *Event) {
	*h = append(*h, heapEntry{})
	h.up(len(*h)-1, heapEntry{ev.time, ev.order, ev})
}

// remove takes the entry at index i out.
func (h *eventHeap) remove(i int) {
	last := len(*h) - 1
	moved := (*h)[last]
	(*h)[last] = heapEntry{} // lets go of the event
	*h = (*h)[:last]
	if i == last {
		return
	}
	if i > 0 && moved.before((*h)[(i-1)/4]) {
		h.up(i, moved)
	} else {
		h.down(i, moved)
	}
}

// up places x at index i or at the ancestor of i where it belongs.
func (h eventHeap) up(i int, x heapEntry) {
	for i > 0 {
		parent := (i - 1) / 4
		if !x.before(h[parent]) {
			break
		}
		h.put(i, h[parent])
		i = parent
	}
	h.put(i, x)
}

// down places x at index i or at the descendant of i where it belongs.
func (h eventHeap) down(i int, x heapEntry) {
	for {
		child := 4*i + 1
		if child >= len(h) {
			break
		}
		for c := child + 1; c < min(4*i+5, len(h)); c++ {
			if h[c].before(h[child]) {
				child = c
			}
		}
		if !h[child].before(x) {
			break
		}
		h.put(i, h[child])
		i = child
	}
	h.put(i, x)
}

func (h eventHeap) put(i int, x heapEntry) {
	h[i] = x
	x.event.place = int32(i) + 1
}
