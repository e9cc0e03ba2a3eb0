package models

import (
	"math"

	"heddle/sim"
)

// WindowTheoryConfig is TheoryConfig for machines of kind window: what is
// published of a whole machine and follows from its parts by a closed formula.
type WindowTheoryConfig struct {
	Memory     *Stated[sim.Bytes]     `yaml:"memory" doc:"memory that arrays may take"`
	Threads    *StatedThreads         `yaml:"hardware_threads" doc:"hardware threads of all cores"`
	L3         *Stated[sim.Bytes]     `yaml:"socket_l3" doc:"third-level cache of a socket"`
	DRAMPeak   *Stated[sim.Bandwidth] `yaml:"socket_dram_peak" doc:"data pins of a socket's memory"`
	CoreRead   *Stated[sim.Bandwidth] `yaml:"core_read" doc:"read by one core from its die's memory, by Little's law"`
	SocketRead *Stated[sim.Bandwidth] `yaml:"socket_read" doc:"read by the cores of a socket from its memory"`
	LinkPeak   *Stated[sim.Bandwidth] `yaml:"link_peak" doc:"a link between sockets, each way, headers included"`
}

// windowLaws has a law for each key of WindowTheoryConfig.
var windowLaws = map[string]law[WindowDescription]{
	"memory":           {"capacity", func(w *WindowDescription) float64 { return float64(w.Capacity) }},
	"hardware_threads": {"memory.sockets, dies and cores, and core.smt", func(w *WindowDescription) float64 { return float64(w.topology().Total()) }},
	"socket_l3":        {"memory.dies and l3.size", (*WindowDescription).socketL3},
	"socket_dram_peak": {"memory.dies and dram", func(w *WindowDescription) float64 { return float64(w.Memory.Dies) * float64(w.Memory.DRAM.Peak()) }},
	"core_read":        {"core.load_store.line_fill_buffers, memory.line and costs.memory.die", (*WindowDescription).coreRead},
	"socket_read":      {"memory.dies, cores, memory_bandwidth and dram, and what one core reads", (*WindowDescription).socketRead},
	"link_peak":        {"memory.links.socket.bandwidth", (*WindowDescription).linkPeak},
}

func (w *WindowDescription) socketL3() float64 {
	if w.Memory.L3.Kind == "none" {
		return math.NaN()
	}
	return float64(w.Memory.Dies) * float64(w.Memory.L3.Size)
}

func (w *WindowDescription) coreRead() float64 {
	inFlight := float64(w.Core.LoadStore.LineFillBuffers) * float64(w.Memory.Line)
	return inFlight / w.Memory.Costs.Memory.Die.Seconds()
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
