package mem

import (
	"bytes"
	"math"
	"math/big"
	"math/bits"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"heddle/arch/isa"
	"heddle/sim"
)

// A Space is what programs run on, and lone threads reach directly.
var _ isa.Segmented = (*Space)(nil)

func mustAlloc(t testing.TB, s *Space, name string, elem isa.Type, n int) isa.Array {
	t.Helper()
	a, err := s.Alloc(name, elem, n)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAllocReportsWhatDoesNotFit(t *testing.T) {
	s := NewSpace(100)
	mustAlloc(t, s, "xadj", isa.I32, 20)
	if _, err := s.Alloc("mate", isa.I32, 5); err != nil {
		t.Fatalf("20 of 20 free bytes refused: %v", err)
	}
	_, err := s.Alloc("weight", isa.F64, 1)
	want := "array weight: 1 elements of 8 bytes do not fit: 0 bytes free of 100"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	for _, n := range []int{-1, math.MaxInt, math.MinInt} {
		if _, err := s.Alloc("n", isa.I64, n); err == nil {
			t.Errorf("Alloc of %d elements succeeded", n)
		}
	}
	if _, err := s.Alloc("n", isa.NoType, 1); err == nil {
		t.Error("Alloc of elements without a type succeeded")
	}
	if s.Used() != 100 {
		t.Errorf("used %d bytes after refused allocations, want 100", s.Used())
	}
}

func TestGuardGaps(t *testing.T) {
	s := NewSpace(1 << 30)
	var prev isa.Array
	for i, n := range []int{0, 1, 16384, 16385, 3} {
		a := mustAlloc(t, s, "a", isa.I32, n)
		if a.Base%pageBytes != 0 {
			t.Errorf("array %d at %#x: not aligned to 64 KiB", i, a.Base)
		}
		if i > 0 && a.Base-(prev.Base+uint64(4*prev.Len)) < pageBytes {
			t.Errorf("array %d begins less than 64 KiB after the end of its predecessor", i)
		}
		for _, off := range []int64{-pageBytes, -4, int64(4 * n), int64(4*n) + pageBytes - 4} {
			addr := []uint64{a.Base + uint64(off)}
			f := s.Load(isa.I32, 1, addr, addr)
			if f == nil || f.Reason != isa.OutOfBounds || f.Addr != a.Base+uint64(off) {
				t.Errorf("array %d of %d: load at offset %d: %+v, want out of bounds", i, n, off, f)
			}
		}
		prev = a
	}
}

func TestAdoptIsReadOnlyAndWithoutCopy(t *testing.T) {
	host := []int32{1, -2, 3, 4}
	s := NewSpace(1 << 20)
	a, err := s.Adopt("adjncy", host)
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]uint64, 1)
	addr := []uint64{a.Base + 4}
	if f := s.Load(isa.I32, 1, addr, dst); f != nil || int64(dst[0]) != -2 {
		t.Fatalf("loaded %d (%v), want -2", int64(dst[0]), f)
	}
	host[1] = 42
	if f := s.Load(isa.I32, 1, addr, dst); f != nil || dst[0] != 42 {
		t.Errorf("loaded %d after the host wrote 42: adopted by copy", dst[0])
	}
	if v := s.View(a).([]int32); unsafe.SliceData(v) != unsafe.SliceData(host) || len(v) != 4 {
		t.Error("the view of an adopted array is not the host's slice")
	}
	refused := func(what string, f *isa.Fault) {
		t.Helper()
		if f == nil || f.Reason != isa.ReadOnly {
			t.Errorf("%s: %+v, want a read-only fault", what, f)
		}
	}
	s.EnableFullEmpty()
	addr[0] = a.Base
	refused("store", s.Store(isa.I32, 1, addr, dst))
	refused("atomic", s.Atomic(isa.FetchAdd, isa.I32, 1, addr, dst, nil, dst))
	refused("purge", s.Purge(1, addr))
	refused("writexf", s.WriteXF(1, addr, dst))
	_, f := s.WriteEF(1, addr, dst)
	refused("writeef", f)
	_, f = s.ReadFE(1, addr, dst)
	refused("readfe", f)
	if host[0] != 1 {
		t.Error("a refused write changed the host's slice")
	}
	if _, err := s.Adopt("x", []uint32{1}); err == nil || !strings.Contains(err.Error(), "[]int32") {
		t.Errorf("adopting []uint32: %v, want an error that lists the types", err)
	}
}

