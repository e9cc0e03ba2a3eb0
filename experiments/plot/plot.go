// Package plot draws figures of one or more panels, as SVG and PNG: lines over
// linear or logarithmic axes, dashed lines of linear speed-up, grouped bars,
// and one legend for all panels.
package plot

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
	"strings"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Figure is one or more panels side by side.
type Figure struct {
	Title   string
	Columns int // panels in a row; 0: all
	Panels  []Panel
	Notes   []string // below the panels, a line each
}

// Panel is one set of axes. It has lines or bars, not both.
type Panel struct {
	Title          string
	XLabel, YLabel string
	XLog, YLog     bool      // values that are not positive are left out
	YZero          bool      // the y axis begins at 0 unless it is logarithmic
	XTicks         []float64 // the places of the labels; nil: chosen by the values
	Lines          []Line
	Groups         []string // of bars
	Bars           []Bars
}

// Line is a series of points, joined in their order. Lines of one name have
// one look in all panels.
type Line struct {
	Name string
	X, Y []float64
	Interval
	Style  Style
	Dashed bool // such as linear speed-up: dashed, without marks
}

// Style says how a line shows its points.
type Style int

// Styles of lines.
const (
	Joined Style = iota // by a line, each with a mark
	Dots                // alone
	Marks               // alone, as crosses that stand out: figures from elsewhere
	Points              // alone, each with the mark of its line
)

// Dimensions, in points.
const (
	panelWidth  = 3.4 * vg.Inch
	panelHeight = 2.9 * vg.Inch
	legendRow   = 16
	titleRow    = 24
	noteRow     = 12
	margin      = 8
	resolution  = 144 // of PNG, dots an inch
)

// Formats are the formats that Write knows, by extension.
func Formats() []string { return []string{"png", "svg"} }

// Write draws f in one of Formats.
func (f *Figure) Write(w io.Writer, format string) error {
	if err := f.check(); err != nil {
		return err
	}
	columns := f.Columns
	if columns <= 0 {
		columns = len(f.Panels)
	}
	rows := (len(f.Panels) + columns - 1) / columns
	width := panelWidth * vg.Length(columns)
	if len(f.Panels) == 1 {
		width = 1.5 * panelWidth
	}
	names := f.names()
	key := newKey(names, width-2*margin)
	height := panelHeight*vg.Length(rows) + titleRow + legendRow*vg.Length(len(key.rows)) + noteRow*vg.Length(len(f.Notes)) + 2*margin

	switch format {
	case "svg":
		c := vgsvg.New(width, height)
		if err := f.draw(draw.New(c), rows, columns, key); err != nil {
			return err
		}
		_, err := c.WriteTo(w)
		return err
	case "png":
		c := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(resolution))}
		if err := f.draw(draw.New(c), rows, columns, key); err != nil {
			return err
		}
		_, err := c.WriteTo(w)
		return err
	}
	return fmt.Errorf("format %q of a figure: want %s", format, strings.Join(Formats(), " or "))
}

func (f *Figure) check() error {
	if len(f.Panels) == 0 {
		return fmt.Errorf("figure %q has no panel", f.Title)
	}
	for i := range f.Panels {
		p := &f.Panels[i]
		for _, l := range p.Lines {
			if len(l.X) != len(l.Y) {
				return fmt.Errorf("figure %q: line %q has %d x and %d y", f.Title, l.Name, len(l.X), len(l.Y))
			}
			if !l.Interval.fits(len(l.Y)) {
				return fmt.Errorf("figure %q: line %q has other intervals than points", f.Title, l.Name)
			}
		}
		for _, b := range p.Bars {
			if len(b.Values) != len(p.Groups) {
				return fmt.Errorf("figure %q: %q has %d bars for %d groups", f.Title, b.Name, len(b.Values), len(p.Groups))
			}
			if !b.Interval.fits(len(b.Values)) {
				return fmt.Errorf("figure %q: %q has other intervals than bars", f.Title, b.Name)
			}
			if len(b.Marks) > 0 && len(b.Marks) != len(p.Groups) {
				return fmt.Errorf("figure %q: %q has %d marks for %d groups", f.Title, b.Name, len(b.Marks), len(p.Groups))
			}
		}
	}
	return nil
}

// names returns what the legend tells apart, in the order of the panels.
func (f *Figure) names() []entry {
	var list []entry
	add := func(e entry) {
		if e.name != "" && !slices.ContainsFunc(list, func(x entry) bool { return x.name == e.name }) {
			list = append(list, e)
		}
	}
	for i := range f.Panels {
		for _, l := range f.Panels[i].Lines {
			add(entry{name: l.Name, dashed: l.Dashed, dots: l.Style == Dots, mark: l.Style == Marks})
		}
		for _, b := range f.Panels[i].Bars {
			add(entry{name: b.Name, bar: true})
		}
		for _, b := range f.Panels[i].Bars {
			add(entry{name: b.MarkName, mark: true})
		}
	}
	look := 0
	for i := range list {
		list[i].color = color.Gray{0x50}
		switch {
		case list[i].mark:
			list[i].color, list[i].shape = color.Black, draw.CrossGlyph{}
		case !list[i].dashed:
			list[i].color = colors[look%len(colors)]
			list[i].shape = shapes[look%len(shapes)]
			look++
		}
	}
	// Marks and dashed lines come last, whatever the panels' order.
	rank := func(e entry) int {
		switch {
		case e.dashed:
			return 2
		case e.mark:
			return 1
		}
		return 0
	}
	slices.SortStableFunc(list, func(a, b entry) int { return rank(a) - rank(b) })
	return list
}

