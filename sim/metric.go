package sim

import (
	"errors"
	"fmt"
	"regexp"
)

// Kind says what a metric measures and how its values behave.
type Kind uint8

// Kinds of metric.
const (
	Counter       Kind = iota // a count of events that only grows
	Gauge                     // a quantity at the end of the run
	Ratio                     // of two counts; undefined (NaN) when the second is 0
	Distribution              // a Histogram, summarised
	TimeInState               // a StateTimer, one value for each state
	numberOfKinds = iota
)

var kindNames = [numberOfKinds]string{"counter", "gauge", "ratio", "distribution", "time in state"}

func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", k)
}

// Metric declares one metric.
type Metric struct {
	Name    string   // as the field calls it: lower case, digits, "_", "." between parts
	Unit    string   // "1" for a pure number
	Meaning string   // one sentence
	Kind    Kind     // Counter if left out
	States  []string // the states of a TimeInState, in order
}

// summary names the values that a Distribution emits, after "<name>.".
var summary = [...]string{"count", "mean", "p50", "p99", "max"}

// Columns returns the names of the values that m emits: its own or, for a
// Distribution or a TimeInState, one for each part.
func (m Metric) Columns() []string {
	switch m.Kind {
	case Distribution:
		return parts(m.Name, summary[:])
	case TimeInState:
		return parts(m.Name, m.States)
	}
	return []string{m.Name}
}

func parts(name string, parts []string) []string {
	names := make([]string, len(parts))
	for i, p := range parts {
		names[i] = name + "." + p
	}
	return names
}

var metricName = regexp.MustCompile(`^[a-z0-9_]+(\.[a-z0-9_]+)*$`)

// check returns what is wrong with the declaration of m.
func (m Metric) check() error {
	var faults []error
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("metric %q: "+format, append([]any{m.Name}, args...)...))
	}
	if m.Unit == "" {
		fault("has no unit")
	}
	if m.Meaning == "" {
		fault("has no meaning")
	}
	if m.Kind >= numberOfKinds {
		fault("has no such kind as %d", m.Kind)
	}
	if (m.Kind == TimeInState) != (len(m.States) > 0) {
		fault("is a %v with %d states; only a time in state has states, and at least one", m.Kind, len(m.States))
	}
	for _, c := range append(m.Columns(), m.Name) {
		if !metricName.MatchString(c) {
			fault("name %q is not made of lower case letters, digits, '_' and '.'", c)
		}
	}
	return errors.Join(faults...)
}

// Declaration is the table of the metrics that a package's components emit.
// Each package exports one as its variable Metrics.
type Declaration []Metric

// Under returns d with "<prefix>." before each name, for a component that a
// machine has in several places: the caches of two levels.
func (d Declaration) Under(prefix string) Declaration {
	under := make(Declaration, len(d))
	for i, m := range d {
		m.Name = prefix + "." + m.Name
		under[i] = m
	}
	return under
}

// Columns returns the names of all values that d declares, in order.
func (d Declaration) Columns() []string {
	var names []string
	for _, m := range d {
		names = append(names, m.Columns()...)
	}
	return names
}

// Check returns everything that is wrong with d: a missing unit or meaning, a
// malformed name, a name declared twice.
func (d Declaration) Check() error {
	var faults []error
	seen := map[string]bool{}
	for _, m := range d {
		if err := m.check(); err != nil {
			faults = append(faults, err)
		}
		for _, c := range m.Columns() {
			if seen[c] {
				faults = append(faults, fmt.Errorf("metric %q: %q is declared twice", m.Name, c))
			}
			seen[c] = true
		}
	}
	return errors.Join(faults...)
}