func TestViewIsLive(t *testing.T) {
	s := NewSpace(1 << 20)
	for _, elem := range []isa.Type{isa.I8, isa.I32, isa.I64, isa.F32, isa.F64} {
		a := mustAlloc(t, s, "a", elem, 3)
		val := []uint64{7}
		switch elem {
		case isa.F32:
			val[0] = uint64(math.Float32bits(7))
		case isa.F64:
			val[0] = math.Float64bits(7)
		}
		if f := s.Store(elem, 1, []uint64{a.Base + uint64(2*elem.Size())}, val); f != nil {
			t.Fatal(s.Explain(f))
		}
		var got float64
		switch v := s.View(a).(type) {
		case []uint8:
			got = float64(v[2])
		case []int32:
			got = float64(v[2])
		case []int64:
			got = float64(v[2])
		case []float32:
			got = float64(v[2])
		case []float64:
			got = v[2]
		}
		if got != 7 {
			t.Errorf("%v: the view shows %v after a store of 7", elem, got)
		}
		a.Len++
		if s.View(a) != nil {
			t.Errorf("%v: a view of an array that the space does not hold", elem)
		}
	}
}

func TestHighestLaneWins(t *testing.T) {
	s := NewSpace(1 << 20)
	a := mustAlloc(t, s, "mate", isa.I32, 1)
	addr := []uint64{a.Base, a.Base, a.Base, a.Base}
	if f := s.Store(isa.I32, 0b0111, addr, []uint64{10, 11, 12, 13}); f != nil {
		t.Fatal(s.Explain(f))
	}
	if got := s.View(a).([]int32)[0]; got != 12 {
		t.Errorf("stored %d, want 12, of the highest active lane", got)
	}
}

func TestExplain(t *testing.T) {
	s := NewSpace(1 << 20)
	mate := mustAlloc(t, s, "mate", isa.I32, 100)
	mustAlloc(t, s, "weight", isa.F64, 10)
	for _, c := range []struct {
		addr uint64
		want string
	}{
		{mate.Base + 400, "lane 2: 4 bytes at 0x100190: out of bounds: just past the end of mate (len 100)"},
		{mate.Base + 408, "lane 2: 4 bytes at 0x100198: out of bounds: 8 bytes past the end of mate (len 100)"},
		{mate.Base + 50, "lane 2: 4 bytes at 0x100032: misaligned: mate[12] byte 2"},
		{mate.Base + 2*pageBytes - 4, "lane 2: 4 bytes at 0x11fffc: out of bounds: 4 bytes before weight (len 10)"},
		{0, "lane 2: 4 bytes at 0x0: out of bounds: a null pointer"},
		{1 << 63, "lane 2: 4 bytes at 0x8000000000000000: out of bounds: 9223372036853596080 bytes past the end of weight (len 10)"},
		{^uint64(3), "lane 2: 4 bytes at 0xfffffffffffffffc: out of bounds: no array"},
	} {
		addr := []uint64{mate.Base, mate.Base + 4, c.addr}
		f := s.Load(isa.I32, 0b111, addr, make([]uint64, 3))
		if f == nil {
			t.Errorf("%#x: no fault", c.addr)
		} else if got := s.Explain(f); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
	if got := s.Locate(mate.Base + 48).String(); got != "mate[12]" {
		t.Errorf("got %s, want mate[12]", got)
	}
}

func TestMemcheck(t *testing.T) {
	s := NewSpace(1 << 20)
	before := mustAlloc(t, s, "before", isa.I64, 1)
	s.EnableMemcheck()
	a := mustAlloc(t, s, "a", isa.I32, 4)
	adopted, err := s.Adopt("host", []int64{5})
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]uint64, 4)
	if f := s.Load(isa.I64, 0b11, []uint64{before.Base, adopted.Base}, dst); f != nil {
		t.Errorf("arrays older than memcheck or adopted: %s", s.Explain(f))
	}
	if f := s.Store(isa.I32, 1, []uint64{a.Base}, []uint64{9}); f != nil {
		t.Fatal(s.Explain(f))
	}
	all := []uint64{a.Base, a.Base + 4, a.Base + 16, 0}
	f := s.Load(isa.I32, 0b1111, all, dst)
	if f == nil || f.Reason != isa.NeverWritten || f.Lane != 1 || dst[0] != 9 {
		t.Errorf("fault %+v, dst[0]=%d: want lane 1 refused and lane 0 served", f, dst[0])
	}
	if f := s.Load(isa.I64, 1, all, dst); f == nil || f.Reason != isa.NeverWritten {
		t.Errorf("a word half written: %+v", f)
	}
	if f := s.Atomic(isa.FetchAdd, isa.I32, 0b10, all, dst, nil, dst); f == nil || f.Reason != isa.NeverWritten {
		t.Errorf("atomic on memory never written: %+v", f)
	}
	s.MarkWritten(a)
	if f := s.Load(isa.I32, 0b11, all, dst); f != nil {
		t.Errorf("after MarkWritten: %s", s.Explain(f))
	}
}

