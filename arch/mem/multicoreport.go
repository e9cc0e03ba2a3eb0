package mem

import "heddle/sim"

// CorePort is a core's way to the memory: its L1 and L2, which need nobody
// else for what they hold.
type CorePort struct {
	m    *Multicore
	core int
	die  int
	bit  uint64 // of the core in a mask of sharers

	lineBits  uint
	l1        l1Tags
	l2        lruTags
	exclusive bool // L2 holds no line of L1
	inclusive bool // L2 holds all lines of L1
	l1Latency sim.Time
	l2Latency sim.Time
	l2Hold    sim.Time
	l2Port    *sim.Ledger

	prefetcher *prefetcher // nil for none
	misses     uint64      // that it has seen

	from   Source // of the latest access
	counts portCounts
	arrays []Served // by array ID + 1
}

func newCorePort(m *Multicore, core int, clock sim.Clock) *CorePort {
	c := &m.config
	hold := clock.Span(c.L2.Interval)
	p := &CorePort{
		m:         m,
		core:      core,
		die:       core / c.Cores,
		bit:       1 << core,
		lineBits:  m.lineBits,
		l1:        newL1Tags(c.L1.Size, c.Line, c.L1.Ways),
		l2:        newLRUTags(c.L2.Size, c.Line, c.L2.Ways),
		exclusive: c.L2.Kind == "exclusive",
		inclusive: c.L2.Kind == "inclusive",
		l1Latency: clock.Span(c.L1.Latency),
		l2Latency: clock.Span(c.L2.Latency),
		l2Hold:    hold,
		l2Port:    sim.NewLedger(max(8*hold, 16*clock.Period), 256),
		arrays:    make([]Served, 1),

		prefetcher: newPrefetcher(c),
	}
	p.l2.oldest = uint64(c.L2.Oldest)
	if c.Scattered {
		p.l2.scatter(c.Page / c.Line)
	}
	return p
}

// Access performs a at time at and returns when its data are at the core; for
// a write or an atomic, when the core may modify the line. An access that
// spans lines is done when the last of them is.
func (p *CorePort) Access(at sim.Time, a Access) sim.Time {
	line := a.Addr >> (p.lineBits & 63)
	if (a.Addr+uint64(a.Size)-1)>>(p.lineBits&63) == line {
		return p.access(at, line, a.Kind, a.Array)
	}
	return p.span(at, a)
}

// From returns what served the latest access; if it spanned lines, the last.
func (p *CorePort) From() Source { return p.from }

// InL1 tells whether the line of addr is in the L1 or on its way there, so
// that an access to it, if it is a read, occupies no line-fill buffer. It
// takes no time and leaves no trace.
func (p *CorePort) InL1(addr uint64) bool { return p.l1.find(addr>>(p.lineBits&63)) >= 0 }

func (p *CorePort) span(at sim.Time, a Access) (done sim.Time) {
	last := (a.Addr + uint64(a.Size) - 1) >> p.lineBits
	for line := a.Addr >> p.lineBits; line <= last; line++ {
		done = max(done, p.access(at, line, a.Kind, a.Array))
	}
	return done
}

// access performs an access within one line. What a hit in L1 needs comes
// first and alone.
func (p *CorePort) access(at sim.Time, line uint64, kind Kind, array int16) sim.Time {
	if int(array)+1 >= len(p.arrays) {
		p.grow(int(array) + 2)
	}
	t := &p.l1
	base := t.base(line)
	for w, word := range t.rows[base : base+t.ways] {
		if word.line() != line {
			continue
		}
		i := base + w
		if kind != Read {
			if word&writableLine == 0 {
				return p.upgrade(at, line, i, kind, array)
			}
			t.rows[i] = word | dirtyLine
		}
		t.touch(i)
		done := at + p.l1Latency
		p.from = FromL1
		if ready := t.ready(i); ready > done {
			done = ready
			p.from = FromFill
		}
		if kind == Atomic {
			p.m.hold(line, done)
		}
		p.arrays[array+1][kind][p.from]++
		return done
	}
	return p.miss(at, line, kind, array)
}

// grow makes room for the counts of n arrays.
//
//go:noinline
func (p *CorePort) grow(n int) { p.arrays = append(p.arrays, make([]Served, n-len(p.arrays))...) }

