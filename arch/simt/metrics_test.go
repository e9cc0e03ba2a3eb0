package simt

import (
	"math"
	"testing"

	"heddle/arch/isa"
	"heddle/arch/isa/isatest"
	"heddle/sim"

	"pgregory.net/rapid"
)

// metrics returns what the GPU reports, and checks that it is all of what it
// declares.
func (r *rig) metrics() map[string]float64 {
	r.t.Helper()
	v := sim.NewValues(Metrics)
	r.gpu.Report(v)
	if err := v.Err(); err != nil {
		r.t.Fatal(err)
	}
	if m := v.Missing(); len(m) > 0 {
		r.t.Fatalf("metrics declared and not reported: %v", m)
	}
	all := map[string]float64{}
	for x := range v.All() {
		all[x.Name] = x.X
	}
	return all
}

// checkRatios holds every ratio that the GPU reports against its range.
func checkRatios(t rapid.TB, r *rig) {
	t.Helper()
	c := &r.gpu.config
	values := r.metrics()
	stack := 0.0
	for _, m := range Metrics {
		x := values[m.Name]
		if math.IsNaN(x) { // a ratio of nothing
			if m.Kind != sim.Ratio {
				t.Errorf("%s is not a number", m.Name)
			}
			continue
		}
		if x < 0 || math.IsInf(x, 0) {
			t.Errorf("%s is %v", m.Name, x)
		}
		most := math.Inf(1)
		switch {
		case m.Name == "gld_efficiency" || m.Name == "gst_efficiency":
			most = 100 * float64(c.WarpWidth) // every lane wants the same word
		case m.Unit == "%":
			most = 100
		case m.Name == "ipc":
			most = float64(c.Scheduler.Count) / float64(c.Scheduler.Interval)
		case m.Name == "dram_read_throughput" || m.Name == "dram_write_throughput":
			most = values["dram_peak_throughput"]
		case m.Name == "gld_transactions_per_request" || m.Name == "gst_transactions_per_request":
			most = float64(c.WarpWidth)
		case m.Name == "l2_read_throughput" || m.Name == "l2_write_throughput":
			ports := min(c.SMs, c.DRAM.Channels*c.L2.SlicesPerChannel)
			most = float64(ports) * float64(r.gpu.memory.crossbar.PortBandwidth()) / 1e9
		}
		if x > most*(1+1e-12) {
			t.Errorf("%s is %v %s, at most %v", m.Name, x, m.Unit, most)
		}
		if m.Name == "issued" || len(m.Name) > 6 && m.Name[:6] == "stall_" {
			stack += x
		}
	}
	if math.Abs(stack-100) > 1e-9 {
		t.Errorf("stalls and issues are %v%% of resident time", stack)
	}
}

// Every metric that is declared is reported, also by a GPU that ran nothing:
// its counts are 0 and its ratios undefined.
func TestMetricsWithoutRun(t *testing.T) {
	if err := Metrics.Check(); err != nil {
		t.Error(err)
	}
	r := newRig(t, round())
	for _, m := range Metrics {
		x := r.metrics()[m.Name]
		switch m.Kind {
		case sim.Counter:
			if x != 0 {
				t.Errorf("%s is %v before the first run", m.Name, x)
			}
		case sim.Ratio:
			if !math.IsNaN(x) {
				t.Errorf("%s is %v before the first run, want none", m.Name, x)
			}
		}
	}
	for i := range NumStalls {
		if _, ok := r.metrics()["stall_"+i.String()]; !ok {
			t.Errorf("stall %v has no metric", i)
		}
	}
}

