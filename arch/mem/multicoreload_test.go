package mem

import (
	"fmt"
	"testing"

	"heddle/arch/net"
	"heddle/sim"
)

// stream has each core access so many lines one after the other, those of its
// own part of memory from base on, with so many accesses in flight, and returns
// the bytes that they moved and when the last was done.
func stream(m *Multicore, cores []int, base uint64, kind Kind, lines, inFlight int) (sim.Bytes, sim.Time) {
	return sim.Bytes(lines*len(cores)) * 64, streamFrom(m, 0, cores, base, kind, lines, inFlight)
}

// streamFrom is stream from a time on.
func streamFrom(m *Multicore, start sim.Time, cores []int, base uint64, kind Kind, lines, inFlight int) (end sim.Time) {
	type reader struct {
		slots slots
		next  uint64
		left  int
	}
	readers := make([]reader, len(cores))
	for i := range readers {
		readers[i] = reader{newSlots(inFlight), base + uint64(i)<<24, lines}
		for j := range readers[i].slots.free {
			readers[i].slots.free[j] = start
		}
	}
	end = start
	for range lines * len(cores) {
		first := -1
		for i := range readers {
			if readers[i].left > 0 && (first < 0 || readers[i].slots.first() < readers[first].slots.first()) {
				first = i
			}
		}
		r := &readers[first]
		r.left--
		at := r.slots.first()
		m.Advance(at)
		done := m.Port(cores[first]).Access(at, Access{Addr: r.next, Size: 8, Kind: kind, Array: 0})
		r.slots.take(done)
		r.next += 64
		end = max(end, done)
	}
	return end
}

// within holds a bandwidth against what is allowed: at most that, and not more
// than 5 % under.
func within(t *testing.T, what string, bytes sim.Bytes, elapsed sim.Time, allowed sim.Bandwidth) {
	t.Helper()
	if got := float64(bytes) / elapsed.Seconds(); got > float64(allowed) || got < float64(allowed)*0.95 {
		t.Errorf("%s: %.3g GB/s, not %.3g", what, got/1e9, float64(allowed)/1e9)
	}
}

// dieOf lists the cores of a die.
func dieOf(m *Multicore, die int) (cores []int) {
	for core := range m.Cores() {
		if m.Die(core) == die {
			cores = append(cores, core)
		}
	}
	return cores
}

// TestMulticoreBandwidth has all cores of a die stream from the memory of one
// die: controllers and links pass what they are configured to, and never more.
func TestMulticoreBandwidth(t *testing.T) {
	c := opteron()
	for _, s := range []struct {
		die     int
		allowed sim.Bandwidth
	}{{0, 11e9}, {1, 5.3e9}, {2, 2.8e9}, {3, 1.95e9}} {
		m := mustMulticore(t, c)
		if err := m.Place(1<<30, 1<<28, 0); err != nil {
			t.Fatal(err)
		}
		bytes, elapsed := stream(m, dieOf(m, s.die), 1<<30, Read, 3000, 8)
		distance := m.Distance(s.die, 0)
		within(t, distance.String(), bytes, elapsed, s.allowed)
		all := m.CoresOf(-1)
		if n := all.By(FromMemory + Source(distance)); sim.Bytes(n)*64 != bytes {
			t.Errorf("%v: %d lines from there", distance, n)
		}
	}
	// Lines that are dirty in the caches of a die one hop away take the link
	// and no memory.
	m := mustMulticore(t, c)
	stream(m, dieOf(m, 0), 1<<30, Write, 3000, 8)
	before := m.DieStats(-1).DRAM
	end := streamFrom(m, sim.Millisecond, dieOf(m, 2), 1<<30, Read, 3000, 8)
	within(t, "dirty lines", 6*3000*64, end-sim.Millisecond, 2.8e9)
	if readers := m.CoresOf(2); m.DieStats(-1).DRAM != before || readers.By(FromDirty+Source(net.OneHop)) != 6*3000 {
		t.Errorf("the lines came from elsewhere")
	}
	// One core with 4 lines in flight: Little's law, 4 x 64 bytes in 68 ns,
	// rows opened on the way or not.
	m = mustMulticore(t, c)
	bytes, elapsed := stream(m, []int{0}, 1<<30, Read, 3000, 4)
	if got := float64(bytes) / elapsed.Seconds(); got < 4*64/68e-9 || got > 4*64/58e-9 {
		t.Errorf("one core: %.3g GB/s", got/1e9)
	}
}

