package sim

import "fmt"

// StateTimer adds up the time that something spends in each of its states: a
// stall stack. The totals always sum to the time elapsed.
type StateTimer struct {
	totals []Time
	state  int
	since  Time
}

// NewStateTimer returns a timer of states 0 to states-1, in state 0 from start
// on.
func NewStateTimer(states int, start Time) StateTimer {
	return StateTimer{totals: make([]Time, states), since: start}
}

// Enter changes to state at now. Going back in time is an error in a model
// and panics.
func (t *StateTimer) Enter(state int, now Time) {
	t.Settle(now)
	t.state = state
}

// Settle adds the time since the last Enter or Settle to the present state.
func (t *StateTimer) Settle(now Time) {
	if now < t.since {
		panic(fmt.Sprintf("sim: state changes at %d fs, before the last change at %d fs", now, t.since))
	}
	t.totals[t.state] += now - t.since
	t.since = now
}

// State returns the present state.
func (t *StateTimer) State() int { return t.state }

// States returns the number of states.
func (t *StateTimer) States() int { return len(t.totals) }

// Total returns the time spent in state up to the last Enter or Settle.
func (t *StateTimer) Total(state int) Time { return t.totals[state] }

// Elapsed returns the time from the start to the last Enter or Settle.
func (t *StateTimer) Elapsed() Time {
	var sum Time
	for _, total := range t.totals {
		sum += total
	}
	return sum
}

// Merge adds the totals of o, a timer of as many states: the SMs of a GPU.
func (t *StateTimer) Merge(o *StateTimer) {
	for i := range t.totals {
		t.totals[i] += o.totals[i]
	}
}
