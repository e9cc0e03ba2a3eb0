package isa_test

import (
	"testing"

	"heddle/arch/isa"
	"heddle/arch/mem"
)

// A profile counts each instruction, and each array by what threads do to it;
// runs add up.
func TestProfile(t *testing.T) {
	p, err := isa.Parse("test.asm", `program test
param a i32[]
param b i64[]
func main()
ld.i32 r0, [$a + %tid*4]
st.i64 [$b + %tid*8], r0
atom.add.i64 [$b], 1
if r0
atom.add.i64 [$b], 1
endif
ret
`)
	if err != nil {
		t.Fatal(err)
	}
	space := mem.NewSpace(1 << 20)
	const n = 64
	odd := make([]int32, n)
	for i := range odd {
		odd[i] = int32(i % 2)
	}
	a, err := space.Adopt("a", odd)
	if err != nil {
		t.Fatal(err)
	}
	b, err := space.Alloc("b", isa.I64, n)
	if err != nil {
		t.Fatal(err)
	}
	profile := isa.NewProfile(p, space.ArrayID)
	var work isa.Work
	for range 2 {
		l := isa.NewLaunch(p, space, 32, n, 32, isa.Args(a, b))
		w, err := isa.RunProfiled(l, 0, nil, profile)
		if err != nil {
			t.Fatal(err)
		}
		work.Instructions += w.Instructions
		work.LaneInstructions += w.LaneInstructions
	}
	want := []isa.ArrayAccesses{
		{Loads: 2 * n, Requests: 4, Bytes: 2 * n * 4},
		{Stores: 2 * n, Atomics: 2*n + n, Requests: 4 + 4 + 4, Bytes: (4*n + n) * 8},
	}
	for id, w := range want {
		if profile.Arrays[id] != w {
			t.Errorf("array %d: %+v, want %+v", id, profile.Arrays[id], w)
		}
	}
	var sum isa.InstStats
	for _, s := range profile.Insts {
		sum.Issues += s.Issues
		sum.Lanes += s.Lanes
		sum.Divergent += s.Divergent
	}
	if sum != (isa.InstStats{Issues: work.Instructions, Lanes: work.LaneInstructions, Divergent: 4}) {
		t.Errorf("%+v in all, of %+v", sum, work)
	}
}
