package isa

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// Votes and shuffles, against what each lane would compute from a list of the
// active lanes.
func TestWarpSemantics(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for op := range NumOps {
		row := &Table[op]
		if row.Unit != UnitWarp {
			continue
		}
		for range 500 {
			tr := randomTrial(r, op, Global)
			out := tr.run(t)
			var active []int
			votes, mask := 0, uint64(0)
			for l := range trialWidth {
				if tr.active>>l&1 == 1 {
					active = append(active, l)
					if tr.rows[1][l] != 0 {
						votes++
						mask += 1 << l
					}
				}
			}
			for _, l := range active {
				lane, by := int64(l), int64(tr.rows[2][l])
				want, from := uint64(0), lane
				switch op {
				case OpBallot:
					want = mask
				case OpAny:
					want = truth(votes > 0)
				case OpAll:
					want = truth(votes == len(active))
				case OpShuffle:
					from = by
				case OpShuffleUp:
					from = lane - by
				case OpShuffleDown:
					from = lane + by
				case OpShuffleXor:
					from = lane ^ by
				default:
					t.Fatalf("%s: not tested", row.Name)
				}
				if row.Form.B != NoType {
					want = tr.rows[1][l]
					for _, other := range active {
						if int64(other) == from {
							want = tr.rows[1][other]
						}
					}
				}
				if got := out.rows[0][l]; got != want {
					t.Fatalf("%s: lane %d of %v gets %#x, want %#x", row.Name, l, active, got, want)
				}
			}
		}
	}
}

// Control flow writes no register but a call's results, and only active lanes
// write.
func TestControlChangesNoRegister(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, err := randomProgram(t).Build()
		if err != nil {
			t.Fatal(err)
		}
		const width = 8
		args := []Value{words(), {Type: I64, Bits: 5}, {Type: F64, Bits: 1 << 62}, {Type: F32}}
		l := NewLaunch(p, newFlatMemory(8*slots*width), width, width, width, args)
		var w Warp
		w.Start(l, 0, width, NewBlockMemory(p))
		var before []uint64
		for o, steps := w.Begin(), 0; o != Done && steps < 2000; steps++ {
			in, pc, window, active := &p.Code[w.PC], w.PC, w.window, w.Active
			before = append(before[:0], w.banks[0]...)
			if o = w.Step(); o == Faulted {
				t.Fatal(w.Fault)
			}
			if w.window != window || in.Op == OpCall || in.Op == OpRet {
				continue // another function's registers
			}
			for i, v := range w.banks[0] {
				reg, lane := Reg(i/width), i%width
				if v != before[i] && (reg != in.D || active>>lane&1 == 0) {
					t.Fatalf("%s changes register %d of lane %d; active %#x", p.Disassemble(pc), reg, lane, active)
				}
			}
		}
	})
}
