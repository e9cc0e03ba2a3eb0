package experiments

import "heddle/experiments/measure"

// The ways to write figures, under the names that this package uses.
func count[N int | int64 | uint64](n N) string { return measure.Count(n) }
func digits(x float64, significant int) string { return measure.Digits(x, significant) }
func rough(x float64) string                   { return measure.Rough(x) }
func size(bytes float64) string                { return measure.Size(bytes) }
func duration(seconds float64) string          { return measure.Duration(seconds) }
func percent(share float64) string             { return measure.Percent(share) }
func bar(share float64, width int) string      { return measure.Bar(share, width) }
func bandwidth(x float64) string               { return measure.Bandwidth(x) }
