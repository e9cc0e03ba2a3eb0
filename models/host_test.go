package models

import (
	"errors"
	"strings"
	"testing"
	"time"

	"heddle/arch/isa"
	"heddle/sim"
)

// storeID returns a program that writes each thread's number to out.
func storeID() *isa.Program {
	b := isa.NewBuilder("store-id")
	out := b.Array("out", isa.I64)
	b.Store(out, isa.ThreadID, isa.ThreadID)
	return b.MustBuild()
}

// endless returns a program whose threads never end, and write to word.
func endless() *isa.Program {
	b := isa.NewBuilder("endless")
	word := b.Array("word", isa.I64)
	b.Loop(func() {
		b.Store(word, 0, 1)
		b.BreakIf(b.Var(0))
	})
	return b.MustBuild()
}

// take returns v, and ends the test if there is an error.
func take[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// TestHostTimeline follows a host program step by step.
func TestHostTimeline(t *testing.T) {
	const (
		copyLatency = 10 * sim.Microsecond
		launch      = 100 * sim.Nanosecond
	)
	over := func(n sim.Bytes) sim.Time { return copyLatency + sim.Bandwidth(2e9).TimeFor(n) }
	m := build(t, "tesla-c2050", "host.launch=100 ns", "host.pcie.latency=10 us", "host.pcie.bandwidth=2 GB/s")
	host := func(step string, want sim.Time) {
		t.Helper()
		if m.now != want {
			t.Errorf("%s: the host is at %v fs, want %v fs", step, m.now, want)
		}
	}

	// Each array is a copy of its own; what is allocated is not copied.
	take[isa.Array](t)(m.Adopt("a", make([]int32, 1000)))
	take[isa.Array](t)(m.Adopt("b", make([]float64, 500)))
	take[isa.Array](t)(m.Adopt("empty", []uint8{}))
	out := take[isa.Array](t)(m.Alloc("out", isa.I64, 1024))
	upload := over(4000) + over(4000) + over(0)
	host("set-up", upload)

	m.Start()
	if !m.Started() {
		t.Error("not started")
	}
	p := storeID()
	if err := m.Launch(p, 1000, out.Value()); err != nil {
		t.Fatal(err)
	}
	host("a launch does not wait", upload+launch)
	first := m.Launches[0]
	if first.Start != launch || first.End <= first.Start || m.busy != upload+first.End {
		t.Errorf("%+v, device busy until %v", first, m.busy)
	}

	// The second begins when the first has ended, which takes longer than the
	// host's call.
	if first.End-first.Start < 2*launch {
		t.Fatalf("the launch takes %v fs", first.End-first.Start)
	}
	for range 8 {
		if err := m.Launch(p, 1000, out.Value()); err != nil {
			t.Fatal(err)
		}
	}
	host("nine launches", upload+9*launch)
	for i, l := range m.Launches {
		begin := sim.Time(i+1) * launch
		if i > 0 {
			begin = max(begin, m.Launches[i-1].End)
		}
		if l.Start != begin || l.Items != 1000 || l.Program != "store-id" {
			t.Errorf("launch %d: %+v, begins at %v", i, l, begin)
		}
		if l.Instructions == 0 || l.ThreadInstructions != 32*l.Instructions {
			t.Errorf("launch %d: %d instructions, %d of threads", i, l.Instructions, l.ThreadInstructions)
		}
	}

	// A read waits for the device and copies one element.
	busy := m.busy
	if v := take[int64](t)(m.Read(out, 77)); v != 77 {
		t.Errorf("out[77] = %d", v)
	}
	host("read", max(upload+9*launch, busy)+over(8))
	if m.busy != m.now {
		t.Error("the device is busy while the host reads")
	}
	if _, err := m.Read(out, 1024); err == nil || !strings.Contains(err.Error(), "element 1024 of out") {
		t.Errorf("past the end: %v", err)
	}
	at := m.now

	// A write is a command like a launch.
	if err := m.Write(out, 77, -5); err != nil {
		t.Fatal(err)
	}
	host("write", at+launch)
	if v := take[int64](t)(m.Read(out, 77)); v != -5 {
		t.Errorf("out[77] = %d", v)
	}
	at += launch + over(8)
	host("read again", at)
	m.Note("queue", 12)
	if n := m.Launches[8].Notes; len(n) != 1 || n[0] != (Note{"queue", 12}) {
		t.Errorf("notes %v", n)
	}

	m.Finish()
	r := m.Report()
	if r.Upload != upload || r.Elapsed != at-upload || r.Download != 0 || !r.Timed || r.Cycles != m.clock.Cycle(at-upload) {
		t.Errorf("upload %v, elapsed %v, download %v, %d cycles; want %v, %v", r.Upload, r.Elapsed, r.Download, r.Cycles, upload, at-upload)
	}
	if v := m.View(out).([]int64); v[77] != -5 || v[999] != 999 {
		t.Error("a wrong view")
	}
	if r := m.Report(); r.Download != over(8*1024) || r.Elapsed != at-upload {
		t.Errorf("download %v, want %v; elapsed %v", r.Download, over(8*1024), r.Elapsed)
	}
}

func TestHostRefuses(t *testing.T) {
	for _, name := range []string{"tesla-c2050", "functional"} {
		m := build(t, name)
		ints := take[isa.Array](t)(m.Alloc("ints", isa.I32, 4))
		floats := take[isa.Array](t)(m.Alloc("floats", isa.F64, 4))
		fixed := take[isa.Array](t)(m.Adopt("fixed", []int64{1}))
		m.Start()
		if err := m.Launch(storeID(), 0, ints.Value()); err == nil || err.Error() != "launch of store-id over 0 items" {
			t.Errorf("%s: %v", name, err)
		}
		if err := m.Launch(storeID(), 4); err == nil || !strings.Contains(err.Error(), "store-id takes 1 arguments, 0 given") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := m.Read(floats, 0); err == nil {
			t.Errorf("%s: a float read as an integer", name)
		}
		if _, err := m.Read(ints, -1); err == nil {
			t.Errorf("%s: element -1", name)
		}
		if err := m.Write(fixed, 0, 2); err == nil || !strings.Contains(err.Error(), "fixed") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCapacity takes the last byte that fits and the first that does not.
func TestCapacity(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		name  string
		set   []string
		bytes int
	}{
		{"tesla-c2050", []string{"memory.capacity=1 MiB"}, mib},
		{"tesla-c2050-ecc", []string{"memory.capacity=1 MiB"}, mib / 8 * 7},
		{"tesla-c2050", []string{"memory.capacity=1 MiB", "dram.ecc.enabled=on", "memory.ecc_capacity=0.5"}, mib / 2},
		{"functional", []string{"memory.capacity=1 MiB"}, mib},
	} {
		m := build(t, c.name, c.set...)
		take[isa.Array](t)(m.Alloc("most", isa.I8, c.bytes-1))
		take[isa.Array](t)(m.Alloc("last", isa.I8, 1))
		_, err := m.Alloc("more", isa.I8, 1)
		if err == nil || !strings.Contains(err.Error(), "array more") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s %v: %v", c.name, c.set, err)
		}
		if _, err := m.Adopt("more", []uint8{1}); err == nil {
			t.Errorf("%s %v: adopted more than fits", c.name, c.set)
		}
	}
}

// TestStop ends runs that would not end.
func TestStop(t *testing.T) {
	for _, name := range []string{"tesla-c2050", "functional"} {
		m := build(t, name)
		word := take[isa.Array](t)(m.Alloc("word", isa.I64, 1))
		enough := errors.New("enough")
		stopped := make(chan Progress)
		go func() {
			deadline := time.Now().Add(20 * time.Second)
			for m.Progress().Instructions == 0 && time.Now().Before(deadline) {
				time.Sleep(time.Millisecond)
			}
			m.Stop(enough)
			stopped <- m.Progress()
		}()
		m.Start()
		err := m.Launch(endless(), 1, word.Value())
		p := <-stopped
		if err != enough {
			t.Errorf("%s: %v", name, err)
		}
		if p.Instructions == 0 || p.Launches != 1 {
			t.Errorf("%s: %+v", name, p)
		}
		if err := m.Launch(storeID(), 1, word.Value()); err != enough {
			t.Errorf("%s: launched after a stop: %v", name, err)
		}
	}
}

func TestLimit(t *testing.T) {
	for _, name := range []string{"tesla-c2050", "functional"} {
		for _, limit := range []sim.Cycles{100_000, 1 << 62} {
			m, err := Build(builtin(t, name), Options{MaxCycles: limit})
			if err != nil {
				t.Fatal(err)
			}
			word := take[isa.Array](t)(m.Alloc("word", isa.I64, 1))
			m.Start()
			p := storeID()
			if limit == 100_000 {
				p = endless()
			}
			err = m.Launch(p, 1, word.Value())
			if limit == 100_000 && (err == nil || !strings.Contains(err.Error(), "100000")) {
				t.Errorf("%s: %v", name, err)
			}
			if limit > 100_000 && err == nil {
				t.Errorf("%s: the second thread's store past the end was not seen", name)
			}
		}
	}
}

// TestFunctionalLimitIsOfTheRun counts over launches.
func TestFunctionalLimitIsOfTheRun(t *testing.T) {
	b := isa.NewBuilder("empty")
	p := b.MustBuild() // one instruction, ret
	for limit, want := range map[sim.Cycles]int{7: 0, 8: 1, 15: 1, 16: 2} {
		m, err := Build(builtin(t, "functional", "block_size=256"), Options{MaxCycles: limit})
		if err != nil {
			t.Fatal(err)
		}
		done := 0
		for m.Launch(p, 256) == nil && done < 2 { // 8 warps
			done++
		}
		if done != want {
			t.Errorf("%d launches of 8 instructions within %d, want %d", done, limit, want)
		}
	}
}
