package stream

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"heddle/arch/isa"
	"heddle/arch/mem"
	"heddle/sim"
)

// conserves checks that streams' time is issued or stalled, none twice and
// none left out, by lines as in all; that every word was sent once; and that
// what the buffers read the DRAM gave.
func conserves(t rapid.TB, sys *System) {
	t.Helper()
	s := sys.Stats()
	sum := sim.Cycles(s.Words)
	for _, d := range s.Stalls {
		sum += d
	}
	if sum != s.Resident {
		t.Errorf("issued and stalled %d cycles of %d", sum, s.Resident)
	}
	var lines LineStats
	var operations uint64
	for _, k := range sys.Kernels() {
		for pc := range k.Lines {
			l := &k.Lines[pc]
			lines.Words += l.Words
			lines.Memory += l.Memory
			lines.Missed += l.Missed
			operations += l.Issues
			for stall, d := range l.Stalls {
				lines.Stalls[stall] += d
			}
		}
	}
	// An operation that still waits for its word was issued and not executed.
	if lines.Words != s.Words || lines.Stalls != s.Stalls || operations < s.Operations ||
		operations > s.Operations && sys.running.done == sys.running.threads {
		t.Errorf("lines have %d words, %d operations and stalls %v; all have %d, %d and %v",
			lines.Words, operations, lines.Stalls, s.Words, s.Operations, s.Stalls)
	}
	var done uint64
	for _, n := range s.Accesses {
		done += n
	}
	if lines.Memory != done+s.Tries || s.Latency.Count() != lines.Memory {
		t.Errorf("lines sent %d words and %d came back; %d operations and %d failed tries", lines.Memory, s.Latency.Count(), done, s.Tries)
	}
	buffers, caches := sys.Buffers()
	if sent := uint64(sys.sent()); caches.Accesses() == 0 && (sent != lines.Memory || buffers.Accesses() != int64(sent)) {
		t.Errorf("%d words sent, %d at buffers, by lines %d", sent, buffers.Accesses(), lines.Memory)
	}
	if buffers.Hits+buffers.Misses != buffers.Accesses() {
		t.Errorf("%d hits and %d misses of %d accesses", buffers.Hits, buffers.Misses, buffers.Accesses())
	}
	if int64(lines.Missed) != buffers.Misses {
		t.Errorf("lines missed %d times in the buffers, which missed %d times", lines.Missed, buffers.Misses)
	}
	var words uint64
	var modules mem.CacheStats
	for i := range sys.processors {
		words += sys.Processor(i).Words
		modules.Add(sys.Module(i).Buffer)
	}
	if words != s.Words || modules != buffers {
		t.Errorf("processors issued %d words of %d; modules %+v, all %+v", words, s.Words, modules, buffers)
	}
	dram := sys.DRAM()
	if burst := sys.config.Module.DRAM.Burst(); sim.Bytes(dram.Reads)*burst != buffers.Fetched || sim.Bytes(dram.Writes)*burst != buffers.Sent {
		t.Errorf("buffers fetched %d and sent %d bytes, DRAM moved %d and %d", buffers.Fetched, buffers.Sent,
			sim.Bytes(dram.Reads)*burst, sim.Bytes(dram.Writes)*burst)
	}
}

// drawConfig draws a machine.
func drawConfig(r *rapid.T) Config {
	return with(func(c *Config) {
		c.Processors = rapid.IntRange(1, 6).Draw(r, "processors")
		c.Pipeline = sim.Cycles(rapid.IntRange(1, 30).Draw(r, "pipeline"))
		c.Lookahead = rapid.IntRange(1, 8).Draw(r, "lookahead")
		c.Word.Packed = rapid.Bool().Draw(r, "packed")
		c.MemoryUnit.Queue = rapid.IntRange(1, 20).Draw(r, "queue")
		c.Launch = LaunchConfig{
			Streams: rapid.IntRange(1, 12).Draw(r, "streams"),
			Region:  sim.Time(rapid.IntRange(0, 3).Draw(r, "region")) * sim.Microsecond,
			Create:  sim.Cycles(rapid.IntRange(0, 40).Draw(r, "create")),
			Barrier: 5,
		}
		c.Cache.Enabled = rapid.Bool().Draw(r, "cache")
		c.Module.Buffer.Size = 1 << rapid.IntRange(9, 14).Draw(r, "buffer")
		c.Module.WordInterval = sim.Cycles(rapid.IntRange(1, 50).Draw(r, "word"))
	})
}

