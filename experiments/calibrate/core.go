package calibrate

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"heddle/experiments/hostbench"
)

// window finds the sizes of the buffers of the window: where loads that miss
// cease to overlap.
func (f *fitter) window() {
	// What must have a place with n instructions between two loads: the second
	// load as well, but in the store buffer. An iteration of 16, and one of 2,
	// has an add, a compare and a jump more, and each loop its beginning.
	whole := func(n float64) float64 { return 6 + n + 3*math.Floor(n/16) + 3*math.Floor(math.Mod(n, 16)/2) }
	one := func(n float64) float64 { return n + 1 }
	as := func(n float64) float64 { return n }
	for _, b := range []struct {
		series, path string
		size         func(n float64) float64
	}{
		{"window/add", "core.rob", whole},
		{"window/wait", "core.stations", one},
		{"window/load", "core.load_store.load_buffer", one},
		{"window/store", "core.load_store.store_buffer", as},
	} {
		series := f.r.Series(b.series)
		below, above, ok := edge(series)
		if !ok {
			f.err = fmt.Errorf("%s: no number of instructions keeps two misses from overlapping; measure again on a quieter computer", b.series)
			return
		}
		n := math.Round((b.size(float64(below.At)) + b.size(float64(above.At)) - 1) / 2)
		f.set(b.path, strconv.Itoa(int(n)), fmt.Sprintf("[M] %s: %s ns with %d between two misses, %s with %d",
			b.series, short(below.Figure.Value), below.At, short(above.Figure.Value), above.At))
		f.log("%s: %.0f", b.path, n)
	}
}

// edge returns the figures of a series between which two misses cease to
// overlap: what lies below is best explained by one level and what lies above
// by another, half as high again at least.
func edge(series []hostbench.Point) (below, above hostbench.Point, ok bool) {
	best := math.Inf(1)
	for i := 1; i < len(series); i++ {
		low, lowOff := level(series[:i])
		high, highOff := level(series[i:])
		if high < 1.4*low {
			continue
		}
		if off := lowOff + highOff; off < best {
			best, below, above, ok = off, series[i-1], series[i], true
		}
	}
	return below, above, ok
}

// level returns the geometric mean of a series and the squares of the
// logarithms' distances from it.
func level(series []hostbench.Point) (mean, off float64) {
	sum := 0.0
	for _, p := range series {
		sum += math.Log(p.Figure.Value)
	}
	m := sum / float64(len(series))
	for _, p := range series {
		d := math.Log(p.Figure.Value) - m
		off += d * d
	}
	return math.Exp(m), off
}

// random is the name of the figure of branches that cannot be predicted.
const random = "branch/16384"

// branches finds how long patterns the predictor learns, and what is beside ifs.
func (f *fitter) branches() {
	f.shortLoops()
	f.learning()
	f.mispredict(random)
	f.loops()
}

// learning finds how large a predictor's table is and how far back it looks,
// from what share of each pattern is not learned: whatever a misprediction costs.
func (f *fitter) learning() {
	names := namesOf(f.r.Series("branch"))
	missed := func(figures []float64) []float64 {
		least, most := slices.Min(figures), slices.Max(figures)
		all := make([]float64, len(figures))
		for i, x := range figures {
			all[i] = (x - least) / (most - least)
		}
		return all
	}
	measured := make([]float64, len(names))
	for i, name := range names {
		measured[i] = f.value(name)
	}
	want := missed(measured)
	// Sizes of which the sets mix outcomes that alternate.
	source := "[M] branch: as long patterns are learned"
	f.bestTwo([2]string{"core.branch.predictor.global", "core.branch.predictor.history"},
		[2][]string{{"1024", "4096", "16384"}, {"8", "12", "16", "20", "24", "28", "30", "32"}},
		noiseOf(names), func() (off float64) {
			for i, x := range missed(f.simulate(names...)) {
				off += (x - want[i]) * (x - want[i])
			}
			return off
		}, [2]string{source, source})
}

// shortLoops finds what taken branches cost at least, and what compilers put
// beside ifs.
func (f *fitter) shortLoops() {
	names := []string{"int/throughput", "mix/throughput", "branch/1", "branch/32", "rows/same"}
	f.set("core.branch.predictor.loops", "64", "") // all of these are predicted
	loop := f.from("int/throughput", "a loop of so many instructions")
	short := f.from("branch/1", "a loop with an if; and branch/32, rows/same")
	var counts []string
	for n := range 9 {
		counts = append(counts, strconv.Itoa(n))
	}
	f.bestTwo([2]string{"core.branch.beside", "core.branch.taken"}, [2][]string{counts, {cycles(0), cycles(1), cycles(2)}},
		1e-9, func() float64 { return f.off(names) }, [2]string{short, loop})
}

