package mem

import (
	"fmt"
	"math/bits"

	"heddle/sim"
)

// pageTable says which die's memory each page is in, and where there.
type pageTable struct {
	bits        uint
	mask        uint64
	interleaved bool
	dies        int
	frames      []uint64 // pages so far, by die
	near        uint64   // pages below are in the table, others in the map
	pages       []pagePlace
	far         map[uint64]pagePlace
}

func newPageTable(c *MulticoreConfig) pageTable {
	dies := c.Sockets * c.Dies
	return pageTable{
		bits:        log2(c.Page),
		mask:        uint64(c.Page) - 1,
		interleaved: c.Placement == "interleaved",
		dies:        dies,
		near:        nearPages,
		frames:      make([]uint64, dies),
	}
}

// log2 returns the logarithm of a power of two.
func log2(n sim.Bytes) uint { return uint(bits.TrailingZeros64(uint64(n))) }

// pagePlace is where a page is; frame is 0 if it is nowhere yet.
type pagePlace struct {
	frame uint32 // 1 + its number in the die's memory
	die   int32
}

const nearPages = 1 << 22 // a table of 32 MiB at most

// at returns the place of addr: the die, and the address within its memory. A
// page that has none gets one, for an access from die toucher.
func (t *pageTable) at(addr uint64, toucher int) (die int, local uint64) {
	page := addr >> t.bits
	var p pagePlace
	if page < uint64(len(t.pages)) {
		p = t.pages[page]
	}
	if p.frame == 0 {
		p = t.first(page, toucher)
	}
	return int(p.die), uint64(p.frame-1)<<t.bits | addr&t.mask
}

// first returns the place of a page that is not in the table, or nowhere yet.
func (t *pageTable) first(page uint64, toucher int) pagePlace {
	if page >= t.near {
		if p, ok := t.far[page]; ok {
			return p
		}
		if t.far == nil {
			t.far = map[uint64]pagePlace{}
		}
	} else if n := uint64(len(t.pages)); page >= n {
		t.pages = append(t.pages, make([]pagePlace, page+1-n)...)
	}
	die := toucher
	if t.interleaved {
		die = int(page % uint64(t.dies))
	}
	t.frames[die]++
	p := pagePlace{uint32(t.frames[die]), int32(die)}
	if page >= t.near {
		t.far[page] = p
	} else {
		t.pages[page] = p
	}
	return p
}

// Home returns the die in whose memory addr is, or -1 if no access has touched
// its page yet.
func (m *Multicore) Home(addr uint64) int {
	page := addr >> m.pages.bits
	p := m.pages.far[page]
	if page < uint64(len(m.pages.pages)) {
		p = m.pages.pages[page]
	}
	if p.frame == 0 {
		return -1
	}
	return int(p.die)
}

// Place puts the pages of size bytes from addr on that are nowhere yet where
// an access from the given die would: on that die, if the placement is local.
// It takes no time. It stands for a program's phases that are not simulated,
// such as the reading of a file.
func (m *Multicore) Place(addr uint64, size sim.Bytes, die int) error {
	if die < 0 || die >= len(m.dies) {
		return fmt.Errorf("place: die %d of %d", die, len(m.dies))
	}
	for end := addr + uint64(size); addr < end; addr = (addr | m.pages.mask) + 1 {
		m.pages.at(addr, die)
	}
	return nil
}

// Pin is where a software thread runs: a core, and which of the core's
// hardware threads.
type Pin struct{ Core, Slot int }

// Pins returns where software threads 0 to threads-1 run. Policy compact fills
// the hardware threads of a core, the cores of a die, the dies of a socket;
// policy scatter goes round the sockets, then their dies, then the cores, and
// comes to a core's second hardware thread when all cores are taken.
func (c *MulticoreConfig) Pins(policy string, slots, threads int) ([]Pin, error) {
	dies := c.Sockets * c.Dies
	cores := dies * c.Cores
	if slots < 1 || threads < 1 || threads > cores*slots {
		return nil, fmt.Errorf("threads: %d is not in 1..%d: %d cores of %d hardware threads", threads, cores*slots, cores, slots)
	}
	if err := oneOf("thread placement", policy, "compact", "scatter"); err != nil {
		return nil, err
	}
	pins := make([]Pin, threads)
	for i := range pins {
		if policy == "compact" {
			pins[i] = Pin{i / slots, i % slots}
			continue
		}
		socket, x := i%c.Sockets, i/c.Sockets
		die, x := x%c.Dies, x/c.Dies
		core, slot := x%c.Cores, x/c.Cores
		pins[i] = Pin{(socket*c.Dies+die)*c.Cores + core, slot}
	}
	return pins, nil
}
