package graph

import (
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"
)

var anyWeight = rapid.OneOf(
	rapid.SampledFrom([]float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 1 << 53, math.MaxFloat64, math.SmallestNonzeroFloat64}),
	rapid.Float64(),
	rapid.Map(rapid.IntRange(-9, 9), func(i int) float64 { return float64(i) }),
)

var wholeWeight = rapid.Map(rapid.Int64Range(-1<<53, 1<<53), func(i int64) float64 { return float64(i) })

// What is written reads back the same: any graph, any weights that the format
// takes, plain and compressed.
func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		ext    string
		weight *rapid.Generator[float64]
	}{
		{".mtx", nil}, {".mtx", anyWeight}, {".mtx", wholeWeight}, {".mtx.gz", nil},
		{".graph", nil}, {".graph", wholeWeight}, {".graph.gz", wholeWeight},
		{".gr", wholeWeight}, {".gr.gz", wholeWeight},
		{".el", nil}, {".txt", anyWeight}, {".csv.gz", anyWeight},
	} {
		path := filepath.Join(dir, "g"+c.ext)
		rapid.Check(t, func(t *rapid.T) {
			want := smallGraph(t, c.weight)
			f := formatOf(path)
			r, w := io.Pipe()
			go func() { _ = w.CloseWithError(f.write(w, want)) }()
			got, err := f.read(r, path)
			if err != nil {
				t.Fatal(err)
			}
			// A list of edges does not show weights of graphs without edges.
			if len(want.Adj) == 0 {
				want.Weight, got.Weight = nil, nil
			}
			if !equal(got, want) {
				t.Fatalf("%s: wrote %s, read %s", c.ext, show(want), show(got))
			}
		})
	}
}

// Files larger than any buffer, through the file system.
func TestRoundTripOfFiles(t *testing.T) {
	dir := t.TempDir()
	want := family("rmat-g", 13).Generate(nil)
	want.EnsureWeights(1)
	for _, ext := range []string{".mtx", ".mtx.gz", ".graph", ".graph.gz", ".gr", ".gr.gz", ".el", ".el.gz"} {
		path := filepath.Join(dir, "g"+ext)
		if err := Write(path, want); err != nil {
			t.Fatal(err)
		}
		var last, size int64
		got, err := Open(path, Options{Progress: func(done, total int64) {
			if done < last {
				t.Errorf("%s: progress went back from %d to %d", ext, last, done)
			}
			last, size = done, total
		}})
		if err != nil {
			t.Fatal(err)
		}
		if !equal(got, want) || got.Name != "g"+ext {
			t.Errorf("%s: reads back as another graph, %s", ext, got.Name)
		}
		if info, _ := os.Stat(path); last != info.Size() || size != last {
			t.Errorf("%s: progress ended at %d of %d, the file has %d bytes", ext, last, size, info.Size())
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestUnweightedDIMACSHasLengthOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "k.gr")
	if err := Write(path, Karate()); err != nil {
		t.Fatal(err)
	}
	g, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range g.Weight {
		if w != 1 {
			t.Fatalf("weight %v", w)
		}
	}
}

func TestWriteRefuses(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	half := Karate()
	half.EnsureWeights(0)
	half.Weight[0] += 0.5
	if err := os.Mkdir("d.mtx", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("old.graph", []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"k.xyz":       "k.xyz: unknown kind of graph file: want Matrix Market (.mtx), METIS (.graph .metis), DIMACS (.gr), edge list (.txt .el .wel .edges .edgelist .csv .tsv), plain or .gz",
		"old.graph":   "karate: METIS files hold integer weights only",
		"k.gr.gz":     "karate: DIMACS .gr files hold integer weights only",
		"no/such.mtx": "no/such.mtx: no such file or directory",
		"d.mtx":       "d.mtx: exists and is not a regular file",
	} {
		if err := Write(path, half); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
	files, err := os.ReadDir(".")
	if err != nil || len(files) != 2 {
		t.Errorf("%v, %v: want d.mtx and old.graph alone", files, err)
	}
	if old, _ := os.ReadFile("old.graph"); string(old) != "old" {
		t.Errorf("old.graph holds %q", old)
	}
}

func TestFailedWriteLeavesOldFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	failure := errors.New("full")
	err := writeAtomically(path, func(w io.Writer) error {
		_, _ = w.Write([]byte("new, half"))
		return failure
	})
	if !errors.Is(err, failure) {
		t.Fatal(err)
	}
	files, _ := os.ReadDir(filepath.Dir(path))
	if old, _ := os.ReadFile(path); string(old) != "old" || len(files) != 1 {
		t.Errorf("holds %q among %d files", old, len(files))
	}
}
