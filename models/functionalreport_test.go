package models

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func describe(parts ...any) string { return fmt.Sprintf("%+v", parts) }

// TestFunctionalReport counts a run whose instructions are known.
func TestFunctionalReport(t *testing.T) {
	m := build(t, "functional", "warp_width=32", "block_size=64")
	weighed(t, m, newLists(rand.New(rand.NewPCG(1, 1)), 64, 0), 1) // lists of no entries
	r := m.Report()
	if r.Timed || r.Cycles != 0 || r.Elapsed != 0 || r.Upload != 0 || r.Download != 0 {
		t.Errorf("time: %+v", r)
	}
	n, _ := r.Metrics.Get("inst_executed")
	lanes, _ := r.Metrics.Get("thread_inst_executed")
	full, _ := r.Metrics.Get("warp_execution_efficiency")
	if lanes != 32*n || full != 100 || r.Counts != (Counts{uint64(n), uint64(lanes)}) {
		t.Errorf("%v instructions, %v of threads, %v %%, %+v", n, lanes, full, r.Counts)
	}
	if p := m.Progress(); p.Instructions != uint64(n) || p.Launches != 1 {
		t.Errorf("%+v", p)
	}
}
