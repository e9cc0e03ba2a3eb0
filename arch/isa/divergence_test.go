package isa

import (
	"bytes"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// launchRandom returns a launch of a random program and the memory that its
// threads write.
func launchRandom(t *rapid.T, p *Program, width, threads int) (*Launch, *flatMemory) {
	m := newFlatMemory(8 * slots * threads)
	args := []Value{
		words(),
		{Type: I64, Bits: 5},
		{Type: F64, Bits: math.Float64bits(2.5)},
		{Type: F32, Bits: uint64(math.Float32bits(-0.75))},
	}
	if err := p.CheckArgs(args); err != nil {
		t.Fatal(err)
	}
	return NewLaunch(p, m, width, threads, threads, args), m
}

// runWarps runs threads of a random program as warps of width lanes and
// returns the memory they leave.
func runWarps(t *rapid.T, p *Program, width, threads int) []byte {
	l, m := launchRandom(t, p, width, threads)
	block := NewBlockMemory(p)
	var w Warp
	for first := 0; first < threads; first += width {
		w.Start(l, first, min(width, threads-first), block)
		steps := 0
		for o := w.Begin(); o != Done; o = w.Step() {
			if o == Faulted {
				t.Fatalf("%s: %v", p.Disassemble(w.PC-1), w.Fault)
			}
			if steps++; steps > 1<<22 {
				t.Fatal("the program does not end")
			}
		}
		if len(w.frames) != 0 || w.calls != 0 || w.window != 0 || w.Active != 0 {
			t.Fatalf("the warp ends inside %d constructs and %d calls, with lanes %#x", len(w.frames), w.calls, w.Active)
		}
	}
	return m.bytes
}

// runAlone runs the threads one after the other, without warps.
func runAlone(t *rapid.T, p *Program, threads int) []byte {
	l, m := launchRandom(t, p, 1, threads)
	a, block := newAlone(l), NewBlockMemory(p)
	for i := range threads {
		a.run(t, l, i, block)
	}
	return m.bytes
}

// A warp's lanes compute what the threads compute that run alone.
func TestLanesRunAsIfAlone(t *testing.T) {
	for range 3 { // rare mistakes need more programs than the other tests
		rapid.Check(t, func(t *rapid.T) {
			p, err := randomProgram(t).Build()
			if err != nil {
				t.Fatal(err)
			}
			threads := rapid.IntRange(1, 40).Draw(t, "threads")
			want := runAlone(t, p, threads)
			for _, width := range []int{1, rapid.SampledFrom([]int{2, 3, 8, 32, 64}).Draw(t, "width")} {
				compareSlots(t, p, runWarps(t, p, width, threads), want)
			}
		})
	}
}

func compareSlots(t *rapid.T, p *Program, got, want []byte) {
	for i := 0; i < len(got); i += 8 {
		if g, w := decode(I64, got[i:]), decode(I64, want[i:]); g != w {
			t.Fatalf("thread %d, slot %d: %d, want %d\n%s", i/8/slots, i/8%slots, g, w, p.Text())
		}
	}
}

// Programs compute the same before and after their registers are merged.
func TestAllocateKeepsResults(t *testing.T) {
	merged, total := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p, err := randomProgram(t).build()
		if err != nil {
			t.Fatal(err)
		}
		threads := rapid.IntRange(1, 20).Draw(t, "threads")
		width := rapid.SampledFrom([]int{1, 4, 32}).Draw(t, "width")
		before := p.Text()
		want := runWarps(t, p, width, threads)
		for _, f := range p.Funcs {
			total += len(f.Regs)
		}
		allocate(p)
		if err := Verify(p); err != nil {
			t.Fatal(err)
		}
		for _, f := range p.Funcs {
			merged += len(f.Regs)
		}
		if !bytes.Equal(runWarps(t, p, width, threads), want) {
			t.Fatalf("results differ\n%s\n%s", before, p.Text())
		}
	})
	t.Logf("%d registers became %d", total, merged)
	if merged*2 > total {
		t.Errorf("%d registers became %d: fewer than half were merged", total, merged)
	}
}
