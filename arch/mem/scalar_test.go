package mem

import (
	"strings"
	"testing"

	"heddle/arch/isa"
)

// A segment is the bytes of an array, live, if plain accesses do nothing else:
// not stores to what is read-only, and nothing that is checked.
func TestSegment(t *testing.T) {
	s := NewSpace(1 << 20)
	a, _ := s.Alloc("a", isa.I32, 10)
	b, _ := s.Adopt("b", []int64{1, 2, 3})
	none, _ := s.Alloc("none", isa.I64, 0)
	for _, writes := range []bool{false, true} {
		g, ok := s.Segment(a.Base+8, writes)
		if !ok || g.Base != a.Base || len(g.Data) != 40 || g.Array != s.ArrayID(a.Base) {
			t.Errorf("writes %t: segment %+v, %t", writes, g, ok)
		}
		if g, ok := s.Segment(b.Base, writes); ok == writes || ok && len(g.Data) != 24 {
			t.Errorf("writes %t of a read-only array: %+v, %t", writes, g, ok)
		}
		for _, addr := range []uint64{0, none.Base, b.Base - 8, 1 << 60} {
			if g, ok := s.Segment(addr, writes); ok && addr-g.Base < uint64(len(g.Data)) {
				t.Errorf("%#x lies in %+v", addr, g)
			}
		}
	}
	g, _ := s.Segment(a.Base, true)
	g.Data[4] = 7
	if v := s.View(a).([]int32); v[1] != 7 {
		t.Error("a segment is not the array")
	}
	s.EnableMemcheck()
	if _, ok := s.Segment(a.Base, false); ok {
		t.Error("what is checked can be reached directly")
	}
}

// A lone thread that stores to a read-only array, or beside one, faults.
func TestScalarFaults(t *testing.T) {
	s := NewSpace(1 << 20)
	a, _ := s.Adopt("a", []int64{1, 2, 3})
	for _, test := range []struct {
		index int64
		store bool
		want  isa.FaultReason
	}{{1, true, isa.ReadOnly}, {3, false, isa.OutOfBounds}, {100, false, isa.OutOfBounds}} {
		b := isa.NewBuilder("faults")
		p := b.Array("a", isa.I64)
		i := b.Int("i")
		if b.Load(p, 2); test.store {
			b.Store(p, i, 5)
		} else {
			b.Load(p, i)
		}
		x := isa.NewScalar(isa.NewLaunch(b.MustBuild(), s, 1, 1, 1, isa.Args(a, test.index)))
		var th isa.Thread
		x.Start(&th, 0, make([]uint64, x.Registers()))
		if o := x.Step(&th); o != isa.Next || x.Array != 0 {
			t.Fatalf("a load: %v in array %d", o, x.Array)
		}
		if o := x.Step(&th); o != isa.Faulted || x.Fault().Reason != test.want {
			t.Errorf("%+v: %v, %v", test, o, x.Fault())
		}
		if text := x.Trap(&th).Error(); !strings.Contains(text, "a (len 3)") && !strings.Contains(text, "a[1]") {
			t.Errorf("%s does not name the array", text)
		}
	}
}

// A deadlock on a functional machine names the elements that threads wait for.
func TestDeadlockNamesElements(t *testing.T) {
	s := NewSpace(1 << 20)
	s.EnableFullEmpty()
	a, _ := s.Alloc("word", isa.I64, 8)
	b := isa.NewBuilder("stuck")
	p := b.Array("word", isa.I64)
	b.ReadFE(p, isa.ThreadID)
	b.ReadFE(p, isa.ThreadID)
	_, err := isa.RunFunctional(isa.NewLaunch(b.MustBuild(), s, 1, 6, 6, isa.Args(a)), 0)
	if err == nil || !strings.Contains(err.Error(), ", word[5]") {
		t.Errorf("%v does not name word[5]", err)
	}
}
