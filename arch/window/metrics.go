package window

import (
	"slices"

	"heddle/arch/isa"
	"heddle/arch/mem"
	"heddle/sim"
)

// causeMeanings say what the cycles of each cause went to.
var causeMeanings = [NumCauses]string{
	"in which instructions were dispatched",
	"lost to the front end's restart after a mispredicted branch",
	"lost as a taken branch ends its dispatch group",
	"lost to dispatch of another thread of the core",
	"of waiting for results of arithmetic or for forwarded stores",
	"of waiting for an execution port",
	"of waiting for loads served by L1",
	"of waiting for loads served by L2",
	"of waiting for loads served by L3",
	"of waiting for loads served by the caches of other cores or dies",
	"of waiting for loads served by memory of the own die",
	"of waiting for loads served by memory of another die",
	"of waiting for translations",
	"of waiting for the store buffer",
	"of waiting for atomics",
	"of waiting at barriers or for full/empty bits",
	"of waiting, ended, for the launch's other threads",
}

// Metrics are what the cores of a multicore report.
var Metrics = func() sim.Declaration {
	d := sim.Declaration{
		{Name: "instructions", Unit: "instructions", Meaning: "Instructions executed."},
		{Name: "cycles", Unit: "cycles", Meaning: "Cycles of the cores' clock while programs ran."},
		{Name: "ipc", Unit: "instructions/cycle", Kind: sim.Ratio, Meaning: "Instructions of all cores a cycle."},
		{Name: "cpi", Unit: "cycles/instruction", Kind: sim.Ratio, Meaning: "Cycles of all threads, those that have ended included, over their instructions; the sum of the values named cpi_."},
	}
	for c := range NumCauses {
		d = append(d, sim.Metric{Name: "cpi_" + c.String(), Unit: "cycles/instruction", Kind: sim.Ratio, Meaning: "Cycles " + causeMeanings[c] + ", over instructions."})
	}
	return append(d, sim.Declaration{
		{Name: "branches", Unit: "instructions", Meaning: "Conditional branches."},
		{Name: "branches_taken", Unit: "%", Kind: sim.Ratio, Meaning: "Conditional branches that were taken."},
		{Name: "branches_fused", Unit: "instructions", Meaning: "Conditional branches that were one with their compare."},
		{Name: "branch_misses", Unit: "instructions", Meaning: "Mispredicted branches and returns."},
		{Name: "branch_miss_rate", Unit: "%", Kind: sim.Ratio, Meaning: "Mispredicted branches and returns over conditional branches."},
		{Name: "branch_mpki", Unit: "misses/1000 instructions", Kind: sim.Ratio, Meaning: "Mispredicted branches and returns over instructions."},
		{Name: "loads", Unit: "instructions", Meaning: "Loads."},
		{Name: "stores", Unit: "instructions", Meaning: "Stores."},
		{Name: "atomics", Unit: "instructions", Meaning: "Atomics, full/empty operations included."},
		{Name: "loads_forwarded", Unit: "%", Kind: sim.Ratio, Meaning: "Loads served by the store buffer."},
		{Name: "fill_buffer_wait", Unit: "cycles", Meaning: "Sum over accesses of the time for which all line fill buffers were in use."},
		{Name: "dtlb_misses", Unit: "accesses", Meaning: "Accesses that missed in the first-level TLB."},
		{Name: "dtlb_mpki", Unit: "misses/1000 instructions", Kind: sim.Ratio, Meaning: "First-level TLB misses over instructions."},
		{Name: "page_walks", Unit: "accesses", Meaning: "Accesses that missed in both levels of TLB."},
		{Name: "full_empty_retries", Unit: "instructions", Meaning: "Full/empty operations that found a word in the wrong state."},
		{Name: "kernels_launched", Unit: "kernels", Meaning: "Programs run."},
		{Name: "skew", Unit: "cycles", Kind: sim.Gauge, Meaning: "Most cycles by which a core was ahead of the simulated time."},
	}...)
}()

// Stats returns what the cores have counted.
func (m *Machine) Stats() Stats {
	s := m.stats
	for _, c := range m.cores {
		s.add(&c.stats)
	}
	return s
}

// Report gives v the values of Metrics.
func (m *Machine) Report(v *sim.Values) {
	s := m.Stats()
	n := func(x uint64) float64 { return float64(x) }
	percent := func(part, whole uint64) float64 { return 100 * n(part) / n(whole) }
	instructions := n(s.Instructions)
	v.Set("instructions", instructions)
	v.Set("cycles", float64(s.Elapsed))
	v.Set("ipc", instructions/float64(s.Elapsed))
	v.Set("cpi", float64(s.ThreadCycles)/instructions)
	for c := range NumCauses {
		v.Set("cpi_"+c.String(), float64(s.Cycles[c])/instructions)
	}
	v.Set("branches", n(s.Branches))
	v.Set("branches_taken", percent(s.Taken, s.Branches))
	v.Set("branches_fused", n(s.Fused))
	v.Set("branch_misses", n(s.Mispredicts))
	v.Set("branch_miss_rate", percent(s.Mispredicts, s.Branches))
	v.Set("branch_mpki", 1000*n(s.Mispredicts)/instructions)
	v.Set("loads", n(s.Loads))
	v.Set("stores", n(s.Stores))
	v.Set("atomics", n(s.Atomics))
	v.Set("loads_forwarded", percent(s.Forwarded, s.Loads))
	v.Set("fill_buffer_wait", float64(s.FillWait))
	v.Set("dtlb_misses", n(s.TLBMisses))
	v.Set("dtlb_mpki", 1000*n(s.TLBMisses)/instructions)
	v.Set("page_walks", n(s.TLBWalks))
	v.Set("full_empty_retries", n(s.Retries))
	v.Set("kernels_launched", n(s.Launches))
	v.Set("skew", float64(s.Ahead))
}

// Kernel is a program that the machine has run, with what it counted for each
// of its instructions.
type Kernel struct {
	Program *isa.Program
	Lines   []LineStats // by pc
}

// Kernels returns the programs run, in the order of their first launch.
func (m *Machine) Kernels() []Kernel {
	var all []Kernel
	for _, k := range m.order {
		lines := slices.Clone(k.lines)
		for pc := range lines {
			l := &lines[pc]
			l.Issues = k.issues[pc]
			if o := &k.ops[pc]; o.kind == load || o.kind == store || o.kind == locked {
				l.Accesses, l.Bytes = l.Issues, sim.Bytes(l.Issues)*sim.Bytes(o.size)
			}
		}
		all = append(all, Kernel{k.program, lines})
	}
	return all
}

// HotWords returns the n words that most atomics went to.
func (m *Machine) HotWords(n int) []mem.HotWord { return m.hot.Top(n) }

// Array returns the counts of the array with the given ID in the machine's
// Space.
func (m *Machine) Array(id int) ArrayStats {
	if id < 0 || id >= len(m.arrays) {
		return ArrayStats{}
	}
	return m.arrays[id]
}
