package simt

import (
	"testing"

	"heddle/arch/isa"
	"heddle/arch/isa/isatest"
	"heddle/sim"

	"pgregory.net/rapid"
)

func fullEmpty(change func(*Config)) Config {
	return with(func(c *Config) {
		c.LoadStore.FullEmpty = true
		if change != nil {
			change(c)
		}
	})
}

// handOff writes a program in which the first half of the threads hand n
// values each to a partner in the second half through a word that the two
// share; the others add them up.
func handOff(pairs, n int) *isa.Program {
	b := isa.NewBuilder("hand off")
	word, sum := b.Array("word", isa.I64), b.Array("sum", isa.I64)
	b.IfElse(b.Lt(isa.ThreadID, pairs), func() {
		b.For(0, n, 1, func(i isa.Reg) { b.WriteEF(word, isa.ThreadID, b.Add(b.Mul(i, pairs), isa.ThreadID)) })
	}, func() {
		me := b.Sub(isa.ThreadID, pairs)
		total := b.Var(0)
		b.For(0, n, 1, func(isa.Reg) { b.SetAdd(total, b.Mul(total, 3), b.ReadFE(word, me)) })
		b.Store(sum, me, total)
	})
	return b.MustBuild()
}

// Values arrive once each, in order, over any number of warps and SMs.
func TestHandOff(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pick := func(label string, from, to int) int { return rapid.IntRange(from, to).Draw(t, label) }
		block := 32 * pick("warps a block", 1, 3)
		pairs := block * pick("blocks", 1, 3) // no warp both writes and reads
		n := pick("values", 0, 12)
		r := newRig(t, fullEmpty(func(c *Config) {
			c.SMs, c.Scheduler.Count = pick("SMs", 1, 3), 1<<pick("schedulers", 0, 1)
			c.Scheduler.Policy = rapid.SampledFrom([]string{"lrr", "gto"}).Draw(t, "policy")
			c.LoadStore.FullEmptyRetry = sim.Cycles(pick("retry", 1, 300))
			c.LoadStore.Queue = pick("queue", 1, 8)
		}))
		word, sum := r.alloc("word", isa.I64, pairs), r.alloc("sum", isa.I64, pairs)
		r.run(isatest.Main(t, "param word i64[]", "purge.i64 [$word + %tid*8]"), pairs, block, word)
		r.run(handOff(pairs, n), 2*pairs, block, word, sum)
		for me, got := range r.ints(sum) {
			want := int64(0)
			for i := range n {
				want = 3*want + int64(i*pairs+me)
			}
			if got != want {
				t.Fatalf("pair %d: %d, want %d", me, got, want)
			}
			if addr := word.Base + uint64(8*me); r.space.Full(addr) {
				t.Fatalf("word %d is left full", me)
			}
		}
		if r.gpu.Stats().Retries > 0 && n == 0 {
			t.Errorf("retries without anything to wait for")
		}
		if len(r.gpu.waiting) != 0 {
			t.Errorf("%d words still have warps that wait", len(r.gpu.waiting))
		}
		checkConservation(t, r)
	})
}

// A counter under a full/empty lock: all threads take the word, one at a time.
func TestFullEmptyLock(t *testing.T) {
	const threads = 200
	r := newRig(t, fullEmpty(func(c *Config) { c.SMs = 2 }))
	word := r.alloc("word", isa.I64, 1)
	seen := r.alloc("seen", isa.I64, threads)
	// One thread of a warp at a time is in the section: the others of its
	// warp cannot pass it, for a warp's lanes go on together.
	b := isa.NewBuilder("lock")
	w, s, n := b.Array("word", isa.I64), b.Array("seen", isa.I64), b.Int("n")
	b.For(0, isa.Width, 1, func(i isa.Reg) {
		b.If(b.And(b.Eq(i, isa.Lane), b.Lt(isa.ThreadID, n)), func() {
			v := b.ReadFE(w, 0)
			b.Store(s, v, b.Add(isa.ThreadID, 1))
			b.WriteEF(w, 0, b.Add(v, 1))
		})
	})
	r.run(b.MustBuild(), threads, 64, word, seen, threads)
	if got := r.ints(word)[0]; got != threads {
		t.Errorf("counted to %d, want %d", got, threads)
	}
	who := map[int64]bool{}
	for i, v := range r.ints(seen) {
		if v == 0 || who[v] {
			t.Fatalf("turn %d went to thread %d, again or to none", i, v-1)
		}
		who[v] = true
	}
	if r.gpu.Stats().Retries == 0 {
		t.Errorf("200 threads never waited for each other")
	}
}

