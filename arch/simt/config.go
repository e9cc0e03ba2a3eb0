// Package simt is the GPU: streaming multiprocessors that issue warps in
// order, coalesce their accesses, and share an L2 and DRAM behind a crossbar.
package simt

import (
	"errors"
	"fmt"

	"heddle/arch/isa"
	"heddle/arch/mem"
	"heddle/arch/net"
	"heddle/sim"
)

// Config describes a GPU. Latencies and intervals are in cycles of the clock
// of the part that they belong to.
type Config struct {
	Clock     sim.Frequency      `yaml:"clock" range:"1 MHz..10 GHz" doc:"clock of the SMs; the shader clock where a GPU has several"`
	SMs       int                `yaml:"sms" range:"1..1024" doc:"streaming multiprocessors"`
	WarpWidth int                `yaml:"warp_width" range:"1..64" doc:"lanes in a warp"`
	Scheduler SchedulerConfig    `yaml:"scheduler" doc:"warp schedulers"`
	Units     UnitsConfig        `yaml:"units" doc:"functional units of an SM, by class"`
	LoadStore LoadStoreConfig    `yaml:"load_store" doc:"load/store unit of an SM"`
	Occupancy OccupancyConfig    `yaml:"occupancy" doc:"what limits the blocks resident on an SM"`
	Launch    LaunchConfig       `yaml:"launch" doc:"grids, and what starting one costs"`
	L1        mem.CacheConfig    `yaml:"l1" doc:"first-level data cache of an SM, at the SM's clock"`
	Crossbar  net.CrossbarConfig `yaml:"crossbar" doc:"between SMs and L2 slices"`
	L2        L2Config           `yaml:"l2" doc:"second-level cache, shared"`
	DRAM      mem.DRAMConfig     `yaml:"dram" doc:"device memory"`
}

// SchedulerConfig describes the warp schedulers of an SM.
type SchedulerConfig struct {
	Count    int        `yaml:"count" range:"1..16" doc:"schedulers; warps are dealt out to them by number"`
	Policy   string     `yaml:"policy" oneof:"lrr gto" doc:"loose round robin, or greedy then oldest"`
	Interval sim.Cycles `yaml:"interval" range:"1 cycle..64 cycles" doc:"between two instructions issued by one scheduler"`
}

// UnitConfig describes the functional units of one class in an SM.
type UnitConfig struct {
	Latency   sim.Cycles `yaml:"latency" range:"1 cycle..10000 cycles" doc:"from issue until a dependent instruction may issue"`
	Lanes     int        `yaml:"lanes" range:"1..1024" doc:"lanes served each cycle"`
	Exclusive bool       `yaml:"exclusive" doc:"no other scheduler issues while one issues to this unit"`
}

// UnitsConfig describes every class of unit.
type UnitsConfig = isa.PerUnit[UnitConfig]

// LoadStoreConfig describes the load/store unit of an SM.
type LoadStoreConfig struct {
	Lanes               int        `yaml:"lanes" range:"1..1024" doc:"addresses generated each cycle"`
	Latency             sim.Cycles `yaml:"latency" range:"0 cycles..10000 cycles" doc:"from issue to the L1, or to the crossbar without one"`
	TransactionInterval sim.Cycles `yaml:"transaction_interval" range:"1 cycle..1000 cycles" doc:"between two transactions of a warp's access"`
	Queue               int        `yaml:"queue" range:"1..256" doc:"instructions accepted and not yet sent whole"`
	Outstanding         int        `yaml:"outstanding" range:"1..65536" doc:"reads and atomics in flight past the L1, or without one"`
	Coalescing          string     `yaml:"coalescing" oneof:"segments lines sectors" doc:"compute capability 1.2-1.3, 2.x, or 3.x and later"`
	SharedBanks         int        `yaml:"shared_banks" range:"1..64" doc:"banks of shared memory"`
	SharedBankWidth     sim.Bytes  `yaml:"shared_bank_width" range:"1 B..64 B" doc:"bytes that a bank serves at once"`
	SharedGroup         int        `yaml:"shared_group" range:"1..64" doc:"lanes that access shared memory together"`
	SharedLatency       sim.Cycles `yaml:"shared_latency" range:"1 cycle..10000 cycles" doc:"from issue to data without conflicts"`
	SharedInterval      sim.Cycles `yaml:"shared_interval" range:"1 cycle..1000 cycles" doc:"each further distinct word of a bank"`
	FullEmpty           bool       `yaml:"full_empty" doc:"device memory has full/empty bits"`
	FullEmptyRetry      sim.Cycles `yaml:"full_empty_retry" range:"1 cycle..1000000 cycles" doc:"from a word's change until a warp that waits for it retries"`
}

