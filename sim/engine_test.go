package sim

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

// scheduled returns an event that runs f at t.
func scheduled(e *Engine, t Time, f func(now Time)) *Event {
	ev := new(Event)
	ev.Init(HandlerFunc(f))
	e.At(ev, t)
	return ev
}

// forever keeps an engine busy with an event a nanosecond.
func forever(e *Engine) *nativeTicker {
	c := &nativeTicker{engine: e, period: Nanosecond, end: 1 << 62}
	c.Init(c)
	e.At(&c.Event, c.period)
	return c
}

// panics returns what f panics with, "" if it does not.
func panics(f func()) (message string) {
	defer func() {
		if r := recover(); r != nil {
			message = r.(string)
		}
	}()
	f()
	return ""
}

func expectPanic(t *testing.T, want string, f func()) {
	t.Helper()
	if got := panics(f); !strings.Contains(got, want) {
		t.Errorf("panics with %q, want %q", got, want)
	}
}

func TestAtMovesAndCancels(t *testing.T) {
	e := NewEngine()
	var ran []string
	log := func(name string) func(Time) { return func(Time) { ran = append(ran, name) } }
	a := scheduled(e, 5, log("a"))
	scheduled(e, 5, log("b"))
	c := scheduled(e, 1, log("c"))
	d := scheduled(e, 3, log("d"))
	if a.Time() != 5 || !a.Pending() {
		t.Errorf("a is pending at %d", a.Time())
	}
	e.At(a, 5) // now behind b
	e.Cancel(c)
	e.Cancel(c)
	e.At(d, Never)
	if d.Pending() || d.Time() != Never {
		t.Errorf("d is pending at %d after At(Never)", d.Time())
	}
	if err := e.Run(); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(ran, ""); got != "ba" {
		t.Errorf("ran %q, want %q", got, "ba")
	}
	if e.Now() != 5 || e.Events() != 2 {
		t.Errorf("ended at %d fs after %d events", e.Now(), e.Events())
	}
}

// TestPast holds that the current time is legal and a femtosecond before it is
// not.
func TestPast(t *testing.T) {
	e := NewEngine()
	var late Event
	late.Init(HandlerFunc(func(Time) {}))
	scheduled(e, 10, func(now Time) {
		e.At(&late, now)
		expectPanic(t, "scheduled at 9 fs, before the current time 10 fs", func() { e.At(&late, now-1) })
	})
	if err := e.Run(); err != nil {
		t.Fatal(err)
	}
	if e.Events() != 2 {
		t.Errorf("%d events ran, want 2", e.Events())
	}
	expectPanic(t, "without a handler", func() { e.At(new(Event), 20) })
	e.At(&late, 20)
	expectPanic(t, "pending", func() { late.Init(nil) })
}

func TestAdvanceTo(t *testing.T) {
	e := NewEngine()
	e.AdvanceTo(7)
	scheduled(e, 7+Second, func(Time) {
		expectPanic(t, "while the engine runs", func() { e.AdvanceTo(e.Now()) })
	})
	expectPanic(t, "before the current time", func() { e.AdvanceTo(6) })
	expectPanic(t, "past an event", func() { e.AdvanceTo(8 + Second) })
	e.AdvanceTo(7 + Second)
	if e.Now() != 7+Second || e.CurrentTime() != 1.000000000000007 {
		t.Errorf("now is %d fs, %v s", e.Now(), e.CurrentTime())
	}
	if err := e.Run(); err != nil {
		t.Fatal(err)
	}
	if e.Events() != 1 {
		t.Error("the event at the time advanced to did not run")
	}
}

