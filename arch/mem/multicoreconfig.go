package mem

import (
	"errors"
	"fmt"

	"heddle/arch/net"
	"heddle/sim"
)

// MulticoreConfig describes the coherent memory of a multicore machine: cores
// with private L1 and L2, dies that share an L3 and have memory of their own,
// sockets of dies. Dies, and cores, are numbered socket by socket.
//
// Latencies are what a dependent load sees in all, from the core's request to
// its data: they are what microbenchmarks print, and do not add up.
type MulticoreConfig struct {
	Sockets int       `yaml:"sockets" range:"1..16" doc:"packages"`
	Dies    int       `yaml:"dies" range:"1..16" doc:"dies of a socket, each with an L3 and memory of its own; at most 16 in all"`
	Cores   int       `yaml:"cores" range:"1..64" doc:"cores of a die; at most 64 in all"`
	Line    sim.Bytes `yaml:"line" range:"16 B..1 KiB" doc:"line of all caches; a power of two"`

	L1 L1Config `yaml:"l1" doc:"first-level data cache of a core"`
	L2 L2Config `yaml:"l2" doc:"second-level cache of a core"`
	L3 L3Config `yaml:"l3" doc:"third-level cache of a die"`

	Prefetch *PrefetchConfig `yaml:"prefetch" doc:"hardware prefetcher of a core; absent: off"`

	Protocol string        `yaml:"protocol" oneof:"mesi mesif moesi" doc:"mesif: the latest reader of a clean line forwards it; moesi: a dirty line that is read stays dirty"`
	Lookup   string        `yaml:"lookup" oneof:"directory probe-filter snoop" doc:"how a die finds copies in others: the line's home knows them all; the home knows the owner, and writes to shared lines go to all dies; or all dies are asked directly"`
	Costs    TransferCosts `yaml:"costs" doc:"unloaded costs beyond the die's L3"`

	Links           net.SocketLinksConfig `yaml:"links" doc:"between dies"`
	MemoryBandwidth sim.Bandwidth         `yaml:"memory_bandwidth" range:"1 MB/s..10 TB/s" doc:"of lines that the memory of a die serves at most, as measured; the DRAM's own timing may allow less"`
	DRAM            DRAMConfig            `yaml:"dram" doc:"memory of a die"`
	Page            sim.Bytes             `yaml:"page" range:"4 KiB..1 GiB" doc:"pages are placed whole; a power of two"`
	Scattered       bool                  `yaml:"scattered" optional:"true" doc:"pages lie anywhere in memory, as systems hand them out, so that sets of L2 fill unevenly; else one after the other. Sets of L3 are filled evenly, as where a hash chooses them"`
	Placement       string                `yaml:"placement" oneof:"local interleaved" doc:"memory of a page: of the die that touches it first, or of one die after the other"`
}

// L1Config describes a first-level cache. It is write-back, write-allocate,
// LRU.
type L1Config struct {
	Size    sim.Bytes  `yaml:"size" range:"64 B..1 GiB" doc:"capacity; its sets are a power of two"`
	Ways    int        `yaml:"ways" range:"1..64" doc:"associativity"`
	Latency sim.Cycles `yaml:"latency" range:"1 cycle..1000 cycles" doc:"of a load that hits"`
}

// L2Config describes a private second-level cache. It is write-back, LRU unless
// Oldest says else.
type L2Config struct {
	Kind     string     `yaml:"kind" oneof:"inclusive non-inclusive exclusive" doc:"holds all lines of the L1; is filled with the L1 but neither holds nor excludes its lines; or takes what the L1 replaces"`
	Size     sim.Bytes  `yaml:"size" range:"64 B..1 GiB" doc:"capacity; a multiple of ways x line"`
	Ways     int        `yaml:"ways" range:"1..64" doc:"associativity"`
	Latency  sim.Cycles `yaml:"latency" range:"1 cycle..1000 cycles" doc:"of a load that hits, from the core"`
	Interval sim.Cycles `yaml:"interval" range:"0 cycles..1000 cycles" doc:"between two lines that it gives the L1"`
	Oldest   int        `yaml:"oldest" range:"0..64" optional:"true" doc:"least recently used lines of a set, at most ways, of which any is replaced, as by policies that know the order of use in part; 0 or 1: the last, LRU"`
}

