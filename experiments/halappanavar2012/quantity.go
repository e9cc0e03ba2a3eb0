package halappanavar2012

import (
	"math"
	"strings"

	"heddle/experiments/study"
)

// quantity is a number that follows from runs and graphs.
type quantity struct {
	needs Needs
	of    func(d *Data) float64
}

// timeOf is the simulated time of a run, in seconds.
func timeOf(c study.Case) quantity {
	return quantity{Needs{Cases: []study.Case{c}}, func(d *Data) float64 {
		if o := d.outcome(c); o != nil {
			return o.Seconds()
		}
		return math.NaN()
	}}
}

// over is q / r.
func (q quantity) over(r quantity) quantity {
	both := Needs{}
	both.merge(q.needs)
	both.merge(r.needs)
	return quantity{both, func(d *Data) float64 { return q.of(d) / r.of(d) }}
}

// speedup is the time of a base over that of a run.
func speedup(base, run study.Case) quantity { return timeOf(base).over(timeOf(run)) }

// efficiencyOf is the speed-up of a run on some cores over one, a core.
func efficiencyOf(one, run study.Case, cores int) quantity {
	q := speedup(one, run)
	return quantity{q.needs, func(d *Data) float64 { return q.of(d) / float64(cores) }}
}

// figureOf is one of the kernel's own figures.
func figureOf(c study.Case, name string) quantity {
	return quantity{Needs{Cases: []study.Case{c}}, func(d *Data) float64 {
		if o := d.outcome(c); o != nil {
			return o.Answer.Numbers.Get(name)
		}
		return math.NaN()
	}}
}

// queueOf is a number that follows from the sizes of the queue.
func queueOf(c study.Case, number func(sizes []int64) float64) quantity {
	return quantity{Needs{Cases: []study.Case{c}}, func(d *Data) float64 {
		if o := d.outcome(c); o != nil {
			return number(queueSizes(o))
		}
		return math.NaN()
	}}
}

// clockOf is the clock that a run's cycles are of, in Hz.
func clockOf(c study.Case) quantity {
	return quantity{Needs{Cases: []study.Case{c}}, func(d *Data) float64 {
		if o := d.outcome(c); o != nil && o.Simulated.Cycles != nil {
			return float64(*o.Simulated.Cycles) / o.Seconds()
		}
		return math.NaN()
	}}
}

// itemTime is the time of a run's first launch of a program over its items, in
// seconds.
func itemTime(c study.Case, program string) quantity {
	return quantity{Needs{Cases: []study.Case{c}}, func(d *Data) float64 {
		if o := d.outcome(c); o != nil {
			for _, l := range o.Launches {
				if l.Program == program {
					return l.Seconds / float64(l.Items)
				}
			}
		}
		return math.NaN()
	}}
}

// metricOf is a metric of a run.
func metricOf(c study.Case, name string) quantity {
	return quantity{Needs{Cases: []study.Case{c}}, func(d *Data) float64 {
		if o := d.outcome(c); o != nil {
			return o.Metrics.Get(name)
		}
		return math.NaN()
	}}
}

// atomicsOn is how many atomics of a run went to the hottest word of an array
// and, if the array is "", to that of any other than the queue's tail.
func atomicsOn(c study.Case, array string) quantity {
	return quantity{Needs{Cases: []study.Case{c}}, func(d *Data) float64 {
		o := d.outcome(c)
		if o == nil {
			return math.NaN()
		}
		most := 0.0
		for _, w := range o.HotWords {
			name, _, _ := strings.Cut(w.Place, "[")
			if name == array || array == "" && name != "tail" {
				most = max(most, float64(w.Atomics))
			}
		}
		return most
	}}
}

// columnOf is a run's figure as a study's results have it.
func columnOf(c study.Case, name string) quantity {
	return quantity{Needs{Cases: []study.Case{c}}, func(d *Data) float64 {
		if o := d.outcome(c); o != nil {
			return o.Values().Get(name)
		}
		return math.NaN()
	}}
}