func TestStopFromHandler(t *testing.T) {
	e, failure := NewEngine(), errors.New("deadlock")
	var ran []Time
	for i := range Time(4) {
		scheduled(e, i, func(now Time) {
			ran = append(ran, now)
			if now == 1 {
				e.Stop(failure)
				e.Stop(errors.New("a later reason"))
			}
		})
	}
	if err := e.Run(); err != failure {
		t.Errorf("Run returns %v, want %v", err, failure)
	}
	if !slices.Equal(ran, []Time{0, 1}) {
		t.Errorf("ran %v, want the events up to the one that stopped", ran)
	}
	if err := e.Run(); err != nil {
		t.Error(err)
	}
	if !slices.Equal(ran, []Time{0, 1, 2, 3}) {
		t.Errorf("ran %v, want the queued events after the stop", ran)
	}
	// The last event of a run may stop it too.
	scheduled(e, 9, func(Time) { e.Stop(failure) })
	if err := e.Run(); err != failure {
		t.Errorf("Run returns %v, want %v", err, failure)
	}
	e.Stop(failure)
	if err := e.Run(); err != failure {
		t.Errorf("Run returns %v after Stop between runs, want %v", err, failure)
	}
}

// run runs e in another goroutine and returns where its error will come.
func run(e *Engine) <-chan error {
	done := make(chan error, 1)
	go func() { done <- e.Run() }()
	return done
}

func result(t *testing.T, done <-chan error) error {
	t.Helper()
	select {
	case err := <-done:
		return err
	case <-time.After(10 * time.Second):
		t.Fatal("Run does not return")
		return nil
	}
}

func TestStopFromOutside(t *testing.T) {
	e, interrupt := NewEngine(), errors.New("interrupt")
	c := forever(e)
	done := run(e)
	for _, events := e.Progress(); events == 0; _, events = e.Progress() {
		time.Sleep(time.Millisecond)
	}
	e.Stop(interrupt)
	if err := result(t, done); err != interrupt {
		t.Errorf("Run returns %v, want %v", err, interrupt)
	}
	if !c.Pending() {
		t.Error("the stopped engine lost its event")
	}
	if now, events := e.Progress(); now != e.Now() || events != e.Events() {
		t.Errorf("progress is %d fs, %d events, want %d, %d", now, events, e.Now(), e.Events())
	}
}

// TestPause looks at a paused engine and changes it from another goroutine,
// which the race detector can check.
func TestPause(t *testing.T) {
	e := NewEngine()
	forever(e)
	e.Pause()
	done := run(e)
	var woken int
	var ev Event
	ev.Init(HandlerFunc(func(Time) { woken++ }))
	for i := range 20 {
		e.Pause()
		e.Pause()
		before := e.Events()
		if i == 0 && before != 0 {
			t.Errorf("%d events ran in an engine paused before its run", before)
		}
		time.Sleep(100 * time.Microsecond)
		if e.Events() != before {
			t.Error("an event ran in a paused engine")
		}
		if ev.Pending() {
			e.Cancel(&ev)
		}
		e.At(&ev, e.Now())
		e.Continue()
		e.Continue()
		time.Sleep(100 * time.Microsecond)
	}
	e.Pause()
	e.Stop(nil) // ends a paused run
	if err := result(t, done); err != nil {
		t.Error(err)
	}
	e.Continue()
	if woken == 0 {
		t.Error("no event scheduled during a pause ran")
	}
}

// TestPanicInHandler holds that an engine whose handler panicked can be
// paused, stopped and run again.
func TestPanicInHandler(t *testing.T) {
	e := NewEngine()
	scheduled(e, 1, func(Time) { panic("a bug in a model") })
	scheduled(e, 2, func(Time) {})
	expectPanic(t, "a bug", func() { _ = e.Run() })
	e.Pause()
	e.Continue()
	if err := result(t, run(e)); err != nil || e.Events() != 2 {
		t.Errorf("after a panic Run returns %v at %d events", err, e.Events())
	}
}

func TestNativeEventsDoNotAllocate(t *testing.T) {
	e := NewEngine()
	nativeTickers(e, 100, 1<<62)
	var slice Event
	slice.InitSecondary(HandlerFunc(func(Time) { e.Stop(nil) }))
	step := func() {
		e.At(&slice, e.Now()+100*Nanosecond)
		if err := e.Run(); err != nil {
			t.Fatal(err)
		}
	}
	for range 50 {
		step() // days and heap reach their size
	}
	before := e.Events()
	if n := testing.AllocsPerRun(50, step); n != 0 {
		t.Errorf("%v allocations in 100 ns of %d events", n, (e.Events()-before)/50)
	}
}
