package traces

import (
	"fmt"
	"io"
	"strings"

	"heddle/sim"
)

// viewer writes a file for a viewer of traces. Times are from the start of the
// timed part of the run. Errors come out of close.
type viewer interface {
	// group adds a group of tracks: a core, the host. Groups are shown in the
	// order of their ranks.
	group(id int, name string, rank int)
	// track adds a track to a group, whose tracks are shown in the order of
	// their ranks. Slices of a track nest; of two that begin at the same time
	// the outer comes first.
	track(id, group int, name string, rank int)
	// counter adds a track of values to a group.
	counter(id, group int, name, unit string)
	// begin opens a slice, whose end is not known yet, and end closes it.
	begin(track int, s *slice)
	end(track int, at sim.Time)
	// slice adds one whose end is known.
	slice(track int, s *slice)
	value(counter int, at sim.Time, v float64)
	close() error
}

// Ranks of groups and tracks. Contexts have their numbers.
const (
	rankMachine = iota
	rankHost
	rankCores
	rankRequests = 1 << 30 // below a core's contexts
)

// slice is something that took time.
type slice struct {
	name     string
	kind     string // launch, region, copy, threads, state or request
	id       uint64
	parent   uint64 // the slice that it is a part of, 0 for none
	from, to sim.Time
	args     []arg
}

// arg is a detail of a slice: a text or a number.
type arg struct {
	name, text string
	number     uint64
	hex        bool
}

func (a *arg) String() string {
	switch {
	case a.text != "":
		return a.text
	case a.hex:
		return fmt.Sprintf("%#x", a.number)
	}
	return fmt.Sprint(a.number)
}

// Formats are the endings of the files that a Tracer writes, each with what
// reads it.
const Formats = ".pftrace or .json, either with .gz (Perfetto), .sqlite3 or .db (akita's Daisen)"

// IsDatabase reports whether the ending of path asks for a database, which is
// written by path and not through an io.Writer.
func IsDatabase(path string) bool {
	return strings.HasSuffix(path, ".sqlite3") || strings.HasSuffix(path, ".db")
}

// CheckPath returns why the ending of path names no format.
func CheckPath(path string) error {
	name := strings.TrimSuffix(path, ".gz")
	if IsDatabase(path) || strings.HasSuffix(name, ".pftrace") || strings.HasSuffix(name, ".json") {
		return nil
	}
	return fmt.Errorf("%s: what format? The name ends in %s", path, Formats)
}

// newViewer returns the writer of the format that the ending of path names. A
// database is written to file, which exists and is empty, the others to w.
func newViewer(path, file string, w io.Writer) (viewer, error) {
	if err := CheckPath(path); err != nil {
		return nil, err
	}
	if IsDatabase(path) {
		return newDaisen(file)
	}
	out := newOutput(w, strings.HasSuffix(path, ".gz"))
	if strings.HasSuffix(strings.TrimSuffix(path, ".gz"), ".json") {
		return newChrome(out), nil
	}
	return newPerfetto(out), nil
}
