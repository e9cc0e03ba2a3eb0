package stream

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heddle/arch/isa"
	"heddle/arch/isa/isatest"
	"heddle/sim"
)

// A read of an empty word goes to memory and back, waits and tries again,
// until the write has come: each try takes a word's place on the network and
// no issue cycle. A write just before a try serves it, one just after does not.
func TestRetries(t *testing.T) {
	const first, between = 42, hit + 50 // tries: behind two words; back and waited
	p := isatest.Main(t, "param a i64[]",
		"mov r0, 1", "eq r1, %tid, 0",
		"if r1",
		"readfe.i64 r2, [$a]", "mul r2, r2, 3",
		"else",
		"mul r0, r0, 3", "writeef.i64 [$a], 7", // one word, the third
		"endif")
	for tries := 1; tries <= 20; tries++ {
		for _, late := range []int{-1, +1} {
			write := sim.Cycles(first + tries*between + late)
			r := newRig(t, with(func(c *Config) {
				c.FullEmpty.Limit = 1000
				c.Launch.Create = write - 42 // until thread 1 begins
			}))
			a := r.alloc("a", 8)
			r.warm(a)
			r.run(isatest.Main(t, "param a i64[]", "purge.i64 [$a]"), 1, a)
			before := r.sys.Stats()
			got := r.run(p, 2, a)
			failed, behind := tries, sim.Cycles(9-1) // the word serves the write first
			if late > 0 {
				failed, behind = tries+1, 0
			}
			try := sim.Cycles(first + failed*between)
			wantCycles(t, fmt.Sprintf("write at %d", write), got, try+behind+hit+21+21) // mul, then else and ret
			s := r.sys.Stats()
			if got := int(s.Tries - before.Tries); got != failed {
				t.Errorf("write at %d: %d tries failed, want %d", write, got, failed)
			}
			if got, want := s.Stalls[FullEmptyWait], try-first-21; got != want {
				t.Errorf("write at %d: waited %d cycles for the word, want %d", write, got, want)
			}
			if sent := r.sys.sent(); int(sent) != 1+2+failed {
				t.Errorf("write at %d: %g words sent, want %d", write, sent, 3+failed)
			}
		}
	}
}

// After the limit of tries the thread is parked; the write wakes it, and it
// tries again the trap's time later.
func TestTrap(t *testing.T) {
	r := newRig(t, round())
	a := r.alloc("a", 8)
	r.warm(a)
	r.run(isatest.Main(t, "param a i64[]", "purge.i64 [$a]"), 1, a)
	p := isatest.Main(t, "param a i64[]",
		"mov r0, 1", "eq r1, %tid, 0",
		"if r1",
		"readfe.i64 r2, [$a]", "mul r2, r2, 3",
		"else",
		isatest.Repeat(100, chain), "writeef.i64 [$a], 7",
		"endif")
	got := r.run(p, 2, a)
	write := sim.Cycles(1 + 21*101) // in the last multiply's word
	wantCycles(t, "run", got, write+300+hit+21+21)
	s := r.sys.Stats()
	if s.Tries != 4 || s.Traps != 1 {
		t.Errorf("%d tries failed and %d traps, want 4 and 1", s.Tries, s.Traps)
	}
}

// lock is a program in which every thread adds 1 to a count n times, holding
// its word empty meanwhile.
func lock(n int) *isa.Program {
	b := isa.NewBuilder("lock")
	a := b.Array("a", isa.I64)
	b.For(0, n, 1, func(isa.Reg) {
		b.WriteEF(a, 0, b.Add(b.ReadFE(a, 0), 1))
	})
	return b.MustBuild()
}

// Whatever the timing, a word taken by a read and given back by a write counts
// exactly, and all threads get their turn.
func TestLockCounts(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		processors, threads, n := rapid.IntRange(1, 5).Draw(r, "processors"), rapid.IntRange(1, 60).Draw(r, "threads"), rapid.IntRange(1, 5).Draw(r, "n")
		limit, retry, trap := rapid.IntRange(1, 8).Draw(r, "limit"), rapid.Int64Range(1, 2000).Draw(r, "retry"), rapid.Int64Range(0, 5000).Draw(r, "trap")
		rig := newRig(t, with(func(c *Config) {
			c.Processors = processors
			c.FullEmpty = FullEmptyConfig{Enabled: true, Limit: limit, Retry: sim.Cycles(retry), Trap: sim.Cycles(trap)}
		}))
		a := rig.alloc("a", 1)
		rig.run(lock(n), threads, a)
		if got, want := rig.ints(a)[0], int64(n*min(threads, 100*processors)); got != want {
			r.Fatalf("counted %d, want %d", got, want)
		}
		conserves(r, rig.sys)
	})
}

