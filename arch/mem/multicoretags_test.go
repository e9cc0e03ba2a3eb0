package mem

import (
	"math"
	"testing"

	"heddle/sim"
)

// Pages of a scattered memory choose their colors, the groups of sets that the
// lines of a page fill, as if drawn; the lines of a page stay side by side.
func TestScatteredPages(t *testing.T) {
	const page, line, ways, colors, pages = 4096, 64, 16, 16, 4096
	tags := newLRUTags(sim.Bytes(page*ways*colors), line, ways)
	tags.scatter(page / line)
	setOf := func(line uint64) int {
		set := tags.set(line)
		set[0] = newWord(line, 0)
		for i, w := range tags.words {
			if w != noLine {
				tags.words[i] = noLine
				return i / ways
			}
		}
		return -1
	}
	var count [colors]float64
	for p := range uint64(pages) {
		first := setOf(p * page / line)
		count[first/(page/line)]++
		if last := setOf((p+1)*page/line - 1); first%(page/line) != 0 || last != first+page/line-1 {
			t.Fatalf("page %d: its first line is in set %d, its last in set %d", p, first, last)
		}
	}
	chi := 0.0
	for _, n := range count {
		chi += math.Pow(n-pages/colors, 2) / (pages / colors)
	}
	// Of a drawing, chi-squared of 15 degrees of freedom lies between these in 99.8 %.
	if chi < 3.48 || chi > 37.7 {
		t.Errorf("chi-squared %.1f of pages by color %v", chi, count)
	}
	tags = newLRUTags(sim.Bytes(page*ways*colors), line, ways)
	for p := range uint64(pages) {
		if got := setOf(p*page/line) / (page / line); got != int(p%colors) {
			t.Fatalf("page %d in a row has color %d", p, got)
		}
	}
}
