package models

import (
	"fmt"
	"strings"

	"heddle/arch/isa"
	"heddle/arch/mem"
	"heddle/arch/net"
	"heddle/arch/simt"
	"heddle/sim"
)

// GPUDescription is a machine of kind simt: a GPU and its host.
type GPUDescription struct {
	Kind  string `yaml:"kind" oneof:"simt" doc:"the kind of core"`
	Title string `yaml:"title" doc:"one line for people"`
	simt.Config
	Memory MemoryConfig  `yaml:"memory" doc:"device memory"`
	Host   HostConfig    `yaml:"host" doc:"what the host program waits for"`
	Theory *TheoryConfig `yaml:"theory" doc:"published figures of the whole machine, which the rest must imply"`
}

// MemoryConfig describes the size of a device's memory.
type MemoryConfig struct {
	Capacity    sim.Bytes `yaml:"capacity" range:"1 MiB..1024 TiB" doc:"bytes of memory"`
	ECCCapacity float64   `yaml:"ecc_capacity" range:"0.1..1" doc:"share of the memory that is left when dram.ecc is enabled"`
}

// Bounds on the parts of a simulated GPU, far above any real one's, so that a
// slip of the pen does not exhaust the host.
const (
	mostLines  = 64 << 20 // of all caches
	mostSlices = 4096
	mostGroups = 4096 // of DRAM banks
	mostBanks  = 256 << 10
	slowest    = sim.Frequency(1e6)  // command clock of DRAM
	fastest    = sim.Frequency(1e10) // the same
)

// Check wants the sections to fit together.
func (g *GPUDescription) Check(fault func(key, format string, args ...any)) {
	relate(fault, "", g.Config.Validate())
	relate(fault, "l1", g.L1.Validate())
	relate(fault, "l2.slice", g.L2.Slice.Validate())
	relate(fault, "dram", g.DRAM.Validate())

	d, slice := &g.DRAM, &g.L2.Slice
	longest := g.L1.Line // access that the L1 or the coalescer makes
	if g.LoadStore.Coalescing == "segments" {
		longest = 128
	}
	switch {
	case d.Interleave%slice.Line != 0:
		fault("dram.interleave", "%s is not a multiple of l2.slice.line, %s", Format(d.Interleave), Format(slice.Line))
	case d.Interleave%longest != 0:
		fault("dram.interleave", "%s is not a multiple of what SMs ask for at once, %s", Format(d.Interleave), Format(longest))
	}
	if granule := g.L2.AtomicGranule; granule&(granule-1) != 0 {
		fault("l2.atomic_granule", "%s is not a power of two", Format(granule))
	}
	if d.Clock != 0 && !(slowest <= d.Clock && d.Clock <= fastest) {
		fault("dram.clock", "%s is out of range %s..%s", Format(d.Clock), Format(slowest), Format(fastest))
	}
	if d.ControllerLatency > sim.Millisecond {
		fault("dram.controller_latency", "%s is more than 1 ms", Format(d.ControllerLatency))
	}
	most := func(key string, n, limit int64, what string) {
		if n > limit {
			fault(key, "%d %s in all: at most %d can be simulated", n, what, limit)
		}
	}
	slices := int64(d.Channels) * int64(g.L2.SlicesPerChannel)
	most("l2.slices_per_channel", slices, mostSlices, "L2 slices")
	most("l1.size", int64(g.L1.Size/max(g.L1.Line, 1))*int64(g.SMs), mostLines, "lines of L1")
	most("l2.slice.size", int64(slice.Size/max(slice.Line, 1))*min(slices, mostSlices), mostLines, "lines of L2")
	most("dram.bank_groups", int64(d.Channels)*int64(d.Ranks)*int64(d.Groups), mostGroups, "bank groups")
	most("dram.banks", int64(d.Channels)*int64(d.Ranks)*int64(d.Banks), mostBanks, "banks")
}

// relate reports the errors joined in err, each of which begins with a key of
// the section.
func relate(fault func(key, format string, args ...any), section string, err error) {
	if err == nil {
		return
	}
	all := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		all = joined.Unwrap()
	}
	for _, e := range all {
		key, message, _ := strings.Cut(e.Error(), ": ")
		if section != "" {
			key = join(section, key)
		}
		fault(key, "%s", message)
	}
}

// gpuDevice runs programs on a GPU.
type gpuDevice struct {
	*simt.GPU
	space *mem.Space
}

