// Package calibrate fits the description of a machine of kind window to what
// microbenchmarks measured, and to nothing else: no kernel has a say in it.
//
// A figure that a key of the description names is taken as it is: a latency, a
// clock. Where a figure depends on several keys, the key is changed until the
// same microbenchmark, simulated, gives what was measured.
package calibrate

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"heddle/experiments/hostbench"
	"heddle/models"
	"heddle/sim"
)

// Fit is a description that was fitted.
type Fit struct {
	Text       string // of the file
	Parameters []Parameter
	Machine    *models.Description
	Simulated  *hostbench.Results // the microbenchmarks on the machine, by Simulate
	Measured   *hostbench.Results
}

// Options are what a fit may be told.
type Options struct {
	Header string                           // comment lines at the head of the file
	Log    func(format string, args ...any) // progress; nil for none
}

// New fits a description to the results of microbenchmarks. A figure that was
// refused and is needed is an error that names it.
func New(ctx context.Context, r *hostbench.Results, o Options) (*Fit, error) {
	f := &fitter{ctx: ctx, r: r, cases: map[string]hostbench.Case{}, log: o.Log}
	if f.log == nil {
		f.log = func(string, ...any) {}
	}
	for _, c := range hostbench.Cases(r.Facts) {
		f.cases[c.Name] = c
	}
	base, err := open(template)
	if err != nil {
		return nil, err
	}
	f.d = base
	for _, step := range []func(*fitter){
		(*fitter).topology, (*fitter).arithmetic, (*fitter).width, (*fitter).caches, (*fitter).translation,
		(*fitter).window, (*fitter).branches, (*fitter).bandwidth, (*fitter).beyond, (*fitter).misses, (*fitter).walks, (*fitter).memory,
		(*fitter).misses, (*fitter).ahead, (*fitter).sharing, (*fitter).team, (*fitter).mispredictions,
	} {
		step(f)
		if f.err != nil {
			return nil, f.err
		}
	}
	text, err := describe(o.Header, f.parameters)
	if err != nil {
		return nil, err
	}
	fit := &Fit{Text: text, Parameters: f.parameters, Measured: r}
	fit.Machine, err = open(text)
	return fit, err
}

// Simulate runs the microbenchmarks that were measured on the fitted machine.
func (f *Fit) Simulate(ctx context.Context) error {
	var all []hostbench.Case
	for _, c := range hostbench.Cases(f.Measured.Facts) {
		if f.Measured.Figure(c.Name) != nil {
			all = append(all, c)
		}
	}
	var err error
	f.Simulated, err = new(hostbench.Simulator).Simulate(ctx, f.Machine, f.Measured.Facts, all, func(hostbench.Figure) {})
	return err
}

// fitter fits key after key and keeps the first error.
type fitter struct {
	ctx        context.Context
	r          *hostbench.Results
	simulator  hostbench.Simulator
	cases      map[string]hostbench.Case
	d          *models.Description // so far
	parameters []Parameter
	clock      float64 // cycles a nanosecond
	line       int
	ref        int     // KiB of the chase that shows what memory costs
	inThird    int     // KiB of the chase that shows what L3 costs
	walked     int     // pages of the chase that shows what a page walk costs; 0 for none
	guess      float64 // of that, nanoseconds
	log        func(format string, args ...any)
	err        error
}

// value returns a figure that the fit cannot do without.
func (f *fitter) value(name string) float64 {
	figure := f.r.Figure(name)
	switch {
	case f.err != nil:
	case figure == nil:
		f.err = fmt.Errorf("figure %s is not among the results", name)
	case figure.Refused != "":
		f.err = fmt.Errorf("figure %s was refused: %s; measure again", name, figure.Refused)
	default:
		return figure.Value
	}
	return 1
}

// cycles returns a time in cycles.
func (f *fitter) cycles(name string) float64 { return f.value(name) * f.clock }

// set gives a key a value.
func (f *fitter) set(path, value, source string) {
	if f.err != nil {
		return
	}
	if f.err = f.d.Set(path, value); f.err != nil {
		return
	}
	p := Parameter{path, value, source}
	if i := slices.IndexFunc(f.parameters, func(q Parameter) bool { return q.Path == path }); i >= 0 {
		f.parameters[i] = p
		return
	}
	f.parameters = append(f.parameters, p)
}

// from writes what a value was measured by, and how well.
func (f *fitter) from(name, how string) string {
	figure := f.r.Figure(name)
	if figure == nil {
		return "[I] " + how
	}
	text := fmt.Sprintf("[M] %s: %s %s, spread %s %%", name, short(figure.Value), figure.Unit, short(100*figure.Spread))
	if how != "" {
		text += "; " + how
	}
	return text
}

func short(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }

func cycles(n float64) string {
	k := int(math.Round(n))
	if k == 1 {
		return "1 cycle"
	}
	return strconv.Itoa(k) + " cycles"
}

func nanoseconds(x float64) string { return short(x) + " ns" }

