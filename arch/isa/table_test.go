package isa

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestTableIsComplete(t *testing.T) {
	seen := map[string]Op{}
	for op := range NumOps {
		r := &Table[op]
		if r.Name == "" || r.Doc == "" || r.Exec == nil || r.Unit >= NumUnits {
			t.Errorf("row %d (%s) is not complete", op, r.Name)
		}
		if was, twice := seen[r.Name]; twice {
			t.Errorf("rows %d and %d are both %s", was, op, r.Name)
		}
		seen[r.Name] = op
		f := r.Form
		if (r.Memory != NoMemory) != (r.Unit == UnitMemory) {
			t.Errorf("%s: memory behaviour %d on unit %s", r.Name, r.Memory, r.Unit)
		}
		if r.Memory != NoMemory && (f.A != I64 || f.B != I64) {
			t.Errorf("%s: its address is not a + b", r.Name)
		}
		for _, operand := range []Type{f.D, f.A, f.B, f.C, f.E} {
			if operand != NoType && operand != Any && !isRegister(operand) {
				t.Errorf("%s: an operand of type %s", r.Name, operand)
			}
		}
		if f.D == Any && r.Memory == NoMemory && f.A != Any && f.B != Any {
			t.Errorf("%s: nothing gives its result a type", r.Name)
		}
		if f.B != NoType && f.A == NoType || f.C != NoType && f.B == NoType || f.E != NoType && f.C == NoType {
			t.Errorf("%s: operands with a gap", r.Name)
		}
	}
}

// trial executes one instruction on a state: five operands' rows and two
// bystanders', a memory, and a mask.
type trial struct {
	in     Inst
	rows   [7][]uint64 // D, A, B, C, E, bystanders
	active uint64
	bytes  []byte // of every space
	full   uint64 // mask of full words
}

const trialWidth, trialBytes = 8, 512

// spy is a memory that notes which methods are used.
type spy struct {
	*flatMemory
	used map[Behaviour]int
}

func (s spy) Load(t Type, active uint64, addr, dst []uint64) *Fault {
	s.used[Loads]++
	return s.flatMemory.Load(t, active, addr, dst)
}
func (s spy) Store(t Type, active uint64, addr, val []uint64) *Fault {
	s.used[Stores]++
	return s.flatMemory.Store(t, active, addr, val)
}
func (s spy) Purge(active uint64, addr []uint64) *Fault {
	s.used[Stores]++
	return s.flatMemory.Purge(active, addr)
}
func (s spy) Atomic(op AtomicOp, t Type, active uint64, addr, val, cmp, dst []uint64) *Fault {
	s.used[Atomics]++
	return s.flatMemory.Atomic(op, t, active, addr, val, cmp, dst)
}
func (s spy) ReadFF(active uint64, addr, dst []uint64) (uint64, *Fault) {
	s.used[FullEmpty]++
	return s.flatMemory.ReadFF(active, addr, dst)
}
func (s spy) ReadFE(active uint64, addr, dst []uint64) (uint64, *Fault) {
	s.used[FullEmpty]++
	return s.flatMemory.ReadFE(active, addr, dst)
}
func (s spy) WriteEF(active uint64, addr, val []uint64) (uint64, *Fault) {
	s.used[FullEmpty]++
	return s.flatMemory.WriteEF(active, addr, val)
}

// result is what a trial leaves.
type result struct {
	rows    [7][]uint64
	global  []byte
	scratch []byte // shared, then local, memory
	full    []bool
	outcome Outcome
	used    map[Behaviour]int
	blocked uint64
}

