package calibrate

import (
	"fmt"
	"math"
	"strconv"

	"heddle/experiments/hostbench"
)

// window finds the sizes of the buffers of the window: where loads that miss
// cease to overlap.
func (f *fitter) window() {
	// What must have a place with n instructions between two loads: the second
	// load as well, but in the store buffer. An iteration of 16, and one of 2,
	// has an add and a compare more, and so has the beginning of each loop.
	whole := func(n float64) float64 { return 6 + n + 2*math.Floor(n/16) + 2*math.Floor(math.Mod(n, 16)/2) }
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

// branches finds what a mispredicted branch costs and how long patterns the
// predictor learns.
func (f *fitter) branches() {
	series := f.r.Series("branch")
	f.set("core.branch.predictor.history", "24", "[I] enough for the patterns that are learned")
	f.shortLoops()
	// What is learned of each period: from 0, all, to 1, nothing.
	missed := func(value func(name string) float64) []float64 {
		all := make([]float64, len(series))
		for i, p := range series {
			all[i] = (value(p.Figure.Name) - value("branch/1")) / (value(random) - value("branch/1"))
		}
		return all
	}
	measured := missed(f.value)
	best, least := 0, math.Inf(1)
	source := "[M] branch: as long patterns are learned"
	for n := 512; n <= 8192; n *= 2 {
		f.set("core.branch.predictor.global", strconv.Itoa(n), source)
		simulated := map[string]float64{}
		for i, x := range f.simulate(namesOf(series)...) {
			simulated[series[i].Figure.Name] = x
		}
		if f.err != nil {
			return
		}
		off := 0.0
		for i, x := range missed(func(name string) float64 { return simulated[name] }) {
			off += (x - measured[i]) * (x - measured[i])
		}
		if off < least {
			best, least = n, off
		}
	}
	f.set("core.branch.predictor.global", strconv.Itoa(best), source)
	f.log("core.branch.predictor.global: %d", best)

	f.loops()
}

// shortLoops finds what taken branches cost at least, and what compilers put
// beside ifs.
func (f *fitter) shortLoops() {
	names := []string{"int/throughput", "branch/1"}
	loop := f.from("int/throughput", "a loop of so many instructions")
	short := f.from("branch/1", "a loop with an if")
	taken, beside, least := 0, 0, math.Inf(1)
	for n := range 9 {
		for t := range 3 {
			f.set("core.branch.taken", cycles(float64(t)), loop)
			f.set("core.branch.beside", strconv.Itoa(n), short)
			off := 0.0
			for i, got := range f.simulate(names...) {
				d := math.Log(got / f.value(names[i]))
				off += d * d
			}
			if f.err != nil {
				return
			}
			if off < least-1e-9 {
				taken, beside, least = t, n, off
			}
		}
	}
	f.set("core.branch.taken", cycles(float64(taken)), loop)
	f.set("core.branch.beside", strconv.Itoa(beside), short)
	f.log("core.branch.taken: %d, core.branch.beside: %d", taken, beside)
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
func (f *fitter) mispredictions() {
	first := int(math.Round((f.value(random) - f.value("branch/1")) * f.clock))
	var values []string
	for n := max(2, first); n <= 4*max(2, first); n++ {
		values = append(values, cycles(float64(n)))
	}
	f.choose("core.branch.mispredict", values, []string{random, "rows/random"}, f.from(random, "and rows/random, as near to both as can be"))
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
	f.choose("core.load_store.pass_atomics", []string{"false", "true"}, []string{"random/atomic/1"}, f.from("random/atomic/1", ""))
	least := f.period(f.latency("memory.l2.latency")) + 0.01
	if f.r.Figure("transfer/dirty") == nil {
		return
	}
	for _, kind := range []string{"clean", "dirty"} {
		f.adjust("memory.costs."+kind+".die", "transfer/"+kind, f.value("transfer/"+kind), least, 1, nanoseconds, "less translation")
	}
	f.adjust("memory.costs.handover.die", "handover/2", f.value("handover/2")/2, least+f.period(hold)+0.5, 1, nanoseconds, "less the work between")
}

// bandwidth finds what memory gives.
func (f *fitter) bandwidth() {
	best := f.mostRead()
	f.set("memory.memory_bandwidth", short(f.value(best))+" GB/s", f.from(best, "the most that was read"))
}

// mostRead returns the name of the figure of the highest bandwidth of reads.
func (f *fitter) mostRead() (best string) {
	for _, series := range []string{"stream/read", "random/read"} {
		for _, p := range f.r.Series(series) {
			if best == "" || p.Figure.Value > f.value(best) {
				best = p.Figure.Name
			}
		}
	}
	if best == "" && f.err == nil {
		f.err = fmt.Errorf("no figure of bandwidth")
	}
	return best
}

// again corrects what memory gives, and what it costs, for what was found
// since.
func (f *fitter) again() {
	best := f.mostRead()
	most := f.value(best)
	gigabytes := func(x float64) string { return short(x) + " GB/s" }
	if got := f.simulate(best)[0]; got < most { // less than the controller's: refreshes, or cores that ask for less
		f.set("memory.memory_bandwidth", gigabytes(most*min(most/got, 1.1)), f.from(best, "the most that was read, and what is lost to refreshes"))
	}
	f.memory()
}

// ahead finds what is fetched ahead, by the hardware and by walkers, with what
// a core fetches at a time known.
func (f *fitter) ahead() {
	f.choose("core.tlb.walkers", []string{"1", "2", "3", "4"}, []string{"random/read/1"}, f.from("random/read/1", ""))
	f.choose("memory.prefetch.distance", []string{"0", "4", "8", "12", "16", "20", "24", "32"}, []string{"stream/read/1", "stream/write/1"}, f.from("stream/read/1", "and stream/write/1"))
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
