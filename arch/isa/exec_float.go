package isa

import "math"

func f64(bits uint64) float64 { return math.Float64frombits(bits) }

func f32(bits uint64) float32 { return math.Float32frombits(uint32(bits)) }

func bits64(x float64) uint64 { return math.Float64bits(x) }

func bits32(x float32) uint64 { return uint64(math.Float32bits(x)) }

// double is lanes2 for doubles.
func double(f func(a, b float64) float64) func(*Warp, *Inst) {
	return func(w *Warp, in *Inst) {
		d, a, b := w.row(in.D), w.row(in.A), w.row(in.B)
		for m := w.Active; m != 0; m &= m - 1 {
			l := lowest(m)
			d[l] = bits64(f(f64(a[l]), f64(b[l])))
		}
	}
}

// single is lanes2 for singles.
func single(f func(a, b float32) float32) func(*Warp, *Inst) {
	return func(w *Warp, in *Inst) {
		d, a, b := w.row(in.D), w.row(in.A), w.row(in.B)
		for m := w.Active; m != 0; m &= m - 1 {
			l := lowest(m)
			d[l] = bits32(f(f32(a[l]), f32(b[l])))
		}
	}
}

func compareF32(f func(a, b float32) bool) func(*Warp, *Inst) {
	return func(w *Warp, in *Inst) {
		d, a, b := w.row(in.D), w.row(in.A), w.row(in.B)
		for m := w.Active; m != 0; m &= m - 1 {
			l := lowest(m)
			d[l] = truth(f(f32(a[l]), f32(b[l])))
		}
	}
}

func execAddF64(w *Warp, in *Inst) {
	d, a, b := w.row(in.D), w.row(in.A), w.row(in.B)
	if a, b = a[:len(d)], b[:len(d)]; w.full() {
		for l := range d {
			d[l] = bits64(f64(a[l]) + f64(b[l]))
		}
		return
	}
	for m := w.Active; m != 0; m &= m - 1 {
		l := lowest(m)
		d[l] = bits64(f64(a[l]) + f64(b[l]))
	}
}

func execMulF64(w *Warp, in *Inst) {
	d, a, b := w.row(in.D), w.row(in.A), w.row(in.B)
	if a, b = a[:len(d)], b[:len(d)]; w.full() {
		for l := range d {
			d[l] = bits64(f64(a[l]) * f64(b[l]))
		}
		return
	}
	for m := w.Active; m != 0; m &= m - 1 {
		l := lowest(m)
		d[l] = bits64(f64(a[l]) * f64(b[l]))
	}
}

func execEqF64(w *Warp, in *Inst) {
	d, a, b := w.row(in.D), w.row(in.A), w.row(in.B)
	if a, b = a[:len(d)], b[:len(d)]; w.full() {
		for l := range d {
			d[l] = truth(f64(a[l]) == f64(b[l]))
		}
		return
	}
	for m := w.Active; m != 0; m &= m - 1 {
		l := lowest(m)
		d[l] = truth(f64(a[l]) == f64(b[l]))
	}
}

func execLtF64(w *Warp, in *Inst) {
	d, a, b := w.row(in.D), w.row(in.A), w.row(in.B)
	if a, b = a[:len(d)], b[:len(d)]; w.full() {
		for l := range d {
			d[l] = truth(f64(a[l]) < f64(b[l]))
		}
		return
	}
	for m := w.Active; m != 0; m &= m - 1 {
		l := lowest(m)
		d[l] = truth(f64(a[l]) < f64(b[l]))
	}
}

func execLeF64(w *Warp, in *Inst) {
	d, a, b := w.row(in.D), w.row(in.A), w.row(in.B)
	if a, b = a[:len(d)], b[:len(d)]; w.full() {
		for l := range d {
			d[l] = truth(f64(a[l]) <= f64(b[l]))
		}
		return
	}
	for m := w.Active; m != 0; m &= m - 1 {
		l := lowest(m)
		d[l] = truth(f64(a[l]) <= f64(b[l]))
	}
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
