package hostbench

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	"heddle/arch/isa"
)

// A pointer chase follows a ring through every line of a working set, in an
// order that no prefetcher guesses, each load waiting for the one before. The
// first places in the ring of a smaller working set are those of a larger one,
// so that all lie in one region.

// order is the ring's order of n places: from[i] is the place after i.
func order(n int) []int32 {
	next := make([]int32, n)
	for i := range next {
		next[i] = int32(i)
	}
	random := rand.New(rand.NewPCG(1, uint64(n)))
	for i := n - 1; i > 0; i-- { // Sattolo's algorithm: a permutation of one cycle
		j := random.IntN(i)
		next[i], next[j] = next[j], next[i]
	}
	return next
}

// lay writes a ring of n places, step words apart, into words; each holds the
// index of the next.
func lay(words []int64, n, step int) {
	for i, next := range order(n) {
		words[i*step] = int64(next) * int64(step)
	}
}

// Where misses alone are of interest, and not what translation adds, chases go
// through every other line, as some caches fetch pairs, of blocks of so many
// pages, one block after the other. They are more pages than a prefetcher keeps
// in mind (32 on Intel's, Optimization Reference Manual, "Data prefetch to the
// L2"): within fewer, some of a lone chase's lines are there before it.
const blockPages = 64

// layBlocks writes such a ring through all of words.
func layBlocks(words []int64, page, line int) {
	step, block := line/8, blockPages*page/8
	n := block / (2 * step)
	next := order(n)
	last := 0
	for next[last] != 0 {
		last = int(next[last])
	}
	for base := 0; base < len(words); base += block {
		for i, to := range next {
			words[base+i*2*step] = int64(base + int(to)*2*step)
		}
		words[base+last*2*step] = int64((base + block) % len(words))
	}
}

// sizesOf returns the working sets of chases: three or four to a doubling
// around what caches hold, and fewer beyond.
func sizesOf(f Facts) []int {
	var sizes []int
	far := f.far()
	for n := 4 << 10; n < far; n *= 2 {
		sizes = append(sizes, n, n+n/2)
	}
	return append(sizes, far)
}

// leastBase is the least working set that is chased on base pages too: below,
// the pages make no difference.
const leastBase = 64 << 10

func chaseCases(f Facts) []Case {
	var all []Case
	for _, pages := range []string{"huge", "base"} {
		for _, size := range sizesOf(f) {
			if pages == "base" && size < leastBase {
				continue
			}
			simulate := func(s *simulator) float64 { return s.chase(size) }
			if pages == "huge" { // whether they help depends on the system, not on the processor
				simulate = nil
			}
			all = append(all, Case{
				Name:     "chase/" + pages + "/" + kib(size),
				Meaning:  fmt.Sprintf("dependent load, %s in random order, %s pages", sizeText(size), pages),
				Unit:     nanoseconds,
				prepare:  func(h *host) (stage, error) { return h.chase(size, pages == "huge") },
				simulate: simulate,
			})
		}
	}
	return all
}

// chainCounts are the numbers of independent chases.
var chainCounts = []int{1, 2, 4, 6, 8, 10, 12, 16, 24}

func chainCases(f Facts) []Case {
	var all []Case
	for _, n := range chainCounts {
		all = append(all, Case{
			Name:     "chains/" + strconv.Itoa(n),
			Meaning:  fmt.Sprintf("load of one of %d independent chases through memory, page after page", n),
			Unit:     nanoseconds,
			prepare:  func(h *host) (stage, error) { return h.chains(n) },
			simulate: func(s *simulator) float64 { return s.chains(n) },
		})
	}
	return all
}

// laid returns a region that begins with a ring through size bytes.
func (h *host) laid(size int, huge bool) (*region, error) {
	r, err := h.memory(huge)
	if err == nil && (h.of != r || h.ring != size) {
		lay(r.words, size/h.facts.Line, h.facts.Line/8)
		h.of, h.ring = r, size
	}
	return r, err
}

func (h *host) chase(size int, huge bool) (stage, error) {
	r, err := h.laid(size, huge)
	if err != nil {
		return stage{}, err
	}
	ring := r.words[:size/8]
	at := follow(ring, 0, size/h.facts.Line) // all round, so that it is where it stays
	return stage{run: timed(func(n int) { at = follow(ring, at, n) })}, nil
}

