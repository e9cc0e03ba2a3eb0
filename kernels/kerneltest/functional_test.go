package kerneltest

import (
	"slices"
	"strings"
	"testing"

	"heddle/arch/isa"
)

// ticketProgram lets every item take a ticket from tail.
func ticketProgram() *isa.Program {
	b := isa.NewBuilder("ticket")
	order := b.Array("order", isa.I32)
	tail := b.Array("tail", isa.I32)
	n := b.Int("n")
	b.ParallelFor(n, func(i isa.Reg) {
		b.Store(order, b.FetchAdd(tail, 0, 1), i)
	})
	return b.MustBuild()
}

func tickets(t *testing.T, n int, cfg Config) ([]int32, *Functional) {
	t.Helper()
	m := NewFunctional(cfg)
	order, err := m.Alloc("order", isa.I32, n)
	if err != nil {
		t.Fatal(err)
	}
	tail, err := m.Alloc("tail", isa.I32, 1)
	if err != nil {
		t.Fatal(err)
	}
	m.Start()
	if err := m.Write(tail, 0, 0); err != nil {
		t.Fatal(err)
	}
	if err := m.Launch(ticketProgram(), n, isa.Args(order, tail, n)...); err != nil {
		t.Fatal(err)
	}
	if got, err := m.Read(tail, 0); err != nil || got != int64(n) {
		t.Fatalf("tail is %d, %v; want %d", got, err, n)
	}
	m.Finish()
	return m.View(order).([]int32), m
}

func TestSeedsDecideTheOrder(t *testing.T) {
	const n = 100
	orders := map[string]bool{}
	for seed := range uint64(20) {
		cfg := Config{Width: 4, Seed: seed}
		order, m := tickets(t, n, cfg)
		again, _ := tickets(t, n, cfg)
		if !slices.Equal(order, again) {
			t.Fatalf("seed %d: orders %v and %v", seed, order, again)
		}
		var key strings.Builder
		for _, i := range order {
			key.WriteByte(byte(i))
		}
		orders[key.String()] = true
		slices.Sort(order)
		for i, v := range order {
			if v != int32(i) {
				t.Fatalf("seed %d: item %d is missing", seed, i)
			}
		}
		want := Count{Stores: n}
		if got := m.Count("order"); got != want {
			t.Errorf("order: %+v, want %+v", got, want)
		}
		want = Count{Atomics: n}
		if got := m.Count("tail"); got != want {
			t.Errorf("tail: %+v, want %+v", got, want)
		}
	}
	if len(orders) < 15 {
		t.Errorf("20 seeds give only %d orders", len(orders))
	}
}

// Fewer threads than items, and one warp at a time: the order is the cyclic
// one of ParallelFor.
func TestHardwareThreads(t *testing.T) {
	order, _ := tickets(t, 7, Config{Width: 3, Threads: 3})
	if want := []int32{0, 1, 2, 3, 4, 5, 6}; !slices.Equal(order, want) {
		t.Errorf("order %v, want %v", order, want)
	}
}

// Each thread of a block reads what its neighbor wrote before the barrier.
func TestBarrier(t *testing.T) {
	b := isa.NewBuilder("rotate")
	out := b.Array("out", isa.I64)
	shared := b.SharedArray(0, isa.I64)
	b.SharedMemory(12 * 8)
	b.StoreTo(shared, isa.BlockThread, isa.ThreadID)
	b.Barrier()
	b.Store(out, isa.ThreadID, b.LoadFrom(shared, b.Rem(b.Add(isa.BlockThread, 1), isa.BlockSize)))
	p := b.MustBuild()
	for seed := range uint64(30) {
		m := NewFunctional(Config{Width: 4, Block: 12, Resident: 6, Seed: seed})
		a, err := m.Alloc("out", isa.I64, 48)
		if err != nil {
			t.Fatal(err)
		}
		m.Start()
		if err := m.Launch(p, 48, a.Value()); err != nil {
			t.Fatal(err)
		}
		for i, v := range m.View(a).([]int64) {
			if want := int64(i/12*12 + (i+1)%12); v != want {
				t.Fatalf("seed %d: out[%d] = %d, want %d", seed, i, v, want)
			}
		}
	}
}

