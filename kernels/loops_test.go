package kernels_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heddle/arch/isa"
	"heddle/kernels"
	"heddle/kernels/kerneltest"
)

// tally adds 1 to the count of every item.
var tally = kernels.NewParallelProgram("tally", func(b *isa.Builder) {
	count := b.Array("count", isa.I32)
	b.ParallelFor(b.Int("n"), func(i isa.Reg) { b.Store(count, i, b.Add(b.Load(count, i), 1)) })
})

// Threads that take chunks at the same time take each once, launch by launch.
func TestEveryScheduleRunsEachItemOnce(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m := kerneltest.NewFunctional(kerneltest.DrawConfig(r))
		n := rapid.IntRange(1, 300).Draw(r, "n")
		setup := kernels.NewArrays(m)
		count := setup.Alloc("count", isa.I32, n)
		loops := kernels.NewLoops(setup, kernels.Options{Schedule: kerneltest.DrawSchedule(r)})
		if err := setup.Err(); err != nil {
			r.Fatal(err)
		}
		m.Start()
		clear(m.View(count).([]int32))
		m.Space.MarkWritten(count)
		const launches = 3
		for range launches {
			if err := loops.Launch(tally, n, count, n); err != nil {
				r.Fatal(err)
			}
		}
		for i, k := range m.View(count).([]int32) {
			if k != launches {
				r.Fatalf("item %d ran %d times in %d launches", i, k, launches)
			}
		}
	})
}

// preferring is a machine with a schedule of its own.
type preferring struct {
	*kerneltest.Functional
	schedule string
}

func (p preferring) DefaultSchedule() string { return p.schedule }

// The run's schedule goes before the machine's; without either it is cyclic.
func TestWhoseSchedule(t *testing.T) {
	for _, c := range []struct{ machine, run, counter, err string }{
		{"", "", "", ""},
		{"", "dynamic", "schedule", ""},
		{"block-dynamic", "", "schedule", ""},
		{"block-dynamic", "static", "", ""},
		{"static", "guided", "schedule", ""},
		{"", "fastest", "", `unknown schedule "fastest"`},
		{"dynamic,0", "", "", "the chunk is a number"},
	} {
		m := kerneltest.NewFunctional(kerneltest.Config{Width: 1})
		setup := kernels.NewArrays(preferring{m, c.machine})
		kernels.NewLoops(setup, kernels.Options{Schedule: c.run})
		err := setup.Err()
		if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%+v: error %v", c, err)
		}
		var placed []string
		for _, a := range m.Space.Arrays() {
			placed = append(placed, a.Name)
		}
		if got := strings.Join(placed, " "); got != c.counter {
			t.Errorf("%+v: placed %q", c, got)
		}
	}
}

// A program is built once for each schedule.
func TestParallelProgramIsBuiltOnce(t *testing.T) {
	dynamic := isa.Schedule{Kind: isa.Dynamic}
	first := tally.Build(dynamic)
	if again := tally.Build(dynamic); again != first {
		t.Error("built twice")
	}
	if first == tally.Build(isa.Schedule{}) {
		t.Error("one program for two schedules")
	}
	if p := kernels.Programs(tally); len(p) != 1 || p[0] != tally.Build(isa.Schedule{}) || p[0].Name != "tally" {
		t.Errorf("programs %v", p)
	}
}
