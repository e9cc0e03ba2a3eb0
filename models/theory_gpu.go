package models

import (
	"math"

	"heddle/sim"
)

// gpuTheory returns the checks of a GPU's description, and the keys that it
// states but cannot have.
func gpuTheory(d *Description) (checks []Check, baseless []string, err error) {
	var g GPUDescription
	if err := d.Decode(&g); err != nil {
		return nil, nil, err
	}
	checks, baseless = hold(d, &g, g.Theory, gpuLaws)
	return checks, baseless, nil
}

// gpuLaws has a law for each key of TheoryConfig; cycles are the SMs'.
var gpuLaws = map[string]law[GPUDescription]{
	"memory":              {"memory.capacity and, with dram.ecc.enabled, memory.ecc_capacity", (*GPUDescription).usableMemory},
	"resident_threads":    {"launch.block_size and occupancy.warps, threads and blocks", (*GPUDescription).residentThreads},
	"full_registers":      {"launch.block_size and occupancy", (*GPUDescription).fullRegisters},
	"f32_peak":            {"clock, sms, scheduler and units.f32", func(g *GPUDescription) float64 { return g.flops(g.Units.F32.Lanes, g.Units.F32.Exclusive) }},
	"f64_peak":            {"clock, sms, scheduler and units.f64", func(g *GPUDescription) float64 { return g.flops(g.Units.F64.Lanes, g.Units.F64.Exclusive) }},
	"l1_latency":          {"load_store.latency and l1.hit_latency", (*GPUDescription).l1Latency},
	"l2_latency":          {"load_store, l1 and l2 latencies and crossbar", (*GPUDescription).l2Latency},
	"dram_latency":        {"load_store, l1, l2 and dram latencies and crossbar", (*GPUDescription).dramLatency},
	"l2_size":             {"l2.slice.size, l2.slices_per_channel and dram.channels", (*GPUDescription).l2Size},
	"l2_bandwidth":        {"sms, crossbar, l2 and dram.channels", (*GPUDescription).l2Bandwidth},
	"dram_peak":           {"dram.clock, data_rate, bus and channels", func(g *GPUDescription) float64 { return float64(g.DRAM.Peak()) }},
	"dram_read":           {"dram and, by Little's law, the latencies and misses in flight of SMs and L2", (*GPUDescription).dramRead},
	"atomic_same_address": {"clock, l2.clock and l2.atomic_same_address", (*GPUDescription).atomicSameAddress},
	"launch":              {"host.launch", func(g *GPUDescription) float64 { return float64(g.Host.Launch) }},
	"copy":                {"host.pcie.bandwidth", func(g *GPUDescription) float64 { return float64(g.Host.PCIe.Bandwidth) }},
}

func (g *GPUDescription) usableMemory() float64 {
	if g.DRAM.ECC.Enabled {
		return math.Floor(float64(g.Memory.Capacity) * g.Memory.ECCCapacity)
	}
	return float64(g.Memory.Capacity)
}

// up rounds n up to a multiple of unit.
func up(n, unit int) int { return (n + unit - 1) / unit * unit }

// warpsOfBlock returns the warps of a block of the usual size.
func (g *GPUDescription) warpsOfBlock() int {
	return up(g.Launch.BlockSize, g.WarpWidth) / g.WarpWidth
}

// residentBlocks returns the blocks of the usual size that an SM holds when
// registers and shared memory do not limit them.
func (g *GPUDescription) residentBlocks() int {
	o := &g.Occupancy
	return min(o.Blocks, o.Warps/g.warpsOfBlock(), o.Threads/g.Launch.BlockSize)
}

func (g *GPUDescription) residentThreads() float64 {
	return float64(g.residentBlocks() * g.Launch.BlockSize)
}

// fullRegisters tries the counts from the most that a thread may have down.
func (g *GPUDescription) fullRegisters() float64 {
	o := &g.Occupancy
	for r := o.RegistersPerThread; r > 0; r-- {
		block := up(r*g.WarpWidth, o.RegisterUnit) * g.warpsOfBlock()
		if o.RegisterPer == "block" {
			block = up(r*g.WarpWidth*g.warpsOfBlock(), o.RegisterUnit)
		}
		if o.Registers/block >= g.residentBlocks() {
			return float64(r)
		}
	}
	return math.NaN()
}

// flops returns the operations, in 10^9 a second, of multiply-adds on units
// with the given lanes an SM: as fast as the units take whole warps, and as the
// schedulers issue them.
func (g *GPUDescription) flops(lanes int, exclusive bool) float64 {
	issuing := g.Scheduler.Count
	if exclusive {
		issuing = 1
	}
	width := float64(g.WarpWidth)
	unit := width / float64(up(g.WarpWidth, lanes)/lanes)
	issue := width * float64(issuing) / float64(g.Scheduler.Interval)
	return 2 * float64(g.SMs) * min(unit, issue) * float64(g.Clock) / 1e9
}

func (g *GPUDescription) l1Latency() float64 {
	if !g.L1.Enabled {
		return math.NaN()
	}
	return float64(g.LoadStore.Latency + g.L1.HitLatency)
}

