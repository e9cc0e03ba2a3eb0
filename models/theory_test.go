package models

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"heddle/arch/isa"

	"pgregory.net/rapid"
)

func TestEveryFigureHasALaw(t *testing.T) {
	fields := reflect.VisibleFields(reflect.TypeFor[TheoryConfig]())
	for _, f := range fields {
		if key := f.Tag.Get("yaml"); gpuLaws[key].implied == nil || gpuLaws[key].formula == "" {
			t.Errorf("%s has no law", key)
		}
	}
	if len(gpuLaws) != len(fields) {
		t.Errorf("%d laws for %d figures", len(gpuLaws), len(fields))
	}
}

// TestTheoryOfTheC2050 works the figures out by hand from the data sheet's
// numbers.
func TestTheoryOfTheC2050(t *testing.T) {
	const core = 2.0            // shader cycles of a core cycle
	const command = 1150 / 750. // shader cycles of a command clock
	l1 := 20.0 + 25
	l2 := l1 + core*(30+1+67+30+4) // request with its header, lookup, reply of 136 bytes at 40 a cycle
	want := map[string]float64{
		"memory":           3072,
		"resident_threads": 1536,
		"full_registers":   20,                 // 21 need 704 a warp: 48 x 704 > 32768
		"f32_peak":         14 * 32 * 2 * 1.15, // a multiply-add a lane and cycle
		"f64_peak":         14 * 16 * 2 * 1.15, // half of it
		"l1_latency":       l1,
		"l2_latency":       l2,
		"dram_latency":     l2 + 281*1.15 + command*(12+12+4*2+3*1), // four bursts in one bank group
		"l2_size":          0.75,
		"l2_bandwidth":     12 * 128 / 4 * 0.575, // a line takes a port 4 cycles
		"dram_peak":        384. / 8 * 3,         // GB/s of pins at 3 Gb/s
		// 32 lines an SM, for as long as a miss of L1 takes.
		"dram_read":           14 * 32 * 128 * 1.15 / (l2 - l1 + 281*1.15 + command*35),
		"atomic_same_address": 10,
		"launch":              4,
		"copy":                5.75,
	}
	checks, err := builtin(t, "tesla-c2050").Theory()
	if err != nil || len(checks) != len(want) {
		t.Fatalf("%d checks, %v", len(checks), err)
	}
	for _, c := range checks {
		if math.Abs(c.Implied-want[c.Key]) > 1e-9*c.Implied {
			t.Errorf("%s, not %g", c, want[c.Key])
		}
		if !c.OK() || c.Meaning == "" || c.Unit == "" {
			t.Errorf("%+v", c)
		}
		if !math.IsNaN(c.Stated) && (c.Source.Tag == "" || c.Source.Comment == "") {
			t.Errorf("%s is stated without a source", c.Key)
		}
	}
}

func TestTheoryWithECC(t *testing.T) {
	for _, c := range theoryOf(builtin(t, "tesla-c2050-ecc").Theory()) {
		if c.Key == "memory" && c.Implied != 2688 || c.Key == "dram_peak" && c.Implied != 144 {
			t.Error(c)
		}
	}
	// With misses enough, it is the pins that limit: less refresh and check bits.
	for _, c := range theoryOf(builtin(t, "tesla-c2050-ecc", "l1.mshrs=1000", "l2.slice.mshrs=1000").Theory()) {
		if want := 144 * (1 - 49./2925) / 1.2; c.Key == "dram_read" && math.Abs(c.Implied-want) > 1e-9 {
			t.Errorf("%s, not %g", c, want)
		}
	}
}

func theoryOf(c []Check, err error) []Check {
	if err != nil {
		panic(err)
	}
	return c
}

