package experiments

import (
	"encoding/json"
	"testing"

	"heddle/experiments/native"
	"heddle/experiments/validate"
)

// TestValidationRefuses what is no description of a computer that could run
// kernels, and numbers that make no sense.
func TestValidationRefuses(t *testing.T) {
	for what, v := range map[string]validation{
		"no machine":  {repeat: 1, rounds: 1},
		"a GPU":       {Run: Run{Machine: "tesla-c2050"}, repeat: 1, rounds: 1},
		"no kernel":   {Run: Run{Machine: "xeon-e5540"}, kernels: []string{"bfs/levle"}, repeat: 1, rounds: 1},
		"no threads":  {Run: Run{Machine: "xeon-e5540"}, threads: []int{0}, repeat: 1, rounds: 1},
		"no run":      {Run: Run{Machine: "xeon-e5540"}, rounds: 1},
		"no round":    {Run: Run{Machine: "xeon-e5540"}, repeat: 1},
		"no override": {Run: Run{Machine: "xeon-e5540", Set: []string{"core.rbo=7"}}, repeat: 1, rounds: 1},
	} {
		if err := v.check(); err == nil {
			t.Errorf("%s: accepted", what)
		}
	}
	v := validation{Run: Run{Machine: "xeon-e5540"}, threads: []int{1, 2}, repeat: 3, rounds: 2}
	if err := v.check(); err != nil || len(v.kernels) != len(kernelNames()) {
		t.Errorf("%v, kernels %v", err, v.kernels)
	}
}

// TestValidationJSON wants the members that scripts read.
func TestValidationJSON(t *testing.T) {
	r := &validationResult{Machine: "host", Cases: []validate.Point{{Kernel: "k", Graph: "g", Threads: 2, Measured: 2, Simulated: 3}}, Dropped: []validate.Dropped{}}
	r.summarize()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		MAPE    *float64 `json:"mape"`
		Pearson *float64 `json:"pearson"`
		Points  []struct {
			Measured  float64 `json:"measured_seconds"`
			Simulated float64 `json:"simulated_seconds"`
		} `json:"points"`
		Dropped []any `json:"dropped"`
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if got.MAPE == nil || *got.MAPE != 0.5 || got.Pearson == nil || len(got.Points) != 1 || got.Points[0].Simulated != 3 || got.Dropped == nil {
		t.Errorf("%s", text)
	}
}

// TestSettle takes the runs of all rounds in which nobody else used the
// processors, and else the round that took least.
func TestSettle(t *testing.T) {
	timing := func(median float64, samples, waited, spins []float64) *native.Timing {
		return &native.Timing{Samples: samples, Waited: waited, Spins: spins, Median: median, Spread: median / 10}
	}
	slow := timing(5, []float64{6, 5, 4}, []float64{0, 0, 0}, []float64{1, 2, 2})
	mixed := timing(4, []float64{4, 3, 9}, []float64{0, 1, 0}, []float64{1.04, 1, 1})
	for what, c := range map[string]struct {
		fastest float64
		timings []*native.Timing
		want    float64
		runs    int
	}{
		"both rounds":    {1, []*native.Timing{slow, mixed}, 6, 3},
		"one round":      {1, []*native.Timing{mixed}, 6.5, 2},
		"none was quiet": {0.5, []*native.Timing{slow, mixed}, 4, 0},
	} {
		m := &validationCase{timings: c.timings}
		m.settle(c.fastest)
		if m.Measured != c.want || m.Undisturbed != c.runs {
			t.Errorf("%s: %v s of %d runs", what, m.Measured, m.Undisturbed)
		}
	}
}
