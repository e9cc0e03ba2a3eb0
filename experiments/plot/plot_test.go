package plot

import (
	"bytes"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// look is a folder that TestWrite leaves its figures in, for people to look at.
var look = os.Getenv("HEDDLE_FIGURES")

func examples() map[string]*Figure {
	threads := []float64{1, 2, 4, 8, 16, 32, 48}
	scaled := func(one, serial float64) (y []float64) {
		for _, t := range threads {
			y = append(y, one*(serial+(1-serial)/t))
		}
		return y
	}
	panel := Panel{
		Title: "RMAT-ER", XLabel: "threads", YLabel: "time (s)", XLog: true, YLog: true, XTicks: threads,
		Lines: []Line{
			{Name: "scale 14", X: threads, Y: scaled(0.3, 0.02)}, {Name: "scale 15", X: threads, Y: scaled(0.6, 0.01)}, {Name: "scale 16", X: threads, Y: scaled(1.2, 0.005)},
			{Name: "linear", X: []float64{1, 48}, Y: []float64{0.3, 0.3 / 48}, Dashed: true}, {Name: "linear", X: []float64{1, 48}, Y: []float64{1.2, 1.2 / 48}, Dashed: true},
			{Name: "published", X: []float64{48}, Y: []float64{1.2 / 32}, Style: Marks},
		},
	}
	second, third := panel, panel
	second.Title, third.Title = "RMAT-G", "RMAT-B"
	bars := Panel{
		Title: "synthetic", YLabel: "speed-up over one core", Groups: []string{"RMAT-ER", "RMAT-G", "RMAT-B"},
		Bars: []Bars{{Name: "CPU (12T)", Values: []float64{6, 5.5, 5}}, {Name: "CPU (24T)", Values: []float64{7, 6, 5.5}}, {Name: "Tesla", Values: []float64{5, 3, 1}, MarkName: "published", Marks: []float64{math.NaN(), 3.5, math.NaN()}}, {Name: "Fermi", Values: []float64{14, 10, math.NaN()}}, {Name: "Fermi, L2 only", Values: []float64{15, 9, 3}}},
	}
	return map[string]*Figure{
		"scaling": {Title: "Figure 2: strong and weak scaling", Panels: []Panel{panel, second, third}, Notes: []string{"simulated, with seed 1"}},
		"bars":    {Title: "Figure 4", Panels: []Panel{bars}},
		"names":   {Title: "long names", Panels: []Panel{{Groups: []string{"load_store.outstanding", "l2.slice.hit_latency", "units.compare.latency"}, Bars: []Bars{{Name: "halved", Values: []float64{1, 2, 3}}}}}},
		"one":     {Title: "time over l1.size", Panels: []Panel{{XLabel: "l1.size (KiB)", YLabel: "time (ms)", Lines: []Line{{Name: "a", X: []float64{1, 2, 3}, Y: []float64{3, 2, 5}}}}}},
		"grid":    {Title: "3 by 3", Columns: 3, Panels: []Panel{panel, second, third, panel, second, third, panel, second, third}},
		"trust": {Title: "of several seeds", Panels: []Panel{
			{XLog: true, YLog: true, Lines: []Line{
				{Name: "a", X: threads, Y: scaled(1, 0.02), Interval: Interval{scaled(0.9, 0.02), scaled(1.1, 0.02)}},
				{Name: "b", X: []float64{0, 2, 4}, Y: []float64{1, 2, 3}, Interval: Interval{[]float64{0.5, -1, math.NaN()}, []float64{2, 3, math.NaN()}}},
			}},
			{Groups: []string{"x", "y"}, Bars: []Bars{{Name: "a", Values: []float64{1, 2}, Interval: Interval{[]float64{0.5, math.NaN()}, []float64{1.5, math.NaN()}}}, {Name: "b", Values: []float64{2, 3}}}},
		}},
		"void": {Title: "nothing that a logarithm has", Panels: []Panel{{XLog: true, YLog: true, Lines: []Line{{Name: "a", X: []float64{0, 1}, Y: []float64{1, -1}}}}}},
	}
}

func TestWrite(t *testing.T) {
	for name, f := range examples() {
		for _, format := range Formats() {
			var first, second bytes.Buffer
			if err := f.Write(&first, format); err != nil {
				t.Fatalf("%s.%s: %v", name, format, err)
			}
			if err := f.Write(&second, format); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
				t.Errorf("%s.%s: a second drawing differs: %v", name, format, err)
			}
			if look != "" {
				if err := os.WriteFile(filepath.Join(look, name+"."+format), first.Bytes(), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			switch format {
			case "png":
				if image, err := png.Decode(&first); err != nil || image.Bounds().Dx() < 500 {
					t.Errorf("%s: %v", name, err)
				}
			case "svg":
				for _, p := range f.Panels {
					if !strings.Contains(first.String(), ">"+p.XLabel+"<") && p.XLabel != "" {
						t.Errorf("%s: no label %q", name, p.XLabel)
					}
				}
			}
		}
	}
}

// Lines of one name look alike in all panels; the legend has each once.
func TestLegend(t *testing.T) {
	f := Figure{Panels: []Panel{
		{Lines: []Line{{Name: "linear", Dashed: true}, {Name: "a"}, {Name: "b"}}},
		{Lines: []Line{{Name: "b"}, {Name: "c"}, {Name: ""}}},
	}}
	var got []string
	for _, e := range f.names() {
		got = append(got, e.name)
	}
	if want := "a b c linear"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %s", got, want)
	}
	names := f.names()
	for i := range names {
		for j := range i {
			if names[i].color == names[j].color {
				t.Errorf("%s and %s look alike", names[i].name, names[j].name)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	for want, f := range map[string]*Figure{
		"no panel":              {},
		"2 x and 1":             {Panels: []Panel{{Lines: []Line{{X: []float64{1, 2}, Y: []float64{1}}}}}},
		"intervals than points": {Panels: []Panel{{Lines: []Line{{X: []float64{1}, Y: []float64{1}, Interval: Interval{Low: []float64{1}}}}}}},
		"intervals than bars":   {Panels: []Panel{{Groups: []string{"a"}, Bars: []Bars{{Values: []float64{1}, Interval: Interval{[]float64{1, 2}, []float64{1, 2}}}}}}},
		"1 bars for":            {Panels: []Panel{{Groups: []string{"a", "b"}, Bars: []Bars{{Name: "x", Values: []float64{1}}}}}},
	} {
		if err := f.Write(new(bytes.Buffer), "svg"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if err := examples()["one"].Write(new(bytes.Buffer), "gif"); err == nil || !strings.Contains(err.Error(), "png or svg") {
		t.Error(err)
	}
}

// An axis has room for error bars, but for an end that it cannot show.
func TestIntervalsHaveRoom(t *testing.T) {
	l := Line{Name: "a", X: []float64{1, 2}, Y: []float64{1, 2}, Interval: Interval{[]float64{-1, math.NaN()}, []float64{8, math.NaN()}}}
	for _, log := range []bool{false, true} {
		p := Panel{YLog: log, Lines: []Line{l}}
		g, err := p.plot(newKey(nil, 100))
		if err != nil {
			t.Fatal(err)
		}
		low := -1.0
		if log {
			low = 1
		}
		if g.Y.Max < 8 || g.Y.Min > low || g.Y.Min < low-1 {
			t.Errorf("logarithmic %v: an axis from %g to %g", log, g.Y.Min, g.Y.Max)
		}
	}
}

func TestLogTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{1, 48, "1 2 5 10 20"},
		{0.9, 1100, "1 10 100 1000"},
		{0.8, 1.7, "0.8 1.2 1.6"},
		{2, 7, "2 3 4 5 6 7"},
		{1e-6, 1e-4, "1e-6 2e-6 5e-6 1e-5 2e-5 5e-5 1e-4"},
	} {
		var got []string
		for _, tick := range (logTicks{}).Ticks(c.low, c.high) {
			if tick.Label != "" {
				got = append(got, tick.Label)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%g to %g: %v, want %s", c.low, c.high, got, c.want)
		}
	}
}

func TestLabel(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 1: "1", 0.25: "0.25", 48: "48", 16384: "16384", 1e5: "1e5", 2e-4: "2e-4", 123456: "1.23e5", -1e6: "-1e6"} {
		if got := label(x); got != want {
			t.Errorf("%g: %q, want %q", x, got, want)
		}
	}
}
