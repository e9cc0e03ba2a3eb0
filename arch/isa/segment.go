package isa

import "encoding/binary"

// Segment is a stretch of memory that is the bytes of one array.
type Segment struct {
	Base  uint64
	Data  []byte
	Array int
}

// Segmented is a Memory some of which can be reached without it.
type Segmented interface {
	Memory
	// Segment returns the stretch that addr lies in, if plain loads, or plain
	// loads and stores, of aligned elements do nothing but read and write its
	// bytes. That it does so holds until the launch ends.
	Segment(addr uint64, writes bool) (s Segment, ok bool)
}

// reach is the segment that an instruction's latest access went to, and of which
// offsets in it an access begins at: those below limit that have no bit of mask.
type reach struct {
	base, limit, mask uint64
	data              []byte
	array             int
}

// find makes r the segment of an access of size bytes at addr. It reports false,
// and leaves r, if the access has to go by the memory m, which may be nil.
func (r *reach) find(m Segmented, addr, size uint64, writes bool) bool {
	if m == nil {
		return false
	}
	g, ok := m.Segment(addr, writes)
	mask := size - 1
	if !ok || addr-g.Base+mask >= uint64(len(g.Data)) || addr&mask != 0 || g.Base&mask != 0 {
		return false
	}
	*r = reach{base: g.Base, limit: uint64(len(g.Data)) - mask, mask: mask, data: g.Data, array: g.Array}
	return true
}

// load reads an element a lane. It stops at the first lane whose element is
// outside the segment, and returns its address.
func (r *reach) load(t Type, lanes uint64, addr, dst []uint64) (stopped uint64, done bool) {
	base, limit, mask, data := r.base, r.limit, r.mask, r.data
	addr = addr[:len(dst)]
	switch t {
	case I32:
		for m := lanes; m != 0; m &= m - 1 {
			l := lowest(m)
			at := addr[l] - base
			if at >= limit || at&mask != 0 {
				return addr[l], false
			}
			dst[l] = uint64(int32(binary.LittleEndian.Uint32(data[at:])))
		}
	case I64, F64:
		for m := lanes; m != 0; m &= m - 1 {
			l := lowest(m)
			at := addr[l] - base
			if at >= limit || at&mask != 0 {
				return addr[l], false
			}
			dst[l] = binary.LittleEndian.Uint64(data[at:])
		}
	default:
		for m := lanes; m != 0; m &= m - 1 {
			l := lowest(m)
			at := addr[l] - base
			if at >= limit || at&mask != 0 {
				return addr[l], false
			}
			dst[l] = decode(t, data[at:])
		}
	}
	return 0, true
}

// store writes an element a lane, in ascending order. It stops as load does.
func (r *reach) store(t Type, lanes uint64, addr, val []uint64) (stopped uint64, done bool) {
	base, limit, mask, data := r.base, r.limit, r.mask, r.data
	addr = addr[:len(val)]
	for m := lanes; m != 0; m &= m - 1 {
		l := lowest(m)
		at := addr[l] - base
		if at >= limit || at&mask != 0 {
			return addr[l], false
		}
		encode(t, data[at:], val[l])
	}
	return 0, true
}

// load performs a load of global memory, directly where it can be.
func (w *Warp) load(in *Inst, addr, dst []uint64) {
	r := &w.steps[w.PC-1].reach
	for tried := false; ; tried = true {
		stopped, done := r.load(in.Type, w.Active, addr, dst)
		if done {
			return
		}
		if tried || !r.find(w.segmented, stopped, uint64(in.Type.Size()), false) {
			w.check(w.Memory.Load(in.Type, w.Active, addr, dst))
			return
		}
	}
}

// store performs a store to global memory, directly where it can be.
func (w *Warp) store(in *Inst, addr, val []uint64) {
	r := &w.steps[w.PC-1].reach
	for tried := false; ; tried = true {
		stopped, done := r.store(in.Type, w.Active, addr, val)
		if done {
			return
		}
		if tried || !r.find(w.segmented, stopped, uint64(in.Type.Size()), true) {
			w.check(w.Memory.Store(in.Type, w.Active, addr, val))
			return
		}
	}
}
