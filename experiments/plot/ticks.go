package plot

import (
	"math"
	"strconv"

	gonum "gonum.org/v1/plot"
)

// at labels the given values.
type at []float64

// Ticks implements gonum's Ticker.
func (a at) Ticks(low, high float64) []gonum.Tick {
	var ticks []gonum.Tick
	for _, x := range a {
		if low <= x && x <= high {
			ticks = append(ticks, gonum.Tick{Value: x, Label: label(x)})
		}
	}
	return ticks
}

// narrow is how many decades a linear axis's ticks fit, too: there are too few
// numbers of one digit.
const narrow = 0.5

// logTicks labels powers of ten and, over few decades, numbers between.
type logTicks struct{}

// Ticks implements gonum's Ticker.
func (logTicks) Ticks(low, high float64) []gonum.Tick {
	first, last := int(math.Floor(math.Log10(low))), int(math.Ceil(math.Log10(high)))
	decades := math.Log10(high / low)
	if decades < narrow {
		return gonum.DefaultTicks{}.Ticks(low, high)
	}
	labelled := map[int]bool{1: true}
	switch {
	case decades < 0.7:
		for i := 1; i < 10; i++ {
			labelled[i] = true
		}
	case decades < 2.5:
		labelled[2], labelled[5] = true, true
	}
	every := 1 + int(decades)/8 // labelled decades
	var ticks []gonum.Tick
	for e := first; e <= last; e++ {
		for i := 1; i < 10; i++ {
			x := float64(i) * math.Pow(10, float64(e))
			if x < low*(1-1e-12) || x > high*(1+1e-12) {
				continue
			}
			t := gonum.Tick{Value: x}
			if labelled[i] && e%every == 0 {
				t.Label = label(x)
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// label writes a number as short as it can be.
func label(x float64) string {
	if m := math.Abs(x); m != 0 && (m >= 1e5 || m < 1e-3) {
		mantissa := strconv.FormatFloat(x, 'e', -1, 64)
		e := 0
		for i := range mantissa {
			if mantissa[i] == 'e' {
				e = i
			}
		}
		exponent, _ := strconv.Atoi(mantissa[e+1:])
		digits := mantissa[:e]
		if len(digits) > 4 {
			digits = strconv.FormatFloat(x/math.Pow(10, float64(exponent)), 'g', 3, 64)
		}
		return digits + "e" + strconv.Itoa(exponent)
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}
