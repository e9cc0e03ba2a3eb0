package graph

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"
)

const (
	scanBuffer = 1 << 16
	// maxToken is the length of the longest number or word in a file.
	maxToken = 64
)

// scanner reads the words of a text file, plain or gzip-compressed, one line
// after another, and knows where it is. A word never runs over a line's end.
type scanner struct {
	r    io.Reader
	name string
	line int
	// buf[pos:end] is read and not yet consumed; buf[end] is 0, so that no
	// loop over a word needs to look for the end.
	buf      []byte
	pos, end int
	atEnd    bool
	failure  error // of the reader, other than io.EOF
	comma    byte  // a further character that separates words
}

func newScanner(r io.Reader, name string) *scanner {
	s := &scanner{r: r, name: name, line: 1, buf: make([]byte, scanBuffer+1), comma: ' '}
	s.ensure()
	if bytes.HasPrefix(s.buf[:s.end], []byte{0x1f, 0x8b}) {
		head := bytes.Clone(s.buf[:s.end])
		if s.failure == nil {
			z, err := gzip.NewReader(io.MultiReader(bytes.NewReader(head), r))
			if err != nil {
				s.failure = damaged(err)
			}
			s.r = z
		}
		s.pos, s.end = 0, 0
		s.atEnd = s.failure != nil
		s.buf[0] = 0
		s.ensure()
	}
	if bytes.HasPrefix(s.buf[:s.end], []byte("\xef\xbb\xbf")) {
		s.pos = 3 // a byte order mark
	}
	return s
}

// damaged says in words what is wrong with gzip data.
func damaged(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return errors.New("the compressed data is cut short")
	}
	return fmt.Errorf("the compressed data is damaged: %w", err)
}

// ensure makes a whole word available at pos, unless the file ends before.
func (s *scanner) ensure() {
	if s.end-s.pos >= maxToken || s.atEnd {
		return
	}
	s.end = copy(s.buf, s.buf[s.pos:s.end])
	s.pos = 0
	for idle := 0; s.end < maxToken && !s.atEnd; {
		n, err := s.r.Read(s.buf[s.end:scanBuffer])
		s.end += n
		if idle++; n > 0 {
			idle = 0
		} else if err == nil && idle > 100 {
			err = io.ErrNoProgress
		}
		if err == nil {
			continue
		}
		s.atEnd = true
		if _, compressed := s.r.(*gzip.Reader); compressed && err != io.EOF {
			s.failure = damaged(err)
		} else if err != io.EOF {
			s.failure = err
		}
	}
	s.buf[s.end] = 0
}

// errorf returns an error at the current line. Where the file could not be
// read on, that is the error.
func (s *scanner) errorf(format string, args ...any) error {
	if s.failure != nil {
		return fmt.Errorf("%s:%d: %w", s.name, s.line, s.failure)
	}
	return fmt.Errorf("%s:%d: %s", s.name, s.line, fmt.Sprintf(format, args...))
}

func (s *scanner) errorAt(line int, format string, args ...any) error {
	if s.failure == nil {
		s.line = line
	}
	return s.errorf(format, args...)
}

// peek moves to the next word of the line and returns its first character:
// '\n' at the end of the line, 0 at the end of the file.
func (s *scanner) peek() byte {
	for {
		c := s.buf[s.pos]
		if c == ' ' || c == '\t' || c == '\r' || c == s.comma {
			s.pos++
			continue
		}
		if s.end-s.pos < maxToken && !s.atEnd {
			s.ensure()
			continue
		}
		return c
	}
}

// ended says whether nothing is left of the file. A 0 byte in the file is not
// the end.
func (s *scanner) ended() bool { return s.peek() == 0 && s.pos == s.end }

// skipLine consumes the rest of the line.
func (s *scanner) skipLine() {
	for {
		rest := s.buf[s.pos:s.end]
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			s.pos += i + 1
			s.line++
			return
		}
		s.pos = s.end
		if s.atEnd {
			return
		}
		s.ensure()
	}
}

// skipComments consumes empty lines, and lines that start with one of the
// marks.
func (s *scanner) skipComments(marks string) {
	for {
		c := s.peek()
		switch {
		case c == '\n' || c != 0 && strings.IndexByte(marks, c) >= 0:
			s.skipLine()
		default:
			return
		}
	}
}

// endLine consumes the end of the line and refuses anything before it.
func (s *scanner) endLine() error {
	switch c := s.peek(); {
	case c == '\n':
		s.pos++
		s.line++
	case !s.ended():
		return s.expected("the end of the line")
	}
	return nil
}

