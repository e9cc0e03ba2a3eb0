package simt

import "heddle/sim"

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