// simulate returns figures of the machine as fitted so far.
func (f *fitter) simulate(names ...string) []float64 {
	values := make([]float64, len(names))
	if f.err != nil {
		return values
	}
	all := make([]hostbench.Case, len(names))
	for i, name := range names {
		all[i] = f.cases[name]
	}
	r, err := f.simulator.Simulate(f.ctx, f.d, f.r.Facts, all, func(hostbench.Figure) {})
	if err != nil {
		f.err = err
		return values
	}
	for i := range r.Figures {
		values[i] = r.Figures[i].Value
	}
	return values
}

// Adjusting stops when a simulated figure is this near, relative, or after so
// many steps.
const (
	near      = 0.005
	mostSteps = 8
)

// adjust changes a time at path, from a first guess in its unit, until the
// simulated figure is the measured one; gain is by how much the figure grows
// with it.
func (f *fitter) adjust(path, name string, guess, least, gain float64, write func(float64) string, how string) {
	want := f.value(name)
	best, bestOff := guess, math.Inf(1)
	for range mostSteps {
		f.set(path, write(max(guess, least)), f.from(name, how))
		got := f.simulate(name)[0]
		if f.err != nil {
			return
		}
		off := want - got
		if math.Abs(off) < bestOff {
			best, bestOff = guess, math.Abs(off)
		}
		if math.Abs(off) <= near*want {
			break
		}
		next := max(guess+off/gain, least)
		if write(next) == write(guess) {
			break
		}
		guess = next
	}
	f.set(path, write(max(best, least)), f.from(name, how))
	f.log("%s: %s", path, write(best))
}

// balance changes a time at path, from a first guess in its unit, until simulated
// figures that grow with it are, in the geometric mean, as far above the
// measured ones as below.
func (f *fitter) balance(path string, names []string, guess, least float64, write func(float64) string, source string) {
	above := func(x float64) float64 { // the mean logarithm of simulated over measured
		f.set(path, write(max(x, least)), source)
		sum := 0.0
		for i, got := range f.simulate(names...) {
			sum += math.Log(got / f.value(names[i]))
		}
		return sum / float64(len(names))
	}
	before, off := guess, above(guess)
	x := max(guess*math.Exp(-off), least)
	for range mostSteps {
		if f.err != nil || math.Abs(off) <= near || write(x) == write(before) {
			break
		}
		offBefore := off
		off = above(x)
		next := x
		if off != offBefore {
			next = x - off*(x-before)/(off-offBefore)
		}
		before, x = x, max(next, least)
	}
	f.set(path, write(max(before, least)), source)
	f.log("%s: %s", path, write(before))
}

// choose tries values and keeps the one whose simulated figures are nearest to
// the measured ones.
func (f *fitter) choose(path string, values []string, names []string, source string) {
	f.best(path, values, names, 0, source)
}

// prefer is choose where a value is kept unless a later one explains more than
// the noise of figures.
func (f *fitter) prefer(path string, values []string, names []string, source string) {
	f.best(path, values, names, noiseOf(names), source)
}

// best is choose where a later value must be nearer by more than noise.
func (f *fitter) best(path string, values []string, names []string, noise float64, source string) {
	best, least := "", math.Inf(1)
	for _, v := range values {
		f.set(path, v, source)
		if off := f.off(names); off < least-noise {
			best, least = v, off
		}
		if f.err != nil {
			return
		}
	}
	f.set(path, best, source)
	f.log("%s: %s", path, best)
}

// bestTwo is best for two keys that bear on each other, and for any measure of
// how far off figures are.
func (f *fitter) bestTwo(paths [2]string, values [2][]string, noise float64, off func() float64, sources [2]string) {
	var best [2]string
	least := math.Inf(1)
	for _, first := range values[0] {
		f.set(paths[0], first, sources[0])
		for _, second := range values[1] {
			f.set(paths[1], second, sources[1])
			if off := off(); off < least-noise {
				best, least = [2]string{first, second}, off
			}
			if f.err != nil {
				return
			}
		}
	}
	for i, path := range paths {
		f.set(path, best[i], sources[i])
		f.log("%s: %s", path, best[i])
	}
}

// noiseOf returns how far off the noise of figures makes as many.
func noiseOf(names []string) float64 { return agreement * agreement * float64(len(names)) }

// off returns by how much simulated figures differ from the measured ones: the
// sum of the squares of the logarithms of their ratios.
func (f *fitter) off(names []string) (sum float64) {
	for i, got := range f.simulate(names...) {
		d := math.Log(got / f.value(names[i]))
		sum += d * d
	}
	return sum
}

// period returns the nanoseconds of n cycles.
func (f *fitter) period(n float64) float64 { return n / f.clock }

