package models

import (
	"math"

	"heddle/arch/mem"
	"heddle/arch/net"
	"heddle/sim"
)

// WindowTheoryConfig is TheoryConfig for machines of kind window: what is
// published of a whole machine and follows from its parts by a closed formula.
type WindowTheoryConfig struct {
	Memory      *Stated[sim.Bytes]     `yaml:"memory" doc:"memory that arrays may take"`
	Threads     *StatedThreads         `yaml:"hardware_threads" doc:"hardware threads of all cores"`
	L3          *Stated[sim.Bytes]     `yaml:"socket_l3" doc:"third-level cache of a socket"`
	DRAMPeak    *Stated[sim.Bandwidth] `yaml:"socket_dram_peak" doc:"data pins of a socket's memory"`
	LinkPeak    *Stated[sim.Bandwidth] `yaml:"link_peak" doc:"a link between sockets, each way, headers included"`
	L1Latency   *Stated[sim.Cycles]    `yaml:"l1_latency" doc:"from a load to the next that needs its data, from L1"`
	L2Latency   *Stated[sim.Cycles]    `yaml:"l2_latency" doc:"the same from the core's L2"`
	L3Latency   *Stated[sim.Cycles]    `yaml:"l3_latency" doc:"the same from the die's L3"`
	Local       *StatedNanoseconds     `yaml:"memory_die" doc:"the same from memory of the core's die, of a closed row"`
	Package     *StatedNanoseconds     `yaml:"memory_package" doc:"the same from memory of another die of the socket"`
	OneHop      *StatedNanoseconds     `yaml:"memory_1_hop" doc:"the same from memory one link between sockets away"`
	TwoHops     *StatedNanoseconds     `yaml:"memory_2_hops" doc:"the same from memory two links away"`
	DirtyDie    *StatedNanoseconds     `yaml:"dirty_die" doc:"the same of a line that another core of the die has modified"`
	DirtyOneHop *StatedNanoseconds     `yaml:"dirty_1_hop" doc:"the same of a line modified one link between sockets away"`
	CoreRead    *Stated[sim.Bandwidth] `yaml:"core_read" doc:"read by one core from its die's memory, by Little's law"`
	SocketRead  *Stated[sim.Bandwidth] `yaml:"socket_read" doc:"read by the cores of a socket from its memory"`
	MachineRead *Stated[sim.Bandwidth] `yaml:"machine_read" doc:"read by all cores, each from its die's memory"`
	RemoteRead  *Stated[sim.Bandwidth] `yaml:"remote_read" doc:"read by the cores of a die from memory one link between sockets away"`
	AtomicDie   *StatedNanoseconds     `yaml:"atomic_die" doc:"between fetch-and-adds on one word by the cores of a die"`
	AtomicAll   *StatedNanoseconds     `yaml:"atomic_machine" doc:"between fetch-and-adds on one word by all cores, whichever has it next"`
	Mispredict  *Stated[sim.Cycles]    `yaml:"mispredict" doc:"lost to a mispredicted branch that waits for nothing"`
	SMTBusy     *StatedTimes           `yaml:"smt_busy" doc:"additions of a full core over those of one of its threads, which can keep the units busy"`
	SMTWaiting  *StatedTimes           `yaml:"smt_waiting" doc:"the same where each addition waits for the one before"`
	Region      *Stated[sim.Time]      `yaml:"region" doc:"an empty parallel region of all threads"`
}

// windowLaws has a law for each key of WindowTheoryConfig.
var windowLaws = map[string]law[WindowDescription]{
	"memory":           {"capacity", func(w *WindowDescription) float64 { return float64(w.Capacity) }},
	"hardware_threads": {"memory.sockets, dies and cores, and core.smt", func(w *WindowDescription) float64 { return float64(w.topology().Total()) }},
	"socket_l3":        {"memory.dies and l3.size", (*WindowDescription).socketL3},
	"socket_dram_peak": {"memory.dies and dram", func(w *WindowDescription) float64 { return float64(w.Memory.Dies) * float64(w.Memory.DRAM.Peak()) }},
	"link_peak":        {"memory.links.socket.bandwidth", (*WindowDescription).linkPeak},
	"l1_latency":       {"memory.l1.latency", func(w *WindowDescription) float64 { return float64(w.Memory.L1.Latency) }},
	"l2_latency":       {"memory.l2.latency", func(w *WindowDescription) float64 { return float64(w.Memory.L2.Latency) }},
	"l3_latency":       {"memory.l3.latency", (*WindowDescription).l3Latency},
	"memory_die":       {"memory.costs.memory.die", func(w *WindowDescription) float64 { return w.cost(w.Memory.Costs.Memory, net.SameDie) }},
	"memory_package":   {"memory.costs.memory.package", func(w *WindowDescription) float64 { return w.cost(w.Memory.Costs.Memory, net.SamePackage) }},
	"memory_1_hop":     {"memory.costs.memory.hop_1", func(w *WindowDescription) float64 { return w.cost(w.Memory.Costs.Memory, net.OneHop) }},
	"memory_2_hops":    {"memory.costs.memory.hop_2", func(w *WindowDescription) float64 { return w.cost(w.Memory.Costs.Memory, net.TwoHops) }},
	"dirty_die":        {"memory.costs.dirty.die", (*WindowDescription).dirtyDie},
	"dirty_1_hop":      {"memory.costs.dirty.hop_1", func(w *WindowDescription) float64 { return w.cost(w.Memory.Costs.Dirty, net.OneHop) }},
	"core_read":        {"core.load_store.line_fill_buffers, memory.line and costs.memory.die", (*WindowDescription).coreRead},
	"socket_read":      {"memory.dies, cores, memory_bandwidth and dram, and what one core reads", (*WindowDescription).socketRead},
	"machine_read":     {"memory.sockets and what a socket reads", func(w *WindowDescription) float64 { return float64(w.Memory.Sockets) * w.socketRead() }},
	"remote_read":      {"memory.links, cores, line and costs.memory.hop_1, and core.load_store.line_fill_buffers", (*WindowDescription).remoteRead},
	"atomic_die":       {"memory.costs.handover.die", (*WindowDescription).atomicDie},
	"atomic_machine":   {"memory.costs.handover, of two cores on average", (*WindowDescription).atomicAll},
	"mispredict":       {"core.branch.mispredict", func(w *WindowDescription) float64 { return float64(w.Core.Branch.Mispredict) }},
	"smt_busy":         {"core.smt: threads share the units", (*WindowDescription).smtBusy},
	"smt_waiting":      {"core.smt and units.f64", (*WindowDescription).smtWaiting},
	"region":           {"threads and team", func(w *WindowDescription) float64 { return float64(w.Team.of(w.Threads)) }},
}

