package halappanavar2012

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"heddle/experiments/study"
)

func TestScaledValue(t *testing.T) {
	for _, c := range []struct{ value, halved, doubled string }{
		{"24 cycles", "12 cycles", "48 cycles"},
		{"2 cycles", "1 cycle", "4 cycles"},
		{"1 cycle", "", "2 cycles"},
		{"5 cycles", "3 cycles", "10 cycles"},
		{"64", "32", "128"},
		{"1", "", "2"},
		{"0.2", "0.1", "0.4"},
		{"209 ns", "104.5 ns", "418 ns"},
		{"5.75 GB/s", "2.875 GB/s", "11.5 GB/s"},
		{"48 KiB", "24 KiB", "96 KiB"},
		{"0", "", ""}, {"0 cycles", "", ""}, {"true", "", ""}, {"lrr", "", ""}, {"", "", ""}, {".", "", ""},
	} {
		for factor, want := range map[float64]string{0.5: c.halved, 2: c.doubled} {
			if got, ok := scaledValue(c.value, factor); got != want || ok != (want != "") {
				t.Errorf("%s x %g: %q, want %q", c.value, factor, got, want)
			}
		}
	}
}

// Each variation changes one parameter, of the runs on its machine and of them
// alone.
func TestVariations(t *testing.T) {
	parameters := []Parameter{{"xeon-e5540", "clock", "2 GHz", "R"}, {"opteron-6176se", "core.rob", "72", "I"}, {"cray-xmt", "lookahead", "8", "I"}}
	all := Screening(small, []string{"magny-48", "nehalem-8"}, parameters)
	if all[0].Claim != "magny-48" || all[0].Path != "" {
		t.Fatalf("the first variation is %+v", all[0])
	}
	counts := map[string]int{}
	for _, v := range all {
		changes := 0
		for _, c := range v.Cases() {
			if !strings.HasSuffix(c.Graph, ":10") {
				t.Errorf("%s", c)
			}
			for _, s := range c.Set {
				if v.Path != "" && s == v.Set() {
					changes++
					if c.Machine != v.Machine {
						t.Errorf("%s of %s is set on %s", v.Path, v.Machine, c.Machine)
					}
				}
			}
		}
		want := 1
		switch {
		case v.Path == "":
			want = 0
		case v.Claim == "nehalem-8": // both runs are on Nehalem
			want = 2
		}
		if changes != want {
			t.Errorf("%s, %s: %d runs changed, want %d", v.Claim, v.Path, changes, want)
		}
		counts[v.Claim+" "+v.Path]++
	}
	for key, want := range map[string]int{"magny-48 ": 1, "magny-48 clock": 2, "magny-48 core.rob": 2, "nehalem-8 clock": 2, "nehalem-8 core.rob": 0, "magny-48 lookahead": 0} {
		if counts[key] != want {
			t.Errorf("%s: %d variations, want %d", key, counts[key], want)
		}
	}
}

// The parameter that matters more is named first; a variation whose run is
// missing is left out.
func TestSensitivity(t *testing.T) {
	all := Screening(small, []string{"fermi"}, []Parameter{{"tesla-c2050", "clock", "1 GHz", "R"}, {"tesla-c2050", "sms", "14", "I"}, {"xeon-x5650", "clock", "2 GHz", "R"}})
	var n Needs
	for _, v := range all {
		n.Cases = append(n.Cases, v.Cases()...)
	}
	d := fake(n, func(c study.Case) float64 {
		switch strings.Join(c.Set, " ") {
		case "clock=2 GHz":
			return 0.5 // of the GPU: twice the speed-up
		case "sms=28":
			return 0.75
		}
		return 1
	})
	for id := range d.Outcomes {
		if strings.Contains(id, "clock=4 GHz") {
			delete(d.Outcomes, id)
		}
	}
	strong := Strongest(small, d, all)
	if len(strong) != 7 || strong[0].Path != "" || strong[1].Path != "clock" || strong[1].Machine != "tesla-c2050" || strong[3].Path != "sms" {
		t.Errorf("strongest: %+v", strong)
	}
	r := Sensitivity(small, d, all, strong)
	if got := strings.Join(r.Rows[0], ","); got != "claim,machine,parameter,tag,value,changed_to,simulated,simulated_changed,relative_change,scale,seed,version" {
		t.Errorf("header %s", got)
	}
	if len(r.Rows) != 1+5 { // of six, one is missing
		t.Errorf("%d rows: %v", len(r.Rows), r.Rows)
	}
	if len(r.Text) != 4 || !strings.Contains(r.Text[1], "tesla-c2050      clock") || !strings.Contains(r.Text[2], "sms") {
		t.Errorf("%s", strings.Join(r.Text, "\n"))
	}
	if r.Figure == nil || len(r.Figure.Panels) != 1 || r.Figure.Panels[0].Bars[1].Values[0] != 2 {
		t.Errorf("%+v", r.Figure)
	}
}

// On larger graphs only the strongest of a screening are varied, and the table
// has both.
func TestScreening(t *testing.T) {
	p := opened(Options{Scale: DefaultScale, Seed: 7})
	var parameters []Parameter
	for i := range mostSensitive + 3 {
		parameters = append(parameters, Parameter{"tesla-c2050", fmt.Sprintf("key%d", i), "8", "M"})
	}
	screening := Screening(p, []string{"fermi"}, parameters)
	seconds := func(c study.Case) float64 {
		for i := range parameters {
			if slices.Contains(c.Set, fmt.Sprintf("key%d=16", i)) {
				return float64(i + 2)
			}
		}
		return 1
	}
	data := func(all []Variation) *Data {
		var n Needs
		for _, v := range all {
			n.Cases = append(n.Cases, v.Cases()...)
		}
		return fake(n, seconds)
	}
	d := data(screening)
	strong := Strongest(p, d, screening)
	if len(screening) != 1+2*len(parameters) || len(strong) != 1+2*mostSensitive {
		t.Fatalf("%d variations, %d of them strong", len(screening), len(strong))
	}
	if first := strong[1]; first.Path != fmt.Sprintf("key%d", mostSensitive+2) || first.run.Graph != "rmat-g:15" || screening[1].run.Graph != "rmat-g:12" {
		t.Errorf("the strongest is %+v", first)
	}
	maps.Copy(d.Outcomes, data(strong).Outcomes)
	r := Sensitivity(p, d, screening, strong)
	if want := 1 + 2*len(parameters) + 2*mostSensitive; len(r.Rows) != want {
		t.Errorf("%d rows, want %d", len(r.Rows), want)
	}
}

func TestEndOf(t *testing.T) {
	for path, want := range map[string]string{
		"clock": "clock", "memory.costs.memory.die": "costs.memory.die", "core.branch.predictor.history": "predictor.history", "a_key_that_is_long_by_itself": "a_key_that_is_long_by_itself",
	} {
		if got := endOf(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}
