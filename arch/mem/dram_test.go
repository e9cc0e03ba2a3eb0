package mem

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heddle/sim"
)

// ddr3 is one channel of 64 bits and eight banks with the timings of DDR3-1333
// (CL 10), but a command clock of 1 GHz, so that a cycle is a nanosecond. First
// come, first served; no refresh.
func ddr3() DRAMConfig {
	return DRAMConfig{
		Clock: 1e9, Channels: 1, Ranks: 1, Banks: 8, Groups: 1, RowBytes: 8192,
		Interleave: 64, BankInterleave: 8192, BusBytes: 8, BurstLength: 8, DataRate: 2,
		TRCD: 10, TRP: 10, TCL: 10, TCWL: 7, TRAS: 24, TRC: 34, TCCD: 4, TCCDL: 4,
		TRRD: 4, TFAW: 20, TWR: 10, TWTR: 5, TRTP: 5, TRTRS: 2,
		PagePolicy: "open",
	}
}

// Addresses of the first burst of a row of a bank of ddr3.
func inBank(bank, row uint64) uint64 { return bank*8192 + row*8*8192 }

func mustDRAM(t testing.TB, c DRAMConfig) *DRAM {
	t.Helper()
	d, err := NewDRAM("dram", c)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// request is an access of a burst, in a cycle, and the cycle in which it must
// be done.
type request struct {
	at   sim.Cycles
	kind Kind
	addr uint64
	done sim.Cycles
}

func TestDRAMTiming(t *testing.T) {
	const (
		rcd, rp, cl, cwl, ras, rc = 10, 10, 10, 7, 24, 34
		burst, wr, wtr, rtp, rtrs = 4, 10, 5, 5, 2
	)
	for _, c := range []struct {
		name     string
		set      func(*DRAMConfig)
		requests []request
	}{
		{"closed bank: tRCD + tCL + burst", nil, []request{
			{0, Read, 0, rcd + cl + burst},
		}},
		{"row hit: tCL + burst", nil, []request{
			{0, Read, 0, rcd + cl + burst},
			{100, Read, 64, 100 + cl + burst},
			{200, Write, 64, 200 + cwl + burst},
		}},
		{"row conflict: tRP + tRCD + tCL + burst", nil, []request{
			{0, Read, inBank(0, 0), rcd + cl + burst},
			{100, Read, inBank(0, 1), 100 + rp + rcd + cl + burst},
		}},
		{"no precharge before tRAS", func(c *DRAMConfig) { c.TRC = 0 }, []request{
			{0, Read, inBank(0, 0), rcd + cl + burst},
			{ras - 1, Read, inBank(0, 1), ras + rp + rcd + cl + burst},
		}},
		{"a precharge at tRAS", func(c *DRAMConfig) { c.TRC = 0 }, []request{
			{0, Read, inBank(0, 0), rcd + cl + burst},
			{ras, Read, inBank(0, 1), ras + rp + rcd + cl + burst},
			{300, Read, inBank(0, 0), 300 + rp + rcd + cl + burst},
			{300 + ras + 1, Read, inBank(0, 1), 300 + rp + ras + rp + rcd + cl + burst}, // activated at 300 + tRP
		}},
		{"no activate before tRC", func(c *DRAMConfig) { c.TRC = 50 }, []request{
			{0, Read, inBank(0, 0), rcd + cl + burst},
			{39, Read, inBank(0, 1), 50 + rcd + cl + burst},
			{89, Read, inBank(0, 2), 100 + rcd + cl + burst},
			{141, Read, inBank(0, 3), 151 + rcd + cl + burst}, // tRC is over: tRP counts
		}},
		{"no precharge before a read's tRTP", func(c *DRAMConfig) { c.TRC = 0 }, []request{
			{0, Read, inBank(0, 0), rcd + cl + burst},
			{100, Read, inBank(0, 0), 100 + cl + burst},
			{100 + rtp - 1, Read, inBank(0, 1), 100 + rtp + rp + rcd + cl + burst},
		}},
		{"nor before a write's tWR", func(c *DRAMConfig) { c.TRC = 0 }, []request{
			{0, Read, inBank(0, 0), rcd + cl + burst},
			{100, Write, inBank(0, 0), 100 + cwl + burst},
			{100 + cwl + burst + wr - 1, Read, inBank(0, 1), 100 + cwl + burst + wr + rp + rcd + cl + burst},
		}},
		{"column commands tCCD apart", func(c *DRAMConfig) { c.TCCD, c.TCCDL = 6, 6 }, []request{
			{0, Read, 0, rcd + cl + burst},
			{0, Read, 64, rcd + cl + 6 + burst},
			{rcd + 12, Read, 128, rcd + 12 + cl + burst}, // legal now
			{rcd + 17, Read, 192, rcd + 18 + cl + burst}, // a cycle early
		}},
		{"activates of a rank tRRD apart", func(c *DRAMConfig) { c.TFAW = 0 }, []request{
			{0, Read, inBank(0, 0), rcd + cl + burst},
			{4, Read, inBank(1, 0), 4 + rcd + cl + burst},
			{7, Read, inBank(2, 0), 8 + rcd + cl + burst},
		}},
		{"four activates in tFAW, no fifth", nil, []request{
			{0, Read, inBank(0, 0), rcd + cl + burst},
			{0, Read, inBank(1, 0), 5 + rcd + cl + burst},
			{0, Read, inBank(2, 0), 10 + rcd + cl + burst},
			{0, Read, inBank(3, 0), 15 + rcd + cl + burst},
			{19, Read, inBank(4, 0), 20 + rcd + cl + burst},
			{25, Read, inBank(5, 0), 25 + rcd + cl + burst},
		}},
		{"ranks activate apart", func(c *DRAMConfig) { c.Ranks, c.TFAW, c.TRRD, c.TRTRS = 2, 0, 20, 0 }, []request{
			{0, Read, inBank(0, 0), rcd + cl + burst},
			{0, Read, inBank(8, 0), rcd + cl + 2*burst}, // the other rank: only the data bus is shared
			{0, Read, inBank(1, 0), 20 + rcd + cl + burst},
		}},
		{"the bus idles tRTRS between ranks", func(c *DRAMConfig) { c.Ranks = 2 }, []request{
			{0, Read, inBank(0, 0), rcd + cl + burst},
			{0, Read, inBank(8, 0), rcd + cl + burst + rtrs + burst},
		}},
		{"but not between writes to two ranks", func(c *DRAMConfig) { c.Ranks = 2 }, []request{
			{0, Write, inBank(0, 0), rcd + cwl + burst},
			{0, Write, inBank(8, 0), rcd + cwl + burst + burst},
		}},
		{"a write's tWTR before a read", nil, []request{
			{0, Read, 0, rcd + cl + burst},
			{100, Write, 0, 100 + cwl + burst},
			{100 + cwl + burst + wtr - 1, Read, 64, 100 + cwl + burst + wtr + cl + burst},
			{150, Write, 0, 150 + cwl + burst},
			{150, Read, 64, 150 + cwl + burst + wtr + cl + burst},
			{200, Write, 0, 200 + cwl + burst},
			{200 + cwl + burst + wtr + 1, Read, 64, 200 + cwl + burst + wtr + 1 + cl + burst},
		}},
		{"a read's data, tRTRS, then a write's", nil, []request{
			{0, Read, 0, rcd + cl + burst},
			{100, Read, 0, 100 + cl + burst},
			{100 + cl + burst + rtrs - cwl - 1, Write, 64, 100 + cl + burst + rtrs + burst},
			{200, Read, 0, 200 + cl + burst},
			{200 + cl + burst + rtrs - cwl + 1, Write, 64, 200 + cl + burst + rtrs + 1 + burst},
		}},
		{"closed page: every access activates, tRC apart", func(c *DRAMConfig) { c.PagePolicy = "closed" }, []request{
			{0, Read, 0, rcd + cl + burst},
			{rc - 1, Read, 64, rc + rcd + cl + burst},
			{2 * rc, Read, 64, 2*rc + rcd + cl + burst},
			{200, Write, 64, 200 + rcd + cwl + burst},
			{200, Read, 64, 200 + rcd + cwl + burst + wr + rp + rcd + cl + burst},
		}},
		{"an idle row is closed, and precharged meanwhile", func(c *DRAMConfig) { c.IdleClose = 100 }, []request{
			{0, Read, inBank(0, 0), rcd + cl + burst},
			{rcd + 100, Read, inBank(0, 0), rcd + 100 + cl + burst},            // still open, for 100 cycles more
			{rcd + 201, Read, inBank(0, 1), rcd + 200 + rp + rcd + cl + burst}, // a cycle after it began to close
			{rcd + 500, Read, inBank(0, 1), rcd + 500 + rcd + cl + burst},
		}},
		{"the controller's latency comes on top", func(c *DRAMConfig) { c.ControllerLatency = 30 * cycle }, []request{
			{0, Read, 0, 30 + rcd + cl + burst},
			{100, Read, 0, 130 + cl + burst},
		}},
		{"bank groups: tCCDL within one, tCCD between", func(c *DRAMConfig) {
			c.Groups, c.TCCDL, c.BankInterleave, c.TFAW, c.TRRD = 2, 7, 64, 0, 0
		}, []request{
			{0, Read, 0, rcd + cl + burst},
			{0, Read, 64, rcd + cl + 2*burst}, // the other group
			{100, Read, 0, 100 + cl + burst},
			{106, Read, 128, 107 + cl + burst}, // the same group, a cycle early
			{107, Read, 64, 107 + cl + 2*burst},
		}},
		{"an atomic reads and then writes", nil, []request{
			{0, Atomic, 0, rcd + cl + burst},
			// The next may read tWTR after its write's data.
			{0, Atomic, 0, rcd + cl + burst + cwl + burst + wtr + cl + burst},
		}},
		{"check bits lengthen the burst, and a part of one is rewritten", func(c *DRAMConfig) {
			c.ECC = ECCConfig{Enabled: true, Overhead: 0.25}
		}, []request{
			{0, Read, 0, rcd + cl + 5},
			{0, Read, 64, rcd + cl + 10},
			{100, Write, 0, 100 + cwl + 5},
			{200, Write, 1, 200 + cl + 5 + cwl + 5}, // a part: read, then written
		}},
		{"a refresh delays the rank tRFC every tREFI", func(c *DRAMConfig) { c.TREFI, c.TRFC = 1000, 60 }, []request{
			{999, Read, 0, 999 + rcd + cl + burst},
			{1000, Read, 64, 1060 + rcd + cl + burst}, // and closes its rows
			{1100, Read, 64, 1100 + cl + burst},
			{2059, Read, 64, 2060 + rcd + cl + burst},
			{3060, Read, 64, 3060 + rcd + cl + burst},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := ddr3()
			if c.set != nil {
				c.set(&cfg)
			}
			d := mustDRAM(t, cfg)
			for i, r := range c.requests {
				size := int32(64)
				if r.addr%64 != 0 {
					size = 8 // a part of a burst
				}
				done := d.Access(sim.Time(r.at)*cycle, Access{Addr: r.addr, Size: size, Kind: r.kind})
				if done != sim.Time(r.done)*cycle {
					t.Errorf("request %d, %v at %#x in cycle %d: done in cycle %v, want %d",
						i, r.kind, r.addr, r.at, float64(done)/float64(cycle), r.done)
				}
			}
		})
	}
}

func TestReorderWindow(t *testing.T) {
	for _, c := range []struct {
		policy  string
		reorder sim.Cycles
		again   sim.Cycles
		hit     bool
	}{
		{"open", 50, 60, true},  // the row's last column command was in cycle 10
		{"open", 50, 61, false}, // a cycle too late
		{"open", 0, 11, false},
		{"closed", 50, 60, false},
	} {
		cfg := ddr3()
		cfg.PagePolicy, cfg.Reorder = c.policy, c.reorder
		d := mustDRAM(t, cfg)
		d.Access(0, Access{Addr: inBank(0, 0), Size: 64})
		d.Access(5*cycle, Access{Addr: inBank(0, 1), Size: 64})
		done := d.Access(sim.Time(c.again)*cycle, Access{Addr: inBank(0, 0), Size: 64})
		if hit := d.Stats().RowHits == 1; hit != c.hit {
			t.Errorf("%s page, reorder %d: back to a row in cycle %d: hit %v, want %v", c.policy, c.reorder, c.again, hit, c.hit)
		}
		if c.hit && done != sim.Time(c.again+10+4)*cycle {
			t.Errorf("a reordered hit is done in cycle %d, want %d", done/cycle, c.again+14)
		}
	}
}

func TestBusTurnsOnceInAReorderWindow(t *testing.T) {
	for reorder, want := range map[sim.Cycles]sim.Time{
		0:    10 * (2 + 5 + 10) * cycle, // each time tRTRS, and tWTR + tCL
		1000: (5 + 10) * cycle,
	} {
		cfg := ddr3()
		cfg.Reorder = reorder
		d := mustDRAM(t, cfg)
		d.Access(0, Access{Addr: 0, Size: 64, Kind: Write})
		for range 10 {
			d.Access(100*cycle, Access{Addr: 0, Size: 64})
			d.Access(100*cycle, Access{Addr: 64, Size: 64, Kind: Write})
		}
		if got := d.Stats().Turning; got != want {
			t.Errorf("reorder %d: the bus turned for %d cycles, want %d", reorder, got/cycle, want/cycle)
		}
	}
}

func TestStreamingReachesPeak(t *testing.T) {
	cfg := ddr3()
	cfg.Channels, cfg.Interleave = 3, 256
	d := mustDRAM(t, cfg)
	const n = 30000
	var end sim.Time
	for i := range uint64(n) {
		end = max(end, d.Access(0, Access{Addr: i * 64, Size: 64}))
	}
	s := d.Stats()
	peak := cfg.Peak()
	if want := sim.Bandwidth(3 * 8 * 2 * 1e9); peak != want {
		t.Errorf("peak %g B/s, want %g", float64(peak), float64(want))
	}
	// All but the first access of each channel overlap.
	if want := 24*cycle + n/3*4*cycle - 4*cycle; end != want {
		t.Errorf("%d bursts end in cycle %d, want %d", n, end/cycle, want/cycle)
	}
	if got := s.Bandwidth(end) / peak; got < 0.999 || got > 1 {
		t.Errorf("streaming reaches %.4f of peak", got)
	}
	if s.Busy != n*4*cycle || s.Bytes != n*64 {
		t.Errorf("busy %d cycles, %d bytes; want %d, %d", s.Busy/cycle, s.Bytes, n*4, n*64)
	}
	if got, want := d.Config().Unloaded(), 24*cycle; got != want {
		t.Errorf("unloaded latency %d, want %d", got, want)
	}
}

// Rates that follow from one timing each.
func TestDRAMRates(t *testing.T) {
	for _, c := range []struct {
		name string
		set  func(*DRAMConfig)
		addr func(i uint64) uint64
		want float64 // cycles a burst
	}{
		{"one bank, other rows: tRC", nil, func(i uint64) uint64 { return inBank(0, i) }, 34},
		{"all banks, other rows: tFAW/4", nil, func(i uint64) uint64 { return inBank(i%8, i/8) }, 5},
		{"the same, closed page", func(c *DRAMConfig) { c.PagePolicy = "closed" },
			func(i uint64) uint64 { return inBank(i%8, i/8) }, 5},
		{"four banks: tRC/4", nil, func(i uint64) uint64 { return inBank(i%4, i/4) }, 8.5},
		{"refreshes take tRFC of tREFI", func(c *DRAMConfig) { c.TREFI, c.TRFC = 10000, 2000 },
			func(i uint64) uint64 { return inBank(0, i) }, 34 / 0.8},
		{"one bank group: tCCDL", func(c *DRAMConfig) { c.Groups, c.TCCDL, c.BankInterleave = 4, 6, 64 },
			func(i uint64) uint64 { return i * 256 % 65536 }, 6},
		{"all bank groups in turn: tCCD", func(c *DRAMConfig) { c.Groups, c.TCCDL, c.BankInterleave = 4, 6, 64 },
			func(i uint64) uint64 { return i * 64 % 65536 }, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := ddr3()
			if c.set != nil {
				c.set(&cfg)
			}
			d := mustDRAM(t, cfg)
			const n = 40000
			var end sim.Time
			for i := range uint64(n) {
				// A queue of 32 requests: the next one comes when one leaves.
				end = max(end, d.Access(max(0, end-32*4*cycle), Access{Addr: c.addr(i), Size: 64}))
			}
			got := float64(end) / float64(cycle) / n
			if got < c.want*0.99 || got > c.want*1.01 {
				t.Errorf("%.3f cycles a burst, want %.3f", got, c.want)
			}
		})
	}
}

