package isa

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// trace runs a parallel loop under s, with a loop in its body if nested, and
// returns which thread ran each iteration, and the accesses to the shared
// counter. It fails unless each ran once.
func trace(t rapid.TB, s Schedule, nested, leaders bool, n, threads, width, block int) (by []int, counted int) {
	t.Helper()
	b := NewBuilder("trace")
	b.Schedule(s)
	thread := b.Array("thread", I64)
	times := b.Array("times", I64)
	loop := b.ParallelFor
	if leaders {
		loop = b.ParallelForLeaders
	}
	loop(b.Int("n"), func(i Reg) {
		b.Store(thread, i, ThreadID)
		b.FetchAdd(times, i, 1)
		b.If(b.And(i, 1), func() { b.Continue() })
		if nested {
			b.For(0, 1, 1, func(Reg) { b.FetchAdd(times, i, 1) })
			return
		}
		b.FetchAdd(times, i, 1)
	})
	p, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	m := &counterMemory{flatMemory: newFlatMemory(8 + 16*n)}
	array := func(at int) Value { return Array{Elem: I64, Base: uint64(at)}.Value() }
	var args []Value
	if s.Counted() {
		args = append(args, array(0))
	}
	args = append(args, array(8), array(8+8*n), Value{Type: I64, Bits: uint64(n)})
	if _, err := RunFunctional(NewLaunch(p, m, width, threads, block, args), 1<<24); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		by = append(by, int(decode(I64, m.bytes[8+8*i:])))
		if k := int(decode(I64, m.bytes[8+8*n+8*i:])); k != 2-i%2 {
			t.Fatalf("%s, %d iterations, %d threads: iteration %d ran %d halves of itself, want %d", s, n, threads, i, k, 2-i%2)
		}
	}
	return by, m.accesses
}

// counterMemory counts the accesses to its first word.
type counterMemory struct {
	*flatMemory
	accesses int
}

func (m *counterMemory) Load(t Type, active uint64, addr, dst []uint64) *Fault {
	m.count(active, addr)
	return m.flatMemory.Load(t, active, addr, dst)
}

func (m *counterMemory) Atomic(op AtomicOp, t Type, active uint64, addr, val, cmp, dst []uint64) *Fault {
	m.count(active, addr)
	return m.flatMemory.Atomic(op, t, active, addr, val, cmp, dst)
}

func (m *counterMemory) count(active uint64, addr []uint64) {
	for ; active != 0; active &= active - 1 {
		if addr[lowest(active)] == 0 {
			m.accesses++
		}
	}
}

func drawSchedule(t *rapid.T) Schedule {
	s := Schedule{Kind: ScheduleKind(rapid.IntRange(0, int(numSchedules)-1).Draw(t, "kind"))}
	if s.Kind != Cyclic {
		s.Chunk = rapid.SampledFrom([]int{0, 1, 2, 3, 7, 64, 1000}).Draw(t, "chunk")
	}
	return s
}

// chunksOf cuts n iterations as T threads take them from a counter.
func chunksOf(s Schedule, nested bool, n, T int) (ends []int) {
	for at := 0; at < n; ends = append(ends, at) {
		size := max(1, s.Chunk)
		switch {
		case s.Kind == Guided:
			size = max(size, (n-at+T-1)/T)
		case s.Kind == BlockDynamic && s.Chunk == 0:
			if size = max(1, n/(8*T)); !nested {
				size = max(16, n/(8*T))
			}
		}
		at = min(at+size, n)
	}
	return ends
}

