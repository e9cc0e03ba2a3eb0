package mem

import (
	"fmt"
	"math/bits"
	"testing"

	"pgregory.net/rapid"

	"heddle/arch/net"
	"heddle/sim"
)

// tiny draws a machine whose caches hold so few lines that everything is
// replaced all the time.
func tiny(t *rapid.T) MulticoreConfig {
	c := opteron()
	c.Sockets = rapid.IntRange(1, 3).Draw(t, "sockets")
	c.Dies = rapid.IntRange(1, 2).Draw(t, "dies")
	c.Cores = rapid.IntRange(1, 3).Draw(t, "cores")
	c.L1 = L1Config{Ways: rapid.IntRange(1, 2).Draw(t, "l1 ways"), Latency: 3}
	c.L1.Size = c.Line * sim.Bytes(c.L1.Ways) << rapid.IntRange(0, 1).Draw(t, "l1 sets")
	c.L2.Kind = rapid.SampledFrom([]string{"inclusive", "non-inclusive", "exclusive"}).Draw(t, "l2")
	c.L2.Ways = rapid.IntRange(1, 3).Draw(t, "l2 ways")
	c.L2.Size = c.Line * sim.Bytes(c.L2.Ways*rapid.IntRange(1, 3).Draw(t, "l2 sets"))
	c.L3.Kind = rapid.SampledFrom([]string{"inclusive", "victim", "none"}).Draw(t, "l3")
	c.L3.Ways = rapid.IntRange(1, 4).Draw(t, "l3 ways")
	c.L3.Size = c.Line * sim.Bytes(c.L3.Ways*rapid.IntRange(1, 3).Draw(t, "l3 sets"))
	c.Protocol = rapid.SampledFrom([]string{"mesi", "mesif", "moesi"}).Draw(t, "protocol")
	c.Lookup = rapid.SampledFrom([]string{"directory", "probe-filter", "snoop"}).Draw(t, "lookup")
	c.Placement = rapid.SampledFrom([]string{"local", "interleaved"}).Draw(t, "placement")
	return c
}

// copies is who has a line, read from the tags of all caches.
type copies struct {
	cores, writable, dirty uint64 // masks of cores
	l3, l3Dirty            uint16 // masks of dies
}

// copiesOf looks line up in every cache. It does not look at the directory.
func copiesOf(m *Multicore, line uint64) (c copies, err error) {
	for i, p := range m.ports {
		l1, l2 := -1, -1
		for s, word := range p.l1.rows {
			if s%(3*p.l1.ways) < p.l1.ways && word.line() == line {
				l1 = s
			}
		}
		var flags cacheWord
		for s, word := range p.l2.words {
			if word.line() == line {
				if l2 >= 0 {
					return c, fmt.Errorf("core %d has line %d twice in L2", i, line)
				}
				l2, flags = s, word.flags()
			}
		}
		if l1 >= 0 {
			flags = p.l1.rows[l1].flags()
		}
		if l1 < 0 && l2 < 0 {
			continue
		}
		if l1 >= 0 && l2 >= 0 && p.exclusive {
			return c, fmt.Errorf("core %d has line %d in L1 and in an exclusive L2", i, line)
		}
		if l1 >= 0 && l2 < 0 && p.inclusive {
			return c, fmt.Errorf("core %d has line %d in L1 and not in an inclusive L2", i, line)
		}
		c.cores |= p.bit
		if flags&writableLine != 0 {
			c.writable |= p.bit
		}
		if flags&dirtyLine != 0 {
			c.dirty |= p.bit
		}
	}
	for i := range m.dies {
		for _, word := range m.dies[i].l3.words {
			if word.line() != line {
				continue
			}
			c.l3 |= 1 << i
			if word&dirtyLine != 0 {
				c.l3Dirty |= 1 << i
			}
		}
	}
	return c, nil
}

