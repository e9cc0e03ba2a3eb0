package models

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"heddle/arch/isa"
	"heddle/sim"
)

func TestEveryWindowFigureHasALaw(t *testing.T) {
	fields := reflect.VisibleFields(reflect.TypeFor[WindowTheoryConfig]())
	for _, f := range fields {
		if key := f.Tag.Get("yaml"); windowLaws[key].implied == nil || windowLaws[key].formula == "" {
			t.Errorf("%s has no law", key)
		}
	}
	if len(windowLaws) != len(fields) {
		t.Errorf("%d laws for %d figures", len(windowLaws), len(fields))
	}
}

func TestMulticoreTheory(t *testing.T) {
	for machine, want := range map[string]map[string]float64{
		"xeon-e5540":     {"memory": 24 << 10, "hardware_threads": 16, "socket_l3": 8, "socket_dram_peak": 25.6, "core_read": 9.83, "socket_read": 17, "link_peak": 11.7},
		"xeon-x5650":     {"hardware_threads": 24, "socket_l3": 12, "socket_dram_peak": 32},
		"opteron-6176se": {"memory": 256 << 10, "hardware_threads": 48, "socket_l3": 10, "socket_dram_peak": 42.7, "core_read": 3.76, "socket_read": 22},
	} {
		d, err := Open(Library, machine)
		if err != nil {
			t.Fatal(err)
		}
		checks, err := d.Theory()
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range checks {
			if !c.OK() {
				t.Errorf("%s: %v", machine, c)
			}
			if w, ok := want[c.Key]; ok && math.Abs(c.Implied/w-1) > 0.002 {
				t.Errorf("%s: %v, want %g", machine, c, w)
			}
		}
	}
}

// chase follows a chain of pointers, one line a load, through an array that
// nothing has touched, or else has been walked through before, and returns the
// time of a load.
func chase(t *testing.T, machine string, lines int, cold bool, set ...string) (load sim.Time) {
	t.Helper()
	const loads = 2000
	p, err := isa.Parse("chase.asm", `program chase
param a i64[]
func main()
    mov r0, 0
    mov r1, 2000
    loop
        ld.i64 r0, [$a + r0*8]
        sub r1, r1, 1
    while r1
    ret
`)
	if err != nil {
		t.Fatal(err)
	}
	m := multicore(t, machine, append(set, "threads=1", "core.tlb.entries=0")...)
	array, err := m.Alloc("a", isa.I64, lines*8)
	if err != nil {
		t.Fatal(err)
	}
	x := m.View(array).([]int64)
	order := rand.New(rand.NewPCG(1, 2)).Perm(lines) // one cycle through all lines
	for i, line := range order {
		x[line*8] = int64(order[(i+1)%lines] * 8)
	}
	m.Start()
	for range 2 {
		if err := m.Launch(p, 1, array.Value()); err != nil {
			t.Fatal(err)
		}
		if cold {
			break
		}
	}
	m.Finish()
	l := m.Launches[len(m.Launches)-1]
	return (l.End - l.Start) / loads
}

// A chain of loads takes the published latency of each level.
func TestMulticoreLatencies(t *testing.T) {
	for _, c := range []struct {
		machine string
		level   string
		lines   int
		cycles  float64
	}{
		{"xeon-e5540", "L1", 256, 4},
		{"xeon-e5540", "L2", 1999, 10},
		{"opteron-6176se", "L1", 512, 3},
		{"opteron-6176se", "L2", 1999, 15},
	} {
		clock := multicore(t, c.machine).clock
		got := float64(chase(t, c.machine, c.lines, false)) / float64(clock.Period)
		if math.Abs(got/c.cycles-1) > 0.02 {
			t.Errorf("%s, %s: %.1f cycles a load, want %g", c.machine, c.level, got, c.cycles)
		}
	}
	for machine, want := range map[string]float64{"xeon-e5540": 65.1, "opteron-6176se": 68} {
		got := float64(chase(t, machine, 1<<18, true, "memory.placement=local")) / float64(sim.Nanosecond)
		if math.Abs(got/want-1) > 0.1 {
			t.Errorf("%s, memory: %.1f ns a load, want %g", machine, got, want)
		}
	}
}
