package isa

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// words returns the argument for an array at address 0.
func words() Value { return Value{Type: I64, Elem: I64, Array: true} }

// here returns the line of this file that it is called from.
func here() string {
	_, _, line, _ := runtime.Caller(1)
	return fmt.Sprintf("arch/isa/functional_test.go:%d", line)
}

func mustRun(t *testing.T, l *Launch) Work {
	t.Helper()
	w, err := RunFunctional(l, 1<<24)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// Each block sums its threads' numbers as a tree, a barrier a level; a quarter
// of the warps has nothing to add and ends before the others meet.
func TestBarriers(t *testing.T) {
	const block, threads = 64, 256
	b := NewBuilder("tree")
	sums := b.Array("sums", I64)
	b.SharedMemory(8 * block)
	part := b.SharedArray(0, I64)
	idle := b.Ge(BlockThread, block*3/4)
	b.StoreTo(part, BlockThread, b.Select(idle, -1, ThreadID))
	b.Barrier()
	b.If(idle, func() { b.Return() })
	for half := block / 2; half > 0; half /= 2 {
		b.If(b.Lt(BlockThread, half), func() {
			b.StoreTo(part, BlockThread, b.Add(b.LoadFrom(part, BlockThread), b.LoadFrom(part, b.Add(BlockThread, half))))
		})
		b.Barrier()
	}
	b.If(b.Eq(BlockThread, 0), func() { b.Store(sums, Block, b.LoadFrom(part, 0)) })
	p := b.MustBuild()
	for _, width := range []int{1, 4, 16} {
		m := newFlatMemory(8 * threads / block)
		mustRun(t, NewLaunch(p, m, width, threads, block, []Value{words()}))
		for i := range threads / block {
			want := -block / 4
			for j := range block * 3 / 4 {
				want += i*block + j
			}
			if got := int(decode(I64, m.bytes[8*i:])); got != want {
				t.Errorf("width %d, block %d: %d, want %d", width, i, got, want)
			}
		}
	}
}

// chain is a program in which thread i takes word i+1 and leaves word i one
// more; the last thread starts.
func chain() *Program {
	b := NewBuilder("chain")
	word := b.Array("word", I64)
	last := b.Eq(b.Add(ThreadID, 1), ThreadCount)
	b.IfElse(last,
		func() { b.WriteEF(word, ThreadID, 1) },
		func() { b.WriteEF(word, ThreadID, b.Add(b.ReadFE(word, b.Add(ThreadID, 1)), 1)) })
	return b.MustBuild()
}

// Threads that wait for later ones are woken by the words that those write,
// each once: the work is the same as if none had waited.
func TestFullEmptyChain(t *testing.T) {
	const n = 20000
	m := newFlatMemory(8 * n)
	w := mustRun(t, NewLaunch(chain(), m, 1, n, 1, []Value{words()}))
	if got := decode(I64, m.bytes); got != n {
		t.Errorf("word 0 is %d, want %d", got, n)
	}
	// add, eq, if, add, readfe, add, writeef, ret; the last thread: add, eq,
	// if, writeef, else, ret.
	if want := uint64(8*(n-1) + 6); w.Instructions != want || w.LaneInstructions != want {
		t.Errorf("%d instructions, %d by threads; want %d", w.Instructions, w.LaneInstructions, want)
	}
}

// A thread that spins on a word lets the thread run that writes it.
func TestSpinning(t *testing.T) {
	b := NewBuilder("spin")
	flag := b.Array("flag", I64)
	b.If(b.Eq(ThreadID, 0), func() {
		b.Loop(func() { b.BreakIf(b.Load(flag, 0)) })
	})
	b.If(b.Eq(ThreadID, 40), func() { b.Store(flag, 0, 1) })
	mustRun(t, NewLaunch(b.MustBuild(), newFlatMemory(8), 1, 41, 1, []Value{words()}))
}

func TestDeadlock(t *testing.T) {
	b := NewBuilder("stuck")
	word := b.Array("word", I64)
	b.ReadFE(word, ThreadID)
	at := here()
	_, err := RunFunctional(NewLaunch(b.MustBuild(), newFlatMemory(8*12), 4, 12, 4, []Value{words()}), 0)
	var stuck *Stuck
	if !errors.As(err, &stuck) {
		t.Fatalf("%v is not a Stuck", err)
	}
	lines := strings.Split(err.Error(), "\n")
	if want := "deadlock: 12 threads wait for each other"; lines[0] != want {
		t.Errorf("%q, want %q", lines[0], want)
	}
	if len(lines) != 12 || lines[11] != "  and 2 more" {
		t.Errorf("%d lines: %q", len(lines), lines)
	}
	before := strings.Replace(at, at[strings.LastIndexByte(at, ':'):], fmt.Sprintf(":%d", atoi(at)-1), 1)
	want := "  thread 3: readfe.i64 r0, [$word + %tid*8] (" + before + ") waits for 0x18"
	if lines[4] != want {
		t.Errorf("%q, want %q", lines[4], want)
	}
}

func atoi(at string) (n int) {
	fmt.Sscan(at[strings.LastIndexByte(at, ':')+1:], &n)
	return n
}

// Threads at a barrier that another of their block never reaches are named.
func TestDeadlockAtBarrier(t *testing.T) {
	b := NewBuilder("stuck")
	word := b.Array("word", I64)
	b.If(b.Eq(ThreadID, 0), func() { b.ReadFE(word, 0) })
	b.Barrier()
	_, err := RunFunctional(NewLaunch(b.MustBuild(), newFlatMemory(8), 1, 2, 2, []Value{words()}), 0)
	if err == nil || !strings.Contains(err.Error(), "thread 1: bar (") || !strings.Contains(err.Error(), "thread 0: readfe.i64") {
		t.Errorf("error %v", err)
	}
}

func TestInstructionLimit(t *testing.T) {
	b := NewBuilder("long")
	b.For(0, 10, 1, func(Reg) {}) // mov, lt, if, then add, lt, while ten times, ret
	p := b.MustBuild()
	const work = 3 + 3*10 + 1
	if w, err := RunFunctional(NewLaunch(p, nil, 1, 1, 1, nil), work); err != nil || w.Instructions != work {
		t.Errorf("%d instructions, error %v; want %d", w.Instructions, err, work)
	}
	_, err := RunFunctional(NewLaunch(p, nil, 1, 1, 1, nil), work-1)
	if err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("the run does not end within %d instructions: thread 0: ret", work-1)) {
		t.Errorf("error %v", err)
	}
}