// checkLine holds the copies of a line against each other and against the
// directory.
func checkLine(m *Multicore, line uint64) error {
	c, err := copiesOf(m, line)
	if err != nil {
		return err
	}
	e := *m.dir.at(line)
	fault := func(format string, args ...any) error {
		return fmt.Errorf("line %d: %s: copies %+v, directory %+v", line, fmt.Sprintf(format, args...), c, e)
	}
	if e.sharers != c.cores || e.l3 != c.l3 {
		return fault("the directory is not the union of the caches")
	}
	if c.writable != 0 {
		die := uint16(0)
		for mask := c.writable; mask != 0; mask &= mask - 1 {
			die |= 1 << m.ports[bits.TrailingZeros64(mask)].die
		}
		if bits.OnesCount64(c.writable) != 1 || c.cores != c.writable || c.l3&^die != 0 || c.l3 != 0 && m.victim {
			return fault("a line that may be modified has other copies")
		}
	}
	if c.dirty&^c.writable != 0 && !m.moesi {
		return fault("a modified line is shared without MOESI")
	}
	if bits.OnesCount64(c.dirty) > 1 || bits.OnesCount16(c.l3Dirty) > 1 || c.dirty != 0 && c.l3Dirty != 0 && !m.inclusive {
		return fault("several modified copies")
	}
	if m.inclusive {
		for i, p := range m.ports {
			if c.cores>>i&1 != 0 && c.l3>>p.die&1 == 0 {
				return fault("core %d has what its inclusive L3 has not", i)
			}
		}
	}
	switch {
	case e.owner.isCore() && c.cores>>e.owner&1 == 0, e.owner.isL3() && c.l3>>e.owner.die()&1 == 0:
		return fault("the owner has no copy")
	case (e.owner == nobody) != (e.state == shared):
		return fault("shared without an owner, and only then")
	case e.state == exclusive && e.owner.isCore() && c.writable != 1<<e.owner:
		return fault("the owner of an exclusive line may modify it")
	case c.writable != 0 && e.state != exclusive, e.state == owned && !m.moesi, e.state == forwarded && !m.forwards:
		return fault("wrong state")
	case c.dirty|uint64(c.l3Dirty) != 0 && e.state != exclusive && e.state != owned:
		return fault("memory is not up to date and nobody answers for it")
	}
	return nil
}

// TestCoherence does random accesses and looks at all caches after each of
// them: there is one writer or many readers, the directory is the union of the
// caches, inclusion holds, and a modified line is not lost: it is in a cache
// until memory has it.
func TestCoherence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, err := NewMulticore(tiny(t), gigahertz)
		if err != nil {
			t.Fatal(err)
		}
		lines := rapid.IntRange(1, 24).Draw(t, "lines")
		stale := make([]bool, lines) // memory does not have the latest value
		var written [24]sim.Bytes
		at := sim.Time(0)
		for range 60 {
			u := use{
				rapid.IntRange(0, m.Cores()-1).Draw(t, "core"),
				Kind(rapid.IntRange(0, 2).Draw(t, "kind")),
				uint64(rapid.IntRange(0, lines-1).Draw(t, "line")),
			}
			at += sim.Time(rapid.IntRange(0, 100).Draw(t, "gap")) * ns
			// Lines are a page apart, each an array of its own, so that memory
			// counts what it writes of each.
			done := m.Port(u.core).Access(at, Access{Addr: u.line * 64 * 65, Size: 8, Kind: u.kind, Array: int16(u.line)})
			if done < at+3*ns {
				t.Fatalf("%+v at %d is done at %d", u, at, done)
			}
			if rapid.IntRange(0, 9).Draw(t, "advance") == 0 {
				m.Advance(at)
			}
			for line := range lines {
				l := uint64(line) * 65
				if err := checkLine(m, l); err != nil {
					t.Fatalf("after %+v: %v", u, err)
				}
				_, w := m.ArrayBytes(line)
				if w != written[line] {
					if !stale[line] {
						t.Fatalf("memory wrote line %d, which it had", l)
					}
					stale[line] = false
				}
				written[line] = w
			}
			if u.kind != Read {
				stale[u.line] = true
				if c, _ := copiesOf(m, u.line*65); c.cores != 1<<u.core {
					t.Fatalf("after %+v: others still have the line", u)
				}
			}
			for line, s := range stale {
				c, _ := copiesOf(m, uint64(line)*65)
				if has := c.dirty != 0 || c.l3Dirty != 0; has != s {
					t.Fatalf("after %+v: line %d: modified copy %v, memory stale %v", u, line*65, has, s)
				}
			}
		}
	})
}

// protocol is the textbook's automaton for one line and caches that hold
// everything: the state of each core's copy.
type protocol struct {
	kind  string
	state []byte // I, S, E, M, O or F
}

// access returns who supplies the line (a core, or -1 for memory), whether
// that copy was modified, and whether the line was there already.
func (p *protocol) access(core int, write bool) (supplier int, dirty, hit bool) {
	supplier = -1
	alone := true
	for i, s := range p.state {
		if i == core || s == 'I' {
			continue
		}
		alone = false
		if s != 'S' {
			supplier, dirty = i, s == 'M' || s == 'O'
		}
	}
	mine := p.state[core]
	if write {
		hit = mine == 'E' || mine == 'M'
		for i := range p.state {
			p.state[i] = 'I'
		}
		p.state[core] = 'M'
		return supplier, dirty, hit
	}
	switch {
	case mine != 'I':
		return supplier, dirty, true
	case alone:
		p.state[core] = 'E'
		return supplier, dirty, false
	}
	p.state[core] = 'S'
	if supplier >= 0 {
		p.state[supplier] = 'S'
		if dirty && p.kind == "moesi" {
			p.state[supplier] = 'O'
		}
	}
	if p.kind == "mesif" {
		p.state[core] = 'F'
	}
	return supplier, dirty, false
}

