package hostbench

import (
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"heddle/arch/isa"
)

// Bandwidth is measured a word a line, as it is lines that move: in order, as
// prefetchers like it, and at random.

// threadCounts are 1, 2, 4 and so on, and all.
func threadCounts(f Facts) []int {
	var counts []int
	for n := 1; n < len(f.CPUs); n *= 2 {
		counts = append(counts, n)
	}
	return append(counts, len(f.CPUs))
}

// traffic is a kind of access to a working set of each thread.
type traffic struct {
	name, meaning string
	bytes         func(f Facts) int // of all threads
	random        bool
	native        func(words []int64, from, n, step int) (to int, sum int64)
	program       *isa.Program
	threads       func(f Facts) []int
}

func oneThread(Facts) []int { return []int{1} }

// half returns half a level's cache.
func half(level int) func(f Facts) int {
	return func(f Facts) int {
		c, _ := f.Cache(level)
		return c.Bytes / 2 / f.Line * f.Line
	}
}

var traffics = []traffic{
	{"stream/l2", "lines read in order from the second-level cache", half(2), false, readLines, readProgram, oneThread},
	{"stream/read", "lines read in order from memory", farOf, false, readLines, readProgram, threadCounts},
	{"stream/write", "lines written in order to memory", farOf, false, writeLines, writeProgram, threadCounts},
	{"random/read", "lines read at random from memory, independently", farOf, true, readRandom, randomProgram, threadCounts},
	{"random/atomic", "lines read at random from memory, with a fetch-and-add to another word after each", farOf, true, readRandomAdding, randomAddingProgram, oneThread},
}

func farOf(f Facts) int { return f.far() }

func bandwidthCases(f Facts) []Case {
	var all []Case
	for _, t := range traffics {
		bytes := t.bytes(f)
		if bytes == 0 {
			continue
		}
		for _, threads := range t.threads(f) {
			all = append(all, Case{
				Name:     t.name + "/" + strconv.Itoa(threads),
				Meaning:  fmt.Sprintf("%s, threads: %d", t.meaning, threads),
				Unit:     gigabytes,
				prepare:  func(h *host) (stage, error) { return h.move(&t, bytes, threads) },
				simulate: func(s *simulator) float64 { return s.move(&t, bytes, threads) },
			})
		}
	}
	return all
}

// chunk is what a thread moves in a turn, lines.
const chunk = 4096

func (h *host) move(t *traffic, bytes, threads int) (stage, error) {
	r, err := h.memory(false)
	if err != nil {
		return stage{}, err
	}
	h.of = nil
	step := h.facts.Line / 8
	each := bytes / 8 / threads / step * step
	places := make([]struct {
		at  int // where the thread goes on
		sum int64
		_   [6]int64
	}, threads)
	for thread := range places {
		places[thread].at = thread
	}
	turn := func(thread, n int) {
		p := &places[thread]
		at, sum := t.native(r.words[thread*each:(thread+1)*each], p.at, n*chunk, step)
		p.at, p.sum = at, p.sum+sum
	}
	for thread := range threads {
		turn(thread, (each/step+chunk-1)/chunk)
	}
	figure := func(ns float64) float64 { return float64(threads*chunk*h.facts.Line) / ns }
	return stage{
		run:    func(n int) time.Duration { return h.together(threads, func(thread int) { turn(thread, n) }) },
		figure: figure,
	}, nil
}

// together runs work on so many hardware threads, the caller's the first, and
// returns the time from when all are there until the last is done.
func (h *host) together(threads int, work func(thread int)) time.Duration {
	if threads == 1 {
		began := time.Now()
		work(0)
		return time.Since(began)
	}
	var there, done sync.WaitGroup
	there.Add(threads - 1)
	begin := make(chan struct{})
	for thread := 1; thread < threads; thread++ {
		done.Go(func() {
			release := pin(h.facts.CPUs[thread])
			defer release()
			there.Done()
			<-begin
			work(thread)
		})
	}
	there.Wait()
	began := time.Now()
	close(begin)
	work(0)
	done.Wait()
	return time.Since(began)
}

//go:noinline
func readLines(words []int64, from, n, step int) (to int, sum int64) {
	i := from
	for range n {
		if i >= len(words) {
			i = 0
		}
		sum += words[i]
		i += step
	}
	return i, sum
}

//go:noinline
func writeLines(words []int64, from, n, step int) (to int, sum int64) {
	i := from
	for range n {
		if i >= len(words) {
			i = 0
		}
		words[i] = int64(i)
		i += step
	}
	return i, 0
}

