package calibrate

import (
	"fmt"
	"math"
	"strconv"

	"heddle/experiments/hostbench"
	"heddle/models"
	"heddle/sim"
)

// Chases that tell one level from the next.
const chase = "chase/base"

// name returns the name of a figure of a series.
func name(prefix string, at int) string { return prefix + "/" + strconv.Itoa(at) }

// caches takes the latencies of the private caches, and checks their sizes.
func (f *fitter) caches() {
	first := f.cycles("pages/16")
	f.set("memory.l1.latency", cycles(first), f.from("pages/16", fmt.Sprintf("%.2f cycles", first)))
	f.set("core.load_store.scratch", cycles(first), f.from("pages/16", "an L1 hit"))
	forward := f.cycles("forward/latency") - 2
	f.set("core.load_store.forward", cycles(max(1, forward)), f.from("forward/latency", fmt.Sprintf("less the store and an add, %.2f cycles", forward)))
	l1, _ := f.r.Facts.Cache(1)
	l2, ok := f.r.Facts.Cache(2)
	if !ok || l1.Bytes == 0 {
		f.err = fmt.Errorf("the system does not tell the sizes of the caches, by which the microbenchmarks go")
		return
	}
	// Translation only adds: the least is the latency.
	second, at := math.Inf(1), 0
	for _, p := range f.r.Series(chase) {
		if size := p.At << 10; size >= 2*l1.Bytes && size <= l2.Bytes/2 && p.Figure.Value < second {
			second, at = p.Figure.Value, p.At
		}
	}
	if at == 0 {
		f.err = fmt.Errorf("no chase between L1, %d KiB, and L2, %d KiB, has a figure", l1.Bytes>>10, l2.Bytes>>10)
		return
	}
	f.set("memory.l2.latency", cycles(second*f.clock), f.from(name(chase, at), fmt.Sprintf("%.2f cycles", second*f.clock)))
}

// latency returns a latency of the machine as fitted so far, in cycles.
func (f *fitter) latency(path string) float64 {
	text, _ := f.d.Value(path)
	x, _ := strconv.ParseFloat(firstWord(text), 64)
	return x
}

func firstWord(s string) string {
	for i, r := range s {
		if r == ' ' {
			return s[:i]
		}
	}
	return s
}

// translation finds where the levels of the TLB end and what they cost.
func (f *fitter) translation() {
	tables := "1"
	if f.r.Facts.Virtual {
		tables = "2"
	}
	f.set("core.tlb.tables", tables, "[P] as the system tells whether there is a hypervisor, with a table of its own")
	pages := f.r.Series("pages")
	l1, _ := f.r.Facts.Cache(1)
	l2, _ := f.r.Facts.Cache(2)
	first, second := f.latency("memory.l1.latency"), f.latency("memory.l2.latency")
	inL1 := l1.Bytes / f.line * 3 / 4 // pages whose lines are in L1

	// The first level: until lines that are in L1 take longer.
	entries, hit := 0, 0.0
	for _, p := range pages {
		if p.At > inL1 {
			break
		}
		x := p.Figure.Value * f.clock
		if x < first+1.5 {
			entries = p.At
		} else {
			hit = x - first
		}
	}
	if entries == 0 || hit == 0 {
		f.set("core.tlb.entries", "0", "[M] pages: lines of as many pages as L1 holds take no longer")
		return
	}
	f.set("core.tlb.entries", strconv.Itoa(tlbEntries(entries, 4)), f.from(name("pages", entries), "the last without delay"))
	f.set("core.tlb.ways", "4", "[I] as published of most")
	f.set("core.tlb.second_latency", cycles(hit), fmt.Sprintf("[M] pages: %.2f cycles more beyond %d pages", hit, entries))

	// The second: until lines take longer than that, be they in L1 or L2.
	last, walk, walks := 0, 0.0, 0
	for _, p := range pages {
		x := p.Figure.Value * f.clock
		switch {
		case p.At <= inL1:
			x -= first
		case p.At*f.line >= l1.Bytes*5/4 && p.At*f.line <= l2.Bytes/2:
			x -= second
		default: // in part here and in part there
			if x < second+hit+6 && walks == 0 {
				last = p.At
			}
			continue
		}
		switch {
		case p.At > entries && x < hit+6 && walks == 0:
			last = p.At
		case p.At > entries && last > 0 && (walks == 0 || p.At <= 3*last):
			walk += x
			walks++
		}
	}
	if last == 0 || walks == 0 {
		f.set("core.tlb.second_entries", "0", "[M] pages: no second level is to be seen")
		f.set("core.tlb.walk", cycles(hit), fmt.Sprintf("[M] pages: %.2f cycles more beyond %d pages", hit, entries))
		return
	}
	ways := secondWays(last)
	f.set("core.tlb.second_entries", strconv.Itoa(tlbEntries(last, ways)), f.from(name("pages", last), "the last with so little delay"))
	f.set("core.tlb.second_ways", strconv.Itoa(ways), "[I] such that the sets are a power of two")
	for _, p := range pages {
		if p.At > last && (f.walked == 0 || p.At <= 2*last) && p.At*f.line <= l2.Bytes/2 {
			f.walked = p.At
		}
	}
	f.guess = f.period(walk / float64(walks))
	f.walk()
}

