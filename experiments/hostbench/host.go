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
// one hardware thread, with the garbage collector off. watch is told of each
// figure in each pass. A microbenchmark that the noise spoils is a figure without a value.
func Measure(ctx context.Context, f Facts, cases []Case, watch func(Figure)) (*Results, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	release := pin(f.CPUs[0])
	defer release()
	h := &host{facts: f}
	defer h.free()
	r := &Results{Facts: f}
	for pass := range passes {
		for i, c := range cases {
			if err := ctx.Err(); err != nil {
				return r, err
			}
			figure, err := h.measure(c)
			if err != nil {
				return r, err
			}
			if pass == 0 {
				r.Figures = append(r.Figures, figure)
			} else {
				r.Figures[i] = better(r.Figures[i], figure)
			}
			watch(r.Figures[i])
		}
	}
	return r, nil
}

// passes is how often everything is measured: what others do with the memory
// that computers share lasts for longer than a microbenchmark.
const passes = 2

// better returns that of two measurements of a figure which the noise spoiled
// less, with the samples of both.
func better(a, b Figure) Figure {
	samples, outliers := a.Samples+b.Samples, a.Outlier+b.Outlier
	if a.Refused != "" || b.Refused == "" && (b.Unit == nanoseconds) == (b.Value < a.Value) {
		a = b
	}
	a.Samples, a.Outlier = samples, outliers
	return a
}

func (h *host) measure(c Case) (Figure, error) {
	f := Figure{Name: c.Name, Meaning: c.Meaning, Unit: c.Unit}
	s, err := c.prepare(h)
	if err != nil {
		return f, err
	}
	if s.close != nil {
		defer s.close()
	}
	e, err := sample(s.run)
	f.Spread, f.Samples, f.Outlier = e.spread, e.samples, e.outliers
	if err != nil {
		f.Refused = err.Error()
		return f, nil
	}
	f.Value = e.ns
	if s.figure != nil {
		f.Value = s.figure(e.ns)
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