// word returns the next word of the line, at most maxToken bytes of it; empty
// at the line's end. It is valid until the next call.
func (s *scanner) word() []byte {
	s.peek()
	p := s.pos
	for p < s.end && p-s.pos < maxToken && !s.separates(s.buf[p]) {
		p++
	}
	return s.buf[s.pos:p]
}

func (s *scanner) separates(c byte) bool {
	return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == s.comma
}

// expected is the error that something else stands where what should.
func (s *scanner) expected(what string) error {
	switch found := s.word(); {
	case s.ended():
		return s.errorf("expected %s, found the end of the file", what)
	case len(found) == 0:
		return s.errorf("expected %s, found the end of the line", what)
	case len(found) > 24:
		return s.errorf("expected %s, found %q...", what, found[:24])
	default:
		return s.errorf("expected %s, found %q", what, found)
	}
}

// integer reads a whole number without sign.
func (s *scanner) integer(what string) (uint64, error) {
	s.peek()
	var n uint64
	p := s.pos
	for d := s.buf[p] - '0'; d <= 9; d = s.buf[p] - '0' {
		n = n*10 + uint64(d)
		p++
	}
	if p == s.pos || !(s.separates(s.buf[p]) || p == s.end) {
		return 0, s.expected(what)
	}
	if p-s.pos > 19 {
		return 0, s.errorf("%s %s is too large", what, s.word())
	}
	s.pos = p
	return n, nil
}

// vertex reads a vertex id from 1 to n and returns it from 0.
func (s *scanner) vertex(what string, n int) (int32, error) {
	start := s.pos
	id, err := s.integer(what)
	if err != nil {
		return 0, err
	}
	if id-1 >= uint64(n) {
		s.pos = start
		return 0, s.errorf("%s %d is out of range: vertices are 1 to %d", what, id, n)
	}
	return int32(id - 1), nil
}

// vertices reads a header's number of vertices.
func (s *scanner) vertices(what string) (int, error) {
	n, err := s.integer(what)
	if err == nil && n == 0 {
		err = s.errorf("%s is 0: a graph needs a vertex", what)
	}
	if err == nil && n > MaxVertices {
		err = s.errorf("%s %d is too large: at most %d", what, n, MaxVertices)
	}
	return int(n), err
}

// number reads a number in decimal or scientific notation, or one of inf and
// nan.
func (s *scanner) number(what string) (float64, error) {
	s.peek()
	p := s.pos
	negative := s.buf[p] == '-'
	if negative || s.buf[p] == '+' {
		p++
	}
	// Up to 15 digits and 22 decimal places, one correctly rounded division
	// gives the nearest float64.
	var mantissa uint64
	digits, places := 0, -1
	for ; p-s.pos < maxToken; p++ {
		if d := s.buf[p] - '0'; d <= 9 {
			mantissa = mantissa*10 + uint64(d)
			digits++
			if places >= 0 {
				places++
			}
		} else if s.buf[p] == '.' && places < 0 {
			places = 0
		} else {
			break
		}
	}
	if digits > 0 && digits <= 15 && (s.separates(s.buf[p]) || p == s.end) {
		s.pos = p
		w := float64(mantissa)
		if places > 0 {
			w /= powersOfTen[places]
		}
		if negative {
			w = -w
		}
		return w, nil
	}
	word := s.word()
	if bytes.ContainsAny(word, "_xX") { // Go's own notations
		return 0, s.expected(what)
	}
	w, err := strconv.ParseFloat(string(word), 64)
	if errors.Is(err, strconv.ErrRange) && math.IsInf(w, 0) {
		return 0, s.errorf("%s %s is too large", what, word)
	}
	if err != nil && !errors.Is(err, strconv.ErrRange) || len(word) == maxToken {
		return 0, s.expected(what)
	}
	s.pos += len(word)
	return w, nil
}

var powersOfTen = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// finish returns the reader's own error, if it had one.
func (s *scanner) finish() error {
	if s.failure != nil {
		return s.errorf("")
	}
	return nil
}

// checkSparse refuses a number of vertices out of all proportion to the file:
// memory must not follow a number in a header.
func (s *scanner) checkSparse(line, n int, entries int64) error {
	if int64(n) > 64*entries+1<<20 {
		return s.errorAt(line, "%d vertices for %d entries: a graph so empty is refused", n, entries)
	}
	return nil
}
