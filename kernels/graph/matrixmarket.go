package graph

import (
	"bufio"
	"bytes"
	"io"
	"math"
	"path/filepath"
	"strings"
)

// ReadMatrixMarket reads a square sparse matrix in the coordinate format of
// the Matrix Market exchange formats (Boisvert, Pozo, Remington, NISTIR 5935,
// 1996), plain or gzip-compressed, as the graph of its off-diagonal entries.
// The field is pattern, integer or real; the symmetry general (a directed
// graph), symmetric or skew-symmetric (its weights are the magnitudes).
// Explicit zeros are edges of weight zero. Errors name name and the line.
func ReadMatrixMarket(r io.Reader, name string) (*Graph, error) {
	s := newScanner(r, name)
	m, err := readBanner(s)
	if err != nil {
		return nil, err
	}
	s.skipComments("%")
	sizeLine := s.line
	n, entries, err := m.readSize(s)
	if err != nil {
		return nil, err
	}
	l := &entryList{}
	for {
		s.skipComments("%")
		if s.ended() {
			break
		}
		if uint64(l.n) == entries {
			return nil, s.errorf("more than the %d entries that line %d promises", entries, sizeLine)
		}
		if err := m.readEntry(s, n, l); err != nil {
			return nil, err
		}
	}
	if uint64(l.n) != entries {
		return nil, s.errorf("the file ends after %d of the %d entries that line %d promises", l.n, entries, sizeLine)
	}
	if err := s.finish(); err != nil {
		return nil, err
	}
	if err := s.checkSparse(sizeLine, n, l.n); err != nil {
		return nil, err
	}
	g := build(n, l, m.symmetry == "general")
	g.Name = filepath.Base(name)
	if m.symmetry == "skew-symmetric" {
		g.Notes = append(g.Notes, "skew-symmetric: weights are the magnitudes")
	}
	if m.field != "pattern" && g.Weight == nil {
		g.Weight = []float64{}
	}
	return g, nil
}

// matrixMarket is what the banner says.
type matrixMarket struct{ field, symmetry string }

func readBanner(s *scanner) (matrixMarket, error) {
	var m matrixMarket
	if !bytes.EqualFold(s.word(), []byte("%%MatrixMarket")) {
		return m, s.expected("the banner %%MatrixMarket")
	}
	s.pos += len("%%MatrixMarket")
	for _, part := range []struct {
		to      *string
		allowed []string
	}{
		{new(string), []string{"matrix"}},
		{new(string), []string{"coordinate"}},
		{&m.field, []string{"pattern", "integer", "real"}},
		{&m.symmetry, []string{"general", "symmetric", "skew-symmetric"}},
	} {
		word := strings.ToLower(string(s.word()))
		for _, a := range part.allowed {
			if word == a {
				*part.to = a
			}
		}
		if *part.to == "" {
			return m, s.expected(strings.Join(part.allowed, ", "))
		}
		s.pos += len(word)
	}
	return m, s.endLine()
}

func (m matrixMarket) readSize(s *scanner) (n int, entries uint64, err error) {
	if n, err = s.vertices("the number of rows"); err != nil {
		return 0, 0, err
	}
	columns, err := s.integer("the number of columns")
	if err != nil {
		return 0, 0, err
	}
	if columns != uint64(n) {
		return 0, 0, s.errorf("a %d by %d matrix is not the adjacency matrix of a graph: want it square", n, columns)
	}
	if entries, err = s.integer("the number of entries"); err != nil {
		return 0, 0, err
	}
	return n, entries, s.endLine()
}

func (m matrixMarket) readEntry(s *scanner, n int, l *entryList) error {
	u, err := s.vertex("row", n)
	if err != nil {
		return err
	}
	v, err := s.vertex("column", n)
	if err != nil {
		return err
	}
	if m.field == "pattern" {
		l.add(u, v)
		return s.endLine()
	}
	w, err := s.number("a value")
	if err != nil {
		return err
	}
	if m.field == "integer" && w != math.Trunc(w) {
		return s.errorf("value %v in a matrix of integers", w)
	}
	if m.symmetry == "skew-symmetric" {
		w = math.Abs(w)
	}
	l.addWeighted(u, v, w)
	return s.endLine()
}

func writeMatrixMarket(w io.Writer, g *Graph) error {
	field := "pattern"
	if g.Weight != nil {
		field = "real"
		if g.integral() {
			field = "integer"
		}
	}
	out := textWriter{Writer: bufio.NewWriter(w)}
	out.text("%%MatrixMarket matrix coordinate " + field + " symmetric\n")
	out.integers(int64(g.Vertices()), int64(g.Vertices()), g.Edges())
	out.text("\n")
	for u := range int32(g.Vertices()) {
		for i, v := range g.Neighbors(u) {
			if v >= u { // the lower triangle
				break
			}
			out.integers(int64(u)+1, int64(v)+1)
			if g.Weight != nil {
				out.text(" ")
				out.number(g.Weights(u)[i])
			}
			out.text("\n")
		}
	}
	return out.Flush()
}
