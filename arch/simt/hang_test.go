package simt

import (
	"fmt"
	"strings"
	"testing"

	"heddle/arch/isa"
	"heddle/arch/isa/isatest"
	"heddle/sim"

	"pgregory.net/rapid"
)

// A run may use its limit of cycles to the last, and not one more.
func TestLimitIsExact(t *testing.T) {
	c := round()
	const n = 1000
	last := sim.Cycles(n)*c.Units.Int.Latency + 1 // when the return issues
	p := isatest.Main(t, "", "mov r0, 1", isatest.Repeat(n, "add r0, r0, 1"))
	for _, at := range []sim.Cycles{last, last - 1} {
		r := newRig(t, c)
		r.gpu.LimitCycles(at)
		_, err := r.try(p, 1, 1)
		if at == last && err != nil {
			t.Errorf("limit %d: %v", at, err)
		}
		if at < last {
			wantError(t, err, fmt.Sprintf("reached the limit of %d cycles", at), "thread 0", "test.asm")
		}
	}
}

// A loop that never ends is ended by the limit even though it makes progress.
func TestLimitEndsRunaway(t *testing.T) {
	r := newRig(t, round())
	a := r.alloc("cell", isa.I64, 64)
	r.gpu.LimitCycles(50_000)
	_, err := r.try(isatest.Main(t, "param cell i64[]", "loop", "st.i64 [$cell + %tid*8], 1", "while 1"), 64, 64, a)
	wantError(t, err, "reached the limit of 50000 cycles", "thread 0: runs test.asm:", "thread 32")
}

// A thread that polls a word that nobody writes is given up after as long as
// the GPU is patient, and not before.
func TestSpinIsGivenUp(t *testing.T) {
	const patience = 100_000
	spin := isatest.Main(t, "param flag i64[]\nparam n i64", "mov r0, $n", "loop", "ld.i64 r1, [$flag]",
		"sub r0, r0, 1", "add r2, r0, r1", "while r2")
	for _, of := range []struct {
		cycles int
		ends   bool
	}{{patience - 2*watchInterval, true}, {patience + 2*watchInterval, false}} {
		r := newRig(t, round())
		r.gpu.patience = patience
		each := r.run(spin, 1, 1, r.alloc("flag", isa.I64, 1), 201) - r.run(spin, 1, 1, r.alloc("flag", isa.I64, 1), 101)
		r = newRig(t, round())
		r.gpu.patience = patience
		_, err := r.try(spin, 1, 1, r.alloc("flag", isa.I64, 1), of.cycles*100/int(each))
		if of.ends && err != nil {
			t.Errorf("a loop of %d cycles: %v", of.cycles, err)
		}
		if !of.ends {
			wantError(t, err, "no progress: in 100000 cycles", "thread 0: runs", "test.asm")
		}
	}
}

// Loops that write now and then are not taken for hangs, however long.
func TestWritingIsProgress(t *testing.T) {
	for _, write := range []string{"st.i64 [$cell], r0", "atom.add.i64 [$cell], 1", "st.i64.shared [0], r0"} {
		r := newRig(t, round())
		r.gpu.patience = 3 * watchInterval
		p := isatest.Main(t, "param cell i64[]\nshared 8", "mov r0, 200", "loop", write, isatest.Repeat(20, "mul r1, r0, r0"),
			"sub r0, r0, 1", "while r0")
		if took := r.run(p, 1, 1, r.alloc("cell", isa.I64, 1)); took < 10*watchInterval {
			t.Errorf("%s: took %d cycles, too short to tell", write, took)
		}
	}
}

// Warps at a barrier, others that will never reach it: the report says where
// each of them stands and what it waits for.
func TestBarrierDeadlock(t *testing.T) {
	r := newRig(t, with(func(c *Config) { c.LoadStore.FullEmpty = true }))
	p := isatest.Main(t, "param word i64[]",
		"purge.i64 [$word + 24]", // line 4
		"lt r0, %btid, 64",
		"if r0",
		"bar", // line 7
		"mov r2, 1",
		"else",
		"readfe.i64 r1, [$word + 24]", // line 10
		"endif")
	_, err := r.try(p, 96, 96, r.alloc("word", isa.I64, 8))
	wantError(t, err, "deadlock: 0 of 1 blocks",
		"thread 0: waits at the barrier before test.asm:8: mov r2, 1",
		"thread 32: waits at the barrier before test.asm:8: mov r2, 1",
		"thread 64: waits for word[3] to be full, in test.asm:10: readfe.i64 r1, [$word + 24]")
}

