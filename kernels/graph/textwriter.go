package graph

import (
	"bufio"
	"math"
	"strconv"
)

// textWriter writes words; errors wait for Flush.
type textWriter struct{ *bufio.Writer }

func (w textWriter) text(s string) { _, _ = w.WriteString(s) }

// integers writes numbers with a space between.
func (w textWriter) integers(list ...int64) {
	for i, n := range list {
		if i > 0 {
			_ = w.WriteByte(' ')
		}
		_, _ = w.Write(strconv.AppendInt(w.AvailableBuffer(), n, 10))
	}
}

// number writes the shortest text that reads back as the same float64, whole
// numbers without exponent.
func (w textWriter) number(f float64) {
	if isInteger(f) {
		w.integers(int64(f))
		return
	}
	_, _ = w.Write(strconv.AppendFloat(w.AvailableBuffer(), f, 'g', -1, 64))
}

// isInteger says whether f is a whole number that float64 holds exactly and
// prints without loss; -0 is not, its sign would be lost.
func isInteger(f float64) bool {
	return f == math.Trunc(f) && math.Abs(f) <= 1<<53 && !(f == 0 && math.Signbit(f))
}

// integral says whether all weights are whole numbers.
func (g *Graph) integral() bool {
	for _, w := range g.Weight {
		if !isInteger(w) {
			return false
		}
	}
	return true
}
