package experiments

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"heddle/experiments/study"
	"heddle/kernels"
	"heddle/models"
	"heddle/sim"
)

// sample is a result with a value in every place of the page.
func sample(t *testing.T) *Result {
	t.Helper()
	config, err := models.Open(models.Library, "tesla-c2050")
	if err != nil {
		t.Fatal(err)
	}
	metrics := sim.NewValues(models.Metrics()["simt"])
	for name, x := range map[string]float64{
		"achieved_occupancy": 37.25, "warp_execution_efficiency": 12.5, "sm_efficiency": 60, "ipc": 0.0745, "issue_slot_utilization": 7.5,
		"branch": 406_900, "branch_efficiency": 87.5, "dram_read_throughput": 20.25, "dram_write_throughput": 0.125,
		"dram_peak_throughput": 144, "dram_utilization": 14.1, "dram_row_hit_rate": math.NaN(),
		"l2_read_throughput": 44.4, "l2_write_throughput": 0.15, "l2_hit_rate": 55.5, "l2_reads": 753_000, "l2_writes": 28_300, "l2_atomics": 999,
		"global_hit_rate": math.NaN(), "l1_reads": 0,
	} {
		metrics.Set(name, x)
	}
	if err := metrics.Err(); err != nil {
		t.Fatal(err)
	}
	seconds, cycles, upload, download := 2.3326e-3, sim.Cycles(2_682_415), 591.25e-6, 21.4e-6
	return &Result{
		Kernel: "matching/ld", Machine: "tesla-c2050", Seed: 7,
		Graph: Graph{Name: "rmat-g:14", Vertices: 16_384, Edges: 129_013, Weights: randomWeights, MaxWeight: 16_384, Remarks: []string{"894 self-loops removed"}},
		Answer: Answer{Verified: true, Figures: []kernels.Figure{
			{Name: "cardinality", Unit: "edges", Value: int64(7_136)},
			{Name: "weight", Value: 98_360_642.0},
			{Name: "matched_percent", Unit: "%", Value: 87.109375},
			{Name: "queue_sizes", Unit: "vertices", Value: []int64{7_018, 3_646, 1_966, 1_102, 438, 78, 22, 8, 4, 2}},
			{Name: "levels", Value: []int64{1, 2}},
		}},
		Simulated: Simulated{Seconds: &seconds, Cycles: &cycles, Upload: &upload, Download: &download, Memory: 3_495_000},
		Host: Host{WallSeconds: 2.033, Instructions: 1_563_000, InstructionsPerSecond: 768_815, EventsPerSecond: 815_900,
			PeakRSS: 28_206_000, SetupSeconds: 0.05192, CheckSeconds: 0.007742},
		Metrics: metrics,
		Stalls:  Shares{{Name: "issued", Share: 0.008}, {Name: "memory_dependency", Share: 0.387}, {Name: "memory_throttle", Share: 0.605}, {Name: "sync", Share: 0}},
		Launches: []Launch{
			{Program: "matching/ld.find", Items: 16_384, Seconds: 478.5e-6, Instructions: 243_000, ThreadInstructions: 2_189_430},
			{Program: "matching/ld.extend", Items: 7_018, Seconds: 1.0e-3, Instructions: 900_000, ThreadInstructions: 2_700_000},
			{Program: "matching/ld.extend", Items: 3_646, Seconds: 0.6e-3, Instructions: 420_000, ThreadInstructions: 1_080_000},
		},
		Arrays: Arrays{
			{Name: "tail", Type: "i32", Elements: 1, Atomics: 10_600, Requested: 42_400, Moved: 473_000, DRAMRead: 256, DRAMWritten: 128,
				Levels: []study.Level{{Name: "l1"}, {Name: "l2", Accesses: 3_700, Hits: 3_696}}},
			{Name: "adjncy", Type: "i32", Elements: 258_026, Loads: 644_000, Requested: 2_580_000, Moved: 71_300_000, DRAMRead: 20_100_000,
				Levels: []study.Level{{Name: "l1", Accesses: 1000, Hits: 531}, {Name: "l2", Accesses: 469, Hits: 185}}},
		},
		HotWords: []HotWord{{Place: "tail[0]", Atomics: 10_600}, {Place: "level[12]", Atomics: 11}},
		Lines: []Line{
			{Program: "matching/ld.find", File: "no/such/kernel.go", Line: 86, Instructions: []string{"ld.f64 r9, [%weight + r3]", "lt r1, r2, r3"},
				Time: 0.371, Issued: 0.001, Stalls: Shares{{Name: "memory_dependency", Share: 0.1}, {Name: "memory_throttle", Share: 0.27}}},
			{Program: "matching/ld.extend", File: "no/such/kernel.go", Line: 7, Time: 0.01, Issued: 0.006, Stalls: Shares{{Name: "sync", Share: 0.004}},
				Instructions: []string{"an instruction that is so long that it has no place on a line of a hundred columns"}},
			{Program: "matching/ld.extend", File: "no/such/kernel.go", Line: 8, Time: 0.0001},
		},
		Config: config,
	}
}

