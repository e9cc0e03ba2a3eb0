package graph

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
)

// ReadDIMACS reads a shortest-path problem file of the 9th DIMACS
// implementation challenge (.gr), plain or gzip-compressed: comments "c ...",
// one problem line "p sp vertices arcs" and arcs "a tail head weight", vertices
// from 1. Errors name name and the line.
func ReadDIMACS(r io.Reader, name string) (*Graph, error) {
	s := newScanner(r, name)
	var n, problemLine int
	var arcs uint64
	l := &entryList{}
	for !s.ended() {
		var err error
		switch kind := string(s.word()); {
		case kind == "":
			err = s.endLine()
		case kind[0] == 'c':
			s.skipLine()
		case kind == "p" && problemLine > 0:
			err = s.errorf("a second problem line; the first is line %d", problemLine)
		case kind == "p":
			problemLine = s.line
			n, arcs, err = readProblem(s)
		case kind == "a" && problemLine == 0:
			err = s.errorf("an arc before the problem line \"p sp vertices arcs\"")
		case kind == "a" && uint64(l.n) == arcs:
			err = s.errorf("more than the %d arcs that line %d promises", arcs, problemLine)
		case kind == "a":
			err = readArc(s, n, l)
		default:
			err = s.expected("a line that starts with c, p or a")
		}
		if err != nil {
			return nil, err
		}
	}
	if problemLine == 0 {
		return nil, s.errorf("no problem line \"p sp vertices arcs\"")
	}
	if uint64(l.n) != arcs {
		return nil, s.errorf("the file ends after %d of the %d arcs that line %d promises", l.n, arcs, problemLine)
	}
	if err := s.finish(); err != nil {
		return nil, err
	}
	if err := s.checkSparse(problemLine, n, l.n); err != nil {
		return nil, err
	}
	g := build(n, l, true)
	g.Name = filepath.Base(name)
	if g.Weight == nil {
		g.Weight = []float64{}
	}
	return g, nil
}

func readProblem(s *scanner) (n int, arcs uint64, err error) {
	s.pos++ // p
	if string(s.word()) != "sp" {
		return 0, 0, s.expected("problem sp")
	}
	s.pos += len("sp")
	if n, err = s.vertices("the number of vertices"); err != nil {
		return 0, 0, err
	}
	if arcs, err = s.integer("the number of arcs"); err != nil {
		return 0, 0, err
	}
	return n, arcs, s.endLine()
}

func readArc(s *scanner, n int, l *entryList) error {
	s.pos++ // a
	u, err := s.vertex("tail", n)
	if err != nil {
		return err
	}
	v, err := s.vertex("head", n)
	if err != nil {
		return err
	}
	w, err := s.number("a weight")
	if err != nil {
		return err
	}
	l.addWeighted(u, v, w)
	return s.endLine()
}

// writeDIMACS writes each edge as two arcs. The format knows no graph without
// weights: there an arc has length 1.
func writeDIMACS(w io.Writer, g *Graph) error {
	if g.Weight != nil && !g.integral() {
		return fmt.Errorf("%s: DIMACS .gr files hold integer weights only", g.Name)
	}
	out := textWriter{Writer: bufio.NewWriter(w)}
	out.text("p sp ")
	out.integers(int64(g.Vertices()), 2*g.Edges())
	out.text("\n")
	for u := range int32(g.Vertices()) {
		for i, v := range g.Neighbors(u) {
			out.text("a ")
			out.integers(int64(u)+1, int64(v)+1)
			out.text(" ")
			if g.Weight != nil {
				out.number(g.Weights(u)[i])
			} else {
				out.text("1")
			}
			out.text("\n")
		}
	}
	return out.Flush()
}