// Two warps that wait for each other's words, and one that waits for a full
// word to become empty.
func TestFullEmptyDeadlock(t *testing.T) {
	r := newRig(t, with(func(c *Config) { c.LoadStore.FullEmpty = true }))
	word := r.alloc("word", isa.I64, 8)
	p := isatest.Main(t, "param word i64[]",
		"lt r0, %tid, 32", // line 4
		"if r0",
		"purge.i64 [$word]",
		"readfe.i64 r1, [$word]", // line 7
		"writeef.i64 [$word + 8], r1",
		"else",
		"lt r0, %tid, 64",
		"if r0",
		"purge.i64 [$word + 8]",
		"readfe.i64 r1, [$word + 8]", // line 13
		"writeef.i64 [$word], r1",
		"else",
		"writeef.i64 [$word + 16], 5", // line 16
		"endif",
		"endif")
	_, err := r.try(p, 96, 32, word)
	wantError(t, err, "deadlock: 0 of 3 blocks",
		"thread 0: waits for word[0] to be full, in test.asm:7: readfe.i64 r1, [$word]",
		"thread 32: waits for word[1] to be full, in test.asm:13: readfe.i64 r1, [$word + 8]",
		"thread 64: waits for word[2] to be empty, in test.asm:16: writeef.i64 [$word + 16], 5")
}

// The report names the first lane that waits, not the first of the warp.
func TestDeadlockNamesTheLane(t *testing.T) {
	r := newRig(t, with(func(c *Config) { c.LoadStore.FullEmpty = true }))
	p := isatest.Main(t, "param word i64[]", "eq r0, %tid, 5", "if r0", "purge.i64 [$word + %tid*8]", "endif",
		"readff.i64 r1, [$word + %tid*8]")
	_, err := r.try(p, 32, 32, r.alloc("word", isa.I64, 32))
	wantError(t, err, "thread 5: waits for word[5] to be full, in test.asm:8: readff.i64 r1, [$word + %tid*8]")
}

// A report of many warps is short.
func TestReportIsShort(t *testing.T) {
	r := newRig(t, with(func(c *Config) { c.LoadStore.FullEmpty = true }))
	p := isatest.Main(t, "param word i64[]", "purge.i64 [$word]", "readff.i64 r1, [$word]")
	_, err := r.try(p, 1024, 128, r.alloc("word", isa.I64, 1))
	wantError(t, err, "and 22 more warps")
	if n := strings.Count(err.Error(), "\n"); n != 11 {
		t.Errorf("%d lines:\n%v", n+1, err)
	}
}

