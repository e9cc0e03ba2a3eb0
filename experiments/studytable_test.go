package experiments

import (
	"strings"
	"testing"

	"heddle/experiments/study"
)

// Runs that differ in the seed alone are a line, which says how many of them are
// done; those of a study without seeds are a line each.
func TestResultLines(t *testing.T) {
	const text = "kernels: [a]\nmachines: [m]\ngraphs: [karate]\nvary: {sms: [1, 2, 3]}\nseeds: [7, 8]\nbaselines: {one: {sms: 1}}\n"
	done := func(seconds float64) study.Numbers {
		return study.Numbers{{Name: "seconds", Value: seconds}, {Name: "cycles", Value: 1000 * seconds}}
	}
	for _, c := range []struct {
		seeds  string
		states []study.State
		values []study.Numbers
		want   string
	}{
		{"[7, 8]", []study.State{study.Done, study.Done, study.Done, study.Left, study.Failed, study.Left},
			[]study.Numbers{done(4), done(4), done(2), nil, nil, nil}, `
s: s
  kernel a
  machine m
  graph karate
  sms   seeds     time                95 %  cycles            95 %  over one          95 %
  1         2  4.000 s  4.000 s to 4.000 s   4,000  4,000 to 4,000      1.00  1.00 to 1.00
  2    1 of 2  2.000 s                   -   2,000               -      2.00             -
  3    0 of 2`},
		{"[7]", []study.State{study.Done, study.Left, study.Failed}, []study.Numbers{done(4), nil, nil}, `
s: s
  kernel a
  machine m
  graph karate
  seed 7
  sms     time  cycles  over one
  1    4.000 s   4,000      1.00
  2       left
  3     failed`},
	} {
		s, err := study.Parse("s.yaml", []byte(strings.Replace(text, "[7, 8]", c.seeds, 1)))
		if err != nil {
			t.Fatal(err)
		}
		r := &study.Results{Study: s, IDs: make([]string, len(c.states)), States: c.states, Values: c.values}
		if got := "\n" + strings.Join(resultLines(r), "\n"); got != c.want {
			t.Errorf("seeds %s:%s", c.seeds, firstDifference(got, c.want))
		}
	}
}