// One word passed from thread to thread by full/empty bits; without the first
// writer everybody waits. Warps are of one lane: lanes in lockstep would wait
// for the one that has the word.
func TestFullEmpty(t *testing.T) {
	b := isa.NewBuilder("relay")
	word := b.Array("word", isa.I64)
	first := b.Int("first")
	b.If(b.Eq(isa.ThreadID, first), func() { b.WriteEF(word, 0, 1) })
	b.WriteEF(word, 0, b.Add(b.ReadFE(word, 0), 1))
	p := b.MustBuild()
	for seed := range uint64(30) {
		for _, first := range []int{0, -1} {
			m := NewFunctional(Config{Width: 1, Seed: seed, FullEmpty: true})
			a, err := m.Alloc("word", isa.I64, 1)
			if err != nil {
				t.Fatal(err)
			}
			m.Start()
			if err := m.Launch(purgeProgram(), 1, a.Value()); err != nil {
				t.Fatal(err)
			}
			err = m.Launch(p, 20, isa.Args(a, first)...)
			if first == -1 {
				if err == nil || !strings.Contains(err.Error(), "deadlock") || !strings.Contains(err.Error(), "functional_test.go") {
					t.Fatalf("seed %d: error %v, want a deadlock and its line", seed, err)
				}
				continue
			}
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if got := m.View(a).([]int64)[0]; got != 21 {
				t.Fatalf("seed %d: word is %d, want 21", seed, got)
			}
			if want := (Count{Stores: 1, FullEmpty: 41}); m.Count("word") != want {
				t.Errorf("seed %d: %+v, want %+v", seed, m.Count("word"), want)
			}
		}
	}
}

func purgeProgram() *isa.Program {
	b := isa.NewBuilder("purge")
	word := b.Array("word", isa.I64)
	b.Purge(word, 0)
	return b.MustBuild()
}

func TestErrors(t *testing.T) {
	m := NewFunctional(Config{Width: 2})
	order, _ := m.Alloc("order", isa.I32, 4)
	tail, _ := m.Alloc("tail", isa.I32, 1)
	weight, _ := m.Alloc("weight", isa.F64, 1)
	launch := func(n int) error {
		return m.Launch(ticketProgram(), n, isa.Args(order, tail, n)...)
	}
	expect := func(err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	expect(launch(4), "Start")
	m.Start()
	expect(launch(4), "never written")
	_, err := m.Read(tail, 0)
	expect(err, "never written")
	expect(m.Write(weight, 0, 1), "integers")
	expect(m.Write(tail, 1, 0), "host writes tail[1]")
	if err := m.Write(tail, 0, 0); err != nil {
		t.Fatal(err)
	}
	expect(launch(0), "0 items")
	expect(m.Launch(ticketProgram(), 1), "arguments")
	expect(launch(5), "order")
	m.Finish()
	expect(launch(1), "Finish")
}

func TestFromEdges(t *testing.T) {
	g := FromEdges(4, []Edge{{2, 0, 5}, {0, 1, 7}, {1, 1, 9}, {1, 0, 8}})
	if want := []int64{0, 2, 3, 4, 4}; !slices.Equal(g.XAdj, want) {
		t.Errorf("XAdj %v, want %v", g.XAdj, want)
	}
	if want := []int32{1, 2, 0, 0}; !slices.Equal(g.Adj, want) {
		t.Errorf("Adj %v, want %v", g.Adj, want)
	}
	if want := []float64{7, 5, 7, 5}; !slices.Equal(g.Weight, want) {
		t.Errorf("Weight %v, want %v", g.Weight, want)
	}
}
