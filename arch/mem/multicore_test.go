package mem

import (
	"strings"
	"testing"

	"heddle/arch/net"
	"heddle/sim"
)

// The machines of these tests have a clock of 1 GHz: a cycle is a nanosecond.
var gigahertz = sim.NewClock(1e9)

const ns = sim.Nanosecond

// opteron is a machine of the shape of four Opteron 6100 packages: MOESI,
// probe filters, victim L3, two dies a package.
func opteron() MulticoreConfig {
	dram := ddr3()
	dram.Channels, dram.BankHash, dram.Reorder, dram.ControllerLatency = 2, true, 100, 10*ns
	return MulticoreConfig{
		Sockets: 4, Dies: 2, Cores: 6, Line: 64,
		L1:       L1Config{Size: 64 << 10, Ways: 2, Latency: 3},
		L2:       L2Config{Kind: "exclusive", Size: 512 << 10, Ways: 16, Latency: 15, Interval: 4},
		L3:       L3Config{Kind: "victim", Size: 5 << 20, Ways: 40, Latency: 43, Bandwidth: 30e9},
		Protocol: "moesi", Lookup: "probe-filter",
		Costs: TransferCosts{
			Clean:    DistanceCosts{50 * ns, 70 * ns, 80 * ns, 110 * ns},
			Dirty:    DistanceCosts{51 * ns, 77 * ns, 82 * ns, 120 * ns},
			Handover: DistanceCosts{56 * ns, 94 * ns, 103 * ns, 143 * ns}, AtomicHold: 10,
			Memory: DistanceCosts{68 * ns, 118 * ns, 125 * ns, 163 * ns},
		},
		Links: net.SocketLinksConfig{
			Linked:  "same-die",
			Package: net.SocketLinkConfig{Bandwidth: 5.3e9, Transit: 4e9},
			Socket:  net.SocketLinkConfig{Bandwidth: 2.8e9, Transit: 1.95e9},
		},
		MemoryBandwidth: 11e9, DRAM: dram, Page: 4096, Placement: "local",
	}
}

// xeon is a machine of the shape of two Xeon 5500: MESIF, snoops, inclusive
// L3, a die a package.
func xeon() MulticoreConfig {
	dram := ddr3()
	dram.Channels, dram.BankHash, dram.Reorder, dram.ControllerLatency = 3, true, 100, 10*ns
	return MulticoreConfig{
		Sockets: 2, Dies: 1, Cores: 4, Line: 64,
		L1:       L1Config{Size: 32 << 10, Ways: 8, Latency: 4},
		L2:       L2Config{Kind: "non-inclusive", Size: 256 << 10, Ways: 8, Latency: 10, Interval: 4},
		L3:       L3Config{Kind: "inclusive", Size: 8 << 20, Ways: 16, Latency: 38, Bandwidth: 60e9},
		Protocol: "mesif", Lookup: "snoop",
		Costs: TransferCosts{
			Clean:    DistanceCosts{Die: 65 * ns, Hop1: 186 * ns},
			Dirty:    DistanceCosts{Die: 83 * ns, Hop1: 300 * ns},
			Handover: DistanceCosts{Die: 90 * ns, Hop1: 320 * ns}, AtomicHold: 20,
			Memory: DistanceCosts{Die: 65 * ns, Hop1: 106 * ns},
		},
		Links: net.SocketLinksConfig{
			Linked: "all", Header: 16,
			Socket: net.SocketLinkConfig{Bandwidth: 11.7e9, Transit: 11.7e9},
		},
		MemoryBandwidth: 18e9, DRAM: dram, Page: 4096, Placement: "local",
	}
}

