package models

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// values returns path and text of every value of d.
func values(d *Description) [][2]string {
	var all [][2]string
	for _, s := range d.Sources() {
		all = append(all, [2]string{s.Path, s.Value})
	}
	return all
}

// readsBack checks that the resolved text of d has the same values as d, and
// that d's JSON is JSON.
func readsBack(t interface {
	Helper()
	Fatalf(string, ...any)
}, d *Description) {
	t.Helper()
	text := d.YAML()
	back, faults := parse("back.yaml", []byte(text))
	if len(faults) > 0 {
		t.Fatalf("%v in\n%s", faults, text)
	}
	got, want := values(&Description{root: back}), values(d)
	if len(got) != len(want) {
		t.Fatalf("%d values read back as %d from\n%s", len(want), len(got), text)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%q reads back as %q from\n%s", want[i], got[i], text)
		}
	}
	if data, err := json.Marshal(d); err != nil || !json.Valid(data) {
		t.Fatalf("JSON %s, %v", data, err)
	}
}

func TestYAMLIsResolved(t *testing.T) {
	d := open(t, `extends: fermi
name: "A: b" # quoted
l1:
  size: 96 KiB # [I] doubled
  ways: 12
levels:
  - {name: only, ways: 1}
dims: [2, # x
  2]
`)
	if err := d.Override("warps=32", "full-bits=on", "dram.banks=16", "dram.banks=8", "levels.0.ways=4", "latency.sqrt=9 cycles"); err != nil {
		t.Fatal(err)
	}
	const want = `name: "A: b" # quoted
clock: 1.15 GHz # [P] board specification
warps: 32 # --set, was 48 warps
ratio: -0.5 # [I] half of it, downwards
dims:
  - 2 # x
  - 2
latency:
  fadd: 18 cycles # [M] a microbenchmark
  imul: 1 cycle # [R, I] recalled
  sqrt: 9 cycles # --set
l1:
  size: 96 KiB # [I] doubled
  line: 128 B # [P] white paper
  ways: 12
  policy: lru
levels:
  - name: only
    ways: 4 # --set, was 1
dram:
  latency: 4.5 ns # [S] data sheet
  bandwidth: 144 GB/s # [P]
  banks: 8 # --set, was 8
full-bits: on # --set
`
	if got := d.YAML(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	readsBack(t, d)
	if got := open(t, "{}").YAML(); got != "{}\n" {
		t.Errorf("an empty machine is written %q", got)
	}
}

func TestJSON(t *testing.T) {
	d := open(t, `z: 1
a: [1.5, -2e3, x, 1e400, "7"]
b: {t: true, f: false, o: on, s: "true", q: 48 KiB, e: "<é\n>"}
c: []
d: {}
`)
	got, err := d.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"z":1,"a":[1.5,-2e3,"x","1e400","7"],` +
		`"b":{"t":true,"f":false,"o":"on","s":"true","q":"48 KiB","e":"\u003cé\n\u003e"},"c":[],"d":{}}`
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// anyTree draws a section with random texts and comments in it.
func anyTree(t *rapid.T, depth int) *node {
	key := rapid.StringMatching(`[A-Za-z0-9_-]{1,6}`)
	text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[-a-z0-9 .:#,{}"'~|>&*!%@\[\]\\]{0,8}`),
		rapid.SampledFrom([]string{"null", "NULL", "~", "on", "1 KiB", "---", "...", "- a", "a: b", "a #b", " a", "a ", "-1"}))
	comment := rapid.SampledFrom([]string{"", "", "[P] a manual", "[M, I] b # c", "d: e", "- f", "'", "[g", "x"})
	n := &node{file: "m.yaml", kind: kind(rapid.IntRange(0, 2).Draw(t, "kind"))}
	if depth == 0 {
		n.kind = section
	} else if depth > 3 {
		n.kind = leaf
	}
	if n.kind == leaf {
		n.text, n.comment = text.Draw(t, "text"), comment.Draw(t, "comment")
		return n
	}
	for range rapid.IntRange(0, 3).Draw(t, "kids") {
		if n.kind == section {
			k := key.Draw(t, "key")
			if n.child(k) != nil {
				continue
			}
			n.keys = append(n.keys, k)
		}
		n.kids = append(n.kids, anyTree(t, depth+1))
	}
	return n
}

func TestAnyTreeReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { readsBack(t, &Description{root: anyTree(t, 0)}) })
}

// TestSourcesSurviveLayout strews blank lines and comment lines between the
// lines of random trees: every value keeps the comment of its own line.
func TestSourcesSurviveLayout(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := &Description{root: anyTree(t, 0)}
		var text strings.Builder
		for line := range strings.Lines(d.YAML()) {
			indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
			for _, extra := range rapid.SliceOfN(rapid.SampledFrom([]string{"\n", indent + "# above\n", "# left\n", indent + "  # right\n"}), 0, 2).Draw(t, "extra") {
				text.WriteString(extra)
			}
			text.WriteString(line)
		}
		back, faults := parse("back.yaml", []byte(text.String()))
		if len(faults) > 0 {
			t.Fatalf("%v in\n%s", faults, text.String())
		}
		got, want := (&Description{root: back}).Sources(), d.Sources()
		for i := range want {
			got[i].Line, got[i].File = 0, "m.yaml"
			if got[i] != want[i] {
				t.Fatalf("%+v reads back as %+v from\n%s", want[i], got[i], text.String())
			}
		}
	})
}
