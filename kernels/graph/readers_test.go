package graph

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
)

// show prints a graph as "V: u-v=w ...; loops, duplicates, one-way".
func show(g *Graph) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d:", g.Vertices())
	for u := range int32(g.Vertices()) {
		for i, v := range g.Neighbors(u) {
			if v < u {
				continue
			}
			fmt.Fprintf(&b, " %d-%d", u, v)
			if g.Weight != nil {
				fmt.Fprintf(&b, "=%v", g.Weights(u)[i])
			}
		}
	}
	fmt.Fprintf(&b, "; %d %d %d", g.Dropped.SelfLoops, g.Dropped.Duplicates, g.Symmetrised)
	return b.String()
}

const banner = "%%MatrixMarket matrix coordinate "

// readings are small files with the graph that they stand for, or the error.
var readings = []struct{ about, ext, text, want string }{
	{"pattern", ".mtx", banner + "pattern symmetric\n3 3 2\n2 1\n3 2\n", "3: 0-1 1-2; 0 0 0"},
	{"banner in any case, comments, blank lines, CRLF", ".mtx", "%%matrixmarket MATRIX Coordinate Pattern SYMMETRIC\r\n% c\r\n\r\n3 3 1\r\n\r\n% c\r\n2 1\r\n", "3: 0-1; 0 0 0"},
	{"no end of the last line", ".mtx", banner + "integer symmetric\n3 3 1\n3 1 -7", "3: 0-2=-7; 0 0 0"},
	{"general: both ways, one way, twice, loop", ".mtx", banner + "real general\n4 4 6\n1 2 1.5\n2 1 2.5\n3 2 1e3\n4 4 1\n1 2 .5\n3 4 -0.25\n", "4: 0-1=2.5 1-2=1000 2-3=-0.25; 1 1 2"},
	{"symmetric: the mirrored entry is a duplicate", ".mtx", banner + "pattern symmetric\n2 2 2\n1 2\n2 1\n", "2: 0-1; 0 1 0"},
	{"skew-symmetric", ".mtx", banner + "real skew-symmetric\n2 2 1\n2 1 -3\n", "2: 0-1=3; 0 0 0"},
	{"values that no kernel takes", ".mtx", banner + "real symmetric\n4 4 4\n2 1 nan\n3 1 inf\n4 1 0\n3 2 -Inf\n", "4: 0-1=NaN 0-2=+Inf 0-3=0 1-2=-Inf; 0 0 0"},
	{"no entries", ".mtx", banner + "pattern general\n2 2 0\n", "2:; 0 0 0"},
	{"byte order mark", ".mtx", "\xef\xbb\xbf" + banner + "pattern general\n1 1 1\n1 1\n", "1:; 1 0 0"},
	{"", ".mtx", "", "f.mtx:1: expected the banner %%MatrixMarket, found the end of the file"},
	{"", ".mtx", "\x7fELF\x02\x01\x01\x00\x00", `f.mtx:1: expected the banner %%MatrixMarket, found "\x7fELF\x02\x01\x01\x00\x00"`},
	{"", ".mtx", "%%MatrixMarket matrix array real general\n", `f.mtx:1: expected coordinate, found "array"`},
	{"", ".mtx", banner + "complex general\n", `f.mtx:1: expected pattern, integer, real, found "complex"`},
	{"", ".mtx", banner + "real hermitian\n", `f.mtx:1: expected general, symmetric, skew-symmetric, found "hermitian"`},
	{"", ".mtx", banner + "real\n", "f.mtx:1: expected general, symmetric, skew-symmetric, found the end of the line"},
	{"", ".mtx", banner + "pattern general\n3 4 1\n1 1\n", "f.mtx:2: a 3 by 4 matrix is not the adjacency matrix of a graph: want it square"},
	{"", ".mtx", banner + "pattern general\n% c\n0 0 0\n", "f.mtx:3: the number of rows is 0: a graph needs a vertex"},
	{"", ".mtx", banner + "pattern general\n2147483647 2147483647 0\n", "f.mtx:2: the number of rows 2147483647 is too large: at most 2147483646"},
	{"", ".mtx", banner + "pattern general\n2000000000 2000000000 1\n1 2\n", "f.mtx:2: 2000000000 vertices for 1 entries: a graph so empty is refused"},
	{"", ".mtx", banner + "pattern general\n3 3 1000000000000000000\n1 2\n", "f.mtx:4: the file ends after 1 of the 1000000000000000000 entries that line 2 promises"},
	{"", ".mtx", banner + "pattern general\n3 3 99999999999999999999\n1 2\n", "f.mtx:2: the number of entries 99999999999999999999 is too large"},
	{"", ".mtx", banner + "pattern general\n3 3 1\n1 2\n2 3\n", "f.mtx:4: more than the 1 entries that line 2 promises"},
	{"", ".mtx", banner + "pattern general\n3 3 2\n1 2\n2 4\n", "f.mtx:4: column 4 is out of range: vertices are 1 to 3"},
	{"", ".mtx", banner + "pattern general\n3 3 1\n0 2\n", "f.mtx:3: row 0 is out of range: vertices are 1 to 3"},
	{"", ".mtx", banner + "pattern general\n3 3 1\n-1 2\n", `f.mtx:3: expected row, found "-1"`},
	{"", ".mtx", banner + "pattern general\n3 3 1\n1 2 5\n", `f.mtx:3: expected the end of the line, found "5"`},
	{"", ".mtx", banner + "real general\n3 3 1\n1 2\n", "f.mtx:3: expected a value, found the end of the line"},
	{"", ".mtx", banner + "real general\n3 3 1\n1 2 x\n", `f.mtx:3: expected a value, found "x"`},
	{"", ".mtx", banner + "real general\n3 3 1\n1 2 1e999\n", "f.mtx:3: a value 1e999 is too large"},
	{"", ".mtx", banner + "integer general\n3 3 1\n1 2 1.5\n", "f.mtx:3: value 1.5 in a matrix of integers"},

	{"the manual's plain example", ".graph", "7 11\n5 3 2\n1 3 4\n5 4 2 1\n2 3 6 7\n1 3 6\n5 4 7\n6 4\n", "7: 0-1 0-2 0-4 1-2 1-3 2-3 2-4 3-5 3-6 4-5 5-6; 0 0 0"},
	{"edge weights", ".graph", "3 2 1\n2 5\n1 5 3 -6\n2 -6\n", "3: 0-1=5 1-2=-6; 0 0 0"},
	{"vertex weights", ".graph", "3 2 10\n9 2\n9 1 3\n9 2\n", "3: 0-1 1-2; 0 0 0"},
	{"vertex weights and edge weights", ".graph", "% c\n3 2 011 2\n9 8 2 5\n% c\n9 8 1 5 3 6\n9 8 2 6\n", "3: 0-1=5 1-2=6; 0 0 0"},
	{"vertex sizes", ".graph", "2 1 100\n7 2\n7 1\n", "2: 0-1; 0 0 0"},
	{"all flags", ".graph", "2 1 111 3\n7 1 2 3 2 4\n7 1 2 3 1 4\n", "2: 0-1=4; 0 0 0"},
	{"ncon 0", ".graph", "2 1 1 0\n2 4\n1 4\n", "2: 0-1=4; 0 0 0"},
	{"isolated vertices, the last without a line end", ".graph", "4 1\n2\n1\n\n", "4: 0-1; 0 0 0"},
	{"isolated vertices and trailing lines", ".graph", "4 1\n\n3\n2\n\n\n \n", "4: 1-2; 0 0 0"},
	{"an edge listed at one end only", ".graph", "3 1\n2 3\n\n\n", "3: 0-1 0-2; 0 0 2"},
	{"", ".graph", "", "f.graph:1: expected the number of vertices, found the end of the file"},
	{"", ".graph", "x", `f.graph:1: expected the number of vertices, found "x"`},
	{"", ".graph", "3\n", "f.graph:1: expected the number of edges, found the end of the line"},
	{"", ".graph", "3 2 12\n", `f.graph:1: expected the flags of fmt, such as 001, found "12"`},
	{"", ".graph", "3 2 1 1\n", "f.graph:1: ncon 1 does not go with the flags of fmt"},
	{"", ".graph", "3 2\n2\n1\n\n", "f.graph:1: the header promises 2 edges, which is 4 neighbors; the file lists 2"},
	{"", ".graph", "3 1\n2\n1 3\n2\n", "f.graph:3: more than the 2 neighbors of the 1 edges that the header promises"},
	{"", ".graph", "3 1\n2\n", "f.graph:3: the file ends after 1 of the 3 vertices that line 1 promises"},
	{"", ".graph", "2147483646 4000000000000000000\n2\n", "f.graph:3: the file ends after 1 of the 2147483646 vertices that line 1 promises"},
	{"", ".graph", "2 1\n2\n1\n1\n", "f.graph:4: more lines than the 2 vertices that line 1 promises"},
	{"", ".graph", "2 1\n3\n1\n", "f.graph:2: neighbor 3 is out of range: vertices are 1 to 2"},
	{"", ".graph", "2 1\n0\n1\n", "f.graph:2: neighbor 0 is out of range: vertices are 1 to 2"},
	{"", ".graph", "2 1 1\n2\n1 1\n", "f.graph:2: expected an edge weight, found the end of the line"},
	{"", ".graph", "2 1 10\n5 2\n\n", "f.graph:3: expected a vertex weight, found the end of the line"},

	{"arcs", ".gr", "c comment\np sp 3 3\na 1 2 5\n\na 2 1 5\nc c\na 2 3 9\n", "3: 0-1=5 1-2=9; 0 0 1"},
	{"the larger of two weights", ".gr", "p sp 2 3\na 1 2 5\na 2 1 7\na 1 2 6\n", "2: 0-1=7; 0 1 0"},
	{"", ".gr", "", `f.gr:1: no problem line "p sp vertices arcs"`},
	{"", ".gr", "a 1 2 5\n", `f.gr:1: an arc before the problem line "p sp vertices arcs"`},
	{"", ".gr", "p sp 2 1\np sp 2 1\n", "f.gr:2: a second problem line; the first is line 1"},
	{"", ".gr", "p tw 2 1\n1 2\n", `f.gr:1: expected problem sp, found "tw"`},
	{"", ".gr", "p sp 2 1\ne 1 2\n", `f.gr:2: expected a line that starts with c, p or a, found "e"`},
	{"", ".gr", "p sp 2 2\na 1 2 5\n", "f.gr:3: the file ends after 1 of the 2 arcs that line 1 promises"},
	{"", ".gr", "p sp 2 1\na 1 2 5\na 2 1 5\n", "f.gr:3: more than the 1 arcs that line 1 promises"},
	{"", ".gr", "p sp 2 1\na 1 3 5\n", "f.gr:2: head 3 is out of range: vertices are 1 to 2"},
	{"", ".gr", "p sp 2 1\na 1 2\n", "f.gr:2: expected a weight, found the end of the line"},
	{"", ".gr", "p sp 2 1000000000000000000\n", "f.gr:2: the file ends after 0 of the 1000000000000000000 arcs that line 1 promises"},
	{"", ".gr", "p sp 2000000000 1\na 1 2 3\n", "f.gr:1: 2000000000 vertices for 1 entries: a graph so empty is refused"},

	{"spaces, tabs, commas, comments", ".txt", "# c\n% c\n0 1\n1\t2 # c\n2,3\n 3, 0\n\n", "4: 0-1 0-3 1-2 2-3; 0 0 4"},
	{"from 1, with gaps", ".txt", "7 1\n7 90\n90 7\n", "3: 0-1 1-2; 0 0 1"},
	{"the largest id", ".txt", "0 2147483646\n", "2: 0-1; 0 0 1"},
	{"weights", ".el", "0 1 2.5\n1 2 -1e-3", "3: 0-1=2.5 1-2=-0.001; 0 0 2"},
	{"a vertex by its loop", ".csv", "0,0\n1,2\n", "3: 1-2; 1 0 1"},
	{"", ".txt", "", "f.txt:1: the file lists no edges"},
	{"", ".txt", "# only\n# comments\n", "f.txt:3: the file lists no edges"},
	{"", ".txt", "0 1\n2 2147483647\n", "f.txt:2: vertex id 2147483647 is too large: at most 2147483646"},
	{"", ".txt", "0 1\n2 -3\n", `f.txt:2: expected a vertex id, found "-3"`},
	{"", ".txt", "0 1\n2\n", "f.txt:2: expected a vertex id, found the end of the line"},
	{"", ".txt", "0 1\n1 2 3\n", "f.txt:2: all lines or none must have a weight: line 1 differs"},
	{"", ".txt", "0 1 5\n1 2\n", "f.txt:2: all lines or none must have a weight: line 1 differs"},
	{"", ".txt", "0 1 5 6\n", `f.txt:1: expected the end of the line, found "6"`},
	{"", ".txt", "0 1 a\n", `f.txt:1: expected a weight, found "a"`},
	{"", ".txt", "from to\n", `f.txt:1: expected a vertex id, found "from"`},
	{"", ".txt", "0 1\x00\n", `f.txt:1: expected a vertex id, found "1\x00"`},
	{"", ".txt", "0 1 " + strings.Repeat("9", 200) + "\n", `f.txt:1: expected a weight, found "999999999999999999999999"...`},
}

