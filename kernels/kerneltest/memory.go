package kerneltest

import (
	"math/bits"

	"heddle/arch/isa"
	"heddle/arch/mem"
)

// Count is what programs did to an array, an access a lane.
type Count struct {
	Loads, Stores, Atomics int64
	FullEmpty              int64 // full/empty operations completed
}

// countingMemory is a Space that counts the accesses to each array.
type countingMemory struct {
	space  *mem.Space
	counts []Count // by array ID
}

// each calls f with the count of every active lane's array. Addresses outside
// all arrays are left to the access itself, which faults.
func (c *countingMemory) each(active uint64, addr []uint64, f func(*Count)) {
	for m := active; m != 0; m &= m - 1 {
		id := c.space.ArrayID(addr[bits.TrailingZeros64(m)])
		if id < 0 {
			continue
		}
		for id >= len(c.counts) {
			c.counts = append(c.counts, Count{})
		}
		f(&c.counts[id])
	}
}

func (c *countingMemory) Load(t isa.Type, active uint64, addr, dst []uint64) *isa.Fault {
	c.each(active, addr, func(n *Count) { n.Loads++ })
	return c.space.Load(t, active, addr, dst)
}

func (c *countingMemory) Store(t isa.Type, active uint64, addr, val []uint64) *isa.Fault {
	c.each(active, addr, func(n *Count) { n.Stores++ })
	return c.space.Store(t, active, addr, val)
}

func (c *countingMemory) Atomic(op isa.AtomicOp, t isa.Type, active uint64, addr, val, cmp, dst []uint64) *isa.Fault {
	c.each(active, addr, func(n *Count) { n.Atomics++ })
	return c.space.Atomic(op, t, active, addr, val, cmp, dst)
}

func (c *countingMemory) ReadFF(active uint64, addr, dst []uint64) (uint64, *isa.Fault) {
	// dst may be addr, so the addresses are read before the access.
	at := append([]uint64(nil), addr...)
	blocked, f := c.space.ReadFF(active, addr, dst)
	c.each(active&^blocked, at, func(n *Count) { n.FullEmpty++ })
	return blocked, f
}

func (c *countingMemory) ReadFE(active uint64, addr, dst []uint64) (uint64, *isa.Fault) {
	at := append([]uint64(nil), addr...)
	blocked, f := c.space.ReadFE(active, addr, dst)
	c.each(active&^blocked, at, func(n *Count) { n.FullEmpty++ })
	return blocked, f
}

func (c *countingMemory) WriteEF(active uint64, addr, val []uint64) (uint64, *isa.Fault) {
	blocked, f := c.space.WriteEF(active, addr, val)
	c.each(active&^blocked, addr, func(n *Count) { n.FullEmpty++ })
	return blocked, f
}

func (c *countingMemory) Purge(active uint64, addr []uint64) *isa.Fault {
	c.each(active, addr, func(n *Count) { n.Stores++ })
	return c.space.Purge(active, addr)
}
