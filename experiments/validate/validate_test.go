package validate

import (
	"math"
	"strings"
	"testing"
)

func TestSummarize(t *testing.T) {
	points := []Point{
		{Kernel: "a", Measured: 4, Simulated: 6},     // +50 %
		{Kernel: "b", Measured: 1, Simulated: 0.9},   // -10 %
		{Kernel: "a", Measured: 2, Simulated: 2},     // 0
		{Kernel: "b", Measured: 10, Simulated: 8},    // -20 %
		{Kernel: "a", Measured: 20, Simulated: 18},   // -10 %
		{Kernel: "a", Measured: 0.1, Simulated: 0.1}, // 0
	}
	s := Summarize(points)
	near := func(what string, got, want float64) {
		if math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: %g, want %g", what, got, want)
		}
	}
	near("mape", s.MAPE, (0.5+0.1+0.2+0.1)/6)
	near("worst", s.Worst, 0.5)
	// Through the origin over the two longest.
	near("slope", s.Slope, (10*8+20*18)/float64(10*10+20*20))
	if s.Over != 1 || s.Under != 3 || s.Points != 6 {
		t.Errorf("%+v", s)
	}
	if s.Pearson < 0.98 || s.Pearson > 1 || s.PearsonLog < 0.98 || s.PearsonLog > 1 {
		t.Errorf("correlations %g and %g", s.Pearson, s.PearsonLog)
	}
	if points[0].Measured != 4 {
		t.Error("the points were sorted in place")
	}
	// A line, whatever its slope, is correlation 1.
	if s := Summarize([]Point{{Measured: 1, Simulated: 3}, {Measured: 2, Simulated: 5}, {Measured: 3, Simulated: 7}}); math.Abs(s.Pearson-1) > 1e-12 {
		t.Errorf("%+v", s)
	}
	if s := Summarize([]Point{{Measured: 1, Simulated: 3}}); s.Pearson != 0 || s.MAPE != 2 || s.Slope != 3 {
		t.Errorf("of one point: %+v", s)
	}
	if s := Summarize(nil); s != (Summary{}) {
		t.Errorf("of none: %+v", s)
	}
}

func TestScatter(t *testing.T) {
	f := Scatter("t", []Point{{Kernel: "b", Measured: 1, Simulated: 0.5}, {Kernel: "a", Measured: 8, Simulated: 9}}, nil)
	lines := f.Panels[0].Lines
	last := lines[len(lines)-1]
	if len(lines) != 3 || !last.Dashed || last.X[0] != 0.5 || last.Y[1] != 9 || lines[0].Name != "b" {
		t.Errorf("%+v", lines)
	}
	var b strings.Builder
	if err := f.Write(&b, "svg"); err != nil {
		t.Fatal(err)
	}
}
