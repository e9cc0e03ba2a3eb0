package graph

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
)

// ReadMETIS reads a graph file of METIS (Karypis, METIS manual 5.1, section
// 4.1.1), plain or gzip-compressed: a header "vertices edges [fmt [ncon]]", then
// a line for each vertex with its neighbors, from 1. All of fmt's flags are
// understood: edge weights are kept, vertex sizes and vertex weights are read
// and left out. An edge that one of its two ends does not list is added.
// Errors name name and the line.
func ReadMETIS(r io.Reader, name string) (*Graph, error) {
	s := newScanner(r, name)
	s.skipComments("%")
	headerLine := s.line
	h, err := readMETISHeader(s)
	if err != nil {
		return nil, err
	}
	l := &entryList{}
	for v := range h.n {
		for s.peek() == '%' {
			s.skipLine()
		}
		// The last vertex's line may be empty and lack its end.
		if s.ended() && (v < h.n-1 || h.prefix > 0) {
			return nil, s.errorf("the file ends after %d of the %d vertices that line %d promises", v, h.n, headerLine)
		}
		if err := h.readVertex(s, int32(v), l); err != nil {
			return nil, err
		}
	}
	s.skipComments("%")
	if !s.ended() {
		return nil, s.errorf("more lines than the %d vertices that line %d promises", h.n, headerLine)
	}
	if err := s.finish(); err != nil {
		return nil, err
	}
	if uint64(l.n) != 2*h.edges {
		return nil, s.errorAt(headerLine, "the header promises %d edges, which is %d neighbors; the file lists %d", h.edges, 2*h.edges, l.n)
	}
	g := build(h.n, l, true)
	g.Name = filepath.Base(name)
	if h.weighted && g.Weight == nil {
		g.Weight = []float64{}
	}
	if h.prefix > 0 {
		g.Notes = append(g.Notes, fmt.Sprintf("%d vertex weights and sizes of each vertex left out", h.prefix))
	}
	return g, nil
}

type metisHeader struct {
	n        int
	edges    uint64
	prefix   int  // numbers before a vertex's neighbors: its size and weights
	weighted bool // a weight follows each neighbor
}

func readMETISHeader(s *scanner) (h metisHeader, err error) {
	if h.n, err = s.vertices("the number of vertices"); err != nil {
		return h, err
	}
	if h.edges, err = s.integer("the number of edges"); err != nil {
		return h, err
	}
	const maxEdges = 1 << 62
	if h.edges > maxEdges {
		return h, s.errorf("the number of edges %d is too large", h.edges)
	}
	flags := s.word()
	if len(flags) == 0 {
		return h, s.endLine()
	}
	var bits int
	for _, c := range flags {
		if c != '0' && c != '1' || len(flags) > 3 {
			return h, s.expected("the flags of fmt, such as 001")
		}
		bits = bits<<1 | int(c-'0')
	}
	s.pos += len(flags)
	h.weighted = bits&1 != 0
	ncon := bits >> 1 & 1
	if len(s.word()) > 0 {
		n, err := s.integer("ncon")
		if err != nil {
			return h, err
		}
		// METIS writes 0 for files without vertex weights.
		const maxWeights = 1 << 20
		if (n > 0) != (ncon == 1) || n > maxWeights {
			return h, s.errorf("ncon %d does not go with the flags of fmt", n)
		}
		ncon = int(n)
	}
	h.prefix = ncon + bits>>2
	return h, s.endLine()
}

func (h metisHeader) readVertex(s *scanner, u int32, l *entryList) error {
	for range h.prefix {
		if _, err := s.number("a vertex weight"); err != nil {
			return err
		}
	}
	for {
		if c := s.peek(); c == '\n' || s.ended() {
			break
		}
		v, err := s.vertex("neighbor", h.n)
		if err != nil {
			return err
		}
		if h.weighted {
			w, err := s.number("an edge weight")
			if err != nil {
				return err
			}
			l.addWeighted(u, v, w)
		} else {
			l.add(u, v)
		}
		if uint64(l.n) > 2*h.edges {
			return s.errorf("more than the %d neighbors of the %d edges that the header promises", 2*h.edges, h.edges)
		}
	}
	return s.endLine()
}

func writeMETIS(w io.Writer, g *Graph) error {
	if g.Weight != nil && !g.integral() {
		return fmt.Errorf("%s: METIS files hold integer weights only", g.Name)
	}
	out := textWriter{Writer: bufio.NewWriter(w)}
	out.integers(int64(g.Vertices()), g.Edges())
	if g.Weight != nil {
		out.text(" 001")
	}
	out.text("\n")
	for u := range int32(g.Vertices()) {
		for i, v := range g.Neighbors(u) {
			if i > 0 {
				out.text(" ")
			}
			out.integers(int64(v) + 1)
			if g.Weight != nil {
				out.text(" ")
				out.number(g.Weights(u)[i])
			}
		}
		out.text("\n")
	}
	return out.Flush()
}
