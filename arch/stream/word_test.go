package stream

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"heddle/arch/isa"
	"heddle/arch/isa/isatest"
)

// loopWords returns the words of the last innermost loop of p: its
// instructions an iteration, all branches taken.
func loopWords(p *isa.Program) int {
	words := pack(p, &WordConfig{Packed: true, Divide: 1, Special: 1})
	from, n := 0, 0
	for pc := range p.Code {
		switch p.Code[pc].Op {
		case isa.OpLoop:
			from = pc
		case isa.OpWhile:
			n = 0
			for at := from; at <= pc; at++ {
				if words[at].ops > 0 {
					n += int(words[at].issues)
				}
			}
		}
	}
	return n
}

// Loops of the Graph500 benchmark for the XMT and the instructions an
// iteration that Cray's compiler lists for them (canal of xmt-csr.c). Where
// ours differ, it is said why.
func TestWordsOfCompiledLoops(t *testing.T) {
	array := func(b *isa.Builder, name string) isa.ArrayParam { return b.Array(name, isa.I64) }
	for _, c := range []struct {
		name        string
		ours, canal int
		body        func(b *isa.Builder)
	}{
		{"one store", 1, 1, func(b *isa.Builder) {
			x, n := array(b, "xoff"), b.Int("n")
			b.ParallelFor(n, func(k isa.Reg) { b.Store(x, k, 0) })
		}},
		{"a load and a store", 2, 2, func(b *isa.Builder) {
			x, y, n := array(b, "x"), array(b, "y"), b.Int("n")
			b.ParallelFor(n, func(k isa.Reg) { b.Store(y, k, b.Load(x, k)) })
		}},
		// One more: a shift for an address joins no word, as the program's order
		// has it behind the jump and before the operation that needs it; a
		// compiler moves it up.
		{"degrees by two int_fetch_add an edge", 9, 8, func(b *isa.Builder) {
			x, head, tail, n := array(b, "xoff"), array(b, "head"), array(b, "tail"), b.Int("n")
			b.ParallelFor(n, func(k isa.Reg) {
				i, j := b.Load(head, k), b.Load(tail, k)
				b.If(b.Ne(i, j), func() {
					b.FetchAdd(x, b.Shl(i, 1), 1)
					b.FetchAdd(x, b.Shl(j, 1), 1)
				})
			})
		}},
		// Fewer: the compiler's loop loads four times, this one three times.
		{"breadth-first search with readfe and writeef", 11, 14, func(b *isa.Builder) {
			adj, tree, queue, tail := array(b, "adj"), array(b, "tree"), array(b, "queue"), array(b, "tail")
			v, n := b.Int("v"), b.Int("n")
			b.ParallelFor(n, func(e isa.Reg) {
				j := b.Load(adj, e)
				b.If(b.Eq(b.Load(tree, j), -1), func() {
					t := b.ReadFE(tree, j)
					b.If(b.Eq(t, -1), func() {
						b.Store(queue, b.FetchAdd(tail, 0, 1), j)
						b.Set(t, v)
					})
					b.WriteEF(tree, j, t)
				})
			})
		}},
	} {
		b := isa.NewBuilder(c.name)
		c.body(b)
		p := b.MustBuild()
		if got := loopWords(p); got != c.ours {
			t.Errorf("%s: %d words an iteration, want %d (canal has %d)\n%s", c.name, got, c.ours, c.canal, p.Text())
		}
	}
}

