package experiments

import (
	"encoding/json"
	"testing"

	"heddle/experiments/validate"
)

// TestValidationRefuses what is no description of a computer that could run
// kernels, and numbers that make no sense.
func TestValidationRefuses(t *testing.T) {
	for what, v := range map[string]validation{
		"no machine":  {repeat: 1},
		"a GPU":       {Run: Run{Machine: "tesla-c2050"}, repeat: 1},
		"no kernel":   {Run: Run{Machine: "xeon-e5540"}, kernels: []string{"bfs/levle"}, repeat: 1},
		"no threads":  {Run: Run{Machine: "xeon-e5540"}, threads: []int{0}, repeat: 1},
		"no run":      {Run: Run{Machine: "xeon-e5540"}},
		"no override": {Run: Run{Machine: "xeon-e5540", Set: []string{"core.rbo=7"}}, repeat: 1},
	} {
		if err := v.check(); err == nil {
			t.Errorf("%s: accepted", what)
		}
	}
	v := validation{Run: Run{Machine: "xeon-e5540"}, threads: []int{1, 2}, repeat: 3}
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