func mustMulticore(t testing.TB, c MulticoreConfig) *Multicore {
	t.Helper()
	m, err := NewMulticore(c, gigahertz)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// use is an access by a core to a line of the test's page.
type use struct {
	core int
	kind Kind
	line uint64
}

// from returns the source at a distance.
func from(group Source, d net.Distance) Source { return group + Source(d) }

// TestMulticoreLatency does a few accesses, each long after the one before,
// and holds the time of the last, and what served it, against what published
// costs and the protocol make of it. Cores 0-5 of the Opteron are on die 0,
// 6-11 on die 1 of the same package, 12 on die 2 one hop away, 18 on die 3 two
// hops away. Cores 0-3 of the Xeon are on die 0, 4-7 on die 1.
func TestMulticoreLatency(t *testing.T) {
	type step struct {
		name  string
		uses  []use
		cost  sim.Time
		from  Source
		extra func(*MulticoreConfig)
	}
	r, w, a := Read, Write, Atomic
	// The way from a die to its neighbour in the package and over a hop, as
	// remote memory has it.
	const oneHop, inPackage = (125 - 68) * ns / 2, (118 - 68) * ns / 2
	evictL1 := func(core int, line uint64, sets uint64, ways int) (all []use) {
		for i := range ways {
			all = append(all, use{core, r, line + uint64(i+1)*sets})
		}
		return all
	}
	join := func(parts ...[]use) (all []use) {
		for _, p := range parts {
			all = append(all, p...)
		}
		return all
	}
	for _, machine := range []struct {
		name   string
		config func() MulticoreConfig
		steps  []step
	}{
		{"opteron", opteron, []step{
			{"local memory", []use{{0, r, 0}}, 68 * ns, FromMemory, nil},
			{"a write from memory", []use{{0, w, 0}}, 68 * ns, FromMemory, nil},
			{"L1", []use{{0, r, 0}, {0, r, 0}}, 3 * ns, FromL1, nil},
			{"L1, exclusive: written without a word", []use{{0, r, 0}, {0, w, 0}}, 3 * ns, FromL1, nil},
			{"L2", join([]use{{0, r, 0}}, evictL1(0, 0, 512, 2), []use{{0, r, 0}}), 15 * ns, FromL2, nil},
			{"memory of the package", []use{{0, r, 1}, {6, r, 0}}, 118 * ns, from(FromMemory, net.SamePackage), nil},
			{"memory one hop away", []use{{0, r, 1}, {12, r, 0}}, 125 * ns, from(FromMemory, net.OneHop), nil},
			{"memory two hops away", []use{{0, r, 1}, {18, r, 0}}, 163 * ns, from(FromMemory, net.TwoHops), nil},

			{"clean line of the die", []use{{0, r, 0}, {1, r, 0}}, 50 * ns, FromClean, nil},
			{"clean line of the package", []use{{0, r, 0}, {6, r, 0}}, 70 * ns, from(FromClean, net.SamePackage), nil},
			{"clean line one hop away", []use{{0, r, 0}, {12, r, 0}}, 80 * ns, from(FromClean, net.OneHop), nil},
			{"clean line two hops away", []use{{0, r, 0}, {18, r, 0}}, 110 * ns, from(FromClean, net.TwoHops), nil},
			{"dirty line of the die", []use{{0, w, 0}, {1, r, 0}}, 51 * ns, FromDirty, nil},
			{"dirty line of the package", []use{{0, w, 0}, {6, r, 0}}, 77 * ns, from(FromDirty, net.SamePackage), nil},
			{"dirty line one hop away", []use{{0, w, 0}, {12, r, 0}}, 82 * ns, from(FromDirty, net.OneHop), nil},
			{"dirty line two hops away", []use{{0, w, 0}, {18, r, 0}}, 120 * ns, from(FromDirty, net.TwoHops), nil},
			{"a clean line read twice is memory's", []use{{0, r, 0}, {1, r, 0}, {2, r, 0}}, 68 * ns, FromMemory, nil},
			{"a dirty one stays its owner's", []use{{0, w, 0}, {12, r, 0}, {18, r, 0}}, 120 * ns, from(FromDirty, net.TwoHops), nil},

			{"atomic: the handover less the atomic", []use{{0, a, 0}, {1, a, 0}}, (56 - 10) * ns, FromDirty, nil},
			{"write of a line two hops away", []use{{0, w, 0}, {18, w, 0}}, (143 - 10) * ns, from(FromDirty, net.TwoHops), nil},
			{"atomic on a shared line: all dies are told", []use{{0, r, 0}, {1, r, 0}, {0, a, 0}}, (143 - 10) * ns, from(FromUpgrade, net.TwoHops), nil},
			{"a directory tells those who have it", []use{{0, r, 0}, {1, r, 0}, {0, a, 0}}, (56 - 10) * ns, FromUpgrade,
				func(c *MulticoreConfig) { c.Lookup = "directory" }},
			{"the farthest of them", []use{{0, r, 0}, {12, r, 0}, {1, r, 0}, {0, a, 0}}, (103 - 10) * ns, from(FromUpgrade, net.OneHop),
				func(c *MulticoreConfig) { c.Lookup = "directory" }},
			{"a write of a shared line that is memory's: whatever is slower", []use{{0, r, 0}, {1, r, 0}, {2, w, 0}}, 68 * ns, FromMemory,
				func(c *MulticoreConfig) { c.Lookup = "directory" }},

			{"the request goes by the home", []use{{12, r, 1}, {0, w, 0}, {6, r, 0}}, 77*ns + oneHop + (163-68)*ns/2 - inPackage, from(FromDirty, net.SamePackage), nil},
			{"even on a die", []use{{12, r, 1}, {0, w, 0}, {1, r, 0}}, 51*ns + 2*oneHop, FromDirty, nil},
			{"for a write too", []use{{12, r, 1}, {0, w, 0}, {6, w, 0}}, (94-10)*ns + oneHop + (163-68)*ns/2 - inPackage, from(FromDirty, net.SamePackage), nil},
			{"not if the dies snoop", []use{{12, r, 1}, {0, w, 0}, {6, r, 0}}, 77 * ns, from(FromDirty, net.SamePackage),
				func(c *MulticoreConfig) { c.Lookup = "snoop" }},
			{"MESI: what was dirty is memory's", []use{{0, w, 0}, {12, r, 0}, {18, r, 0}}, 163 * ns, from(FromMemory, net.TwoHops),
				func(c *MulticoreConfig) { c.Protocol = "mesi" }},
			{"MESIF: the latest reader forwards", []use{{0, w, 0}, {12, r, 0}, {6, r, 0}}, 110*ns + inPackage + oneHop - (163-68)*ns/2, from(FromClean, net.TwoHops),
				func(c *MulticoreConfig) { c.Protocol = "mesif" }},

			{"L3", join([]use{{0, w, 0}}, evictL1(0, 0, 512, 18), []use{{0, r, 0}}), 43 * ns, FromL3, nil},
			{"L3 by another core of the die", join([]use{{0, w, 0}}, evictL1(0, 0, 512, 18), []use{{1, r, 0}}), 43 * ns, FromL3, nil},
			{"L3 of another die, dirty", join([]use{{0, w, 0}}, evictL1(0, 0, 512, 18), []use{{12, r, 0}}), 82 * ns, from(FromDirty, net.OneHop), nil},
			{"L3 of another die, clean", join([]use{{0, r, 0}}, evictL1(0, 0, 512, 18), []use{{12, r, 0}}), 80 * ns, from(FromClean, net.OneHop), nil},
			{"L3 of another die, dirty, for a write", join([]use{{0, w, 0}}, evictL1(0, 0, 512, 18), []use{{12, w, 0}}), (103 - 10) * ns, from(FromDirty, net.OneHop), nil},
			{"L3 keeps what others of the die use", join([]use{{0, w, 0}, {1, r, 0}}, evictL1(0, 0, 512, 18), []use{{2, r, 0}, {3, r, 0}}), 43 * ns, FromL3, nil},
			{"L3 for a write", join([]use{{0, r, 0}}, evictL1(0, 0, 512, 18), []use{{1, w, 0}}), 43 * ns, FromL3, nil},
			{"what L3 gave away is no more in it", join([]use{{0, r, 0}}, evictL1(0, 0, 512, 18), []use{{1, r, 0}, {2, r, 0}}), 50 * ns, FromClean, nil},
		}},
		{"xeon", xeon, []step{
			{"local memory", []use{{0, r, 0}}, 65 * ns, FromMemory, nil},
			{"remote memory", []use{{0, r, 1}, {4, r, 0}}, 106 * ns, from(FromMemory, net.OneHop), nil},
			{"L1", []use{{0, r, 0}, {0, r, 0}}, 4 * ns, FromL1, nil},
			{"L2", join([]use{{0, r, 0}}, evictL1(0, 0, 64, 8), []use{{0, r, 0}}), 10 * ns, FromL2, nil},
			{"clean line of another core", []use{{0, r, 0}, {1, r, 0}}, 65 * ns, FromClean, nil},
			{"dirty line of another core", []use{{0, w, 0}, {1, r, 0}}, 83 * ns, FromDirty, nil},
			{"a line shared on the die is L3's", []use{{0, w, 0}, {1, r, 0}, {2, r, 0}}, 38 * ns, FromL3, nil},
			{"and so is one that its cores have lost", join([]use{{0, r, 0}}, evictL1(0, 0, 512, 8), []use{{0, r, 0}}), 38 * ns, FromL3, nil},
			{"exclusive again: written without a word", join([]use{{0, r, 0}}, evictL1(0, 0, 512, 8), []use{{1, r, 0}, {1, w, 0}}), 4 * ns, FromL1, nil},
			{"clean line of the other socket", []use{{0, r, 0}, {4, r, 0}}, 186 * ns, from(FromClean, net.OneHop), nil},
			{"dirty line of the other socket", []use{{0, w, 0}, {4, r, 0}}, 300 * ns, from(FromDirty, net.OneHop), nil},
			{"the latest die forwards", []use{{0, w, 0}, {4, r, 0}, {1, r, 0}}, 38 * ns, FromL3, nil},
			{"upgrade within the die", []use{{0, r, 0}, {1, r, 0}, {0, w, 0}}, (90 - 20) * ns, FromUpgrade, nil},
			{"upgrade over sockets", []use{{0, r, 0}, {4, r, 0}, {0, w, 0}}, (320 - 20) * ns, from(FromUpgrade, net.OneHop), nil},
			{"write of a line that another core has", []use{{0, w, 0}, {1, w, 0}}, (90 - 20) * ns, FromDirty, nil},
			{"write of a line that another die has", []use{{0, w, 0}, {4, w, 0}}, (320 - 20) * ns, from(FromDirty, net.OneHop), nil},
			{"write of a line that others share: L3 has it, they are told", []use{{0, r, 0}, {1, r, 0}, {2, w, 0}}, (90 - 20) * ns, FromL3, nil},
			{"MESI: what was dirty is memory's", []use{{0, w, 0}, {4, r, 0}, {8, r, 0}}, 106 * ns, from(FromMemory, net.OneHop),
				func(c *MulticoreConfig) { c.Protocol, c.Sockets = "mesi", 3 }},
			{"MESIF: the forwarder's", []use{{0, w, 0}, {4, r, 0}, {8, r, 0}}, 186 * ns, from(FromClean, net.OneHop),
				func(c *MulticoreConfig) { c.Sockets = 3 }},
			{"MOESI: the owner's", []use{{0, w, 0}, {4, r, 0}, {8, r, 0}}, 300 * ns, from(FromDirty, net.OneHop),
				func(c *MulticoreConfig) { c.Protocol, c.Sockets = "moesi", 3 }},
			{"a directory within the socket takes no detour", []use{{4, r, 1}, {0, w, 0}, {1, r, 0}}, 83 * ns, FromDirty,
				func(c *MulticoreConfig) { c.Lookup = "directory" }},
		}},
	} {
		for _, s := range machine.steps {
			t.Run(machine.name+"/"+s.name, func(t *testing.T) {
				c := machine.config()
				if s.extra != nil {
					s.extra(&c)
				}
				c.Page = 1 << 20 // one for all lines of the test
				c.DRAM.PagePolicy = "closed"
				m := mustMulticore(t, c)
				at := sim.Time(0)
				for i, u := range s.uses {
					at += 10 * sim.Microsecond
					p := m.Port(u.core)
					cost := p.Access(at, Access{Addr: 1<<20 + u.line*64, Size: 8, Kind: u.kind, Array: -1}) - at
					if i == len(s.uses)-1 && (cost != s.cost || p.From() != s.from) {
						t.Errorf("took %g ns from %v, not %g ns from %v",
							float64(cost)/float64(ns), p.From(), float64(s.cost)/float64(ns), s.from)
					}
				}
			})
		}
	}
}

func TestMulticoreValidate(t *testing.T) {
	for _, c := range []struct {
		set  func(*MulticoreConfig)
		want string
	}{
		{func(c *MulticoreConfig) { c.Sockets = 0 }, "sockets: 0 is less than 1"},
		{func(c *MulticoreConfig) { c.Sockets = 9 }, "dies: 9 sockets of 2 are more than 16 dies"},
		{func(c *MulticoreConfig) { c.Cores = 9 }, "cores: 8 dies of 9 are more than 64 cores"},
		{func(c *MulticoreConfig) { c.Line = 48 }, "line: 48 bytes is not a power of two from 16"},
		{func(c *MulticoreConfig) { c.Page = 5000 }, "page: 5000 bytes is not a power of two from 4096"},
		{func(c *MulticoreConfig) { c.Placement = "first" }, `placement: "first" is not one of local, interleaved`},
		{func(c *MulticoreConfig) { c.Protocol = "msi" }, `protocol: "msi" is not one of mesi, mesif, moesi`},
		{func(c *MulticoreConfig) { c.Lookup = "" }, `lookup: "" is not one of directory, probe-filter, snoop`},
		{func(c *MulticoreConfig) { c.L1.Ways = 3 }, "l1.size: 65536 bytes is not a multiple of ways x line = 192 bytes"},
		{func(c *MulticoreConfig) { c.L1.Size = 3 * 128 }, "l1.size: 3 sets are not a power of two"},
		{func(c *MulticoreConfig) { c.L2.Kind = "victim" }, `l2.kind: "victim" is not one of inclusive, non-inclusive, exclusive`},
		{func(c *MulticoreConfig) { c.L2.Latency = 2 }, "l2.latency: 2 is less than 3"},
		{func(c *MulticoreConfig) { c.L3.Latency = 14 }, "l3.latency: 14 is less than 15"},
		{func(c *MulticoreConfig) { c.L3.Ways = 65 }, "l3.ways: 65 is not in 1..64"},
		{func(c *MulticoreConfig) { c.L3.Bandwidth = 0 }, "l3.bandwidth: 0 B/s is not positive"},
		{func(c *MulticoreConfig) { c.MemoryBandwidth = 0 }, "memory_bandwidth: 0 B/s is not positive"},
		{func(c *MulticoreConfig) { c.Costs.Dirty.Hop2 = 0 }, "costs.dirty.hop_2: 0 ns is less than l2.latency, 15 ns"},
		{func(c *MulticoreConfig) { c.Costs.Handover.Die = 24 * ns }, "costs.handover.die: 24 ns is less than l2.latency and costs.atomic_hold, 25 ns"},
		{func(c *MulticoreConfig) { c.Costs.Memory.Die = 48 * ns }, "costs.memory.die: 48 ns is less than l2.latency and the DRAM's own, 49 ns"},
		{func(c *MulticoreConfig) { c.DRAM.Banks = 5 }, "dram.banks: 5 is not a power of two"},
		{func(c *MulticoreConfig) { c.Links.Linked = "ring" }, `links.linked: "ring" is not one of all, same-die`},
		{func(c *MulticoreConfig) { c.Links.Package.Transit = 0 }, "links.package.transit: 0 B/s is not positive"},
		{func(c *MulticoreConfig) { c.Links.Socket.Bandwidth = 0 }, "links.socket.bandwidth: 0 B/s is not positive"},
	} {
		config := opteron()
		c.set(&config)
		_, err := NewMulticore(config, gigahertz)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	one := xeon()
	one.Sockets, one.Links.Socket = 1, net.SocketLinkConfig{}
	one.L3 = L3Config{Kind: "none"}
	mustMulticore(t, one)
	all := opteron()
	all.Links.Linked, all.Costs.Memory.Hop2 = "all", 0 // no such distance
	mustMulticore(t, all)
}