// upgrade gets the right to modify a line that is in slot i of L1.
func (p *CorePort) upgrade(at sim.Time, line uint64, i int, kind Kind, array int16) sim.Time {
	at = max(at, p.l1.ready(i))
	done := p.m.own(at, p, line, true, kind, array)
	p.l1.put(i, newWord(line, dirtyLine|writableLine), done)
	p.arrays[array+1][kind][p.from]++
	return done
}

// miss brings a line into L1.
func (p *CorePort) miss(at sim.Time, line uint64, kind Kind, array int16) sim.Time {
	slot, free := p.l1.victim(line, at)
	at = max(at, free)
	set := p.l2.set(line)
	var done sim.Time
	var flags cacheWord
	w := find(set, line)
	switch {
	case w < 0 && kind == Read:
		done, flags = p.m.read(at, p, line, array)
	case w < 0:
		done = p.m.own(at, p, line, false, kind, array)
		flags = dirtyLine | writableLine
	default:
		flags = set[w].flags()
		if p.exclusive {
			remove(set, w)
		} else {
			promote(set, w)
		}
		if kind != Read && flags&writableLine == 0 {
			done = p.m.own(at, p, line, true, kind, array)
			flags = dirtyLine | writableLine
			break
		}
		p.from = FromL2
		start := p.l2Port.Reserve(at+p.l1Latency, p.l2Hold)
		done = start + p.l2Latency - p.l1Latency
		if p.prefetcher != nil {
			done = max(done, p.prefetcher.arrives(line, done))
		}
		if kind != Read {
			flags |= dirtyLine
			if kind == Atomic {
				p.m.hold(line, done)
			}
		}
	}
	p.arrays[array+1][kind][p.from]++
	victim := p.l1.rows[slot]
	p.l1.put(slot, newWord(line, flags), done)
	if victim != noLine {
		p.leaveL1(at, victim)
	}
	if w < 0 && !p.exclusive {
		p.leaveL2(at, p.l2.place(set, newWord(line, flags)))
	}
	if p.prefetcher != nil {
		p.prefetch(at, line, array)
	}
	return done
}

// leaveL1 is called when L1 has replaced a line.
func (p *CorePort) leaveL1(at sim.Time, word cacheWord) {
	p.counts.l1Evictions++
	set := p.l2.set(word.line())
	if !p.exclusive {
		if w := find(set, word.line()); w >= 0 {
			set[w] = word
			return
		}
		if word&dirtyLine == 0 {
			p.leave(at, word)
			return
		}
	}
	p.counts.l1Writebacks++
	p.leaveL2(at, p.l2.place(set, word))
}

// leaveL2 is called when L2 has replaced a line. Of a line in both caches, the
// L1's flags are the valid ones.
func (p *CorePort) leaveL2(at sim.Time, word cacheWord) {
	if word == noLine {
		return
	}
	p.counts.l2Evictions++
	if !p.exclusive {
		if i := p.l1.find(word.line()); i >= 0 {
			if !p.inclusive {
				return
			}
			word = p.l1.rows[i]
			p.l1.drop(i)
		}
	}
	p.leave(at, word)
}

// leave is called when the core has no copy of a line any more.
func (p *CorePort) leave(at sim.Time, word cacheWord) {
	if word&dirtyLine != 0 {
		p.counts.writebacks++
	}
	p.m.left(at, p, word)
}

// drop takes the core's copy of a line away and tells whether it was modified.
func (p *CorePort) drop(line uint64) (dirty bool) {
	var word cacheWord
	if set := p.l2.set(line); true {
		if w := find(set, line); w >= 0 {
			word = set[w]
			remove(set, w)
		}
	}
	if i := p.l1.find(line); i >= 0 {
		word = p.l1.rows[i]
		p.l1.drop(i)
	}
	return word&dirtyLine != 0
}

// word returns where the core keeps the flags of a line, which it has.
func (p *CorePort) word(line uint64) *cacheWord {
	if i := p.l1.find(line); i >= 0 {
		return &p.l1.rows[i]
	}
	set := p.l2.set(line)
	return &set[find(set, line)]
}
