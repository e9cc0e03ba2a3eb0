package sim

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	akita "github.com/sarchlab/akita/v3/sim"
)

// pinger sends a message to its peer every few cycles and answers each that it
// receives; both are logged with their times.
type pinger struct {
	*akita.TickingComponent
	port  akita.Port
	peer  akita.Port
	every int
	ticks int
	to    int // messages still to send
	owed  int // answers
	log   *[]string
}

type ping struct {
	akita.MsgMeta
	answer bool
}

func (p *ping) Meta() *akita.MsgMeta { return &p.MsgMeta }

func newPinger(name string, e akita.Engine, f akita.Freq, every, messages int, log *[]string) *pinger {
	p := &pinger{every: every, to: messages, log: log}
	p.TickingComponent = akita.NewTickingComponent(name, e, f, p)
	p.port = akita.NewLimitNumMsgPort(p, 2, name+".Port")
	return p
}

func (p *pinger) Tick(now akita.VTimeInSec) bool {
	p.ticks++
	progress := p.to > 0
	if m := p.port.Retrieve(now); m != nil {
		progress = true
		*p.log = append(*p.log, fmt.Sprintf("%s receives at %.18g", p.Name(), float64(now)))
		if !m.(*ping).answer {
			p.owed++
		}
	}
	switch {
	case p.owed > 0:
		if p.send(now, true) {
			p.owed--
			progress = true
		}
	case p.to > 0 && p.ticks%p.every == 0:
		if p.send(now, false) {
			p.to--
		}
	}
	return progress
}

func (p *pinger) send(now akita.VTimeInSec, answer bool) bool {
	m := &ping{answer: answer}
	m.Src, m.Dst, m.SendTime = p.port, p.peer, now
	if p.port.Send(m) != nil {
		return false
	}
	*p.log = append(*p.log, fmt.Sprintf("%s sends at %.18g", p.Name(), float64(now)))
	return true
}

