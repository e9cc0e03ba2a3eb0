package isa

import (
	"math"
	"math/bits"
)

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

func double(f func(a, b float64) float64) func(*Warp, *Inst) {
	return lanes2(func(a, b uint64) uint64 {
		return math.Float64bits(f(math.Float64frombits(a), math.Float64frombits(b)))
	})
}

func single(f func(a, b float32) float32) func(*Warp, *Inst) {
	return lanes2(func(a, b uint64) uint64 {
		return uint64(math.Float32bits(f(math.Float32frombits(uint32(a)), math.Float32frombits(uint32(b)))))
	})
}

func compareF64(f func(a, b float64) bool) func(*Warp, *Inst) {
	return lanes2(func(a, b uint64) uint64 {
		return truth(f(math.Float64frombits(a), math.Float64frombits(b)))
	})
}

func compareF32(f func(a, b float32) bool) func(*Warp, *Inst) {
	return lanes2(func(a, b uint64) uint64 {
		return truth(f(math.Float32frombits(uint32(a)), math.Float32frombits(uint32(b))))
	})
}

func execFMAF64(w *Warp, in *Inst) {
	d, a, b, c := w.row(in.D), w.row(in.A), w.row(in.B), w.row(in.C)
	for m := w.Active; m != 0; m &= m - 1 {
		l := lowest(m)
		d[l] = math.Float64bits(math.FMA(math.Float64frombits(a[l]), math.Float64frombits(b[l]), math.Float64frombits(c[l])))
	}
}

func execFMAF32(w *Warp, in *Inst) {
	d, a, b, c := w.row(in.D), w.row(in.A), w.row(in.B), w.row(in.C)
	for m := w.Active; m != 0; m &= m - 1 {
		l := lowest(m)
		d[l] = uint64(math.Float32bits(fmaF32(math.Float32frombits(uint32(a[l])),
			math.Float32frombits(uint32(b[l])), math.Float32frombits(uint32(c[l])))))
	}
}

// fmaF32 rounds a*b+c once. The product of two singles is exact in a double;
// the sum is rounded to odd there, so that rounding to single is correct
// (Boldo and Melquiond, 2008).
func fmaF32(a, b, c float32) float32 {
	p, q := float64(a)*float64(b), float64(c)
	s := p + q
	if math.IsInf(s, 0) || math.IsNaN(s) {
		return float32(s)
	}
	// TwoSum gives the rounding error of s exactly.
	t := s - p
	e := (p - (s - t)) + (q - t)
	if e != 0 && math.Float64bits(s)&1 == 0 {
		if (e > 0) == (s > 0) {
			s = math.Float64frombits(math.Float64bits(s) + 1)
		} else {
			s = math.Float64frombits(math.Float64bits(s) - 1)
		}
	}
	return float32(s)
}

func popcount(a uint64) uint64 { return uint64(bits.OnesCount64(a)) }

func findFirst(a uint64) uint64 {
	if a == 0 {
		return 0
	}
	return uint64(bits.TrailingZeros64(a) + 1)
}

func sqrtF64(a uint64) uint64 { return math.Float64bits(math.Sqrt(math.Float64frombits(a))) }

func sqrtF32(a uint64) uint64 {
	return uint64(math.Float32bits(float32(math.Sqrt(float64(math.Float32frombits(uint32(a)))))))
}

func i64ToF64(a uint64) uint64 { return math.Float64bits(float64(int64(a))) }

func i64ToF32(a uint64) uint64 { return uint64(math.Float32bits(float32(int64(a)))) }

// f64ToI64 saturates, so that every host gives the same bits.
func f64ToI64(a uint64) uint64 {
	switch x := math.Float64frombits(a); {
	case x != x:
		return 0
	case x >= 1<<63:
		return math.MaxInt64
	case x < -1<<63:
		return 1 << 63
	default:
		return uint64(int64(x))
	}
}

func f32ToI64(a uint64) uint64 { return f64ToI64(f32ToF64(a)) }

func f32ToF64(a uint64) uint64 {
	return math.Float64bits(float64(math.Float32frombits(uint32(a))))
}

func f64ToF32(a uint64) uint64 {
	return uint64(math.Float32bits(float32(math.Float64frombits(a))))
}

func execClock(w *Warp, in *Inst) {
	d := w.row(in.D)
	for m := w.Active; m != 0; m &= m - 1 {
		d[lowest(m)] = w.Clock
	}
}

// spread writes v to the active lanes of register r.
func (w *Warp) spread(r Reg, v uint64) {
	d := w.row(r)
	for m := w.Active; m != 0; m &= m - 1 {
		d[lowest(m)] = v
	}
}

func execBallot(w *Warp, in *Inst) { w.spread(in.D, w.nonZero(in.A)) }

func execAny(w *Warp, in *Inst) { w.spread(in.D, truth(w.nonZero(in.A) != 0)) }

func execAll(w *Warp, in *Inst) { w.spread(in.D, truth(w.nonZero(in.A) == w.Active)) }

func shuffleBy(from func(lane, b int) int) func(*Warp, *Inst) {
	return func(w *Warp, in *Inst) {
		var old [MaxWidth]uint64
		d, b := w.row(in.D), w.row(in.B)
		copy(old[:], w.row(in.A))
		for m := w.Active; m != 0; m &= m - 1 {
			l := lowest(m)
			src := from(l, int(b[l]))
			if src < 0 || src >= w.Width || w.Active>>src&1 == 0 {
				src = l
			}
			d[l] = old[src]
		}
	}
}
