package models

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"heddle/sim"
)

func TestDecode(t *testing.T) {
	d := open(t, "extends: fermi\nl2: {size: 768 KiB, line: 128 B, ways: 16}\nfull-bits: on\n")
	var got testMachine
	if err := d.Decode(&got); err != nil {
		t.Fatal(err)
	}
	want := testMachine{
		Name: "Fermi", Clock: 1.15e9, Warps: 48, Ratio: -0.5, FullBits: true, Dims: []int{4, 4, 8},
		Latency: map[string]sim.Cycles{"fadd": 18, "imul": 1},
		L1:      testCache{48 << 10, 128, 6, "lru"},
		L2:      &testCache{768 << 10, 128, 16, ""},
		Levels:  []testLevel{{"outer", 2}, {"inner", 3}},
		DRAM:    testMemory{testTiming{4_500_000}, 144e9, 8},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}

func TestDecodeReportsEveryFault(t *testing.T) {
	d := open(t, `clock: 1.15 GB
warps: 65
ratio: 2
full-bits: maybe
dims: [4, 0, 4, x]
latency:
  fadd: 0 cycles
  imul: 5
l1:
  siez: 48 KiB
  line: 128 KHz
  ways: 256
  policy: lro
l2: 16 KiB
levels: 3
dram:
  latency: [1 ns]
  bandwidth: {peak: 1 GB/s}
  banks: 12
colour: red
`)
	got := testMachine{Name: "untouched"}
	err := d.Decode(&got)
	wantError(t, err, `
m.yaml: name: missing: text is wanted
m.yaml:1: clock: "1.15 GB" is not a frequency: a number with Hz, kHz, MHz or GHz
m.yaml:2: warps: 65 is out of range 1..64
m.yaml:3: ratio: 2 is out of range -1..1.5
m.yaml:4: full-bits: "maybe" is not true, false, on or off
m.yaml:5: dims: 4 items: 1..3 are allowed
m.yaml:5: dims.1: 0 is out of range 1..16
m.yaml:5: dims.3: "x" is not a whole number
m.yaml:7: latency.fadd: 0 cycles is out of range 1 cycle..
m.yaml:8: latency.imul: "5" is not a number of cycles: a number with cycles
m.yaml:9: l1.size: missing: a size in 1 KiB..1 GiB is wanted
m.yaml:10: l1.siez: unknown key: nearest is l1.size
m.yaml:11: l1.line: "128 KHz" is not a size: a number with B, KB, KiB, MB, MiB, GB, GiB, TB or TiB
m.yaml:12: l1.ways: "256" is too large
m.yaml:13: l1.policy: "lro" is not lru, fifo or random: nearest is lru
m.yaml:14: l2: a section with size, line, ways, policy is wanted, not "16 KiB"
m.yaml:15: levels: a list is wanted, not "3"
m.yaml:17: dram.latency: a time is wanted, not a list
m.yaml:18: dram.bandwidth: a bandwidth is wanted, not a section
m.yaml:19: dram.banks: "12" is not 8 or 16
m.yaml:20: colour: unknown key: known here are name, clock, warps, ratio, full-bits, dims, latency, l1, l2, levels, dram
`)
	if got.Name != "untouched" {
		t.Errorf("a failed Decode left %+v", got)
	}
	for _, f := range faults(err) {
		var fault Fault
		if !errors.As(f, &fault) || fault.Path == "" {
			t.Errorf("%v is no Fault with a path", f)
		}
	}
}

// TestGatesAreTight takes each bound at its last allowed and first refused
// value.
func TestGatesAreTight(t *testing.T) {
	for _, c := range []struct {
		path, legal, illegal string
	}{
		{"clock", "1 MHz", "0.999999 MHz"},
		{"clock", "10 GHz", "10.000000001 GHz"},
		{"warps", "1 warp", "0"},
		{"warps", "64", "65 warps"},
		{"warps", "3e1", "3.5"},
		{"ratio", "-1", "-1.0001"},
		{"ratio", "1.5", "1.50000000000000000000001"},
		{"dims", "[1]", "[]"},
		{"dims", "[1, 16, 1]", "[1, 1, 1, 1]"},
		{"latency.fadd", "1 cycle", "0 cycles"},
		{"l1.size", "768 B", "767 B"}, // both below the range: replaced below
		{"l1.ways", "255", "256"},
		{"levels.0.ways", "0", "-1"},
		{"dram.banks", "16", "17"},
		{"dram.latency", "0 fs", "-1 fs"},
	} {
		if c.path == "l1.size" {
			c.legal, c.illegal = "3 KiB", "0.75 KiB"
		}
		for value, legal := range map[string]bool{c.legal: true, c.illegal: false} {
			d := open(t, fermi)
			if c.path == "l1.ways" { // whole sets
				if err := d.Set("l1.size", "32640 B"); err != nil {
					t.Fatal(err)
				}
			}
			if err := d.Set(c.path, value); err != nil {
				t.Fatal(err)
			}
			if err := d.Decode(new(testMachine)); (err == nil) != legal {
				t.Errorf("%s=%s: %v", c.path, value, err)
			}
		}
	}
}

func TestSectionsCheckThemselves(t *testing.T) {
	d := open(t, strings.Replace(fermi, "48 KiB", "47 KiB", 1))
	wantError(t, d.Decode(new(testMachine)), `m.yaml:11: l1.size: 47 KiB is no multiple of line x ways, 768 B`)

	// A section with another fault is not checked: its fields may be empty.
	d = open(t, strings.Replace(fermi, "ways: 6", "ways: 0", 1))
	wantError(t, d.Decode(new(testMachine)), `m.yaml:13: l1.ways: 0 is out of range 1..`)
}

func TestUnknownKeyInTheWrongSection(t *testing.T) {
	d := open(t, fermi+"banks: 8\n")
	wantError(t, d.Decode(new(testMachine)), `m.yaml:23: banks: unknown key: there is dram.banks`)
}

// letter is a value with a form of its own.
type letter byte

func (l *letter) UnmarshalText(text []byte) error {
	if len(text) != 1 {
		return fmt.Errorf("%q is not a letter", text)
	}
	*l = letter(text[0])
	return nil
}

func TestDecodeText(t *testing.T) {
	var got struct {
		One  letter `yaml:"one"`
		Note string `yaml:"note"`
	}
	if err := open(t, "one: x\nnote: |\n  two\n  lines\n").Decode(&got); err != nil || got.One != 'x' || got.Note != "two\nlines" {
		t.Errorf("%+v, %v", got, err)
	}
	wantError(t, open(t, "one: xy\nnote: null-like\n").Decode(&got), `m.yaml:1: one: "xy" is not a letter`)
}

func TestDecodeRefusesWrongTargets(t *testing.T) {
	d := open(t, "name: x\n")
	type loop struct {
		Next *loop `yaml:"next"`
	}
	for _, into := range []any{
		nil,
		testMachine{},
		(*testMachine)(nil),
		new(int),
		new(loop),
		new(struct{ Name string }),
		new(struct {
			Name chan int `yaml:"name"`
		}),
		new(struct {
			Name string `yaml:"name" range:"1..2"`
		}),
		new(struct {
			Name int `yaml:"name" range:"2..1"`
		}),
		new(struct {
			Name int `yaml:"name" range:".."`
		}),
		new(struct {
			Name int `yaml:"name" range:"one..two"`
		}),
		new(struct {
			Name sim.Bytes `yaml:"name" range:"1..2"`
		}),
		new(struct {
			Name sim.Bytes `yaml:"name" unit:"bytes"`
		}),
		new(struct {
			Name int `yaml:"name" oneof:"one two"`
		}),
		new(struct {
			Name int `yaml:"name" len:"1"`
		}),
		new(struct {
			Name []int `yaml:"name" len:"x"`
		}),
		new(struct {
			Name []*int `yaml:"name"`
		}),
		new(struct {
			Name **int `yaml:"name"`
		}),
		new(struct {
			Name testLevel `yaml:"name" range:"1..2"`
		}),
		new(struct {
			*testTiming
		}),
		new(struct {
			A string `yaml:"name"`
			B string `yaml:"name"`
		}),
	} {
		err := d.Decode(into)
		var fault Fault
		if err == nil || errors.As(err, &fault) || !strings.HasPrefix(err.Error(), "models: ") {
			t.Errorf("Decode(%T): %v", into, err)
		}
	}
}
