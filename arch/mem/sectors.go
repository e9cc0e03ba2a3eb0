package mem

import (
	"fmt"
	"math/bits"

	"heddle/sim"
)

// Interleave says that the cache is one of several slices over which addresses
// are interleaved in chunks, a multiple of the line: the bits of an address
// that pick the slice then take no part in picking the set and the bank, so
// that a slice uses all its sets. The cache must be empty.
func (c *Cache) Interleave(slices int, chunk sim.Bytes) error {
	lines := uint64(chunk) >> c.lineBits
	if slices < 1 || chunk < 1 || lines<<c.lineBits != uint64(chunk) {
		return fmt.Errorf("cache %s: %d slices of %d bytes: the chunk is not a multiple of the line", c.name, slices, chunk)
	}
	c.slices = slices > 1
	c.single = c.single && !c.slices
	c.chunk, c.turn = sim.NewDivisor(lines), sim.NewDivisor(lines*uint64(slices))
	c.chunkLines = lines
	return nil
}

// local returns the number of a line among those of this slice of several.
func (c *Cache) local(line uint64) uint64 {
	if !c.slices {
		return line
	}
	turn, _ := c.turn.Split(line)
	_, in := c.chunk.Split(line)
	return turn*c.chunkLines + in
}

// sectorMask returns the sectors, of the line of addr, that an access within
// that line touches.
func (c *Cache) sectorMask(addr uint64, size int32) uint32 {
	in := addr & uint64(c.lineMask)
	first := in >> (c.sectorBits & 63)
	last := (in + uint64(size) - 1) >> (c.sectorBits & 63)
	return uint32(2)<<(last&31) - uint32(1)<<(first&31)
}

// coveredMask returns the sectors that the access covers whole.
func (c *Cache) coveredMask(addr uint64, size int32) uint32 {
	in := addr & uint64(c.lineMask)
	first := (in + 1<<c.sectorBits - 1) >> c.sectorBits
	last := (in + uint64(size)) >> c.sectorBits
	if last <= first {
		return 0
	}
	return uint32(uint64(1)<<last - uint64(1)<<first)
}

// lowestRun returns the lowest run of adjacent sectors in m, which is not 0.
func lowestRun(m uint32) uint32 {
	first := bits.TrailingZeros32(m)
	n := bits.TrailingZeros32(^(m >> first))
	return uint32((uint64(1)<<n - 1) << first)
}

// runBytes returns the size of a run of sectors.
func (c *Cache) runBytes(run uint32) sim.Bytes {
	return sim.Bytes(bits.OnesCount32(run)) << c.sectorBits
}

// runAddr returns the address of a run of sectors of line.
func (c *Cache) runAddr(line uint64, run uint32) uint64 {
	return line<<c.lineBits + uint64(bits.TrailingZeros32(run))<<c.sectorBits
}

// land records when sectors of the line in slot i that were not there are. As
// long as they all land at once, the line's time is theirs.
func (c *Cache) land(i int, mask uint32, at sim.Time) {
	l := &c.tags.lines[i]
	if l.valid == 0 {
		l.valid, l.ready = mask, at
		return
	}
	if !l.mixed && at != l.ready {
		l.mixed = true
		c.note(i, l.valid, l.ready)
	}
	if l.mixed {
		c.note(i, mask, at)
	}
	l.valid |= mask
	l.ready = max(l.ready, at)
}

// note keeps the time at which sectors of a mixed line land.
func (c *Cache) note(i int, mask uint32, at sim.Time) {
	for m := mask; m != 0; m &= m - 1 {
		c.fill[i*c.sectors+bits.TrailingZeros32(m)] = at
	}
}

// landed returns when all sectors of mask of the line in slot i are there.
func (c *Cache) landed(i int, mask uint32) sim.Time {
	if l := &c.tags.lines[i]; !l.mixed {
		return l.ready
	}
	at := sim.Time(0)
	for m := mask; m != 0; m &= m - 1 {
		at = max(at, c.fill[i*c.sectors+bits.TrailingZeros32(m)])
	}
	return at
}
