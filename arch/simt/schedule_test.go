package simt

import (
	"fmt"
	"slices"
	"testing"

	"heddle/arch/isa"
	"heddle/arch/isa/isatest"
	"heddle/sim"

	"pgregory.net/rapid"
)

// clocks runs lines, which leave k clock values in registers from 20 on, and
// returns them by warp. Warps store them only when all have passed a barrier.
func clocks(t rapid.TB, c Config, warps, k int, lines ...string) [][]int64 {
	t.Helper()
	lines = append(lines, "bar", fmt.Sprintf("mul r19, %%tid, %d", k),
		isatest.Lines(k, func(i int) string { return fmt.Sprintf("st.i64 [$out + r19*8 + %d], r%d", 8*i, 20+i) }))
	p := isatest.Main(t, "param out i64[]", lines...)
	r := newRig(t, c)
	out := r.alloc("out", isa.I64, 32*warps*k)
	r.run(p, 32*warps, 32*warps, out)
	byWarp := make([][]int64, warps)
	for w := range byWarp {
		byWarp[w] = r.ints(out)[32*w*k : 32*w*k+k]
	}
	return byWarp
}

// Loose round robin lets the warps take turns; greedy then oldest lets one go
// on until it stalls.
func TestOrderOfReadyWarps(t *testing.T) {
	const warps, k = 5, 6
	for _, interval := range []sim.Cycles{1, 3} {
		for _, policy := range []string{"lrr", "gto"} {
			c := with(func(c *Config) { c.Scheduler.Policy, c.Scheduler.Interval = policy, interval })
			got := clocks(t, c, warps, k, isatest.Lines(k, func(i int) string { return fmt.Sprintf("clock r%d", 20+i) }))
			for w := range warps {
				for j := range k {
					want := j*warps + w
					if policy == "gto" {
						want = w*(k+1) + j // and the barrier
					}
					if want *= int(interval); got[w][j] != int64(want) {
						t.Errorf("%s, interval %d, warp %d: instruction %d issued at %d, want %d", policy, interval, w, j, got[w][j], want)
					}
				}
			}
		}
	}
}

// When the greedy warp stalls, the oldest that is ready goes on, not the next
// in turn.
func TestOldestAfterStall(t *testing.T) {
	// Each warp: 0 a long operation, 1 a clock that waits for it, 2 a clock.
	lines := []string{"mul r20, %tid, 3", "clock r20", "clock r21"}
	const latency = 4
	for policy, want := range map[string][][]int64{
		// Warp 0 multiplies at 0, the others at 1, 2, 3 and 4; at 4 warp 0 is ready again.
		"lrr": {{5, 10}, {6, 11}, {7, 12}, {8, 13}, {9, 14}},
		// At 4 it goes on at once, before warp 4, and so does each after it.
		"gto": {{4, 5}, {7, 8}, {10, 11}, {13, 14}, {20, 21}},
	} {
		c := with(func(c *Config) { c.Scheduler.Policy = policy; c.Units.Mul.Latency = latency })
		got := clocks(t, c, 5, 2, lines...)
		for w := range want {
			if !slices.Equal(got[w], want[w]) {
				t.Errorf("%s, warp %d: clocks %v, want %v", policy, w, got[w], want[w])
			}
		}
	}
}

// A warp's place in a scheduler goes by the number of warps there: those of a
// block are dealt out in turn.
func TestWarpsAreDealtOut(t *testing.T) {
	for _, schedulers := range []int{1, 2, 4} {
		c := with(func(c *Config) { c.Scheduler.Count = schedulers; c.Units.Int.Lanes = 32 * schedulers })
		got := clocks(t, c, 8, 1, "clock r20")
		for w := range got {
			if want := int64(w / schedulers); got[w][0] != want {
				t.Errorf("%d schedulers, warp %d: issued at %d, want %d", schedulers, w, got[w][0], want)
			}
		}
	}
}

// An instruction of a plain program, for a model that goes cycle by cycle.
type plain struct {
	text    string
	class   int // in classes
	writes  int
	reads   []int
	isClock bool
}

