package hostbench

import (
	"math/rand/v2"

	"heddle/arch/isa"
)

// Rows are short loops, one after the other, that look up what they read, as
// kernels on graphs have them. Where all are of the same length their ends are
// predicted; at random lengths each end is a misprediction. An iteration shows
// what compilers make of a loop.
const (
	rowLength = 16 // on average; of random rows half to one and a half times that
	lookups   = 1024
)

// rowLengths returns the lengths of many rows.
func rowLengths(random bool) []uint8 {
	rng := rand.New(rand.NewPCG(6, 0))
	lengths := make([]uint8, unpredictable)
	for i := range lengths {
		lengths[i] = rowLength
		if random {
			lengths[i] = uint8(rowLength/2 + rng.IntN(rowLength+1))
		}
	}
	return lengths
}

// row returns the indices that every row begins with.
func row() []int32 {
	rng := rand.New(rand.NewPCG(7, 0))
	indices := make([]int32, 2*rowLength)
	for i := range indices {
		indices[i] = int32(rng.IntN(lookups))
	}
	return indices
}

func rowCases() []Case {
	var all []Case
	for _, random := range []bool{false, true} {
		c := Case{Name: "rows/same", Meaning: "row of 16 look-ups", Unit: nanoseconds}
		if random {
			c.Name, c.Meaning = "rows/random", "row of 8 to 24 look-ups, at random"
		}
		c.prepare = func(*host) (stage, error) {
			lengths, indices := rowLengths(random), row()
			table, at, found := make([]int32, lookups), 0, 0
			return stage{run: timed(func(n int) {
				at, found = lookUpRows((*[unpredictable]uint8)(lengths), indices, table, at, n)
				if found > 0 {
					table[0] = 0 // what is found is used
				}
			})}, nil
		}
		c.simulate = func(s *simulator) float64 {
			m := s.machine(1)
			lengths, indices := m.adopt("lengths", rowLengths(random)), m.adopt("indices", row())
			table, out, at := m.allocOf("table", isa.I32, lookups), m.alloc("out", 2), m.alloc("at", 1)
			m.run(lookUpProgram, lengths, indices, table, out, at, unpredictable-1, unpredictable/4) // learns what it can
			return m.perOperation(lookUpProgram, 1000, 1, lengths, indices, table, out, at, unpredictable-1)
		}
		all = append(all, c)
	}
	return all
}

// lookUpRows goes through n rows.
//
//go:noinline
func lookUpRows(lengths *[unpredictable]uint8, indices, table []int32, at, n int) (to, found int) {
	for range n {
		for _, v := range indices[:lengths[at&(unpredictable-1)]] {
			if table[uint32(v)] != 0 {
				found++
				table[0] = 1
			}
		}
		at++
	}
	return at, found
}

var lookUpProgram = func() *isa.Program {
	b := isa.NewBuilder("look-up")
	lengths, indices, table := b.Array("lengths", isa.I8), b.Array("indices", isa.I32), b.Array("table", isa.I32)
	out, from := b.Array("out", isa.I64), b.Array("at", isa.I64)
	mask, n := b.Int("mask"), b.Int("n")
	at, found := b.Var(b.Load(from, 0)), b.Var(0)
	b.For(0, n, 1, func(isa.Reg) {
		b.For(0, b.Load(lengths, b.And(at, mask)), 1, func(i isa.Reg) {
			b.If(b.Ne(b.Load(table, b.Load(indices, i)), 0), func() {
				b.SetAdd(found, found, 1)
				b.Store(table, 0, 1)
			})
		})
		b.SetAdd(at, at, 1)
	})
	b.Store(from, 0, at)
	b.Store(out, 0, found)
	return b.MustBuild()
}()