// oracle is memory as a map of bytes.
type oracle map[uint64]byte

func (o oracle) get(addr uint64, width int) uint64 {
	var v uint64
	for i := range width {
		v |= uint64(o[addr+uint64(i)]) << (8 * i)
	}
	return v
}

func (o oracle) put(addr uint64, width int, v uint64) {
	for i := range width {
		o[addr+uint64(i)] = byte(v >> (8 * i))
	}
}

// reason returns why a plain access is refused, and whether it is.
func (o oracle) reason(addr uint64, width int) (isa.FaultReason, bool) {
	for i := range width {
		if _, ok := o[addr+uint64(i)]; !ok {
			return isa.OutOfBounds, true
		}
	}
	return isa.Misaligned, addr%uint64(width) != 0
}

func extend(t isa.Type, v uint64) uint64 {
	if t == isa.I32 {
		return uint64(int64(int32(v)))
	}
	return v
}

func TestSpaceAgainstBytes(t *testing.T) {
	types := []isa.Type{isa.I8, isa.I32, isa.I64, isa.F32, isa.F64}
	rapid.Check(t, func(t *rapid.T) {
		s := NewSpace(1 << 20)
		s.EnableFullEmpty()
		o := oracle{}
		var arrays []isa.Array
		for range rapid.IntRange(1, 4).Draw(t, "arrays") {
			a, err := s.Alloc("a", rapid.SampledFrom(types).Draw(t, "elem"), rapid.IntRange(0, 20).Draw(t, "n"))
			if err != nil {
				t.Fatal(err)
			}
			arrays = append(arrays, a)
			for i := range a.Len * a.Elem.Size() {
				o[a.Base+uint64(i)] = 0
			}
		}
		for range rapid.IntRange(1, 30).Draw(t, "ops") {
			typ := rapid.SampledFrom(types).Draw(t, "type")
			width := typ.Size()
			lanes := rapid.IntRange(1, 8).Draw(t, "lanes")
			active := rapid.Uint64Range(0, 1<<lanes-1).Draw(t, "active")
			addr, val, cmp := make([]uint64, lanes), make([]uint64, lanes), make([]uint64, lanes)
			dst, want := make([]uint64, lanes), make([]uint64, lanes)
			for l := range addr {
				a := rapid.SampledFrom(arrays).Draw(t, "array")
				addr[l] = a.Base + uint64(rapid.IntRange(-1, 22).Draw(t, "index")*width)
				if rapid.IntRange(0, 40).Draw(t, "odd") == 0 {
					addr[l]++
				}
				val[l] = rapid.Uint64().Draw(t, "val")
				switch typ { // numbers, as the oracle knows no NaN and no sign of zero
				case isa.F32:
					val[l] = uint64(math.Float32bits(rapid.Float32Range(-1e30, -1).Draw(t, "f32")))
				case isa.F64:
					val[l] = math.Float64bits(rapid.Float64Range(1, 1e300).Draw(t, "f64"))
				}
				cmp[l] = o.get(addr[l], width) ^ rapid.Uint64Range(0, 1).Draw(t, "differs")
			}
			op := rapid.IntRange(0, 6).Draw(t, "op")
			if op > 1 && (typ == isa.F32 || typ == isa.F64) &&
				slices.ContainsFunc(addr, func(a uint64) bool { return !ordinary(typ, o.get(a, width)) }) {
				continue
			}
			wantLane := -1
			var wantReason isa.FaultReason
			atomic := isa.AtomicOp(op - 2)
			for l := range addr {
				if active>>l&1 == 0 {
					continue
				}
				if r, bad := o.reason(addr[l], width); bad {
					wantLane, wantReason = l, r
					break
				}
				old := o.get(addr[l], width)
				switch op {
				case 0:
					want[l] = extend(typ, old)
				case 1:
					o.put(addr[l], width, val[l])
				default:
					want[l] = extend(typ, old)
					o.put(addr[l], width, atomicOracle(atomic, typ, old, val[l], cmp[l]))
				}
			}
			var f *isa.Fault
			switch op {
			case 0:
				f = s.Load(typ, active, addr, dst)
			case 1:
				f = s.Store(typ, active, addr, val)
			default:
				f = s.Atomic(atomic, typ, active, addr, val, cmp, dst)
			}
			if (f != nil) != (wantLane >= 0) {
				t.Fatalf("op %d: fault %+v, want lane %d", op, f, wantLane)
			}
			if f != nil && (f.Lane != wantLane || f.Reason != wantReason || f.Size != width || f.Addr != addr[f.Lane]) {
				t.Fatalf("op %d: fault %+v, want lane %d, reason %v", op, f, wantLane, wantReason)
			}
			for l := range dst {
				if dst[l] != want[l] {
					t.Fatalf("op %d lane %d: got %#x, want %#x", op, l, dst[l], want[l])
				}
			}
		}
		for _, a := range arrays {
			if got, want := s.bytesOf(a), make([]byte, a.Len*a.Elem.Size()); true {
				for i := range want {
					want[i] = o[a.Base+uint64(i)]
				}
				if !bytes.Equal(got, want) {
					t.Fatalf("array at %#x: bytes %x, want %x", a.Base, got, want)
				}
			}
		}
	})
}