// naive issues a program of plain instructions cycle by cycle and returns when
// each warp issued each instruction. Warps are dealt out to the schedulers.
func naive(c *Config, warps int, code []plain) [][]int64 {
	type state struct {
		pc    int
		ready map[int]int64
		next  int64
	}
	ws := make([]state, warps)
	at := make([][]int64, warps)
	for i := range ws {
		ws[i].ready = map[int]int64{}
	}
	var unitFree [16]int64
	n := c.Scheduler.Count
	next, last := make([]int64, n), make([]int, n)
	for s := range last {
		last[s] = -1
	}
	left := warps
	for now := int64(0); left > 0; now++ {
		for s := range n {
			if now < next[s] {
				continue
			}
			var own []int // warps of the scheduler in the order in which they may issue
			for w := s; w < warps; w += n {
				own = append(own, w)
			}
			if c.Scheduler.Policy == "gto" {
				if i := slices.Index(own, last[s]); i >= 0 {
					own = slices.Insert(slices.Delete(own, i, i+1), 0, last[s])
				}
			} else if i := slices.Index(own, last[s]); i >= 0 {
				own = append(slices.Clone(own[i+1:]), own[:i+1]...)
			}
			for _, w := range own {
				x := &ws[w]
				if x.pc == len(code) || now < x.next {
					continue
				}
				in := &code[x.pc]
				unit := &c.Units.Sync
				if in.class < len(classes) {
					unit = classes[in.class].unit(&c.Units)
				}
				ready := unitFree[in.class] <= now && x.ready[in.writes] <= now
				for _, r := range in.reads {
					ready = ready && x.ready[r] <= now
				}
				if !ready {
					continue
				}
				unitFree[in.class] = now + int64((32+unit.Lanes-1)/unit.Lanes)
				if n > 1 {
					unitFree[in.class] = 0 // lanes for all schedulers
				}
				x.ready[in.writes] = now + int64(unit.Latency)
				x.next = now + int64(c.Scheduler.Interval)
				next[s], last[s] = x.next, w
				at[w] = append(at[w], now)
				if x.pc++; x.pc == len(code) {
					left--
				}
				break
			}
		}
	}
	return at
}

// Random programs issue exactly when a model says that looks at every warp in
// every cycle.
func TestIssueAgainstNaiveModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const registers, mostClocks = 8, 12
		pick := func(label string, n int) int { return rapid.IntRange(0, n-1).Draw(t, label) }
		var code []plain
		for r := range registers {
			code = append(code, plain{text: fmt.Sprintf("mov r%d, %d", r, r+2), writes: r})
		}
		k := 0
		clock := func() {
			code = append(code, plain{text: fmt.Sprintf("clock r%d", 20+k), writes: 20 + k, isClock: true})
			k++
		}
		clock()
		for range 5 + pick("length", 40) {
			d, a, b := pick("d", registers), pick("a", registers), pick("b", registers)
			class := pick("class", 6)
			in := plain{class: class, writes: d, reads: []int{a, b}}
			switch class {
			case 0, 1, 2, 3:
				in.text = fmt.Sprintf("%s r%d, r%d, r%d", []string{"xor", "eq", "shr", "mul"}[class], d, a, b)
			case 4:
				in.text, in.reads = fmt.Sprintf("div r%d, r%d, 3", d, a), []int{a}
			case 5: // the warp's unit
				in.class, in.text, in.reads = len(classes)-1, fmt.Sprintf("ballot r%d, r%d", d, a), []int{a}
			}
			code = append(code, in)
			if k < mostClocks && pick("clock", 3) == 0 {
				clock()
			}
		}
		if k < mostClocks {
			clock()
		}
		c := round()
		c.Scheduler.Count = []int{1, 1, 2, 4}[pick("schedulers", 4)]
		c.Scheduler.Policy = rapid.SampledFrom([]string{"lrr", "gto"}).Draw(t, "policy")
		c.Scheduler.Interval = sim.Cycles(1 + pick("interval", 3))
		c.Units.Sync.Lanes = 32 * c.Scheduler.Count
		for _, class := range classes {
			unit := class.unit(&c.Units)
			unit.Latency = sim.Cycles(1 + pick("latency", 30))
			unit.Lanes = []int{32, 16, 8, 4}[pick("lanes", 4)]
			if c.Scheduler.Count > 1 {
				unit.Lanes = 32 * c.Scheduler.Count
			}
		}
		warps := 1 + pick("warps", 12)
		var lines []string
		for _, in := range code {
			lines = append(lines, in.text)
		}
		// The barrier is issued once a warp has nothing else to issue.
		withBarrier := append(slices.Clone(code), plain{class: len(classes), writes: -1})
		got := clocks(t, c, warps, k, lines...)
		want := naive(&c, warps, withBarrier)
		for w := range warps {
			j := 0
			for pc, in := range code {
				if !in.isClock {
					continue
				}
				if got[w][j] != want[w][pc] {
					t.Fatalf("warp %d: %q, instruction %d, issued at %d, want %d", w, in.text, pc, got[w][j], want[w][pc])
				}
				j++
			}
		}
	})
}