const page = `matching/ld on tesla-c2050, rmat-g:14: 16,384 vertices, 129,013 edges, seed 7
NVIDIA Tesla C2050 (Fermi GF100)
rmat-g:14: random weights, 1 to 16,384
rmat-g:14: 894 self-loops removed

Answer: verified
  cardinality      7,136 edges
  weight           98,360,642
  matched_percent  87.1094 %
  queue_sizes      7,018 3,646 1,966 1,102 438 78 22 8 ... 2, 10 in all, vertices
  levels           1 2

Time: 2.333 ms, 2,682,415 cycles; copies to the machine before 591.2 us, back after 21.40 us
  program             launches   items  instructions  lanes      time   share
  matching/ld.find           1  16,384         243 k   9.01  478.5 us  20.5 %
  matching/ld.extend         2  10,664        1.32 M   2.86  1.600 ms  68.6 %
  between launches                                           254.1 us  10.9 %

Where the threads' time went
  issued              0.8 %  ▍
  memory_dependency  38.7 %  ███████████████████▍
  memory_throttle    60.5 %  ██████████████████████████████▎

Cores
  warps     37.2 % of the places taken; 12.5 % of the lanes active; SMs busy 60.0 % of the time
  issue     0.0745 instructions/cycle an SM; 7.5 % of the issue slots used
  branches  407 k issued; 87.5 % left one way by all lanes

Memory
  DRAM  20.2 GB/s read + 0.125 GB/s written, of 144 GB/s peak; buses busy 14.1 %
  L2    44.4 GB/s read, 0.150 GB/s written; hits 55.5 % of 753 k reads, 28.3 k writes, 999 atomics

Arrays by traffic: accesses of threads, bytes asked for, bytes that transactions moved
  array   elements  loads  stores  atomics     asked     moved  l1 hit  l2 hit  DRAM read  written
  adjncy   258,026  644 k       0        0  2.46 MiB  68.0 MiB  53.1 %  39.4 %   19.2 MiB      0 B
  tail           1      0       0   10.6 k  41.4 KiB   462 KiB       -  99.9 %      256 B    128 B

Most atomics: tail[0] 10.6 k, level[12] 11

Source lines by time: share, what it was spent on most
  37.1 %  memory_throttle  ld.find    no/such/kernel.go:86  ld.f64 r9, [%weight + r3]
   1.0 %  issued           ld.extend  no/such/kernel.go:7   an instruction that is so long that i...

Simulator: 2.033 s for 1.56 M instructions, 769 k instructions/s, 816 k events/s
  set-up 51.92 ms, check 7.742 ms; 26.9 MiB of memory at most, for 3.33 MiB of simulated arrays
`

// firstDifference returns the first line at which two texts differ.
func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return "got  " + g[i] + "\nwant " + w[i]
		}
	}
	return "one is longer"
}

func TestReport(t *testing.T) {
	var got bytes.Buffer
	if err := writeReport(&got, sample(t), false); err != nil {
		t.Fatal(err)
	}
	if got.String() != page {
		t.Errorf("%s\n\n%s", firstDifference(got.String(), page), got.String())
	}
}

