package isa

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Schedule says how ParallelFor spreads a loop's iterations over the threads.
// The zero Schedule is cyclic.
type Schedule struct {
	Kind ScheduleKind
	// Chunk is the iterations that a thread takes at a time, of a guided
	// schedule the fewest; 0 is what the kind says.
	Chunk int
}

// ScheduleKind is the rule of a Schedule.
type ScheduleKind uint8

// Kinds of schedule, for T threads and n iterations. OpenMP's names and rules
// are those of its API's "Worksharing-Loop Construct", the Cray XMT's those of
// its Programming Environment User's Guide, S-2479-20, "Compiler Directives".
const (
	// Cyclic gives thread t the iterations t, t+T, and so on: OpenMP's
	// static,1, the XMT's interleave, and the grid of a CUDA kernel.
	Cyclic ScheduleKind = iota
	// Static gives each thread one run of n/T iterations, to within one; with a
	// chunk, every T-th chunk: OpenMP's static, the XMT's block.
	Static
	// Dynamic lets threads take chunks, of one iteration unless given, from a
	// shared counter: OpenMP's and the XMT's dynamic.
	Dynamic
	// Guided lets threads take a T-th of the iterations that are left, rounded
	// up, and at least a chunk: OpenMP's guided.
	Guided
	// BlockDynamic lets threads take blocks from a shared counter: the XMT's
	// block dynamic. The guide leaves their size to the compiler; unless given
	// it is n/(8T) here, so that a thread takes about eight, but at least 1,
	// and at least 16 of a body without a loop or a call.
	BlockDynamic
	numSchedules
)

// blocksPerThread is how many blocks a thread takes of a block dynamic
// schedule whose chunk is not given, if all take as many.
const blocksPerThread = 8

// leastBlock is the fewest iterations in such a block, of a body without a loop
// or a call: with fewer, threads would wait for the counter rather than work.
// Cray's compiler reports 11 to 64 for bodies of one to ten instructions, and
// none for one with loops inside (its report on Graph500's xmt-csr.c, 2010).
const leastBlock = 16

var scheduleNames = [numSchedules]string{"cyclic", "static", "dynamic", "guided", "block-dynamic"}

func (k ScheduleKind) String() string {
	if k >= numSchedules {
		return fmt.Sprintf("schedule %d", uint8(k))
	}
	return scheduleNames[k]
}

// String returns the schedule as ParseSchedule reads it.
func (s Schedule) String() string {
	if s.Chunk == 0 {
		return s.Kind.String()
	}
	return fmt.Sprintf("%s,%d", s.Kind, s.Chunk)
}

// Counted reports whether threads take their chunks from a shared counter.
func (s Schedule) Counted() bool {
	return s.Kind == Dynamic || s.Kind == Guided || s.Kind == BlockDynamic
}

// ParseSchedule reads "kind" or, for all but cyclic, "kind,chunk".
func ParseSchedule(text string) (Schedule, error) {
	name, chunk, chunked := strings.Cut(text, ",")
	for k, known := range scheduleNames {
		if name != known {
			continue
		}
		s := Schedule{Kind: ScheduleKind(k)}
		if !chunked {
			return s, nil
		}
		if s.Kind == Cyclic {
			return Schedule{}, fmt.Errorf("schedule %q: cyclic takes no chunk; static,%s does", text, chunk)
		}
		n, err := strconv.Atoi(chunk)
		if err != nil || n < 1 || n > math.MaxInt32 {
			return Schedule{}, fmt.Errorf("schedule %q: the chunk is a number from 1 to %d", text, math.MaxInt32)
		}
		s.Chunk = n
		return s, nil
	}
	return Schedule{}, fmt.Errorf("unknown schedule %q: one of %s; all but cyclic may name a chunk, as in dynamic,64",
		text, strings.Join(scheduleNames[:], ", "))
}

// loops is how a builder writes parallel loops.
type loops struct {
	schedule Schedule
	counter  ArrayParam // of the iterations handed out
	written  bool       // the loop that the counter is for
}

// Schedule makes the program's parallel loop follow s. If s.Counted() it
// declares an array parameter, "schedule", of one I64 that is 0 at launch, and
// the program may hold one parallel loop, which each thread enters once.
func (b *Builder) Schedule(s Schedule) {
	b.loops = loops{schedule: s}
	if s.Counted() {
		b.loops.counter = b.Array("schedule", I64)
	}
}

