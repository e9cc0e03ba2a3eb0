package models

import (
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"

	"heddle/sim"
)

// Quantity is a number with a unit, as descriptions write it: "45 cycles",
// "48 KiB", "1.15 GHz", "144 GB/s", "4.5 ns".
type Quantity interface {
	sim.Cycles | sim.Bytes | sim.Frequency | sim.Bandwidth | sim.Time
}

// Parse returns the quantity that text writes. Cycles, sizes and times must
// come out whole (in cycles, bytes, femtoseconds); frequencies and bandwidths
// are rounded to the nearest float64. A missing or foreign unit, a sign and an
// overflow are errors that say what is allowed.
func Parse[T Quantity](text string) (T, error) {
	var v T
	_, err := dimensionOf(reflect.TypeFor[T]()).parse(text, reflect.ValueOf(&v).Elem())
	return v, err
}

// Format writes v, which is not negative, with the unit that needs the fewest
// digits and is the largest of such. Parse returns exactly v from it.
func Format[T Quantity](v T) string {
	return dimensionOf(reflect.TypeFor[T]()).format(reflect.ValueOf(v))
}

// dimension is a kind of quantity and the units it may be written in.
type dimension struct {
	name  string // as Field.Type has it
	noun  string // as messages have it
	one   string // the unit's singular, where it has one
	units []unit // ascending; the first is the base that values count in
}

type unit struct {
	name  string
	scale int64 // base units
}