// Constants of a linear congruential generator modulo 2^64, and by how much its
// state is shifted to give a place (Knuth, MMIX).
const (
	lcgMul   = 6364136223846793005
	lcgAdd   = 1442695040888963407
	lcgShift = 33
)

//go:noinline
func readRandom(words []int64, from, n, _ int) (to int, sum int64) {
	state := uint64(from)
	words = words[:floor2(len(words))] // of which no index is out of bounds
	if len(words) == 0 {
		return from, 0
	}
	for range n {
		state = state*lcgMul + lcgAdd
		sum += words[state>>lcgShift&uint64(len(words)-1)]
	}
	return int(state), sum
}

//go:noinline
func readRandomAdding(words []int64, from, n, _ int) (to int, sum int64) {
	state := uint64(from)
	words = words[:floor2(len(words))]
	if len(words) == 0 {
		return from, 0
	}
	var word [16]atomic.Int64
	for range n {
		state = state*lcgMul + lcgAdd
		sum += words[state>>lcgShift&uint64(len(words)-1)]
		word[8].Add(1)
	}
	return int(state), sum
}

// floor2 returns the greatest power of two up to n.
func floor2(n int) int {
	p := 1
	for 2*p <= n {
		p *= 2
	}
	return p
}

// move simulates a traffic: every thread makes so many accesses to its part.
func (s *simulator) move(t *traffic, bytes, threads int) float64 {
	const accesses = 6000
	step := s.facts.Line / 8
	m := s.machine(threads)
	far := bytes == s.facts.far()
	first := 2 * bytes / s.facts.Line // times over what stays in a cache
	if far {                          // nothing of it is in a cache, so it need not be large
		first = 1
		if t.program == writeProgram { // until caches are full of what must be written back
			first = s.cached() / s.facts.Line
		}
		if !t.random { // else it is, for the pages that it spans
			bytes = 2 * threads * (first + 4*accesses) * s.facts.Line
		}
	}
	each := floor2(bytes / 8 / threads)
	if far && !t.random {
		each *= 2
	}
	data, out := m.alloc("data", each*threads), m.alloc("out", 64*threads)
	if t.random {
		m.touchPages(data, each)
	}
	m.run(t.program, data, out, each, step, 0, first)
	short := m.run(t.program, data, out, each, step, first*step%each, accesses)
	long := m.run(t.program, data, out, each, step, (first+accesses)*step%each, 3*accesses)
	return float64(2*accesses*threads*s.facts.Line) / (long - short)
}

// trafficProgram returns a program in which each thread makes n accesses to its
// words of data.
func trafficProgram(name string, access func(b *isa.Builder, data, out isa.ArrayParam, at, sum isa.Reg), random bool) *isa.Program {
	b := isa.NewBuilder(name)
	data, out := b.Array("data", isa.I64), b.Array("out", isa.I64)
	each, step, from, n := b.Int("each"), b.Int("step"), b.Int("from"), b.Int("n")
	base := b.Mul(isa.ThreadID, each)
	sum := b.Var(0)
	if random {
		state := b.Var(b.Add(n, isa.ThreadID))
		mask := b.Sub(each, 1)
		b.For(0, n, 1, func(isa.Reg) {
			b.SetAdd(state, b.Mul(state, lcgMul), lcgAdd)
			access(b, data, out, b.Add(base, b.And(b.Shr(state, lcgShift), mask)), sum)
		})
	} else {
		// Round and round, as far as n goes.
		at, end := b.Var(b.Add(base, from)), b.Add(base, each)
		b.For(0, n, 1, func(isa.Reg) {
			b.If(b.Ge(at, end), func() { b.Set(at, base) })
			access(b, data, out, at, sum)
			b.SetAdd(at, at, step)
		})
	}
	b.Store(out, b.Mul(isa.ThreadID, 64), sum)
	return b.MustBuild()
}

func addWord(b *isa.Builder, data, _ isa.ArrayParam, at, sum isa.Reg) {
	b.SetAdd(sum, sum, b.Load(data, at))
}

func addWordAtomically(b *isa.Builder, data, out isa.ArrayParam, at, sum isa.Reg) {
	b.SetAdd(sum, sum, b.Load(data, at))
	b.FetchAdd(out, 8, 1)
}

func storeWord(b *isa.Builder, data, _ isa.ArrayParam, at, _ isa.Reg) { b.Store(data, at, at) }

var (
	readProgram   = trafficProgram("read-lines", addWord, false)
	writeProgram  = trafficProgram("write-lines", storeWord, false)
	randomProgram = trafficProgram("read-random", addWord, true)

	randomAddingProgram = trafficProgram("read-random-adding", addWordAtomically, true)
)
