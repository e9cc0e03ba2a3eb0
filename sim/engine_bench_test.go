package sim

import (
	"fmt"
	"testing"

	akita "github.com/sarchlab/akita/v3/sim"
)

// nativeTicker reschedules itself every period until the engine has executed
// enough events.
type nativeTicker struct {
	Event
	engine *Engine
	period Time
	end    uint64
}

func (c *nativeTicker) Handle(now Time) {
	if c.engine.Events() < c.end {
		c.engine.At(&c.Event, now+c.period)
	}
}

// akitaTicker does the same with an akita event that, like the native one,
// is used again and again, so that what is compared is the engines alone.
type akitaTicker struct {
	engine    akita.Engine
	time      akita.VTimeInSec
	period    akita.VTimeInSec
	remaining *int
}

func (c *akitaTicker) Time() akita.VTimeInSec { return c.time }
func (c *akitaTicker) Handler() akita.Handler { return c }
func (c *akitaTicker) IsSecondary() bool      { return false }

func (c *akitaTicker) Handle(akita.Event) error {
	if *c.remaining--; *c.remaining > 0 {
		c.time += c.period
		c.engine.Schedule(c)
	}
	return nil
}

// period returns the period of component i: clocks from 0.5 to 1.5 GHz, no two
// alike.
func period(i int) Time { return 667*Picosecond + Time(i*1_303_007%1_333_333)*Femtosecond }

func nativeTickers(e *Engine, n int, end uint64) {
	for i := range n {
		c := &nativeTicker{engine: e, period: period(i), end: end}
		c.Init(c)
		e.At(&c.Event, c.period)
	}
}

func akitaTickers(e akita.Engine, n int, events *int) {
	for i := range n {
		p := akita.VTimeInSec(period(i).Seconds())
		e.Schedule(&akitaTicker{engine: e, time: p, period: p, remaining: events})
	}
}

// BenchmarkEngine measures events per second of components that each
// reschedule themselves at a period of their own: native events, akita's
// SerialEngine, and akita events on this engine.
func BenchmarkEngine(b *testing.B) {
	sizes := []int{1, 16, 128, 1024}
	for _, n := range sizes {
		b.Run(fmt.Sprintf("heddle/%d", n), func(b *testing.B) {
			e := NewEngine()
			nativeTickers(e, n, uint64(b.N))
			measure(b, e.Run)
		})
	}
	for _, n := range sizes {
		b.Run(fmt.Sprintf("akita/%d", n), func(b *testing.B) {
			e, events := akita.NewSerialEngine(), b.N
			akitaTickers(e, n, &events)
			measure(b, e.Run)
		})
	}
	for _, n := range sizes {
		b.Run(fmt.Sprintf("akita-on-heddle/%d", n), func(b *testing.B) {
			e, events := NewEngine(), b.N
			akitaTickers(e, n, &events)
			measure(b, e.Run)
		})
	}
}

func measure(b *testing.B, run func() error) {
	b.ReportAllocs()
	b.ResetTimer()
	if err := run(); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
}
