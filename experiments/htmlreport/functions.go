package htmlreport

import (
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"

	"heddle/experiments/measure"
	"heddle/experiments/study"
)

// functions are what templates write figures with.
var functions = template.FuncMap{
	"count":     func(n any) string { return countAny(n) },
	"rough":     func(n int64) string { return measure.Rough(float64(n)) },
	"rough64":   measure.Rough,
	"size":      func(n int64) string { return measure.Size(float64(n)) },
	"duration":  measure.Duration,
	"percent":   func(x any) string { return measure.Percent(float(x)) },
	"rate":      func(x *float64) string { return measure.Bandwidth(float(x)) },
	"digits":    func(x any) string { return measure.Digits(float(x), 3) },
	"raw":       func(x any) string { return raw(float(x)) },
	"get":       func(n study.Numbers, name string) float64 { return n.Get(name) },
	"div":       func(a, b int64) float64 { return float64(a) / float64(b) },
	"css":       func(x float64) string { return strconv.FormatFloat(math.Max(0, math.Min(finite(x), 1)), 'f', 4, 64) },
	"color":     func(name string) template.CSS { return template.CSS(colorOf(name)) },
	"ratio":     func(a, b float64) float64 { return finite(a / b) },
	"some":      func(n int64) bool { return n != 0 },
	"positive":  func(x float64) bool { return x > 0 },
	"deref":     func(x *float64) float64 { return float(x) },
	"is":        func(x *float64) bool { return x != nil },
	"noteOf":    func(notes map[string]int64, name string) *int64 { v, ok := notes[name]; return noteIf(v, ok) },
	"breakable": breakable,
}

// breakable returns a name that a line may break at its underscores.
func breakable(name string) template.HTML {
	return template.HTML(strings.ReplaceAll(template.HTMLEscapeString(name), "_", "_<wbr>"))
}

func noteIf(v int64, ok bool) *int64 {
	if !ok {
		return nil
	}
	return &v
}

func countAny(n any) string {
	switch x := n.(type) {
	case int:
		return measure.Count(x)
	case uint64:
		return measure.Count(x)
	case *int64:
		if x == nil {
			return ""
		}
		return measure.Count(*x)
	case int64:
		return measure.Count(x)
	}
	return fmt.Sprint(n)
}

// float returns the number that x is or points to, NaN for none.
func float(x any) float64 {
	switch x := x.(type) {
	case float64:
		return x
	case *float64:
		if x != nil {
			return *x
		}
	case int64:
		return float64(x)
	case uint64:
		return float64(x)
	case int:
		return float64(x)
	case *int64:
		if x != nil {
			return float64(*x)
		}
	}
	return math.NaN()
}

// raw writes a number in full, as JSON has it; nothing for none.
func raw(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// number writes a figure of unknown unit.
func number(x float64) string {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return "-"
	case x == math.Trunc(x) && math.Abs(x) < 1e15:
		return measure.Count(int64(x))
	case math.Abs(x) < 1e-3:
		return strconv.FormatFloat(x, 'g', 4, 64)
	}
	return measure.Digits(x, 4)
}

func finite(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}
