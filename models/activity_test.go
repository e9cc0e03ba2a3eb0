package models

import (
	"math"
	"math/rand/v2"
	"testing"

	"heddle/sim"
)

// What lines, launches and intervals count adds up to what the machine counts
// in all, on a machine of each kind.
func TestActivityAddsUp(t *testing.T) {
	misses := map[string]map[string]string{ // metrics by level of cache
		"tesla-c2050":    {"l1": "l1_read_misses", "l2": "l2_misses"},
		"tesla-c1060":    {"l2": "l2_misses"},
		"cray-xmt":       {"buffer": "buffer_misses"},
		"xeon-e5540":     {"l1": "l1_misses", "l2": "l2_misses", "l3": "l3_misses"},
		"opteron-6176se": {"l1": "l1_misses", "l2": "l2_misses", "l3": "l3_misses"},
		"functional":     {},
	}
	for name, metrics := range misses {
		t.Run(name, func(t *testing.T) {
			m := build(t, name)
			weighed(t, m, newLists(rand.New(rand.NewPCG(3, 4)), 3000, 20), 3)
			r := m.Report()
			for level, metric := range metrics {
				sum := uint64(0)
				for _, l := range r.Lines {
					for _, c := range l.Misses {
						if c.Name == level {
							sum += c.N
						}
					}
				}
				if want, ok := r.Metrics.Get(metric); !ok || float64(sum) != want || sum == 0 {
					t.Errorf("lines missed %d times in %s; %s is %v", sum, level, metric, want)
				}
			}
			var issues, lanes uint64
			for _, l := range r.Lines {
				issues += l.Issues
				lanes += l.Lanes
			}
			if issues != r.Counts.Instructions || lanes != r.Counts.ThreadInstructions {
				t.Errorf("lines issued %d by %d lanes, the machine %+v", issues, lanes, r.Counts)
			}

			var launched, sampled sim.Bytes
			for _, l := range m.Launches {
				launched += l.Activity.DRAMRead + l.Activity.DRAMWritten
				checkActivity(t, &l.Activity, r.Timed)
			}
			if !r.Timed {
				if r.Series != nil || r.Peak != (Peak{}) {
					t.Errorf("no time, but %+v %+v", r.Series, r.Peak)
				}
				return
			}
			if n := len(r.Series.Ends); n < 2 || r.Series.Ends[n-1] != r.Elapsed {
				t.Fatalf("%d intervals up to %v of %v", n, r.Series.Ends, r.Elapsed)
			}
			instructions := 0.0
			last := sim.Time(0)
			for i, end := range r.Series.Ends {
				a := &r.Series.Activities[i]
				checkActivity(t, a, true)
				if end <= last {
					t.Errorf("interval %d ends at %v, after %v", i, end, last)
				}
				instructions += a.PerCycle * float64(end-last) / float64(m.clock.Period)
				sampled += a.DRAMRead + a.DRAMWritten
				last = end
			}
			if math.Abs(instructions-float64(r.Counts.Instructions)) > 0.5 {
				t.Errorf("intervals have %v instructions, the machine %d", instructions, r.Counts.Instructions)
			}
			if launched != sampled || launched == 0 {
				t.Errorf("launches moved %d bytes, intervals %d", launched, sampled)
			}
			checkUnits(t, r)
		})
	}
}

func checkActivity(t *testing.T, a *Activity, timed bool) {
	t.Helper()
	sum := 0.0
	for _, s := range a.Stalls {
		sum += s.Share
	}
	if timed && !math.IsNaN(sum) && math.Abs(sum-1) > 1e-9 {
		t.Errorf("stalls add up to %v", sum)
	}
	for _, s := range a.HitRates {
		if s.Share < 0 || s.Share > 1 {
			t.Errorf("%s hits %v", s.Name, s.Share)
		}
	}
	if a.Lanes < 1 || a.Divergence < 0 || a.Divergence > 1 {
		t.Errorf("%+v", a)
	}
}

// checkUnits: no part does more than it can, and what memories moved is what
// launches asked of DRAM.
func checkUnits(t *testing.T, r *Report) {
	t.Helper()
	kinds := map[string]int{}
	for _, u := range r.Units {
		kinds[u.Kind]++
		if u.Busy < 0 || u.Busy > 1 || u.Hits < 0 || u.Hits > 1 {
			t.Errorf("%+v", u)
		}
	}
	if kinds["core"] == 0 || kinds["memory"] == 0 || r.Peak.Instructions <= 0 || r.Peak.DRAM <= 0 {
		t.Errorf("units %v, peak %+v", kinds, r.Peak)
	}
}

// A series has few samples, however long a run is, and the same ones each time.
func TestSamplesStayFew(t *testing.T) {
	m := build(t, "functional")
	s := sampler{machine: m}
	m.clock = sim.NewClock(1e9)
	s.begin(0)
	for now := sim.Time(0); now < 1e6*m.clock.Period; now += 100 * m.clock.Period {
		s.look(now)
	}
	if n := len(s.samples); n < mostSamples/2 || n > mostSamples || s.samples[0].at != 0 {
		t.Errorf("%d samples from %v", n, s.samples[0].at)
	}
	for i := 2; i < len(s.samples)-1; i++ {
		if d := s.samples[i].at - s.samples[i-1].at; d > 2*s.interval {
			t.Errorf("sample %d comes %d after the one before, of an interval of %d", i, d, s.interval)
		}
	}
}
