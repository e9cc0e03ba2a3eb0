package isa

import "testing"

// noMemory is a memory without arrays.
type noMemory struct{ Memory }

func run(t *testing.T, p *Program, width, threads int, args ...Value) *Warp {
	t.Helper()
	l := NewLaunch(p, noMemory{}, width, threads, width, args)
	var w Warp
	w.Start(l, 0, threads, NewBlockMemory(p))
	for o := w.Begin(); o != Done; o = w.Step() {
		if o == Faulted {
			t.Fatal(w.Fault)
		}
	}
	return &w
}

// Each lane counts down from its own index, skipping one iteration and leaving
// early in lane 5: divergence, continue and break at once.
func TestLoopDivergence(t *testing.T) {
	b := NewBuilder("test")
	sum := b.Var(0)
	b.For(0, Lane, 1, func(i Reg) {
		b.If(b.Eq(i, 2), func() { b.Continue() })
		b.If(b.Eq(Lane, 5), func() { b.BreakIf(b.Eq(i, 3)) })
		b.SetAdd(sum, sum, i)
	})
	shared := b.SharedArray(0, I64)
	b.SharedMemory(8 * 8)
	b.StoreTo(shared, Lane, sum)
	p, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	w := run(t, p, 8, 8)
	for l := range 8 {
		want := uint64(0)
		for i := range l {
			if i == 2 {
				continue
			}
			if l == 5 && i == 3 {
				break
			}
			want += uint64(i)
		}
		if got := decode(I64, w.block.bytes[l*8:]); got != want {
			t.Errorf("lane %d: %d, want %d", l, got, want)
		}
	}
}

func TestRecursion(t *testing.T) {
	b := NewBuilder("fib")
	fib := b.Func("fib", []Type{I64}, []Type{I64})
	fib.Define(func(a []Reg) {
		b.If(b.Lt(a[0], 2), func() { b.Return(a[0]) })
		x := b.Call(fib, b.Sub(a[0], 1))[0]
		y := b.Call(fib, b.Sub(a[0], 2))[0]
		b.Return(b.Add(x, y))
	})
	b.SharedMemory(64)
	b.StoreTo(b.SharedArray(0, I64), Lane, b.Call(fib, b.Add(Lane, 3))[0])
	p, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	w := run(t, p, 8, 8)
	want := []uint64{2, 3, 5, 8, 13, 21, 34, 55}
	for l, v := range want {
		if got := decode(I64, w.block.bytes[l*8:]); got != v {
			t.Errorf("fib(%d) = %d, want %d", l+3, got, v)
		}
	}
}
