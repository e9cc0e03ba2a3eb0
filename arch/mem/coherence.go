package mem

import "heddle/sim"

// Flush writes every dirty line back and keeps it, clean. It returns when the
// last of them is written.
func (c *Cache) Flush(at sim.Time) sim.Time {
	done := at
	for i := range c.tags.lines {
		l := &c.tags.lines[i]
		done = max(done, c.writeBack(max(at, l.ready), l))
		l.dirty = 0
	}
	return done
}

// Invalidate empties the cache. Dirty lines are lost: Flush first to keep them.
func (c *Cache) Invalidate() {
	for i := range c.tags.lines {
		c.tags.drop(i/c.tags.ways, i)
	}
}

// Drop removes the line of addr, for another cache's coherence, and tells
// whether it was there and whether it was dirty.
func (c *Cache) Drop(addr uint64) (held, dirty bool) {
	set, i := c.slot(addr >> c.lineBits)
	if i < 0 {
		return false, false
	}
	dirty = c.tags.lines[i].dirty != 0
	c.tags.drop(set, i)
	return true, dirty
}

// Holds tells whether the sector of addr is in the cache or in flight to it,
// and whether it is dirty. It takes no time and leaves no trace.
func (c *Cache) Holds(addr uint64) (held, dirty bool) {
	_, i := c.slot(addr >> c.lineBits)
	if i < 0 {
		return false, false
	}
	m := c.sectorMask(addr, 1)
	l := &c.tags.lines[i]
	return l.valid&m != 0, l.dirty&m != 0
}

// slot returns the set of line, and its slot or -1.
func (c *Cache) slot(line uint64) (set, slot int) {
	return c.tags.find(c.local(line), line)
}