// TestDRAMMapIsOneToOne checks that every burst has a place of its own and
// that a row holds as many bursts as fit in it.
func TestDRAMMapIsOneToOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := ddr3()
		cfg.Channels = rapid.IntRange(1, 7).Draw(t, "channels")
		cfg.Ranks = rapid.IntRange(1, 3).Draw(t, "ranks")
		cfg.Banks = rapid.SampledFrom([]int{4, 8}).Draw(t, "banks")
		cfg.Groups = rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "groups")
		cfg.RowBytes = 1024
		cfg.BankInterleave = sim.Bytes(rapid.SampledFrom([]int{64, 256, 1024}).Draw(t, "bank_interleave"))
		cfg.Interleave = sim.Bytes(rapid.SampledFrom([]int{64, 256, 4096}).Draw(t, "interleave"))
		cfg.ChannelHash = rapid.Bool().Draw(t, "channel_hash")
		cfg.BankHash = rapid.Bool().Draw(t, "bank_hash")
		d, err := NewDRAM("d", cfg)
		if err != nil {
			t.Fatal(err)
		}
		// Whole turns round the channels, and whole rows of all banks.
		bytes := uint64(8 * 4096 * cfg.Channels * cfg.Ranks)
		rows := map[[3]uint64]int{}
		local := map[[2]uint64]bool{}
		for addr := uint64(0); addr < bytes; addr += 64 {
			p := d.where.place(addr)
			if p.rank >= cfg.Ranks || p.bank/cfg.Banks != p.rank || p.group/cfg.Groups != p.rank || p.bank%cfg.Groups != p.group%cfg.Groups {
				t.Fatalf("%#x: place %+v does not fit together", addr, p)
			}
			rows[[3]uint64{uint64(p.channel), uint64(p.bank), p.row}]++
			c, l := d.where.channel(addr)
			local[[2]uint64{uint64(c), l}] = true
		}
		if want := int(bytes / 64); len(local) != want {
			t.Fatalf("%d bursts have %d places in the channels", want, len(local))
		}
		for row, n := range rows {
			if n != 1024/64 {
				t.Fatalf("row %v holds %d bursts, want %d", row, n, 1024/64)
			}
		}
	})
}