func (f *Figure) draw(c draw.Canvas, rows, columns int, k *key) error {
	white := []vg.Point{c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y}}
	c.FillPolygon(color.White, white)
	c = draw.Crop(c, margin, -margin, margin, -margin)

	style := sized(13)
	style.XAlign, style.YAlign = draw.XCenter, draw.YTop
	c.FillText(style, vg.Point{X: (c.Min.X + c.Max.X) / 2, Y: c.Max.Y}, f.Title)
	below := noteRow * vg.Length(len(f.Notes))
	style.Font.Size = 8
	style.XAlign = draw.XLeft
	for i, note := range f.Notes {
		c.FillText(style, vg.Point{X: c.Min.X, Y: c.Min.Y + below - noteRow*vg.Length(i)}, note)
	}
	c = draw.Crop(c, 0, 0, below, -titleRow)
	k.draw(draw.Crop(c, 0, 0, 0, -(c.Max.Y - c.Min.Y - legendRow*vg.Length(len(k.rows)))))
	c = draw.Crop(c, 0, 0, legendRow*vg.Length(len(k.rows)), 0)

	tiles := draw.Tiles{Rows: rows, Cols: columns, PadX: 10, PadY: 10}
	for i := range f.Panels {
		p, err := f.Panels[i].plot(k)
		if err != nil {
			return fmt.Errorf("figure %q, panel %q: %w", f.Title, f.Panels[i].Title, err)
		}
		tile := tiles.At(c, i%columns, i/columns)
		// gonum leaves room above a long label of a logarithmic y axis.
		label := sized(9.5)
		label.Rotation = math.Pi / 2
		label.XAlign, label.YAlign = draw.XCenter, draw.YTop
		tile.FillText(label, vg.Point{X: tile.Min.X, Y: (tile.Min.Y + tile.Max.Y) / 2}, f.Panels[i].YLabel)
		p.Draw(draw.Crop(tile, 1.5*label.Font.Size, 0, 0, 0))
	}
	return nil
}

// plot returns a panel as gonum knows it.
func (p *Panel) plot(k *key) (*gonum.Plot, error) {
	g := gonum.New()
	g.Title.Text = p.Title
	g.Title.TextStyle.Font = sized(11).Font
	g.Title.Padding = 4
	g.X.Label.Text = p.XLabel
	g.X.Label.TextStyle.Font = sized(9.5).Font
	for _, axis := range []*gonum.Axis{&g.X, &g.Y} {
		axis.Tick.Label.Font = sized(8).Font
		axis.Padding = 2
	}
	lines := grid()
	g.Add(lines)
	var err error
	if len(p.Groups) > 0 {
		lines.Vertical.Width = 0
		err = p.addBars(g, k)
	} else {
		err = p.addLines(g, k)
	}
	return g, err
}

func grid() *plotter.Grid {
	g := plotter.NewGrid()
	g.Vertical.Color = color.Gray{0xdd}
	g.Horizontal.Color = color.Gray{0xdd}
	return g
}

func (p *Panel) addLines(g *gonum.Plot, k *key) error {
	x, y := span{log: p.XLog}, span{log: p.YLog}
	if p.YZero && !p.YLog {
		y.take(0)
	}
	for _, l := range p.Lines {
		var points plotter.XYs
		for i := range l.X {
			if x.shows(l.X[i]) && y.shows(l.Y[i]) {
				points = append(points, plotter.XY{X: l.X[i], Y: l.Y[i]})
				x.take(l.X[i])
				y.take(l.Y[i])
				l.Interval.take(&y, i)
			}
		}
		if len(points) == 0 {
			continue
		}
		e := k.entry(l.Name)
		if l.Style == Joined {
			line, err := plotter.NewLine(points)
			if err != nil {
				return err
			}
			line.LineStyle = e.line()
			g.Add(line)
		}
		if !l.Dashed {
			scatter, err := plotter.NewScatter(points)
			if err != nil {
				return err
			}
			scatter.GlyphStyle = e.glyph()
			g.Add(scatter)
		}
	}
	y.widen()
	for _, l := range p.Lines {
		place := func(i int) float64 {
			if !x.shows(l.X[i]) {
				return math.NaN()
			}
			return l.X[i]
		}
		if err := l.Interval.add(g, &y, k.entry(l.Name).color, place, l.Y); err != nil {
			return err
		}
	}
	x.apply(&g.X, p.XTicks)
	y.apply(&g.Y, nil)
	return nil
}