// TestProtocols holds what serves random accesses to a few lines against the
// automata of MESI, MESIF and MOESI.
func TestProtocols(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		config := opteron()
		config.L1.Size, config.L2.Size, config.L3.Kind = 512*64, 16*64, "none"
		config.Cores = 2
		config.Protocol = rapid.SampledFrom([]string{"mesi", "mesif", "moesi"}).Draw(t, "protocol")
		m, err := NewMulticore(config, gigahertz)
		if err != nil {
			t.Fatal(err)
		}
		lines := make([]protocol, 3)
		for i := range lines {
			lines[i].kind = config.Protocol
			for range m.Cores() {
				lines[i].state = append(lines[i].state, 'I')
			}
		}
		at := sim.Time(0)
		for range 60 {
			core := rapid.IntRange(0, m.Cores()-1).Draw(t, "core")
			line := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
			kind := Kind(rapid.IntRange(0, 2).Draw(t, "kind"))
			at += sim.Microsecond
			before := lines[line].state[core]
			supplier, dirty, hit := lines[line].access(core, kind != Read)
			p := m.Port(core)
			p.Access(at, Access{Addr: uint64(line) * 64, Size: 4, Kind: kind, Array: -1})
			distance := net.SameDie
			want := FromL1
			switch {
			case hit:
			case before != 'I':
				want = FromUpgrade
			case supplier < 0:
				want, distance = FromMemory, m.Distance(m.Die(core), m.Home(0))
			case dirty:
				want, distance = FromDirty, m.Distance(m.Die(core), m.Die(supplier))
			default:
				want, distance = FromClean, m.Distance(m.Die(core), m.Die(supplier))
			}
			got := p.From()
			if got != want+Source(distance) && (want != FromUpgrade || got.Group() != want) {
				t.Fatalf("core %d, %v of line %d: from %v, not %v %v", core, kind, line, got, want, distance)
			}
		}
	})
}

// naiveLRU is a set-associative cache as lists.
type naiveLRU struct {
	ways int
	sets [][]uint64 // the latest used first
}

func (c *naiveLRU) touch(line uint64) (hit bool, replaced int64) {
	s := &c.sets[line%uint64(len(c.sets))]
	replaced = -1
	for i, l := range *s {
		if l == line {
			*s = append((*s)[:i:i], (*s)[i+1:]...)
			hit = true
			break
		}
	}
	*s = append([]uint64{line}, *s...)
	if len(*s) > c.ways {
		replaced = int64((*s)[c.ways])
		*s = (*s)[:c.ways]
	}
	return hit, replaced
}

func (c *naiveLRU) remove(line uint64) bool {
	s := &c.sets[line%uint64(len(c.sets))]
	for i, l := range *s {
		if l == line {
			*s = append((*s)[:i:i], (*s)[i+1:]...)
			return true
		}
	}
	return false
}

// TestPrivateCaches holds the hits of one core against lists: an exclusive L2
// takes what L1 replaces and gives lines up to it.
func TestPrivateCaches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		config := tiny(t)
		config.L2.Kind, config.L3.Kind = "exclusive", "none"
		m, err := NewMulticore(config, gigahertz)
		if err != nil {
			t.Fatal(err)
		}
		cache := func(size sim.Bytes, ways int) *naiveLRU {
			return &naiveLRU{ways, make([][]uint64, int(size/config.Line)/ways)}
		}
		l1, l2 := cache(config.L1.Size, config.L1.Ways), cache(config.L2.Size, config.L2.Ways)
		p := m.Port(0)
		for i := range 200 {
			line := uint64(rapid.IntRange(0, 15).Draw(t, "line"))
			kind := Kind(rapid.IntRange(0, 2).Draw(t, "kind"))
			p.Access(sim.Time(i)*sim.Microsecond, Access{Addr: line * 64, Size: 1, Kind: kind, Array: -1})
			want := FromMemory
			hit, replaced := l1.touch(line)
			if hit {
				want = FromL1
			} else if l2.remove(line) {
				want = FromL2
			}
			if replaced >= 0 {
				l2.touch(uint64(replaced))
			}
			if p.From() != want {
				t.Fatalf("access %d, to line %d: from %v, not %v", i, line, p.From(), want)
			}
		}
	})
}
