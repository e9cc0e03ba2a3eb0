package team

import "sync/atomic"

// Queue holds vertices; many workers fill it at once, as threads of the
// simulated programs do: each moves the shared tail for what it has found.
type Queue struct {
	vertices []int32
	tail     atomic.Int64
}

// NewQueue returns an empty queue with room for n vertices.
func NewQueue(n int) *Queue { return &Queue{vertices: make([]int32, n)} }

// Vertices returns what the queue holds, in the order in which places were taken.
func (q *Queue) Vertices() []int32 { return q.vertices[:q.tail.Load()] }

// Size returns the number of vertices in the queue.
func (q *Queue) Size() int { return int(q.tail.Load()) }

// Clear empties the queue.
func (q *Queue) Clear() { q.tail.Store(0) }

// Add appends v.
func (q *Queue) Add(v int32) {
	q.vertices[q.tail.Add(1)-1] = v
}

// AddPair appends u and v, one behind the other.
func (q *Queue) AddPair(u, v int32) {
	at := q.tail.Add(2)
	q.vertices[at-2], q.vertices[at-1] = u, v
}