// A warp that waits tries again a retry after the word has changed, and each
// try is counted.
func TestRetryTime(t *testing.T) {
	for _, retry := range []sim.Cycles{10, 100, 1000} {
		c := fullEmpty(func(c *Config) { c.LoadStore.FullEmptyRetry = retry })
		r := newRig(t, c)
		word, out := r.alloc("word", isa.I64, 1), r.alloc("out", isa.I64, 2)
		p := isatest.Main(t, "param word i64[]\nparam out i64[]",
			"purge.i64 [$word]",
			"lt r0, %tid, 32",
			"if r0",
			"readff.i64 r1, [$word]", // waits from the beginning
			"clock r2",               // does not wait for the value
			"st.i64 [$out + 8], r2",
			"else",
			"mov r1, 5",
			isatest.Repeat(300, "mul r1, r1, r1"),
			"clock r2",
			"eq r3, %lane, 0",
			"if r3",
			"writeef.i64 [$word], r1",
			"endif",
			"st.i64 [$out], r2",
			"endif")
		r.run(p, 64, 64, word, out)
		wrote := r.ints(out)[0] + 1 + int64(c.Units.Compare.Latency) + int64(c.Units.Control.Latency)
		if got, want := r.ints(out)[1], wrote+int64(retry)+1; got != want {
			t.Errorf("retry %d: written at %d, the reader went on at %d, want %d", retry, wrote, got-1, want-1)
		}
		if got := r.gpu.Stats().Retries; got != 1 {
			t.Errorf("retry %d: %d retries, want 1", retry, got)
		}
		if got := r.metrics()["full_empty_retries"]; got != 1 {
			t.Errorf("retry %d: metric %v, want 1", retry, got)
		}
	}
}

// Time at a full/empty word is charged to the instruction that waits.
func TestFullEmptyStall(t *testing.T) {
	r := newRig(t, fullEmpty(nil))
	word := r.alloc("word", isa.I64, 1)
	p := isatest.Main(t, "param word i64[]", "purge.i64 [$word]", "lt r0, %tid, 32", "if r0", "readff.i64 r1, [$word]",
		"else", "mov r1, 5", isatest.Repeat(300, "mul r1, r1, r1"), "eq r3, %lane, 0", "if r3", "writeef.i64 [$word], r1", "endif", "endif")
	r.run(p, 64, 64, word)
	s := r.gpu.Stats()
	for pc, l := range r.gpu.Kernels()[0].Lines {
		want := sim.Time(0)
		if p.Code[pc].Op == isa.OpReadFF {
			want = s.Stalls[FullEmptyWait]
		}
		if l.Stalls[FullEmptyWait] != want {
			t.Errorf("%s: %d cycles of full/empty stalls, want %d", p.Disassemble(int32(pc)), l.Stalls[FullEmptyWait]/sim.Nanosecond, want/sim.Nanosecond)
		}
	}
	if cycles := s.Stalls[FullEmptyWait] / sim.Nanosecond; cycles < 300*13 {
		t.Errorf("%d cycles of full/empty stalls, want over %d", cycles, 300*13)
	}
}

// Some lanes of a warp may have their word while others wait; those that have
// it are not served twice.
func TestLanesWaitApart(t *testing.T) {
	r := newRig(t, fullEmpty(nil))
	word, out := r.alloc("word", isa.I64, 32), r.alloc("out", isa.I64, 32)
	for i := range r.ints(word) {
		r.ints(word)[i] = int64(100 + i)
	}
	p := isatest.Main(t, "param word i64[]\nparam out i64[]",
		"and r0, %tid, 32",
		"if r0", // the second warp empties the odd words and fills them one by one
		"and r1, %lane, 1",
		"if r1", "purge.i64 [$word + %lane*8]", "endif",
		"bar",
		"mov r2, 1",
		"loop",
		"eq r3, r2, %lane", "if r3", "writeef.i64 [$word + %lane*8], %tid", "endif",
		isatest.Repeat(20, "mul r4, r2, r2"),
		"add r2, r2, 2", "lt r3, r2, 32",
		"while r3",
		"else",
		"bar",
		"readfe.i64 r1, [$word + %lane*8]",
		"st.i64 [$out + %lane*8], r1",
		"endif")
	r.run(p, 64, 64, word, out)
	for i, got := range r.ints(out) {
		want := int64(100 + i)
		if i%2 == 1 {
			want = int64(32 + i)
		}
		if got != want {
			t.Errorf("lane %d read %d, want %d", i, got, want)
		}
		if r.space.Full(word.Base + uint64(8*i)) {
			t.Errorf("word %d is left full", i)
		}
	}
	if got := r.gpu.Stats().Retries; got < 2 || got > 16 {
		t.Errorf("%d retries, want at most one for each word that was filled", got)
	}
}

// A warp that tries again and again for one of two words is listed once for
// the other.
func TestWaitersAreListedOnce(t *testing.T) {
	r := newRig(t, fullEmpty(nil))
	word := r.alloc("word", isa.I64, 2)
	p := isatest.Main(t, "param word i64[]",
		"and r0, %lane, 1",
		"purge.i64 [$word + r0*8]",
		"lt r1, %tid, 2",
		"if r1",
		"readff.i64 r2, [$word + r0*8]",
		"else",
		isatest.Repeat(20, isatest.Repeat(30, "mul r2, r0, r0")+"\npurge.i64 [$word]"),
		"endif")
	_, err := r.try(p, 64, 64, word)
	wantError(t, err, "deadlock", "word[0]")
	if n := r.gpu.Stats().Retries; n < 10 {
		t.Fatalf("%d retries, too few to tell", n)
	}
	for i := range 2 {
		if n := len(r.gpu.waiting[word.Base+uint64(8*i)]); n != 1 {
			t.Errorf("word %d: %d entries of one warp", i, n)
		}
	}
}
