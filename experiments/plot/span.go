package plot

import (
	"math"

	gonum "gonum.org/v1/plot"
)

// span is the range of an axis.
type span struct {
	log       bool
	taken     bool
	low, high float64
	wide      bool
}

// shows says whether the axis has a place for x.
func (s *span) shows(x float64) bool {
	return !math.IsNaN(x) && !math.IsInf(x, 0) && (!s.log || x > 0)
}

func (s *span) take(x float64) {
	if !s.taken {
		s.low, s.high, s.taken = x, x, true
	}
	s.low, s.high = min(s.low, x), max(s.high, x)
}

// widen leaves room around the values.
func (s *span) widen() {
	if s.wide {
		return
	}
	s.wide = true
	switch {
	case !s.taken && s.log:
		s.low, s.high = 1, 10
	case !s.taken:
		s.low, s.high = 0, 1
	case s.log:
		room := math.Pow(s.high/s.low, 0.06)
		room = max(room, 1.15)
		s.low, s.high = s.low/room, s.high*room
	default:
		room := 0.06 * (s.high - s.low)
		if room == 0 {
			room = max(math.Abs(s.high)/10, 1e-12)
		}
		s.high += room
		if s.low != 0 {
			s.low -= room
		}
	}
}

func (s *span) apply(a *gonum.Axis, ticks []float64) {
	s.widen()
	a.Min, a.Max = s.low, s.high
	if s.log {
		a.Scale = gonum.LogScale{}
	}
	switch {
	case ticks != nil:
		a.Tick.Marker = at(ticks)
	case s.log:
		a.Tick.Marker = logTicks{}
	}
}
