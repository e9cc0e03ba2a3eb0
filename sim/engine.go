package sim

import (
	"fmt"
	"sync"
	"sync/atomic"

	akita "github.com/sarchlab/akita/v3/sim"
)

// Engine runs events in the order of (time, primary before secondary, order
// of scheduling). Its time is a whole number of femtoseconds.
//
// It has two faces. Heddle's own components schedule persistent events with
// At, which neither allocates nor locks. Akita's components see an akita
// Engine with the event order of its SerialEngine: see Schedule.
//
// An engine belongs to the goroutine that calls Run. Stop, Pause, Continue and
// Progress may be called from any goroutine; between the return of Pause and
// Continue so may everything else; and after Share so may CurrentTime and
// Schedule.
type Engine struct {
	now       Time
	events    uint64
	primary   queue
	secondary queue
	signals   atomic.Uint32 // for the running loop to heed between events
	watched   bool          // shared or hooked: events take the slow path

	// The akita event being executed gives the time in seconds that others
	// are to compute with, for as long as now stays secondsAt.
	seconds   float64
	secondsAt Time
	free      *akitaEvent

	hooks       akita.HookableBase
	endHandlers []akita.SimulationEndHandler

	shared       bool
	published    atomic.Uint64 // bits of CurrentTime, when shared
	progressTime atomic.Int64
	progress     atomic.Uint64

	running sync.Mutex // held by Run
	mu      sync.Mutex // guards what follows
	change  sync.Cond  // of active, parked, or a signal
	active  bool       // Run is between its first and last event
	parked  bool       // Run waits for Continue
	stopErr error
	inbox   []akita.Event
}

// Signals to the loop.
const (
	stopSignal uint32 = 1 << iota
	pauseSignal
	inboxSignal
)

// progressInterval is how many events run between two updates of Progress; a
// power of two.
const progressInterval = 1024

var _ akita.Engine = (*Engine)(nil)

// NewEngine returns an engine at time 0 without events.
func NewEngine() *Engine {
	e := new(Engine)
	e.primary.init()
	e.secondary.init()
	e.change.L = &e.mu
	return e
}

// Now returns the time of the event being executed or, between runs, of the
// last event or AdvanceTo.
func (e *Engine) Now() Time { return e.now }

// Events returns the number of events executed so far.
func (e *Engine) Events() uint64 { return e.events }

// Progress returns the time and the number of events executed as they were at
// most 1024 events ago. Any goroutine may ask.
func (e *Engine) Progress() (now Time, events uint64) {
	return Time(e.progressTime.Load()), e.progress.Load()
}

// At schedules ev at t, behind the events that are already scheduled at t. If
// ev is pending it is moved. At Never it is left unscheduled. A time before
// Now is an error in a model and panics.
func (e *Engine) At(ev *Event, t Time) {
	if t < e.now {
		panic(fmt.Sprintf("sim: event scheduled at %d fs, before the current time %d fs", t, e.now))
	}
	if ev.handler == nil {
		panic("sim: event scheduled without a handler")
	}
	if e.shared {
		e.takeInbox() // scheduled before ev
	}
	q := &e.primary
	if ev.secondary {
		q = &e.secondary
	}
	if ev.place != idle {
		q.remove(ev)
	}
	if t != Never {
		q.push(ev, t, e.now)
	}
}

// Cancel takes ev out of the queue if it is pending.
func (e *Engine) Cancel(ev *Event) {
	if ev.place == idle {
		return
	}
	if ev.secondary {
		e.secondary.remove(ev)
	} else {
		e.primary.remove(ev)
	}
}

// AdvanceTo moves the clock of an idle engine to t: host time passing between
// two launches. It panics if an event runs or is pending before t, or if t is
// in the past.
func (e *Engine) AdvanceTo(t Time) {
	e.mu.Lock()
	active := e.active
	e.mu.Unlock()
	e.takeInbox()
	switch ev := e.first(); {
	case active:
		panic("sim: AdvanceTo while the engine runs")
	case t < e.now:
		panic(fmt.Sprintf("sim: AdvanceTo %d fs, before the current time %d fs", t, e.now))
	case ev != nil && ev.time < t:
		panic(fmt.Sprintf("sim: AdvanceTo %d fs, past an event pending at %d fs", t, ev.time))
	}
	// Buckets are found by their distance from now; those of the days that
	// pass are empty.
	e.now = t
	e.publish()
	e.publishProgress()
}

// first returns the event to run next, or nil.
func (e *Engine) first() *Event {
	ev := e.primary.first(e.now)
	if e.secondary.count != 0 {
		if s := e.secondary.first(e.now); ev == nil || s.time < ev.time {
			return s
		}
	}
	return ev
}

// Run executes events until none is left, and returns nil, or until Stop, and
// returns its error. A second Run waits for the first to return.
func (e *Engine) Run() error {
	e.running.Lock()
	defer e.running.Unlock()
	e.setActive(true)
	defer e.setActive(false)
	for {
		if e.signals.Load() != 0 {
			if stopped, err := e.heed(); stopped {
				return err
			}
		}
		ev := e.first()
		if ev == nil {
			if e.signals.Load()&(inboxSignal|stopSignal) != 0 {
				continue
			}
			return nil
		}
		if ev.secondary {
			e.secondary.remove(ev)
		} else {
			e.primary.remove(ev)
		}
		e.now = ev.time
		e.events++
		if e.events%progressInterval == 0 {
			e.publishProgress()
		}
		if e.watched {
			e.executeWatched(ev)
		} else {
			ev.handler.Handle(ev.time)
		}
	}
}

// Stop makes Run return err after the current event; the other events stay
// queued, and a later Run goes on with them. Handlers and other goroutines may
// call it. Of several calls the first counts. Without a Run in progress it is
// the next one that returns err, at once.
func (e *Engine) Stop(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.signals.Load()&stopSignal != 0 {
		return
	}
	e.stopErr = err
	e.signals.Or(stopSignal)
	e.change.Broadcast()
}

// Pause returns when the current event has ended and lets no other begin until
// Continue. It is for other goroutines: a handler that pauses its own engine
// would wait for itself.
func (e *Engine) Pause() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.signals.Or(pauseSignal)
	for e.active && !e.parked && e.signals.Load()&pauseSignal != 0 {
		e.change.Wait()
	}
}

// Continue ends a Pause.
func (e *Engine) Continue() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.signals.And(^pauseSignal)
	e.change.Broadcast()
}

// heed acts on signals between two events; it reports whether Run is to return
// err.
func (e *Engine) heed() (stopped bool, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for e.signals.Load()&(stopSignal|pauseSignal) == pauseSignal {
		e.parked = true
		e.change.Broadcast()
		e.change.Wait()
	}
	e.parked = false
	if e.signals.Load()&stopSignal != 0 {
		e.signals.And(^stopSignal)
		err, e.stopErr = e.stopErr, nil
		return true, err
	}
	e.emptyInbox()
	return false, nil
}

func (e *Engine) setActive(active bool) {
	e.publishProgress()
	e.mu.Lock()
	e.active = active
	e.change.Broadcast()
	e.mu.Unlock()
}

func (e *Engine) publishProgress() {
	e.progressTime.Store(int64(e.now))
	e.progress.Store(e.events)
}
