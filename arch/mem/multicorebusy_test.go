package mem

import (
	"testing"

	"heddle/sim"
)

// TestContendedAtomics has cores do atomics on one line without end: the line
// goes from one to the next in the handover's cost, whatever their number.
func TestContendedAtomics(t *testing.T) {
	for _, c := range []struct {
		name   string
		config MulticoreConfig
		cores  []int
		cost   sim.Time
	}{
		{"two cores of a die", opteron(), []int{0, 1}, 56 * ns},
		{"six cores of a die", opteron(), []int{0, 1, 2, 3, 4, 5}, 56 * ns},
		{"two dies of a package", opteron(), []int{0, 6}, 94 * ns},
		{"one hop", opteron(), []int{0, 12}, 103 * ns},
		{"two hops", opteron(), []int{0, 18}, 143 * ns},
		{"a socket", xeon(), []int{0, 1, 2, 3}, 90 * ns},
		{"two sockets", xeon(), []int{0, 4}, 320 * ns},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := mustMulticore(t, c.config)
			hold := gigahertz.Span(c.config.Costs.AtomicHold)
			next := make([]sim.Time, len(c.cores))
			var last sim.Time
			const rounds = 100
			for round := range rounds {
				for i, core := range c.cores { // in the order in which they come free
					done := m.Port(core).Access(next[i], Access{Addr: 0, Size: 8, Kind: Atomic})
					if round > 0 || i > 0 {
						if done != last+c.cost {
							t.Fatalf("round %d, core %d: ownership after %d, not %d", round, core, done-last, c.cost)
						}
					}
					last = done
					next[i] = done + hold
				}
			}
			s := m.CoresOf(-1)
			if s.LineWait == 0 || s.Of(Atomic) != int64(rounds*len(c.cores)) {
				t.Errorf("waited %d in %d atomics", s.LineWait, s.Of(Atomic))
			}
		})
	}
}

// TestLineIsBusy holds the times at which a line can be had against those at
// which its last user has done with it: not before, and not later.
func TestLineIsBusy(t *testing.T) {
	line := func(kind Kind) Access { return Access{Addr: 1 << 20, Size: 8, Kind: kind} }
	m := mustMulticore(t, opteron())
	owned := m.Port(0).Access(0, line(Atomic)) // held until 10 ns later
	if got := m.Port(1).Access(owned+10*ns, line(Read)); got != owned+10*ns+51*ns {
		t.Errorf("read when the atomic is over: %d", got)
	}
	m = mustMulticore(t, opteron())
	owned = m.Port(0).Access(0, line(Atomic))
	if got := m.Port(1).Access(owned+9*ns, line(Read)); got != owned+10*ns+51*ns {
		t.Errorf("read a nanosecond before: %d", got)
	}
	// Readers do not wait for each other, a writer waits for them all.
	a := m.Port(2).Access(sim.Microsecond, line(Read))
	b := m.Port(18).Access(sim.Microsecond, line(Read))
	if a != sim.Microsecond+51*ns || b < sim.Microsecond+120*ns || b > sim.Microsecond+123*ns { // the L3's port is busy for 2 ns
		t.Errorf("reads at one time are done at %d and %d", a, b)
	}
	if got := m.Port(0).Access(sim.Microsecond, line(Write)); got != b+133*ns {
		t.Errorf("the write is done %d after the last read, not 133 ns", got-b)
	}
	// An atomic that hits in L1 keeps the line too.
	at := 10 * sim.Microsecond
	owned = m.Port(0).Access(at, line(Atomic))
	if owned != at+3*ns {
		t.Errorf("an atomic in L1 took %d", owned-at)
	}
	if got := m.Port(1).Access(at, line(Atomic)); got != owned+10*ns+46*ns {
		t.Errorf("the next is done %d after it", got-owned)
	}
	// A line on its way to L1 is there when it is there.
	other := Access{Addr: 1 << 21, Size: 8}
	lands := m.Port(0).Access(20*sim.Microsecond, other)
	if got := m.Port(0).Access(lands-4*ns, other); got != lands || m.Port(0).From() != FromFill {
		t.Errorf("a line that lands at %d is read at %d, from %v", lands, got, m.Port(0).From())
	}
	if got := m.Port(0).Access(lands-3*ns, other); got != lands || m.Port(0).From() != FromL1 {
		t.Errorf("a line that lands at %d is read at %d, from %v", lands, got, m.Port(0).From())
	}
}

// TestLineOnItsWay holds what an access to a line waits for that is on its way
// to a cache, or whose place is.
func TestLineOnItsWay(t *testing.T) {
	read := func(line uint64) Access { return Access{Addr: 1<<20 + line*64, Size: 8} }
	write := Access{Addr: 1 << 20, Size: 8, Kind: Write}
	const at = 10 * sim.Microsecond

	// To an L3: another core of the die gets it when it is there.
	c := xeon()
	c.Protocol = "mesi"
	m := mustMulticore(t, c)
	m.Port(0).Access(0, read(0))
	lands := m.Port(4).Access(at, read(0))
	if got := m.Port(5).Access(at+ns, read(0)); lands != at+186*ns || got != lands+38*ns {
		t.Errorf("a line that lands in L3 after %d is read after %d", lands-at, got-at)
	}
	// To an L1, from L3, to be read: the right to modify it is asked for when
	// it is there.
	m = mustMulticore(t, xeon())
	m.Port(0).Access(0, write)
	m.Port(1).Access(sim.Microsecond, read(0))
	m.Port(2).Access(at, read(0))
	if got := m.Port(2).Access(at+ns, write); got != at+38*ns+70*ns {
		t.Errorf("a line that lands after 38 ns may be modified after %d", got-at)
	}
	// To both ways of a set: a third line waits for one of them.
	m = mustMulticore(t, opteron())
	first := m.Port(0).Access(at, read(0))
	m.Port(0).Access(at, read(512))
	if got := m.Port(0).Access(at, read(1024)); got < first+58*ns || got > first+68*ns {
		t.Errorf("a third line of a set is there %d after the first", got-first)
	}
	// Out of an L2, which gives a line every 4 ns.
	m = mustMulticore(t, opteron())
	for line := range uint64(4) {
		m.Port(0).Access(sim.Time(line)*sim.Microsecond, read(line*512))
	}
	a, b := m.Port(0).Access(at, read(0)), m.Port(0).Access(at, read(512))
	if a != at+15*ns || b != at+19*ns {
		t.Errorf("two lines of L2 are there after %d and %d", a-at, b-at)
	}
}

// TestL3ReplacesTheOldest uses a line of an L3 again, which outlasts one that
// was used later the first time.
func TestL3ReplacesTheOldest(t *testing.T) {
	c := xeon()
	c.L1, c.L2.Ways, c.L2.Size = L1Config{Size: 64, Ways: 1, Latency: 4}, 1, 64
	c.L3.Ways, c.L3.Size = 4, 4*64
	m := mustMulticore(t, c)
	p := m.Port(0)
	for i, line := range []uint64{0, 1, 2, 3, 0, 4, 0, 1} {
		p.Access(sim.Time(i)*sim.Microsecond, Access{Addr: line * 64, Size: 8})
		want := FromMemory
		if i == 4 || i == 6 {
			want = FromL3
		}
		if p.From() != want {
			t.Errorf("access %d, to line %d: from %v, not %v", i, line, p.From(), want)
		}
	}
}