// variant opens a machine that extends the C2050 by text.
func variant(t testing.TB, text string) *Description {
	t.Helper()
	files := library("v.yaml", "extends: tesla-c2050\n"+text)
	for _, name := range Names(Library) {
		data, err := Library.ReadFile(name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		files[name+".yaml"] = &fstest.MapFile{Data: data}
	}
	d, err := Open(files, "v")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestContradictionsAreRefused: a file that changes a part answers for the
// whole.
func TestContradictionsAreRefused(t *testing.T) {
	refuses := func(text, want string) {
		t.Helper()
		_, err := Build(variant(t, text), Options{})
		wantError(t, err, want)
	}
	line := map[string]int{}
	for _, s := range builtin(t, "tesla-c2050").Sources() {
		line[s.Path] = s.Line
	}
	refuses("sms: 16\n", fmt.Sprintf(`
tesla-c2050.yaml:%d: theory.f32_peak: 1030 Gflop/s is stated, give or take 0.1 %%, but 1178 Gflop/s follows from clock, sms, scheduler and units.f32: correct one of them, or drop this with null
tesla-c2050.yaml:%d: theory.f64_peak: 515 Gflop/s is stated, give or take 0.1 %%, but 588.8 Gflop/s follows from clock, sms, scheduler and units.f64: correct one of them, or drop this with null`,
		line["theory.f32_peak.value"], line["theory.f64_peak.value"]))
	refuses("theory: {dram_peak: {value: 148 GB/s}}\n",
		"v.yaml:2: theory.dram_peak: 148 GB/s is stated, give or take 0.1 %, but 144 GB/s follows from dram.clock, data_rate, bus and channels: correct one of them, or drop this with null")
	refuses("l2: {slice: {enabled: false}}\ntheory: {l2_latency: null, l2_bandwidth: null, dram_latency: null}\n", fmt.Sprintf(
		"tesla-c2050.yaml:%d: theory.l2_size: is stated, but the machine has no such thing: drop it with null", line["theory.l2_size.value"]))

	for _, text := range []string{
		"sms: 16\ntheory: {f32_peak: null, f64_peak: null}\n",
		"sms: 16\ntheory: {f32_peak: {value: 1178 Gflop/s}, f64_peak: {value: 588.8}}\n",
		"sms: 16\ntheory: {f32_peak: {tolerance: 0.15}, f64_peak: {tolerance: 0.15}}\n",
		"sms: 16\ntheory: null\n",
		"host: {launch: 7 us}\n", // as far as the source goes
	} {
		if _, err := Build(variant(t, text), Options{}); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	refuses("host: {launch: 7000001 ps}\n", fmt.Sprintf(
		"tesla-c2050.yaml:%d: theory.launch: 5 us is stated, give or take 40 %%, but 7 us follows from host.launch: correct one of them, or drop this with null", line["theory.launch.value"]))
}

// TestOverridesMayLeaveTheTheory: they are what-ifs, which Theory reports. What
// the files say is held to it all the same.
func TestOverridesMayLeaveTheTheory(t *testing.T) {
	for _, set := range []string{"sms=16", "theory.dram_peak.value=148 GB/s", "l1.enabled=false", "theory=null"} {
		build(t, "tesla-c2050", set)
	}
	wrong := map[string]bool{}
	for _, c := range theoryOf(builtin(t, "tesla-c2050", "sms=16", "dram.clock=1 GHz").Theory()) {
		wrong[c.Key] = !c.OK()
	}
	for key, is := range wrong {
		if want := key == "f32_peak" || key == "f64_peak" || key == "dram_peak" || key == "dram_latency"; is != want {
			t.Errorf("%s: wrong %v, want %v", key, is, want)
		}
	}
	d := variant(t, "sms: 16\n")
	if err := d.Set("sms", "14"); err != nil {
		t.Fatal(err)
	}
	if _, err := Build(d, Options{}); err == nil {
		t.Error("an override hides what the file contradicts")
	}
}

func TestFunctionalHasNoTheory(t *testing.T) {
	if c, err := builtin(t, "functional").Theory(); c != nil || err != nil {
		t.Errorf("%v, %v", c, err)
	}
	if _, err := Microbenchmarks(builtin(t, "functional")); err == nil {
		t.Error("microbenchmarks of a machine without time")
	}
}

// TestOccupancyAgreesWithTheSM draws limits and holds the closed formulas
// against what an SM admits.
func TestOccupancyAgreesWithTheSM(t *testing.T) {
	base := *decodeGPU(t, builtin(t, "tesla-c2050"))
	rapid.Check(t, func(r *rapid.T) {
		g := base
		o := &g.Occupancy
		g.Launch.BlockSize = rapid.IntRange(1, 1024).Draw(r, "block")
		o.Warps = rapid.IntRange(1, 64).Draw(r, "warps")
		o.Threads = rapid.IntRange(1, 2048).Draw(r, "threads")
		o.Blocks = rapid.IntRange(1, 16).Draw(r, "blocks")
		o.RegisterUnit = rapid.SampledFrom([]int{1, 64, 256, 512}).Draw(r, "unit")
		o.RegisterPer = rapid.SampledFrom([]string{"warp", "block"}).Draw(r, "per")
		// A program of a few registers and an SM with plenty.
		o.Registers = 1 << 24
		p := multiplyAdd(isa.F32, 4)
		blocks, _ := g.Limits(p, g.Launch.BlockSize)
		if got := g.residentThreads(); got != float64(blocks*g.Launch.BlockSize) {
			r.Fatalf("%g threads resident, not %d blocks of %d", got, blocks, g.Launch.BlockSize)
		}
		// As many registers as that program needs leave the SM full; with one
		// fewer in all, they do not.
		if blocks == 0 {
			return
		}
		need := p.Registers()
		o.RegistersPerThread = need
		warps := (g.Launch.BlockSize + 31) / 32
		each := up(need*32, o.RegisterUnit) * warps
		if o.RegisterPer == "block" {
			each = up(need*32*warps, o.RegisterUnit)
		}
		o.Registers = each * blocks
		if n, _ := g.Limits(p, g.Launch.BlockSize); n != blocks || g.fullRegisters() != float64(need) {
			r.Fatalf("%d blocks of %d, %g registers, not %d", n, blocks, g.fullRegisters(), need)
		}
		o.Registers--
		if n, _ := g.Limits(p, g.Launch.BlockSize); n != blocks-1 || g.fullRegisters() >= float64(need) {
			r.Fatalf("%d blocks of %d, %g registers", n, blocks, g.fullRegisters())
		}
	})
}

// TestLatenciesFollowTheFormulas draws latencies and geometries, and chases
// pointers: the simulation agrees with the closed formulas but for the edges of
// clocks.
func TestLatenciesFollowTheFormulas(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(values ...string) string { return values[r.IntN(len(values))] }
	for range 8 {
		n := func(least, most int) int { return least + r.IntN(most-least+1) }
		cycles := func(least, most int) string { return fmt.Sprintf("%d cycles", n(least, most)) }
		set := []string{
			"load_store.latency=" + cycles(0, 60), "l1.hit_latency=" + cycles(1, 60),
			"l1.enabled=" + pick("true", "true", "false"), "load_store.coalescing=" + pick("lines", "sectors"),
			"l1.sector=" + pick("32 B", "64 B", "128 B"), "l2.slice.sector=" + pick("32 B", "64 B"),
			"crossbar.request_latency=" + cycles(0, 60), "crossbar.reply_latency=" + cycles(0, 60),
			"crossbar.width=" + pick("8 B", "32 B", "40 B"), "crossbar.header=" + pick("0 B", "8 B"),
			"l2.slice.hit_latency=" + cycles(0, 100), "dram.tCL=" + cycles(2, 30), "dram.tRCD=" + cycles(2, 30),
			fmt.Sprintf("dram.controller_latency=%d ns", n(0, 400)), "dram.tRFC=0 cycles", "clock=" + pick("1 GHz", "1.15 GHz"),
			"dram.clock=" + pick("750 MHz", "1 GHz"), "dram.tCCDL=" + cycles(2, 4),
		}
		d := builtin(t, "tesla-c2050", set...)
		g := decodeGPU(t, d)
		for _, mb := range gpuMicrobenchmarks {
			if !strings.HasSuffix(mb.key, "_latency") {
				continue
			}
			want := gpuLaws[mb.key].implied(g)
			if math.IsNaN(want) {
				continue
			}
			b := gpuBench{bench: bench{d: d}, gpu: *g}
			got := mb.measure(&b)
			// A load is ready at an edge of the SM's clock, a packet leaves at
			// one of the crossbar's, DRAM begins at one of its own; each chain
			// ends at an edge too. A rounded period is off by less than a
			// millionth.
			cross := float64(g.Clock / g.Crossbar.Clock)
			rounding := 1e-6*want + (2+4*cross)/(longChain-shortChain)
			slack := rounding
			switch mb.key {
			case "l2_latency":
				slack += 1 + cross
			case "dram_latency":
				slack += 1 + 2*cross + float64(g.Clock/g.DRAM.Clock)
			}
			if b.err != nil || got < want-rounding || got > want+slack {
				t.Errorf("%s: %.2f cycles simulated, %.2f implied, %v, by %q", mb.key, got, want, b.err, set)
			}
		}
	}
}

func TestCheckIsTight(t *testing.T) {
	c := Check{Implied: 101, Stated: 100, Tolerance: 0.01}
	if !c.OK() {
		t.Error("at the tolerance")
	}
	if c.Implied = math.Nextafter(101, 102); c.OK() {
		t.Error("beyond the tolerance")
	}
	c.Stated = math.NaN()
	if !c.OK() {
		t.Error("nothing stated")
	}
}

func TestMeasurementIsHeldToWhatIsCited(t *testing.T) {
	m := Measurement{Simulated: 103, Implied: 90, Cited: 100, Tolerance: 0.03}
	if !m.OK() {
		t.Error("at the tolerance of the cited figure")
	}
	if m.Simulated = 103.1; m.OK() {
		t.Error("beyond it")
	}
	if m.Cited, m.Simulated = math.NaN(), 92; !m.OK() {
		t.Error("held to the implied figure")
	}
	if m.Simulated = 93; m.OK() {
		t.Error("beyond the implied figure")
	}
}
