package mem

import "heddle/sim"

// Outstanding limits the reads and atomics in flight to the level below, as
// the request table of a port without a cache does.
type Outstanding struct {
	below Level
	slots slots
}

// NewOutstanding returns a limit of n requests in flight to below.
func NewOutstanding(n int, below Level) *Outstanding {
	return &Outstanding{below, newSlots(n)}
}

// Access passes a on when an entry of the table is free.
func (o *Outstanding) Access(at sim.Time, a Access) sim.Time {
	if a.Kind == Write {
		return o.below.Access(at, a)
	}
	done := o.below.Access(o.Start(at), a)
	o.Hold(done)
	return done
}

// Start returns when a request of time at gets an entry.
func (o *Outstanding) Start(at sim.Time) sim.Time { return o.slots.next(at) }

// Hold keeps the entry that Start named until done.
func (o *Outstanding) Hold(done sim.Time) { o.slots.take(done) }

// MissStart returns the earliest time at which a further request can go below.
func (o *Outstanding) MissStart() sim.Time { return o.slots.first() }

// MissStart returns the earliest time at which a further miss can go below.
func (c *Cache) MissStart() sim.Time { return c.mshrs.first() }