// The metrics of a copy are known beforehand.
func TestMetricsOfCopy(t *testing.T) {
	const n = 1 << 13 // 64 KiB each
	for _, l1 := range []bool{true, false} {
		r := newRig(t, with(func(c *Config) { c.SMs, c.L1.Enabled = 2, l1 }))
		took := r.run(streamCopy, n, 256, r.alloc("x", isa.I64, n), r.alloc("y", isa.I64, n), n)
		checkRatios(t, r)
		v := r.metrics()
		perRequest := 8.0 // sectors
		if l1 {
			perRequest = 2 // lines
		}
		seconds := float64(took) * 1e-9
		warps := n / 32.0
		for name, want := range map[string]float64{
			"kernels_launched": 1, "blocks_launched": n / 256, "warps_launched": warps,
			"gld_request": warps, "gst_request": warps, "atomic_request": 0, "shared_request": 0,
			"gld_transactions": warps * perRequest, "gst_transactions": warps * 8,
			"gld_transactions_per_request": perRequest, "gst_transactions_per_request": 8,
			"gld_efficiency": 100, "gst_efficiency": 100, "warp_execution_efficiency": 100, "branch_efficiency": 100,
			"gld_requested_throughput": 8 * n / seconds / 1e9, "gld_throughput": 8 * n / seconds / 1e9,
			"gst_throughput": 8 * n / seconds / 1e9, "l2_read_throughput": 8 * n / seconds / 1e9,
			"l2_write_throughput": 8 * n / seconds / 1e9,
			"dram_read_bytes":     8 * n, "dram_read_throughput": 8 * n / seconds / 1e9, "dram_peak_throughput": 32,
			"l2_reads": warps * perRequest, "l2_writes": warps * 8, "stall_sync": 0, "stall_full_empty": 0,
		} {
			if got := v[name]; math.Abs(got-want) > 1e-9*want {
				t.Errorf("L1 %v: %s is %v, want %v", l1, name, got, want)
			}
		}
		if rate := v["global_hit_rate"]; l1 && rate != 0 || !l1 && !math.IsNaN(rate) {
			t.Errorf("L1 %v: global_hit_rate is %v", l1, rate)
		}
	}
}

// Hit rates of reading what a cache holds twice: by one grid, which finds it in
// L1 the second time, and by two, between which L1 is emptied.
func TestHitRates(t *testing.T) {
	b := isa.NewBuilder("twice")
	x, out := b.Array("x", isa.I64), b.Array("out", isa.I64)
	first := b.Load(x, isa.ThreadID)
	again := b.Load(x, b.Add(isa.ThreadID, b.And(first, 0))) // after the first has landed
	b.If(b.Eq(again, 1), func() { b.Store(out, isa.ThreadID, again) })
	twice := b.MustBuild()

	r := newRig(t, round())
	data := r.alloc("x", isa.I64, 1024) // 8 KiB: 64 lines
	r.run(twice, 1024, 256, data, data)
	v := r.metrics()
	if v["global_hit_rate"] != 50 || v["l1_reads"] != 128 || v["l1_read_misses"] != 64 || v["l1_merges"] != 0 {
		t.Errorf("L1: hit rate %v%%, %v reads, %v misses, %v merges", v["global_hit_rate"], v["l1_reads"], v["l1_read_misses"], v["l1_merges"])
	}
	if v["l2_hit_rate"] != 0 || v["l2_misses"] != 64 {
		t.Errorf("L2: hit rate %v%%, %v misses", v["l2_hit_rate"], v["l2_misses"])
	}
	r.run(twice, 1024, 256, data, data)
	v = r.metrics()
	if v["global_hit_rate"] != 50 || v["l1_reads"] != 256 {
		t.Errorf("L1: hit rate %v%% of %v reads", v["global_hit_rate"], v["l1_reads"])
	}
	if v["l2_hit_rate"] != 50 || v["l2_reads"] != 128 {
		t.Errorf("L2: hit rate %v%% of %v reads", v["l2_hit_rate"], v["l2_reads"])
	}
}