func (w *WindowDescription) socketL3() float64 {
	if w.Memory.L3.Kind == "none" {
		return math.NaN()
	}
	return float64(w.Memory.Dies) * float64(w.Memory.L3.Size)
}

func (w *WindowDescription) l3Latency() float64 {
	if w.Memory.L3.Kind == "none" {
		return math.NaN()
	}
	return float64(w.Memory.L3.Latency)
}

// cost returns a cost in nanoseconds, NaN if the machine has no such distance.
func (w *WindowDescription) cost(c mem.DistanceCosts, d net.Distance) float64 {
	m := &w.Memory
	has := [net.Distances]bool{true, m.Dies > 1, m.Sockets > 1, m.Sockets > 1 && m.Dies > 1 && m.Links.Linked == "same-die"}
	if !has[d] {
		return math.NaN()
	}
	return [net.Distances]sim.Time{c.Die, c.Package, c.Hop1, c.Hop2}[d].Seconds() * 1e9
}

func (w *WindowDescription) dirtyDie() float64 {
	if w.Memory.Cores == 1 {
		return math.NaN()
	}
	return w.cost(w.Memory.Costs.Dirty, net.SameDie)
}

func (w *WindowDescription) coreRead() float64 {
	return w.inFlight() / w.Memory.Costs.Memory.Die.Seconds()
}

// inFlight returns the bytes of lines that a core may wait for.
func (w *WindowDescription) inFlight() float64 {
	return float64(w.Core.LoadStore.LineFillBuffers) * float64(w.Memory.Line)
}

func (w *WindowDescription) socketRead() float64 {
	m := &w.Memory
	die := min(float64(m.MemoryBandwidth), float64(m.DRAM.Peak()), float64(m.Cores)*w.coreRead())
	return float64(m.Dies) * die
}

func (w *WindowDescription) linkPeak() float64 {
	if w.Memory.Sockets == 1 {
		return math.NaN()
	}
	return float64(w.Memory.Links.Socket.Bandwidth)
}

func (w *WindowDescription) remoteRead() float64 {
	m := &w.Memory
	if m.Sockets == 1 {
		return math.NaN()
	}
	link := w.linkPeak() * float64(m.Line) / float64(m.Line+m.Links.Header)
	cores := float64(m.Cores) * w.inFlight() / m.Costs.Memory.Hop1.Seconds()
	return min(link, cores, float64(m.MemoryBandwidth), float64(m.DRAM.Peak()))
}

func (w *WindowDescription) atomicDie() float64 {
	if w.Memory.Cores == 1 {
		return math.NaN()
	}
	return w.cost(w.Memory.Costs.Handover, net.SameDie)
}

// atomicAll is the handover between two cores, averaged over all pairs.
func (w *WindowDescription) atomicAll() float64 {
	m := &w.Memory
	links, err := net.NewSocketLinks(m.Links, m.Sockets, m.Dies, m.Line)
	others := m.Sockets*m.Dies*m.Cores - 1
	if err != nil || others == 0 {
		return math.NaN()
	}
	sum := 0.0
	for die := range m.Sockets * m.Dies {
		cores := m.Cores
		if die == 0 {
			cores--
		}
		if cores > 0 {
			sum += float64(cores) * w.cost(m.Costs.Handover, links.Distance(0, die))
		}
	}
	return sum / float64(others)
}

func (w *WindowDescription) smtBusy() float64 {
	if w.Core.SMT == 1 {
		return math.NaN()
	}
	return 1
}

func (w *WindowDescription) smtWaiting() float64 {
	if w.Core.SMT == 1 {
		return math.NaN()
	}
	adds := &w.Core.Units.F64
	most := float64(len(adds.Ports)) * float64(adds.Latency) / float64(adds.Interval)
	return min(float64(w.Core.SMT), most)
}

// windowTheory returns the checks of a multicore's description, and the keys
// that it states but cannot have.
func windowTheory(d *Description) (checks []Check, baseless []string, err error) {
	var w WindowDescription
	if err := d.Decode(&w); err != nil {
		return nil, nil, err
	}
	checks, baseless = hold(d, &w, w.Theory, windowLaws)
	return checks, baseless, nil
}