// loadBytes returns what a load by one lane brings from L2.
func (g *GPUDescription) loadBytes() sim.Bytes {
	const shortest = 32 // bytes, of a segment
	n := g.L2.Slice.Sector
	switch {
	case g.LoadStore.Coalescing == "segments":
		n = shortest
	case g.LoadStore.Coalescing == "lines" && g.L1.Enabled:
		n = g.L1.Line
	case g.L1.Enabled:
		n = max(n, g.L1.Sector)
	}
	return n
}

// packet returns the cycles that a packet with data occupies a crossbar port,
// at least one.
func (g *GPUDescription) packet(data sim.Bytes) float64 {
	return max(1, math.Ceil(float64(data+g.Crossbar.Header)/float64(g.Crossbar.Width)))
}

// way returns the SM cycles of a load to an L2 slice and back, without the
// slice: load/store unit, L1 lookup, request, reply.
func (g *GPUDescription) way() float64 {
	core := g.LoadStore.Latency
	if g.L1.Enabled {
		core += g.L1.HitLatency
	}
	x := &g.Crossbar
	cross := float64(x.RequestLatency) + g.packet(0) + float64(x.ReplyLatency) + g.packet(g.loadBytes())
	return float64(core) + cross*float64(g.Clock/x.Clock)
}

// lookup returns the SM cycles of a lookup in an L2 slice.
func (g *GPUDescription) lookup() float64 {
	return float64(g.L2.Slice.HitLatency) * float64(g.Clock/g.L2.Clock)
}

func (g *GPUDescription) l2Latency() float64 {
	if !g.L2.Slice.Enabled {
		return math.NaN()
	}
	return g.way() + g.lookup()
}

// dramLatency adds an activate and the bursts of a load to the way to L2 and
// the lookup there.
func (g *GPUDescription) dramLatency() float64 {
	latency := g.way() + g.fetch()
	if g.L2.Slice.Enabled {
		latency += g.lookup()
	}
	return latency
}

// missBytes returns what a load by one lane brings from device memory.
func (g *GPUDescription) missBytes() sim.Bytes {
	if g.L2.Slice.Enabled {
		return max(g.loadBytes(), g.L2.Slice.Sector)
	}
	return g.loadBytes()
}

// fetch returns the SM cycles that an idle channel takes for a load's data.
func (g *GPUDescription) fetch() float64 {
	d := &g.DRAM
	burst := sim.Cycles(d.BurstLength / d.DataRate)
	more := sim.Cycles((g.missBytes()+d.Burst()-1)/d.Burst() - 1)
	commands := d.TRCD + d.TCL + burst + more*max(burst, d.TCCD, d.TCCDL)
	return d.ControllerLatency.Seconds()*float64(g.Clock) + float64(commands)*float64(g.Clock/d.Clock)
}

// dramRead is the bandwidth of the pins less refresh and check bits, or, by
// Little's law, that at which the misses that SMs or L2 slices may have in
// flight last for the unloaded latency of each.
func (g *GPUDescription) dramRead() float64 {
	d := &g.DRAM
	bandwidth := float64(d.Peak())
	if d.TREFI > 0 {
		bandwidth *= 1 - float64(d.TRFC)/float64(d.TREFI)
	}
	if d.ECC.Enabled {
		bandwidth /= 1 + d.ECC.Overhead
	}
	little := func(misses float64, bytes sim.Bytes, cycles float64) {
		bandwidth = min(bandwidth, misses*float64(bytes)*float64(g.Clock)/cycles)
	}
	misses, before := g.LoadStore.Outstanding, g.LoadStore.Latency
	if g.L1.Enabled {
		misses, before = g.L1.MSHRs, before+g.L1.HitLatency
	}
	little(float64(g.SMs*misses), g.loadBytes(), g.dramLatency()-float64(before))
	if g.L2.Slice.Enabled {
		little(g.slices()*float64(g.L2.Slice.MSHRs), g.missBytes(), g.fetch())
	}
	return bandwidth
}

func (g *GPUDescription) slices() float64 { return float64(g.L2.SlicesPerChannel * g.DRAM.Channels) }

func (g *GPUDescription) l2Size() float64 {
	if !g.L2.Slice.Enabled {
		return math.NaN()
	}
	return g.slices() * float64(g.L2.Slice.Size)
}

// l2Bandwidth is that of a stream of whole lines: of the slices' lookups, the
// crossbar's ports at the slices, or those at the SMs.
func (g *GPUDescription) l2Bandwidth() float64 {
	s := &g.L2.Slice
	if !s.Enabled {
		return math.NaN()
	}
	line := float64(max(g.loadBytes(), s.Sector))
	port := line / g.packet(sim.Bytes(line)) * float64(g.Crossbar.Clock)
	bandwidth := port * min(g.slices(), float64(g.SMs))
	if s.BankInterval > 0 {
		bandwidth = min(bandwidth, line*float64(s.Banks)/float64(s.BankInterval)*float64(g.L2.Clock)*g.slices())
	}
	return bandwidth
}

func (g *GPUDescription) atomicSameAddress() float64 {
	return float64(g.L2.AtomicSameAddress) * float64(g.Clock/g.L2.Clock)
}