func TestChannelHashSpreadsStrides(t *testing.T) {
	cfg := ddr3()
	cfg.Channels, cfg.Interleave = 8, 256
	for _, hash := range []bool{false, true} {
		cfg.ChannelHash = hash
		d := mustDRAM(t, cfg)
		for shift := 11; shift < 20; shift++ {
			count := make([]int, 8)
			for i := range uint64(512) {
				count[d.where.place(i<<shift).channel]++
			}
			if worst := slices.Max(count); hash && worst > 128 || !hash && worst != 512 {
				t.Errorf("hash %v: with stride 2^%d one channel of 8 gets %d of 512", hash, shift, worst)
			}
		}
	}
}

func TestDRAMConservation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := ddr3()
		cfg.Channels = rapid.IntRange(1, 3).Draw(t, "channels")
		cfg.Ranks = rapid.IntRange(1, 2).Draw(t, "ranks")
		cfg.PagePolicy = rapid.SampledFrom([]string{"open", "closed"}).Draw(t, "policy")
		cfg.Reorder = sim.Cycles(rapid.SampledFrom([]int{0, 50}).Draw(t, "reorder"))
		cfg.TREFI, cfg.TRFC = sim.Cycles(rapid.SampledFrom([]int{0, 200}).Draw(t, "tREFI")), 60
		cfg.ECC.Enabled = rapid.Bool().Draw(t, "ecc")
		cfg.BankHash = rapid.Bool().Draw(t, "bank_hash")
		d, err := NewDRAM("d", cfg)
		if err != nil {
			t.Fatal(err)
		}
		at, first, last := sim.Time(0), sim.Never, sim.Time(0)
		var asked sim.Bytes
		for range 60 {
			at = max(0, at+sim.Time(rapid.IntRange(-100, 200).Draw(t, "step"))*cycle/4)
			a := Access{
				Addr: rapid.Uint64Range(0, 1<<17).Draw(t, "addr"), Size: rapid.Int32Range(1, 200).Draw(t, "size"),
				Kind: Kind(rapid.IntRange(0, 2).Draw(t, "kind")), Array: rapid.Int16Range(-1, 3).Draw(t, "array"),
			}
			done := d.Access(at, a)
			if least := at + min(cfg.tcl(), cfg.tcwl()) + 4*cycle; done < least {
				t.Fatalf("%+v at %d done at %d, before %d", a, at, done, least)
			}
			first, last = min(first, at), max(last, done)
			asked += sim.Bytes(a.Size)
			if a.Kind == Atomic {
				asked += sim.Bytes(a.Size)
			}
		}
		s := d.Stats()
		if s.RowHits+s.RowMisses+s.RowConflicts != s.Reads+s.Writes {
			t.Fatalf("%+v: hits, misses and conflicts do not add up to bursts", s)
		}
		if s.Bytes != 64*sim.Bytes(s.Reads+s.Writes) || s.Bytes < asked {
			t.Fatalf("%+v: %d bytes were asked for", s, asked)
		}
		var sum sim.Bytes
		for id := -1; id <= 3; id++ {
			r, w := d.ArrayBytes(id)
			sum += r + w
		}
		if sum != asked {
			t.Fatalf("arrays asked for %d bytes, want %d", sum, asked)
		}
		// An atomic's write may end after what Access returns.
		if s.Bandwidth(last-first+100*cycle) > cfg.Peak() {
			t.Fatalf("%g B/s is over the peak", float64(s.Bandwidth(last-first)))
		}
	})
}

