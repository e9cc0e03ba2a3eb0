package plot

import (
	"image/color"
	"math"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// Interval is how far each of several values is to be trusted: the ends of an
// error bar, NaN where there is none. Both lists may be nil.
type Interval struct{ Low, High []float64 }

func (v *Interval) fits(values int) bool {
	return len(v.Low) == len(v.High) && (len(v.Low) == 0 || len(v.Low) == values)
}

// take makes room on an axis for the interval of value i.
func (v *Interval) take(y *span, i int) {
	if i >= len(v.Low) {
		return
	}
	for _, end := range []float64{v.Low[i], v.High[i]} {
		if y.shows(end) {
			y.take(end)
		}
	}
}

// add draws the error bars of values, each at its place on the x axis, NaN if it
// has none. A lower end that a logarithmic axis cannot show is the axis's own.
func (v *Interval) add(g *gonum.Plot, y *span, c color.Color, place func(i int) float64, values []float64) error {
	var bars struct {
		plotter.XYs
		plotter.YErrors
	}
	for i, low := range v.Low {
		if math.IsNaN(place(i)) || !y.shows(values[i]) || !y.shows(v.High[i]) || math.IsNaN(low) {
			continue
		}
		if !y.shows(low) {
			low = y.low
		}
		bars.XYs = append(bars.XYs, plotter.XY{X: place(i), Y: values[i]})
		bars.YErrors = append(bars.YErrors, struct{ Low, High float64 }{values[i] - low, v.High[i] - values[i]})
	}
	if len(bars.XYs) == 0 {
		return nil
	}
	drawn, err := plotter.NewYErrorBars(bars)
	if err != nil {
		return err
	}
	drawn.Color, drawn.Width = c, vg.Points(0.8)
	g.Add(drawn)
	return nil
}