// Operations share a word as the units allow and if none needs another.
func TestPacking(t *testing.T) {
	params := "param a i64[]"
	for _, c := range []struct {
		name  string
		lines []string
		words []int32 // operations of each, the return in the last
	}{
		{"memory, arithmetic, control", []string{"st.i64 [$a], 1", "mul r0, %tid, 3"}, []int32{3}},
		{"memory and two simple ones; the return needs the control unit", []string{"st.i64 [$a], 1", "mov r0, 1", "mov r1, 2"}, []int32{3, 1}},
		{"two memory operations", []string{"st.i64 [$a], 1", "st.i64 [$a + 8], 1"}, []int32{1, 2}},
		{"two multiplies", []string{"mul r0, %tid, 3", "mul r1, %tid, 5"}, []int32{1, 2}},
		{"a need", []string{"mov r0, 1", "add r1, r0, 1"}, []int32{1, 2}},
		{"the same destination", []string{"mov r0, 1", "mov r0, 2"}, []int32{1, 2}},
		{"a destination that was read", []string{"mov r0, 1", "mov r1, r0", "mov r0, 2"}, []int32{1, 2, 1}},
		{"a load's address", []string{"mov r0, 1", "ld.i64 r1, [$a + r0*8]"}, []int32{1, 2}},
		{"a store's value", []string{"mov r0, 1", "st.i64 [$a], r0"}, []int32{1, 2}},
		{"a long operation", []string{"mov r0, 1", "div r1, %tid, 3", "mov r2, 1"}, []int32{1, 1, 2}},
		{"a test and its jump", []string{"eq r0, %tid, 0", "if r0", "mov r1, 1", "endif"}, []int32{1, 1, 1, 1}},
		{"a fence ends a word", []string{"st.i64 [$a], 1", "fence", "mov r1, 1"}, []int32{2, 2}},
	} {
		p := isatest.Main(t, params, c.lines...)
		var got []int32
		for _, w := range pack(p, &WordConfig{Packed: true, Divide: 1, Special: 1}) {
			if w.ops > 0 {
				got = append(got, w.ops)
			}
		}
		if !slices.Equal(got, c.words) {
			t.Errorf("%s: words of %v operations, want %v", c.name, got, c.words)
		}
	}
}

// Every instruction of a program belongs to one word, a word has at most one
// operation a unit, only its last may jump, and unpacked every word has one.
func TestWordsCoverPrograms(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		p := drawProgram(r)
		for _, packed := range []bool{true, false} {
			words := pack(p, &WordConfig{Packed: packed, Divide: 3, Special: 2})
			ops := int32(0) // of the word that still follow
			for pc := range p.Code {
				room := roomOf(&p.Code[pc])
				w := &words[pc]
				if room == noRoom {
					if w.ops != 0 {
						r.Fatalf("pc %d: text begins a word\n%s", pc, p.Text())
					}
					continue
				}
				if (ops == 0) != (w.ops > 0) {
					r.Fatalf("pc %d: %d operations of the last word left, and a word of %d begins\n%s", pc, ops, w.ops, p.Text())
				}
				if ops == 0 {
					ops = w.ops
					if ops > 4 || !packed && ops != 1 {
						r.Fatalf("pc %d: a word of %d operations, packed %v", pc, ops, packed)
					}
				}
				ops--
				if ops > 0 && p.Code[pc].Row().Unit == isa.UnitControl {
					r.Fatalf("pc %d: a jump in the middle of a word\n%s", pc, p.Text())
				}
			}
		}
	})
}

// drawProgram draws a small program with nested control flow.
func drawProgram(r *rapid.T) *isa.Program {
	b := isa.NewBuilder("random")
	a := b.Array("a", isa.I64)
	x := []isa.Reg{b.Var(1), b.Var(2), b.Var(3)}
	reg := func() isa.Reg { return x[rapid.IntRange(0, 2).Draw(r, "register")] }
	var block func(depth int, inLoop bool)
	block = func(depth int, inLoop bool) {
		for range rapid.IntRange(1, 5).Draw(r, "statements") {
			kind := rapid.IntRange(0, 9).Draw(r, "kind")
			switch {
			case kind <= 2:
				b.SetAdd(reg(), reg(), reg())
			case kind == 3:
				b.Set(reg(), b.Mul(reg(), 3))
			case kind == 4:
				b.Set(reg(), b.Load(a, b.And(reg(), 15)))
			case kind == 5:
				b.Store(a, b.And(reg(), 15), reg())
			case kind == 6:
				b.FetchAdd(a, b.And(reg(), 15), 1)
			case kind == 7 && depth < 3:
				b.If(b.Lt(reg(), reg()), func() { block(depth+1, inLoop) })
			case kind == 8 && depth < 3:
				b.For(0, 3, 1, func(isa.Reg) { block(depth+1, true) })
			case kind == 9 && inLoop:
				b.If(b.Eq(reg(), 7), func() { b.Continue() })
			default:
				b.Set(reg(), b.Div(reg(), 5))
			}
		}
	}
	block(0, false)
	b.Store(a, isa.ThreadID, reg())
	return b.MustBuild()
}