// L3Config describes a shared cache. It is write-back, LRU. With kind none the
// other keys have no effect.
type L3Config struct {
	Kind      string        `yaml:"kind" oneof:"inclusive victim none" doc:"holds all lines of the die's private caches; or takes what the L2s replace"`
	Size      sim.Bytes     `yaml:"size" range:"0 B..64 GiB" doc:"capacity, less what a probe filter takes; a multiple of ways x line"`
	Ways      int           `yaml:"ways" range:"0..64" doc:"associativity"`
	Latency   sim.Cycles    `yaml:"latency" range:"0 cycles..10000 cycles" doc:"of a load that hits, from the core"`
	Bandwidth sim.Bandwidth `yaml:"bandwidth" range:"1 MB/s..100 TB/s" doc:"of lines read and written, of the die"`
}

// TransferCosts are the unloaded costs of what goes beyond a core's own caches
// and its die's L3.
type TransferCosts struct {
	Clean      DistanceCosts `yaml:"clean" doc:"load of a clean line from the caches of a core or die, by their distance"`
	Dirty      DistanceCosts `yaml:"dirty" doc:"load of a modified line from the caches of a core or die"`
	Handover   DistanceCosts `yaml:"handover" doc:"atomic on a line that another core owns or others share, by the farthest of them: ownership and the atomic"`
	Memory     DistanceCosts `yaml:"memory" doc:"load from the memory of a die"`
	AtomicKeep sim.Cycles    `yaml:"atomic_keep" range:"0 cycles..10000 cycles" optional:"true" doc:"for which a core that performs one atomic after the other on a line keeps it at most, when others ask for it; 0: it gives it up after each"`
	AtomicHold sim.Cycles    `yaml:"atomic_hold" range:"0 cycles..10000 cycles" doc:"of a handover, the time in which the new owner performs its atomic, and keeps the line; a write takes ownership in the rest"`
}

// DistanceCosts are times by distance. Those of distances that the machine
// does not have may be absent.
type DistanceCosts struct {
	Die     sim.Time `yaml:"die" range:"0 ns..100 us" doc:"within a die"`
	Package sim.Time `yaml:"package" range:"0 ns..100 us" optional:"true" doc:"between dies of a socket"`
	Hop1    sim.Time `yaml:"hop_1" range:"0 ns..100 us" optional:"true" doc:"over one link between sockets"`
	Hop2    sim.Time `yaml:"hop_2" range:"0 ns..100 us" optional:"true" doc:"over two links"`
}

func (c *DistanceCosts) table() [net.Distances]sim.Time {
	return [net.Distances]sim.Time{c.Die, c.Package, c.Hop1, c.Hop2}
}

// distanceKeys are the keys of DistanceCosts.
var distanceKeys = [net.Distances]string{"die", "package", "hop_1", "hop_2"}

// distances tells which distances the machine has.
func (c *MulticoreConfig) distances() (has [net.Distances]bool) {
	return [net.Distances]bool{
		net.SameDie:     true,
		net.SamePackage: c.Dies > 1,
		net.OneHop:      c.Sockets > 1,
		net.TwoHops:     c.Sockets > 1 && c.Dies > 1 && c.Links.Linked == "same-die",
	}
}

// Validate returns what is wrong with c at the cores' clock, one error a
// fault, each of which begins with the key at fault.
func (c *MulticoreConfig) Validate(clock sim.Clock) error {
	v := multicoreFaults{c: c, clock: clock}
	if v.shape() {
		v.caches()
		v.costs()
	}
	return errors.Join(v.errs...)
}

// multicoreFaults collects what is wrong with a MulticoreConfig.
type multicoreFaults struct {
	c     *MulticoreConfig
	clock sim.Clock
	errs  []error
}

func (v *multicoreFaults) fault(format string, args ...any) {
	v.errs = append(v.errs, fmt.Errorf(format, args...))
}

func (v *multicoreFaults) atLeast(key string, value, least int64) {
	if value < least {
		v.fault("%s: %d is less than %d", key, value, least)
	}
}

func (v *multicoreFaults) oneOf(key, value string, allowed ...string) {
	if err := oneOf(key, value, allowed...); err != nil {
		v.errs = append(v.errs, err)
	}
}

// prefix puts a section's key before each of the errors in err.
func (v *multicoreFaults) prefix(key string, err error) {
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range all.Unwrap() {
			v.fault("%s.%w", key, one)
		}
	} else if err != nil {
		v.fault("%s.%w", key, err)
	}
}

