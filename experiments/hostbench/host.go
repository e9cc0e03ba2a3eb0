package hostbench

import (
	"context"
	"runtime"
	"runtime/debug"
)

// otherCPUs numbers the processors that Go sees.
func otherCPUs() []int {
	cpus := make([]int, runtime.NumCPU())
	for i := range cpus {
		cpus[i] = i
	}
	return cpus
}

// host is this computer while microbenchmarks run on it.
type host struct {
	facts      Facts
	base, huge *region // both of far bytes, nil until asked for
	ring       int     // bytes of the ring in the region used last
	of         *region // whose ring it is
	sink       int64   // keeps what is computed from being removed
}

// Measure runs the microbenchmarks on this computer, the calling goroutine on
// one hardware thread, with the garbage collector off. watch is told the name of
// each microbenchmark in each pass. One that the noise spoils is a figure without
// a value.
func Measure(ctx context.Context, f Facts, cases []Case, watch func(name string)) (*Results, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	release := pin(f.CPUs[0])
	defer release()
	h := &host{facts: f}
	defer h.free()
	r := &Results{Facts: f, Figures: make([]Figure, len(cases))}
	samplers := make([]sampler, len(cases))
	for range mostPasses {
		for i, c := range cases {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			watch(c.Name)
			if samplers[i].settled() {
				continue
			}
			var err error
			if r.Figures[i], err = h.measure(c, &samplers[i]); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

// measure samples a microbenchmark once more and returns its figure so far.
func (h *host) measure(c Case, samples *sampler) (Figure, error) {
	f := Figure{Name: c.Name, Meaning: c.Meaning, Unit: c.Unit}
	s, err := c.prepare(h)
	if err != nil {
		return f, err
	}
	if s.close != nil {
		defer s.close()
	}
	samples.pass(s.run)
	f.Samples, f.Outlier = samples.samples, samples.outliers
	if len(samples.medians) < best {
		return f, nil
	}
	f.Spread = samples.spread()
	ns, err := samples.value()
	if err != nil {
		f.Refused = err.Error()
		return f, nil
	}
	f.Value = ns
	if s.figure != nil {
		f.Value = s.figure(ns)
	}
	return f, nil
}

// memory returns the region of base or of huge pages.
func (h *host) memory(huge bool) (*region, error) {
	r := &h.base
	if huge {
		r = &h.huge
	}
	var err error
	if *r == nil {
		*r, err = newRegion(h.facts.far(), huge)
	}
	return *r, err
}

func (h *host) free() {
	for _, r := range []*region{h.base, h.huge} {
		if r != nil {
			r.free()
		}
	}
}