// loops finds whether ends of loops are predicted that are always as long.
func (f *fitter) loops() {
	want := f.value("rows/random") / f.value("rows/same")
	best, least := 0, math.Inf(1)
	source := f.from("rows/same", fmt.Sprintf("rows of random lengths take %.2f times as long", want))
	for _, n := range []int{0, 64} {
		f.set("core.branch.predictor.loops", strconv.Itoa(n), source)
		got := f.simulate("rows/same", "rows/random")
		if f.err != nil {
			return
		}
		if off := math.Abs(math.Log(got[1] / got[0] / want)); off < least {
			best, least = n, off
		}
	}
	f.set("core.branch.predictor.loops", strconv.Itoa(best), source)
	f.log("core.branch.predictor.loops: %d", best)
}

// mispredictions finds what a misprediction costs, between what ifs of random
// outcome and loops of random length show.
func (f *fitter) mispredictions() { f.mispredict(random, "rows/random") }

func (f *fitter) mispredict(names ...string) {
	first := max(2, int(math.Round((f.value(random)-f.value("branch/1"))*f.clock)))
	var values []string
	for n := first; n <= 4*first; n++ {
		values = append(values, cycles(float64(n)))
	}
	f.choose("core.branch.mispredict", values, names, f.from(random, "as near as can be to "+strings.Join(names, " and ")))
}

func namesOf(series []hostbench.Point) []string {
	names := make([]string, len(series))
	for i, p := range series {
		names[i] = p.Figure.Name
	}
	return names
}

// agreement is how well figures of a quiet computer agree, relative.
const agreement = 0.02

// misses finds how many lines a core fetches at a time.
func (f *fitter) misses() {
	series := f.r.Series("chains")
	if len(series) == 0 {
		f.err = fmt.Errorf("no figure of independent chases")
		return
	}
	least := series[0].Figure
	for _, p := range series {
		if p.Figure.Value < least.Value {
			least = p.Figure
		}
	}
	one := f.value("chains/1")
	guess := int(math.Round(one / least.Value)) // at least: memory too may be what limits
	best, off := guess, math.Inf(1)
	source := f.from(least.Name, fmt.Sprintf("%.2f times as fast as one, %s ns", one/least.Value, short(one)))
	for n := max(1, guess-1); n <= guess+4; n++ {
		f.set("core.load_store.line_fill_buffers", strconv.Itoa(n), source)
		simulated := f.simulate(namesOf(series)...)
		if f.err != nil {
			return
		}
		sum, noise := 0.0, 0.0
		for i, p := range series {
			if p.At >= guess { // how many times as fast as one
				d := math.Log(simulated[0] / simulated[i] / (one / p.Figure.Value))
				sum += d * d
				noise += agreement * agreement
			}
		}
		if sum < off-noise { // more that explain no more are not there
			best, off = n, sum
		}
	}
	f.set("core.load_store.line_fill_buffers", strconv.Itoa(best), source)
	f.log("core.load_store.line_fill_buffers: %d", best)
}

// sharing finds what atomics and transfers between cores cost.
func (f *fitter) sharing() {
	hold := f.cycles("atomic/1") - f.latency("memory.l1.latency")
	f.set("memory.costs.atomic_hold", cycles(max(1, hold)), f.from("atomic/1", "less an L1 hit"))
	f.set("core.units.sync.latency", cycles(f.cycles("atomic/1")), f.from("atomic/1", "as a locked instruction"))
	f.prefer("core.load_store.pass_atomics", []string{"false", "true"}, []string{"random/atomic/1"}, f.from("random/atomic/1", ""))
	least := f.period(f.latency("memory.l2.latency")) + 0.01
	if f.r.Figure("transfer/dirty") == nil {
		return
	}
	for _, kind := range []string{"clean", "dirty"} {
		f.adjust("memory.costs."+kind+".die", "transfer/"+kind, f.value("transfer/"+kind), least, 1, nanoseconds, "less translation")
	}
	defer f.keep(f.cycles("atomic/1"))
	f.adjust("memory.costs.handover.die", "handover/2", f.value("handover/2")/2, least+f.period(hold)+0.5, 1, nanoseconds, "less the work between")
}

// keep finds how long a core keeps a line that it has for one atomic after the
// other, each of so many cycles, when another core asks for it.
func (f *fitter) keep(atomic float64) {
	if f.r.Figure("atomic/2") == nil {
		return
	}
	values := []string{cycles(0)}
	for n := 1; n <= 32; n++ {
		values = append(values, cycles(float64(n)*atomic))
	}
	f.choose("memory.costs.atomic_keep", values, []string{"atomic/2"}, f.from("atomic/2", ""))
}