// blocks is what h.ring is for a ring of blocks through a whole region.
const blocks = -1

// chases returns a ring of blocks and places far apart in it, at which chases
// begin: one must not come soon to where another has been.
func (h *host) chases(n int) (ring, at []int64, err error) {
	r, err := h.memory(false)
	if err != nil {
		return nil, nil, err
	}
	ring = r.words[:h.facts.far()/8]
	if h.of != r || h.ring != blocks {
		layBlocks(ring, h.facts.Page, h.facts.Line)
		h.of, h.ring = r, blocks
	}
	return ring, apart(ring, n, h.facts.Page), nil
}

// apart returns n places far apart in a ring of blocks. Each is at another place
// of its block, as blocks are alike and lines that lie alike may lie in one bank
// of memory.
func apart(ring []int64, n, page int) []int64 {
	block := blockPages * page / 8
	at := make([]int64, n)
	for i := range at {
		at[i] = follow(ring, int64(len(ring)/block*i/n*block), 29*i)
	}
	return at
}

func (h *host) chains(n int) (stage, error) {
	ring, at, err := h.chases(n)
	return stage{
		run:    timed(func(times int) { followMany(ring, at, times) }),
		figure: func(ns float64) float64 { return ns / float64(n) },
	}, err
}

//go:noinline
func follow(ring []int64, at int64, n int) int64 {
	for range n {
		at = ring[at]
	}
	return at
}

// followMany goes on from every place of at, n steps each. The places are in
// memory, in the first-level cache, as no computer has registers for all.
//
//go:noinline
func followMany(ring []int64, at []int64, n int) {
	for range n {
		for i, x := range at {
			at[i] = ring[x]
		}
	}
}

// cached returns the bytes that all caches of the machine together hold.
func (s *simulator) cached() int {
	m := &s.desc.Memory
	n := int(m.L1.Size + m.L2.Size)
	if m.L3.Kind != "none" {
		n += int(m.L3.Size)
	}
	return n
}

// far returns the bytes of a working set of which nothing is in a cache as long
// as no place is visited twice, and little of it in a TLB.
func (s *simulator) far() int {
	block := blockPages * s.facts.Page
	return (max(16<<20, 4*s.cached()) + block - 1) / block * block
}

func (s *simulator) chase(size int) float64 {
	m := s.machine(1)
	r, out := m.adopt("ring", s.ringOf(size)), m.alloc("out", 1)
	// Of what is twice as large as the caches nothing is left when it comes
	// round: any part of the ring is as good. What is left are page tables.
	steps := 8000 // over many refreshes of DRAM
	if size <= 2*s.cached() {
		m.round(r, out, size/s.facts.Line)
		steps = 1500
	} else {
		m.touchPages(r, size/8)
	}
	return m.perOperation(walk, steps/walkSteps, walkSteps, r, out)
}

// touchPages has each thread load a word of each page of its words of an array, so that page tables are in
// the caches as far as they fit.
func (b *bench) touchPages(a isa.Array, words int) {
	step := b.facts.Page / 8
	const part = 1 << 14 // as a machine is watched for programs that never write
	out := b.alloc("sum", 64*len(b.facts.CPUs))
	for from := 0; from < words; from += part * step {
		b.run(readProgram, a, out, words, step, from, min(part, (words-from)/step))
	}
}

// largestRing is how large a ring is kept for other machines, bytes.
const largestRing = 128 << 20

// ringOf returns a ring through size bytes.
func (s *simulator) ringOf(size int) []int64 {
	if ring := s.ofLines[size]; ring != nil {
		return ring
	}
	ring := make([]int64, size/8)
	lay(ring, size/s.facts.Line, s.facts.Line/8)
	if size <= largestRing {
		if s.ofLines == nil {
			s.ofLines = map[int][]int64{}
		}
		s.ofLines[size] = ring
	}
	return ring
}

// chases is host.chases on an idle machine: the ring, and an array of n places.
func (s *simulator) chases(n int) (m *bench, ring, at isa.Array) {
	if len(s.blocks) != s.far()/8 {
		s.blocks = make([]int64, s.far()/8)
		layBlocks(s.blocks, s.facts.Page, s.facts.Line)
	}
	m = s.machine(1)
	ring, at = m.adopt("ring", s.blocks), m.alloc("at", n)
	m.touchPages(ring, len(s.blocks))
	for i, place := range apart(s.blocks, n, s.facts.Page) {
		m.write(at, i, place)
	}
	return m, ring, at
}

