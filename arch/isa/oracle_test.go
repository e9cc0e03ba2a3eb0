package isa

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// The oracle computes every instruction that works lane by lane on numbers
// without bound, and rounds once.

func signed(a uint64) *big.Int { return big.NewInt(int64(a)) }

func unsigned(a uint64) *big.Int { return new(big.Int).SetUint64(a) }

// low returns the low 64 bits of z.
func low(z *big.Int) uint64 {
	return new(big.Int).And(z, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
}

func ints(f func(z, a, b *big.Int)) func(x [3]uint64) uint64 {
	return func(x [3]uint64) uint64 {
		z := new(big.Int)
		f(z, signed(x[0]), signed(x[1]))
		return low(z)
	}
}

func relation(holds func(cmp int) bool) func(x [3]uint64) uint64 {
	return func(x [3]uint64) uint64 {
		if holds(signed(x[0]).Cmp(signed(x[1]))) {
			return 1
		}
		return 0
	}
}

// A format converts between bits and exact values. Precision holds any sum of
// a product and a double exactly.
const precision = 4500

type format struct {
	value func(bits uint64) float64
	round func(z *big.Float) uint64
}

var doubles = format{math.Float64frombits, func(z *big.Float) uint64 { f, _ := z.Float64(); return math.Float64bits(f) }}

var singles = format{
	func(bits uint64) float64 { return float64(math.Float32frombits(uint32(bits))) },
	func(z *big.Float) uint64 { f, _ := z.Float32(); return uint64(math.Float32bits(f)) },
}

// exact computes on finite values and rounds; it gives no answer where a value
// is not finite, or where the exact operation has none.
func (ft format) exact(f func(z, a, b, c *big.Float)) func(x [3]uint64) (uint64, bool) {
	return func(x [3]uint64) (bits uint64, ok bool) {
		defer func() {
			if _, isNaN := recover().(big.ErrNaN); isNaN {
				ok = false
			}
		}()
		var v [3]*big.Float
		for i := range v {
			a := ft.value(x[i])
			if math.IsNaN(a) || math.IsInf(a, 0) {
				return 0, false
			}
			v[i] = new(big.Float).SetPrec(precision).SetFloat64(a)
		}
		z := new(big.Float).SetPrec(precision)
		f(z, v[0], v[1], v[2])
		return ft.round(z), true
	}
}

func (ft format) relation(holds func(cmp int) bool) func(x [3]uint64) (uint64, bool) {
	return func(x [3]uint64) (uint64, bool) {
		a, b := ft.value(x[0]), ft.value(x[1])
		if math.IsNaN(a) || math.IsNaN(b) {
			return 0, true
		}
		if holds(big.NewFloat(a).Cmp(big.NewFloat(b))) {
			return 1, true
		}
		return 0, true
	}
}

func (ft format) pick(cmp int) func(x [3]uint64) (uint64, bool) {
	return ft.exact(func(z, a, b, _ *big.Float) {
		order := a.Cmp(b)
		if order == 0 && a.Signbit() != b.Signbit() { // -0 is below 0
			order = 1
			if a.Signbit() {
				order = -1
			}
		}
		if z.Set(a); order == -cmp {
			z.Set(b)
		}
	})
}

// towardsZero converts to an integer; what does not fit becomes the nearest
// that does.
func (ft format) towardsZero(x [3]uint64) (uint64, bool) {
	a := ft.value(x[0])
	switch {
	case math.IsNaN(a):
		return 0, true
	case math.IsInf(a, 1):
		return math.MaxInt64, true
	case math.IsInf(a, -1):
		return 1 << 63, true
	}
	z, _ := big.NewFloat(a).Int(nil)
	if !z.IsInt64() {
		if z.Sign() > 0 {
			return math.MaxInt64, true
		}
		return 1 << 63, true
	}
	return low(z), true
}

func (ft format) ops(suffix string, into map[string]func(x [3]uint64) (uint64, bool)) {
	into["add."+suffix] = ft.exact(func(z, a, b, _ *big.Float) { z.Add(a, b) })
	into["sub."+suffix] = ft.exact(func(z, a, b, _ *big.Float) { z.Sub(a, b) })
	into["mul."+suffix] = ft.exact(func(z, a, b, _ *big.Float) { z.Mul(a, b) })
	into["div."+suffix] = ft.exact(func(z, a, b, _ *big.Float) { z.Quo(a, b) })
	into["fma."+suffix] = ft.exact(func(z, a, b, c *big.Float) { z.Mul(a, b); z.Add(z, c) })
	into["sqrt."+suffix] = ft.exact(func(z, a, _, _ *big.Float) { z.Sqrt(a) })
	into["min."+suffix] = ft.pick(-1)
	into["max."+suffix] = ft.pick(1)
	into["eq."+suffix] = ft.relation(func(c int) bool { return c == 0 })
	into["lt."+suffix] = ft.relation(func(c int) bool { return c < 0 })
	into["le."+suffix] = ft.relation(func(c int) bool { return c <= 0 })
	into["cvt.i64."+suffix] = ft.towardsZero
}

// oracle returns what each instruction leaves in its destination, by name.
func oracle() map[string]func(x [3]uint64) (uint64, bool) {
	all := map[string]func(x [3]uint64) (uint64, bool){}
	doubles.ops("f64", all)
	singles.ops("f32", all)
	all["cvt.f64.f32"] = func(x [3]uint64) (uint64, bool) {
		v := singles.value(x[0])
		return doubles.round(big.NewFloat(1).SetPrec(53).Mul(big.NewFloat(1), finite(v))), v == v && !math.IsInf(v, 0)
	}
	all["cvt.f32.f64"] = func(x [3]uint64) (uint64, bool) {
		v := doubles.value(x[0])
		return singles.round(finite(v)), v == v && !math.IsInf(v, 0)
	}
	for name, f := range map[string]func(x [3]uint64) uint64{
		"mov":         func(x [3]uint64) uint64 { return x[0] },
		"add":         ints(func(z, a, b *big.Int) { z.Add(a, b) }),
		"sub":         ints(func(z, a, b *big.Int) { z.Sub(a, b) }),
		"mul":         ints(func(z, a, b *big.Int) { z.Mul(a, b) }),
		"div":         ints(func(z, a, b *big.Int) { z.Quo(a, b) }),
		"rem":         ints(func(z, a, b *big.Int) { z.Rem(a, b) }),
		"and":         ints(func(z, a, b *big.Int) { z.And(a, b) }),
		"or":          ints(func(z, a, b *big.Int) { z.Or(a, b) }),
		"xor":         ints(func(z, a, b *big.Int) { z.Xor(a, b) }),
		"not":         ints(func(z, a, _ *big.Int) { z.Not(a) }),
		"eq":          relation(func(c int) bool { return c == 0 }),
		"ne":          relation(func(c int) bool { return c != 0 }),
		"lt":          relation(func(c int) bool { return c < 0 }),
		"le":          relation(func(c int) bool { return c <= 0 }),
		"shl":         func(x [3]uint64) uint64 { return low(new(big.Int).Lsh(unsigned(x[0]), uint(min(x[1], 64)))) },
		"shr":         func(x [3]uint64) uint64 { return low(new(big.Int).Rsh(unsigned(x[0]), uint(min(x[1], 64)))) },
		"sar":         func(x [3]uint64) uint64 { return low(new(big.Int).Rsh(signed(x[0]), uint(min(x[1], 64)))) },
		"cvt.f64.i64": func(x [3]uint64) uint64 { return doubles.round(new(big.Float).SetInt(signed(x[0]))) },
		"cvt.f32.i64": func(x [3]uint64) uint64 { return singles.round(new(big.Float).SetInt(signed(x[0]))) },
		"clock":       func([3]uint64) uint64 { return 77 },
		"sel": func(x [3]uint64) uint64 {
			if x[0] == 0 {
				return x[2]
			}
			return x[1]
		},
		"min": func(x [3]uint64) uint64 {
			if signed(x[0]).Cmp(signed(x[1])) > 0 {
				return x[1]
			}
			return x[0]
		},
		"max": func(x [3]uint64) uint64 {
			if signed(x[0]).Cmp(signed(x[1])) < 0 {
				return x[1]
			}
			return x[0]
		},
		"popc": func(x [3]uint64) (n uint64) {
			for i := range 64 {
				n += uint64(unsigned(x[0]).Bit(i))
			}
			return n
		},
		"ffs": func(x [3]uint64) uint64 {
			for i := range 64 {
				if unsigned(x[0]).Bit(i) == 1 {
					return uint64(i + 1)
				}
			}
			return 0
		},
	} {
		all[name] = func(x [3]uint64) (uint64, bool) { return f(x), true }
	}
	return all
}

// finite returns v, or 1 where it has no exact value.
func finite(v float64) *big.Float {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		v = 1
	}
	return big.NewFloat(v)
}

