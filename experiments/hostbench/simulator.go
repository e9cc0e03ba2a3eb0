package hostbench

import (
	"context"
	"fmt"

	"heddle/arch/isa"
	"heddle/models"
	"heddle/sim"
)

// simulator runs microbenchmarks on a described machine and keeps the first
// error.
type simulator struct {
	d     *models.Description
	facts Facts
	desc  models.WindowDescription
	err   error
	*rings
}

// rings are those that programs follow on simulated machines, none of which
// writes them.
type rings struct {
	ofLines map[int][]int64 // by bytes
	blocks  []int64         // a ring of blocks, nil until asked for
}

// Simulator simulates microbenchmarks on one description after another. What
// they need that takes long to make is made once.
type Simulator struct{ rings rings }

// Simulate returns the figures of the machine that d describes, which is of
// kind window. watch is told of each.
func (all *Simulator) Simulate(ctx context.Context, d *models.Description, f Facts, cases []Case, watch func(Figure)) (*Results, error) {
	s := &simulator{d: d, facts: f, rings: &all.rings}
	if kind, _ := d.Value("kind"); kind != "window" {
		return nil, fmt.Errorf("machine %s: these microbenchmarks are for machines of kind window, not %s", d.Name(), kind)
	}
	if err := d.Decode(&s.desc); err != nil {
		return nil, err
	}
	r := &Results{Facts: f}
	for _, c := range cases {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		if c.simulate == nil {
			continue
		}
		figure := Figure{Name: c.Name, Meaning: c.Meaning, Unit: c.Unit, Value: c.simulate(s)}
		if s.err != nil {
			return r, fmt.Errorf("microbenchmark %s: %w", c.Name, s.err)
		}
		r.Figures = append(r.Figures, figure)
		watch(figure)
	}
	return r, nil
}

// bench is an idle machine for one microbenchmark.
type bench struct {
	*simulator
	*models.Machine
}

// machine returns an idle machine of so many threads, with overrides.
func (s *simulator) machine(threads int, set ...string) *bench {
	b := &bench{simulator: s}
	if s.err != nil {
		return b
	}
	d := s.d.Clone()
	// Programs are launched for threads, not for the iterations of a loop.
	set = append(set, fmt.Sprintf("threads=%d", threads), "team.alone=0")
	if s.err = d.Override(set...); s.err == nil {
		b.Machine, s.err = models.Build(d, models.Options{})
	}
	return b
}

func (b *bench) adopt(name string, data any) isa.Array {
	if b.err != nil {
		return isa.Array{}
	}
	var a isa.Array
	a, b.err = b.Adopt(name, data)
	return a
}

func (b *bench) alloc(name string, n int) isa.Array { return b.allocOf(name, isa.I64, n) }

func (b *bench) allocOf(name string, elem isa.Type, n int) isa.Array {
	if b.err != nil {
		return isa.Array{}
	}
	var a isa.Array
	a, b.err = b.Alloc(name, elem, n)
	return a
}

// run runs p on all threads and returns its nanoseconds.
func (b *bench) run(p *isa.Program, args ...any) float64 {
	if b.err != nil {
		return 1
	}
	if b.err = b.Launch(p, 1, isa.Args(args...)...); b.err != nil {
		return 1
	}
	l := &b.Launches[len(b.Launches)-1]
	return float64(l.End-l.Start) / float64(sim.Nanosecond)
}

// write sets an element of an array.
func (b *bench) write(a isa.Array, i int, v int64) {
	if b.err == nil {
		b.err = b.Write(a, i, v)
	}
}

// perOperation runs p, whose last parameter is how often to do it, for a while
// and then for longer, and returns the nanoseconds of each of the operations
// that one time has.
func (b *bench) perOperation(p *isa.Program, times, operations int, args ...any) float64 {
	b.run(p, append(args, times/4+1)...) // brings code and data in
	short := b.run(p, append(args, times)...)
	long := b.run(p, append(args, 3*times)...)
	return (long - short) / float64(2*times*operations)
}