func (tr *trial) run(t *testing.T) result {
	p := &Program{Funcs: []Func{{Name: "main", Regs: make([]Type, 7)}}, Code: []Inst{tr.in, {Op: OpBarrier}},
		Shared: trialBytes, Local: trialBytes}
	m := spy{newFlatMemory(trialBytes), map[Behaviour]int{}}
	copy(m.bytes, tr.bytes)
	for i := range uint64(trialBytes / 8) {
		m.full[i] = tr.full>>i&1 == 1
	}
	block := NewBlockMemory(p)
	copy(block.bytes, tr.bytes)
	var w Warp
	w.Start(NewLaunch(p, m, trialWidth, trialWidth, trialWidth, nil), 0, trialWidth, block)
	for l := range trialWidth {
		copy(w.local[l*trialBytes:(l+1)*trialBytes], tr.bytes)
	}
	w.Active, w.Clock = tr.active, 77
	for r := range tr.rows {
		copy(w.row(Reg(r)), tr.rows[r])
	}
	out := result{outcome: w.Step(), global: m.bytes, full: m.full, used: m.used, blocked: w.Pending}
	if out.outcome == Faulted {
		t.Fatalf("%s: %v", tr.in.Row().Name, w.Fault)
	}
	out.scratch = append(slices.Clone(block.bytes), w.local...)
	for r := range tr.rows {
		out.rows[r] = slices.Clone(w.row(Reg(r)))
	}
	return out
}

// randomTrial gives op random operands that it can run on: addresses inside
// memory, no divisor of zero.
func randomTrial(r *rand.Rand, op Op, space Space) *trial {
	row := &Table[op]
	reg := func(i int, t Type) Reg {
		if t == NoType {
			return NoReg
		}
		return Reg(i)
	}
	f := row.Form
	tr := &trial{in: Inst{Op: op, Space: space, D: reg(0, f.D), A: reg(1, f.A), B: reg(2, f.B), C: reg(3, f.C), E: reg(4, f.E)},
		active: 1 + r.Uint64N(1<<trialWidth-1), bytes: make([]byte, trialBytes), full: r.Uint64()}
	for i := range tr.bytes {
		tr.bytes[i] = byte(r.Uint32())
	}
	for i := range tr.rows {
		tr.rows[i] = make([]uint64, trialWidth)
		for l := range tr.rows[i] {
			tr.rows[i][l] = tr.value(r, i)
		}
	}
	if row.Unit == UnitWarp && r.IntN(4) == 0 {
		clear(tr.rows[1])
	}
	if row.Unit == UnitCompare && r.IntN(2) == 0 {
		copy(tr.rows[2], tr.rows[1])
	}
	if row.Memory != NoMemory {
		tr.in.Type, tr.in.Scale, tr.in.Off = I64, 8, int64(8*r.IntN(3))
		for l := range trialWidth {
			// A word a lane, or sometimes one word for several.
			tr.rows[1][l] = uint64(8 * (l * (1 + r.IntN(2))))
			tr.rows[2][l] = uint64(16 + r.IntN(30))
			if r.IntN(2) == 0 {
				at := tr.rows[1][l] + 8*tr.rows[2][l] + uint64(tr.in.Off)
				old := uint64(0)
				for i := range 8 {
					old |= uint64(tr.bytes[at+uint64(i)]) << (8 * i)
				}
				tr.rows[4][l] = old // what a compare-and-swap expects
			}
		}
	}
	return tr
}

// value returns a random value of operand i: a small number, a float, or any
// bits.
func (tr *trial) value(r *rand.Rand, i int) uint64 {
	f := tr.in.Row().Form
	t := [...]Type{f.D, f.A, f.B, f.C, f.E, I64, I64}[i]
	v := r.Uint64() >> r.IntN(64)
	switch {
	case t == F64:
		v = floatBits64(r)
	case t == F32:
		v = uint64(floatBits32(r))
	case r.IntN(3) == 0:
		v = uint64(r.IntN(10) - 1)
	}
	if v == 0 && i == 2 && tr.in.Row().Unit == UnitDivide {
		return 1
	}
	return v
}

// An instruction writes its destination in the active lanes and nothing else,
// depends on its operands in the active lanes, on each of them, and on nothing
// else, and uses memory as its row says.
func TestEffectsAreThoseDeclared(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for op := range NumOps {
		row := &Table[op]
		if row.Unit == UnitControl || row.Unit == UnitNone {
			continue // TestControlChangesNoRegister
		}
		spaces := []Space{Global}
		if row.Memory != NoMemory && row.Memory != FullEmpty && op != OpPurge {
			spaces = append(spaces, Shared, Local)
		}
		for _, space := range spaces {
			t.Run(fmt.Sprintf("%s/%s", row.Name, space), func(t *testing.T) {
				var matters [7]bool // operands whose change has changed the result
				for range 60 {
					tr := randomTrial(r, op, space)
					out := tr.run(t)
					checkWrites(t, tr, out)
					checkMemory(t, tr, out)
					checkReads(t, r, tr, out, &matters)
					checkAliases(t, tr, out)
					if t.Failed() {
						return
					}
				}
				for i, operand := range []Type{row.Form.A, row.Form.B, row.Form.C, row.Form.E} {
					if operand != NoType && !matters[i+1] {
						t.Errorf("operand %c is declared, but never matters", "abce"[i])
					}
				}
			})
		}
	}
}