// Stalls are charged to what the warp waited for.
func TestStallReasons(t *testing.T) {
	c := round()
	for _, test := range []struct {
		name   string
		lines  []string
		charge string // the instruction that is charged
		stall  Stall
		cycles sim.Cycles
	}{
		{"arithmetic", []string{"mul r0, %tid, 3", "add r0, r0, 1"}, "mul r0, %tid, 3", ExecutionDependency, c.Units.Mul.Latency - 1},
		{"branch", []string{"if 1", "mov r0, 1", "endif"}, "if 1", InstructionFetch, c.Units.Control.Latency - 1},
		{"load", []string{"ld.i64.shared r0, [0]", "add r0, r0, 1"}, "ld.i64.shared r0, [0]", MemoryDependency, c.LoadStore.SharedLatency - 1},
	} {
		r := newRig(t, c)
		p := isatest.Main(t, "shared 8", test.lines...)
		r.run(p, 32, 32)
		for pc, l := range r.gpu.Kernels()[0].Lines {
			inst := p.Disassemble(int32(pc))
			for s, d := range l.Stalls {
				want := sim.Cycles(0)
				switch {
				case inst == test.charge && Stall(s) == test.stall:
					want = test.cycles
				case inst == "ret" && Stall(s) == InstructionFetch:
					want = c.Units.Control.Latency - 1
				}
				if got := sim.Cycles(d / sim.Nanosecond); got != want {
					t.Errorf("%s: %v of %q: %d cycles, want %d", test.name, Stall(s), inst, got, want)
				}
			}
		}
	}
	// Two ready warps: one waits while the other issues; and for a unit that
	// takes a warp in four cycles.
	r := newRig(t, with(func(c *Config) { c.Units.Mul.Lanes = 8 }))
	r.run(isatest.Main(t, "", "mul r0, %tid, 3"), 64, 64)
	s := r.gpu.Stats()
	if got := s.Stalls[PipeBusy] / sim.Nanosecond; got != 3 {
		t.Errorf("pipe busy for %d cycles, want 3", got)
	}
	if got := s.Stalls[NotSelected] / sim.Nanosecond; got != 1 {
		t.Errorf("not selected for %d cycles, want 1", got)
	}
}

// A store that finds its line in an L1 that keeps it is no read that hits.
func TestHitRateLeavesStoresOut(t *testing.T) {
	r := newRig(t, with(func(c *Config) { c.L1.WriteHit = "update" }))
	r.run(isatest.Main(t, "param a i64[]", "ld.i64 r0, [$a]", "mov r0, r0", "st.i64 [$a + 8], r0", "ld.i64 r1, [$a]"), 1, 1, r.alloc("a", isa.I64, 16))
	v := r.metrics()
	if v["global_hit_rate"] != 50 || v["l1_reads"] != 2 || v["l1_read_misses"] != 1 {
		t.Errorf("hit rate %v%%, %v reads, %v misses; want 50%%, 2 and 1", v["global_hit_rate"], v["l1_reads"], v["l1_read_misses"])
	}
}

// Rows: of the bursts of one open row, the first alone opens it.
func TestRowHitRate(t *testing.T) {
	r := newRig(t, with(func(c *Config) { c.L1.Enabled = false }))
	p, next := chase(r, 16, 12, 1)
	r.run(p, 1, 1, next)
	if got, want := r.metrics()["dram_row_hit_rate"], 100*11.0/12; math.Abs(got-want) > 1e-9 {
		t.Errorf("row hit rate %v%%, want %v%%", got, want)
	}
}

// Issue slots, instructions a cycle, and the SMs' share of the time, of a
// chain of additions on one of two SMs.
func TestIssueMetrics(t *testing.T) {
	const n = 50
	r := newRig(t, with(func(c *Config) { c.SMs, c.Scheduler.Count, c.Scheduler.Interval = 2, 2, 2 }))
	took := float64(r.run(isatest.Main(t, "", "mov r0, 1", isatest.Repeat(n, "add r0, r0, 1")), 1, 1))
	v := r.metrics()
	for name, want := range map[string]float64{
		"inst_executed":          n + 2,
		"ipc":                    (n + 2) / took,
		"issue_slot_utilization": 100 * (n + 2) * 2 / (2 * took),
		"issued":                 100 * (n + 2) * 2 / took,
		"sm_efficiency":          50,
		"achieved_occupancy":     100 / 32.0,
	} {
		if math.Abs(v[name]-want) > 1e-9 {
			t.Errorf("%s is %v, want %v", name, v[name], want)
		}
	}
}
