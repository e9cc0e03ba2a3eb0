package models

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"heddle/sim"
)

// testMachine has a field of every kind that a description may hold.
type testMachine struct {
	Name     string                `yaml:"name" doc:"what reports call it"`
	Clock    sim.Frequency         `yaml:"clock" range:"1 MHz..10 GHz"`
	Warps    int                   `yaml:"warps" range:"1..64" unit:"warps"`
	Ratio    float64               `yaml:"ratio" range:"-1..1.5"`
	FullBits bool                  `yaml:"full-bits" optional:"true" doc:"words have a full/empty bit"`
	Dims     []int                 `yaml:"dims" range:"1..16" len:"1..3"`
	Latency  map[string]sim.Cycles `yaml:"latency" range:"1 cycle.."`
	L1       testCache             `yaml:"l1"`
	L2       *testCache            `yaml:"l2"`
	Levels   []testLevel           `yaml:"levels" optional:"true"`
	DRAM     testMemory            `yaml:"dram"`
}

type testCache struct {
	Size   sim.Bytes `yaml:"size" range:"1 KiB..1 GiB"`
	Line   sim.Bytes `yaml:"line" range:"32 B..256 B"`
	Ways   uint8     `yaml:"ways" range:"1.."`
	Policy string    `yaml:"policy" oneof:"lru fifo random" optional:"true"`
}

// Check wants whole sets.
func (c *testCache) Check(fault func(key, format string, args ...any)) {
	if way := c.Line * sim.Bytes(c.Ways); c.Size%way != 0 {
		fault("size", "%s is no multiple of line x ways, %s", Format(c.Size), Format(way))
	}
}

type testLevel struct {
	Name string `yaml:"name"`
	Ways int    `yaml:"ways"`
}

type testMemory struct {
	testTiming
	Bandwidth sim.Bandwidth `yaml:"bandwidth"`
	Banks     int           `yaml:"banks" oneof:"8 16"`
}

type testTiming struct {
	Latency sim.Time `yaml:"latency"`
}

const fermi = `# a comment that is no source
name: Fermi
clock: 1.15 GHz # [P] board specification
warps: 48 warps # [P] programming guide
ratio: -0.5 # [I] half of it, downwards
dims: [4, 4, 8] # [S] a simulator's configuration
latency:
  fadd: 18 cycles # [M] a microbenchmark
  imul: 1 cycle   # [R, I] recalled
l1:
  size: 48 KiB # [P] white paper
  line: 128 B  # [P] white paper
  ways: 6
  policy: lru
levels:
  - name: outer
    ways: 2 # one
  - {name: inner, ways: 3} # [M] two
dram:
  latency: 4.5 ns # [S] data sheet
  bandwidth: 144 GB/s # [P]
  banks: 8 # data sheet
`

// library holds fermi and the files given as name, text, ...
func library(files ...string) fstest.MapFS {
	fsys := fstest.MapFS{"fermi.yaml": {Data: []byte(fermi)}}
	for i := 0; i < len(files); i += 2 {
		fsys[files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
	}
	return fsys
}

// open returns the machine that text describes, as m.yaml.
func open(t *testing.T, text string) *Description {
	t.Helper()
	d, err := Open(library("m.yaml", text), "m")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// wantError checks that err says exactly the lines of want.
func wantError(t *testing.T, err error, want string) {
	t.Helper()
	want = strings.TrimSpace(want)
	if err == nil {
		t.Errorf("no error; want\n%s", want)
	} else if err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

// faults returns the single errors joined in err.
func faults(err error) []error {
	var joined interface{ Unwrap() []error }
	if errors.As(err, &joined) {
		return joined.Unwrap()
	}
	return []error{err}
}

// Machines name the schedule that their compilers choose; a GPU has a thread
// for each item.
func TestDefaultSchedule(t *testing.T) {
	for name, want := range map[string]string{
		"opteron-6176se": "static", "xeon-e5540": "static", "xeon-x5650": "static", "cray-xmt": "block-dynamic", "tesla-c2050": "", "functional": "",
	} {
		if got := build(t, name).DefaultSchedule(); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := build(t, "cray-xmt", "schedule=dynamic,20").DefaultSchedule(); got != "dynamic,20" {
		t.Errorf("overridden: %q", got)
	}
	_, err := Build(builtin(t, "xeon-e5540", "schedule=fastest"), Options{})
	if err == nil || !strings.Contains(err.Error(), `schedule: unknown schedule "fastest": one of cyclic, static, dynamic, guided, block-dynamic`) {
		t.Errorf("%v", err)
	}
}
