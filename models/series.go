package models

import "heddle/sim"

// mostSamples is how many samples a series has at most. When there are as many,
// every second one is dropped and the interval between them doubled.
const mostSamples = 128

// leastInterval is the shortest time between two samples, in cycles of the
// machine's main clock.
const leastInterval = 2048

// Series tells how a run went on. Interval i ends at Ends[i]; the first one
// begins with the timed part.
type Series struct {
	Ends       []sim.Time // since the timed part began
	Activities []Activity
}

// sampler looks at a machine's counters now and then while it runs.
type sampler struct {
	machine  *Machine
	started  sim.Time
	interval sim.Time
	next     sim.Time
	samples  []sample
}

type sample struct {
	at sim.Time
	counters
}

func (s *sampler) begin(now sim.Time) {
	period := s.machine.clock.Period
	if period == 0 {
		return
	}
	s.started = now
	s.interval = leastInterval * period
	s.samples = make([]sample, 0, mostSamples+1)
	s.take(now)
}

// look takes a sample if it is time for one.
func (s *sampler) look(now sim.Time) {
	if now >= s.next && len(s.samples) > 0 {
		s.take(now)
	}
}

func (s *sampler) take(now sim.Time) {
	x := sample{at: now}
	s.machine.device.count(&x.counters, now)
	s.samples = append(s.samples, x)
	if len(s.samples) > mostSamples {
		kept := s.samples[:1] // its beginning stays
		for i := 2; i < len(s.samples); i += 2 {
			kept = append(kept, s.samples[i])
		}
		s.samples = kept
		s.interval *= 2
	}
	s.next = now + s.interval
}

// series returns what was seen up to the end of a run of the given length.
func (s *sampler) series(elapsed sim.Time) *Series {
	if len(s.samples) == 0 {
		return &Series{}
	}
	all := s.samples
	if end := s.started + elapsed; end > all[len(all)-1].at {
		x := sample{at: end}
		s.machine.device.count(&x.counters, end)
		all = append(all[:len(all):len(all)], x)
	}
	r := &Series{}
	for i := 1; i < len(all); i++ {
		before, after := &all[i-1], &all[i]
		r.Ends = append(r.Ends, after.at-s.started)
		r.Activities = append(r.Activities, s.machine.activity(&before.counters, &after.counters, after.at-before.at))
	}
	return r
}
