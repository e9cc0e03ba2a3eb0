package simt

import (
	"math"

	"heddle/sim"

	"pgregory.net/rapid"
)

// metrics returns what the GPU reports, and checks that it is all of what it
// declares.
func (r *rig) metrics() map[string]float64 {
	r.t.Helper()
	v := sim.NewValues(Metrics)
	r.gpu.Report(v)
	if err := v.Err(); err != nil {
		r.t.Fatal(err)
	}
	if m := v.Missing(); len(m) > 0 {
		r.t.Fatalf("metrics declared and not reported: %v", m)
	}
	all := map[string]float64{}
	for x := range v.All() {
		all[x.Name] = x.X
	}
	return all
}

// checkRatios holds every ratio that the GPU reports against its range.
func checkRatios(t rapid.TB, r *rig) {
	t.Helper()
	c := &r.gpu.config
	values := r.metrics()
	stack := 0.0
	for _, m := range Metrics {
		x := values[m.Name]
		if math.IsNaN(x) { // a ratio of nothing
			if m.Kind != sim.Ratio {
				t.Errorf("%s is not a number", m.Name)
			}
			continue
		}
		if x < 0 || math.IsInf(x, 0) {
			t.Errorf("%s is %v", m.Name, x)
		}
		most := math.Inf(1)
		switch {
		case m.Name == "gld_efficiency" || m.Name == "gst_efficiency":
			most = 100 * float64(c.WarpWidth) // every lane wants the same word
		case m.Unit == "%":
			most = 100
		case m.Name == "ipc":
			most = float64(c.Scheduler.Count) / float64(c.Scheduler.Interval)
		case m.Name == "dram_read_throughput" || m.Name == "dram_write_throughput":
			most = values["dram_peak_throughput"]
		case m.Name == "gld_transactions_per_request" || m.Name == "gst_transactions_per_request":
			most = float64(c.WarpWidth)
		case m.Name == "l2_read_throughput" || m.Name == "l2_write_throughput":
			ports := min(c.SMs, c.DRAM.Channels*c.L2.SlicesPerChannel)
			most = float64(ports) * float64(r.gpu.memory.crossbar.PortBandwidth()) / 1e9
		}
		if x > most*(1+1e-12) {
			t.Errorf("%s is %v %s, at most %v", m.Name, x, m.Unit, most)
		}
		if m.Name == "issued" || len(m.Name) > 6 && m.Name[:6] == "stall_" {
			stack += x
		}
	}
	if math.Abs(stack-100) > 1e-9 {
		t.Errorf("stalls and issues are %v%% of resident time", stack)
	}
}
