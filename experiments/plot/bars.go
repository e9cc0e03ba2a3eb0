package plot

import (
	"image/color"
	"math"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Bars is a bar in each group; NaN leaves one out.
type Bars struct {
	Name   string
	Values []float64
	Interval
	// Marks, if there are any, are figures from elsewhere, one a group, shown
	// where the bar would end; NaN leaves one out. MarkName is their name.
	Marks    []float64
	MarkName string
}

func (p *Panel) addBars(g *gonum.Plot, k *key) error {
	const share = 0.8 // of a group's width that its bars take
	y := span{log: p.YLog}
	if !p.YLog {
		y.take(0)
	}
	for _, b := range p.Bars {
		for _, v := range append(b.Values[:len(b.Values):len(b.Values)], b.Marks...) {
			if y.shows(v) {
				y.take(v)
			}
		}
		for at := range b.Low {
			b.Interval.take(&y, at)
		}
	}
	width := share / float64(len(p.Bars))
	y.widen()
	for i, b := range p.Bars {
		fill := k.entry(b.Name).color
		middle := func(at int) float64 { return float64(at) - share/2 + width*(float64(i)+0.46) }
		for at, v := range b.Values {
			if !y.shows(v) {
				continue
			}
			left := float64(at) - share/2 + width*float64(i)
			base := 0.0
			if p.YLog {
				base = y.low
			}
			box, err := plotter.NewPolygon(plotter.XYs{{X: left, Y: base}, {X: left + width*0.92, Y: base}, {X: left + width*0.92, Y: v}, {X: left, Y: v}})
			if err != nil {
				return err
			}
			box.Color = fill
			box.LineStyle.Width = 0
			g.Add(box)
		}
		if err := b.Interval.add(g, &y, color.Gray{0x30}, middle, b.Values); err != nil {
			return err
		}
		for at, v := range b.Marks {
			if !y.shows(v) {
				continue
			}
			mark, err := plotter.NewScatter(plotter.XYs{{X: middle(at), Y: v}})
			if err != nil {
				return err
			}
			e := k.entry(b.MarkName)
			mark.GlyphStyle = e.glyph()
			g.Add(mark)
		}
	}
	ticks := make([]gonum.Tick, len(p.Groups))
	for i, name := range p.Groups {
		ticks[i] = gonum.Tick{Value: float64(i), Label: name}
	}
	g.X.Min, g.X.Max = -0.6, float64(len(p.Groups))-0.4
	g.X.Tick.Marker = gonum.ConstantTicks(ticks)
	g.X.Tick.Length = 0
	wide := vg.Length(0)
	for _, name := range p.Groups {
		wide = max(wide, sized(8).Width(name))
	}
	if wide*vg.Length(len(p.Groups)) > 0.7*panelWidth { // they would run into each other
		g.X.Tick.Label.Rotation = math.Pi / 9
		g.X.Tick.Label.XAlign, g.X.Tick.Label.YAlign = draw.XRight, draw.YTop
	}
	y.apply(&g.Y, nil)
	return nil
}