// drawPrivate draws a program whose threads each have 16 words of their own,
// and which all add to one.
func drawPrivate(r *rapid.T) *isa.Program {
	b := isa.NewBuilder("private")
	a, sum := b.Array("a", isa.I64), b.Array("sum", isa.I64)
	base := b.Mul(isa.ThreadID, 16)
	x := []isa.Reg{b.Var(1), b.Var(2), b.Var(isa.ThreadID)}
	reg := func() isa.Reg { return x[rapid.IntRange(0, 2).Draw(r, "register")] }
	at := func() isa.Reg { return b.Add(base, b.And(reg(), 15)) }
	square := b.Func("square", []isa.Type{isa.I64}, []isa.Type{isa.I64})
	square.Define(func(args []isa.Reg) {
		b.If(b.Lt(args[0], 0), func() { b.Return(b.Load(a, base16(b))) })
		b.Return(b.Mul(args[0], args[0]))
	})
	calls := rapid.Bool().Draw(r, "calls")
	var block func(depth int, inLoop bool)
	block = func(depth int, inLoop bool) {
		for range rapid.IntRange(1, 5).Draw(r, "statements") {
			kind := rapid.IntRange(0, 11).Draw(r, "kind")
			switch {
			case kind <= 2:
				b.SetAdd(reg(), reg(), reg())
			case kind == 3:
				b.Set(reg(), b.Mul(reg(), 3))
			case kind <= 5:
				b.Set(reg(), b.Load(a, at()))
			case kind <= 7:
				b.Store(a, at(), reg())
			case kind == 8 && depth < 3:
				b.IfElse(b.Lt(reg(), reg()), func() { block(depth+1, inLoop) }, func() { block(depth+1, inLoop) })
			case kind == 9 && depth < 3:
				b.For(0, 3, 1, func(isa.Reg) { block(depth+1, true) })
			case kind == 10 && inLoop:
				b.If(b.Eq(b.And(reg(), 7), 7), func() { b.Continue() })
			case kind == 11 && calls:
				b.Set(reg(), b.Call(square, reg())[0])
			default:
				b.Set(reg(), b.Rem(reg(), 1001))
				b.FetchAdd(sum, 0, b.And(reg(), 255))
			}
		}
	}
	block(0, false)
	b.Store(a, base, reg())
	return b.MustBuild()
}

// base16 returns the first word of the thread's own.
func base16(b *isa.Builder) isa.Reg { return b.Mul(isa.ThreadID, 16) }

// Words, instructions executed ahead, streams and processors change the time,
// never the answer: it is the functional machine's, after the same
// instructions. Time is accounted for whole, the same run gives the same
// figures, and executing ahead changes none.
func TestProgramsRunAsWithoutTime(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		c := drawConfig(r)
		p := drawPrivate(r)
		threads := min(rapid.IntRange(1, 40).Draw(r, "threads"), c.Processors*c.Launch.Streams)

		space := mem.NewSpace(1 << 30)
		fill := func(space *mem.Space) (a, sum isa.Array) {
			a, err := space.Alloc("a", isa.I64, 16*threads)
			if err != nil {
				t.Fatal(err)
			}
			if sum, err = space.Alloc("sum", isa.I64, 1); err != nil {
				t.Fatal(err)
			}
			for i, words := 0, space.View(a).([]int64); i < len(words); i++ {
				words[i] = int64(i*i%37 - 9)
			}
			return a, sum
		}
		a, sum := fill(space)
		work, err := isa.RunFunctional(isa.NewLaunch(p, space, 1, threads, threads, isa.Args(a, sum)), 1e7)
		if err != nil {
			r.Fatalf("%v\n%s", err, p.Text())
		}

		var first Stats
		for i, ahead := range []uint8{mostAhead, mostAhead, 0, 1} {
			rig := newRig(t, c)
			rig.sys.runOn = ahead
			b, total := fill(rig.space)
			rig.run(p, threads, b, total)
			if !slices.Equal(rig.ints(b), space.View(a).([]int64)) || rig.ints(total)[0] != space.View(sum).([]int64)[0] {
				r.Fatalf("the answer differs from the functional machine's\n%s", p.Text())
			}
			s := rig.sys.Stats()
			if s.Operations != work.Instructions {
				r.Fatalf("%d operations, %d instructions without time\n%s", s.Operations, work.Instructions, p.Text())
			}
			conserves(r, rig.sys)
			if i == 0 {
				first = s
			} else if !reflect.DeepEqual(s, first) {
				r.Fatalf("executing %d ahead: %+v\nbefore %+v\n%s", ahead, s, first, p.Text())
			}
		}
	})
}

// Every declared metric is set once, and none other.
func TestMetricsAreSet(t *testing.T) {
	for _, cache := range []bool{false, true} {
		r := newRig(t, with(func(c *Config) { c.Processors = 2; c.Cache.Enabled = cache }))
		a := r.alloc("a", 1)
		r.run(lock(2), 30, a)
		v := sim.NewValues(Metrics)
		r.sys.Report(v)
		if err := v.Err(); err != nil {
			t.Error(err)
		}
		if missing := v.Missing(); len(missing) > 0 {
			t.Errorf("not set: %v", missing)
		}
		sum := 0.0
		for value := range v.All() {
			if n := value.Name; n == "issued" || len(n) > 6 && n[:6] == "stall_" {
				sum += value.X
			}
		}
		if sum < 100-1e-9 || sum > 100+1e-9 {
			t.Errorf("issued and stalls add up to %g %%", sum)
		}
	}
}