// floatBits64 returns a double of any kind: ordinary, huge, tiny, subnormal,
// near a half-way case, zero, infinite or NaN.
func floatBits64(r *rand.Rand) uint64 {
	switch r.IntN(6) {
	case 0:
		return r.Uint64()
	case 1:
		special := []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64,
			math.SmallestNonzeroFloat64, 1 << 53, 1<<63 - 1024, 1 << 63, -1 << 63, 0.5, 1.5, 1 + 1.0/(1<<24)}
		return math.Float64bits(special[r.IntN(len(special))])
	case 2:
		return r.Uint64N(1 << 53) // subnormal, mostly
	}
	return math.Float64bits(math.Ldexp(float64(r.Int64N(1<<54)-1<<53), r.IntN(80)-60))
}

func floatBits32(r *rand.Rand) uint32 {
	switch r.IntN(5) {
	case 0:
		return r.Uint32()
	case 1:
		return math.Float32bits(float32(math.Float64frombits(floatBits64(r))))
	case 2:
		return r.Uint32N(1 << 24)
	}
	return math.Float32bits(float32(math.Ldexp(float64(r.Int32N(1<<25)-1<<24), r.IntN(60)-40)))
}

// Every instruction that works lane by lane computes what the oracle does.
func TestSemantics(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	want := oracle()
	for op := range NumOps {
		row := &Table[op]
		switch row.Unit {
		case UnitControl, UnitNone, UnitSync, UnitMemory, UnitWarp:
			continue // tests of their own
		}
		f, ok := want[row.Name]
		if !ok {
			t.Errorf("%s: the oracle does not know it", row.Name)
			continue
		}
		answers := 0
		for range 500 {
			tr := randomTrial(r, op, Global)
			out := tr.run(t)
			for l := range trialWidth {
				x := [3]uint64{tr.rows[1][l], tr.rows[2][l], tr.rows[3][l]}
				w, ok := f(x)
				if tr.active>>l&1 == 0 || !ok {
					continue
				}
				answers++
				if got := out.rows[0][l]; got != w {
					t.Fatalf("%s of %#x, %#x, %#x is %#x, want %#x", row.Name, x[0], x[1], x[2], got, w)
				}
			}
		}
		if answers < 1000 {
			t.Errorf("%s: the oracle answered %d times", row.Name, answers)
		}
	}
}

