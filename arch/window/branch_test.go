package window

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"heddle/arch/isa/isatest"
	"heddle/sim"
)

// A mispredicted branch keeps what follows from dispatch until it is resolved
// and the front end has restarted. All counters predict "not taken" at first.
func TestMispredict(t *testing.T) {
	for _, lost := range []sim.Cycles{2, 15, 20} {
		c := with(func(c *Config) { c.Core.Branch.Mispredict = lost })
		for _, b := range []struct {
			name  string
			lines []string
			want  sim.Cycles
		}{
			// A branch that waits for nothing, dispatched in 0: what follows is
			// dispatched when the loss is over, and complete two cycles later.
			{"taken", []string{"if $n", "nop", "endif", "mov r1, 1"}, lost + 2},
			// It waits for a divide: issued in 21, resolved in 22.
			{"taken after a divide", []string{"div r0, $n, 3", "if r0", "nop", "endif", "mov r1, 1"}, 22 + lost - 2 + 2},
			{"not taken", []string{"if 1", "mov r0, 1", "endif", "mov r1, 1"}, 2},
		} {
			var lines []string
			for _, l := range b.lines {
				if l == "nop" {
					l = "mov r9, 1"
				}
				lines = append(lines, l)
			}
			r := newRig(t, c)
			wantCycles(t, fmt.Sprintf("%s, at a loss of %d", b.name, lost), r.run(isatest.Main(t, "param n i64", lines...), 0), b.want)
			mispredicts := uint64(1)
			if b.name == "not taken" {
				mispredicts = 0
			}
			s := r.machine.Stats()
			if s.Mispredicts != mispredicts || s.Branches != 1 || s.Taken != mispredicts {
				t.Errorf("%s: %d of %d branches mispredicted, %d taken", b.name, s.Mispredicts, s.Branches, s.Taken)
			}
			// The cycle of the branch is Base; those that it waits for its
			// operand are not the predictor's fault.
			if want := int64(lost-2) * int64(mispredicts); s.Cycles[Mispredict] < want || s.Cycles[Mispredict] > want+1 {
				t.Errorf("%s: %d cycles lost, want %d", b.name, s.Cycles[Mispredict], want)
			}
		}
	}
}

// A taken branch ends the group in which it is dispatched.
func TestTakenBranch(t *testing.T) {
	for _, gap := range []int{0, 1, 2, 3} {
		c := with(func(c *Config) { c.Core.Branch.Taken = sim.Cycles(gap) })
		// Each else is a jump that is always taken, behind an if that is not.
		const n = 10
		p := isatest.Main(t, "", isatest.Repeat(n, "if 1\nelse\nmov r0, 1\nendif"))
		want := sim.Cycles((2*n+1-1)/4 + 2) // dispatched four a cycle
		if gap > 0 {
			want = sim.Cycles(n*gap + 2)
		}
		wantCycles(t, fmt.Sprint("jumps with a gap of ", gap), cycles(t, c, p), want)
	}
}

func TestFusion(t *testing.T) {
	// Eight compares and branches, and the return, two a cycle; fused, the
	// branches take no place.
	p := isatest.Main(t, "", isatest.Repeat(8, "lt r0, 0, 1\nif r0\nendif"))
	for fusion, want := range map[bool]sim.Cycles{false: 8 + 2, true: 4 + 2} {
		c := with(func(c *Config) { c.Core.Dispatch, c.Core.Fusion = 2, fusion })
		wantCycles(t, fmt.Sprint("fusion ", fusion), cycles(t, c, p), want)
	}
}

// A call's results are ready with the return, and returns are predicted as deep
// as the return stack.
func TestCalls(t *testing.T) {
	p := isatest.Parse(t, `
func main()
    mov r0, 1
    call twice(r0) -> (r1)
    call twice(r1) -> (r2)
    add r3, r2, 1
    ret

func twice(r0) -> i64
    mul r1, r0, 2
    ret r1
`)
	// The move is complete in 2, the call in 3, the multiply in 6, the return
	// in 7; again in 8, 11, 12; the add in 13.
	wantCycles(t, "two calls", cycles(t, round(), p), 13)

	const depth = 12
	nest := isatest.Parse(t, `
func main()
    mov r0, 12
    call down(r0)
    ret

func down(r0)
    if r0
        sub r1, r0, 1
        call down(r1)
    endif
    ret
`)
	for _, stack := range []int{0, 1, 5, depth, depth + 1, 100} {
		r := newRig(t, with(func(c *Config) { c.Core.Branch.Predictor.ReturnStack = stack }))
		r.run(nest)
		want := uint64(max(0, depth+1-stack)) + 1 // the if that ends it
		if got := r.machine.Stats().Mispredicts; got != want {
			t.Errorf("a return stack of %d: %d mispredicted, want %d", stack, got, want)
		}
	}
}

// misses runs a predictor over outcomes and returns the mispredictions after
// the first skip.
func misses(c PredictorConfig, skip, n int, taken func(i int) bool) (wrong int) {
	p := newPredictor(&c)
	history := uint64(0)
	for i := range n {
		if !p.conditional(77, &history, taken(i)) && i >= skip {
			wrong++
		}
	}
	return wrong
}

