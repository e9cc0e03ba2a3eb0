package sim

// Ticks is a clock that finds its edges without a division, which takes the
// host tens of cycles.
type Ticks struct {
	Clock
	inverse float64 // cycles a femtosecond
}

// NewTicks returns clock as Ticks.
func NewTicks(clock Clock) Ticks { return Ticks{clock, 1 / float64(clock.Period)} }

// From returns the first cycle that begins at or after t, which is not
// negative.
func (k *Ticks) From(t Time) uint64 {
	c := Time(float64(t)*k.inverse) + 1 // off by one at most, but for 2^52 cycles and more
	over := c*k.Period - t
	for ; over >= k.Period; over -= k.Period {
		c--
	}
	for ; over < 0; over += k.Period {
		c++
	}
	return uint64(c)
}

// Edge returns the first clock edge at or after t, which is not negative.
func (k *Ticks) Edge(t Time) Time { return Time(k.From(t)) * k.Period }