// TestMulticoreWriteBandwidth streams writes: each line is read, and later
// written back, so the controller passes two lines for each.
func TestMulticoreWriteBandwidth(t *testing.T) {
	c := opteron()
	c.L2.Size, c.L3.Size = 16*64, 40*64
	m := mustMulticore(t, c)
	bytes, elapsed := stream(m, dieOf(m, 0), 1<<30, Write, 8000, 8)
	held := sim.Bytes(6*(64<<10+16*64) + 40*64) // never written back
	within(t, "write", 2*bytes-held, elapsed, 11e9)
	d := m.DieStats(0)
	if got := sim.Bytes(d.Writes[0]) * 64; got != bytes-held {
		t.Errorf("wrote %d bytes back, not %d", got, bytes-held)
	}
}

// TestL3Bandwidth has all cores of a die stream from its L3.
func TestL3Bandwidth(t *testing.T) {
	m := mustMulticore(t, xeon())
	const lines = 16 << 10 // 1 MiB a core: beyond L2, within L3
	cores := dieOf(m, 0)
	_, filled := stream(m, cores, 1<<30, Read, lines, 10)
	before := m.DieStats(0).L3Busy
	warm := m.CoresOf(0)
	end := streamFrom(m, filled, cores, 1<<30, Read, lines, 10)
	// 10 lines in flight of 38 ns each are 67 GB/s over four cores: the port's
	// 60 GB/s rule.
	after := m.CoresOf(0)
	if n := after.By(FromL3) - warm.By(FromL3); n != lines*4 {
		t.Errorf("%d lines from L3, not %d", n, lines*4)
	}
	within(t, "L3", lines*4*64, end-filled, 60e9)
	if busy := m.DieStats(0).L3Busy - before; busy > end-filled {
		t.Errorf("busy for %d of %d", busy, end-filled)
	}
}

// TestMulticoreSpan accesses eight bytes over two lines.
func TestMulticoreSpan(t *testing.T) {
	m := mustMulticore(t, opteron())
	p := m.Port(0)
	p.Access(0, Access{Addr: 1 << 20, Size: 8})
	done := p.Access(sim.Microsecond, Access{Addr: 1<<20 + 60, Size: 8})
	s := m.CoreStats(0)
	if done <= sim.Microsecond+15*ns || s.Accesses() != 3 || s.By(FromMemory) != 2 || s.By(FromL1) != 1 {
		t.Errorf("done after %d, %d accesses, %d misses", done-sim.Microsecond, s.Accesses(), s.By(FromMemory))
	}
	if !p.InL1(1<<20+64) || p.InL1(1<<20+128) {
		t.Error("InL1 is wrong")
	}
}

// TestMulticoreConserves holds the counts of cores, arrays, dies, links and
// DRAM against each other after random traffic.
func TestMulticoreConserves(t *testing.T) {
	for _, config := range []MulticoreConfig{opteron(), xeon()} {
		config.L1.Size, config.L2.Size, config.L3.Size = 1<<10, 8<<10, 64<<10
		if config.L3.Ways == 40 {
			config.L3.Size = 40 * 1024
		}
		config.Placement = "interleaved"
		m := mustMulticore(t, config)
		x := uint64(1)
		n := int64(0)
		for i := range 20000 {
			x = x*6364136223846793005 + 1442695040888963407
			core := int(x>>33) % m.Cores()
			m.Port(core).Access(sim.Time(i)*10*ns, Access{Addr: x >> 45 << 3, Size: 8, Kind: Kind(x >> 60 % 3), Array: int16(x >> 45 & 1)})
			n++
		}
		all, dies := m.CoresOf(-1), m.DieStats(-1)
		a, b := m.ArrayStats(0), m.ArrayStats(1)
		a.Add(&b)
		if a != all.Served || all.Accesses() != n {
			t.Errorf("%d accesses of arrays, %d of cores, %d in all", a.Accesses(), all.Accesses(), n)
		}
		reads, writes := int64(0), int64(0)
		remote := int64(0)
		for d := range net.Distances {
			reads, writes = reads+dies.Reads[d], writes+dies.Writes[d]
			if d != net.SameDie {
				remote += dies.Reads[d] + dies.Writes[d]
			}
		}
		if reads != all.ByGroup(FromMemory) {
			t.Errorf("memory read %d lines for %d accesses", reads, all.ByGroup(FromMemory))
		}
		if dies.DRAM.Reads != reads || dies.DRAM.Writes != writes {
			t.Errorf("DRAM read %d and wrote %d bursts for %d and %d lines", dies.DRAM.Reads, dies.DRAM.Writes, reads, writes)
		}
		r0, w0 := m.ArrayBytes(0)
		r1, w1 := m.ArrayBytes(1)
		if int64(r0+r1) != reads*64 || int64(w0+w1) != writes*64 {
			t.Errorf("arrays: %d and %d bytes", r0+r1, w0+w1)
		}
		moved := sim.Bytes(0)
		for _, l := range m.Links() {
			moved += l.Bytes
		}
		if moved < sim.Bytes(remote)*64 {
			t.Errorf("links moved %d bytes for %d lines of remote memory", moved, remote)
		}
		if dies.L3Writebacks > writes || dies.L3Evictions < dies.L3Writebacks {
			t.Errorf("%d evictions and %d write-backs of L3, %d of memory", dies.L3Evictions, dies.L3Writebacks, writes)
		}
	}
}

