package isa

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"heddle/sim"

	"pgregory.net/rapid"
)

// segments is a memory that can be reached directly: two stretches with a gap
// between them, the second of which cannot be written so.
type segments struct{ *flatMemory }

func (m segments) Segment(addr uint64, writes bool) (Segment, bool) {
	half := uint64(len(m.bytes) / 2)
	switch {
	case addr < half-16:
		return Segment{Base: 0, Data: m.bytes[:half-16], Array: 7}, true
	case addr >= half && addr < 2*half && !writes:
		return Segment{Base: half, Data: m.bytes[half:], Array: 8}, true
	}
	return Segment{}, false
}

// reachDirectly gives l the memory m.
func (l *Launch) reachDirectly(m segments) { l.Memory, l.segmented = m, m }

// lone is what an instruction of a trial leaves of a thread, and of memory.
type lone struct {
	outcome Outcome
	pc      int32
	fault   Fault
	addr    uint64
	regs    []uint64
	scratch []byte
	global  []byte
	full    []bool
}

func fault(f *Fault) Fault {
	if f == nil {
		return Fault{}
	}
	return *f
}

// program returns the trial's instruction as a program.
func (tr *trial) program() *Program {
	return &Program{Funcs: []Func{{Name: "main", Regs: make([]Type, 7)}}, Code: []Inst{tr.in, {Op: OpRegionEnd}, {Op: OpBarrier}},
		Shared: trialBytes, Local: trialBytes}
}

func (tr *trial) memory() *flatMemory {
	m := newFlatMemory(trialBytes)
	copy(m.bytes, tr.bytes)
	for i := range m.full {
		m.full[i] = tr.full>>i&1 == 1
	}
	return m
}

// reachable returns the trial's memory, and what a launch is to have of it.
func (tr *trial) reachable(direct bool) (*flatMemory, Memory) {
	m := tr.memory()
	if direct {
		return m, segments{m}
	}
	return m, m
}

// byWarp executes the trial's instruction as the first lane of a warp of one.
func (tr *trial) byWarp(direct bool, step func(*Warp) Outcome) lone {
	p := tr.program()
	m, memory := tr.reachable(direct)
	block := NewBlockMemory(p)
	copy(block.bytes, tr.bytes)
	var w Warp
	w.Start(NewLaunch(p, memory, 1, 3, 3, nil), 2, 1, block)
	copy(w.local, tr.bytes)
	w.Clock = 77
	for i := range tr.rows {
		w.Set(Reg(i), 0, tr.rows[i][0])
	}
	outcome := step(&w)
	return lone{outcome, w.PC, fault(w.Fault), w.Addr[0], slices.Clone(w.banks[0]), append(block.bytes, w.local...), m.bytes, m.full}
}

// runOne lets a warp run one instruction.
func runOne(w *Warp) Outcome {
	n := len(w.Program.Code)
	return w.Run(&Meter{Cost: slices.Repeat([]sim.Time{1}, n), Insts: make([]InstStats, n), Until: 1})
}

// byScalar executes it as a lone thread.
func (tr *trial) byScalar(direct bool) lone {
	p := tr.program()
	m, memory := tr.reachable(direct)
	x := NewScalar(NewLaunch(p, memory, 1, 3, 3, nil))
	copy(x.warp.block.bytes, tr.bytes)
	x.Clock = 77
	var other, t Thread
	x.Start(&other, 1, make([]uint64, x.Registers()))
	x.Start(&t, 2, make([]uint64, x.Registers()))
	copy(t.rare.local, tr.bytes)
	for i := range tr.rows {
		t.regs[i] = tr.rows[i][0]
	}
	outcome := x.Step(&t)
	return lone{outcome, t.PC, fault(x.Fault()), t.Addr, t.regs, append(x.warp.block.bytes, t.rare.local...), m.bytes, m.full}
}

// A lone thread does, for each row of the table, what a warp of one lane does:
// with operands of every kind, equal ones and identity among them, and with
// accesses of every type, many of them illegal.
func TestScalarDoesWhatTheTableSays(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for op := range NumOps {
		row := &Table[op]
		if row.Unit == UnitControl || row.Unit == UnitNone {
			continue // TestScalarTakesTheSamePath
		}
		for trials := range 200 {
			tr := randomTrial(r, op, Space(r.IntN(3)))
			if row.Memory == FullEmpty || op == OpPurge {
				tr.in.Space = Global
			}
			if row.Unit == UnitDivide && r.IntN(8) == 0 {
				tr.rows[2][0] = 0
			}
			if row.Memory == Loads || row.Memory == Stores && op != OpPurge {
				tr.in.Type = []Type{I8, I32, F32, I64, F64}[r.IntN(5)]
				tr.in.Off = int64(r.IntN(trialBytes)) - 64
				if r.IntN(4) == 0 {
					tr.in.B = NoReg
				}
			}
			if r.IntN(8) == 0 && row.Form.A != NoType {
				tr.in.A = []Reg{ThreadID, ThreadCount, tr.in.D}[r.IntN(3)]
				if tr.in.A == NoReg {
					tr.in.A = Block
				}
			}
			if r.IntN(8) == 0 && row.Form.B != NoType {
				tr.in.B = tr.in.A
			}
			want, got := tr.byWarp(false, (*Warp).Step), tr.byScalar(trials%3 > 0)
			if row.Memory == NoMemory {
				want.addr = got.addr
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%s, %+v:\n got %v\nwant %v", row.Name, tr.in, got, want)
			}
			if got := tr.byWarp(trials%3 > 0, (*Warp).Step); !reflect.DeepEqual(got, want) && row.Memory != NoMemory {
				t.Fatalf("%s, %+v, directly:\n got %v\nwant %v", row.Name, tr.in, got, want)
			}
			got = tr.byWarp(trials%3 > 0, runOne)
			got.addr = want.addr
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%s, %+v, running:\n got %v\nwant %v", row.Name, tr.in, got, want)
			}
		}
	}
}

// A lone thread passes the same instructions as a warp of one lane, whatever
// the program, and leaves the same in memory.
func TestScalarTakesTheSamePath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, err := randomProgram(t).Build()
		if err != nil {
			t.Fatal(err)
		}
		const threads = 3
		l, want := launchRandom(t, p, 1, threads)
		k, got := launchRandom(t, p, 1, threads)
		if rapid.Bool().Draw(t, "direct") {
			k.reachDirectly(segments{got})
		}
		x := NewScalar(k)
		var w [threads]Warp
		var s [threads]Thread
		over := 0
		block := NewBlockMemory(p)
		for i := range threads {
			w[i].Start(l, i, 1, block)
			x.Start(&s[i], i, make([]uint64, x.Registers()))
			if w[i].Begin() == Done {
				t.Fatal("nothing to do")
			}
		}
		for over < threads { // in turns
			over = 0
			for i := range threads {
				if w[i].Active == 0 {
					over++
					continue
				}
				if s[i].PC != w[i].PC || s[i].Frame() != w[i].Frame() {
					t.Fatalf("thread %d is at %d, want %d\n%s", i, s[i].PC, w[i].PC, p.Text())
				}
				if got, want := x.Step(&s[i]), w[i].Step(); got != want || got == Faulted {
					t.Fatalf("thread %d: %s: %v, want %v", i, p.Disassemble(s[i].PC), got, want)
				}
			}
		}
		if !bytes.Equal(got.bytes, want.bytes) {
			t.Fatalf("memory differs\n%s", p.Text())
		}
	})
}