// topology takes what the computer says of itself, and its clock.
func (f *fitter) topology() {
	facts := &f.r.Facts
	f.line = facts.Line
	f.clock = 1 / f.value("int/latency")
	f.set("clock", short(f.clock)+" GHz", f.from("int/latency", "an add a cycle"))
	told := "[P] as the system tells"
	f.set("title", strconv.Quote(facts.Processor), "as the system tells")
	f.set("threads", strconv.Itoa(len(facts.CPUs)), told)
	f.set("core.smt", strconv.Itoa(facts.SMT()), told)
	f.set("memory.sockets", strconv.Itoa(facts.Sockets), told)
	f.set("memory.cores", strconv.Itoa(max(1, facts.Cores/max(1, facts.Sockets))), told)
	f.set("memory.line", fmt.Sprintf("%d B", facts.Line), told)
	page := models.Format(sim.Bytes(facts.Page))
	f.set("memory.page", page, told)
	f.set("core.tlb.page", page, told)
	if facts.Memory > 0 {
		f.set("capacity", fmt.Sprintf("%d MiB", facts.Memory>>20), told)
	}
	for level := 1; level <= 3; level++ {
		c, ok := facts.Cache(level)
		key := fmt.Sprintf("memory.l%d.", level)
		if !ok {
			if level == 3 {
				f.set(key+"kind", "none", "the system tells of no third level")
			}
			continue
		}
		f.set(key+"ways", strconv.Itoa(max(1, c.Ways)), told)
		f.set(key+"size", models.Format(sim.Bytes(c.Bytes)), told)
	}
}

// arithmetic takes latencies and throughputs of instructions. A loop's own add
// and compare are in the figures, and known.
func (f *fitter) arithmetic() {
	f.set("core.units.int.latency", "1 cycle", f.from("int/latency", "this is the clock"))
	latency := func(unit, figure string, x float64) {
		f.set("core.units."+unit+".latency", cycles(max(1, x)), f.from(figure, fmt.Sprintf("%.2f cycles", x)))
	}
	latency("shift", "shift/latency", f.cycles("shift/latency")-1)
	latency("mul", "mul/latency", f.cycles("mul/latency")-1.0/8)
	latency("divide", "divide/latency", f.cycles("divide/latency")-1)
	float := f.cycles("f64/latency")
	latency("f64", "f64/latency", float)
	f.set("core.units.f32.latency", cycles(float), f.from("f64/latency", "as f64"))
	latency("special", "special/latency", f.cycles("special/latency")-math.Round(float))
	latency("convert", "convert/latency", (2*f.cycles("convert/latency")-math.Round(float))/2)
	for _, unit := range []string{"mul", "divide", "special"} {
		figure := unit + "/throughput"
		x := f.cycles(figure)
		f.set("core.units."+unit+".interval", cycles(max(1, x)), f.from(figure, fmt.Sprintf("%.2f cycles", x)))
	}
	// 16 operations of the one loop, of which some may share a cycle.
	ports := clamp(math.Round(1/f.cycles("f64/throughput")), 1, 2)
	for _, unit := range []string{"f64", "f32"} {
		f.set("core.units."+unit+".ports", portList(0, int(ports)), f.from("f64/throughput", "operations a cycle"))
	}
}

func clamp(x, low, high float64) float64 { return min(max(x, low), high) }

// portList writes n ports from first on.
func portList(first, n int) string {
	text := "["
	for i := range n {
		if i > 0 {
			text += ", "
		}
		text += strconv.Itoa(first + i)
	}
	return text + "]"
}

// width finds the dispatch width and the ports of integers and loads.
func (f *fitter) width() {
	// A loop has 16 operations, and an add and a fused compare of its own: 17
	// use the ports of integers, 18 are dispatched.
	ints := clamp(math.Round(17/(16*f.cycles("int/throughput"))), 1, 8)
	wide := 18 / (16 * min(f.cycles("int/throughput"), f.cycles("mix/throughput")))
	dispatch := clamp(math.Round(wide), 1, 16)
	source := f.from("int/throughput", "operations a cycle")
	for _, unit := range []string{"int", "compare", "warp"} {
		f.set("core.units."+unit+".ports", portList(0, int(ints)), source)
	}
	last := int(ints) - 1
	f.set("core.units.shift.ports", fmt.Sprintf("[0, %d]", max(last, 1)), "[I] two of the ports of int")
	f.set("core.units.control.ports", fmt.Sprintf("[0, %d]", max(last, 1)), "[I] two of the ports of int")
	loads := clamp(math.Round(1/f.cycles("load/throughput")), 1, 2)
	f.set("core.load_store.load_ports", portList(12, int(loads)), f.from("load/throughput", "loads a cycle"))
	// Stores may take more than a place each.
	var widths []string
	for n := range 3 {
		widths = append(widths, strconv.Itoa(int(dispatch)+n))
	}
	f.set("core.retire", strconv.Itoa(int(dispatch)+2), "") // so as not to be what limits
	source = f.from("mix/throughput", "and int/throughput: "+short(wide)+" instructions a cycle, stores as one each")
	names := []string{"int/throughput", "mix/throughput"}
	f.bestTwo([2]string{"core.dispatch", "core.load_store.store_operations"}, [2][]string{widths, {"1", "2"}},
		noiseOf(names), func() float64 { return f.off(names) }, [2]string{source, source})
	width, _ := f.d.Value("core.dispatch")
	f.set("core.retire", width, "[I] as dispatch")
}