// bandwidth takes what was read at most for what memory gives, until it is
// known what cores ask for.
func (f *fitter) bandwidth() {
	best := f.mostMoved()
	f.set("memory.memory_bandwidth", gigabytes(1.15*f.moved(best)), f.from(best, "the most that was moved, and what is lost to refreshes"))
}

func gigabytes(x float64) string { return short(x) + " GB/s" }

// streams are the figures of reading and writing in order by as many threads as there are.
func (f *fitter) streams() (names []string) {
	for _, series := range []string{"stream/read", "stream/write"} {
		for _, p := range f.r.Series(series) {
			names = append(names, p.Figure.Name)
		}
	}
	return names
}

// moved returns what memory moves for a figure of bandwidth: a line that is
// written is read before.
func (f *fitter) moved(name string) float64 {
	if strings.HasPrefix(name, "stream/write") {
		return 2 * f.value(name)
	}
	return f.value(name)
}

// mostMoved returns the name of the figure for which memory moves most.
func (f *fitter) mostMoved() (best string) {
	names := f.streams()
	for _, p := range f.r.Series("random/read") {
		names = append(names, p.Figure.Name)
	}
	for _, name := range names {
		if best == "" || f.moved(name) > f.moved(best) {
			best = name
		}
	}
	if best == "" && f.err == nil {
		f.err = fmt.Errorf("no figure of bandwidth")
	}
	return best
}

// walks finds how page walks overlap, and how far the entries of pages lie apart
// that they load.
func (f *fitter) walks() {
	random := namesOf(f.r.Series("random/read"))
	if len(random) == 0 {
		f.err = fmt.Errorf("no figure of reads at random")
		return
	}
	// One thread's, where many pages are walked for: the last of each.
	far := random[:1]
	for _, series := range [][]hostbench.Point{f.r.Series("pages"), f.r.Series(chase)} {
		for i := len(series) - 1; i >= 0; i-- {
			if series[i].At < 200_000 { // what takes long to simulate tells no more
				far = append(far, series[i].Figure.Name)
				break
			}
		}
	}
	together := []string{"0"}
	if f.latency("core.tlb.tables") > 1 {
		together = []string{"0", "1", "2", "3", "4"}
	}
	source := f.from(far[0], "and "+strings.Join(far[1:], ", "))
	f.bestTwo([2]string{"core.tlb.walkers", "core.tlb.together"}, [2][]string{{"1", "2", "3"}, together},
		noiseOf(far), func() float64 { return f.off(far) }, [2]string{source, source})
	f.walk()
}

// ahead finds what is fetched ahead and what memory gives, with what a core
// fetches at a time known.
func (f *fitter) ahead() {
	reads, writes := namesOf(f.r.Series("stream/read")), namesOf(f.r.Series("stream/write"))
	prefetch := func() {
		f.prefer("memory.prefetch.distance", []string{"0", "4", "6", "8", "10", "12", "14", "16", "20", "24", "32"}, reads, f.from("stream/read/1", "and by more threads"))
		fills := []string{"0"}
		most := int(f.latency("core.load_store.line_fill_buffers"))
		for n := max(1, most/3); n < most; n++ {
			fills = append(fills, strconv.Itoa(n))
		}
		f.prefer("core.load_store.store_fills", fills, writes, f.from("stream/write/1", "and by more threads"))
	}
	prefetch()
	best := f.mostMoved()
	var values []string
	for part := 0.85; part < 1.4; part += 0.05 {
		values = append(values, gigabytes(part*f.moved(best)))
	}
	f.choose("memory.memory_bandwidth", values, f.streams(), f.from(best, "and what else was read and written in order, as near to all as can be"))
	prefetch()
	var intervals []string
	for n := range 7 {
		intervals = append(intervals, cycles(float64(n)))
	}
	f.choose("memory.l2.interval", intervals, []string{"stream/l2/1"}, f.from("stream/l2/1", ""))
}

// team finds what parallel loops and barriers of goroutines cost.
func (f *fitter) team() {
	forks := f.r.Series("fork")
	if len(forks) == 0 {
		return
	}
	two, most := forks[0], forks[len(forks)-1]
	each := 0.0
	if most.At > two.At {
		each = max(0, (most.Figure.Value-two.Figure.Value)/float64(most.At-two.At))
		f.set("team.per_thread", nanoseconds(each), f.from(most.Figure.Name, "over that of two"))
	} else {
		f.set("team.per_thread", "0 ns", "[I] two threads: all is in fork")
	}
	f.set("team.fork", nanoseconds(max(0, two.Figure.Value-each)), f.from(two.Figure.Name, ""))
	barriers := f.r.Series("barrier")
	if len(barriers) == 0 {
		return
	}
	last := barriers[len(barriers)-1].Figure.Name
	f.adjust("core.load_store.barrier", last, f.value(last), 0, 1, func(ns float64) string { return cycles(ns * f.clock) }, "")
}
