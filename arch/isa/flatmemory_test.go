package isa

// flatMemory is a memory of bytes at address 0, every word with a full/empty
// bit.
type flatMemory struct {
	bytes []byte
	full  []bool // of each word
}

func newFlatMemory(n int) *flatMemory {
	return &flatMemory{bytes: make([]byte, n), full: make([]bool, n/8)}
}

// each runs do on the bytes of every active lane's element.
func (m *flatMemory) each(t Type, active uint64, addr []uint64, do func(l int, p []byte)) *Fault {
	for ; active != 0; active &= active - 1 {
		l := lowest(active)
		n, at := uint64(t.Size()), addr[l]
		switch {
		case at >= uint64(len(m.bytes)) || at+n > uint64(len(m.bytes)):
			return &Fault{Lane: l, Addr: at, Size: int(n), Reason: OutOfBounds}
		case at%n != 0:
			return &Fault{Lane: l, Addr: at, Size: int(n), Reason: Misaligned}
		}
		do(l, m.bytes[at:at+n])
	}
	return nil
}

func (m *flatMemory) Load(t Type, active uint64, addr, dst []uint64) *Fault {
	return m.each(t, active, addr, func(l int, p []byte) { dst[l] = decode(t, p) })
}

func (m *flatMemory) Store(t Type, active uint64, addr, val []uint64) *Fault {
	return m.each(t, active, addr, func(l int, p []byte) { encode(t, p, val[l]) })
}

func (m *flatMemory) Atomic(op AtomicOp, t Type, active uint64, addr, val, cmp, dst []uint64) *Fault {
	return m.each(t, active, addr, func(l int, p []byte) {
		old, expected := decode(t, p), uint64(0)
		if op == CompareSwap {
			expected = cmp[l]
		}
		encode(t, p, Combine(op, t, old, val[l], expected))
		if dst != nil {
			dst[l] = old
		}
	})
}

// await runs do on the words whose full/empty bit is want.
func (m *flatMemory) await(want bool, active uint64, addr []uint64, do func(l int, p []byte)) (blocked uint64, f *Fault) {
	f = m.each(I64, active, addr, func(l int, p []byte) {
		if m.full[addr[l]/8] != want {
			blocked |= 1 << l
			return
		}
		do(l, p)
	})
	return blocked, f
}

func (m *flatMemory) ReadFF(active uint64, addr, dst []uint64) (uint64, *Fault) {
	return m.await(true, active, addr, func(l int, p []byte) { dst[l] = decode(I64, p) })
}

func (m *flatMemory) ReadFE(active uint64, addr, dst []uint64) (uint64, *Fault) {
	return m.await(true, active, addr, func(l int, p []byte) {
		at := addr[l] // dst may be addr's register
		dst[l] = decode(I64, p)
		m.full[at/8] = false
	})
}

func (m *flatMemory) WriteEF(active uint64, addr, val []uint64) (uint64, *Fault) {
	return m.await(false, active, addr, func(l int, p []byte) {
		encode(I64, p, val[l])
		m.full[addr[l]/8] = true
	})
}

func (m *flatMemory) Purge(active uint64, addr []uint64) *Fault {
	return m.each(I64, active, addr, func(l int, p []byte) {
		clear(p)
		m.full[addr[l]/8] = false
	})
}
