package isa

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// element returns the value of an element of type t, as a register holds it,
// byte by byte.
func element(t Type, p []byte) uint64 {
	v := new(big.Int)
	for i := t.Size() - 1; i >= 0; i-- {
		v.Add(v.Lsh(v, 8), big.NewInt(int64(p[i])))
	}
	if t == I32 && v.Bit(31) == 1 {
		v.Sub(v, big.NewInt(1<<32))
	}
	return low(v)
}

// Loads and stores of every type in every space, and atomics, one lane after
// the other, on one memory of bytes.
func TestMemorySemantics(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for op := OpLoad; op <= OpCompareSwap; op++ {
		for _, et := range []Type{I8, I32, I64, F32, F64} {
			float := et == F32 || et == F64
			atomic := Table[op].Memory == Atomics
			if atomic && (et == I8 || float && op != OpFetchAdd) {
				continue // Verify refuses them
			}
			for _, space := range []Space{Global, Shared} {
				for range 100 {
					tr := randomTrial(r, op, space)
					tr.in.Type = et
					if atomic && float {
						for l := range trialWidth {
							tr.rows[3][l] = floatBits64(r)
							if et == F32 {
								tr.rows[3][l] = uint64(floatBits32(r))
							}
						}
					}
					checkMemorySemantics(t, tr)
				}
			}
		}
	}
}

func checkMemorySemantics(t *testing.T, tr *trial) {
	out := tr.run(t)
	want := append([]byte(nil), tr.bytes...)
	n := tr.in.Type.Size()
	for l := range trialWidth {
		if tr.active>>l&1 == 0 {
			continue
		}
		at := int(tr.rows[1][l]) + 8*int(tr.rows[2][l]) + int(tr.in.Off)
		p := want[at : at+n]
		old := element(tr.in.Type, p)
		if tr.in.D != NoReg && out.rows[0][l] != old {
			t.Fatalf("%s.%s: lane %d gets %#x, want %#x", tr.in.Row().Name, tr.in.Type, l, out.rows[0][l], old)
		}
		var value [8]byte
		binary.LittleEndian.PutUint64(value[:], tr.rows[3][l])
		switch is := func(less int) bool { return signed(element(tr.in.Type, value[:])).Cmp(signed(old)) == less }; tr.in.Op {
		case OpStore, OpExchange:
			copy(p, value[:])
		case OpFetchMin:
			if is(-1) {
				copy(p, value[:])
			}
		case OpFetchMax:
			if is(1) {
				copy(p, value[:])
			}
		case OpCompareSwap:
			var expected [8]byte
			binary.LittleEndian.PutUint64(expected[:], tr.rows[4][l])
			if string(expected[:n]) == string(p) {
				copy(p, value[:])
			}
		case OpFetchAdd:
			var sum [8]byte
			switch tr.in.Type {
			case F64:
				binary.LittleEndian.PutUint64(sum[:], math.Float64bits(math.Float64frombits(old)+math.Float64frombits(tr.rows[3][l])))
			case F32:
				binary.LittleEndian.PutUint32(sum[:], math.Float32bits(math.Float32frombits(uint32(old))+math.Float32frombits(uint32(tr.rows[3][l]))))
			default:
				binary.LittleEndian.PutUint64(sum[:], low(new(big.Int).Add(signed(old), signed(tr.rows[3][l]))))
			}
			copy(p, sum[:])
		}
	}
	got := out.global
	if tr.in.Space == Shared {
		got = out.scratch[:trialBytes]
	}
	for at := range want {
		if got[at] != want[at] {
			t.Fatalf("%s.%s: byte %d is %#x, want %#x", tr.in.Row().Name, tr.in.Type, at, got[at], want[at])
		}
	}
}

// An atomic without a destination leaves in memory what it would with one.
func TestReductions(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for op := OpFetchAdd; op <= OpCompareSwap; op++ {
		for _, space := range []Space{Global, Shared} {
			for range 50 {
				tr := randomTrial(r, op, space)
				with := tr.run(t)
				tr.in.D = NoReg
				without := tr.run(t)
				checkWrites(t, tr, without)
				without.rows[0] = with.rows[0]
				if !same(with, without, ^uint64(0)) {
					t.Fatalf("%s: memory differs without a destination", Table[op].Name)
				}
			}
		}
	}
}

// The full/empty instructions, against a list of words that are full or not.
func TestFullEmptySemantics(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, op := range []Op{OpPurge, OpReadFF, OpReadFE, OpWriteEF} {
		for range 300 {
			tr := randomTrial(r, op, Global)
			out := tr.run(t)
			full, want := make([]bool, trialBytes/8), append([]byte(nil), tr.bytes...)
			for i := range full {
				full[i] = tr.full>>i&1 == 1
			}
			blocked := uint64(0)
			for l := range trialWidth {
				if tr.active>>l&1 == 0 {
					continue
				}
				at := int(tr.rows[1][l]) + 8*int(tr.rows[2][l]) + int(tr.in.Off)
				word, isFull := want[at:at+8], &full[at/8]
				switch {
				case op == OpPurge:
					clear(word)
					*isFull = false
				case op == OpWriteEF && *isFull, op != OpWriteEF && !*isFull:
					blocked |= 1 << l
				case op == OpWriteEF:
					binary.LittleEndian.PutUint64(word, tr.rows[3][l])
					*isFull = true
				default:
					if got, want := out.rows[0][l], element(I64, word); got != want {
						t.Fatalf("%s: lane %d gets %#x, want %#x", Table[op].Name, l, got, want)
					}
					*isFull = op == OpReadFF
				}
			}
			if out.blocked != blocked {
				t.Fatalf("%s: lanes %#x block, want %#x", Table[op].Name, out.blocked, blocked)
			}
			for i := range full {
				if out.full[i] != full[i] || element(I64, out.global[8*i:]) != element(I64, want[8*i:]) {
					t.Fatalf("%s: word %d is %#x, full %v", Table[op].Name, i, element(I64, out.global[8*i:]), out.full[i])
				}
			}
		}
	}
}

// Lanes that blocked are tried again, alone, until the last has its word; the
// others keep what they read.
func TestBlockedLanesRetry(t *testing.T) {
	p, err := Parse("x.s", "program a\nfunc main()\nreadfe.i64 r0, [0 + %lane*8]\nst.i64 [32 + %lane*8], r0\nret")
	if err != nil {
		t.Fatal(err)
	}
	m := newFlatMemory(64)
	var w Warp
	w.Start(NewLaunch(p, m, 4, 4, 4, nil), 0, 4, NewBlockMemory(p))
	for i, lane := range []int{2, 0, 3, 1} {
		if o := w.Step(); o != Blocked || w.PC != 0 {
			t.Fatalf("after %d words: outcome %d at %d", i, o, w.PC)
		}
		m.full[lane] = true
		encode(I64, m.bytes[8*lane:], uint64(10+i))
	}
	if o := w.Step(); o != Next || w.PC != 1 || w.Pending != 0 || w.Accessed != 1<<1 {
		t.Fatalf("outcome %d at %d, pending %#x, accessed %#x", o, w.PC, w.Pending, w.Accessed)
	}
	w.Step()
	for lane, want := range []uint64{11, 13, 10, 12} {
		if got := decode(I64, m.bytes[32+8*lane:]); got != want {
			t.Errorf("lane %d read %d, want %d", lane, got, want)
		}
	}
}