// An instruction that may not do what it does ends the run and is named, with
// the thread, the source line, and the place in memory.
func TestFaults(t *testing.T) {
	for _, f := range []struct {
		name, params, line string
		want               []string
	}{
		{"out of bounds", "param a i64[]", "ld.i64 r0, [$a + %tid*8]",
			[]string{"thread 70: test.asm:", ": ld.i64 r0, [$a + %tid*8]: ", "out of bounds", "just past the end of a (len 70)"}},
		{"before the beginning", "param a i64[]", "st.i64 [$a - 8], 0",
			[]string{"thread 0: test.asm:", "st.i64 [$a - 8], 0", "out of bounds", "8 bytes before a (len 70)"}},
		{"atomic out of bounds", "param a i64[]", "atom.add.i64 r0, [$a + %tid*8 + 80], 1",
			[]string{"thread 60: test.asm:", "out of bounds", "just past the end of a (len 70)"}},
		{"misaligned", "param a i64[]", "ld.i64 r0, [$a + %tid*8 + 4]",
			[]string{"thread 0: test.asm:", "misaligned", "a[0] byte 4"}},
		{"divide", "param a i64[]", "sub r0, %tid, 33\ndiv r1, 7, r0",
			[]string{"thread 33: test.asm:", ": div r1, 7, r0: divides by zero"}},
		{"remainder", "param a i64[]", "rem r1, 7, %tid",
			[]string{"thread 0: test.asm:", ": rem r1, 7, %tid: divides by zero"}},
		{"never written", "param a i64[]", "ld.i64 r1, [$a + 16]",
			[]string{"thread 0: test.asm:", ": ld.i64 r1, [$a + 16]: ", "never written", "a[2]"}},
		{"shared", "param a i64[]\nshared 128", "st.i64.shared [8 + %tid*8], 1",
			[]string{"thread 15: test.asm:", ": st.i64.shared [8 + %tid*8], 1: ", "8 bytes at 0x80: outside the block's shared memory"}},
		{"null", "param a i64[]", "ld.i64 r1, [0]",
			[]string{"thread 0: test.asm:", "out of bounds", "a null pointer"}},
	} {
		t.Run(f.name, func(t *testing.T) {
			r := newRig(t, round())
			if f.name == "never written" {
				r.space.EnableMemcheck()
			}
			r.alloc("first", isa.I64, 1)
			_, err := r.try(isatest.Main(t, f.params, f.line), 96, 32, r.alloc("a", isa.I64, 70))
			wantError(t, err, f.want...)
			if err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("more than a line: %v", err)
			}
		})
	}
}

// Writing what the host only lent is a fault too.
func TestFaultReadOnly(t *testing.T) {
	r := newRig(t, round())
	a, err := r.space.Adopt("xadj", []int64{1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.try(isatest.Main(t, "param xadj i64[]", "st.i64 [$xadj + 8], 0"), 1, 1, a)
	wantError(t, err, "thread 0: test.asm:", "writes read-only memory", "xadj[1]")
}

// Endless recursion ends with the instruction that called too deep.
func TestFaultRecursion(t *testing.T) {
	p, err := isa.Parse("test.asm", "program test\nfunc main()\ncall f()\nret\nfunc f()\ncall f()\nret\n")
	if err != nil {
		t.Fatal(err)
	}
	_, err = newRig(t, round()).try(p, 1, 1)
	wantError(t, err, "thread 0: test.asm:6: call f(): calls too deep")
}

// What a GPU lacks is refused before the run.
func TestRefusals(t *testing.T) {
	r := newRig(t, round())
	word := r.alloc("word", isa.I64, 1)
	_, err := r.try(isatest.Main(t, "param word i64[]", "readff.i64 r0, [$word]"), 32, 32, word)
	wantError(t, err, "test.asm:4", "readff.i64 r0, [$word]", "full/empty", "load_store.full_empty")
	_, err = r.try(isatest.Main(t, "", "mov r64, 1"), 32, 32)
	wantError(t, err, "needs 65 registers", "64", "occupancy.registers_per_thread")
	_, err = r.try(isatest.Main(t, "", "mov r0, 1"), 2048, 2048)
	wantError(t, err, "blocks of 2048 threads", "1024", "occupancy.block_threads")
	_, err = r.try(isatest.Main(t, "shared 49153", "mov r0, 1"), 32, 32)
	wantError(t, err, "does not fit", "occupancy.shared")
	_, err = r.try(isatest.Main(t, "", "mov r63, 1"), 1024, 1024)
	wantError(t, err, "does not fit", "occupancy.registers")
	_, err = r.try(isatest.Main(t, "param word i64[]", "mov r0, 1"), 32, 32)
	wantError(t, err, "takes 1 arguments, 0 given")
	if r.at != 0 || r.gpu.Stats().Launches != 0 {
		t.Errorf("a refused launch was counted")
	}
}

// Stop ends a run with the caller's error.
func TestStop(t *testing.T) {
	r := newRig(t, round())
	r.gpu.Stop(fmt.Errorf("interrupted"))
	_, err := r.try(isatest.Main(t, "", "loop", "mov r0, 1", "while r0"), 1, 1)
	wantError(t, err, "interrupted")
}

func wantError(t rapid.TB, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want one with %q", parts)
		return
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error lacks %q:\n%v", p, err)
		}
	}
}
