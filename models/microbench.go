package models

import (
	"fmt"
	"math"

	"heddle/arch/isa"
	"heddle/sim"
)

// Measurement is what a microbenchmark finds on a simulated machine beside what
// its description implies and what is published of the real one.
type Measurement struct {
	Name      string // the Check's key where there is one
	Meaning   string
	Unit      string
	Simulated float64
	Implied   float64 // by the description (Description.Theory); NaN for nothing
	Cited     float64 // published; NaN for nothing
	Source    Source  // of Cited
	Tolerance float64 // of Simulated, relative to Cited or, without it, to Implied
}

// OK reports whether the simulated figure is as near to the cited one, or else
// to the implied one, as it should be.
func (m Measurement) OK() bool {
	want := m.Cited
	if math.IsNaN(want) {
		want = m.Implied
	}
	return math.IsNaN(want) || math.Abs(m.Simulated-want) <= m.Tolerance*want
}

// microbenchmark measures one figure with a bench of a kind of machine, in base
// units.
type microbenchmark[B any] struct {
	key       string // of the kind's theory section
	tolerance float64
	measure   func(b B) float64
}

// Microbenchmarks runs small programs on machines built from d, one that is
// idle for each, and returns what they measure, in the order of TheoryConfig.
// It refuses machines for which there are none; what a machine lacks is left
// out.
func Microbenchmarks(d *Description) ([]Measurement, error) {
	switch kind, _ := d.Value("kind"); kind {
	case "simt":
		b := gpuBench{bench: bench{d: d}}
		if err := d.Decode(&b.gpu); err != nil {
			return nil, err
		}
		return figures(&b.bench, &b, gpuMicrobenchmarks)
	case "stream":
		b := streamBench{bench: bench{d: d}}
		if err := d.Decode(&b.stream); err != nil {
			return nil, err
		}
		return figures(&b.bench, &b, streamMicrobenchmarks)
	case "window":
		b := windowBench{bench: bench{d: d}}
		if err := d.Decode(&b.window); err != nil {
			return nil, err
		}
		return figures(&b.bench, &b, windowMicrobenchmarks)
	default:
		return nil, fmt.Errorf("machine %s: there are no microbenchmarks for a machine of kind %s, which has no timing", d.Name(), kind)
	}
}

// figures measures what the description of b's machine has a theory of; of is
// the bench of its kind that b is a part of.
func figures[B any](b *bench, of B, list []microbenchmark[B]) ([]Measurement, error) {
	checks, err := b.d.Theory()
	if err != nil {
		return nil, err
	}
	known := map[string]Check{}
	for _, c := range checks {
		known[c.Key] = c
	}
	var all []Measurement
	for _, mb := range list {
		c, ok := known[mb.key]
		if !ok {
			continue
		}
		x := mb.measure(of)
		if b.err != nil {
			return nil, fmt.Errorf("microbenchmark %s: %w", mb.key, b.err)
		}
		all = append(all, c.measured(x, mb.tolerance))
	}
	return all, nil
}

// measured returns c with what was simulated, in base units, and how near it
// must be if c itself asks for no less.
func (c Check) measured(simulated, tolerance float64) Measurement {
	return Measurement{
		Name: c.Key, Meaning: c.Meaning, Unit: c.Unit, Simulated: simulated / unitScale(c.Unit),
		Implied: c.Implied, Cited: c.Stated, Source: c.Source, Tolerance: max(tolerance, c.Tolerance),
	}
}

// bench runs programs and keeps the first error.
type bench struct {
	d *Description
	*Machine
	err error
}

// fresh gives the bench an idle machine, with overrides of its own.
func (b *bench) fresh(set ...string) {
	if b.err != nil {
		return
	}
	d := b.d.Clone()
	if b.err = d.Override(set...); b.err == nil {
		b.Machine, b.err = Build(d, Options{})
	}
}

func (b *bench) adopt(name string, data any) isa.Array {
	if b.err != nil {
		return isa.Array{}
	}
	var a isa.Array
	a, b.err = b.Adopt(name, data)
	return a
}

func (b *bench) alloc(name string, elem isa.Type, n int) isa.Array {
	if b.err != nil {
		return isa.Array{}
	}
	var a isa.Array
	a, b.err = b.Alloc(name, elem, n)
	return a
}

// run runs p and returns how long it ran on the device.
func (b *bench) run(p *isa.Program, items int, args ...any) sim.Time {
	if b.err != nil {
		return 1
	}
	if b.err = b.Launch(p, items, isa.Args(args...)...); b.err != nil {
		return 1
	}
	l := &b.Launches[len(b.Launches)-1]
	return l.End - l.Start
}

// empty times a program that does nothing, as the host sees it.
func (b *bench) empty() float64 {
	b.fresh()
	if b.err != nil {
		return 0
	}
	b.Start()
	b.run(isa.NewBuilder("empty").MustBuild(), 1)
	b.Finish()
	return float64(b.Report().Elapsed)
}

// cycles returns t in cycles of the machine's clock.
func (b *bench) cycles(t sim.Time) float64 {
	if b.err != nil {
		return 0
	}
	return float64(t) / float64(b.clock.Period)
}

// Lengths of the two chains of dependent loads of which the difference counts:
// what a launch costs beside them cancels out.
const shortChain, longChain = 64, 320

// longestRing bounds the host's memory.
const longestRing sim.Bytes = 1 << 30

// chase follows a ring through every stride-th byte of size bytes, on an idle
// machine. It runs a thread round the ring once, if warm, and then times two
// chains that go on from there.
func (b *bench) chase(size, stride sim.Bytes, warm bool) float64 {
	ring := b.ringOf(size, stride)
	b.fresh()
	return b.follow(ring, b.adopt("ring", ring), stride, warm)
}

// follow times two chains of loads round a ring, each load waiting for the one
// before, and returns the cycles of a load.
func (b *bench) follow(ring []int64, r isa.Array, stride sim.Bytes, warm bool) float64 {
	if b.err != nil {
		return 0
	}
	size := sim.Bytes(len(ring) * 8)
	out := b.alloc("out", isa.I64, 1)
	lap := 0
	if warm {
		// Twice round: L2 keeps what it holds from one launch to the next, L1
		// does not.
		lap = int(size / stride)
		b.run(walk(), 1, r, out, lap)
	}
	at := 0
	short := b.run(chain(shortChain), 1, r, out, at, lap)
	for range shortChain {
		at = int(ring[at])
	}
	long := b.run(chain(longChain), 1, r, out, at, lap)
	return b.cycles(long-short) / (longChain - shortChain)
}

// ringOf returns a ring from element 0 through every stride-th byte of size
// bytes; each element on it holds the index of the next.
func (b *bench) ringOf(size, stride sim.Bytes) []int64 {
	if size > longestRing {
		b.err = fmt.Errorf("a ring of %s: at most %s", Format(size), Format(longestRing))
		return nil
	}
	ring := make([]int64, size/8)
	last, step := int64(0), int64(stride/8)
	for i := step; i < int64(len(ring)); i += step {
		ring[last] = i
		last = i
	}
	ring[last] = 0
	return ring
}
