package simt

import "heddle/sim"

// Sampling says which parts of a launch are simulated in detail: windows, with
// all between them executed without timing. Lengths are in cycles of the SMs.
// (Wunderlich et al., SMARTS, ISCA 2003, sample by instructions; warps share a
// memory, so time is sampled here.)
type Sampling struct {
	Warm    sim.Cycles // of a window, before it is measured, to fill caches and queues
	Measure sim.Cycles // of a window, on the clocks of its warps
	Share   float64    // of the run so far that a stretch between windows is at most
}

// DefaultSampling has a window for each fortieth of a run, for its interval to be
// a few percent.
var DefaultSampling = Sampling{Warm: 8_000, Measure: 16_000, Share: 0.025}

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
	Time   sim.Time // on the warps' clocks
	// Of time to the warps' clocks in the window that followed, 0 if none did.
	Ratio float64
	// Transactions of the stretch, and what they would be at the rate of the
	// window that followed, by the warps' clocks.
	Transactions, Told float64
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
	whole    bool     // the latest stretch did not end before its time
	before   sim.Time // of all launches before the running one
	start    sim.Time // of the running launch
	// Of the running launch: accesses and warps before it, and accesses without
	// timing.
	atBegin, warpsAtBegin uint64
	forwarded             float64
	first                 int // of the running launch's stretches
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
	if s.costs[k] == nil {
		s.costs[k] = s.gpu.newCosts(k)
	}
	s.first = len(s.Stretches)
	s.atBegin, s.warpsAtBegin, s.forwarded = s.gpu.accesses(), s.gpu.dispatched, 0
	s.start = at
	s.enter(warming, at, s.Warm)
}

// distance returns the time to the next window: a share of the run so far, with
// the running launch for as long as its blocks let expect.
func (s *sampler) distance(now sim.Time) sim.Time {
	l := s.gpu.running
	launch := now - s.start
	for _, x := range s.Stretches[s.first:] {
		launch += x.Time
	}
	launch = sim.Time(float64(launch) * float64(l.blocks) / float64(l.next))
	share := sim.Time(float64(s.before+launch) * s.Share)
	return max(share, 3*s.span(s.Warm+s.Measure))
}

func (s *sampler) span(n sim.Cycles) sim.Time { return s.gpu.clock.Span(n) }

func (s *sampler) enter(p phase, at sim.Time, length sim.Cycles) {
	s.phase, s.began, s.extended = p, at, 0
	s.accesses = s.gpu.accesses()
	s.next = at + s.span(length)
}

// advance goes on to the next phase, at time now.
func (s *sampler) advance(now sim.Time) {
	g := s.gpu
	k := g.running.kernel
	c := s.costs[k]
	for w := range g.resident {
		w.account(now, w.reason)
	}
	warps := g.residentWarps()
	short := g.accesses()-s.accesses < s.wanted()
	if s.phase == measuring {
		c.look(k, warps, g.issueInterval)
		short = short || c.predicted*float64(now-s.began) < c.taken*float64(s.span(s.Measure))
	}
	if short && s.extended < mostExtensions {
		s.extended++
		s.next = now + s.span(s.Measure)/step
		return
	}
	if s.phase == warming {
		c.mark(k, g.issueInterval)
		s.enter(measuring, now, s.Measure/step)
		return
	}
	s.Windows++
	ratio := c.learn()
	if n := len(s.Stretches); n > s.first && s.whole {
		x := &s.Stretches[n-1]
		x.Ratio = ratio
		x.Told = float64(x.Time) * ratio * c.pace
	}
	d := s.distance(now)
	t, accesses, transactions := g.forward(c, d, warps/2, &s.Executed)
	s.forwarded += accesses
	s.whole = t >= d
	if t > 0 {
		s.Stretches = append(s.Stretches, Stretch{Launch: g.stats.Launches, Time: t, Transactions: transactions})
	}
	s.enter(warming, now, s.Warm)
}

// A phase is made longer in steps, of a part of a measurement, up to a limit.
const (
	step           = 8
	mostExtensions = 16 * step
)

// wanted returns the accesses that a phase should see: one of each warp, for
// behind a saturated memory that takes longer than a phase, but all of its
// life if that is short, for such warps run in step with each other.
func (s *sampler) wanted() uint64 {
	const short = 16
	g := s.gpu
	resident := uint64(g.residentWarps())
	started := g.dispatched - s.warpsAtBegin
	if s.phase == warming || started == resident {
		return resident
	}
	life := (g.accesses() - s.atBegin + uint64(s.forwarded)) / started
	if life > short {
		return resident
	}
	return resident * max(1, life)
}

// end returns the time that the launch would have taken beyond what was
// simulated in detail.
func (s *sampler) end(at sim.Time) (skipped sim.Time) {
	s.next = sim.Never
	e := estimateLaunch(s.Stretches[s.first:])
	skipped = sim.Time(e.clocks * e.ratio)
	s.before += at - s.start + skipped
	return skipped
}

// accesses returns the warps' accesses to memory so far.
func (g *GPU) accesses() uint64 {
	s := &g.stats
	return s.Loads.Requests + s.Stores.Requests + s.Atomics.Requests
}
