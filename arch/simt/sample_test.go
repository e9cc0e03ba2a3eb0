package simt

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"heddle/arch/isa"
	"heddle/arch/isa/isatest"
	"heddle/arch/mem"
	"heddle/sim"

	"pgregory.net/rapid"
)

// Random programs: what is executed without timing has the effects that it has
// with it, is counted once, and leaves the accounts of the windows whole.
func TestSampledRandomPrograms(t *testing.T) {
	windows, forwarded := 0, uint64(0)
	rapid.Check(t, func(t *rapid.T) {
		c := randomConfig(t)
		block := rapid.IntRange(1, 96).Draw(t, "block")
		p := randomProgram(t, block)
		threads := block * rapid.IntRange(1, 24).Draw(t, "blocks")

		r := newRig(t, c)
		r.gpu.SampleLaunches(Sampling{
			Warm:     sim.Cycles(rapid.IntRange(1, 100).Draw(t, "warm")),
			Measure:  sim.Cycles(rapid.IntRange(1, 100).Draw(t, "measure")),
			Distance: sim.Cycles(rapid.IntRange(1, 2000).Draw(t, "distance")),
		})
		args := randomArrays(t, r.space, threads)
		space := mem.NewSpace(1 << 30)
		same := randomArrays(t, space, threads)
		var work isa.Work
		for range 2 {
			r.run(p, threads, block, args...)
			w, err := isa.RunFunctional(isa.NewLaunch(p, space, c.WarpWidth, threads, block, isa.Args(same...)), 1<<24)
			if err != nil {
				t.Fatal(err)
			}
			work.Instructions += w.Instructions
			work.LaneInstructions += w.LaneInstructions
		}
		for i, a := range args {
			got, want := r.space.View(a.(isa.Array)), space.View(same[i].(isa.Array))
			if !reflect.DeepEqual(got, want) {
				t.Errorf("array %d: %v, want %v\n%s", i, got, want, p.Text())
			}
		}
		s, done := r.gpu.Stats(), r.gpu.Sampled()
		if s.Instructions+done.Executed.Instructions != work.Instructions ||
			s.ThreadInstructions+done.Executed.ThreadInstructions != work.LaneInstructions {
			t.Errorf("%d and %d instructions by %d and %d lanes, want %d by %d in all", s.Instructions, done.Executed.Instructions,
				s.ThreadInstructions, done.Executed.ThreadInstructions, work.Instructions, work.LaneInstructions)
		}
		stalled := sim.Time(0)
		for _, d := range s.Stalls {
			stalled += d
		}
		if s.Issued+stalled != s.Resident {
			t.Errorf("issued %d and stalled %d, want %d together", s.Issued, stalled, s.Resident)
		}
		windows += done.Windows
		forwarded += done.Executed.Instructions
	})
	if windows == 0 || forwarded == 0 {
		t.Errorf("%d windows, and %d instructions without timing", windows, forwarded)
	}
}

// walk runs a grid whose threads all follow next, from random elements on, for
// a number of steps that differs from thread to thread, and returns its time.
func walk(t *testing.T, sampling *Sampling) (sim.Cycles, *rig) {
	const n, threads = 1 << 16, 1 << 15
	r := newRig(t, with(func(c *Config) { c.L1.Enabled = false }))
	if sampling != nil {
		r.gpu.SampleLaunches(*sampling)
	}
	next, steps := r.alloc("next", isa.I64, n), r.alloc("steps", isa.I64, threads)
	random := rand.New(rand.NewPCG(1, 2))
	for i, to := range random.Perm(n) {
		r.ints(next)[i] = int64(to)
	}
	for i := range threads {
		r.ints(steps)[i] = 10 + random.Int64N(10)
	}
	p := isatest.Main(t, "param next i64[]\nparam steps i64[]",
		"ld.i64 r0, [$steps + %tid*8]", "mov r1, %tid",
		"loop", "ld.i64 r1, [$next + r1*8]", "sub r0, r0, 1", "lt r2, 0, r0", "while r2")
	return r.run(p, threads, 128, next, steps), r
}

// A grid that does much the same from its beginning to its end is estimated
// well from a small part of its instructions.
func TestSampledTime(t *testing.T) {
	whole, _ := walk(t, nil)
	sampled, r := walk(t, &Sampling{Warm: 2000, Measure: 2000, Distance: 60_000})
	s := r.gpu.Sampled()
	off := float64(sampled)/float64(whole) - 1
	share := float64(r.gpu.Stats().Instructions) / float64(r.gpu.Stats().Instructions+s.Executed.Instructions)
	t.Logf("%d cycles, estimated as %d (%.1f %%) from %d windows with %.1f %% of the instructions",
		whole, sampled, 100*off, s.Windows, 100*share)
	if math.Abs(off) > 0.05 {
		t.Errorf("%d cycles, want %d", sampled, whole)
	}
	if share > 0.25 {
		t.Errorf("%.2f of the instructions in detail", share)
	}
}

// What has no meaning without time is refused.
func TestSampledFullEmpty(t *testing.T) {
	r := newRig(t, with(func(c *Config) { c.LoadStore.FullEmpty = true }))
	r.gpu.SampleLaunches(DefaultSampling)
	a := r.alloc("a", isa.I64, 1)
	_, err := r.try(isatest.Main(t, "param a i64[]", "readff.i64 r0, [$a]"), 1, 1, a)
	if err == nil || !strings.Contains(err.Error(), "cannot be sampled") {
		t.Errorf("error %v", err)
	}
}

// A fault without timing ends the run and says where.
func TestSampledFault(t *testing.T) {
	r := newRig(t, round())
	r.gpu.SampleLaunches(Sampling{Warm: 100, Measure: 100, Distance: 100_000})
	a := r.alloc("a", isa.I64, 1<<15)
	p := isatest.Main(t, "param a i64[]", isatest.Repeat(50, "mul r0, %tid, 1"), "mul r0, %tid, 2", "st.i64 [$a + r0*8], r0")
	_, err := r.try(p, 1<<15, 128, a)
	if err == nil || !strings.Contains(err.Error(), "st.i64") {
		t.Errorf("error %v", err)
	}
	if r.gpu.Sampled().Executed.Instructions == 0 {
		t.Error("nothing was executed without timing")
	}
}
