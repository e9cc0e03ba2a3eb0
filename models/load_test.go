package models

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"heddle/sim"
)

func TestExtendsMergesFromTheRootDown(t *testing.T) {
	fsys := library(
		"big.yaml", "extends: fermi\nl1:\n  size: 96 KiB\n  ways: 12\nlatency:\n  fadd: 20 cycles\n  sqrt: 30 cycles\ndims: [2]\n",
		"bigger.yaml", "extends: big\nl1:\n  size: 192 KiB\n  policy: null\nlevels: null\n",
	)
	d, err := Open(fsys, "bigger")
	if err != nil {
		t.Fatal(err)
	}
	var m testMachine
	if err := d.Decode(&m); err != nil {
		t.Fatal(err)
	}
	if want := (testCache{192 << 10, 128, 12, ""}); m.L1 != want {
		t.Errorf("l1 = %+v, want %+v", m.L1, want)
	}
	if want := map[string]sim.Cycles{"fadd": 20, "imul": 1, "sqrt": 30}; len(m.Latency) != 3 ||
		m.Latency["fadd"] != 20 || m.Latency["imul"] != 1 || m.Latency["sqrt"] != 30 {
		t.Errorf("latency = %v, want %v", m.Latency, want)
	}
	if !slices.Equal(m.Dims, []int{2}) || m.Levels != nil || m.Name != "Fermi" {
		t.Errorf("dims = %v, levels = %v, name = %s", m.Dims, m.Levels, m.Name)
	}
	if want := []string{"bigger.yaml", "big.yaml", "fermi.yaml"}; !slices.Equal(d.Files(), want) || d.Name() != "bigger" {
		t.Errorf("%s from %v, want %v", d.Name(), d.Files(), want)
	}
	if text, ok := d.Value("l1.line"); text != "128 B" || !ok {
		t.Errorf("Value(l1.line) = %q, %v", text, ok)
	}
	for _, path := range []string{"l1", "l1.policy", "", "l1.line.x"} {
		if text, ok := d.Value(path); ok {
			t.Errorf("Value(%s) = %q", path, text)
		}
	}
	if parent, err := Open(fsys, "fermi"); err != nil || parent.YAML() == d.YAML() {
		t.Errorf("the parent reads as the child: %v", err)
	}
}

// TestFaultsNameTheFileTheyAreIn decodes a child whose parent is wrong too.
func TestFaultsNameTheFileTheyAreIn(t *testing.T) {
	d, err := Open(library(
		"a.yaml", strings.Replace(fermi, "48 warps", "0 warps", 1),
		"b.yaml", "# variant\nextends: a\nclock: 3\nl1: {ways: x}\n"), "b")
	if err != nil {
		t.Fatal(err)
	}
	wantError(t, d.Decode(new(testMachine)), `
a.yaml:4: warps: 0 warps is out of range 1..64
b.yaml:3: clock: "3" is not a frequency: a number with Hz, kHz, MHz or GHz
b.yaml:4: l1.ways: "x" is not a whole number
`)
}

func TestUnknownMachine(t *testing.T) {
	fsys := library("xmt.yaml", "{}", "child.yaml", "name: x\nextends: fermy\n")
	_, err := Open(fsys, "fermii")
	wantError(t, err, `unknown machine "fermii": nearest is fermi; known: child, fermi, xmt`)
	_, err = Open(fsys, "")
	wantError(t, err, `unknown machine ""; known: child, fermi, xmt`)
	_, err = Open(fsys, "..")
	wantError(t, err, `unknown machine ".."; known: child, fermi, xmt`)
	_, err = Open(fsys, "child")
	wantError(t, err, `child.yaml:2: extends: unknown machine "fermy": nearest is fermi; known: child, fermi, xmt`)
	if _, err = Open(fsys, "./no/such.yaml"); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "no/such.yaml") {
		t.Errorf("a missing file: %v", err)
	}
}

func TestExtendsRefuses(t *testing.T) {
	fsys := library(
		"a.yaml", "extends: b\n", "b.yaml", "name: b\nextends: c\n", "c.yaml", "extends: b\n",
		"self.yaml", "extends: self\n", "list.yaml", "extends: [a, b]\n", "null.yaml", "extends: null\n",
		"path.yaml", "extends: ./fermi.yaml\n", "rm.yaml", "extends: fermi\nl1:\n  sise: null\n",
		"rmroot.yaml", "l1: ~\n", "broken.yaml", "x: [", "child.yaml", "extends: broken\n",
	)
	for name, want := range map[string]string{
		"a":      "c.yaml:1: extends: a cycle: b.yaml -> c.yaml -> b.yaml",
		"self":   "self.yaml:1: extends: a cycle: self.yaml -> self.yaml",
		"list":   "list.yaml:1: extends: the name of a machine is wanted",
		"null":   "null.yaml:1: extends: the name of a machine is wanted",
		"path":   "path.yaml:1: extends: a built-in machine extends another by name, not by path",
		"rm":     "rm.yaml:3: l1.sise: nothing to remove",
		"rmroot": "rmroot.yaml:1: l1: nothing to remove",
		"child":  "broken.yaml:1: not YAML near this line: did not find expected node content",
	} {
		_, err := Open(fsys, name)
		wantError(t, err, want)
	}
}

func TestOpenFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("mine/fermi.yaml", "extends: fermi\nwarps: 32\n") // the library's, not itself
	write("mine/sub/deep.yaml", "extends: ../fermi.yaml\nwarps: 16\n")
	write("mine/beside.yaml", "extends: fermi.yaml\nratio: 0\n")
	write("plain", "extends: fermi\nwarps: 8\n")
	write("on-plain.yaml", "extends: ./plain\n")
	write("loop.yaml", "extends: ./loop.yaml\n")
	t.Chdir(dir)
	for name, want := range map[string]int{
		"mine/fermi.yaml": 32, "mine/sub/deep.yaml": 16, "mine/beside.yaml": 32, "./mine/fermi.yaml": 32,
		"./plain": 8, "on-plain.yaml": 8,
		filepath.Join(dir, "mine", "sub", "deep.yaml"): 16,
	} {
		d, err := Open(library(), name)
		if err != nil {
			t.Error(err)
			continue
		}
		var m testMachine
		if err := d.Decode(&m); err != nil || m.Warps != want || d.Files()[0] != name {
			t.Errorf("%s: %d warps, %v, from %v", name, m.Warps, err, d.Files())
		}
	}
	_, err := Open(library(), "loop.yaml")
	wantError(t, err, "loop.yaml:1: extends: a cycle: loop.yaml -> loop.yaml")
	if _, err := Open(library(), dir+"/"); err == nil {
		t.Error("a folder is read as a machine")
	}
}

func TestFormFaults(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "m.yaml: an empty file",
		"# only a comment\n":              "m.yaml: an empty file",
		"- 1\n- 2\n":                      "m.yaml:1: a section of keys is wanted",
		"plain":                           "m.yaml:1: a section of keys is wanted",
		"a: 1\n---\nb: 2\n":               "m.yaml:2: a second document: one file is one machine",
		"a: 1\nb: 2\na: 3\n":              "m.yaml:3: a: given twice, first on line 1",
		"a:\n  b: 1\n  b: 2\n":            "m.yaml:3: a.b: given twice, first on line 2",
		"a:\nb: 1\n":                      "m.yaml:1: a: no value",
		"a: [1, ~]\n":                     "m.yaml:1: a.1: no value",
		"a: &x 1\n":                       "m.yaml:1: a: anchors and aliases are not allowed: write the value out",
		"a: &x [1]\nb: *x\n":              "m.yaml:1: a: anchors and aliases are not allowed: write the value out\nm.yaml:2: b: anchors and aliases are not allowed: write the value out",
		"a: !!str 1\n":                    "m.yaml:1: a: tags are not allowed: drop !!str",
		"a: !mine {b: 1}\n":               "m.yaml:1: a: tags are not allowed: drop !mine",
		"l1:\n  a.b: 1\n":                 `m.yaml:2: l1: "a.b" is not a key: letters, digits, - and _`,
		"<<: {a: 1}\n":                    `m.yaml:1: "<<" is not a key: letters, digits, - and _`,
		"? [a]\n: 1\n":                    `m.yaml:1: "" is not a key: letters, digits, - and _`,
		"a: b: c\n":                       "m.yaml:1: not YAML near this line: mapping values are not allowed in this context",
		"a: \"\xff\"\n":                   "m.yaml:1: not YAML near this line: invalid leading UTF-8 octet",
		"a: " + strings.Repeat("[", 40):   "m.yaml:1: not YAML near this line: did not find expected node content",
		"a: 1\na: &x 2\nb: !!int 3\nc:\n": "m.yaml:2: a: given twice, first on line 1\nm.yaml:3: b: tags are not allowed: drop !!int\nm.yaml:4: c: no value",
	} {
		_, err := Open(library("m.yaml", text), "m")
		t.Logf("%q", text)
		wantError(t, err, want)
	}
}

func TestFilesAreBounded(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("{a: ", n) + "1" + strings.Repeat("}", n) }
	if _, err := Open(library("m.yaml", nested(deepest)), "m"); err != nil {
		t.Errorf("%d levels: %v", deepest, err)
	}
	_, err := Open(library("m.yaml", nested(deepest+1)), "m")
	if err == nil || !strings.HasSuffix(err.Error(), "nested deeper than 32 levels") {
		t.Errorf("%d levels: %v", deepest+1, err)
	}
	items := strings.Repeat("1, ", widest-1)
	if _, err := Open(library("m.yaml", "a: ["+items+"1]"), "m"); err != nil {
		t.Errorf("%d items: %v", widest, err)
	}
	_, err = Open(library("m.yaml", "a: ["+items+"1, 1]"), "m")
	wantError(t, err, "m.yaml:1: a: more than 4096 items")
	text := "a: 1\n#" + strings.Repeat("x", longestFile-6)
	if _, err := Open(library("m.yaml", text), "m"); err != nil {
		t.Errorf("%d bytes: %v", len(text), err)
	}
	_, err = Open(library("m.yaml", text+"x"), "m")
	wantError(t, err, "machine file m.yaml: longer than 131072 bytes")
}

// FuzzOpen holds that no text panics, and that what is read is written so that
// it reads the same, whatever is overridden.
func FuzzOpen(f *testing.F) {
	f.Add(fermi, "l1.size", "16 KiB")
	f.Add("a: &x [1, 2]\nb: [*x, *x]\n", "a", "[1, {b: 2}]")
	f.Add("extends: fermi\nl1: {size: null}\n", "l1", "{size: 2 KiB}")
	f.Add("a:\n  - - 1\n    - [2, x]\n  - {}\n  - []\n", "a.0.1.0", "null")
	f.Add("a: \"\\u2028\\x7f\\0\" # c\nb: 'it''s'\nc: >\n  folded\n\n  text\n", "d.e", "#")
	f.Fuzz(func(t *testing.T, text, path, value string) {
		d, err := Open(fstest.MapFS{"m.yaml": {Data: []byte(text)}, "fermi.yaml": {Data: []byte(fermi)}}, "m")
		if err != nil {
			return
		}
		readsBack(t, d)
		var m testMachine
		_ = d.Decode(&m)
		if d.Set(path, value) == nil {
			readsBack(t, d)
			_ = d.Decode(&m)
		}
	})
}