// shape checks what the rest of the checks rely on.
func (v *multicoreFaults) shape() bool {
	c := v.c
	v.atLeast("sockets", int64(c.Sockets), 1)
	v.atLeast("dies", int64(c.Dies), 1)
	v.atLeast("cores", int64(c.Cores), 1)
	if len(v.errs) > 0 {
		return false
	}
	if c.Sockets > maxDies || c.Dies > maxDies || c.Sockets*c.Dies > maxDies {
		v.fault("dies: %d sockets of %d are more than %d dies", c.Sockets, c.Dies, maxDies)
	} else if c.Cores > maxCores || c.Sockets*c.Dies*c.Cores > maxCores {
		v.fault("cores: %d dies of %d are more than %d cores", c.Sockets*c.Dies, c.Cores, maxCores)
	}
	if !powerOfTwo(int64(c.Line)) || c.Line < 16 {
		v.fault("line: %d bytes is not a power of two from 16", c.Line)
	}
	if !powerOfTwo(int64(c.Page)) || c.Page < 4096 || c.Page < c.Line {
		v.fault("page: %d bytes is not a power of two from 4096", c.Page)
	}
	v.oneOf("placement", c.Placement, "local", "interleaved")
	v.oneOf("protocol", c.Protocol, "mesi", "mesif", "moesi")
	v.oneOf("lookup", c.Lookup, "directory", "probe-filter", "snoop")
	return len(v.errs) == 0
}

func (v *multicoreFaults) caches() {
	c := v.c
	v.size("l1", c.L1.Size, c.L1.Ways)
	if sets := int64(c.L1.Size) / int64(c.Line) / int64(max(c.L1.Ways, 1)); !powerOfTwo(sets) {
		v.fault("l1.size: %d sets are not a power of two", sets)
	}
	v.atLeast("l1.latency", int64(c.L1.Latency), 1)
	v.oneOf("l2.kind", c.L2.Kind, "inclusive", "non-inclusive", "exclusive")
	v.size("l2", c.L2.Size, c.L2.Ways)
	v.atLeast("l2.latency", int64(c.L2.Latency), int64(c.L1.Latency))
	v.atLeast("l2.interval", int64(c.L2.Interval), 0)
	if c.L2.Oldest > c.L2.Ways {
		v.fault("l2.oldest: %d are more than l2.ways, %d", c.L2.Oldest, c.L2.Ways)
	}
	v.oneOf("l3.kind", c.L3.Kind, "inclusive", "victim", "none")
	if c.L3.Kind != "none" {
		v.size("l3", c.L3.Size, c.L3.Ways)
		v.atLeast("l3.latency", int64(c.L3.Latency), int64(c.L2.Latency))
		if !(c.L3.Bandwidth > 0) {
			v.fault("l3.bandwidth: %g B/s is not positive", float64(c.L3.Bandwidth))
		}
	}
}

// size checks a cache's capacity and ways.
func (v *multicoreFaults) size(key string, size sim.Bytes, ways int) {
	if ways < 1 || ways > maxWays {
		v.fault("%s.ways: %d is not in 1..%d", key, ways, maxWays)
		return
	}
	if set := v.c.Line * sim.Bytes(ways); size < set || size%set != 0 || size/set >= 1<<32 {
		v.fault("%s.size: %d bytes is not a multiple of ways x line = %d bytes", key, size, set)
	}
}

func (v *multicoreFaults) costs() {
	c := v.c
	if !(c.MemoryBandwidth > 0) {
		v.fault("memory_bandwidth: %g B/s is not positive", float64(c.MemoryBandwidth))
	}
	v.atLeast("costs.atomic_hold", int64(c.Costs.AtomicHold), 0)
	v.prefix("links", c.Links.Validate(c.Sockets, c.Dies))
	dramErr := c.DRAM.Validate()
	v.prefix("dram", dramErr)
	l2 := v.clock.Span(c.L2.Latency)
	hold := v.clock.Span(c.Costs.AtomicHold)
	memory := l2
	if dramErr == nil {
		memory += c.DRAM.Unloaded()
	}
	has := c.distances()
	for _, t := range []struct {
		key   string
		costs *DistanceCosts
		least sim.Time
		what  string
	}{
		{"clean", &c.Costs.Clean, l2, "l2.latency"},
		{"dirty", &c.Costs.Dirty, l2, "l2.latency"},
		{"handover", &c.Costs.Handover, l2 + hold, "l2.latency and costs.atomic_hold"},
		{"memory", &c.Costs.Memory, memory, "l2.latency and the DRAM's own"},
	} {
		for d, cost := range t.costs.table() {
			if has[d] && cost < t.least {
				v.fault("costs.%s.%s: %g ns is less than %s, %g ns", t.key, distanceKeys[d],
					float64(cost)/float64(sim.Nanosecond), t.what, float64(t.least)/float64(sim.Nanosecond))
			}
		}
	}
}