// OccupancyConfig limits the blocks that an SM holds.
type OccupancyConfig struct {
	Warps              int       `yaml:"warps" range:"1..1024" doc:"resident warps"`
	Threads            int       `yaml:"threads" range:"1..65536" doc:"resident threads"`
	Blocks             int       `yaml:"blocks" range:"1..1024" doc:"resident blocks"`
	BlockThreads       int       `yaml:"block_threads" range:"1..65536" doc:"most threads of a block"`
	Registers          int       `yaml:"registers" range:"1..16777216" doc:"32-bit registers"`
	RegistersPerThread int       `yaml:"registers_per_thread" range:"1..1024" doc:"most registers of a thread"`
	RegisterUnit       int       `yaml:"register_unit" range:"1..65536" doc:"registers are given out in multiples of this"`
	RegisterPer        string    `yaml:"register_per" oneof:"warp block" doc:"what the multiple applies to"`
	Shared             sim.Bytes `yaml:"shared" range:"0 B..16 MiB" doc:"shared memory"`
	SharedUnit         sim.Bytes `yaml:"shared_unit" range:"1 B..1 MiB" doc:"shared memory is given out in multiples of this"`
}

// LaunchConfig describes how grids are started.
type LaunchConfig struct {
	BlockSize     int        `yaml:"block_size" range:"1..65536" doc:"threads of a block, unless the launch says otherwise"`
	BlockInterval sim.Cycles `yaml:"block_interval" range:"0 cycles..100000 cycles" doc:"between two blocks given to SMs"`
}

// L2Config describes the shared cache and its atomic units.
type L2Config struct {
	Clock             sim.Frequency   `yaml:"clock" range:"1 MHz..10 GHz" doc:"clock of the slices"`
	SlicesPerChannel  int             `yaml:"slices_per_channel" range:"1..64" doc:"slices in front of each DRAM channel"`
	Slice             mem.CacheConfig `yaml:"slice" doc:"one slice"`
	MaskedWrites      bool            `yaml:"masked_writes" doc:"a partial write keeps byte masks; otherwise it fetches the sector"`
	AtomicInterval    sim.Cycles      `yaml:"atomic_interval" range:"1 cycle..100000 cycles" doc:"between atomics of one slice to different words"`
	AtomicSameAddress sim.Cycles      `yaml:"atomic_same_address" range:"1 cycle..100000 cycles" doc:"between atomics to the same granule"`
	AtomicGranule     sim.Bytes       `yaml:"atomic_granule" range:"4 B..128 B" doc:"atomics within it exclude each other"`
}

// Validate reports every relation between keys that does not hold.
func (c *Config) Validate() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	o := &c.Occupancy
	if o.BlockThreads < c.Launch.BlockSize {
		fault("launch.block_size: %d threads is more than occupancy.block_threads, %d", c.Launch.BlockSize, o.BlockThreads)
	}
	if o.Warps%c.Scheduler.Count != 0 {
		fault("occupancy.warps: %d is not a multiple of scheduler.count, %d", o.Warps, c.Scheduler.Count)
	}
	if o.Warps/c.Scheduler.Count > maxSlots {
		fault("occupancy.warps: %d is more than %d a scheduler", o.Warps, maxSlots)
	}
	if c.LoadStore.Coalescing == "segments" && c.L1.Enabled {
		fault("load_store.coalescing: segments needs l1.enabled: false, for its GPUs do not cache global memory")
	}
	return errors.Join(faults...)
}
