package team

import "sync/atomic"

// Queue holds vertices; the batches of many workers fill it at once.
type Queue struct {
	vertices []int32
	tail     atomic.Int64
}

// NewQueue returns an empty queue with room for n vertices.
func NewQueue(n int) *Queue { return &Queue{vertices: make([]int32, n)} }

// Vertices returns what the queue holds, in the order of the workers' batches.
func (q *Queue) Vertices() []int32 { return q.vertices[:q.tail.Load()] }

// Size returns the number of vertices in the queue.
func (q *Queue) Size() int { return int(q.tail.Load()) }

// Clear empties the queue.
func (q *Queue) Clear() { q.tail.Store(0) }

// Add appends v, for a goroutine that has the queue to itself.
func (q *Queue) Add(v int32) {
	q.vertices[q.tail.Add(1)-1] = v
}

// Batch collects a worker's finds, so that the queue's tail is moved once for
// many.
type Batch struct {
	to    *Queue
	found [512]int32
	n     int
}

// Add puts v into the queue, sooner or later.
func (b *Batch) Add(v int32) {
	if b.n == len(b.found) {
		b.flush()
	}
	b.found[b.n] = v
	b.n++
}

// flush is apart so that Add is little beside what finds.
//
//go:noinline
func (b *Batch) flush() {
	at := int(b.to.tail.Add(int64(b.n))) - b.n
	copy(b.to.vertices[at:], b.found[:b.n])
	b.n = 0
}