func (c DRAMConfig) tcl() sim.Time  { return sim.NewClock(c.Clock).Span(c.TCL) }
func (c DRAMConfig) tcwl() sim.Time { return sim.NewClock(c.Clock).Span(c.TCWL) }

func TestDRAMConfigFaultsNameTheKey(t *testing.T) {
	for _, c := range []struct {
		set  func(*DRAMConfig)
		want string
	}{
		{func(c *DRAMConfig) { c.Channels = 0 }, "channels: 0 is less than 1"},
		{func(c *DRAMConfig) { c.Clock = 0 }, "clock: 0 Hz is not positive"},
		{func(c *DRAMConfig) { c.Banks = 6 }, "banks: 6 is not a power of two"},
		{func(c *DRAMConfig) { c.Groups = 3 }, "bank_groups: 3 does not divide banks (8)"},
		{func(c *DRAMConfig) { c.Interleave = 96 }, "interleave: 96 bytes is not a multiple of a burst (64 bytes)"},
		{func(c *DRAMConfig) { c.BankInterleave = 3 * 64 }, "bank_interleave: 192 bytes"},
		{func(c *DRAMConfig) { c.BurstLength = 7 }, "burst_length: a burst of 56 bytes"},
		{func(c *DRAMConfig) { c.DataRate = 3 }, "burst_length: 8 is not a multiple of data_rate (3)"},
		{func(c *DRAMConfig) { c.TREFI, c.TRFC = 100, 100 }, "tRFC: 100 cycles is not less than tREFI (100)"},
		{func(c *DRAMConfig) { c.TFAW = -1 }, "tFAW: -1 is negative"},
		{func(c *DRAMConfig) { c.Reorder, c.IdleClose = 200, 199 }, `idle_close: 199 cycles are fewer than reorder (200)`},
		{func(c *DRAMConfig) { c.PagePolicy = "shut" }, `page_policy: "shut" is not one of open, closed`},
		{func(c *DRAMConfig) { c.ECC.Overhead = 2 }, "ecc.overhead: 2 is not in 0..1"},
	} {
		cfg := ddr3()
		c.set(&cfg)
		if _, err := NewDRAM("gddr", cfg); err == nil || !strings.HasPrefix(err.Error(), "DRAM gddr: "+c.want) {
			t.Errorf("got %v, want DRAM gddr: %s", err, c.want)
		}
	}
}

func BenchmarkDRAM(b *testing.B) {
	for name, stride := range map[string]uint64{"stream": 64, "random": 0} {
		b.Run(name, func(b *testing.B) {
			cfg := ddr3()
			cfg.Channels, cfg.Interleave, cfg.Reorder, cfg.TREFI, cfg.TRFC = 6, 256, 100, 5200, 74
			d := mustDRAM(b, cfg)
			var at sim.Time
			x, i := uint64(1), uint64(0)
			b.ReportAllocs()
			for b.Loop() {
				addr := i * stride
				if stride == 0 {
					x = x*6364136223846793005 + 1442695040888963407
					addr = x >> 34
				}
				d.Access(at, Access{Addr: addr, Size: 64})
				at += 2 * cycle
				i++
			}
		})
	}
}