// What is not finite follows IEEE 754.
func TestSpecialValues(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		name       string
		d, f       Op
		a, b, c, z float64
	}{
		{"inf - inf", OpSubF64, OpSubF32, inf, inf, 0, nan},
		{"inf + 1", OpAddF64, OpAddF32, inf, 1, 0, inf},
		{"0 * inf", OpMulF64, OpMulF32, 0, inf, 0, nan},
		{"1 / 0", OpDivF64, OpDivF32, 1, 0, 0, inf},
		{"-1 / 0", OpDivF64, OpDivF32, -1, 0, 0, -inf},
		{"0 / 0", OpDivF64, OpDivF32, 0, 0, 0, nan},
		{"1 / inf", OpDivF64, OpDivF32, 1, inf, 0, 0},
		{"sqrt -1", OpSqrtF64, OpSqrtF32, -1, 0, 0, nan},
		{"sqrt inf", OpSqrtF64, OpSqrtF32, inf, 0, 0, inf},
		{"inf * 1 - inf", OpFMAF64, OpFMAF32, inf, 1, -inf, nan},
		{"1 * 1 + inf", OpFMAF64, OpFMAF32, 1, 1, inf, inf},
		{"min(NaN, 1)", OpMinF64, OpMinF32, nan, 1, 0, nan},
		{"max(1, NaN)", OpMaxF64, OpMaxF32, 1, nan, 0, nan},
		{"max(1, inf)", OpMaxF64, OpMaxF32, 1, inf, 0, inf},
	} {
		for _, op := range []Op{c.d, c.f} {
			tr := randomTrial(rand.New(rand.NewPCG(1, 1)), op, Global)
			tr.active = 1
			single := Table[op].Form.D == F32
			for i, v := range []float64{c.a, c.b, c.c} {
				tr.rows[i+1][0] = math.Float64bits(v)
				if single {
					tr.rows[i+1][0] = uint64(math.Float32bits(float32(v)))
				}
			}
			bits := tr.run(t).rows[0][0]
			got := math.Float64frombits(bits)
			if single {
				got = float64(math.Float32frombits(uint32(bits)))
			}
			if got != c.z && !(math.IsNaN(got) && math.IsNaN(c.z)) {
				t.Errorf("%s by %s is %v, want %v", c.name, Table[op].Name, got, c.z)
			}
		}
	}
}

// The one division of integers that overflows gives what wraps around.
func TestDivisionThatOverflows(t *testing.T) {
	for op, want := range map[Op]uint64{OpDiv: 1 << 63, OpRem: 0} {
		tr := randomTrial(rand.New(rand.NewPCG(1, 1)), op, Global)
		tr.active, tr.rows[1][0], tr.rows[2][0] = 1, 1<<63, math.MaxUint64
		if got := tr.run(t).rows[0][0]; got != want {
			t.Errorf("%s of the least integer by -1 is %#x, want %#x", Table[op].Name, got, want)
		}
	}
}

// A product half-way between two singles is rounded by what is added, even if
// that is far below a double's precision.
func TestFMARoundsOnce(t *testing.T) {
	want := oracle()["fma.f32"]
	for _, a := range []float64{1 + 1.0/(1<<12), 1 - 1.0/(1<<12), 1.5 + 1.0/(1<<12), -1 - 1.0/(1<<12)} {
		for scale := -40; scale <= 40; scale++ {
			for below := 20; below < 100; below++ {
				for _, sign := range []float64{1, -1} {
					x := [3]uint64{}
					for i, v := range []float64{math.Ldexp(a, scale), 1 + 1.0/(1<<12), math.Ldexp(sign, scale-below)} {
						x[i] = uint64(math.Float32bits(float32(v)))
					}
					got := uint64(math.Float32bits(fmaF32(math.Float32frombits(uint32(x[0])), math.Float32frombits(uint32(x[1])), math.Float32frombits(uint32(x[2])))))
					if w, _ := want(x); got != w {
						t.Fatalf("%#x * %#x + %#x is %#x, want %#x", x[0], x[1], x[2], got, w)
					}
				}
			}
		}
	}
}
