package sim

import "math/bits"

// Divisor divides by a number that is known when a component is built, without
// a division instruction for dividends below 2^32 or divisors that are powers
// of two: addresses are divided several times on each access.
type Divisor struct {
	n       uint64
	inverse uint64 // 2^64/n, rounded up
	shift   uint8
	power   bool // n is 2^shift
}

// NewDivisor returns the divisor n, which must be from 1 to 2^32-1.
func NewDivisor(n uint64) Divisor {
	if n == 0 || n>>32 != 0 {
		panic("sim: a divisor is from 1 to 2^32-1")
	}
	d := Divisor{n: n, shift: uint8(bits.TrailingZeros64(n)), power: n&(n-1) == 0}
	if !d.power {
		d.inverse = ^uint64(0)/n + 1
	}
	return d
}

// Split returns the quotient and the remainder of x.
func (d *Divisor) Split(x uint64) (quotient, remainder uint64) {
	switch {
	case d.power:
		return x >> (d.shift & 63), x & (d.n - 1)
	case x>>32 == 0:
		// Exact, as the error of the inverse is below 2^-32 (Lemire, Kaser and
		// Kurz, "Faster remainder by direct computation", 2019).
		q, _ := bits.Mul64(d.inverse, x)
		return q, x - q*d.n
	}
	q := x / d.n
	return q, x - q*d.n
}