func TestTrap(t *testing.T) {
	for _, c := range []struct {
		name string
		body func(b *Builder, a ArrayParam) string
		want string
	}{
		{"bounds", func(b *Builder, a ArrayParam) string { b.Load(a, ThreadID); return here() },
			"%s: thread 4: ld.i64 r0, [$a + %%tid*8]: lane 0: 8 bytes at 0x20: out of bounds"},
		{"divide", func(b *Builder, a ArrayParam) string { b.Div(7, b.Sub(2, ThreadID)); return here() },
			"%s: thread 2: div r0, 7, r0: lane 2: divides by zero"},
		{"recursion", func(b *Builder, a ArrayParam) string {
			f := b.Func("f", nil, nil)
			at := ""
			f.Define(func([]Reg) { b.Call(f); at = here() })
			b.Call(f)
			return at
		}, "%s: thread 0: call f(): lane 0: calls too deep"},
		{"local", func(b *Builder, a ArrayParam) string {
			b.LocalMemory(8)
			b.LoadFrom(b.LocalArray(0, I64), ThreadID)
			return here()
		}, "%s: thread 1: ld.i64.local r0, [0 + %%tid*8]: lane 1: 8 bytes at 0x8: outside the block's shared memory or the thread's local memory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := NewBuilder(c.name)
			at := c.body(b, b.Array("a", I64))
			if c.name == "local" {
				at = strings.Replace(at, fmt.Sprint(atoi(at)), fmt.Sprint(atoi(at)-1), 1)
			}
			_, err := RunFunctional(NewLaunch(b.MustBuild(), newFlatMemory(32), 4, 8, 4, []Value{words()}), 0)
			var f *Fault
			if want := fmt.Sprintf(c.want, at); err == nil || err.Error() != want || !errors.As(err, &f) {
				t.Errorf("error %v\n want %s", err, want)
			}
		})
	}
}
