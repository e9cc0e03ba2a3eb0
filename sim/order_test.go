package sim

import (
	"fmt"
	"slices"
	"testing"

	akita "github.com/sarchlab/akita/v3/sim"
	"pgregory.net/rapid"
)

// A program is a forest of events: executing an event schedules its children,
// so what happens depends on the events' identities alone, and any engine can
// execute it.
type program []step

type step struct {
	delay     Time // after the parent, or after 0
	secondary bool
	children  []int
	move      int  // event that the step moves, if it is pending; -1 if none
	moveDelay Time // from now
	cancel    int  // event that the step cancels, if it is pending; -1 if none
	root      bool
}

// record is one executed event.
type record struct {
	at        Time
	secondary bool
	id        int
}

// drawProgram draws a program with bursts at one time, events at the current
// time, several clocks, far futures, and, unless plain, moves and cancels.
func drawProgram(t *rapid.T, plain bool) program {
	n := rapid.IntRange(1, 200).Draw(t, "events")
	clocks := []Time{1, 667 * Picosecond, Nanosecond, 869_565, 2 * Nanosecond}
	delay := rapid.Custom(func(t *rapid.T) Time {
		switch rapid.IntRange(0, 5).Draw(t, "delay") {
		case 0:
			return 0
		case 1:
			return Time(rapid.IntRange(0, 3).Draw(t, "seconds")) * Second / 4
		case 2:
			return Time(rapid.Int64Range(0, int64(Microsecond)).Draw(t, "femtoseconds"))
		}
		return rapid.SampledFrom(clocks).Draw(t, "clock") * Time(rapid.IntRange(0, 3).Draw(t, "cycles"))
	})
	p := make(program, n)
	for i := range p {
		p[i] = step{delay: delay.Draw(t, "delay"), secondary: rapid.IntRange(0, 3).Draw(t, "class") == 0, move: -1, cancel: -1}
		if parent := rapid.IntRange(-1, i-1).Draw(t, "parent"); parent < 0 {
			p[i].root = true
		} else {
			p[parent].children = append(p[parent].children, i)
		}
		if plain {
			continue
		}
		if rapid.IntRange(0, 7).Draw(t, "moves") == 0 {
			p[i].move, p[i].moveDelay = rapid.IntRange(0, n-1).Draw(t, "moved"), delay.Draw(t, "move delay")
		}
		if rapid.IntRange(0, 7).Draw(t, "cancels") == 0 {
			p[i].cancel = rapid.IntRange(0, n-1).Draw(t, "cancelled")
		}
	}
	return p
}

// act does what event i of p does, on any engine.
func (p program) act(i int, now Time, at func(i int, t Time), pending func(i int) bool, cancel func(i int)) {
	for _, c := range p[i].children {
		at(c, now+p[c].delay)
	}
	if m := p[i].move; m >= 0 && pending(m) {
		at(m, now+p[i].moveDelay)
	}
	if c := p[i].cancel; c >= 0 && pending(c) {
		cancel(c)
	}
}

// oracle executes p by the definition: of the pending events the first by
// (time, primary before secondary, order of scheduling).
func (p program) oracle() []record {
	type entry struct {
		record
		order int
	}
	var list []entry
	order := 0
	find := func(i int) int { return slices.IndexFunc(list, func(e entry) bool { return e.id == i }) }
	cancel := func(i int) { list = slices.Delete(list, find(i), find(i)+1) }
	at := func(i int, t Time) {
		if find(i) >= 0 {
			cancel(i)
		}
		list = append(list, entry{record{t, p[i].secondary, i}, order})
		order++
	}
	for i, s := range p {
		if s.root {
			at(i, s.delay)
		}
	}
	var done []record
	for len(list) > 0 {
		first := slices.MinFunc(list, func(a, b entry) int {
			if a.at != b.at {
				return int(a.at - b.at)
			}
			if a.secondary != b.secondary {
				if a.secondary {
					return 1
				}
				return -1
			}
			return a.order - b.order
		})
		cancel(first.id)
		done = append(done, first.record)
		p.act(first.id, first.at, at, func(i int) bool { return find(i) >= 0 }, cancel)
	}
	return done
}

