package graph

import (
	"bufio"
	"io"
	"math/bits"
	"path/filepath"
)

// ReadEdgeList reads lines "u v" or "u v weight", plain or gzip-compressed,
// words apart by spaces, tabs or commas, comments from # or % to the line's
// end. Ids are any whole numbers up to MaxVertices. Published lists start at 0
// or 1 and leave gaps, so the vertices are the ids that occur, numbered in
// ascending order: a list that uses all of 0 to V-1 keeps its ids. A line "u u"
// makes u a vertex and no edge. Errors name name and the line.
func ReadEdgeList(r io.Reader, name string) (*Graph, error) {
	s := newScanner(r, name)
	s.comma = ','
	l := &entryList{}
	ids := &idSet{}
	weighted, firstLine := false, 0
	for {
		s.skipComments("#%")
		if s.ended() {
			break
		}
		u, err := readID(s)
		if err != nil {
			return nil, err
		}
		v, err := readID(s)
		if err != nil {
			return nil, err
		}
		ids.add(u)
		ids.add(v)
		c := s.peek()
		hasWeight := c != '\n' && c != '#' && c != '%' && !s.ended()
		if firstLine == 0 {
			weighted, firstLine = hasWeight, s.line
		}
		if hasWeight != weighted {
			return nil, s.errorf("all lines or none must have a weight: line %d differs", firstLine)
		}
		if weighted {
			w, err := s.number("a weight")
			if err != nil {
				return nil, err
			}
			l.addWeighted(u, v, w)
		} else {
			l.add(u, v)
		}
		if c := s.peek(); c == '#' || c == '%' {
			s.skipLine()
		} else if err := s.endLine(); err != nil {
			return nil, err
		}
	}
	if l.n == 0 {
		return nil, s.errorf("the file lists no edges")
	}
	if err := s.finish(); err != nil {
		return nil, err
	}
	n := ids.number()
	inBlocks(len(l.pairs), 1, func(c, _ int) {
		for i, e := range l.pairs[c] {
			l.pairs[c][i] = pair{ids.rank(e.u), ids.rank(e.v)}
		}
	})
	g := build(n, l, true)
	g.Name = filepath.Base(name)
	if int(ids.largest) != n-1 {
		g.Notes = append(g.Notes, "ids renumbered from 0 without gaps")
	}
	return g, nil
}

func readID(s *scanner) (int32, error) {
	id, err := s.integer("a vertex id")
	if err != nil {
		return 0, err
	}
	if id > MaxVertices {
		return 0, s.errorf("vertex id %d is too large: at most %d", id, MaxVertices)
	}
	return int32(id), nil
}

// idSet is a set of vertex ids that knows each member's rank. It is a bit map
// in pages, so its size follows the ids that occur, not the largest.
type idSet struct {
	pages   [1 << (31 - pageBits)]*idPage
	largest int32
}

const pageBits = 14

type idPage struct {
	bits [1 << (pageBits - 6)]uint64
	// below is the number of members under each word of bits; see number.
	below [1 << (pageBits - 6)]int32
}

func (s *idSet) add(id int32) {
	page := s.pages[id>>pageBits]
	if page == nil {
		page = &idPage{}
		s.pages[id>>pageBits] = page
	}
	i := id & (1<<pageBits - 1)
	page.bits[i>>6] |= 1 << (i & 63)
	s.largest = max(s.largest, id)
}

// number prepares rank and returns the number of members.
func (s *idSet) number() int {
	members := 0
	for _, page := range s.pages {
		if page == nil {
			continue
		}
		for i, word := range page.bits {
			page.below[i] = int32(members)
			members += bits.OnesCount64(word)
		}
	}
	return members
}

// rank returns the number of members smaller than id, itself a member.
func (s *idSet) rank(id int32) int32 {
	page := s.pages[id>>pageBits]
	i := id & (1<<pageBits - 1)
	return page.below[i>>6] + int32(bits.OnesCount64(page.bits[i>>6]&(1<<(i&63)-1)))
}

// writeEdgeList writes each edge once, the smaller id first. A vertex without
// edges is written as a self-loop, for a reader to see that it exists.
func writeEdgeList(w io.Writer, g *Graph) error {
	out := textWriter{Writer: bufio.NewWriter(w)}
	for u := range int32(g.Vertices()) {
		if g.Degree(u) == 0 {
			out.integers(int64(u), int64(u))
			if g.Weight != nil {
				out.text(" 1")
			}
			out.text("\n")
		}
		for i, v := range g.Neighbors(u) {
			if v < u {
				continue
			}
			out.integers(int64(u), int64(v))
			if g.Weight != nil {
				out.text(" ")
				out.number(g.Weights(u)[i])
			}
			out.text("\n")
		}
	}
	return out.Flush()
}
