package experiments

import (
	"runtime"
	"strings"
	"testing"

	akita "github.com/sarchlab/akita/v3/sim"

	"heddle/kernels"
	"heddle/kernels/graph"
	"heddle/models"
)

// heap returns the bytes of live objects.
func heap() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// BenchmarkSimulate runs every kernel on every machine on an R-MAT graph of
// 65,536 vertices, as .../<machine>/<kernel, with - for />/rmat-g-16. It
// reports the instructions simulated in a second, by warps and by threads, and
// the bytes of host memory for each byte of simulated arrays, the graph and the
// machine's model included.
func BenchmarkSimulate(b *testing.B) {
	for _, machine := range models.Names(models.Library) {
		for _, k := range Kernels() {
			b.Run(machine+"/"+strings.ReplaceAll(k.Name, "/", "-")+"/rmat-g-16", func(b *testing.B) {
				benchmarkSimulate(b, machine, k)
			})
		}
	}
}

func benchmarkSimulate(b *testing.B, machine string, k kernels.Kernel) {
	before := heap()
	g, err := graph.Open("rmat-g:16", graph.Options{Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	if k.Weighted {
		g.EnsureWeights(1)
	}
	d, err := models.Open(models.Library, machine)
	if err != nil {
		b.Fatal(err)
	}
	var m *models.Machine
	var answer kernels.Answer
	var instructions, threads uint64
	if m, err = models.Build(d, models.Options{}); err != nil {
		b.Fatal(err)
	}
	for _, p := range k.Programs() {
		if err := m.Check(p); err != nil {
			b.Skip(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if m, err = models.Build(d, models.Options{}); err != nil {
			b.Fatal(err)
		}
		if answer, err = k.Simulate(m, g, kernels.Options{Seed: 1, Source: -1}); err != nil {
			b.Fatal(err)
		}
		c := m.Report().Counts
		instructions += c.Instructions
		threads += c.ThreadInstructions
	}
	if err := answer.Check(g); err != nil {
		b.Fatal(err)
	}
	answer = nil
	b.ReportMetric(float64(instructions)/b.Elapsed().Seconds(), "warp-inst/s")
	b.ReportMetric(float64(threads)/b.Elapsed().Seconds(), "thread-inst/s")
	b.ReportMetric((heap()-before)/float64(m.Report().Memory), "host-B/sim-B")
	runtime.KeepAlive(g)
	runtime.KeepAlive(m)
}

// BenchmarkAkitaEvents is the yardstick of the same run: events of akita's
// SerialEngine, from 128 components with periods of their own. An operation is
// a million events.
func BenchmarkAkitaEvents(b *testing.B) {
	const components, events = 128, 1_000_000
	b.ReportAllocs()
	for b.Loop() {
		e := akita.NewSerialEngine()
		left := events - components // to be scheduled
		for i := range components {
			c := &akitaClock{engine: e, left: &left, period: akita.VTimeInSec(1e-9 * (0.5 + float64(i*37%components)/components))}
			e.Schedule(akita.NewEventBase(c.period, c))
		}
		if err := e.Run(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*events/b.Elapsed().Seconds(), "events/s")
}

// akitaClock makes an event each period as long as any are left.
type akitaClock struct {
	engine akita.Engine
	period akita.VTimeInSec
	left   *int
}

// Handle implements akita's Handler.
func (c *akitaClock) Handle(e akita.Event) error {
	if *c.left > 0 {
		*c.left--
		c.engine.Schedule(akita.NewEventBase(e.Time()+c.period, c))
	}
	return nil
}
