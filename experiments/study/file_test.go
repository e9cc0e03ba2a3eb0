package study

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const example = `
parameters: {scale: 8, where: sub}
kernels: [matching/ld, {name: breadth first, kernel: bfs/level}]
machines:
  - tesla-c2050
  - {name: narrow, machine: mine.yaml, set: {crossbar: {width: 32 B}}, schedule: static}
graphs: [rmat-g:$(scale), rmat-g:$(scale-1), $(where)/g.mtx, /abs/g.gr]
overrides:
  - {name: as it is}
  - {name: no L1, set: {l1.enabled: false}}
schedules: [dynamic]
vary: {sms: [1, 14]}
seeds: [7, 8]
baselines:
  one SM: {sms: 1}
`

func parse(t *testing.T, text string, set ...string) *Study {
	t.Helper()
	s, err := Parse("dir/example.yaml", []byte(text), set...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestProduct(t *testing.T) {
	s := parse(t, strings.Replace(example, "one SM", "one-SM", 1), "scale=10")
	if got := strings.Join(s.Dimensions, " "); got != "kernel machine graph override schedule sms seed" {
		t.Errorf("dimensions %s", got)
	}
	if len(s.Points) != 2*2*4*2*2*2 {
		t.Fatalf("%d points", len(s.Points))
	}
	for at, want := range map[int]string{
		0:   "matching/ld on tesla-c2050, rmat-g:10 --schedule dynamic --set sms=1; 7; matching/ld|tesla-c2050|rmat-g:10|as it is|dynamic|1|7",
		7:   "matching/ld on tesla-c2050, rmat-g:10 --schedule dynamic --set l1.enabled=false --set sms=14; 8; matching/ld|tesla-c2050|rmat-g:10|no L1|dynamic|14|8",
		8:   "matching/ld on tesla-c2050, rmat-g:9 --schedule dynamic --set sms=1; 7; matching/ld|tesla-c2050|rmat-g:9|as it is|dynamic|1|7",
		127: "bfs/level on dir/mine.yaml, /abs/g.gr --schedule dynamic --set crossbar={width: 32 B} --set l1.enabled=false --set sms=14; 8; breadth first|narrow|/abs/g.gr|no L1|dynamic|14|8",
	} {
		p := s.Points[at]
		if got := fmt.Sprintf("%s; %d; %s", p.Case, p.Seed, strings.Join(p.At, "|")); got != want {
			t.Errorf("point %d:\n%s, want\n%s", at, got, want)
		}
	}
	p := s.Points[127]
	if p.Origin.Kernel != 3 || p.Origin.Machine != 6 || p.Origin.Graph != 7 || !slices.Equal(p.Origin.Set, []int{6, 10, 12}) {
		t.Errorf("origin %+v", p.Origin)
	}
	if g := s.Points[16].Graph; g != "dir/sub/g.mtx" {
		t.Errorf("graph %s", g)
	}
	for i, base := range s.base(s.Baselines[0]) {
		if p, b := s.Points[i], s.Points[base]; s.Label(&b, "sms") != "1" || b.Graph != p.Graph || b.Seed != p.Seed || s.Label(&b, "override") != s.Label(&p, "override") {
			t.Errorf("the base of %v is %v", p.At, b.At)
		}
	}
}

// A part has what the whole says where it says nothing itself.
func TestParts(t *testing.T) {
	s := parse(t, `
kernels: [a]
machines: [m]
graphs: [karate]
vary: {threads: [1, 2]}
parts:
  - {name: one, graphs: [rmat-g:4]}
  - {name: two, kernels: [b, c], vary: {sms: [3]}}
`)
	if got := strings.Join(s.Dimensions, " "); got != "part kernel machine graph threads sms seed" {
		t.Errorf("dimensions %s", got)
	}
	var got []string
	for _, p := range s.Points {
		got = append(got, strings.Join(p.At, "|"))
	}
	if want := "one|a|m|rmat-g:4|1||1 one|a|m|rmat-g:4|2||1 two|b|m|karate||3|1 two|c|m|karate||3|1"; strings.Join(got, " ") != want {
		t.Errorf("%s\nwant %s", strings.Join(got, " "), want)
	}
}

// Parameters are filled in in order; a graph that one leaves empty is left out,
// and with its last graph a part.
func TestParameters(t *testing.T) {
	const text = `
parameters: {scale: 8, larger: $(scale+2), file: ""}
kernels: [a]
machines: [m]
parts:
  - {name: made, graphs: ["rmat-g:$(scale)", "rmat-g:$(larger)", {name: f, graph: $(file)}]}
  - {name: read, graphs: [{name: f, graph: $(file)}]}
`
	for set, want := range map[string]string{
		"scale=8":   "made|a|m|rmat-g:8|1 made|a|m|rmat-g:10|1",
		"scale=9":   "made|a|m|rmat-g:9|1 made|a|m|rmat-g:11|1",
		"larger=4":  "made|a|m|rmat-g:8|1 made|a|m|rmat-g:4|1",
		"file=g.gr": "made|a|m|rmat-g:8|1 made|a|m|rmat-g:10|1 made|a|m|f|1 read|a|m|f|1",
	} {
		var got []string
		for _, p := range parse(t, text, set).Points {
			got = append(got, strings.Join(p.At, "|"))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %s\nwant %s", set, strings.Join(got, " "), want)
		}
	}
}

// A property of a graph is a point for each graph and seed, whatever machines
// there are.
func TestProperty(t *testing.T) {
	s := parse(t, `
kernels: [graph/degrees, a]
graphs: [g, h]
machines: [m]
vary: {sms: [1, 2]}
seeds: [3, 4]
`)
	if len(s.Points) != 4+8 {
		t.Fatalf("%d points", len(s.Points))
	}
	p := s.Points[3]
	if got := fmt.Sprintf("%s; %d; %s", p.Case, p.Seed, strings.Join(p.At, "|")); got != "graph/degrees of h; 4; graph/degrees||h||4" {
		t.Error(got)
	}
	if len(s.Find(Coordinate{"graph", "g"}, Coordinate{"sms", "2"})) != 2 || len(s.Find(Coordinate{"graph", "i"})) != 0 {
		t.Error("points are found where they are not")
	}
}

// Whatever is wrong is told in one line, with its place.
func TestFaults(t *testing.T) {
	const head = "kernels: [a]\nmachines: [m, n]\ngraphs: [karate]\n"
	for _, c := range []struct{ text, want string }{
		{"", "f.yaml: an empty file"},
		{"kernels: [", "f.yaml:1: not YAML near this line: "},
		{"- a", "f.yaml:1: a section of keys is wanted"},
		{head + "---\na: 1", "f.yaml:4: a second document: one file is one study"},
		{"kernels: [a]\nmachines: [m]", "f.yaml:1: no graphs"},
		{"kernel: [a]", "f.yaml:1: kernel: unknown key: nearest is kernels; known: parameters, name, title, parts, baselines, plots, kernels, machines, graphs, overrides, schedules, seeds, vary"},
		{head + "kernels: [b]", "f.yaml:4: kernels: there twice"},
		{"kernels: a", "f.yaml:1: kernels: a list of at least one is wanted, as in [a, b]"},
		{"kernels: []", "f.yaml:1: kernels: a list of at least one is wanted"},
		{"kernels: [a, a]", `f.yaml:1: kernels: "a" is there twice: give one another name`},
		{"kernels: [[a]]", "f.yaml:1: kernels: a section of keys is wanted"},
		{"kernels: [~]", "f.yaml:1: kernels: a value is wanted"},
		{"kernels: [{kernel: b, iterations: 0}]", `f.yaml:1: kernels.iterations: "0": want a whole number, at least 1`},
		{"parameters: {g: ''}\nkernels: [a]\nmachines: [m]\ngraphs: [$(g)]", "f.yaml:1: every graph is left out: a parameter is empty"},
		{"parameters: {m: ''}\nkernels: [a]\nmachines: [$(m)]\ngraphs: [g]", "f.yaml:3: machines: a value is wanted"},
		{"kernels: [{name: b}]", "f.yaml:1: kernels: no kernel"},
		{"machines: [{machine: m, sets: {a: 1}}]", "f.yaml:1: machines.sets: unknown key: nearest is set; known: name, machine, set, schedule"},
		{"overrides: [{set: {a: 1}}]", "f.yaml:1: overrides: no name"},
		{"overrides: [a]", "f.yaml:1: overrides: a section of keys is wanted"},
		{"seeds: [-1]", `f.yaml:1: seeds: "-1": want a whole number, 0 to 2^64-1`},
		{"vary: {seed: [1]}", "f.yaml:1: vary.seed: is what the runs differ in already"},
		{"vary: {sms: [1, 1]}", "f.yaml:1: vary.sms: 1 is there twice"},
		{"name: a/b", `f.yaml:1: name: "a/b": want letters, digits, dots and hyphens, at most 64`},
		{"parameters: {scale: 4}\ngraphs: [g:$(sale)]", `f.yaml:2: graphs: $(sale): no parameter "sale": nearest is scale`},
		{"graphs: [g:$(scale)]", `f.yaml:1: graphs: $(scale): no parameter "scale": the study has none`},
		{"parameters: {scale: big}\ngraphs: [g:$(scale-1)]", "f.yaml:2: graphs: $(scale-1): parameter scale is big, not a whole number"},
		{"parameters: {scale: 4}\ngraphs: [g:$(scale*2)]", "f.yaml:2: graphs: $(scale*2): want $(name), $(name+1) or $(name-1)"},
		{head + "seeds: [&a 1, *a]", "f.yaml:4: seeds: a value is wanted"},
		{head + "parts: [{graphs: [g]}]", "f.yaml:4: parts: a part has no name"},
		{head + "parts: [{name: p}, {name: p}]", "f.yaml:4: parts: two parts are called p"},
		{"kernels: [a]\nmachines: [m]\nparts:\n  - {name: p}", "f.yaml:4: part p: no graphs"},
		{head + "vary: {a: [" + strings.TrimSuffix(strings.Repeat("x,", 400), ",") + "]}", "f.yaml:4: vary.a: x is there twice"},
		{head + "baselines: {b: {machin: m}}", `f.yaml:4: baselines.b.machin: "machin" is nothing that the runs differ in: nearest is machine; known: kernel, machine, graph, seed`},
		{head + "baselines: {b: {machine: o}}", `f.yaml:4: baselines.b.machine: no machine "o"; known: m, n`},
		{head + "plots: [{x: graph}]", "f.yaml:4: plots: a plot has no name"},
		{head + "plots: [{name: p}]", "f.yaml:4: plots: plot p has no x: want one of kernel, machine, graph, seed"},
		{head + "plots: [{name: p, x: graph, panels: graph}]", "f.yaml:4: plots: plot p: x and panels are the same"},
		{head + "plots: [{name: p, x: graph}, {name: p, x: graph}]", "f.yaml:4: plots: two plots are called p"},
		{head + "plots: [{name: p, x: size}]", `f.yaml:4: plots.x: "size" is nothing that the runs differ in`},
		{head + "plots: [{name: p, x: graph, kind: bar}]", `f.yaml:4: plots.kind: "bar": want lines or bars`},
		{head + "plots: [{name: p, x: graph, log: z}]", `f.yaml:4: plots.log: "z": want x, y or both`},
		{head + "plots: [{name: p, x: graph, show: time}]", `f.yaml:4: plots.show: "time": want seconds, cycles, `},
		{head + "plots: [{name: p, x: graph, show: speedup.b}]\nbaselines: {c: {machine: m}}", `f.yaml:4: plots.show: no baseline "b"`},
		{head + "plots: [{name: p, x: graph, show: metric.ips}]", `f.yaml:4: plots.show: no machine reports a metric "ips": nearest is ipc; heddle metrics lists them`},
		{head + "plots: [{name: p, x: graph, only: {machine: [m, o]}}]", `f.yaml:4: plots.only.machine: no machine "o"; known: m, n`},
	} {
		_, err := Parse("f.yaml", []byte(c.text))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) && !strings.Contains(err.Error(), "\n"+c.want) {
			t.Errorf("%q:\n%v\nwant %s", c.text, err, c.want)
		}
	}
	for _, c := range []struct{ set, want string }{
		{"scal=3", `--param scal=3: no parameter "scal": nearest is scale`},
		{"scale", "--param scale: want NAME=VALUE"},
	} {
		_, err := Parse("f.yaml", []byte("parameters: {scale: 4}\n"+head), c.set)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.set, err, c.want)
		}
	}
	big := "vary:\n"
	for _, key := range []string{"a", "b", "c"} {
		big += "  " + key + ": [1"
		for i := 2; i <= 50; i++ {
			big += fmt.Sprintf(", %d", i)
		}
		big += "]\n"
	}
	if _, err := Parse("f.yaml", []byte(head+big)); err == nil || err.Error() != "f.yaml:1: more than 100000 runs" {
		t.Errorf("a study of 250000 runs: %v", err)
	}
}

// No file crashes the reader.
func FuzzParse(f *testing.F) {
	f.Add(example)
	f.Add("kernels: [a]\nmachines: [m]\ngraphs: [karate]\nplots: [{name: p, x: graph}]\nbaselines: {c: {machine: m}}")
	f.Add("parts: [{name: a}]\n? [a]\n: b")
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := Parse("f.yaml", []byte(text)); err == nil && len(s.Points) == 0 {
			t.Error("a study without runs")
		}
	})
}
