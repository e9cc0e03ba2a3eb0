package mem

import (
	"testing"

	"pgregory.net/rapid"

	"heddle/arch/isa"
)

func TestFullEmptyNeedsTheBits(t *testing.T) {
	s := NewSpace(1 << 20)
	a := mustAlloc(t, s, "a", isa.I64, 1)
	dst := make([]uint64, 1)
	if _, f := s.ReadFF(1, []uint64{a.Base}, dst); f == nil || f.Reason != isa.NoFullEmpty {
		t.Errorf("fault %+v, want isa.NoFullEmpty", f)
	}
	s.EnableFullEmpty() // arrays allocated before get their bits too
	if _, f := s.ReadFF(1, []uint64{a.Base}, dst); f != nil {
		t.Error(s.Explain(f))
	}
}

// TestFullEmptyStates checks every operation on lanes that may share words
// against one state machine a word.
func TestFullEmptyStates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const words = 70
		s := NewSpace(1 << 20)
		s.EnableFullEmpty()
		a, err := s.Alloc("a", isa.I64, words)
		if err != nil {
			t.Fatal(err)
		}
		var value [words]uint64
		var empty [words]bool
		for range 40 {
			lanes := rapid.IntRange(1, 6).Draw(t, "lanes")
			active := rapid.Uint64Range(0, 1<<lanes-1).Draw(t, "active")
			addr, val, dst := make([]uint64, lanes), make([]uint64, lanes), make([]uint64, lanes)
			index := make([]int, lanes)
			for l := range addr {
				index[l] = rapid.SampledFrom([]int{0, 1, 2, 63, 64, 69}).Draw(t, "index")
				addr[l] = a.Base + uint64(8*index[l])
				val[l] = rapid.Uint64().Draw(t, "val")
			}
			op := rapid.IntRange(0, 6).Draw(t, "op")
			var wantBlocked uint64
			want := make([]uint64, lanes)
			for l, i := range index {
				if active>>l&1 == 0 {
					continue
				}
				blocks := empty[i]
				switch op {
				case 0, 1: // readff, readfe
					if !blocks {
						want[l] = value[i]
						empty[i] = op == 1
					}
				case 2: // writeef
					if blocks = !empty[i]; !blocks {
						value[i], empty[i] = val[l], false
					}
				case 3: // writexf
					blocks, value[i], empty[i] = false, val[l], false
				case 4: // purge
					blocks, value[i], empty[i] = false, 0, true
				case 5: // plain load
					blocks, want[l] = false, value[i]
				case 6: // plain store
					blocks, value[i] = false, val[l]
				}
				if blocks {
					wantBlocked |= 1 << l
				}
			}
			var blocked uint64
			var f *isa.Fault
			switch op {
			case 0:
				blocked, f = s.ReadFF(active, addr, dst)
			case 1:
				blocked, f = s.ReadFE(active, addr, dst)
			case 2:
				blocked, f = s.WriteEF(active, addr, val)
			case 3:
				f = s.WriteXF(active, addr, val)
			case 4:
				f = s.Purge(active, addr)
			case 5:
				f = s.Load(isa.I64, active, addr, dst)
			case 6:
				f = s.Store(isa.I64, active, addr, val)
			}
			if f != nil {
				t.Fatal(s.Explain(f))
			}
			if blocked != wantBlocked {
				t.Fatalf("op %d: blocked %b, want %b", op, blocked, wantBlocked)
			}
			for l := range dst {
				if dst[l] != want[l] {
					t.Fatalf("op %d lane %d: read %d, want %d", op, l, dst[l], want[l])
				}
			}
			for i := range words {
				if s.Full(a.Base+uint64(8*i)) == empty[i] {
					t.Fatalf("op %d: word %d: Full = %v, want %v", op, i, empty[i], !empty[i])
				}
			}
		}
	})
}