// walk finds what a page walk costs beside the entries that it loads.
func (f *fitter) walk() {
	if f.walked == 0 {
		return
	}
	write := func(ns float64) string { return cycles(ns * f.clock) }
	f.adjust("core.tlb.walk", name("pages", f.walked), f.guess, 0, 1, write, "less the loads of its entries")
}

// tlbEntries returns the number nearest to n that is a power of two of sets.
func tlbEntries(n, ways int) int {
	sets := math.Exp2(math.Round(math.Log2(float64(n) / float64(ways))))
	return int(sets) * ways
}

// secondWays returns ways of which n are nearest to a power of two of sets.
func secondWays(n int) int {
	best, off := 4, math.Inf(1)
	for _, ways := range []int{4, 8, 6, 12, 10} {
		if d := math.Abs(math.Log(float64(tlbEntries(n, ways)) / float64(n))); d < off-1e-9 {
			best, off = ways, d
		}
	}
	return best
}

// beyond finds how much of the third level there is, and what it and memory
// cost.
func (f *fitter) beyond() {
	l2, _ := f.r.Facts.Cache(2)
	l3, ok := f.r.Facts.Cache(3)
	series := f.r.Series(chase)
	held := l2.Bytes
	if ok {
		held = f.third(series, l2, l3)
	}
	if ok { // each bears on the other
		f.latencyL3()
		f.replacement(series, l2)
		f.latencyL3()
	}
	f.replacement(series, l2)
	// Memory, at the least working set of which little is cached.
	f.ref = series[len(series)-1].At
	for _, p := range series {
		if p.At<<10 >= 8*held {
			f.ref = p.At
			break
		}
	}
	f.memory()
}

// memory finds what a load from memory costs, from chases and from what is
// loaded beside each other.
func (f *fitter) memory() {
	var names []string
	for _, p := range f.r.Series(chase) {
		if p.At >= f.ref && p.At <= 2*f.ref {
			names = append(names, p.Figure.Name)
		}
	}
	for _, p := range f.r.Series("chains") {
		if p.At <= 4 {
			names = append(names, p.Figure.Name)
		}
	}
	for _, w := range []string{"window/add", "window/wait", "window/load", "window/store"} {
		series := f.r.Series(w)
		if below, _, ok := edge(series); ok { // both in the window, and one after the other
			mean := 0
			for mean+1 < len(series) && 2*series[mean+1].At <= series[0].At+below.At {
				mean++
			}
			names = append(names, series[0].Figure.Name, series[mean].Figure.Name, series[len(series)-1].Figure.Name)
		}
	}
	ref := name(chase, f.ref)
	f.balance("memory.costs.memory.die", names, f.value(ref), f.leastMemory(), nanoseconds,
		f.from(ref, fmt.Sprintf("and %d more chases and pairs of misses, in the mean; less translation", len(names)-1)))
}

