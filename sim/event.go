package sim

// Handler is what an event wakes: a core, a warp scheduler, a stream, a
// memory controller.
type Handler interface {
	// Handle acts at simulated time now, the time the event was scheduled at.
	Handle(now Time)
}

// HandlerFunc is a function that is a Handler.
type HandlerFunc func(now Time)

// Handle calls f.
func (f HandlerFunc) Handle(now Time) { f(now) }

// Event is a persistent entry of an engine's queue. A component embeds its
// events by value, names their handler once with Init and schedules them again
// and again with Engine.At; scheduling never allocates. An Event must not be
// copied after its first use, and belongs to one engine.
type Event struct {
	_          noCopy
	time       Time
	order      uint64 // of scheduling, within its queue
	next, prev *Event // ring of the events of one bucket, by (time, order)
	handler    Handler
	place      int32 // idle, inBucket, or 1 + index in the heap
	secondary  bool
}

const (
	idle     int32 = 0
	inBucket int32 = -1
)

// Init names the handler that ev wakes. Among events of one time, ev runs in
// the order of scheduling.
func (ev *Event) Init(h Handler) {
	if ev.place != idle {
		panic("sim: Init of a pending event")
	}
	ev.handler, ev.secondary = h, false
}

// InitSecondary is Init for an event that runs after every primary event of
// its time, including those scheduled meanwhile: an arbiter that must see all
// requests of a cycle.
func (ev *Event) InitSecondary(h Handler) {
	ev.Init(h)
	ev.secondary = true
}

// Pending reports whether ev is scheduled.
func (ev *Event) Pending() bool { return ev.place != idle }

// Time returns when ev is scheduled, or Never if it is not pending.
func (ev *Event) Time() Time {
	if ev.place == idle {
		return Never
	}
	return ev.time
}

// Handler returns what ev wakes.
func (ev *Event) Handler() Handler { return ev.handler }

// before reports whether a runs before b, both of the same queue.
func before(a, b *Event) bool {
	return a.time < b.time || a.time == b.time && a.order < b.order
}

// noCopy lets go vet find copies of what contains it.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}
