// Package window is the out-of-order core that executes by a window of
// instructions, as the superscalar processors of multicores do, and the
// multicore made of such cores.
//
// Time is computed. A thread's instructions are taken in program order, and
// each gets the cycles in which it is dispatched, issued, complete and retired
// from those of the instructions before it: dispatch waits for the front end,
// the dispatch width and an entry in each buffer that the instruction needs;
// issue for operands and an execution port; retirement for everything older.
// An instruction takes effect when it is dispatched, so a core is ahead of the
// engine's time by at most Config.Skew; atomics and full/empty operations take
// effect at their issue (Config.AtomicSkew).
//
// What the model leaves out: the wrong path of a branch and what it fetches;
// instruction fetch and decode, but for what branches cost;
// splitting instructions into several operations; replays of loads that passed
// a store in error; and limits that hardware threads share at retirement. The
// accesses of a core are made known to the memory in the order of dispatch: one
// that is issued late can have taken a resource before an earlier one asks.
package window

import (
	"errors"
	"fmt"

	"heddle/arch/isa"
	"heddle/sim"
)

// Config describes a multicore's cores. Latencies are in cycles of Clock.
type Config struct {
	Clock      sim.Frequency `yaml:"clock" range:"1 MHz..10 GHz" doc:"clock of the cores"`
	Threads    int           `yaml:"threads" range:"1..65536" doc:"software threads of a launch, each pinned to a hardware thread"`
	Placement  string        `yaml:"placement" oneof:"compact scatter" doc:"compact fills a core, then its die; scatter goes round the sockets, then their dies, then cores, and shares cores last"`
	Skew       sim.Cycles    `yaml:"skew" range:"0 cycles..100000 cycles" doc:"how far a core may be ahead of the others when its instructions take effect"`
	AtomicSkew sim.Cycles    `yaml:"atomic_skew" range:"0 cycles..100000 cycles" doc:"the same for atomics and full/empty operations; at most skew"`
	Core       CoreConfig    `yaml:"core" doc:"one core"`
}

// CoreConfig describes a core.
type CoreConfig struct {
	SMT        int             `yaml:"smt" range:"1..64" doc:"hardware threads; those in use split rob, load_buffer and store_buffer evenly, take turns at dispatch and share the rest"`
	Dispatch   int             `yaml:"dispatch" range:"1..32" doc:"instructions dispatched a cycle, all of one thread"`
	Retire     int             `yaml:"retire" range:"1..32" doc:"instructions of a thread retired a cycle"`
	ROB        int             `yaml:"rob" range:"1..4096" doc:"reorder buffer: instructions dispatched and not retired"`
	Stations   int             `yaml:"stations" range:"1..1024" doc:"reservation stations: instructions dispatched and not issued"`
	FPStations int             `yaml:"fp_stations" range:"0..1024" doc:"stations of floating point instructions; 0: they share the others"`
	Fusion     bool            `yaml:"fusion" doc:"a compare and the branch on it are one instruction"`
	Branch     BranchConfig    `yaml:"branch" doc:"branches"`
	Units      UnitsConfig     `yaml:"units" doc:"functional units, by class"`
	LoadStore  LoadStoreConfig `yaml:"load_store" doc:"loads and stores"`
	TLB        TLBConfig       `yaml:"tlb" doc:"translation of data addresses"`
}

// BranchConfig describes what branches cost and how they are predicted.
type BranchConfig struct {
	Mispredict sim.Cycles      `yaml:"mispredict" range:"2 cycles..1000 cycles" doc:"dispatch lost to a mispredicted branch that waits for nothing"`
	Taken      sim.Cycles      `yaml:"taken" range:"0 cycles..100 cycles" doc:"from dispatch of a taken branch until that of what follows; 0: the same cycle"`
	Beside     int             `yaml:"beside" range:"0..16" optional:"true" doc:"instructions that compilers put beside each if of a program: checks of bounds, copies between registers, jumps"`
	Predictor  PredictorConfig `yaml:"predictor" doc:"branch predictor"`
}

// UnitConfig describes how a class of instructions is executed.
type UnitConfig struct {
	Latency  sim.Cycles `yaml:"latency" range:"1 cycle..10000 cycles" doc:"from issue until a dependent instruction may issue"`
	Interval sim.Cycles `yaml:"interval" range:"1 cycle..10000 cycles" doc:"for which one instruction takes its port"`
	Ports    []int      `yaml:"ports" range:"0..15" len:"1..16" doc:"execution ports, any of which will do"`
}

// UnitsConfig describes every class of unit.
type UnitsConfig = isa.PerUnit[UnitConfig]

