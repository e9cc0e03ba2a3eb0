package hostbench

import (
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"heddle/arch/isa"
)

// sharingCases measure what threads share: a word that all add to, and lines
// that one has and another wants.
func sharingCases(f Facts) []Case {
	var all []Case
	for _, threads := range threadCounts(f) {
		all = append(all, Case{
			Name: "atomic/" + strconv.Itoa(threads), Meaning: fmt.Sprintf("fetch-and-add on one word, threads: %d", threads), Unit: nanoseconds,
			prepare: func(h *host) (stage, error) {
				word := new([16]atomic.Int64) // in a line of its own
				return stage{
					run: func(n int) time.Duration {
						return h.together(threads, func(int) {
							for range n {
								word[8].Add(1)
							}
						})
					},
					figure: func(ns float64) float64 { return ns / float64(threads) },
				}, nil
			},
			simulate: func(s *simulator) float64 {
				m := s.machine(threads)
				return m.perOperation(addProgram, 400, threads, m.alloc("word", 16))
			},
		})
	}
	if len(f.CPUs) < 2 || f.Cores < 2 {
		return all
	}
	all = append(all, handoverCase)
	for _, kind := range []struct {
		name, meaning string
		touch         func(words []int64, at, n, step int) int64
		program       *isa.Program
	}{
		{"transfer/clean", "dependent load of a line that another core has read", touchRead, touchProgram("clean", false)},
		{"transfer/dirty", "dependent load of a line that another core has written", touchWrite, touchProgram("dirty", true)},
	} {
		all = append(all, Case{
			Name: kind.name, Meaning: kind.meaning, Unit: nanoseconds,
			prepare: func(h *host) (stage, error) { return h.transfer(kind.touch) },
			simulate: func(s *simulator) float64 {
				step := transferStep(s.facts)
				m := s.machine(2, "placement=scatter")
				const windows = 6 // of each length, and one before
				data, out := m.alloc("data", (2*windows+2)*transferLines*step), m.alloc("out", 64)
				next := order(transferLines)
				for w := range 2*windows + 1 {
					for i, to := range next {
						m.write(data, (w*transferLines+i)*step, int64(to)*int64(step))
					}
				}
				took := [2]float64{}
				for w := range 2*windows + 1 {
					short := w % 2 // the others are longer by as much again
					from := w * transferLines * step
					m.run(kind.program, data, out, from, transferLines, step, s.facts.Page/16)
					ns := m.run(followProgram, data, out, from, transferLines/(1+short))
					if w > 0 {
						took[short] += ns
					}
				}
				return (took[0] - took[1]) / (windows * transferLines / 2)
			},
		})
	}
	return all
}

var addProgram = func() *isa.Program {
	b := isa.NewBuilder("add")
	word, n := b.Array("word", isa.I64), b.Int("n")
	b.For(0, n, 1, func(isa.Reg) { b.FetchAdd(word, 8, 1) })
	return b.MustBuild()
}()

// handoverWork is how many operations in registers, one after the other, lie
// between two additions in memory: more than a hand-over takes, so that two threads take
// turns. In atomic, a core adds several times while it has the line.
const handoverWork = 400

// handoverCase is what an addition costs to a word that another core has added
// to.
var handoverCase = Case{
	Name: "handover/2", Unit: nanoseconds,
	Meaning: fmt.Sprintf("fetch-and-add on one word by two cores in turn, and %d operations between", handoverWork),
	prepare: func(h *host) (stage, error) {
		word := new([16]atomic.Int64) // in a line of its own
		return stage{run: func(n int) time.Duration {
			return h.together(2, func(int) { addAndWork(&word[8], n, 7, 3) })
		}}, nil
	},
	simulate: func(s *simulator) float64 {
		m := s.machine(2, "placement=scatter")
		return m.perOperation(addAndWorkProgram, 200, 1, m.alloc("word", 16), m.alloc("out", 64))
	},
}

//go:noinline
func addAndWork(word *atomic.Int64, n int, y, z int64) {
	x := int64(3)
	for range n {
		x |= word.Add(1)
		for range handoverWork / 4 {
			x = (x ^ z) + y
			x = (x ^ z) + y
		}
	}
	if x == 0 {
		word.Store(0) // x is used
	}
}

var addAndWorkProgram = func() *isa.Program {
	b := isa.NewBuilder("add-and-work")
	word, out, n := b.Array("word", isa.I64), b.Array("out", isa.I64), b.Int("n")
	x := b.Var(3)
	b.For(0, n, 1, func(isa.Reg) {
		b.Set(x, b.Or(x, b.FetchAdd(word, 8, 1)))
		b.For(0, handoverWork/4, 1, func(isa.Reg) {
			addXor(b, x)
			addXor(b, x)
		})
	})
	b.Store(out, b.Mul(isa.ThreadID, 32), x)
	return b.MustBuild()
}()