func (s *Space) bytesOf(a isa.Array) []byte {
	x := s.arrayAt(a.Base)
	return unsafe.Slice((*byte)(x.data), x.size)
}

// ordinary tells whether v holds a number with one meaning: no NaN, no
// infinity, no negative zero.
func ordinary(t isa.Type, v uint64) bool {
	f := math.Float64frombits(v)
	if t == isa.F32 {
		f = float64(math.Float32frombits(uint32(v)))
	}
	return !math.IsNaN(f) && !math.IsInf(f, 0) && (f != 0 || !math.Signbit(f))
}

// atomicOracle returns the element's new bits, by way of big numbers.
func atomicOracle(op isa.AtomicOp, t isa.Type, old, val, cmp uint64) uint64 {
	if op == isa.Exchange {
		return val
	}
	if op == isa.CompareSwap {
		if shift := 64 - 8*t.Size(); old<<shift != cmp<<shift {
			return old
		}
		return val
	}
	var x, y, z *big.Float
	number := func(v uint64) *big.Float {
		f := new(big.Float).SetPrec(100)
		switch t {
		case isa.I8:
			return f.SetUint64(v & 0xff)
		case isa.I32:
			return f.SetInt64(int64(int32(v)))
		case isa.I64:
			return f.SetInt64(int64(v))
		case isa.F32:
			return f.SetFloat64(float64(math.Float32frombits(uint32(v))))
		}
		return f.SetFloat64(math.Float64frombits(v))
	}
	x, y = number(old), number(val)
	switch {
	case op == isa.FetchAdd:
		z = new(big.Float).SetPrec(2200).Add(x, y)
	case (op == isa.FetchMin) == (x.Cmp(y) < 0):
		return old
	default:
		return val
	}
	switch t {
	case isa.F32:
		f, _ := z.Float32()
		return uint64(math.Float32bits(f))
	case isa.F64:
		f, _ := z.Float64()
		return math.Float64bits(f)
	}
	i, _ := z.Int(nil)
	return i.And(i, new(big.Int).SetUint64(^uint64(0))).Uint64()
}

func TestCompareSwapComparesTheElementsBits(t *testing.T) {
	s := NewSpace(1 << 20)
	for _, c := range []struct {
		elem isa.Type
		cmp  uint64
		want uint64
	}{
		{isa.I32, 0xffff_ffff, 7},           // -1, not sign-extended
		{isa.I32, 0xffff_ffff_ffff_ffff, 7}, // and so
		{isa.I8, 0x1ff, 7},                  // only the low byte counts
		{isa.I64, 0xffff_ffff, ^uint64(0)},  // another number
		{isa.F32, 0xdead_ffff_ffff, 7},      // a NaN equals itself
		{isa.F64, 0xffff_ffff_ffff_ffff, 7},
	} {
		a := mustAlloc(t, s, "a", c.elem, 1)
		addr := []uint64{a.Base}
		if f := s.Store(c.elem, 1, addr, []uint64{^uint64(0)}); f != nil {
			t.Fatal(s.Explain(f))
		}
		if f := s.Atomic(isa.CompareSwap, c.elem, 1, addr, []uint64{7}, []uint64{c.cmp}, nil); f != nil {
			t.Fatal(s.Explain(f))
		}
		got := make([]uint64, 1)
		if f := s.Load(c.elem, 1, addr, got); f != nil || got[0] != c.want {
			t.Errorf("%v: all ones, compared with %#x: left %#x, want %#x", c.elem, c.cmp, got[0], c.want)
		}
	}
}

