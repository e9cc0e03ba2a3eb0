package experiments

import (
	"bytes"
	"compress/gzip"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// heddle runs the command line.
func heddle(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errors bytes.Buffer
	status = Main(context.Background(), args, &out, &errors)
	return status, out.String(), errors.String()
}

// inputs changes to a folder of good and bad graph files and machines.
func inputs(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	const header = "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n"
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = z.Write([]byte(header + "2 1 1\n3 2 1\n"))
	_ = z.Close()
	damaged := bytes.Clone(zipped.Bytes())
	damaged[len(damaged)-6] ^= 1 // of the checksum
	for name, text := range map[string]string{
		"good.mtx":      header + "2 1 1.5\n3 2 2.5\n",
		"whole.mtx":     header + "2 1 1\n3 2 2\n",
		"zero.mtx":      header + "2 1 0\n3 2 1\n",
		"negative.mtx":  header + "2 1 1\n3 2 -4\n",
		"infinite.mtx":  header + "2 1 inf\n3 2 1\n",
		"nan.mtx":       header + "2 1 nan\n3 2 1\n",
		"range.mtx":     header + "2 1 1\n4 2 1\n",
		"short.mtx":     header + "2 1 1\n",
		"word.mtx":      header + "2 1 1\n3 two 1\n",
		"cut.mtx.gz":    zipped.String()[:zipped.Len()/2],
		"damage.mtx.gz": string(damaged),
		"plain.mtx.gz":  header + "2 1 1\n3 2 1\n",
		"empty.mtx":     "",
		"graph.xyz":     "1 2\n",
		"nokind.yaml":   "title: A machine\n",
		"cycle.yaml":    "extends: ./cycle.yaml\n",
		"typo.yaml":     "extends: functional\nwarp_widht: 4\n",
		"syntax.yaml":   "kind: [\n",
		"tiny.yaml":     "extends: functional\nmemory:\n  capacity: 1 MiB\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// Each bad input has its line, an exit status of its own, and no output.
func TestBadInput(t *testing.T) {
	inputs(t)
	kernelList := "; known: " + strings.Join(kernelNames(), ", ")
	const (
		commandList = "; known: annotate, calibrate, compare, graph, list, machine, metrics, microbench, native, record, replay, report, reproduce, run, serve, study, sweep, validate"
		sizes       = "a number with B, KB, KiB, MB, MiB, GB, GiB, TB or TiB"
	)
	for _, c := range []struct{ args, want string }{
		{"rum", `unknown command "rum": nearest is run` + commandList},
		{"simulate", `unknown command "simulate"` + commandList},
		{"graph inf karate", `unknown command "inf": nearest is info; known: convert, info`},
		{"machine lst", `unknown command "lst": nearest is list; known: list, show`},
		{"run matching/dl", `unknown kernel "matching/dl": nearest is matching/ld` + kernelList},
		{"run sssp", `unknown kernel "sssp"` + kernelList},
		{"run matching/ld bfs/level", `unexpected argument "bfs/level": usage: heddle run [KERNEL] [flags]`},
		{"run --sed 3", "unknown flag --sed: nearest is --seed; heddle run --help lists them"},
		{"run -x", "unknown shorthand flag: 'x' in -x; see heddle run --help"},
		{"run --seed -1", `--seed "-1": want a whole number, 0 to 2^64-1`},
		{"run --seed 1.5", `--seed "1.5": want a whole number, 0 to 2^64-1`},
		{"run --graph", "--graph: no value: want a name"},
		{"run --json=maybe", `--json "maybe": want true or false`},
		{"run --max-cycles 0", "--max-cycles 0: want 1 to 1000000000000"},
		{"run --max-cycles -5", "--max-cycles -5: want 1 to 1000000000000"},
		{"run --max-cycles 1000000000001", "--max-cycles 1000000000001: want 1 to 1000000000000"},
		{"run --max-cycles many", `--max-cycles "many": want a whole number`},
		{"run --monitor 80", "--monitor 80: want a port from 1001 to 65535"},
		{"run --monitor 65536", "--monitor 65536: want a port from 1001 to 65535"},

		{"run --machine no/such.yaml", "machine file: open no/such.yaml: no such file or directory"},
		{"run --machine cycle.yaml", "cycle.yaml:1: extends: a cycle: cycle.yaml -> cycle.yaml"},
		{"run --machine typo.yaml", "typo.yaml:2: warp_widht: unknown key: nearest is warp_width"},
		{"run --set l1.siz=16KiB", "--set l1.siz: unknown key: nearest is l1.size"},
		{"run --set l1.size", "--set l1.size: path=value is wanted, such as l1.size=16 KiB"},
		{"run --set l1.size=", "--set l1.size: no value"},
		{"run --set l1.size=16", `--set l1.size: "16" is not a size: ` + sizes},
		{"run --set l1.size=16MHz", `--set l1.size: "16MHz" is not a size: ` + sizes},
		{"run --set sms=0", "--set sms: 0 is out of range 1..1024"},
		{"run --set sms=many", `--set sms: "many" is not a whole number`},
		{"run --set clock=fast", `--set clock: "fast" is not a frequency: a number with Hz, kHz, MHz or GHz`},
		{"run --set scheduler.policy=lr", `--set scheduler.policy: "lr" is not lrr or gto: nearest is lrr`},

		{"run --graph nothere.mtx", "nothere.mtx: no such file or directory"},
		{"run --graph .", ".: is a directory, not a graph file"},
		{"run --graph rmat-g", "rmat-g: rmat-g needs a size, as in rmat-g:14 for 2^14 vertices"},
		{"run --graph rmat-g:99", `rmat-g:99: size "99": want the base-2 logarithm of the vertices, 1 to 30`},
		{"run --graph rmat-g:10,degre=4", `rmat-g:10,degre=4: unknown option "degre" (did you mean "degree"?): rmat-g takes degree, seed, weights`},
		{"run --graph empty.mtx", `empty.mtx:1: expected the banner %%MatrixMarket, found the end of the file`},
		{"run --graph range.mtx", "range.mtx:4: row 4 is out of range: vertices are 1 to 3"},
		{"run --graph short.mtx", "short.mtx:4: the file ends after 1 of the 2 entries that line 2 promises"},
		{"run --graph word.mtx", `word.mtx:4: expected column, found "two"`},
		{"run --graph cut.mtx.gz", "cut.mtx.gz:1: the compressed data is cut short"},
		{"run --graph plain.mtx.gz", "plain.mtx.gz:1: not gzip-compressed, in spite of its name"},
		{"run --graph zero.mtx", "zero.mtx: edge 0-1 has weight 0: this kernel needs positive finite weights (vertices are counted from 0)"},
		{"run --graph negative.mtx", "negative.mtx: edge 1-2 has weight -4: this kernel needs positive finite weights (vertices are counted from 0)"},
		{"run --graph infinite.mtx", "infinite.mtx: edge 0-1 has weight +Inf: this kernel needs positive finite weights (vertices are counted from 0)"},
		{"run --graph nan.mtx", "nan.mtx: edge 0-1 has weight NaN: this kernel needs positive finite weights (vertices are counted from 0)"},
		{"run bfs/level --graph karate --source 34", "source 34: karate has vertices 0 to 33; -1 picks one of largest degree"},
		{"run bfs/level --graph karate --source -2", "source -2: karate has vertices 0 to 33; -1 picks one of largest degree"},

		{"machine show", "too few arguments: usage: heddle machine show NAME [flags]"},
		{"machine show functional --set warp_width=65", "--set warp_width: 65 is out of range 1..64"},
		{"machine show typo.yaml", "typo.yaml:2: warp_widht: unknown key: nearest is warp_width"},
		{"graph info", "too few arguments: usage: heddle graph info GRAPH [flags]"},
		{"graph info short.mtx", "short.mtx:4: the file ends after 1 of the 2 entries that line 2 promises"},
		{"graph convert karate", "too few arguments: usage: heddle graph convert GRAPH FILE [flags]"},
		{"graph convert karate good.mtx", "good.mtx exists: --force replaces it"},
		{"graph convert karate no/such/folder.mtx", "no/such/folder.mtx: no such file or directory"},
		{"graph convert short.mtx good.mtx --force", "short.mtx:4: the file ends after 1 of the 2 entries that line 2 promises"},
		{"metrics all", `unexpected argument "all": usage: heddle metrics [flags]`},
		{"list all", `unexpected argument "all": usage: heddle list [flags]`},
	} {
		t.Run(c.args, func(t *testing.T) {
			status, stdout, stderr := heddle(t, strings.Fields(c.args)...)
			if want := "heddle: " + c.want + "\n"; stderr != want {
				t.Errorf("got  %swant %s", stderr, want)
			}
			if status != exitBadInput || stdout != "" {
				t.Errorf("status %d and %q on standard output; want %d and nothing", status, stdout, exitBadInput)
			}
		})
	}
}

// Faults whose text belongs to others, or depends on the host.
func TestBadInputElsewhere(t *testing.T) {
	inputs(t)
	for args, want := range map[string]string{
		"run --machine tesla-c2051":                             `heddle: unknown machine "tesla-c2051": nearest is tesla-c2050; known: `,
		"machine show tesla":                                    `heddle: unknown machine "tesla": nearest is tesla-c1060`,
		"run --machine nokind.yaml":                             "heddle: nokind.yaml: kind: missing: one of ",
		"run --machine syntax.yaml":                             "heddle: syntax.yaml:",
		"run --graph rmat-gg:10":                                `heddle: rmat-gg:10: no such file and no generator "rmat-gg" (did you mean "rmat-g"?): a generator is one of `,
		"run --graph graph.xyz":                                 "heddle: graph.xyz: unknown kind of graph file: want Matrix Market (.mtx), ",
		"graph convert karate out.xyz":                          "heddle: out.xyz: unknown kind of graph file: want Matrix Market (.mtx), ",
		"run --graph damage.mtx.gz":                             "heddle: damage.mtx.gz:",
		"run --graph rmat-g:30,degree=65536":                    "heddle: rmat-g:30,degree=65536: needs about ",
		"run --set occupancy.registers_per_thread=4":            "heddle: matching/ld does not run on tesla-c2050: program matching/ld.find needs ",
		"run bfs/level -g rmat-g:16 --set memory.capacity=1MiB": "heddle: machine tesla-c2050, memory.capacity: array ",
		"run -m tiny.yaml -g rmat-g:16":                         "heddle: machine tiny, memory.capacity: array ",
		"run --set kind=smtt":                                   `heddle: --set kind: "smtt" is not one of `,
	} {
		status, stdout, stderr := heddle(t, strings.Fields(args)...)
		if !strings.HasPrefix(stderr, want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: got %q, want one line from %q on", args, stderr, want)
		}
		if status != exitBadInput || stdout != "" {
			t.Errorf("%s: status %d and %q on standard output", args, status, stdout)
		}
	}
}

// All faults of a description are told, a line each.
func TestSeveralFaults(t *testing.T) {
	status, _, stderr := heddle(t, "run", "--machine", "functional", "--set", "warp_width=65", "--set", "block_size=0")
	want := "heddle: --set warp_width: 65 is out of range 1..64\nheddle: --set block_size: 0 is out of range 1..65536\n"
	if status != exitBadInput || stderr != want {
		t.Errorf("status %d:\n%s", status, stderr)
	}
}

// A conversion that fails leaves the folder as it was.
func TestNothingHalfWritten(t *testing.T) {
	inputs(t)
	before, _ := filepath.Glob("*")
	good, _ := os.ReadFile("good.mtx")
	for _, args := range []string{
		"graph convert short.mtx new.mtx", "graph convert cut.mtx.gz new.gr.gz", "graph convert good.mtx new.gr", "graph convert karate new.xyz",
		"graph convert damage.mtx.gz good.mtx --force", "graph convert karate good.mtx",
	} {
		if status, _, stderr := heddle(t, strings.Fields(args)...); status != exitBadInput {
			t.Errorf("%s: status %d, %s", args, status, stderr)
		}
	}
	after, _ := filepath.Glob("*")
	hidden, _ := filepath.Glob(".*")
	if len(after) != len(before) || len(hidden) > 0 {
		t.Errorf("files before %q, after %q and %q", before, after, hidden)
	}
	if now, _ := os.ReadFile("good.mtx"); !bytes.Equal(now, good) {
		t.Error("good.mtx was changed")
	}
}

func TestConvert(t *testing.T) {
	inputs(t)
	status, stdout, stderr := heddle(t, "graph", "convert", "whole.mtx", "copy.graph.gz")
	if status != exitVerified || stdout != "copy.graph.gz: 3 vertices, 2 edges\n" {
		t.Fatalf("status %d: %s%s", status, stdout, stderr)
	}
	if status, _, _ = heddle(t, "graph", "convert", "karate", "copy.graph.gz", "--force"); status != exitVerified {
		t.Fatalf("status %d", status)
	}
	_, info, _ := heddle(t, "graph", "info", "copy.graph.gz")
	if !strings.Contains(info, "vertices            34\nedges               78\n") {
		t.Errorf("converted graph:\n%s", info)
	}
}

func TestGraphInfo(t *testing.T) {
	const want = `name                path.mtx
vertices            5
edges               3
weights             given
self-loops dropped  1
duplicates dropped  2
made undirected     3
degree              0 to 2, mean 1.200, variance 0.5600
isolated vertices   1, 20.0 %
components          2
largest component   4 vertices, 80.0 %
vertices by degree
    0  1  20.0 %  ██████████
    1  2  40.0 %  ████████████████████
  2-3  2  40.0 %  ████████████████████
`
	t.Chdir(t.TempDir())
	text := "%%MatrixMarket matrix coordinate real general\n5 5 6\n1 2 1\n2 3 1\n3 4 1\n3 4 2\n3 4 2\n4 4 1\n"
	if err := os.WriteFile("path.mtx", []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if status, stdout, stderr := heddle(t, "graph", "info", "path.mtx"); status != exitVerified || stdout != want {
		t.Errorf("status %d, %s\n%s", status, stderr, stdout)
	}
	status, stdout, _ := heddle(t, "graph", "info", "path.mtx", "--json")
	const object = `{"name":"path.mtx","vertices":5,"edges":3,"weights":"given","self_loops_dropped":1,"duplicates_dropped":2,"symmetrised":3,` +
		`"remarks":["1 self-loops removed","2 duplicate entries removed","3 edges given in one direction only, made undirected"],` +
		`"min_degree":0,"max_degree":2,"mean_degree":1.2,"degree_variance":0.56,"isolated":1,"components":2,"largest_component":4,"degree_histogram":[1,2,2]}` + "\n"
	if status != exitVerified || stdout != object {
		t.Errorf("status %d\n%s", status, stdout)
	}
}

func TestHelp(t *testing.T) {
	for _, args := range []string{"", "--help", "run --help", "graph", "graph convert --help", "machine", "machine show -h", "list -h", "metrics -h"} {
		status, stdout, stderr := heddle(t, strings.Fields(args)...)
		if status != exitVerified || stderr != "" || !strings.Contains(stdout, "Usage:\n  heddle") {
			t.Errorf("heddle %s: status %d, %q\n%s", args, status, stderr, stdout)
		}
	}
}
