package graph

import (
	"os"
	"strings"
	"testing"
)

func TestOpenErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("d.mtx", 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"plain.mtx.gz": "0 1\n", "empty.txt.gz": "", "x": "0 1\n"} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const kinds = "Matrix Market (.mtx), METIS (.graph .metis), DIMACS (.gr), edge list (.txt .el .wel .edges .edgelist .csv .tsv), plain or .gz"
	const allowed = "a generator is one of karate, rgg:SCALE, rmat-b:SCALE, rmat-er:SCALE, rmat-g:SCALE, a file is one of " + kinds
	for name, want := range map[string]string{
		"":                       `: no such file and no generator "": ` + allowed,
		"rmat-gg:10":             `rmat-gg:10: no such file and no generator "rmat-gg" (did you mean "rmat-g"?): ` + allowed,
		"RGG:10":                 `RGG:10: no such file and no generator "RGG" (did you mean "rgg"?): ` + allowed,
		"somethingelse":          `somethingelse: no such file and no generator "somethingelse": ` + allowed,
		"rmat-g":                 "rmat-g: rmat-g needs a size, as in rmat-g:14 for 2^14 vertices",
		"rmat-g:":                `rmat-g:: size "": want the base-2 logarithm of the vertices, 1 to 30`,
		"rmat-g:ten":             `rmat-g:ten: size "ten": want the base-2 logarithm of the vertices, 1 to 30`,
		"rmat-g:0":               `rmat-g:0: size "0": want the base-2 logarithm of the vertices, 1 to 30`,
		"rgg:29":                 `rgg:29: size "29": want the base-2 logarithm of the vertices, 1 to 28`,
		"rmat-g:10,sed=7":        `rmat-g:10,sed=7: unknown option "sed" (did you mean "seed"?): rmat-g takes degree, seed, weights`,
		"rmat-g:10,":             `rmat-g:10,: unknown option "": rmat-g takes degree, seed, weights`,
		"rgg:10,degree=8":        `rgg:10,degree=8: unknown option "degree": rgg takes seed, weights`,
		"rmat-g:10,seed":         `rmat-g:10,seed: seed "": want a whole number, 0 to 2^64-1`,
		"rmat-g:10,seed=-1":      `rmat-g:10,seed=-1: seed "-1": want a whole number, 0 to 2^64-1`,
		"rmat-g:10,weights=0":    `rmat-g:10,weights=0: weights "0": want the greatest of random weights, 1 to 2147483647`,
		"rgg:10,weights=1e3":     `rgg:10,weights=1e3: weights "1e3": want the greatest of random weights, 1 to 2147483647`,
		"rmat-g:10,degree=0":     `rmat-g:10,degree=0: degree "0": want the edges generated per vertex, 1 to 65536`,
		"karate:5":               "karate:5: karate has a fixed size: write karate",
		"karate,seed=1":          `karate,seed=1: option "seed": karate takes no options`,
		"missing.mtx":            "missing.mtx: no such file or directory",
		"no/such/dir":            "no/such/dir: no such file or directory",
		"missing.gz":             "missing.gz: no such file or directory",
		"d.mtx":                  "d.mtx: is a directory, not a graph file",
		"x":                      "x: unknown kind of graph file: want " + kinds,
		"plain.mtx.gz":           "plain.mtx.gz:1: not gzip-compressed, in spite of its name",
		"empty.txt.gz":           "empty.txt.gz:1: the file lists no edges",
		"rmat-g:10,seed=1,sedd=": `rmat-g:10,seed=1,sedd=: unknown option "sedd" (did you mean "seed"?): rmat-g takes degree, seed, weights`,
	} {
		if _, err := Open(name, Options{}); err == nil || err.Error() != want {
			t.Errorf("%q:\ngot  %v\nwant %s", name, err, want)
		}
	}
	if _, err := Open("rmat-g:30,degree=65536", Options{}); err == nil || !strings.Contains(err.Error(), "GB of memory, this machine has") {
		t.Errorf("a graph of petabytes: %v", err)
	}
}

func TestOpenOptions(t *testing.T) {
	g, err := Open("rmat-er:8,degree=3,seed=5", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := g.Edges() + g.Dropped.SelfLoops + g.Dropped.Duplicates; n != 3<<8 || g.Name != "rmat-er:8,degree=3,seed=5" {
		t.Errorf("%s: %d edges generated", g.Name, n)
	}
	if g.HeaviestRandom() != 256 {
		t.Errorf("weights up to %d, want V", g.HeaviestRandom())
	}
	for _, name := range []string{"rmat-g:8,weights=3", "rgg:8,weights=3"} {
		if g, err = Open(name, Options{}); err != nil {
			t.Fatal(err)
		}
		g.EnsureWeights(1)
		seen := map[float64]bool{}
		for _, w := range g.Weight {
			seen[w] = true
		}
		if len(seen) != 3 || !seen[1] || !seen[2] || !seen[3] {
			t.Errorf("%s: weights %v, want 1, 2 and 3", name, seen)
		}
	}
}

func TestProgressOfGenerators(t *testing.T) {
	for name, want := range map[string]int64{"rmat-g:15": 8 << 15, "rgg:15": 1 << 15} {
		var last int64
		if _, err := Open(name, Options{Progress: func(done, total int64) {
			if done <= last || total != want {
				t.Errorf("%s: progress %d of %d after %d", name, done, total, last)
			}
			last = done
		}}); err != nil {
			t.Fatal(err)
		}
		if last != want {
			t.Errorf("%s: progress ended at %d, want %d", name, last, want)
		}
	}
}

func FuzzOpenName(f *testing.F) {
	for _, name := range []string{"karate", "rmat-g:4,seed=7,degree=8", "rgg:3", "a.mtx", "rmat-g:,,==:"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		s, err := parseSpec(name, 0)
		if err == nil && s.scale <= 8 && s.degree <= 8 {
			wellFormed(t, generators[s.family].generate(s, nil))
		}
	})
}
