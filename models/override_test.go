package models

import (
	"slices"
	"strings"
	"testing"
)

func TestSet(t *testing.T) {
	d := open(t, fermi)
	untouched := d.Clone()
	before := d.YAML()
	if err := d.Override("l1.size=16 KiB", " l1.ways = 4", "dims=[2, 3]", "levels.1.ways=7",
		"l2={size: 1 MiB, line: 128 B, ways: 8}", "l1={policy: fifo}", "full-bits=on", "latency.imul=null"); err != nil {
		t.Fatal(err)
	}
	var m testMachine
	if err := d.Decode(&m); err != nil {
		t.Fatal(err)
	}
	if m.L1 != (testCache{16 << 10, 128, 4, "fifo"}) || *m.L2 != (testCache{1 << 20, 128, 8, ""}) ||
		!slices.Equal(m.Dims, []int{2, 3}) || m.Levels[1].Ways != 7 || !m.FullBits || len(m.Latency) != 1 {
		t.Errorf("overridden to %+v", m)
	}
	if untouched.YAML() != before {
		t.Error("Set changed a clone")
	}
}

// TestSetBuildsAnOptionalSection adds what no file has, key by key.
func TestSetBuildsAnOptionalSection(t *testing.T) {
	d := open(t, fermi)
	if err := d.Override("l2.size=1 MiB", "l2.line=128 B"); err != nil {
		t.Fatal(err)
	}
	wantError(t, d.Decode(new(testMachine)), `--set l2.ways: missing: a whole number in 1.. is wanted`)
	if err := d.Set("l2.ways", "16"); err != nil {
		t.Fatal(err)
	}
	if err := d.Decode(new(testMachine)); err != nil {
		t.Error(err)
	}
}

func TestUnknownOverridesNameTheNearestPath(t *testing.T) {
	for assignment, want := range map[string]string{
		"l1.siez=16 KiB":     "--set l1.siez: unknown key: nearest is l1.size",
		"size=16 KiB":        "--set size: unknown key: nearest is l1.size",
		"banks=16":           "--set banks: unknown key: nearest is dram.banks",
		"l2.waiz=16":         "--set l2.line: missing: a size in 32 B..256 B is wanted",
		"latncy.fadd=3":      "--set latncy.fadd: unknown key: nearest is latency.fadd",
		"levels.0.wayz=3":    "--set levels.0.wayz: unknown key: nearest is levels.0.ways",
		"x.y=1":              "--set x.y: unknown key: known here are name, clock, warps, ratio, full-bits, dims, latency, l1, l2, levels, dram",
		"l1={sise: 1, b: 2}": "--set l1.sise: unknown key: nearest is l1.size",
		"l1=16 KiB":          `--set l1: a section with size, line, ways, policy is wanted, not "16 KiB"`,
		"l1.size=16 KHz":     `--set l1.size: "16 KHz" is not a size: a number with B, KB, KiB, MB, MiB, GB, GiB, TB or TiB`,
		"l1.size=2 GiB":      "--set l1.size: 2 GiB is out of range 1 KiB..1 GiB",
		"warps=null":         "m.yaml: warps: missing: a whole number in 1..64 is wanted",
	} {
		d := open(t, fermi)
		if err := d.Override(assignment); err != nil {
			t.Errorf("%s: %v", assignment, err)
			continue
		}
		err := d.Decode(new(testMachine))
		if err == nil || !slices.Contains(strings.Split(err.Error(), "\n"), want) {
			t.Errorf("%s: got\n%v\nwant\n%s", assignment, err, want)
		}
	}
}

func TestSetRefuses(t *testing.T) {
	d := open(t, fermi)
	before := d.YAML()
	for _, c := range []struct{ assignment, want string }{
		{"l1.size", "--set l1.size: path=value is wanted, such as l1.size=16 KiB"},
		{"l1.size=", "--set l1.size: no value"},
		{"name=\x80", `--set name: "\x80" is not UTF-8`},
		{"=3", `--set: "" is not a key: letters, digits, - and _`},
		{"l1..size=3", `--set l1..size: "" is not a key: letters, digits, - and _`},
		{"l1 size=3", `--set l1 size: "l1 size" is not a key: letters, digits, - and _`},
		{"l1.size.x=3", "--set l1.size.x: l1.size is a value, not a section"},
		{"dims.3=1", "--set dims.3: dims is a list of 3, numbered from 0"},
		{"dims.-1=1", "--set dims.-1: dims is a list of 3, numbered from 0"},
		{"dims.01=1", "--set dims.01: dims is a list of 3, numbered from 0"},
		{"dims.x=1", "--set dims.x: dims is a list of 3, numbered from 0"},
		{"dims.0=null", "--set dims.0: an item of a list cannot be removed: give the whole list"},
		{"dims=[1", "--set dims: not YAML: did not find expected ',' or ']'"},
		{"dims=[1, &x 2]", "--set dims.1: anchors and aliases are not allowed: write the value out"},
		{"l1={size: }", "--set l1.size: no value"},
		{"l1={ways: 1, ways: 2}", "--set l1.ways: given twice"},
		{"l1={siez: null}", "--set l1.siez: nothing to remove"},
		{"l1.siez=null", "--set l1.siez: nothing to remove: nearest is l1.size"},
		{"l2.size=null", "--set l2.size: nothing to remove: nearest is l1.size"},
	} {
		wantError(t, d.Override(c.assignment), c.want)
	}
	err := d.Override("dims=", "nonsense", "l1.size.x=1")
	if len(faults(err)) != 3 {
		t.Errorf("three faults reported as %v", err)
	}
	if d.YAML() != before {
		t.Error("a refused Set changed the description")
	}
}
