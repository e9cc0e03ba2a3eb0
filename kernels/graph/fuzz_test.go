package graph

import (
	"bytes"
	"runtime"
	"strings"
	"testing"
)

// fuzz checks that a reader neither panics nor takes memory that the file does
// not justify, and that what it accepts is a graph which survives a round trip.
func fuzz(f *testing.F, ext string) {
	format := formatOf("f" + ext)
	for _, r := range readings {
		if formatOf("f"+r.ext) == format {
			f.Add([]byte(r.text))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<12 {
			return
		}
		g, err := format.read(bytes.NewReader(data), "f"+ext)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f"+ext+":") || strings.Contains(err.Error(), "\n") {
				t.Fatalf("%q", err)
			}
			return
		}
		wellFormed(t, g)
		var text bytes.Buffer
		if format.write(&text, g) != nil {
			return // weights that the format does not take
		}
		again, err := format.read(&text, "again")
		if err != nil {
			t.Fatal(err)
		}
		if !equal(g, again) {
			t.Fatalf("wrote %s, read %s", show(g), show(again))
		}
	})
}

func FuzzMatrixMarket(f *testing.F) { fuzz(f, ".mtx") }
func FuzzMETIS(f *testing.F)        { fuzz(f, ".graph") }
func FuzzDIMACS(f *testing.F)       { fuzz(f, ".gr") }
func FuzzEdgeList(f *testing.F)     { fuzz(f, ".txt") }

// No small file makes a reader allocate much: not by a promise of edges, nor of
// vertices, nor by a stray id.
func TestMemoryFollowsTheFile(t *testing.T) {
	for _, r := range readings {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _ = formatOf("f"+r.ext).read(strings.NewReader(r.text), "f"+r.ext)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 4<<20 {
			t.Errorf("%s %q took %d bytes", r.ext, r.text, took)
		}
	}
}