func buildGPU(m *Machine, d *Description, o Options) error {
	var desc GPUDescription
	if err := d.Decode(&desc); err != nil {
		return err
	}
	capacity := desc.Memory.Capacity
	if desc.DRAM.ECC.Enabled {
		capacity = sim.Bytes(float64(capacity) * desc.Memory.ECCCapacity)
	}
	m.Space = mem.NewSpace(capacity)
	g, err := simt.New(desc.Config, m.Engine, m.Space)
	if err != nil {
		return fmt.Errorf("machine %s: %w", d.Name(), err)
	}
	if o.MaxCycles > 0 && o.MaxCycles < g.Clock().Cycle(sim.Never) {
		g.LimitCycles(o.MaxCycles)
	}
	m.device = &gpuDevice{g, m.Space}
	m.clock = g.Clock()
	m.launch = desc.Host.Launch
	m.bus = net.NewPCIe(desc.Host.PCIe)
	return nil
}

func (d *gpuDevice) check(p *isa.Program) error {
	return d.Check(p, d.Config().Launch.BlockSize)
}

func (d *gpuDevice) run(p *isa.Program, items int, at sim.Time, args []isa.Value) (sim.Time, error) {
	return d.Run(p, items, 0, at, args)
}

func (d *gpuDevice) counts() Counts {
	s := d.Stats()
	c := Counts{s.Instructions, s.ThreadInstructions}
	if e := d.Sampled(); e != nil {
		c.Instructions += e.Executed.Instructions
		c.ThreadInstructions += e.Executed.ThreadInstructions
	}
	return c
}

func (d *gpuDevice) stop(err error) { d.Stop(err) }

func (d *gpuDevice) progress() Progress {
	p := &d.Progress
	return Progress{p.Instructions.Load(), sim.Time(p.Now.Load()), p.Launches.Load(), p.BlocksDone.Load(), p.Blocks.Load()}
}

func (d *gpuDevice) parts() []Part {
	var parts []Part
	for name, state := range d.Parts() {
		parts = append(parts, Part{name, state})
	}
	return parts
}

func (d *gpuDevice) report(r *Report, elapsed sim.Time) {
	r.Sampling = d.sampling(elapsed)
	r.Metrics = sim.NewValues(simt.Metrics)
	d.Report(r.Metrics)
	for id, info := range d.space.Arrays() {
		t := d.Array(id)
		r.Arrays = append(r.Arrays, Array{
			Name: info.Name, Elem: info.Elem, Len: info.Len,
			Loads: t.Loads, Stores: t.Stores, Atomics: t.Atomics,
			Requests: t.Requests, Transactions: t.Transactions, Requested: t.Requested, Moved: t.Moved,
			Levels:   []Level{level("l1", t.L1), level("l2", t.L2)},
			DRAMRead: t.DRAMRead, DRAMWritten: t.DRAMWritten,
		})
	}
	s := d.Stats()
	whole := float64(s.Resident)
	r.Threads = whole / float64(d.Clock().Period)
	r.Stack = append(r.Stack, Share{"issued", float64(s.Issued) / whole})
	for stall := range simt.NumStalls {
		r.Stack = append(r.Stack, Share{stall.String(), float64(s.Stalls[stall]) / whole})
	}
	slot := float64(d.Clock().Span(d.Config().Scheduler.Interval))
	kernels := d.Kernels()
	for _, k := range kernels {
		r.Lines = append(r.Lines, d.lines(k, whole, slot)...)
	}
	r.hotWords(d.space, d.HotWords(hottest), func(i int32) *isa.Program { return kernels[i].Program })
	d.units(r)
}

func level(name string, s mem.CacheStats) Level {
	return Level{name, s.Accesses(), s.Hits, s.Fetched, s.Sent}
}

// lines adds up the instructions of each source line of a kernel; whole is the
// time of all warps, slot that of an issue.
func (d *gpuDevice) lines(k simt.Kernel, whole, slot float64) []Line {
	names := d.legend()
	issues := func(pc int) uint64 { return k.Lines[pc].Issues }
	return sourceLines(k.Program, issues, names.levels, names.stack[1:], func(l *Line, pc int) {
		s := &k.Lines[pc]
		l.Lanes += s.Lanes
		l.Divergent += s.Divergent
		l.Transactions += s.Transactions
		l.Requested += s.Requested
		l.Moved += s.Moved
		l.Misses[0].N += s.L1Misses
		l.Misses[1].N += s.L2Misses
		l.Issued += float64(s.Issues) * slot / whole
		for stall, t := range s.Stalls {
			l.Stalls[stall].Share += float64(t) / whole
		}
	})
}