// native executes p with persistent events.
func (p program) native(t *rapid.T) []record {
	e := NewEngine()
	events := make([]Event, len(p))
	var done []record
	at := func(i int, t Time) { e.At(&events[i], t) }
	for i := range events {
		h := HandlerFunc(func(now Time) {
			if now != e.Now() {
				t.Fatalf("event handled at %d fs, when it is %d fs", now, e.Now())
			}
			done = append(done, record{now, p[i].secondary, i})
			p.act(i, now, at, func(i int) bool { return events[i].Pending() }, func(i int) { e.Cancel(&events[i]) })
		})
		if p[i].secondary {
			events[i].InitSecondary(h)
		} else {
			events[i].Init(h)
		}
	}
	for i, s := range p {
		if s.root {
			at(i, s.delay)
		}
	}
	if err := e.Run(); err != nil {
		t.Fatal(err)
	}
	if e.Events() != uint64(len(done)) {
		t.Fatalf("%d events counted, %d executed", e.Events(), len(done))
	}
	return done
}

// programEvent is an event of a program as akita sees it.
type programEvent struct {
	record
	on *akitaProgram
}

type akitaProgram struct {
	p    program
	e    akita.Engine
	done []record
	t    *rapid.T
}

func (ev programEvent) Time() akita.VTimeInSec { return akita.VTimeInSec(ev.at.Seconds()) }
func (ev programEvent) Handler() akita.Handler { return ev.on }
func (ev programEvent) IsSecondary() bool      { return ev.secondary }

func (a *akitaProgram) Handle(event akita.Event) error {
	ev := event.(programEvent)
	if now := a.e.CurrentTime(); now != ev.Time() {
		a.t.Fatalf("event of %v s executed at %v s", ev.Time(), now)
	}
	a.done = append(a.done, ev.record)
	a.p.act(ev.id, ev.at, a.at, func(int) bool { return false }, nil)
	return nil
}

func (a *akitaProgram) at(i int, t Time) {
	a.e.Schedule(programEvent{record{t, a.p[i].secondary, i}, a})
}

// akita executes p, without moves and cancels, on an akita engine.
func (p program) akita(t *rapid.T, e akita.Engine) []record {
	a := &akitaProgram{p: p, e: e, t: t}
	for i, s := range p {
		if s.root {
			a.at(i, s.delay)
		}
	}
	if err := e.Run(); err != nil {
		t.Fatal(err)
	}
	return a.done
}

func TestEventOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProgram(t, false)
		if got, want := p.native(t), p.oracle(); !slices.Equal(got, want) {
			t.Fatalf("executed %s\nwant %s", text(got), text(want))
		}
	})
}

// TestEventOrderIsAkitas compares akita events on this engine with the
// definition exactly, and with akita's SerialEngine up to the order of
// simultaneous events of one class, which akita leaves open.
func TestEventOrderIsAkitas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProgram(t, true)
		want := p.oracle()
		shared := NewEngine()
		shared.Share()
		for _, e := range []*Engine{NewEngine(), shared} {
			if got := p.akita(t, e); !slices.Equal(got, want) {
				t.Fatalf("executed %s\nwant %s", text(got), text(want))
			}
		}
		serial := p.akita(t, akita.NewSerialEngine())
		// A secondary event can schedule primary ones at its own time: the
		// classes alternate, and each run of one class is compared as a set.
		class := func(r record) record { return record{at: r.at, secondary: r.secondary} }
		if !simultaneousChildren(p) {
			for i := range want {
				if class(serial[i]) != class(want[i]) {
					t.Fatalf("event %d is of %+v, on akita's engine of %+v", i, class(want[i]), class(serial[i]))
				}
			}
		}
		canonical(want)
		canonical(serial)
		if !slices.Equal(serial, want) {
			t.Fatalf("executed %s\non akita's engine %s", text(want), text(serial))
		}
	})
}

// simultaneousChildren reports whether a secondary event schedules a primary
// one at its own time. When the primaries run then depends on the order of the
// secondary events, which akita leaves open.
func simultaneousChildren(p program) bool {
	for _, s := range p {
		for _, c := range s.children {
			if s.secondary && !p[c].secondary && p[c].delay == 0 {
				return true
			}
		}
	}
	return false
}

// canonical sorts records by time and class, and those of one class by event.
func canonical(rs []record) {
	slices.SortFunc(rs, func(a, b record) int {
		if a.at != b.at {
			return int(a.at - b.at)
		}
		if a.secondary != b.secondary {
			if a.secondary {
				return 1
			}
			return -1
		}
		return a.id - b.id
	})
}

func text(rs []record) string {
	var s string
	for _, r := range rs {
		class := ""
		if r.secondary {
			class = "s"
		}
		s += fmt.Sprintf(" %d%s@%d", r.id, class, r.at)
	}
	return s
}
