package isa

import (
	"math/bits"
	"reflect"
	"testing"

	"heddle/sim"

	"pgregory.net/rapid"
)

// A warp that runs passes the same instructions as one that is stepped, counts
// them, stops where it is told to, and leaves the same in registers and memory.
func TestRunIsManySteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, err := randomProgram(t).Build()
		if err != nil {
			t.Fatal(err)
		}
		width := rapid.SampledFrom([]int{1, 2, 3, 8, 32, 64}).Draw(t, "width")
		threads := rapid.IntRange(1, width).Draw(t, "threads")
		k, want := launchRandom(t, p, width, threads)
		l, got := launchRandom(t, p, width, threads)
		if rapid.Bool().Draw(t, "direct") {
			l.reachDirectly(segments{got})
		}
		counts := make([]InstStats, len(p.Code))
		m := Meter{Cost: make([]sim.Time, len(p.Code)), Insts: make([]InstStats, len(p.Code))}
		for pc := range m.Cost {
			m.Cost[pc] = sim.Time(1 + rapid.IntRange(0, 9).Draw(t, "cost"))
		}
		var stepped, ran Warp
		stepped.Start(k, 0, threads, NewBlockMemory(p))
		ran.Start(l, 0, threads, NewBlockMemory(p))
		o := stepped.Begin()
		if ran.Begin() != o {
			t.Fatal("begins otherwise")
		}
		spent, last := sim.Time(0), int32(0)
		for o == Next {
			m.Until = spent + sim.Time(rapid.IntRange(1, 200).Draw(t, "until"))
			for o == Next && spent < m.Until {
				lanes := uint64(bits.OnesCount64(stepped.Active))
				last = stepped.PC
				o = stepped.Step()
				c := &counts[last]
				c.Issues++
				c.Lanes += lanes
				if stepped.Divergent {
					c.Divergent++
				}
				spent += m.Cost[last]
			}
			if got := ran.Run(&m); got != o || m.Last != last || m.Spent != spent {
				t.Fatalf("outcome %d of %s after %d, want %d of %s after %d\n%s", got, p.Disassemble(m.Last), m.Spent,
					o, p.Disassemble(last), spent, p.Text())
			}
			if ran.PC != stepped.PC || ran.Active != stepped.Active || ran.calls != stepped.calls ||
				!reflect.DeepEqual(append([]frame{}, ran.frames...), append([]frame{}, stepped.frames...)) ||
				!reflect.DeepEqual(ran.banks[0], stepped.banks[0]) {
				t.Fatalf("at %d with lanes %#x in %+v\nwant %d with lanes %#x in %+v\n%s", ran.PC, ran.Active, ran.frames,
					stepped.PC, stepped.Active, stepped.frames, p.Text())
			}
		}
		if !reflect.DeepEqual(m.Insts, counts) {
			t.Fatalf("counted %v, want %v\n%s", m.Insts, counts, p.Text())
		}
		if !reflect.DeepEqual(got.bytes, want.bytes) || !reflect.DeepEqual(ran.local, stepped.local) {
			t.Fatalf("memory differs\n%s", p.Text())
		}
	})
}
