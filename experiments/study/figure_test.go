package study

import (
	"slices"
	"testing"
)

func TestNumeric(t *testing.T) {
	for _, c := range []struct {
		values []string
		unit   string
		want   []float64
	}{
		{[]string{"1", "2.5"}, "", []float64{1, 2.5}},
		{[]string{"512 B", "48 KiB"}, "KiB", []float64{0.5, 48}},
		{[]string{"1 GHz", "500 MHz"}, "GHz", []float64{1, 0.5}},
		{[]string{"4 cycles"}, "cycles", []float64{4}},
		{[]string{"1 us", "20 ns"}, "ns", []float64{1000, 20}},
		{[]string{"1 GB/s"}, "GB/s", []float64{1}},
	} {
		if got, unit, ok := Numeric(c.values); !ok || unit != c.unit || !slices.Equal(got, c.want) {
			t.Errorf("%v: %v %s %v", c.values, got, unit, ok)
		}
	}
	for _, values := range [][]string{{"lrr", "gto"}, {"1", "1 GHz"}, {"nan"}, {"inf"}} {
		if xs, _, ok := Numeric(values); ok {
			t.Errorf("%v: %v", values, xs)
		}
	}
}
