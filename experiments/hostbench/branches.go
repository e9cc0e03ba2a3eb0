package hostbench

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	"heddle/arch/isa"
)

// periods are the lengths of random patterns of outcomes, repeated: how long a
// pattern the predictor can learn, and what a branch costs that it cannot.
var periods = []int{1, 8, 32, 128, 512, 2048, unpredictable}

// unpredictable is a period that no predictor learns, of outcomes that the
// first-level cache holds.
const unpredictable = 1 << 14

func branchCases() []Case {
	var all []Case
	for _, period := range periods {
		meaning := fmt.Sprintf("iteration with a branch whose outcomes repeat after %d", period)
		if period == unpredictable {
			meaning = "iteration with a branch of random outcome"
		}
		all = append(all, Case{
			Name: "branch/" + strconv.Itoa(period), Meaning: meaning, Unit: nanoseconds,
			prepare: func(*host) (stage, error) {
				pattern := outcomes(period, unpredictable)
				out, at := new([2]int64), 0
				return stage{run: timed(func(n int) { at = count((*[unpredictable]uint8)(pattern), at, n, out) })}, nil
			},
			simulate: func(s *simulator) float64 {
				m := s.machine(1)
				p := m.adopt("pattern", outcomes(period, unpredictable))
				out, at := m.alloc("out", 2), m.alloc("at", 1)
				m.run(countProgram, p, out, at, unpredictable-1, unpredictable) // learns what it can
				return m.perOperation(countProgram, 4000, 1, p, out, at, unpredictable-1)
			},
		})
	}
	return all
}

// outcomes returns n outcomes, a random pattern of the given period; of period
// 1, all the same.
func outcomes(period, n int) []uint8 {
	random := rand.New(rand.NewPCG(5, 0))
	pattern := make([]uint8, n)
	for i := range pattern {
		if i < period {
			pattern[i] = uint8(random.IntN(2))
		} else {
			pattern[i] = pattern[i%period]
		}
	}
	return pattern
}

// count stores at every outcome that is not 0, for a store cannot be made a
// conditional move.
//
//go:noinline
func count(pattern *[unpredictable]uint8, at, n int, out *[2]int64) int {
	for range n {
		if pattern[at&(unpredictable-1)] != 0 {
			out[0] = int64(at)
		}
		at++
	}
	return at
}

var countProgram = func() *isa.Program {
	b := isa.NewBuilder("count")
	pattern, out, from := b.Array("pattern", isa.I8), b.Array("out", isa.I64), b.Array("at", isa.I64)
	mask, n := b.Int("mask"), b.Int("n")
	at := b.Var(b.Load(from, 0))
	b.For(0, n, 1, func(isa.Reg) {
		b.If(b.Ne(b.Load(pattern, b.And(at, mask)), 0), func() { b.Store(out, 0, at) })
		b.SetAdd(at, at, 1)
	})
	b.Store(from, 0, at)
	return b.MustBuild()
}()