func (s *simulator) chains(n int) float64 {
	m, ring, at := s.chases(n)
	return m.perOperation(walkMany, 3000/n, n, ring, at, n)
}

// walkSteps is how many steps an iteration of walk has: so many that what the
// loop itself takes does not count.
const walkSteps = 20

// walk follows ring for n times walkSteps steps from the place in out.
var walk = func() *isa.Program {
	b := isa.NewBuilder("walk")
	ring, out, n := b.Array("ring", isa.I64), b.Array("out", isa.I64), b.Int("n")
	at := b.Var(b.Load(out, 0))
	b.For(0, n, 1, func(isa.Reg) {
		next := at
		for range walkSteps {
			next = b.Load(ring, next)
		}
		b.Set(at, next)
	})
	b.Store(out, 0, at)
	return b.MustBuild()
}()

// walkMany follows ring from each of chains places in at, n steps each.
var walkMany = func() *isa.Program {
	b := isa.NewBuilder("walk-many")
	ring, at := b.Array("ring", isa.I64), b.Array("at", isa.I64)
	chains, n := b.Int("chains"), b.Int("n")
	b.For(0, n, 1, func(isa.Reg) {
		b.For(0, chains, 1, func(i isa.Reg) { b.Store(at, i, b.Load(ring, b.Load(at, i))) })
	})
	return b.MustBuild()
}()

// round goes round a ring of n places twice, so that what can stay in a cache
// is there, a part at a time, as a machine is watched for programs that never
// write.
func (b *bench) round(ring, out isa.Array, n int) {
	const part = 2000
	for left := 2*n/walkSteps + 1; left > 0; left -= part {
		b.run(walk, ring, out, min(left, part))
	}
}

// writeAll writes every step-th of n elements.
var writeAll = func() *isa.Program {
	b := isa.NewBuilder("write-all")
	a, n, step := b.Array("a", isa.I64), b.Int("n"), b.Int("step")
	b.For(0, n, step, func(i isa.Reg) { b.Store(a, i, i) })
	return b.MustBuild()
}()

// pageCounts are the pages of chases that touch a line of each: they hit in the
// first two levels of cache, and show what translation costs.
var pageCounts = []int{16, 32, 48, 64, 80, 96, 128, 192, 256, 384, 512, 768, 1024, 1280, 1536, 1792, 2048, 3072, 4096, 8192}

func pageCases() []Case {
	var all []Case
	for _, n := range pageCounts {
		all = append(all, Case{
			Name:     "pages/" + strconv.Itoa(n),
			Meaning:  fmt.Sprintf("dependent load of a line in each of %d base pages", n),
			Unit:     nanoseconds,
			prepare:  func(h *host) (stage, error) { return h.chasePages(n) },
			simulate: func(s *simulator) float64 { return s.chasePages(n) },
		})
	}
	return all
}

// layPages writes a ring through a line of each of n pages: of each page
// another one than of those before, so that the sets of caches are used evenly,
// of those also that span pages.
func layPages(words []int64, n, page, line int) {
	place := func(i int) int64 { return int64(i*(page/8) + (i+i/16)%(page/line)*(line/8)) }
	for i, next := range order(n) {
		words[place(i)] = place(int(next))
	}
}

func (h *host) chasePages(n int) (stage, error) {
	if n*h.facts.Page > h.facts.far() {
		return stage{}, fmt.Errorf("%d pages of %s are more than %s", n, sizeText(h.facts.Page), sizeText(h.facts.far()))
	}
	r, err := h.memory(false)
	if err != nil {
		return stage{}, err
	}
	h.of = nil
	layPages(r.words, n, h.facts.Page, h.facts.Line)
	ring := r.words[:n*h.facts.Page/8]
	at := follow(ring, 0, n)
	return stage{run: timed(func(n int) { at = follow(ring, at, n) })}, nil
}

func (s *simulator) chasePages(n int) float64 {
	ring := make([]int64, n*s.facts.Page/8)
	layPages(ring, n, s.facts.Page, s.facts.Line)
	m := s.machine(1)
	r, out := m.adopt("ring", ring), m.alloc("out", 1)
	m.round(r, out, n)
	return m.perOperation(walk, max(n/2, 500)/walkSteps, walkSteps, r, out)
}
