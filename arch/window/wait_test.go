package window

import (
	"strings"
	"testing"

	"heddle/arch/isa"
	"heddle/arch/isa/isatest"
	"heddle/sim"
)

func TestBarrier(t *testing.T) {
	// Thread i arrives after i divides. The barrier is complete when the last
	// of four is retired, its own latency and the release later.
	p := isatest.Main(t, "param n i64", "mov r2, 1", "mov r0, %tid", "if r0", "loop", "div r2, r2, 3", "sub r0, r0, 1", "while r0", "endif", "bar", "mov r1, 1")
	r := newRig(t, with(func(c *Config) { c.Threads, c.Core.Branch.Mispredict = 4, 2 }))
	got := r.run(p, 1)
	// Of thread 3: the divides end in 2+60 at the latest, the barrier is issued
	// then, and everything dispatched 8+30 cycles later.
	if low, high := sim.Cycles(61+8+30+2), sim.Cycles(64+8+30+2); got < low || got > high {
		t.Errorf("%d cycles, want %d to %d", got, low, high)
	}
	// Each waits from its own arrival on.
	if s := r.machine.Stats(); s.Cycles[Sync] < 4*38+20+40+60-12 || s.Cycles[Sync] > 4*38+20+40+60+12 {
		t.Errorf("%d cycles at the barrier", s.Cycles[Sync])
	}
	// Those that have ended are not waited for.
	p = isatest.Main(t, "", "if %tid", "bar", "endif")
	r = newRig(t, with(func(c *Config) { c.Threads = 3 }))
	r.run(p)
}

func fullEmpty(threads int) Config {
	return with(func(c *Config) { c.Threads, c.Core.LoadStore.FullEmpty = threads, true })
}

// A thread that waits for a word retries when it has changed.
func TestFullEmpty(t *testing.T) {
	r := newRig(t, fullEmpty(2))
	a, out := r.alloc("a", isa.I64, 1), r.alloc("out", isa.I64, 1)
	r.warm(a)
	r.warm(out)
	r.run(isatest.Main(t, "param a i64[]", "purge.i64 [$a]"), a)
	p := isatest.Main(t, "param a i64[]\nparam out i64[]",
		"if %tid", "readfe.i64 r0, [$a]", "st.i64 [$out], r0",
		"else", "mov r1, 900", isatest.Repeat(5, "div r1, r1, 1"), "writeef.i64 [$a], r1", "endif")
	got := r.run(p, a, out)
	if r.ints(out)[0] != 900 {
		t.Errorf("read %d, want 900", r.ints(out)[0])
	}
	s := r.machine.Stats()
	if s.Retries != 1 {
		t.Errorf("%d retries, want 1", s.Retries)
	}
	// The word is written in about 122, a mispredicted branch and five divides
	// after the start. The retry 50 cycles later takes an atomic's time.
	if got < 122+50+20 || got > 122+50+20+20 {
		t.Errorf("%d cycles", got)
	}
	if s.Cycles[Sync] < 100 {
		t.Errorf("%d cycles of waiting for the bit", s.Cycles[Sync])
	}
	if _, err := newRig(t, round()).try(p, a, out); err == nil || !strings.Contains(err.Error(), "needs full/empty bits") {
		t.Errorf("without the bits: %v", err)
	}
}

func TestEndings(t *testing.T) {
	wantError := func(what string, err error, parts ...string) {
		t.Helper()
		for _, part := range parts {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%s: error %v lacks %q", what, err, part)
			}
		}
	}
	r := newRig(t, fullEmpty(2))
	a := r.alloc("words", isa.I64, 4)
	_, err := r.try(isatest.Main(t, "param a i64[]", "purge.i64 [$a + 8]", "readff.i64 r0, [$a + 8]"), a)
	wantError("deadlock", err, "deadlock: 0 of 2 threads ended", "core 0, thread 0: waits for words[1] to be full, in test.asm:", "thread 1")

	r = newRig(t, round())
	r.machine.LimitCycles(100_000)
	_, err = r.try(isatest.Main(t, "", "loop", "mov r0, 1", "break.z r0", "endloop"))
	wantError("endless loop", err, "reached the limit of 100000 cycles", "core 0, thread 0: runs test.asm:")

	r = newRig(t, round())
	r.machine.patience = 50_000
	_, err = r.try(isatest.Main(t, "param a i64[]", "loop", "ld.i64 r0, [$a]", "break.nz r0", "endloop"), r.alloc("a", isa.I64, 1))
	wantError("spinning", err, "no progress: in 50000 cycles no thread has written memory or ended")

	r = newRig(t, round())
	_, err = r.try(isatest.Main(t, "param a i64[]", "ld.i64 r0, [$a + 8000]"), r.alloc("a", isa.I64, 1))
	wantError("fault", err, "thread 0: test.asm:4: ld.i64 r0, [$a + 8000]", "7992 bytes past the end of a")
	for _, line := range []string{"st.i64 [$a - 8], 1", "atom.add.i64 r0, [$a + 3], 1", "div r0, 1, 0", "ld.i64.shared r0, [0]"} {
		r = newRig(t, round())
		_, err = r.try(isatest.Main(t, "param a i64[]", line), r.alloc("a", isa.I64, 1))
		wantError(line, err, "thread 0: test.asm:4: ")
	}
}

// A run gives the same times whenever it is made, and when a machine has run
// before.
func TestDeterminism(t *testing.T) {
	p := isatest.Main(t, "param a i64[]", "mov r0, 100", "loop", "atom.add.i64 r1, [$a], 1", "rem r2, r1, 17",
		"ld.i64 r3, [$a + r2*64]", "st.i64 [$a + r2*64 + 8], r0", "sub r0, r0, 1", "while r0")
	var first sim.Cycles
	for i := range 3 {
		r := newRig(t, with(func(c *Config) { c.Threads, c.Core.SMT = 8, 2 }))
		got := r.run(p, r.alloc("a", isa.I64, 17*8))
		if i > 0 && got != first {
			t.Errorf("%d cycles, and %d", first, got)
		}
		first = got
	}
}