// transferLines is how many lines one core touches before another reads them:
// they fit in the first-level cache.
const transferLines = 256

// transferStep returns the words from one of these lines to the next. Each is in
// another page, for caches fetch lines beside those that are asked for.
func transferStep(f Facts) int { return (f.Page + f.Line) / 8 }

// transfer has another thread touch a window of lines that no cache holds, and
// then follows the ring through them. An operation is a window.
func (h *host) transfer(touch func(words []int64, at, n, step int) int64) (stage, error) {
	r, err := h.memory(false)
	if err != nil {
		return stage{}, err
	}
	step := transferStep(h.facts)
	window := transferLines * step
	windows := min(len(r.words), h.facts.far()/8)/window - 1
	next := order(transferLines)
	for w := range windows {
		words := r.words[w*window:]
		for i, to := range next {
			words[i*step] = int64(to) * int64(step)
		}
	}
	h.of = nil
	at := 0
	return stage{
		run: func(n int) time.Duration {
			first := at
			at = (at + n) % windows
			return h.pass(r.words, windows, window, first, n, step, touch)
		},
		figure: func(ns float64) float64 { return ns / transferLines },
	}, nil
}

// pass times the reading of n of the windows from first on, each after another
// thread has touched it. The reader has read elsewhere in the pages before, so
// that it knows where they are.
func (h *host) pass(words []int64, windows, window, first, n, step int, touch func(words []int64, at, n, step int) int64) (took time.Duration) {
	var touched, read [16]atomic.Int64 // windows so far, each in a line of its own
	h.together(2, func(thread int) {
		var sum int64
		for i := range n {
			w := words[(first+i)%windows*window:]
			if thread == 1 {
				for read[8].Load() < int64(i) {
				}
				sum += touch(w, 0, transferLines, step)
				touched[8].Store(int64(i + 1))
				continue
			}
			sum += touchRead(w, h.facts.Page/16, transferLines, step)
			for touched[8].Load() <= int64(i) {
			}
			began := time.Now()
			sum += follow(w, 0, transferLines)
			took += time.Since(began)
			read[8].Store(int64(i + 1))
		}
		if sum == 1 {
			read[9].Store(sum) // sum is used
		}
	})
	return took
}

//go:noinline
func touchRead(words []int64, at, n, step int) (sum int64) {
	for range n {
		sum += words[at]
		at += step
	}
	return sum
}

//go:noinline
func touchWrite(words []int64, at, n, step int) int64 {
	for range n {
		words[at+1] = int64(n)
		at += step
	}
	return 0
}

// touchProgram returns a program in which thread 1 touches so many lines from a
// place on, and thread 0 reads elsewhere in their pages.
func touchProgram(name string, write bool) *isa.Program {
	b := isa.NewBuilder("touch-" + name)
	data, out := b.Array("data", isa.I64), b.Array("out", isa.I64)
	from, lines, step, beside := b.Int("from"), b.Int("lines"), b.Int("step"), b.Int("beside")
	sum := b.Var(0)
	read := func(at isa.Reg) { b.SetAdd(sum, sum, b.Load(data, at)) }
	each := func(first isa.Reg, touch func(at isa.Reg)) {
		at := b.Var(first)
		b.For(0, lines, 1, func(isa.Reg) {
			touch(at)
			b.SetAdd(at, at, step)
		})
	}
	b.IfElse(b.Eq(isa.ThreadID, 0), func() { each(b.Add(from, beside), read) }, func() {
		if write {
			each(from, func(at isa.Reg) { b.Store(data, b.Add(at, 1), lines) })
		} else {
			each(from, read)
		}
	})
	b.Store(out, b.Mul(isa.ThreadID, 32), sum)
	return b.MustBuild()
}

// followProgram has thread 0 follow a ring from a place on for n steps, four at
// a time.
var followProgram = func() *isa.Program {
	b := isa.NewBuilder("follow")
	data, out := b.Array("data", isa.I64), b.Array("out", isa.I64)
	from, n := b.Int("from"), b.Int("n")
	b.If(b.Eq(isa.ThreadID, 0), func() {
		at := b.Var(0)
		b.For(0, n, 4, func(isa.Reg) {
			next := at
			for range 4 {
				next = b.Load(data, b.Add(from, next))
			}
			b.Set(at, next)
		})
		b.Store(out, 0, at)
	})
	return b.MustBuild()
}()
