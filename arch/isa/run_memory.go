package isa

import "encoding/binary"

// move executes a load or store of global memory whose lanes differ in their
// index alone. It returns the array that the first lane accessed, -1 if that is
// to be found by its address.
func (w *Warp) move(s *step, active uint64, pc int32) (array int) {
	first := w.banks.lanes(s.a)[lowest(active)] + s.offset
	index := w.banks.lanes(s.b)
	left := active
	array = -1
	for {
		var rest uint64
		if s.form == loads {
			rest = s.gather(left, first, index, w.banks.lanes(s.d))
		} else {
			rest = s.scatter(left, first, index, w.banks.lanes(s.c))
		}
		if left == active && rest != active {
			array = s.array
		}
		if rest == 0 {
			return array
		}
		left = rest
		if !s.find(w.segmented, first+index[lowest(left)]*s.scale, s.mask+1, s.form == stores) {
			break
		}
	}
	in := &w.code[pc]
	addr := w.address(in, left)
	if s.form == loads {
		w.check(w.Memory.Load(in.Type, left, addr, w.row(in.D)))
	} else {
		w.check(w.Memory.Store(in.Type, left, addr, w.row(in.C)))
	}
	return array
}

// gather loads the elements at first + index*scale, as far as they are in the
// segment of the step's latest access. It returns the lanes that are left.
func (s *step) gather(active, first uint64, index, d *[MaxWidth]uint64) (rest uint64) {
	start, scale, limit, mask, data := first-s.base, s.scale, s.limit, s.mask, s.data
	switch s.element {
	case I32:
		for m := active; m != 0; m &= m - 1 {
			l := lowest(m)
			at := start + index[l]*scale
			if at >= limit || at&mask != 0 {
				return m
			}
			d[l] = uint64(int32(binary.LittleEndian.Uint32(data[at:])))
		}
	case I64, F64:
		for m := active; m != 0; m &= m - 1 {
			l := lowest(m)
			at := start + index[l]*scale
			if at >= limit || at&mask != 0 {
				return m
			}
			d[l] = binary.LittleEndian.Uint64(data[at:])
		}
	default:
		for m := active; m != 0; m &= m - 1 {
			l := lowest(m)
			at := start + index[l]*scale
			if at >= limit || at&mask != 0 {
				return m
			}
			d[l] = decode(s.element, data[at:])
		}
	}
	return 0
}

// scatter stores values as gather loads them, in ascending order of lanes.
func (s *step) scatter(active, first uint64, index, values *[MaxWidth]uint64) (rest uint64) {
	start, scale, limit, mask, data := first-s.base, s.scale, s.limit, s.mask, s.data
	for m := active; m != 0; m &= m - 1 {
		l := lowest(m)
		at := start + index[l]*scale
		if at >= limit || at&mask != 0 {
			return m
		}
		encode(s.element, data[at:], values[l])
	}
	return 0
}