func TestPredictors(t *testing.T) {
	bimodal := PredictorConfig{Bimodal: 64, GlobalWays: 1, LoopCount: 1}
	tagged := PredictorConfig{Bimodal: 64, Global: 256, GlobalWays: 4, GlobalTag: 6, History: 12, LoopCount: 1}
	gshare := PredictorConfig{Global: 4096, GlobalWays: 1, History: 12, LoopCount: 1}
	loops := PredictorConfig{Bimodal: 64, GlobalWays: 1, Loops: 16, LoopCount: 63}
	all := PredictorConfig{Bimodal: 4096, Global: 2048, GlobalWays: 4, GlobalTag: 6, History: 15, Loops: 128, LoopCount: 63}
	random := rand.New(rand.NewPCG(1, 2))
	const n = 2000
	every := func(k int) func(int) bool { return func(i int) bool { return i%k != k-1 } }
	for _, c := range []struct {
		name        string
		p           PredictorConfig
		skip        int
		taken       func(int) bool
		least, most int
	}{
		{"bimodal, always taken", bimodal, 0, func(int) bool { return true }, 1, 1},
		{"bimodal, never taken", bimodal, 0, func(int) bool { return false }, 0, 0},
		{"bimodal, a loop of 20", bimodal, 0, every(20), n / 20, n/20 + 1},
		{"bimodal, in turns", bimodal, 10, func(i int) bool { return i%2 == 0 }, n / 3, n},
		{"tagged, in turns", tagged, 50, func(i int) bool { return i%2 == 0 }, 0, 0},
		{"tagged, a period of 5", tagged, 200, func(i int) bool { return i%5 < 2 }, 0, 0},
		{"gshare, a period of 5", gshare, 200, func(i int) bool { return i%5 < 2 }, 0, 0},
		{"gshare, a loop of 10", gshare, 200, every(10), 0, 0},
		{"gshare, a loop beyond its history", gshare, 200, every(20), (n - 200) / 20, (n-200)/20 + 1},
		{"loops, a loop of 20", loops, 100, every(20), 0, 0},
		{"loops, a loop of 64", loops, 300, every(64), 0, 0},
		{"loops, a loop of 65", loops, 300, every(65), (n - 300) / 65, (n-300)/65 + 1},
		{"all, a loop of 20", all, 200, every(20), 0, 0},
		{"bimodal, at random", bimodal, 0, func(int) bool { return random.IntN(2) == 0 }, n * 4 / 10, n * 6 / 10},
		{"all, at random", all, 0, func(int) bool { return random.IntN(2) == 0 }, n * 4 / 10, n * 6 / 10},
		{"all, one in eight at random", all, 100, func(int) bool { return random.IntN(8) == 0 }, n / 16, n * 2 / 8},
	} {
		if got := misses(c.p, c.skip, n, c.taken); got < c.least || got > c.most {
			t.Errorf("%s: %d of %d mispredicted, want %d to %d", c.name, got, n-c.skip, c.least, c.most)
		}
	}
}

// A program that is marked takes no other time, though its branches stand
// elsewhere in the text.
func TestRegionsCostNothing(t *testing.T) {
	c := with(func(c *Config) { c.Core.Branch.Predictor.Bimodal = 4 })
	of := func(before, after string) (sim.Cycles, uint64) {
		r := newRig(t, c)
		took := r.run(isatest.Main(t, "", isatest.Lines(60, func(i int) string {
			test := fmt.Sprintf("if %d\nadd r0, r0, 1\nendif", i*i%5%2)
			if i%3 == 0 {
				test = before + test + after
			}
			return "mov r0, 1\n" + test
		})))
		return took, r.machine.Stats().Mispredicts
	}
	took, wrong := of("", "")
	markedTook, markedWrong := of("region a\n", "\nendregion a")
	if took != markedTook || wrong != markedWrong {
		t.Errorf("%d cycles and %d mispredicted, marked %d and %d", took, wrong, markedTook, markedWrong)
	}
	if _, moved := of("fence\n", ""); moved == wrong {
		t.Errorf("%d mispredicted wherever the branches stand: nothing is shown", wrong)
	}
}

// What a compiler puts beside an if takes room in dispatch and in the reorder
// buffer, and is no instruction of the program's.
func TestBeside(t *testing.T) {
	const n = 12
	p := isatest.Main(t, "", isatest.Repeat(n, "if 1\nmov r0, 1\nendif"))
	for _, beside := range []int{0, 2, 6, 14} {
		c := with(func(c *Config) { c.Core.Branch.Beside = beside })
		r := newRig(t, c)
		// Each if and its move are two, four a cycle, and the return is one more;
		// the last is complete two cycles after its dispatch.
		all := n*(2+beside) + 1
		wantCycles(t, fmt.Sprintf("%d beside each if", beside), r.run(p), sim.Cycles((all-1)/4+2))
		if got := r.machine.Stats().Instructions; got != 2*n+1 {
			t.Errorf("%d beside each if: %d instructions, want %d", beside, got, 2*n+1)
		}
	}
}