func checkWrites(t *testing.T, tr *trial, out result) {
	for i := range tr.rows {
		for l := range trialWidth {
			done := tr.active&^out.blocked>>l&1 == 1
			if out.rows[i][l] != tr.rows[i][l] && !(i == 0 && tr.in.D != NoReg && done) {
				t.Errorf("register %d of lane %d changes; active %#x, blocked %#x", i, l, tr.active, out.blocked)
			}
		}
	}
}

func checkMemory(t *testing.T, tr *trial, out result) {
	row := tr.in.Row()
	want := 0
	if row.Memory != NoMemory && tr.in.Space == Global {
		want = 1
	}
	if total := out.used[Loads] + out.used[Stores] + out.used[Atomics] + out.used[FullEmpty]; total != want || out.used[row.Memory] != want {
		t.Errorf("memory is used as %v; declared %d", out.used, row.Memory)
	}
	writes := row.Memory == Stores || row.Memory == Atomics || tr.in.Op == OpWriteEF
	if !(writes && tr.in.Space == Global) && !bytes.Equal(out.global, tr.bytes) {
		t.Error("global memory changes")
	}
	if !(writes && tr.in.Space != Global) && !bytes.Equal(out.scratch, bytes.Repeat(tr.bytes, 1+trialWidth)) {
		t.Error("shared or local memory changes")
	}
	if (out.outcome == Blocked) != (out.blocked != 0) || out.blocked != 0 && row.Memory != FullEmpty {
		t.Errorf("outcome %d with lanes %#x blocked", out.outcome, out.blocked)
	}
}

// same compares what two trials leave in a set of lanes and in memory.
func same(a, b result, lanes uint64) bool {
	for l := range trialWidth {
		if lanes>>l&1 == 1 && a.rows[0][l] != b.rows[0][l] {
			return false
		}
	}
	return bytes.Equal(a.global, b.global) && bytes.Equal(a.scratch, b.scratch) && slices.Equal(a.full, b.full) &&
		a.outcome == b.outcome && a.blocked == b.blocked
}

func checkReads(t *testing.T, r *rand.Rand, tr *trial, out result, matters *[7]bool) {
	other := randomTrial(r, tr.in.Op, tr.in.Space)
	written := tr.active &^ out.blocked // lanes of the destination
	if tr.in.D == NoReg {
		written = 0
	}
	operands := [...]Reg{tr.in.D, tr.in.A, tr.in.B, tr.in.C, tr.in.E, NoReg, NoReg}
	for i := range tr.rows {
		mine := tr.rows[i]
		declared := i != 0 && operands[i] != NoReg
		mixed := slices.Clone(other.rows[i])
		if declared {
			for l := range mixed { // vary what is not active
				if tr.active>>l&1 == 1 {
					mixed[l] = mine[l]
				}
			}
		}
		tr.rows[i] = mixed
		if !same(out, tr.run(t), written) {
			t.Errorf("what register %d holds matters outside the operands of active lanes", i)
		}
		if declared {
			tr.rows[i] = other.rows[i]
			matters[i] = matters[i] || !same(out, tr.run(t), written)
		}
		tr.rows[i] = mine
	}
}

// checkAliases lets the destination be each of the sources: the result stays.
func checkAliases(t *testing.T, tr *trial, out result) {
	if tr.in.D == NoReg {
		return
	}
	for _, src := range []Reg{tr.in.A, tr.in.B, tr.in.C, tr.in.E} {
		if src == NoReg {
			continue
		}
		alias := *tr
		alias.in.D = src
		got := alias.run(t)
		got.rows[0] = slices.Clone(got.rows[src])
		if !same(out, got, tr.active&^out.blocked) {
			t.Errorf("the result differs when the destination is register %d, a source", src)
		}
	}
}