// spread runs body for every i from 0 to n-1, as worker's part of what workers
// do together.
func (b *Builder) spread(worker, workers, n Operand, body func(i Reg)) {
	s := b.loops.schedule
	if s.Counted() {
		if b.loops.written {
			b.fail("a second parallel loop: the counter of schedule %s serves one", s)
		}
		b.loops.written = true
	}
	switch s.Kind {
	case Cyclic:
		b.For(worker, n, workers, body)
	case Static:
		b.spreadStatic(worker, workers, n, body)
	case Dynamic:
		b.spreadDynamic(max(1, s.Chunk), n, body)
	case Guided:
		b.spreadGuided(workers, n, body)
	case BlockDynamic:
		if s.Chunk > 0 {
			b.spreadDynamic(s.Chunk, n, body)
			return
		}
		b.spreadBlocks(workers, n, body)
	}
}

func (b *Builder) spreadStatic(worker, workers, n Operand, body func(i Reg)) {
	if chunk := b.loops.schedule.Chunk; chunk > 0 {
		b.For(b.Mul(worker, chunk), n, b.Mul(workers, chunk), func(lo Reg) {
			b.For(lo, b.Min(b.Add(lo, chunk), n), 1, body)
		})
		return
	}
	// The first n mod T workers do one more than the others.
	share := b.Div(n, workers)
	rest := b.Sub(n, b.Mul(share, workers))
	lo := b.Add(b.Mul(worker, share), b.Min(worker, rest))
	hi := b.Add(b.Add(lo, share), b.Lt(worker, rest))
	b.For(lo, hi, 1, body)
}

func (b *Builder) spreadDynamic(chunk, n Operand, body func(i Reg)) {
	lo := b.newReg(I64)
	take := func() Reg {
		b.Set(lo, b.FetchAdd(b.loops.counter, 0, chunk))
		return b.Lt(lo, n)
	}
	b.While(take, func() {
		if chunk == Operand(1) {
			body(lo)
			return
		}
		b.For(lo, b.Min(b.Add(lo, chunk), n), 1, body)
	})
}

// spreadBlocks is spreadDynamic with the chunk that the kind BlockDynamic says.
// What the least is hangs on the body, which is written behind it.
func (b *Builder) spreadBlocks(workers, n Operand, body func(i Reg)) {
	size := b.Max(b.Div(n, b.Mul(workers, blocksPerThread)), 1)
	greater := len(b.f.code) - 1 // of n/(8T) and 1
	b.spreadDynamic(size, n, func(i Reg) {
		at := len(b.f.code)
		body(i)
		if !slices.ContainsFunc(b.f.code[at:], func(in Inst) bool { return in.Op == OpLoop || in.Op == OpCall }) {
			b.f.code[greater].B = b.reg(leastBlock, I64)
		}
	})
}

// spreadGuided takes a chunk by compare-and-swap while its size hangs on the
// counter, and then, at the fewest iterations, by an addition that cannot fail:
// of many threads that swap at once, all but one must try again.
func (b *Builder) spreadGuided(workers, n Operand, body func(i Reg)) {
	fewest := max(1, b.loops.schedule.Chunk)
	hi := b.Var(0)
	b.Loop(func() {
		lo := b.Load(b.loops.counter, 0)
		b.Loop(func() {
			left := b.Sub(n, lo)
			b.BreakUnless(b.Gt(left, 0))
			share := b.Div(b.Add(left, b.Sub(workers, 1)), workers)
			b.If(b.Le(share, fewest), func() {
				b.Set(lo, b.FetchAdd(b.loops.counter, 0, fewest))
				b.Set(hi, b.Min(b.Add(lo, fewest), n))
				b.Break()
			})
			b.Set(hi, b.Add(lo, share))
			seen := b.CompareSwap(b.loops.counter, 0, lo, hi)
			b.BreakIf(b.Eq(seen, lo))
			b.Set(lo, seen)
		})
		b.BreakUnless(b.Lt(lo, n))
		b.For(lo, hi, 1, body)
	})
}