// LoadStoreConfig describes the way of loads and stores to the first-level
// cache.
type LoadStoreConfig struct {
	LoadPorts       []int      `yaml:"load_ports" range:"0..15" len:"1..16" doc:"execution ports that start a load"`
	StorePorts      []int      `yaml:"store_ports" range:"0..15" len:"1..16" doc:"execution ports that make a store's address"`
	DataPorts       []int      `yaml:"data_ports" range:"0..15" len:"0..16" doc:"execution ports that take a store's data; none: store_ports do"`
	LoadBuffer      int        `yaml:"load_buffer" range:"1..1024" doc:"loads dispatched and not retired"`
	StoreBuffer     int        `yaml:"store_buffer" range:"1..1024" doc:"stores dispatched and not yet in the cache"`
	StoreOperations int        `yaml:"store_operations" range:"0..4" optional:"true" doc:"places that a store takes at dispatch and in the reorder buffer, where it is dispatched as several operations; 0: one"`
	StoreAddresses  string     `yaml:"store_addresses" oneof:"predicted known" doc:"a load passes older stores whose address is predicted to differ, or waits until all their addresses are known"`
	PassAtomics     bool       `yaml:"pass_atomics" optional:"true" doc:"loads and stores are issued while older atomics and fences wait, as if there were none, as where the order is checked later; else after them"`
	Forward         sim.Cycles `yaml:"forward" range:"1 cycle..1000 cycles" doc:"latency of a load whose data come from an older store that is not in the cache yet"`
	Lock            sim.Cycles `yaml:"-"` // of an atomic, once its core owns the line: MulticoreConfig.Costs.AtomicHold
	LineFillBuffers int        `yaml:"line_fill_buffers" range:"1..1024" doc:"lines on their way to the first-level cache"`
	StoreFills      int        `yaml:"store_fills" range:"0..1024" optional:"true" doc:"how many of the line fill buffers stores may hold; 0: any number"`
	Scratch         sim.Cycles `yaml:"scratch" range:"1 cycle..1000 cycles" doc:"latency of block-shared and thread-local memory, which stays in the first-level cache"`
	FullEmpty       bool       `yaml:"full_empty" doc:"memory has full/empty bits"`
	FullEmptyRetry  sim.Cycles `yaml:"full_empty_retry" range:"1 cycle..1000000 cycles" doc:"from a word's change until a thread that waits for it retries"`
	Barrier         sim.Cycles `yaml:"barrier" range:"0 cycles..1000000 cycles" doc:"from the last thread's arrival at a barrier until all go on"`
}

// TLBConfig describes two levels of translation lookaside buffers.
type TLBConfig struct {
	Page          sim.Bytes  `yaml:"page" range:"4 KiB..1 GiB" doc:"page size; a power of two"`
	Entries       int        `yaml:"entries" range:"0..65536" doc:"of the first level; 0: translation is free"`
	Ways          int        `yaml:"ways" range:"1..1024" doc:"associativity of the first level"`
	SecondEntries int        `yaml:"second_entries" range:"0..65536" doc:"of the second level; 0: there is none"`
	SecondWays    int        `yaml:"second_ways" range:"1..1024" doc:"associativity of the second level"`
	SecondLatency sim.Cycles `yaml:"second_latency" range:"0 cycles..1000 cycles" doc:"added by a hit in the second level"`
	Walk          sim.Cycles `yaml:"walk" range:"0 cycles..10000 cycles" doc:"added by a miss of both: a page walk, less what its loads take"`
	Tables        int        `yaml:"tables" range:"0..4" optional:"true" doc:"entries that a page walk loads through the caches, one after the other: 1, or 2 where a hypervisor has a table of its own; upper levels of tables are in walk"`
	Together      int        `yaml:"together" range:"0..65536" optional:"true" doc:"pages in a row whose entries lie in a row in the tables but the first, as a hypervisor's table follows the system's memory and not a program's; 0: all"`
	Walkers       int        `yaml:"walkers" range:"0..16" optional:"true" doc:"page walks at a time; 0: any number"`
}

// Validate reports relations between keys that do not hold.
func (c *Config) Validate() error {
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if c.AtomicSkew > c.Skew {
		fault("atomic_skew: %d cycles is more than skew, %d", c.AtomicSkew, c.Skew)
	}
	k := &c.Core
	for _, b := range []struct {
		key string
		n   int
	}{{"rob", k.ROB}, {"load_store.load_buffer", k.LoadStore.LoadBuffer}, {"load_store.store_buffer", k.LoadStore.StoreBuffer}} {
		if b.n < k.SMT {
			fault("core.%s: %d entries are fewer than core.smt, %d, that split them", b.key, b.n, k.SMT)
		}
	}
	t := &k.TLB
	if t.Page&(t.Page-1) != 0 {
		fault("core.tlb.page: %d bytes is not a power of two", t.Page)
	}
	sets := func(key string, entries, ways int) {
		if n := entries / ways; entries > 0 && (entries%ways != 0 || n&(n-1) != 0) {
			fault("core.tlb.%s: %d entries are not a power of two of sets of %d", key, entries, ways)
		}
	}
	sets("entries", t.Entries, t.Ways)
	sets("second_entries", t.SecondEntries, t.SecondWays)
	k.Branch.Predictor.validate(fault)
	return errors.Join(errs...)
}
