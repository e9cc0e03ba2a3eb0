package mem

import "heddle/sim"

// PrefetchConfig describes a hardware prefetcher of a core's L2: it follows the
// misses of L1, and where they go through a page in one direction it brings the
// lines ahead of them into L2, as the streamers of x86 cores do (Intel 64
// Optimization Reference Manual, "Data prefetch to the L2").
type PrefetchConfig struct {
	Streams  int `yaml:"streams" range:"1..256" doc:"pages that are followed at a time"`
	Distance int `yaml:"distance" range:"0..64" doc:"lines that are fetched ahead of a miss at most, none beyond its page; 0: none"`
	Degree   int `yaml:"degree" range:"1..64" doc:"lines that a miss may have fetched"`
	Buffers  int `yaml:"buffers" range:"1..256" doc:"lines on their way at a time; what finds no place is not fetched"`
}

// So many misses in one direction begin a stream, each so few lines from the
// one before.
const (
	trigger = 2
	reach   = 4
)

// prefetcher is that of a core.
type prefetcher struct {
	PrefetchConfig
	pageLines uint64 // lines of a page, less one
	streams   []pageStream
	coming    []coming // ring of the latest prefetches
	next      int      // in coming
	last      sim.Time // when the last of them is there
}

// pageStream is a page in which misses go on.
type pageStream struct {
	page    uint64 // 1 + its number; 0 for none
	line    uint64 // of the latest miss
	ahead   uint64 // the farthest line that was fetched
	up      bool
	strides int8 // misses in this direction, up to trigger
	used    uint64
}

// coming is a line on its way to L2.
type coming struct {
	line  uint64
	ready sim.Time
}

func newPrefetcher(c *MulticoreConfig) *prefetcher {
	if c.Prefetch == nil {
		return nil
	}
	return &prefetcher{
		PrefetchConfig: *c.Prefetch,
		pageLines:      uint64(c.Page/c.Line) - 1,
		streams:        make([]pageStream, c.Prefetch.Streams),
		coming:         make([]coming, c.Prefetch.Buffers),
	}
}

// arrives returns when a line that L2 has is really there.
func (f *prefetcher) arrives(line uint64, at sim.Time) sim.Time {
	if f.last <= at {
		return at
	}
	for i := range f.coming {
		if c := &f.coming[i]; c.line == line && c.ready > at {
			return c.ready
		}
	}
	return at
}

// follow notes a miss and returns the stream that it belongs to if that is
// established, else nil.
func (f *prefetcher) follow(line uint64, clock uint64) *pageStream {
	page := line/(f.pageLines+1) + 1
	var s *pageStream
	oldest := &f.streams[0]
	for i := range f.streams {
		if f.streams[i].page == page {
			s = &f.streams[i]
			break
		}
		if f.streams[i].used < oldest.used {
			oldest = &f.streams[i]
		}
	}
	if s == nil {
		*oldest = pageStream{page: page, line: line, ahead: line, used: clock}
		return nil
	}
	s.used = clock
	if line == s.line {
		return nil
	}
	up := line > s.line
	if up != s.up || s.strides == 0 || max(line, s.line)-min(line, s.line) > reach {
		s.up, s.strides, s.ahead = up, 0, line
	}
	s.line = line
	s.strides = min(s.strides+1, trigger)
	if s.strides < trigger {
		return nil
	}
	return s
}

// prefetch brings lines ahead of a miss at time at into L2.
func (p *CorePort) prefetch(at sim.Time, line uint64, array int16) {
	f := p.prefetcher
	p.misses++
	s := f.follow(line, p.misses)
	if s == nil {
		return
	}
	from := p.from
	step := uint64(1)
	if !s.up {
		step = ^uint64(0)
	}
	if s.up && s.ahead < line || !s.up && s.ahead > line {
		s.ahead = line // misses have overtaken it
	}
	for range f.Degree {
		next := s.ahead + step
		far := next - line
		if !s.up {
			far = line - next
		}
		if far > uint64(f.Distance) || next&^f.pageLines != line&^f.pageLines {
			break
		}
		slot := &f.coming[f.next]
		if slot.ready > at {
			break
		}
		s.ahead = next
		if p.l1.find(next) >= 0 {
			continue
		}
		set := p.l2.set(next)
		if find(set, next) >= 0 {
			continue
		}
		done, flags := p.m.read(at, p, next, array)
		*slot = coming{next, done}
		f.next = (f.next + 1) % len(f.coming)
		f.last = max(f.last, done)
		p.counts.prefetches++
		p.leaveL2(at, p.l2.place(set, newWord(next, flags)))
	}
	p.from = from
}
