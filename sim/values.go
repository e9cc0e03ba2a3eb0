package sim

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"strconv"
	"strings"
)

// Values are the metrics of one run, collected at its end. They refuse a name
// that is not declared, a value of another kind than declared and a second
// value; Err tells.
type Values struct {
	*values
	prefix string
}

type values struct {
	columns []column
	index   map[string]int // of columns
	metrics map[string]*Metric
	faults  []error
}

type column struct {
	Value
	set bool
}

// Value is one number that a metric emitted.
type Value struct {
	Name   string  // of the column: the metric's, or "<metric>.<part>"
	X      float64 // in Metric.Unit, but the count of a Distribution is a pure number
	Metric *Metric
}

// NewValues returns values for the metrics of declarations, without any set.
// Faults of the declarations are reported by Err.
func NewValues(declarations ...Declaration) *Values {
	v := &Values{values: &values{index: map[string]int{}, metrics: map[string]*Metric{}}}
	var all Declaration
	for _, d := range declarations {
		all = append(all, d...)
	}
	if err := all.Check(); err != nil {
		v.faults = append(v.faults, err)
	}
	for i := range all {
		m := &all[i]
		v.metrics[m.Name] = m
		for _, name := range m.Columns() {
			v.index[name] = len(v.columns)
			v.columns = append(v.columns, column{Value: Value{name, 0, m}})
		}
	}
	return v
}

// Under returns a view of v that puts "<prefix>." before the names it is
// given, as Declaration.Under does.
func (v *Values) Under(prefix string) *Values {
	return &Values{v.values, v.prefix + prefix + "."}
}

// Set gives the metric name, a Counter, Gauge or Ratio, its value. NaN is for
// a ratio that is not defined.
func (v *Values) Set(name string, x float64) {
	if m := v.metric(name, Counter, Gauge, Ratio); m != nil {
		v.set(m.Name, x)
	}
}

// SetDistribution gives the metric name, a Distribution, the summary of h.
func (v *Values) SetDistribution(name string, h *Histogram) {
	m := v.metric(name, Distribution)
	if m == nil {
		return
	}
	for i, x := range []float64{float64(h.Count()), h.Mean(), h.Quantile(0.5), h.Quantile(0.99), float64(h.Max())} {
		v.set(m.Name+"."+summary[i], x)
	}
}

// SetTimes gives the metric name, a TimeInState, the totals of t in seconds.
func (v *Values) SetTimes(name string, t *StateTimer) {
	m := v.metric(name, TimeInState)
	if m == nil {
		return
	}
	if len(m.States) != t.States() {
		v.fault("metric %q: %d states are declared and %d timed", m.Name, len(m.States), t.States())
		return
	}
	for i, s := range m.States {
		v.set(m.Name+"."+s, t.Total(i).Seconds())
	}
}

// metric returns the declaration of name if it is of one of kinds.
func (v *Values) metric(name string, kinds ...Kind) *Metric {
	name = v.prefix + name
	m := v.metrics[name]
	if m == nil {
		v.fault("metric %q: is not declared", name)
		return nil
	}
	for _, k := range kinds {
		if m.Kind == k {
			return m
		}
	}
	v.fault("metric %q: is declared as a %v, and set as a %v", name, m.Kind, kinds[0])
	return nil
}

func (v *Values) set(column string, x float64) {
	c := &v.columns[v.index[column]]
	if c.set {
		v.fault("metric %q: is set twice", column)
		return
	}
	c.X, c.set = x, true
}

func (v *Values) fault(format string, args ...any) {
	v.faults = append(v.faults, fmt.Errorf(format, args...))
}

// Err returns everything that was refused so far.
func (v *Values) Err() error { return errors.Join(v.faults...) }

// Missing returns the names that are declared and not set, in order.
func (v *Values) Missing() []string {
	var names []string
	for _, c := range v.columns {
		if !c.set {
			names = append(names, c.Name)
		}
	}
	return names
}

// Get returns the value set for a column.
func (v *Values) Get(name string) (x float64, ok bool) {
	i, ok := v.index[v.prefix+name]
	if !ok || !v.columns[i].set {
		return 0, false
	}
	return v.columns[i].X, true
}

// All iterates over the values that are set, in the order of declaration.
func (v *Values) All() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		for _, c := range v.columns {
			if c.set && strings.HasPrefix(c.Name, v.prefix) && !yield(c.Value) {
				return
			}
		}
	}
}

// MarshalJSON returns one object, {"name": value, ...}, in the order of
// declaration. Counts are printed in full, and a value that is not a finite
// number as null.
func (v *Values) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for value := range v.All() {
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Quote(value.Name))
		b.WriteByte(':')
		switch x := value.X; {
		case math.IsNaN(x) || math.IsInf(x, 0):
			b.WriteString("null")
		case x == math.Trunc(x) && math.Abs(x) < 1<<53:
			b.WriteString(strconv.FormatInt(int64(x), 10))
		default:
			number, err := json.Marshal(x)
			if err != nil {
				return nil, err
			}
			b.Write(number)
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