func compressed(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	return b.Bytes()
}

func TestReadings(t *testing.T) {
	for _, r := range readings {
		for how, reader := range map[string]io.Reader{
			"plain":          strings.NewReader(r.text),
			"byte by byte":   iotest.OneByteReader(strings.NewReader(r.text)),
			"data with EOF":  iotest.DataErrReader(strings.NewReader(r.text)),
			"gzip":           bytes.NewReader(compressed(r.text)),
			"gzip in pieces": iotest.OneByteReader(bytes.NewReader(compressed(r.text))),
		} {
			name := "f" + r.ext
			g, err := formatOf(name).read(reader, name)
			got := ""
			if err != nil {
				got = err.Error()
			} else {
				wellFormed(t, g)
				got = show(g)
			}
			if got != r.want {
				t.Errorf("%s %s, %s:\n%s\ngot  %s\nwant %s", r.ext, r.about, how, r.text, got, r.want)
			}
		}
	}
}

func TestNumberEqualsStrconv(t *testing.T) {
	for text, want := range map[string]float64{
		"0": 0, "-0": math.Copysign(0, -1), "+1": 1, "1.": 1, ".5": 0.5, "123456789012345": 123456789012345,
		"0.1": 0.1, "0.3": 0.3, "1.00000000000005": 1.00000000000005, "9007199254740993": 9007199254740992,
		"0.000000000000001": 1e-15, "000000000000000000001": 1, "1e-400": 0, "4.9e-324": 4.9e-324, "179.76931348623157e306": math.MaxFloat64,
	} {
		s := newScanner(strings.NewReader(text+"\n"), "f")
		if got, err := s.number("a number"); err != nil || !same(got, want) || s.endLine() != nil {
			t.Errorf("%s reads as %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "-", ".", "1..2", "1.2.3", "e5", "1e", "--1", "1x", "0x", "1_000", "0x1p3"} {
		if got, err := newScanner(strings.NewReader(text+"\n"), "f").number("a number"); err == nil {
			t.Errorf("%q reads as %v", text, got)
		}
	}
}

// A gzip file that is cut short anywhere, or has any one bit wrong in its
// data, is refused or read right.
func TestDamagedGzip(t *testing.T) {
	var text strings.Builder
	text.WriteString("% no edge count to notice what is missing\n")
	for i := range 300 {
		fmt.Fprintf(&text, "%d %d\n", i, i*i%301)
	}
	whole := compressed(text.String())
	good, err := ReadEdgeList(bytes.NewReader(whole), "f.txt.gz")
	if err != nil {
		t.Fatal(err)
	}
	for n := 2; n < len(whole); n += 1 + n/40 {
		_, err := ReadEdgeList(bytes.NewReader(whole[:n]), "f.txt.gz")
		if err == nil || !strings.HasSuffix(err.Error(), ": the compressed data is cut short") || !strings.HasPrefix(err.Error(), "f.txt.gz:") {
			t.Fatalf("%d of %d bytes: %v", n, len(whole), err)
		}
	}
	for i := 10; i < len(whole); i += 7 { // the first 10 bytes are the header
		bad := bytes.Clone(whole)
		bad[i] ^= 0x10
		// The last byte of the data may end in bits that mean nothing.
		if g, err := ReadEdgeList(bytes.NewReader(bad), "f.txt.gz"); err == nil && !equal(g, good) {
			t.Fatalf("a wrong bit in byte %d went unnoticed", i)
		}
	}
}

func TestReadErrorIsReported(t *testing.T) {
	for _, f := range formats {
		name := "f" + f.extensions[0]
		_, err := f.read(iotest.ErrReader(io.ErrClosedPipe), name)
		if err == nil || err.Error() != name+":1: io: read/write on closed pipe" {
			t.Errorf("%s: %v", f.kind, err)
		}
	}
}

// BenchmarkRead reads a graph of 2^14 vertices from memory, in each format.
func BenchmarkRead(b *testing.B) {
	g := family("rmat-er", 14).Generate(nil)
	g.EnsureWeights(1)
	for _, f := range formats {
		var text bytes.Buffer
		if err := f.write(&text, g); err != nil {
			b.Fatal(err)
		}
		b.Run(f.kind, func(b *testing.B) {
			b.SetBytes(int64(text.Len()))
			for b.Loop() {
				if _, err := f.read(bytes.NewReader(text.Bytes()), "g"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
