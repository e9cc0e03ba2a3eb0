package mem

import "heddle/sim"

// Touch does to the lines held what an access within a line would that was over
// at time at: nothing is counted, no bank or port is used, and nothing goes
// below. It keeps a cache warm while a program is executed without timing.
func (c *Cache) Touch(at sim.Time, a Access) {
	if !c.enabled {
		return
	}
	line := a.Addr >> c.lineBits
	need := c.sectorMask(a.Addr, a.Size)
	set, i := c.tags.find(c.local(line), line)
	written := a.Kind != Read
	switch {
	case i < 0:
		if c.writeThrough && a.Kind == Atomic || a.Kind == Write && !c.allocate {
			return
		}
		i, _ = c.tags.victim(set, at)
		c.tags.insert(set, i, line, a.Array)
	case written && c.writeThrough && (c.evictOnWrite || a.Kind == Atomic):
		c.tags.drop(set, i)
		return
	default:
		c.tags.touch(set, i)
		if written && c.writeThrough {
			return
		}
	}
	if absent := need &^ c.tags.lines[i].valid; absent != 0 {
		c.land(i, absent, at)
	}
	if written && !c.writeThrough {
		c.tags.lines[i].dirty |= need
	}
}