// TestTickingComponents runs two ticking components of different clocks over
// akita's DirectConnection, on akita's engine and on this one.
func TestTickingComponents(t *testing.T) {
	pingPong := func(e akita.Engine) []string {
		var log []string
		a := newPinger("A", e, 1*akita.GHz, 3, 50, &log)
		b := newPinger("B", e, 1.15*akita.GHz, 2, 70, &log)
		a.peer, b.peer = b.port, a.port
		c := akita.NewDirectConnection("C", e, 1.15*akita.GHz)
		c.PlugIn(a.port, 1)
		c.PlugIn(b.port, 1)
		a.TickLater(0)
		b.TickLater(0)
		if err := e.Run(); err != nil {
			t.Fatal(err)
		}
		return log
	}
	want := pingPong(akita.NewSerialEngine())
	got := pingPong(NewEngine())
	if len(want) != 2*(50+70)*2 {
		t.Errorf("%d sends and receipts, want %d", len(want), 2*(50+70)*2)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\non akita's engine\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// at is an akita event that calls a function.
type at struct {
	seconds float64
	f       func() error
}

func (ev at) Time() akita.VTimeInSec   { return akita.VTimeInSec(ev.seconds) }
func (ev at) Handler() akita.Handler   { return ev }
func (ev at) IsSecondary() bool        { return false }
func (ev at) Handle(akita.Event) error { return ev.f() }

func none() error { return nil }

// TestCurrentTime holds that an event sees its own time to the last bit, and
// that a native event next to it sees the femtosecond.
func TestCurrentTime(t *testing.T) {
	for _, share := range []bool{false, true} {
		e := NewEngine()
		if share {
			e.Share()
		}
		var seen []float64
		see := func() error { seen = append(seen, float64(e.CurrentTime())); return nil }
		third := 1e-9 / 3
		e.Schedule(at{third, see})
		scheduled(e, 333_333, func(Time) { _ = see() })
		scheduled(e, 333_334, func(Time) { _ = see() })
		if err := e.Run(); err != nil {
			t.Fatal(err)
		}
		if want := []float64{third, third, 333_334e-15}; !slices.Equal(seen, want) {
			t.Errorf("times seen are %v, want %v", seen, want)
		}
	}
}

// TestScheduleNow holds that any event may schedule at the current time, also
// where a float64 is coarser than a femtosecond, and not before it.
func TestScheduleNow(t *testing.T) {
	for _, now := range []Time{0, 1, 333_333, 7*Second + 1, 9000*Second + 1, 9000*Second + 999} {
		e := NewEngine()
		scheduled(e, now, func(Time) {
			e.Schedule(at{float64(e.CurrentTime()), none})
			if now > 0 {
				earlier := math.Nextafter(float64(e.CurrentTime())-1e-15, 0)
				expectPanic(t, "before the current time", func() { e.Schedule(at{earlier, none}) })
			}
		})
		if err := e.Run(); err != nil {
			t.Fatal(err)
		}
		step := Time((math.Nextafter(now.Seconds(), 1e9) - now.Seconds()) * float64(Second)) // of a float64
		if e.Events() != 2 || e.Now() < now || e.Now() > now+step {
			t.Errorf("%d events until %d fs, want 2 until %d", e.Events(), e.Now(), now)
		}
	}
}

func TestScheduleRefusesWhatIsNoTime(t *testing.T) {
	for _, s := range []float64{math.NaN(), math.Inf(1), -1, 9224} {
		expectPanic(t, "is not a time", func() { NewEngine().Schedule(at{s, none}) })
	}
	NewEngine().Schedule(at{9223, none})
}

// TestHandlerError holds that the error of an akita handler ends the run.
func TestHandlerError(t *testing.T) {
	e, failure := NewEngine(), errors.New("bank 3 has no row")
	e.Schedule(at{1e-9, func() error { return failure }})
	e.Schedule(at{1e-9, none})
	err := e.Run()
	if !errors.Is(err, failure) || !strings.Contains(err.Error(), "0.000000001") {
		t.Errorf("Run returns %v", err)
	}
	if e.Events() != 1 {
		t.Errorf("%d events ran, want 1", e.Events())
	}
}

// spy logs the hooks' positions and items.
type spy struct{ seen []string }

func (s *spy) Func(ctx akita.HookCtx) {
	s.seen = append(s.seen, fmt.Sprintf("%s %T at %v", ctx.Pos.Name, ctx.Item, ctx.Domain.(*Engine).CurrentTime()))
}

func TestHooks(t *testing.T) {
	e, s := NewEngine(), new(spy)
	e.AcceptHook(s)
	e.Schedule(at{1, none})
	scheduled(e, 2*Second, func(Time) {})
	if err := e.Run(); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"BeforeEvent sim.at at 1", "AfterEvent sim.at at 1",
		"BeforeEvent *sim.Event at 2", "AfterEvent *sim.Event at 2",
	}
	if !slices.Equal(s.seen, want) {
		t.Errorf("hooks saw %q, want %q", s.seen, want)
	}
	if e.NumHooks() != 1 || e.Hooks()[0] != s {
		t.Errorf("%d hooks", e.NumHooks())
	}
}

type endHandler func(now akita.VTimeInSec)

func (f endHandler) Handle(now akita.VTimeInSec) { f(now) }

func TestFinished(t *testing.T) {
	e := NewEngine()
	var ends []akita.VTimeInSec
	for range 2 {
		e.RegisterSimulationEndHandler(endHandler(func(now akita.VTimeInSec) { ends = append(ends, now) }))
	}
	e.Schedule(at{0.25, none})
	if err := e.Run(); err != nil || len(ends) != 0 {
		t.Errorf("Run returns %v and calls %d end handlers", err, len(ends))
	}
	e.Finished()
	if !slices.Equal(ends, []akita.VTimeInSec{0.25, 0.25}) {
		t.Errorf("end handlers were called with %v", ends)
	}
}

// TestShare schedules from another goroutine while the engine runs, which the
// race detector can check.
func TestShare(t *testing.T) {
	e := NewEngine()
	e.Share()
	forever(e)
	done := run(e)
	const n = 100
	ran := make(chan bool, n)
	for range n {
		// Far enough ahead for the engine not to pass it meanwhile.
		soon := float64(e.CurrentTime()) + 0.001
		e.Schedule(at{soon, func() error { ran <- float64(e.CurrentTime()) == soon; return nil }})
	}
	for range n {
		select {
		case punctual := <-ran:
			if !punctual {
				t.Error("an event does not see its own time")
			}
		case <-time.After(10 * time.Second):
			t.Fatal("a scheduled event does not run")
		}
	}
	e.Stop(nil)
	if err := result(t, done); err != nil {
		t.Error(err)
	}
}

// TestShareKeepsOrder holds that in a shared engine too simultaneous events,
// native and akita's, run in the order of scheduling.
func TestShareKeepsOrder(t *testing.T) {
	e := NewEngine()
	e.Share()
	var ran []int
	log := func(i int) { ran = append(ran, i) }
	scheduled(e, 0, func(Time) {
		for i := range 6 {
			if i%2 == 0 {
				e.Schedule(at{1, func() error { log(i); return nil }})
			} else {
				scheduled(e, Second, func(Time) { log(i) })
			}
		}
	})
	if err := e.Run(); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(ran, []int{0, 1, 2, 3, 4, 5}) {
		t.Errorf("ran in the order %v", ran)
	}
}
