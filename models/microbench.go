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

// microbenchmark measures one figure of a GPU, in base units.
type microbenchmark struct {
	key       string // of TheoryConfig
	tolerance float64
	measure   func(b *bench) float64
}

// microbenchmarks are the figures of TheoryConfig that programs can measure,
// and how near a simulation must come: latencies exactly but for the clocks'
// edges, rates as near as a program of finite length can.
var microbenchmarks = []microbenchmark{
	{"f32_peak", 0.03, func(b *bench) float64 { return b.flops(isa.F32) }},
	{"f64_peak", 0.03, func(b *bench) float64 { return b.flops(isa.F64) }},
	{"l1_latency", 0.03, (*bench).l1Latency},
	{"l2_latency", 0.03, (*bench).l2Latency},
	{"dram_latency", 0.03, (*bench).dramLatency},
	{"l2_bandwidth", 0.2, (*bench).l2Bandwidth}, // a peak: loads meet at some slices and leave others idle
	{"dram_read", 0.15, (*bench).dramRead},      // by unloaded latencies: under load they grow
	{"atomic_same_address", 0.03, (*bench).atomicSameAddress},
	{"launch", 0.03, (*bench).emptyLaunch},
	{"copy", 0.03, (*bench).copy},
}

// Microbenchmarks runs small programs on machines built from d, one that is
// idle for each, and returns what they measure, in the order of TheoryConfig.
// It refuses machines for which there are none; what a machine lacks is left
// out.
func Microbenchmarks(d *Description) ([]Measurement, error) {
	switch kind, _ := d.Value("kind"); kind {
	case "simt":
	case "stream":
		return streamFigures(d)
	case "window":
		return windowFigures(d)
	default:
		return nil, fmt.Errorf("machine %s: there are no microbenchmarks for a machine of kind %s, which has no timing", d.Name(), kind)
	}
	checks, err := d.Theory()
	if err != nil {
		return nil, err
	}
	known := map[string]Check{}
	for _, c := range checks {
		known[c.Key] = c
	}
	var all []Measurement
	for _, mb := range microbenchmarks {
		c, ok := known[mb.key]
		if !ok {
			continue
		}
		b := bench{d: d}
		if err := d.Decode(&b.gpu); err != nil {
			return nil, err
		}
		x := mb.measure(&b)
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
	d   *Description
	gpu GPUDescription
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

// cycles returns t in cycles of the machine's clock.
func (b *bench) cycles(t sim.Time) float64 {
	if b.err != nil {
		return 0
	}
	return float64(t) / float64(b.clock.Period)
}

// resident returns the threads that fill the GPU.
func (b *bench) resident() int { return b.gpu.SMs * int(b.gpu.residentThreads()) }

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

// l1Latency chases through half of L1.
func (b *bench) l1Latency() float64 { return b.chase(b.gpu.L1.Size/2, b.gpu.L1.Line, true) }

// l2Latency chases through what fits in L2 and is too much for L1.
func (b *bench) l2Latency() float64 {
	line := max(b.gpu.L1.Line, b.gpu.L2.Slice.Line)
	size := min(sim.Bytes(b.gpu.l2Size())/2, max(4*b.gpu.L1.Size, 2*longChain*line))
	return b.chase(size, line, true)
}

// dramLatency chases through memory that no load has touched, each load in
// another row and channel.
func (b *bench) dramLatency() float64 {
	d := &b.gpu.DRAM
	stride := sim.Bytes(d.Channels)*max(d.RowBytes, d.Interleave) + d.Interleave
	return b.chase(stride*(shortChain+longChain+1), stride, false)
}

// l2Bandwidth makes all threads load from places that are in L2 and, as the
// loads of an SM lie far apart, not in its L1.
func (b *bench) l2Bandwidth() float64 {
	words := 1 // of half of L2, rounded down to a power of two
	for sim.Bytes(words)*16*2 <= min(sim.Bytes(b.gpu.l2Size()), longestRing) {
		words *= 2
	}
	b.fresh()
	data := b.adopt("data", make([]float64, words))
	out := b.alloc("out", isa.F64, b.resident())
	b.run(sum(), b.resident(), data, out, words) // brings it in
	before := b.fromL2(data)
	short := b.run(hop(shortHops, words), b.resident(), data, out)
	between := b.fromL2(data)
	long := b.run(hop(longHops, words), b.resident(), data, out)
	after := b.fromL2(data)
	bytes := (after - between) - (between - before)
	return float64(bytes) / (long - short).Seconds()
}

// fromL2 returns the bytes of a that the SMs have read from L2 so far.
func (b *bench) fromL2(a isa.Array) sim.Bytes {
	if b.err != nil {
		return 0
	}
	for _, t := range b.Report().Arrays {
		if t.Name == a.Name && b.gpu.L1.Enabled {
			return t.Levels[0].Fetched
		} else if t.Name == a.Name {
			return t.Moved
		}
	}
	return 0
}

// dramRead reads a long array once.
func (b *bench) dramRead() float64 {
	const n = 1 << 20 // many times what L2 holds
	b.fresh()
	data := b.adopt("data", make([]float64, n))
	out := b.alloc("out", isa.F64, b.resident())
	return n * 8 / b.run(sum(), b.resident(), data, out, n).Seconds()
}

// atomicSameAddress makes all threads add to one word.
func (b *bench) atomicSameAddress() float64 {
	b.fresh()
	word := b.alloc("word", isa.I64, 1)
	short := b.run(count(1), b.resident(), word)
	long := b.run(count(4), b.resident(), word)
	return b.cycles(long-short) / float64(3*b.resident())
}

// flops runs chains of multiply-adds on every resident thread.
func (b *bench) flops(t isa.Type) float64 {
	b.fresh()
	out := b.alloc("out", t, b.resident())
	short := b.run(multiplyAdd(t, shortChain), b.resident(), out)
	long := b.run(multiplyAdd(t, shortChain+128), b.resident(), out)
	return 2 * 128 * float64(b.resident()) / (long - short).Seconds() / 1e9
}

// emptyLaunch times a program that does nothing, as the host sees it.
func (b *bench) emptyLaunch() float64 {
	b.fresh()
	if b.err != nil {
		return 0
	}
	b.Start()
	b.run(isa.NewBuilder("empty").MustBuild(), 1)
	b.Finish()
	return float64(b.Report().Elapsed)
}

// copy times a copy of 64 MiB to the device.
func (b *bench) copy() float64 {
	const size = 64 << 20
	b.fresh()
	b.adopt("data", make([]uint8, size))
	if b.err != nil {
		return 0
	}
	b.Start()
	return size / b.Report().Upload.Seconds()
}