// leastMemory is the least that a load from memory may cost, in nanoseconds.
func (f *fitter) leastMemory() float64 {
	var w models.WindowDescription
	if err := f.d.Decode(&w); err != nil && f.err == nil {
		f.err = err
	}
	return f.period(f.latency("memory.l2.latency")) + float64(w.Memory.DRAM.Unloaded())/float64(sim.Nanosecond) + 0.1
}

// third fits the third-level cache and returns the bytes that L2 and L3 hold
// together.
func (f *fitter) third(series []hostbench.Point, l2, l3 hostbench.Cache) int {
	// An exclusive or victim L3 pays where L2 is large; told apart by size, as
	// no chase shows it.
	victim := l2.Bytes >= 512<<10
	kind, total := "inclusive", l3.Bytes
	if victim {
		kind, total = "victim", l2.Bytes+l3.Bytes
	}
	f.set("memory.l3.kind", kind, "told by the size of L2: no chase shows it")

	// Its end: the steepest rise beyond L2.
	end, rise := 0.0, 0.0
	for i := 1; i < len(series); i++ {
		a, b := series[i-1], series[i]
		if a.At<<10 < l2.Bytes*5/4 {
			continue
		}
		if r := math.Log(b.Figure.Value/a.Figure.Value) / math.Log(float64(b.At)/float64(a.At)); r > rise {
			rise, end = r, math.Sqrt(float64(a.At)*float64(b.At))*1024
		}
	}
	held := total
	told := fmt.Sprintf("[P] as the system tells; chases rise most at %.1f MiB", end/(1<<20))
	if end < 0.75*float64(total) {
		// Others use the rest, or it is not given to this machine.
		share := end
		if victim {
			share -= float64(l2.Bytes)
		}
		set := f.line * max(1, l3.Ways)
		size := max(1, int(share)/set) * set
		held = int(end)
		told = fmt.Sprintf("[M] chase/base: latency rises most at %.1f MiB, so that this is what is left of %s", end/(1<<20), models.Format(sim.Bytes(l3.Bytes)))
		f.set("memory.l3.size", strconv.Itoa(size)+" B", told)
	} else {
		f.set("memory.l3.size", models.Format(sim.Bytes(l3.Bytes)), told)
	}

	for _, p := range series {
		if float64(p.At<<10) >= 1.9*float64(l2.Bytes) {
			f.inThird = p.At
			break
		}
	}
	return held
}

// latencyL3 finds what the third level costs, where little of a working set is
// left in L2, and nothing has to leave L3 because its set is full.
func (f *fitter) latencyL3() {
	write := func(ns float64) string { return cycles(ns * f.clock) }
	ref := name(chase, f.inThird)
	f.adjust("memory.l3.latency", ref, f.value(ref), f.period(f.latency("memory.l2.latency")+1), 1, write, "less translation")
}

// replacement finds which lines L2 replaces, from working sets about as large.
func (f *fitter) replacement(series []hostbench.Point, l2 hostbench.Cache) {
	var names []string
	for _, p := range series {
		if size := p.At << 10; size >= l2.Bytes*5/8 && size <= 2*l2.Bytes {
			names = append(names, p.Figure.Name)
		}
	}
	if len(names) == 0 {
		return
	}
	var values []string
	for n := 1; n <= min(max(1, l2.Ways), 12); n++ {
		values = append(values, strconv.Itoa(n))
	}
	f.prefer("memory.l2.oldest", values, names, f.from(names[0], fmt.Sprintf("and %d more of about the size of L2", len(names)-1)))
}
