package experiments

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"heddle/experiments/study"
)

// arrays writes the traffic of each array, and who contends for its hot words.
func (p *annotation) arrays() {
	if len(p.Arrays) == 0 {
		return
	}
	p.section("Arrays", arraysHead)
	p.lines = append(p.lines, Arrays(p.Arrays).lines(p.Simulated.Seconds != nil)...)
	if len(p.HotWords) == 0 {
		return
	}
	w := table{right: "lrr"}
	w.add("word", "atomics", "cores", "from")
	for _, h := range p.HotWords {
		var from []string
		for _, c := range h.Contenders {
			from = append(from, fmt.Sprintf("%s %s:%d", percent(c.Share), c.File[strings.LastIndexByte(c.File, '/')+1:], c.Line))
		}
		w.add(h.Place, rough(float64(h.Atomics)), count(h.Cores), strings.Join(from, ", "))
	}
	p.section("Hottest words", ": atomics at least, and the lines that contend")
	p.lines = append(p.lines, w.lines("  ")...)
}

// phases writes a row for each launch, or for the longest of very many.
func (p *annotation) phases() {
	if len(p.Launches) == 0 {
		return
	}
	shown := make([]int, len(p.Launches))
	for i := range shown {
		shown[i] = i
	}
	if len(shown) > mostPhases {
		slices.SortStableFunc(shown, func(a, b int) int {
			x, y := &p.Launches[a], &p.Launches[b]
			return cmp.Or(cmp.Compare(y.Seconds, x.Seconds), cmp.Compare(y.Instructions, x.Instructions))
		})
		shown = shown[:mostPhases]
		slices.Sort(shown)
	}
	notes := noteNames(p.Launches)
	timed := p.Simulated.Seconds != nil
	t := table{right: "rlrr"}
	head := []string{"", "program", "items", "instructions"}
	head = append(head, notes...)
	if timed {
		head = append(head, "start", "time", "a cycle", "occupied")
	}
	head = append(head, "lanes", "divergent")
	if timed {
		head = append(head, "DRAM")
		for _, l := range p.Launches[0].HitRates {
			head = append(head, l.Name+" hit")
		}
	}
	t.right += strings.Repeat("r", len(head))
	t.add(head...)
	for _, i := range shown {
		l := &p.Launches[i]
		row := []string{fmt.Sprint(i + 1), l.Program[strings.LastIndexByte(l.Program, '/')+1:], count(l.Items), rough(float64(l.Instructions))}
		for _, n := range notes {
			text := ""
			if v, ok := l.Notes[n]; ok {
				text = count(v)
			}
			row = append(row, text)
		}
		if timed {
			row = append(row, duration(l.Start), duration(l.Seconds), digits(orNaN(l.PerCycle), 3), percent(orNaN(l.Occupancy)))
		}
		row = append(row, digits(orNaN(l.Lanes), 3), percent(orNaN(l.Divergence)))
		if timed {
			row = append(row, bandwidth(orNaN(l.Bandwidth)))
			for _, h := range l.HitRates {
				row = append(row, percent(h.Value))
			}
		}
		t.add(row...)
	}
	what := ""
	if timed {
		what = ": instructions a cycle of the whole machine, places for warps or threads that were occupied"
	}
	if len(shown) < len(p.Launches) {
		what = fmt.Sprintf(", the longest %d of %s", len(shown), count(len(p.Launches)))
	}
	p.section("Launches", what)
	p.lines = append(p.lines, t.lines("  ")...)
}

// noteNames returns the names of all notes of launches.
func noteNames(launches []study.Launch) []string {
	names := map[string]bool{}
	for i := range launches {
		for n := range launches[i].Notes {
			names[n] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

func orNaN(x *float64) float64 {
	if x == nil {
		return math.NaN()
	}
	return *x
}

// series draws how the run went on.
func (p *annotation) series() {
	var t table
	draw := func(name string, values []float64, write func(float64) string) {
		least, most := math.Inf(1), math.Inf(-1)
		for _, x := range values {
			if !math.IsNaN(x) {
				least, most = min(least, x), max(most, x)
			}
		}
		if most >= least && len(values) > 1 {
			t.add(name, spark(values, sparkWidth), write(least)+" to "+write(most))
		}
	}
	for _, n := range noteNames(p.Launches) {
		var values []float64
		for i := range p.Launches {
			if v, ok := p.Launches[i].Notes[n]; ok {
				values = append(values, float64(v))
			}
		}
		draw(n+", by launch", values, func(x float64) string { return count(int64(x)) })
	}
	if s := p.Series; s != nil && len(s.Ends) > 1 {
		number := func(x float64) string { return digits(x, 3) }
		for _, x := range []struct {
			name   string
			values []*float64
			write  func(float64) string
		}{
			{"instructions a cycle", s.PerCycle, number},
			{"occupied", s.Occupancy, percent},
			{"DRAM", s.Bandwidth, bandwidth},
			{"lanes", s.Lanes, number},
			{"divergent", s.Divergence, percent},
		} {
			values := make([]float64, len(x.values))
			for i := range values {
				values[i] = orNaN(x.values[i])
			}
			draw(x.name, byTimeOf(s.Ends, values, sparkWidth), x.write)
		}
	}
	if len(t.rows) > 0 {
		p.section("As the run went on", "")
		p.lines = append(p.lines, t.lines("  ")...)
	}
}

// byTimeOf returns n averages of values, which hold for intervals that end at
// ends, over equal parts of the time.
func byTimeOf(ends, values []float64, n int) []float64 {
	parts := make([]float64, n)
	step := ends[len(ends)-1] / float64(n)
	at, i := 0.0, 0
	for k := range parts {
		sum, weight := 0.0, 0.0
		for end := float64(k+1) * step; i < len(ends); {
			upto := min(ends[i], end)
			if d := upto - at; d > 0 && !math.IsNaN(values[i]) {
				sum += d * values[i]
				weight += d
			}
			at = upto
			if ends[i] > end {
				break
			}
			i++
		}
		parts[k] = sum / weight // NaN where nothing is known
	}
	return parts
}

// spark draws values from 0 on as blocks, at most width of them; of more values,
// a block is the largest of several.
func spark(values []float64, width int) string {
	blocks := []rune(" ▁▂▃▄▅▆▇█")
	most := 0.0
	for _, x := range values {
		if x > most {
			most = x
		}
	}
	n := min(width, len(values))
	var b strings.Builder
	for k := range n {
		largest := 0.0
		for _, x := range values[k*len(values)/n : (k+1)*len(values)/n] {
			if x > largest {
				largest = x
			}
		}
		level := 0
		if most > 0 {
			level = int(math.Ceil(largest / most * float64(len(blocks)-1)))
		}
		b.WriteRune(blocks[level])
	}
	return b.String()
}