// Readers that leave the word full all come through after one write.
func TestOneWriteFreesAllReaders(t *testing.T) {
	r := newRig(t, with(func(c *Config) { c.Processors = 3; c.FullEmpty.Limit = 1 }))
	a := r.alloc("a", 1)
	r.run(isatest.Main(t, "param a i64[]", "purge.i64 [$a]"), 1, a)
	r.run(isatest.Main(t, "param a i64[]", "eq r1, %tid, 57", "mov r0, 1", "if r1", isatest.Repeat(200, chain), "writeef.i64 [$a], 7", "else",
		"readff.i64 r0, [$a]", "endif"), 200, a)
	if got := r.sys.Stats().Traps; got != 199 {
		t.Errorf("%d threads were parked, want 199", got)
	}
}

// A deadlock ends the run and says who waits for what, and for whom.
func TestDeadlockIsReported(t *testing.T) {
	r := newRig(t, with(func(c *Config) { c.Processors = 2 }))
	a := r.alloc("lock", 4)
	// Two threads take two locks in opposite order; a third waits for a word
	// that nobody fills; the fourth ends.
	p := isatest.Main(t, "param a i64[]",
		"eq r0, %tid, 3", "if r0", "ret", "endif",
		"eq r0, %tid, 2", "if r0", "purge.i64 [$a + 24]", "readff.i64 r1, [$a + 24]", "endif",
		"readfe.i64 r1, [$a + %tid*8]", "mul r3, %tid, 5", isatest.Repeat(30, "mul r3, r3, 3"),
		"sub r2, 1, %tid", "readfe.i64 r1, [$a + r2*8]")
	_, err := r.try(p, 4, a)
	want := strings.TrimSpace(`
deadlock: 1 of 4 threads ended, and no other can go on
  processor 0, stream 0, thread 0: waits for lock[1] to be full, in test.asm:46: readfe.i64 r1, [$a + r2*8]; thread 1 left it empty in test.asm:13: readfe.i64 r1, [$a + %tid*8]
  processor 1, stream 0, thread 1: waits for lock[0] to be full, in test.asm:46: readfe.i64 r1, [$a + r2*8]; thread 0 left it empty in test.asm:13: readfe.i64 r1, [$a + %tid*8]
  processor 0, stream 1, thread 2: waits for lock[3] to be full, in test.asm:11: readff.i64 r1, [$a + 24]; thread 2 left it empty in test.asm:10: purge.i64 [$a + 24]
cycle of waits: thread 0 waits for lock[1], last changed by thread 1, which waits for lock[0], last changed by thread 0`)
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	conserves(t, r.sys)
}

// A thread that does not come to the barrier because it waits for a word is
// named beside those that wait for it.
func TestDeadlockAtBarrier(t *testing.T) {
	r := newRig(t, round())
	a := r.alloc("a", 1)
	r.run(isatest.Main(t, "param a i64[]", "purge.i64 [$a]"), 1, a)
	p := isatest.Main(t, "param a i64[]", "eq r0, %tid, 0", "if r0", "readff.i64 r1, [$a]", "endif", "bar", "writeef.i64 [$a], 1")
	_, err := r.try(p, 30, a)
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		"deadlock: 0 of 30 threads ended",
		"thread 0: waits for a[0] to be full, in test.asm:6: readff.i64 r1, [$a]; no thread has changed it in this launch",
		"thread 1: waits at the barrier test.asm:8: bar",
		"and 20 more threads",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in\n%v", want, err)
		}
	}
}

// A run that reaches its limit of cycles ends with a report; so does an access
// outside all arrays, at its place.
func TestRunsThatEnd(t *testing.T) {
	forever := isatest.Main(t, "", "mov r0, 1", "loop", "add r0, r0, 1", "while r0")
	r := newRig(t, round())
	r.sys.LimitCycles(10000)
	_, err := r.try(forever, 3)
	if err == nil || !strings.HasPrefix(err.Error(), "reached the limit of 10000 cycles\n  processor 0, stream 0, thread 0: runs test.asm:") {
		t.Errorf("got %v", err)
	}
	conserves(t, r.sys)

	r = newRig(t, round())
	a := r.alloc("a", 3)
	_, err = r.try(isatest.Main(t, "param a i64[]", "mov r0, 3", "ld.i64 r1, [$a + r0*8]"), 1, a)
	if err == nil || !strings.Contains(err.Error(), "test.asm:5") || !strings.Contains(err.Error(), "just past the end of a (len 3)") {
		t.Errorf("got %v", err)
	}

	r = newRig(t, round())
	_, err = r.try(isatest.Main(t, "", "mov r0, 0", "mul r1, %tid, 3", "rem r1, r1, r0"), 1)
	if err == nil || !strings.Contains(err.Error(), "test.asm:6") || !strings.Contains(err.Error(), "divides by zero") {
		t.Errorf("got %v", err)
	}
}
