// Package measure writes figures for people: counts, sizes, times, shares.
package measure

import (
	"math"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
)

// Count writes a whole number with its thousands apart.
func Count[N int | int64 | uint64](n N) string { return humanize.Comma(int64(n)) }

// Digits writes x with the given number of significant digits, but without
// cutting off digits before the point.
func Digits(x float64, significant int) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "-"
	}
	rounded := strconv.FormatFloat(x, 'e', significant-1, 64)
	exponent, _ := strconv.Atoi(rounded[strings.IndexByte(rounded, 'e')+1:])
	return strconv.FormatFloat(x, 'f', min(max(significant-1-exponent, 0), 9), 64)
}

// Scaled writes x with three significant digits and the largest of the units,
// each of which is step times the one before it.
func Scaled(x, step float64, units ...string) string {
	i := 0
	// A number that would round to a full step takes the next unit.
	for i < len(units)-1 && math.Abs(x) >= 0.9995*step {
		x /= step
		i++
	}
	if i == 0 && x == math.Trunc(x) && math.Abs(x) < 1e15 {
		return strings.TrimSuffix(humanize.Comma(int64(x))+" "+units[0], " ")
	}
	return strings.TrimSuffix(Digits(x, 3)+" "+units[i], " ")
}

// Rough writes a count in three significant digits, such as 1.23 M.
func Rough(x float64) string { return Scaled(x, 1000, "", "k", "M", "G", "T", "P") }

// Size writes an amount of memory.
func Size(bytes float64) string { return Scaled(bytes, 1024, "B", "KiB", "MiB", "GiB", "TiB", "PiB") }

// Duration writes a time given in seconds.
func Duration(seconds float64) string {
	switch x := math.Abs(seconds); {
	case x == 0:
		return "0 s"
	case x < 0.9995e-6:
		return Digits(seconds*1e9, 4) + " ns"
	case x < 0.9995e-3:
		return Digits(seconds*1e6, 4) + " us"
	case x < 0.9995:
		return Digits(seconds*1e3, 4) + " ms"
	}
	return Digits(seconds, 4) + " s"
}

// Percent writes a share of 1, or a dash where there is none.
func Percent(share float64) string {
	if math.IsNaN(share) || math.IsInf(share, 0) {
		return "-"
	}
	return strconv.FormatFloat(100*share, 'f', 1, 64) + " %"
}

// Bar draws a share of 1 as blocks, width columns for all of it.
func Bar(share float64, width int) string {
	if !(share > 0) {
		return ""
	}
	const eighths = "▏▎▍▌▋▊▉"
	n := int(math.Round(min(share, 1) * float64(8*width)))
	b := strings.Repeat("█", n/8)
	if rest := n % 8; rest > 0 {
		b += string([]rune(eighths)[rest-1])
	}
	return b
}

// Bandwidth writes a rate given in bytes a second.
func Bandwidth(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "-"
	}
	return Scaled(x, 1000, "B/s", "kB/s", "MB/s", "GB/s", "TB/s")
}