// FuzzNoAddressPanics performs every access at any two addresses.
func FuzzNoAddressPanics(f *testing.F) {
	f.Add(uint64(0), uint64(firstBase))
	f.Add(uint64(firstBase+13), ^uint64(0))
	f.Add(uint64(1)<<63, uint64(firstBase+pageBytes))
	f.Fuzz(func(t *testing.T, x, y uint64) {
		for _, memcheck := range []bool{false, true} {
			s := NewSpace(1 << 20)
			s.EnableFullEmpty()
			if memcheck {
				s.EnableMemcheck()
			}
			mustAlloc(t, s, "a", isa.I8, 13)
			if _, err := s.Adopt("b", make([]int32, 5)); err != nil {
				t.Fatal(err)
			}
			mustAlloc(t, s, "c", isa.I64, 9000)
			addr := []uint64{x, y, x + y, x - y}
			dst := make([]uint64, 4)
			explain := func(f *isa.Fault) {
				if f == nil {
					return
				}
				if f.Addr != addr[f.Lane] {
					t.Errorf("fault at %#x names %#x", addr[f.Lane], f.Addr)
				}
				if s.Explain(f) == "" {
					t.Error("a fault without explanation")
				}
			}
			for typ := isa.NoType; typ <= isa.F64; typ++ {
				explain(s.Load(typ, 15, addr, dst))
				explain(s.Store(typ, 15, addr, dst))
				for op := isa.FetchAdd; op <= isa.CompareSwap+1; op++ {
					explain(s.Atomic(op, typ, 15, addr, dst, dst, dst))
				}
			}
			_, fault := s.ReadFF(15, addr, dst)
			explain(fault)
			_, fault = s.ReadFE(15, addr, dst)
			explain(fault)
			_, fault = s.WriteEF(15, addr, dst)
			explain(fault)
			explain(s.Purge(15, addr))
			for _, a := range addr {
				if inside := s.Locate(a).Inside(); inside != (s.ArrayID(a) >= 0) {
					t.Errorf("%#x: Locate says inside=%v, ArrayID %d", a, inside, s.ArrayID(a))
				}
				s.Full(a)
			}
		}
	})
}

func TestArrayID(t *testing.T) {
	s := NewSpace(1 << 20)
	a := mustAlloc(t, s, "a", isa.I8, 10)
	b := mustAlloc(t, s, "b", isa.I8, 10)
	for _, c := range []struct {
		addr uint64
		want int
	}{{a.Base, 0}, {a.Base + 9, 0}, {a.Base + 10, -1}, {b.Base - 1, -1}, {b.Base, 1}, {0, -1}} {
		if got := s.ArrayID(c.addr); got != c.want {
			t.Errorf("ArrayID(%#x) = %d, want %d", c.addr, got, c.want)
		}
	}
	want := ArrayInfo{Array: b, ID: 1, Bytes: sim.Bytes(10)}
	if got := s.Arrays()[1]; got != want {
		t.Errorf("Arrays()[1] = %+v, want %+v", got, want)
	}
}

func BenchmarkLoad(b *testing.B) {
	for _, c := range []struct {
		name   string
		active uint64
		stride uint64
	}{{"unit-stride", 1<<32 - 1, 4}, {"gather-16KiB", 1<<32 - 1, 516}, {"half-active", 0x55555555, 4}} {
		b.Run(c.name, func(b *testing.B) {
			s := NewSpace(1 << 20)
			a := mustAlloc(b, s, "a", isa.I32, 4096)
			addr, dst := make([]uint64, 32), make([]uint64, 32)
			for l := range addr {
				addr[l] = a.Base + uint64(l)*c.stride
			}
			b.ReportAllocs()
			for b.Loop() {
				if f := s.Load(isa.I32, c.active, addr, dst); f != nil {
					b.Fatal(s.Explain(f))
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(bits.OnesCount64(c.active)), "ns/lane")
		})
	}
}

// Reserved arrays have addresses as others have, and count; they hold nothing.
func TestReserve(t *testing.T) {
	space, plain := NewSpace(1<<40), NewSpace(1<<40)
	space.EnableFullEmpty()
	const n = 1 << 34 // more than the host has
	a, err := space.Reserve("huge", isa.I32, n)
	if err != nil {
		t.Fatal(err)
	}
	if id := space.ArrayID(a.Base + 4*n - 4); id != 0 {
		t.Errorf("the last element is of array %d", id)
	}
	if space.Used() != 4*n {
		t.Errorf("%d bytes used", space.Used())
	}
	if _, err := space.Reserve("more", isa.I64, n*8); err == nil {
		t.Error("more than there is")
	}
	first, _ := plain.Alloc("a", isa.I32, 5)
	if a.Base != first.Base {
		t.Errorf("at %#x, not %#x", a.Base, first.Base)
	}
}