// Each iteration runs once, by a thread that the schedule's rule allows, and
// the counter is accessed as often as the rule says.
func TestSchedules(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := drawSchedule(r)
		nested := rapid.Bool().Draw(r, "nested")
		n := rapid.IntRange(0, 400).Draw(r, "n")
		T := rapid.IntRange(1, 100).Draw(r, "threads")
		width := rapid.SampledFrom([]int{1, 2, 5, 32, 64}).Draw(r, "width")
		block := rapid.IntRange(1, 100).Draw(r, "block")
		by, counted := trace(r, s, nested, false, n, T, width, block)
		if s.Counted() {
			ends := chunksOf(s, nested, n, T)
			first := 0
			for _, end := range ends {
				for i := first; i < end; i++ {
					if by[i] != by[first] {
						r.Fatalf("%s: threads %v share the chunk from %d to %d", s, by, first, end)
					}
				}
				first = end
			}
			// A thread that finds nothing left ends; of guided, lanes of a warp
			// that lost the counter to another try again.
			if want := len(ends) + T; s.Kind != Guided && counted != want || counted < want-len(ends) {
				r.Fatalf("%s: %d accesses of the counter, %d expected", s, counted, want)
			}
			if want := 2*len(ends) + T; s.Kind == Guided && width == 1 && counted != want {
				r.Fatalf("%s: %d accesses of the counter, %d expected", s, counted, want)
			}
			return
		}
		for i, got := range by {
			want := i % T
			switch {
			case s.Chunk > 0:
				want = i / s.Chunk % T
			case s.Kind == Static:
				want = 0
				for end := 0; ; want++ {
					if end += n / T; want < n%T {
						end++
					}
					if i < end {
						break
					}
				}
			}
			if got != want {
				r.Fatalf("%s: iteration %d by thread %d, want %d", s, i, got, want)
			}
		}
	})
}

// Only the first threads of warps work, all of them if there is enough to do,
// also where blocks are no multiple of a warp.
func TestLeaders(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := drawSchedule(r)
		n := rapid.IntRange(0, 200).Draw(r, "n")
		T := rapid.IntRange(1, 100).Draw(r, "threads")
		width := rapid.SampledFrom([]int{1, 2, 5, 32, 64}).Draw(r, "width")
		block := rapid.IntRange(1, 100).Draw(r, "block")
		by, _ := trace(r, s, true, true, n, T, width, block)
		var leaders []int
		for thread := range T {
			if thread%block%width == 0 {
				leaders = append(leaders, thread)
			}
		}
		worked := map[int]bool{}
		for i, thread := range by {
			if !slices.Contains(leaders, thread) {
				r.Fatalf("iteration %d by thread %d, leaders are %v", i, thread, leaders)
			}
			worked[thread] = true
			if want := leaders[i%len(leaders)]; s == (Schedule{}) && thread != want {
				r.Fatalf("iteration %d by thread %d, want %d", i, thread, want)
			}
		}
		if !s.Counted() && s.Chunk <= 1 && len(worked) != min(n, len(leaders)) {
			r.Fatalf("%s: %d of %d leaders do %d iterations", s, len(worked), len(leaders), n)
		}
	})
}

func TestOneCounterServesOneLoop(t *testing.T) {
	for k := range numSchedules {
		b := NewBuilder("two")
		s := Schedule{Kind: k}
		b.Schedule(s)
		b.ParallelFor(10, func(Reg) {})
		b.ParallelFor(10, func(Reg) {})
		_, err := b.Build()
		if s.Counted() != (err != nil) {
			t.Errorf("%s: error %v", s, err)
		}
		if err != nil && !strings.Contains(err.Error(), "schedule_test.go") {
			t.Errorf("%s: error %v names no line", s, err)
		}
	}
}

func TestParseSchedule(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := drawSchedule(r)
		if got, err := ParseSchedule(s.String()); err != nil || got != s {
			r.Fatalf("%s is read as %s, %v", s, got, err)
		}
	})
	for text, want := range map[string]string{
		"":                            `unknown schedule "": one of cyclic, static, dynamic, guided, block-dynamic`,
		"Static":                      `unknown schedule "Static"`,
		"cyclic,2":                    `cyclic takes no chunk; static,2 does`,
		"dynamic,":                    `schedule "dynamic,": the chunk is a number from 1 to 2147483647`,
		"dynamic,0":                   "from 1 to",
		"dynamic,-1":                  "from 1 to",
		"guided,2147483648":           "from 1 to",
		"block-dynamic,1,2":           "from 1 to",
		"static,99999999999999999999": "from 1 to",
	} {
		if _, err := ParseSchedule(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

func FuzzParseSchedule(f *testing.F) {
	for _, s := range []string{"static", "dynamic,64", "guided,-3", ",", "cyclic,1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSchedule(text)
		if err != nil {
			return
		}
		if again, err := ParseSchedule(s.String()); err != nil || again != s {
			t.Errorf("%q is read as %s, and that as %s, %v", text, s, again, err)
		}
	})
}
