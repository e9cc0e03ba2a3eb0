package traces

import "heddle/sim"

// counters are what the machine does over time, in steps.
type counters struct {
	group     int
	rate      int // counters
	bandwidth int
	occupancy int
	figures   map[string]int // the program's own

	step     sim.Time // 0 before the timed part
	first    sim.Time // where issues[0] begins
	issues   []int    // instructions issued in each of the latest steps
	latest   sim.Time // end of the latest of them
	resident int      // contexts with threads

	inside  bool     // the window has begun
	sampled sim.Time // when DRAM was last looked at
	moved   sim.Bytes
}

const (
	// counterSteps is how many steps a window has; one of the whole run, whose
	// length nobody knows, has steps of counterCycles.
	counterSteps  = 1000
	counterCycles = 1024
	// lateSteps is for how many steps issues are waited for: some are known
	// only when a thread goes on.
	lateSteps = 64
)

func (c *counters) begin(t *Tracer) {
	c.group, c.rate, c.bandwidth, c.occupancy = t.track(), t.track(), t.track(), t.track()
	c.figures = map[string]int{}
	t.out.group(c.group, t.layout.Machine, rankMachine)
	t.out.counter(c.rate, c.group, "IPC", t.layout.Issue+"/cycle")
	t.out.counter(c.bandwidth, c.group, "DRAM bandwidth", "GB/s")
	t.out.counter(c.occupancy, c.group, "occupancy", t.layout.Context+"s with threads")
}

func (c *counters) start(t *Tracer) {
	c.step = t.layout.Clock.Span(counterCycles)
	if t.to != sim.Never {
		c.step = max((t.to-t.from)/counterSteps, t.layout.Clock.Period)
	}
	c.first = t.from
	c.issues = make([]int, lateSteps)
}

// issued counts instructions issued at a time.
func (c *counters) issued(t *Tracer, at sim.Time, n int) {
	if at < t.from || at >= t.to || c.step == 0 {
		return
	}
	for at >= c.first+c.step*lateSteps {
		c.shift(t)
	}
	c.issues[max(0, at-c.first)/c.step] += n
	c.latest = max(c.latest, at+t.layout.Clock.Period)
}

// shift writes the first step.
func (c *counters) shift(t *Tracer) {
	cycles := float64(min(c.step, t.to-c.first)) / float64(t.layout.Clock.Period)
	t.out.value(c.rate, c.first-t.origin, float64(c.issues[0])/cycles)
	copy(c.issues, c.issues[1:])
	c.issues[lateSteps-1] = 0
	c.first += c.step
}

// tick writes the steps that are over.
func (c *counters) tick(t *Tracer) {
	now := min(t.options.Now(), t.to)
	switch {
	case c.step == 0 || now < t.from:
	case !c.inside:
		c.inside, c.sampled, c.moved = true, now, t.options.DRAM()
	case now >= c.sampled+c.step:
		c.sample(t, now)
	}
}

func (c *counters) sample(t *Tracer, now sim.Time) {
	moved := t.options.DRAM()
	at := c.sampled - t.origin
	t.out.value(c.bandwidth, at, float64(moved-c.moved)/(now-c.sampled).Seconds()/1e9)
	t.out.value(c.occupancy, at, float64(c.resident))
	c.sampled, c.moved = now, moved
}

// end writes what is left, up to the end of the run or of the window.
func (c *counters) end(t *Tracer) {
	if !c.inside {
		return
	}
	now := min(max(t.options.Now(), c.latest), t.to)
	t.to = now
	for c.first < now {
		c.shift(t)
	}
	if now > c.sampled {
		c.sample(t, now)
	}
	for _, counter := range []int{c.rate, c.bandwidth, c.occupancy} {
		t.out.value(counter, now-t.origin, 0)
	}
}

// Noted implements sim.Observer.
func (t *Tracer) Noted(name string, value int64, at sim.Time) {
	if _, _, some := t.clip(at, at+1); !some {
		return
	}
	c := &t.counters
	id, ok := c.figures[name]
	if !ok {
		id = t.track()
		c.figures[name] = id
		t.out.counter(id, c.group, name, "")
	}
	t.out.value(id, at-t.origin, float64(value))
}