func TestReportWidth(t *testing.T) {
	for line := range strings.SplitSeq(page, "\n") {
		if n := utf8.RuneCountInString(line); n > reportWidth {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

func TestReportInColor(t *testing.T) {
	r := sample(t)
	var plain, colored bytes.Buffer
	_ = writeReport(&plain, r, false)
	_ = writeReport(&colored, r, true)
	text := colored.String()
	for _, escape := range []string{"\x1b[1m", "\x1b[1;32m", "\x1b[0m"} {
		if !strings.Contains(text, escape) {
			t.Errorf("no %q", escape)
		}
		text = strings.ReplaceAll(text, escape, "")
	}
	if text != plain.String() {
		t.Error(firstDifference(text, plain.String()))
	}
}

// Shares of a run that did not end are of the time accounted for.
func TestEnd(t *testing.T) {
	r := Result{
		Stalls: Shares{{Name: "issued", Share: 0.5}, {Name: "sync", Share: 3.5}},
		Lines:  []Line{{Time: 3, Issued: 0.5, Stalls: Shares{{Name: "sync", Share: 2.5}}}, {Time: 1, Stalls: Shares{{Name: "sync", Share: 1}}}},
	}
	r.end(errors.New("why"))
	if r.Stalls[0].Share != 0.125 || r.Stalls[1].Share != 0.875 || r.Lines[0].Time != 0.75 || r.Lines[0].Issued != 0.125 ||
		r.Lines[0].Stalls[0].Share != 0.625 || r.Lines[1].Time != 0.25 || !r.Incomplete || r.Error != "why" {
		t.Errorf("%+v", r)
	}
}

func TestFormats(t *testing.T) {
	for got, want := range map[string]string{
		rough(0): "0", rough(999): "999", rough(1000): "1.00 k", rough(9_994): "9.99 k", rough(999_499): "999 k", rough(999_500): "1.00 M",
		rough(1.5): "1.50", rough(-2_000_000): "-2.00 M", rough(1e18): "1000 P", rough(math.NaN()): "-", rough(math.Inf(1)): "- P",
		size(0): "0 B", size(1023): "1,023 B", size(1024): "1.00 KiB", size(48 << 10): "48.0 KiB", size(3 << 40): "3.00 TiB",
		duration(0): "0 s", duration(1e-9): "1.000 ns", duration(0.9994e-6): "999.4 ns", duration(0.9996e-6): "0.9996 us", duration(12.346e-6): "12.35 us",
		duration(0.5): "500.0 ms", duration(1): "1.000 s", duration(12_345.6): "12346 s",
		percent(0.4999): "50.0 %", percent(math.NaN()): "-",
		digits(0.00012345, 3): "0.000123", digits(123456, 3): "123456", digits(1, 3): "1.00",
		bar(0, 10): "", bar(1, 3): "███", bar(0.5, 3): "█▌", bar(1.0/24, 3): "▏", bar(2, 3): "███", bar(math.NaN(), 3): "",
		count(1234567):   "1,234,567",
		cut("abcdef", 6): "abcdef", cut("abcdefg", 6): "abc...",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestFloatJSON(t *testing.T) {
	for x, want := range map[Float]string{0.5: "0.5", Float(math.Inf(1)): "null", Float(math.Inf(-1)): "null", 1e21: "1e+21"} {
		if got, err := x.MarshalJSON(); err != nil || string(got) != want {
			t.Errorf("%v: %s, %v", float64(x), got, err)
		}
	}
	if got, _ := Float(math.NaN()).MarshalJSON(); string(got) != "null" {
		t.Errorf("NaN: %s", got)
	}
}

// Source lines are found from any folder of the module.
func TestSources(t *testing.T) {
	if got := newSources().line("experiments/report_test.go", 1); got != "package experiments" {
		t.Errorf("%q", got)
	}
	t.Chdir(t.TempDir())
	s := newSources()
	if got := s.line("main.go", 1<<20); got != "" {
		t.Errorf("a line past the end: %q", got)
	}
	for _, file := range []string{"no/such.go", "experiments"} {
		if got := s.line(file, 1); got != "" {
			t.Errorf("%s: %q", file, got)
		}
	}
}

// Every figure of a machine's page is one that it counts: a name that it does
// not know would be left out in silence.
func TestReportRows(t *testing.T) {
	for kind, rows := range familyRows {
		known := map[string]bool{}
		for _, m := range models.Metrics()[kind] {
			known[m.Name] = true
			known[m.Name+".mean"] = m.Kind == sim.Distribution
		}
		for _, r := range append(rows.cores[:len(rows.cores):len(rows.cores)], rows.memory...) {
			for _, part := range r.parts {
				for piece := range strings.SplitSeq(part, "{") {
					name, _, isName := strings.Cut(piece, "}")
					if name = strings.TrimSuffix(name, "#"); isName && !known[name] {
						t.Errorf("%s, %s: no metric %s", kind, r.label, name)
					}
				}
			}
		}
	}
	for kind := range models.Metrics() {
		if len(familyRows[kind].cores) == 0 {
			t.Errorf("nothing to tell of the cores of a machine of kind %s", kind)
		}
	}
}

// A multicore's page speaks of cores, not of SMs, and has no copies.
func TestReportOfOtherMachines(t *testing.T) {
	for machine, wants := range map[string][]string{
		"xeon-e5540": {"instructions a cycle of all cores", "lines from caches of the die", "% mispredicted", "socket at "},
		"cray-xmt":   {"of a processor had a thread", "buffer hits ", "86.4 GB/s sustained", "waited for their word"},
	} {
		_, page, _ := heddle(t, "run", "matching/ld", "--machine", machine, "--graph", "rmat-g:7")
		for _, want := range wants {
			if !strings.Contains(page, want) {
				t.Errorf("%s: no %q in\n%s", machine, want, page)
			}
		}
		for _, bad := range []string{" an SM", "SMs", "warp", "copies"} {
			if strings.Contains(page, bad) {
				t.Errorf("%s: %q in\n%s", machine, bad, page)
			}
		}
	}
}
