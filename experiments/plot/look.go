package plot

import (
	"image/color"
	"slices"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// colors can be told apart by people of any colour vision (Okabe and Ito,
// "Color universal design", 2008), the lightest left out.
var colors = []color.Color{
	color.RGBA{0x00, 0x72, 0xb2, 0xff},
	color.RGBA{0xd5, 0x5e, 0x00, 0xff},
	color.RGBA{0x00, 0x9e, 0x73, 0xff},
	color.RGBA{0xcc, 0x79, 0xa7, 0xff},
	color.RGBA{0xe6, 0x9f, 0x00, 0xff},
	color.RGBA{0x56, 0xb4, 0xe9, 0xff},
	color.RGBA{0x40, 0x40, 0x40, 0xff},
}

var shapes = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.BoxGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{}, draw.RingGlyph{}, draw.SquareGlyph{}, draw.PlusGlyph{}, draw.PyramidGlyph{},
}

// sized returns the style of text of the given size, in points.
func sized(points vg.Length) text.Style {
	s := gonum.New().Legend.TextStyle
	s.Font.Variant = "Sans"
	s.Font.Size = points
	return s
}

// entry is a line of the legend: the look of lines or bars of one name.
type entry struct {
	name              string
	color             color.Color
	shape             draw.GlyphDrawer
	dashed, dots, bar bool
	mark              bool
}

func (e *entry) line() draw.LineStyle {
	s := draw.LineStyle{Color: e.color, Width: 1.2}
	if e.dashed {
		s.Width = 0.9
		s.Dashes = []vg.Length{4, 3}
	}
	return s
}

func (e *entry) glyph() draw.GlyphStyle {
	s := draw.GlyphStyle{Color: e.color, Shape: e.shape, Radius: 2.4}
	switch {
	case e.dots:
		s.Radius = 1.3
	case e.mark:
		s.Radius = 4
	}
	return s
}

// key is the legend: rows of entries.
type key struct {
	entries []entry
	rows    [][]entry
	style   text.Style
}

// Widths in the legend, in points.
const (
	sample = 22 // of a line
	gap    = 16 // between entries
)

// newKey lays entries out in rows of the given width.
func newKey(entries []entry, width vg.Length) *key {
	k := &key{entries: entries, style: sized(9)}
	k.style.XAlign, k.style.YAlign = draw.XLeft, draw.YCenter
	left := vg.Length(0)
	for _, e := range entries {
		w := k.width(e)
		if len(k.rows) == 0 || left+w > width {
			k.rows = append(k.rows, nil)
			left = 0
		}
		last := len(k.rows) - 1
		k.rows[last] = append(k.rows[last], e)
		left += w
	}
	return k
}

func (k *key) width(e entry) vg.Length { return sample + 4 + k.style.Width(e.name) + gap }

// entry returns the look of what is called name.
func (k *key) entry(name string) entry {
	if i := slices.IndexFunc(k.entries, func(e entry) bool { return e.name == name }); i >= 0 {
		return k.entries[i]
	}
	return entry{color: color.Gray{0x50}, shape: draw.CircleGlyph{}, dashed: name == ""}
}

// draw draws the rows, each in the middle of its line.
func (k *key) draw(c draw.Canvas) {
	y := c.Max.Y - legendRow/2
	for _, row := range k.rows {
		whole := vg.Length(-gap)
		for _, e := range row {
			whole += k.width(e)
		}
		x := (c.Min.X + c.Max.X - whole) / 2
		for _, e := range row {
			end := x + sample
			middle := vg.Point{X: (x + end) / 2, Y: y}
			switch {
			case e.bar:
				c.FillPolygon(e.color, []vg.Point{{X: middle.X - 5, Y: y - 4}, {X: middle.X + 5, Y: y - 4}, {X: middle.X + 5, Y: y + 4}, {X: middle.X - 5, Y: y + 4}})
			case e.dots || e.mark:
				c.DrawGlyph(e.glyph(), middle)
			default:
				c.StrokeLine2(e.line(), x, y, end, y)
				if !e.dashed {
					c.DrawGlyph(e.glyph(), middle)
				}
			}
			c.FillText(k.style, vg.Point{X: end + 4, Y: y}, e.name)
			x += k.width(e)
		}
		y -= legendRow
	}
}
