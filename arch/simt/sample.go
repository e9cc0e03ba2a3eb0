package simt

import (
	"math"

	"heddle/sim"
)

// Sampling says which parts of a launch are simulated in detail: windows, with
// all between them executed without timing. The distance between windows grows
// while they agree and shrinks where they do not. All lengths are in cycles of
// the SMs. (Wunderlich et al., SMARTS, ISCA 2003, sample by instructions; warps
// share a memory, so time is sampled here.)
type Sampling struct {
	Warm     sim.Cycles // of a window, before it is measured, to fill caches and queues
	Measure  sim.Cycles // of a window
	Distance sim.Cycles // between windows, at most
}

// DefaultSampling simulates about one cycle in two hundred of a long launch in
// detail.
var DefaultSampling = Sampling{Warm: 8_000, Measure: 8_000, Distance: 3_600_000}

// Sampled is what came of sampling so far.
type Sampled struct {
	Windows   int
	Executed  Work // without timing
	Stretches []Stretch
}

// Work is instructions executed.
type Work struct{ Instructions, ThreadInstructions uint64 }

// Stretch is a part of a launch that was executed without timing.
type Stretch struct {
	Launch uint64
	Time   sim.Time // estimated
	Error  sim.Time // by which what the windows around it tell may be off

	transactions float64
}

// sampler samples the launches of a GPU.
type sampler struct {
	Sampling
	Sampled
	gpu      *GPU
	costs    map[*kernel]*costs
	phase    phase
	began    sim.Time // the phase
	next     sim.Time // when it ends
	accesses uint64   // when it began
	extended int      // how often it was made longer
	distance sim.Time // to the next window
	// Of the running launch: accesses and warps before it, and accesses without
	// timing.
	atBegin, warpsAtBegin uint64
	forwarded             float64
	first                 int     // of the running launch's stretches
	rate                  float64 // time of a transaction in the latest window
}

type phase uint8

const (
	warming phase = iota
	measuring
)

// SampleLaunches makes the GPU sample its launches instead of simulating them whole.
// Programs with full/empty operations are then refused: what a blocked thread
// waits for has no meaning without time.
func (g *GPU) SampleLaunches(s Sampling) {
	g.sampler = &sampler{Sampling: s, gpu: g, costs: map[*kernel]*costs{}, next: sim.Never}
}

// Sampled returns what came of sampling, nil if the GPU does not.
func (g *GPU) Sampled() *Sampled {
	if g.sampler == nil {
		return nil
	}
	return &g.sampler.Sampled
}

// begin prepares for a launch from time at.
func (s *sampler) begin(k *kernel, at sim.Time) {
	s.distance = s.nearest()
	if s.costs[k] != nil {
		s.distance *= 3 // as if one stretch had gone well
	} else {
		s.costs[k] = s.gpu.newCosts(k)
	}
	s.first = len(s.Stretches)
	s.atBegin, s.warpsAtBegin, s.forwarded = s.gpu.accesses(), s.gpu.dispatched, 0
	s.enter(warming, at, s.Warm)
}

// nearest returns the least time between windows.
func (s *sampler) nearest() sim.Time { return 3 * s.span(s.Warm+s.Measure) }

func (s *sampler) span(n sim.Cycles) sim.Time { return s.gpu.clock.Span(n) }

func (s *sampler) enter(p phase, at sim.Time, length sim.Cycles) {
	s.phase, s.began, s.extended = p, at, 0
	s.accesses = s.gpu.accesses()
	s.next = at + s.span(length)
}

// advance goes on to the next phase, at time now.
func (s *sampler) advance(now sim.Time) {
	g := s.gpu
	if g.accesses()-s.accesses < s.wanted() && s.extended < mostExtensions {
		s.extended++
		s.next = now + s.span(s.Measure)/2
		return
	}
	k := g.running.kernel
	c := s.costs[k]
	for w := range g.resident {
		w.account(now, w.reason)
	}
	if s.phase == warming {
		c.mark(k, g.issueInterval)
		s.enter(measuring, now, s.Measure)
		return
	}
	s.Windows++
	warps := g.residentWarps()
	ratio := c.measure(k, warps, g.issueInterval)
	before := s.rate
	s.rate = 0
	if c.transactions > 0 {
		s.rate = float64(now-s.began) / c.transactions
	}
	if n := len(s.Stretches); n > s.first && ratio > 0 {
		x := &s.Stretches[n-1]
		x.correct(ratio, before, s.rate)
		switch off := float64(x.Error) / float64(x.Time); {
		case off < 0.05:
			s.distance = min(3*s.distance, s.span(s.Distance))
		case off > 0.15:
			s.distance = max(s.distance/2, s.nearest())
		}
	}
	t, accesses, transactions := g.forward(c, s.distance, warps/2, &s.Executed)
	s.forwarded += accesses
	if t > 0 {
		s.Stretches = append(s.Stretches, Stretch{Launch: g.stats.Launches, Time: t, Error: t, transactions: transactions})
	}
	s.enter(warming, now, s.Warm)
}

// mostExtensions is how often a phase is made longer, by half a measurement.
const mostExtensions = 32

// wanted returns the accesses that a phase should see: one of each warp, for
// behind a saturated memory that takes longer than a phase, but all of its
// life if that is short, for such warps run in step with each other.
func (s *sampler) wanted() uint64 {
	const short = 16
	resident := uint64(s.gpu.residentWarps())
	life := (s.gpu.accesses() - s.atBegin + uint64(s.forwarded)) / max(1, s.gpu.dispatched-s.warpsAtBegin)
	if s.phase == measuring && life <= short {
		return resident * max(1, life)
	}
	return resident
}

// correct estimates the stretch again from the window that followed it. There
// are two ways: by the costs of instructions, which that window saw to be ratio
// times as high, and by the time of a transaction, which was before in the
// window before the stretch and after in the one that followed. Either gives
// two times, and the way whose two agree better is taken.
func (x *Stretch) correct(ratio, before, after float64) {
	t := float64(x.Time) // by the costs in the windows before
	a, b := t, t*ratio
	if c, d := x.transactions*before, x.transactions*after; c > 0 && d > 0 && math.Abs(c-d)*(a+b) < math.Abs(a-b)*(c+d) {
		a, b = c, d
	}
	x.Time = sim.Time((a + b) / 2)
	x.Error = sim.Time(math.Abs(a-b) / 2)
}

// end returns the time that the launch would have taken beyond what was
// simulated in detail.
func (s *sampler) end() (skipped sim.Time) {
	s.next = sim.Never
	last := s.Stretches[s.first:]
	for i := range last {
		x := &last[i]
		if i > 0 && x.Error == x.Time { // no window followed: it is as good as the one before
			x.Error = sim.Time(float64(x.Time) * float64(last[i-1].Error) / float64(last[i-1].Time))
		}
		skipped += x.Time
	}
	return skipped
}

// accesses returns the warps' accesses to memory so far.
func (g *GPU) accesses() uint64 {
	s := &g.stats
	return s.Loads.Requests + s.Stores.Requests + s.Atomics.Requests
}
