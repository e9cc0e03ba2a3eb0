package simt

import (
	"math"

	"heddle/sim"
)

// launchEstimate is what the windows of a launch tell of its stretches: the
// ratio of time to the warps' clocks was seen after each, and time is estimated
// from the mean ratio.
type launchEstimate struct {
	clocks   float64 // of all stretches
	told     float64 // of those that a window followed
	squares  float64 // of the latter, squared
	longest  float64 // of the former, that no window followed
	ratio    float64 // mean, 1 where no window followed any
	residual float64 // sum of squared differences of time from the mean ratio's
	expected float64 // the same for a ratio of variance 1
	bias     float64 // of the time, as far as transactions show it
}

func estimateLaunch(stretches []Stretch) launchEstimate {
	e := launchEstimate{ratio: 1}
	var time, transactions, promised float64
	for _, x := range stretches {
		d := float64(x.Time)
		e.clocks += d
		if x.Ratio == 0 {
			e.longest = max(e.longest, d)
			continue
		}
		e.told += d
		e.squares += d * d
		time += d * x.Ratio
		transactions += x.Transactions
		promised += x.Told
	}
	if e.told == 0 {
		return e
	}
	e.ratio = time / e.told
	if transactions > 0 {
		e.bias = (promised/transactions - 1) * e.ratio * e.clocks
	}
	share := e.squares / (e.told * e.told)
	for _, x := range stretches {
		if x.Ratio > 0 {
			d := float64(x.Time)
			off := d * (x.Ratio - e.ratio)
			e.residual += off * off
			e.expected += d * d * (1 - 2*d/e.told + share)
		}
	}
	return e
}

// windows returns the number of windows of equal weight that would tell as much.
func (e *launchEstimate) windows() float64 {
	if e.told == 0 {
		return 0
	}
	return e.told * e.told / e.squares
}

// variance returns the variance of the launch's time for a variance of the
// ratio.
func (e *launchEstimate) variance(ratio float64) float64 {
	v := e.longest * e.longest
	if e.told > 0 {
		scale := e.clocks / e.told
		v += scale * scale * e.squares
	}
	return v * ratio
}

// Deviation returns the standard deviation of the time estimated for all
// stretches, and its degrees of freedom (Welch and Satterthwaite). The ratio's
// variance is a launch's own if it has windows enough, and else that of all.
// Where a launch's windows met another mix of warps than its stretches, which
// is not independent from window to window, the transactions tell: it counts
// as an error of the launch by as much as they differ.
func (s *Sampled) Deviation() (deviation sim.Time, freedom float64) {
	var launches []launchEstimate
	for i := 0; i < len(s.Stretches); {
		j := i + 1
		for j < len(s.Stretches) && s.Stretches[j].Launch == s.Stretches[i].Launch {
			j++
		}
		launches = append(launches, estimateLaunch(s.Stretches[i:j]))
		i = j
	}
	var residual, expected, windows float64
	for i := range launches {
		e := &launches[i]
		residual += e.residual
		expected += e.expected
		windows += max(0, e.windows()-1)
	}
	const enough = 4
	var sum, weighted, rest, bias float64
	for i := range launches {
		e := &launches[i]
		if n := e.windows(); n >= enough {
			v := e.variance(e.residual / e.expected)
			sum += v
			weighted += v * v / (n - 1)
		} else if expected > 0 {
			rest += e.variance(residual / expected)
		}
		bias += e.bias * e.bias
	}
	sum += rest
	weighted += rest * rest / max(1, windows)
	if expected == 0 { // nothing is told of what was executed without timing
		for i := range launches {
			deviation += sim.Time(launches[i].clocks)
		}
		return deviation, 1
	}
	if weighted == 0 {
		return sim.Time(math.Sqrt(bias)), 1
	}
	return sim.Time(math.Sqrt(sum + bias)), max(1, sum*sum/weighted)
}