var (
	cycles = dimension{
		name: "cycles", noun: "a number of cycles", one: "cycle",
		units: []unit{{"cycles", 1}},
	}
	size = dimension{
		name: "size", noun: "a size",
		units: []unit{
			{"B", 1}, {"KB", 1e3}, {"KiB", 1 << 10}, {"MB", 1e6}, {"MiB", 1 << 20},
			{"GB", 1e9}, {"GiB", 1 << 30}, {"TB", 1e12}, {"TiB", 1 << 40},
		},
	}
	frequency = dimension{
		name: "frequency", noun: "a frequency",
		units: []unit{{"Hz", 1}, {"kHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9}},
	}
	bandwidth = dimension{
		name: "bandwidth", noun: "a bandwidth",
		units: []unit{
			{"B/s", 1}, {"KB/s", 1e3}, {"KiB/s", 1 << 10}, {"MB/s", 1e6}, {"MiB/s", 1 << 20},
			{"GB/s", 1e9}, {"GiB/s", 1 << 30}, {"TB/s", 1e12}, {"TiB/s", 1 << 40},
		},
	}
	timeSpan = dimension{
		name: "time", noun: "a time",
		units: []unit{
			{"fs", int64(sim.Femtosecond)}, {"ps", int64(sim.Picosecond)}, {"ns", int64(sim.Nanosecond)},
			{"us", int64(sim.Microsecond)}, {"ms", int64(sim.Millisecond)}, {"s", int64(sim.Second)},
		},
	}
)

// dimensionOf returns the dimension of t, nil for a type that has no unit.
func dimensionOf(t reflect.Type) *dimension {
	switch t {
	case reflect.TypeFor[sim.Cycles]():
		return &cycles
	case reflect.TypeFor[sim.Bytes]():
		return &size
	case reflect.TypeFor[sim.Frequency]():
		return &frequency
	case reflect.TypeFor[sim.Bandwidth]():
		return &bandwidth
	case reflect.TypeFor[sim.Time]():
		return &timeSpan
	}
	return nil
}

// parse sets v to the quantity in text and returns its exact value in base
// units.
func (d *dimension) parse(text string, v reflect.Value) (*big.Rat, error) {
	number, rest, ok := scanNumber(text)
	scale := d.scale(strings.TrimLeft(rest, " "))
	switch {
	case !ok || scale == 0:
		return nil, fmt.Errorf("%q is not %s: a number with %s", text, d.noun, d.unitNames())
	case strings.HasPrefix(text, "-"):
		return nil, fmt.Errorf("%q is negative", text)
	}
	number.Mul(number, new(big.Rat).SetInt64(scale))
	if v.Kind() == reflect.Int64 && !number.IsInt() {
		return nil, fmt.Errorf("%q is not a whole number of %s", text, d.units[0].name)
	}
	if !setNumber(v, number) {
		return nil, fmt.Errorf("%q is too large for %s", text, d.noun)
	}
	return number, nil
}

// scale returns the base units in the unit named name, 0 for none of ours.
func (d *dimension) scale(name string) int64 {
	if name == d.one && name != "" {
		return 1
	}
	for _, u := range d.units {
		if u.name == name {
			return u.scale
		}
	}
	return 0
}

func (d *dimension) unitNames() string {
	names := make([]string, len(d.units))
	for i, u := range d.units {
		names[i] = u.name
	}
	return orList(names)
}

func (d *dimension) format(v reflect.Value) string {
	value := new(big.Rat)
	if v.CanFloat() {
		// The shortest decimal that reads back as v stands for v.
		value.SetString(strconv.FormatFloat(v.Float(), 'g', -1, 64))
	} else {
		value.SetInt64(v.Int())
	}
	best, name := "", ""
	for i, u := range d.units {
		scale := new(big.Rat).SetInt64(u.scale)
		if i > 0 && value.Cmp(scale) < 0 {
			break
		}
		scaled := scale.Quo(value, scale)
		digits, _ := scaled.FloatPrec() // exact: scales have no factor but 2 and 5
		if text := scaled.FloatString(digits); best == "" || len(text) <= len(best) {
			best, name = text, u.name
		}
	}
	if best == "1" && d.one != "" {
		name = d.one
	}
	return best + " " + name
}

// longestNumber bounds the work that a hostile number can cause. The longest
// float64 in plain decimals, as Format writes it, is shorter.
const longestNumber = 400

// scanNumber splits text into the decimal number it begins with, of the form
// -12.5e-3, and the rest. A leading zero is refused: some readers of YAML take
// it for octal.
func scanNumber(text string) (number *big.Rat, rest string, ok bool) {
	i := 0
	if strings.HasPrefix(text, "-") {
		i++
	}
	whole := digits(text[i:])
	if whole == 0 || whole > 1 && text[i] == '0' {
		return nil, text, false
	}
	i += whole
	if i < len(text) && text[i] == '.' {
		fraction := digits(text[i+1:])
		if fraction == 0 {
			return nil, text, false
		}
		i += 1 + fraction
	}
	if i < len(text) && (text[i] == 'e' || text[i] == 'E') {
		sign := 0
		if i+1 < len(text) && (text[i+1] == '-' || text[i+1] == '+') {
			sign = 1
		}
		exponent := digits(text[i+1+sign:])
		if exponent == 0 || exponent > 3 {
			return nil, text, false
		}
		i += 1 + sign + exponent
	}
	if i > longestNumber {
		return nil, text, false
	}
	number, ok = new(big.Rat).SetString(text[:i])
	return number, text[i:], ok
}

// digits returns how many decimal digits text begins with.
func digits(text string) int {
	n := 0
	for n < len(text) && '0' <= text[n] && text[n] <= '9' {
		n++
	}
	return n
}

// setNumber sets v, an integer or a float, to x and reports whether x fits.
func setNumber(v reflect.Value, x *big.Rat) bool {
	switch {
	case v.CanFloat():
		f, _ := x.Float64()
		if math.IsInf(f, 0) || v.OverflowFloat(f) {
			return false
		}
		v.SetFloat(f)
	case v.CanInt():
		if !x.IsInt() || !x.Num().IsInt64() || v.OverflowInt(x.Num().Int64()) {
			return false
		}
		v.SetInt(x.Num().Int64())
	default:
		if !x.IsInt() || !x.Num().IsUint64() || v.OverflowUint(x.Num().Uint64()) {
			return false
		}
		v.SetUint(x.Num().Uint64())
	}
	return true
}

// orList writes names as "a, b or c".
func orList(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
