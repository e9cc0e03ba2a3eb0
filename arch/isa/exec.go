package isa

import "math/bits"

// Every semantic function runs over the active lanes. The instructions that
// dominate graph kernels have loops of their own, with a path for full warps;
// the others share a loop and pay a call a lane.

func (w *Warp) full() bool { return w.Active == w.all }

func execMov(w *Warp, in *Inst) {
	d, a := w.row(in.D), w.row(in.A)
	if w.full() {
		copy(d, a)
		return
	}
	for m := w.Active; m != 0; m &= m - 1 {
		l := lowest(m)
		d[l] = a[l]
	}
}

func execSelect(w *Warp, in *Inst) {
	d, a, b, c := w.row(in.D), w.row(in.A), w.row(in.B), w.row(in.C)
	for m := w.Active; m != 0; m &= m - 1 {
		l := lowest(m)
		v := c[l]
		if a[l] != 0 {
			v = b[l]
		}
		d[l] = v
	}
}

func execAdd(w *Warp, in *Inst) {
	d, a, b := w.row(in.D), w.row(in.A), w.row(in.B)
	if a, b = a[:len(d)], b[:len(d)]; w.full() {
		for l := range d {
			d[l] = a[l] + b[l]
		}
		return
	}
	for m := w.Active; m != 0; m &= m - 1 {
		l := lowest(m)
		d[l] = a[l] + b[l]
	}
}

func execSub(w *Warp, in *Inst) {
	d, a, b := w.row(in.D), w.row(in.A), w.row(in.B)
	if a, b = a[:len(d)], b[:len(d)]; w.full() {
		for l := range d {
			d[l] = a[l] - b[l]
		}
		return
	}
	for m := w.Active; m != 0; m &= m - 1 {
		l := lowest(m)
		d[l] = a[l] - b[l]
	}
}

func execAnd(w *Warp, in *Inst) {
	d, a, b := w.row(in.D), w.row(in.A), w.row(in.B)
	if a, b = a[:len(d)], b[:len(d)]; w.full() {
		for l := range d {
			d[l] = a[l] & b[l]
		}
		return
	}
	for m := w.Active; m != 0; m &= m - 1 {
		l := lowest(m)
		d[l] = a[l] & b[l]
	}
}

func execOr(w *Warp, in *Inst) {
	d, a, b := w.row(in.D), w.row(in.A), w.row(in.B)
	if a, b = a[:len(d)], b[:len(d)]; w.full() {
		for l := range d {
			d[l] = a[l] | b[l]
		}
		return
	}
	for m := w.Active; m != 0; m &= m - 1 {
		l := lowest(m)
		d[l] = a[l] | b[l]
	}
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func execEq(w *Warp, in *Inst) {
	d, a, b := w.row(in.D), w.row(in.A), w.row(in.B)
	if a, b = a[:len(d)], b[:len(d)]; w.full() {
		for l := range d {
			d[l] = truth(a[l] == b[l])
		}
		return
	}
	for m := w.Active; m != 0; m &= m - 1 {
		l := lowest(m)
		d[l] = truth(a[l] == b[l])
	}
}

func execNe(w *Warp, in *Inst) {
	d, a, b := w.row(in.D), w.row(in.A), w.row(in.B)
	if a, b = a[:len(d)], b[:len(d)]; w.full() {
		for l := range d {
			d[l] = truth(a[l] != b[l])
		}
		return
	}
	for m := w.Active; m != 0; m &= m - 1 {
		l := lowest(m)
		d[l] = truth(a[l] != b[l])
	}
}

func execLt(w *Warp, in *Inst) {
	d, a, b := w.row(in.D), w.row(in.A), w.row(in.B)
	if a, b = a[:len(d)], b[:len(d)]; w.full() {
		for l := range d {
			d[l] = truth(int64(a[l]) < int64(b[l]))
		}
		return
	}
	for m := w.Active; m != 0; m &= m - 1 {
		l := lowest(m)
		d[l] = truth(int64(a[l]) < int64(b[l]))
	}
}

func execLe(w *Warp, in *Inst) {
	d, a, b := w.row(in.D), w.row(in.A), w.row(in.B)
	if a, b = a[:len(d)], b[:len(d)]; w.full() {
		for l := range d {
			d[l] = truth(int64(a[l]) <= int64(b[l]))
		}
		return
	}
	for m := w.Active; m != 0; m &= m - 1 {
		l := lowest(m)
		d[l] = truth(int64(a[l]) <= int64(b[l]))
	}
}

func execMul(w *Warp, in *Inst) {
	d, a, b := w.row(in.D), w.row(in.A), w.row(in.B)
	if a, b = a[:len(d)], b[:len(d)]; w.full() {
		for l := range d {
			d[l] = a[l] * b[l]
		}
		return
	}
	for m := w.Active; m != 0; m &= m - 1 {
		l := lowest(m)
		d[l] = a[l] * b[l]
	}
}

func execShl(w *Warp, in *Inst) {
	d, a, b := w.row(in.D), w.row(in.A), w.row(in.B)
	if a, b = a[:len(d)], b[:len(d)]; w.full() {
		for l := range d {
			d[l] = a[l] << b[l]
		}
		return
	}
	for m := w.Active; m != 0; m &= m - 1 {
		l := lowest(m)
		d[l] = a[l] << b[l]
	}
}

func lanes1(f func(a uint64) uint64) func(*Warp, *Inst) {
	return func(w *Warp, in *Inst) {
		d, a := w.row(in.D), w.row(in.A)
		for m := w.Active; m != 0; m &= m - 1 {
			l := lowest(m)
			d[l] = f(a[l])
		}
	}
}

func lanes2(f func(a, b uint64) uint64) func(*Warp, *Inst) {
	return func(w *Warp, in *Inst) {
		d, a, b := w.row(in.D), w.row(in.A), w.row(in.B)
		for m := w.Active; m != 0; m &= m - 1 {
			l := lowest(m)
			d[l] = f(a[l], b[l])
		}
	}
}

// divide guards f against a zero divisor and the one quotient that overflows.
func divide(f func(a, b int64) int64) func(*Warp, *Inst) {
	return func(w *Warp, in *Inst) {
		d, a, b := w.row(in.D), w.row(in.A), w.row(in.B)
		for m := w.Active; m != 0; m &= m - 1 {
			l := lowest(m)
			if b[l] == 0 {
				w.fault(&Fault{Lane: l, Reason: DivideByZero})
				return
			}
			d[l] = uint64(f(int64(a[l]), int64(b[l])))
		}
	}
}

func popcount(a uint64) uint64 { return uint64(bits.OnesCount64(a)) }

func findFirst(a uint64) uint64 {
	if a == 0 {
		return 0
	}
	return uint64(bits.TrailingZeros64(a) + 1)
}

func execClock(w *Warp, in *Inst) {
	d := w.row(in.D)
	for m := w.Active; m != 0; m &= m - 1 {
		d[lowest(m)] = w.Clock
	}
}
