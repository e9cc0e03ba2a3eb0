package sim

import (
	"fmt"
	"math"

	akita "github.com/sarchlab/akita/v3/sim"
)

// akitaEvent is an akita event on its way through the queue.
type akitaEvent struct {
	Event
	engine *Engine
	event  akita.Event
	next   *akitaEvent // in the engine's free list
}

// Schedule queues an akita event. Akita counts seconds in floating point; here
// the time is rounded to the nearest femtosecond, and events of one
// femtosecond are simultaneous: primary before secondary, then in the order of
// scheduling. Akita's SerialEngine leaves the order of simultaneous events of
// one class open.
//
// Scheduling before CurrentTime panics, as it does in akita.
func (e *Engine) Schedule(event akita.Event) {
	s, now := float64(event.Time()), float64(e.CurrentTime())
	t := timeOf(s)
	if s < now && t < timeOf(now) {
		panic(fmt.Sprintf("sim: %T scheduled at %.15f s, before the current time %.15f s", event, s, now))
	}
	if !e.shared {
		e.enqueue(event, t)
		return
	}
	e.mu.Lock()
	e.inbox = append(e.inbox, event)
	e.signals.Or(inboxSignal)
	e.mu.Unlock()
}

// timeOf returns s seconds, rounded to the nearest femtosecond.
func timeOf(s float64) Time {
	fs := s * float64(Second)
	if !(fs >= 0 && fs < float64(Never)) {
		panic(fmt.Sprintf("sim: %g s is not a time between 0 and %.0f s", s, Never.Seconds()))
	}
	return Time(math.Round(fs))
}

// enqueue schedules event at t or, if a fraction of a femtosecond or another
// goroutine made that the past, now.
func (e *Engine) enqueue(event akita.Event, t Time) {
	a := e.free
	if a == nil {
		a = &akitaEvent{engine: e}
		a.handler = a
	} else {
		e.free = a.next
	}
	a.event = event
	a.secondary = event.IsSecondary()
	t = max(t, e.now)
	if a.secondary {
		e.secondary.push(&a.Event, t, e.now)
	} else {
		e.primary.push(&a.Event, t, e.now)
	}
}

// takeInbox queues what Schedule left in a shared engine's inbox.
func (e *Engine) takeInbox() {
	if e.signals.Load()&inboxSignal == 0 {
		return
	}
	e.mu.Lock()
	e.emptyInbox()
	e.mu.Unlock()
}

func (e *Engine) emptyInbox() {
	for i, event := range e.inbox {
		e.enqueue(event, timeOf(float64(event.Time())))
		e.inbox[i] = nil
	}
	e.inbox = e.inbox[:0]
	e.signals.And(^inboxSignal)
}

// Handle executes the akita event. Akita's engines drop the error of a
// handler; here it ends the run.
func (a *akitaEvent) Handle(now Time) {
	e, event := a.engine, a.event
	a.event = nil
	a.next = e.free
	e.free = a

	e.seconds, e.secondsAt = float64(event.Time()), now
	if e.watched {
		e.publish()
		e.invoke(akita.HookPosBeforeEvent, event)
	}
	if err := event.Handler().Handle(event); err != nil {
		e.Stop(fmt.Errorf("%T at %.15f s: %w", event, float64(event.Time()), err))
	}
	if e.watched {
		e.invoke(akita.HookPosAfterEvent, event)
	}
}

// executeWatched executes ev for an engine that is shared or has hooks, which
// see a native event as an item of type *Event.
func (e *Engine) executeWatched(ev *Event) {
	if a, ok := ev.handler.(*akitaEvent); ok {
		a.Handle(ev.time) // calls the hooks with the akita event
		return
	}
	e.publish()
	e.invoke(akita.HookPosBeforeEvent, ev)
	ev.handler.Handle(ev.time)
	e.invoke(akita.HookPosAfterEvent, ev)
}

func (e *Engine) invoke(pos *akita.HookPos, item any) {
	if e.hooks.NumHooks() > 0 {
		e.hooks.InvokeHook(akita.HookCtx{Domain: e, Pos: pos, Item: item})
	}
}

// CurrentTime returns Now in seconds; while an akita event is executed, the
// very number that its Time returns.
func (e *Engine) CurrentTime() akita.VTimeInSec {
	if e.shared {
		return akita.VTimeInSec(math.Float64frombits(e.published.Load()))
	}
	return e.currentTime()
}

func (e *Engine) currentTime() akita.VTimeInSec {
	if e.secondsAt == e.now {
		return akita.VTimeInSec(e.seconds)
	}
	return akita.VTimeInSec(e.now.Seconds())
}

func (e *Engine) publish() {
	if e.shared {
		e.published.Store(math.Float64bits(float64(e.currentTime())))
	}
}

// Share lets other goroutines call CurrentTime and Schedule while the engine
// runs, as akita's live monitor does, at the cost of some ten nanoseconds an
// event. It must be called before Run. What another goroutine schedules for a
// time that has passed when the engine sees it runs at once.
func (e *Engine) Share() {
	e.shared, e.watched = true, true
	e.publish()
}

// AcceptHook registers a hook, to be invoked before and after every event. The
// item is the akita event, or the *Event of a native one.
func (e *Engine) AcceptHook(h akita.Hook) {
	e.hooks.AcceptHook(h)
	e.watched = true
}

// NumHooks returns the number of hooks registered.
func (e *Engine) NumHooks() int { return e.hooks.NumHooks() }

// Hooks returns the hooks registered.
func (e *Engine) Hooks() []akita.Hook { return e.hooks.Hooks() }

// RegisterSimulationEndHandler registers what Finished is to call.
func (e *Engine) RegisterSimulationEndHandler(h akita.SimulationEndHandler) {
	e.endHandlers = append(e.endHandlers, h)
}

// Finished calls the registered end handlers, in order.
func (e *Engine) Finished() {
	now := e.CurrentTime()
	for _, h := range e.endHandlers {
		h.Handle(now)
	}
}