// TestMulticoreDoesNotAllocate runs a machine whose lines have all been
// touched.
func TestMulticoreDoesNotAllocate(t *testing.T) {
	m := mustMulticore(t, opteron())
	x, at := uint64(1), sim.Time(0)
	run := func() {
		for range 1000 {
			x = x*6364136223846793005 + 1442695040888963407
			at += 20 * ns
			m.Advance(at)
			m.Port(int(x>>33)%48).Access(at, Access{Addr: x >> 40 << 6 & (1<<24 - 1), Size: 8, Kind: Kind(x >> 60 % 3)})
		}
	}
	for line := uint64(0); line < 1<<24; line += 64 {
		m.Port(0).Access(0, Access{Addr: line, Size: 8})
	}
	at = m.Port(0).Access(0, Access{Addr: 0, Size: 8})
	run()
	if n := testing.AllocsPerRun(5, run); n != 0 {
		t.Errorf("%g allocations in 1000 accesses", n)
	}
}

func BenchmarkMulticore(b *testing.B) {
	for _, config := range []struct {
		name string
		c    MulticoreConfig
	}{{"opteron", opteron()}, {"xeon", xeon()}} {
		for _, c := range []struct {
			name  string
			bytes uint64
			kind  Kind
			cores uint64   // a power of two
			gap   sim.Time // between accesses: no more than the machine can serve
		}{
			{"L1", 16 << 10, Read, 1, ns}, {"L1-write", 16 << 10, Write, 1, ns}, {"L2", 128 << 10, Read, 1, 5 * ns},
			{"L3", 3 << 20, Read, 1, 10 * ns}, {"memory", 64 << 20, Read, 1, 20 * ns},
			{"shared-read", 1 << 20, Read, 8, 20 * ns}, {"shared-write", 1 << 20, Write, 8, 40 * ns},
			{"contended", 64, Atomic, 8, 400 * ns},
		} {
			b.Run(fmt.Sprintf("%s/%s", config.name, c.name), func(b *testing.B) {
				m := mustMulticore(b, config.c)
				var at sim.Time
				for line := uint64(0); line < c.bytes; line += 64 {
					at += c.gap
					m.Advance(at)
					m.Port(0).Access(at, Access{Addr: line, Size: 8, Kind: c.kind})
				}
				x := uint64(1)
				b.ReportAllocs()
				for b.Loop() {
					x = x*6364136223846793005 + 1442695040888963407
					at += c.gap
					m.Advance(at)
					m.Port(int(x>>60&(c.cores-1))).Access(at, Access{Addr: x >> 30 & (c.bytes - 1) &^ 7, Size: 8, Kind: c.kind})
				}
			})
		}
	}
}

// TestAdvanceChangesNothing runs the same traffic with and without a word on
// what is over.
func TestAdvanceChangesNothing(t *testing.T) {
	for _, config := range []MulticoreConfig{opteron(), xeon()} {
		told, untold := mustMulticore(t, config), mustMulticore(t, config)
		x := uint64(1)
		for i := range 30000 {
			x = x*6364136223846793005 + 1442695040888963407
			at := sim.Time(i) * 8 * ns
			a := Access{Addr: x >> 43 << 3, Size: 8, Kind: Kind(x >> 60 % 3)}
			core := int(x>>33) % told.Cores()
			told.Advance(at)
			if p, q := told.Port(core).Access(at, a), untold.Port(core).Access(at, a); p != q {
				t.Fatalf("access %d is done at %d, or at %d", i, p, q)
			}
		}
	}
}
