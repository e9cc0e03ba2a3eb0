package traces

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strconv"

	_ "modernc.org/sqlite" // the driver

	"heddle/sim"
)

// daisen writes the SQLite database that akita's Daisen shows (Sun et al.,
// "Daisen: a framework for visualizing detailed GPU execution", EuroVis 2021):
// a task a row, with the columns that akita/v3/tracing reads. Times are in
// seconds.
type daisen struct {
	db     *sql.DB
	tx     *sql.Tx
	insert *sql.Stmt
	rows   int // in the transaction
	groups map[int]string
	where  map[int]string // of tracks
	open   map[int]slice  // by track: begun, and not ended
	from   sim.Time       // of the first task
	to     sim.Time       // of the last
	err    error          // the first
}

// daisenRows is how many rows are written at once.
const daisenRows = 1 << 14

// daisenWhole is the kind of the task that all others are part of, number 0;
// Daisen shows the time that it takes.
const daisenWhole = "Simulation"

// daisenTable is the table that akita's reader asks.
const daisenTable = `CREATE TABLE trace (
	task_id varchar(200) NULL UNIQUE, parent_id varchar(200) NULL, kind varchar(100) NULL, what varchar(100) NULL,
	location varchar(100) NULL, start_time float NULL, end_time float NULL)`

// daisenIndexes are the columns that Daisen searches, task_id aside.
var daisenIndexes = []string{"parent_id", "kind", "what", "location", "start_time", "end_time"}

// newDaisen writes to a file, which exists and is empty.
func newDaisen(file string) (*daisen, error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	name := url.URL{Scheme: "file", Path: path}
	db, err := sql.Open("sqlite", name.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	d := &daisen{db: db, groups: map[int]string{}, where: map[int]string{}, open: map[int]slice{}, from: sim.Never}
	// The file counts for nothing before it is whole.
	for _, command := range []string{"PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF", daisenTable} {
		if _, err := db.Exec(command); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", file, err), db.Close())
		}
	}
	return d, nil
}

func (d *daisen) group(id int, name string, _ int) { d.groups[id] = name }

func (d *daisen) track(id, group int, name string, _ int) { d.where[id] = d.groups[group] + "." + name }

// Daisen computes its own curves, from tasks.
func (d *daisen) counter(int, int, string, string)   {}
func (d *daisen) value(_ int, _ sim.Time, _ float64) {}

func (d *daisen) begin(track int, s *slice) { d.open[track] = *s }

func (d *daisen) end(track int, at sim.Time) {
	s := d.open[track]
	delete(d.open, track)
	s.to = at
	d.slice(track, &s)
}

func (d *daisen) slice(track int, s *slice) {
	d.prepare()
	kind := s.kind
	if kind == "request" {
		kind = "req_in" // whose rate and latency Daisen plots
	}
	d.from, d.to = min(d.from, s.from), max(d.to, s.to)
	d.add(s.id, s.parent, kind, s.name, d.where[track], s.from, s.to)
}

// prepare begins a transaction, if there is none.
func (d *daisen) prepare() {
	if d.err != nil || d.insert != nil {
		return
	}
	if d.tx, d.err = d.db.Begin(); d.err == nil {
		d.insert, d.err = d.tx.Prepare("INSERT INTO trace VALUES (?, ?, ?, ?, ?, ?, ?)")
	}
}

// add writes a task.
func (d *daisen) add(id, parent uint64, kind, what, where string, from, to sim.Time) {
	if d.err != nil {
		return
	}
	of := ""
	if kind != daisenWhole {
		of = strconv.FormatUint(parent, 10)
	}
	_, d.err = d.insert.Exec(strconv.FormatUint(id, 10), of, kind, what, where, from.Seconds(), to.Seconds())
	if d.rows++; d.rows == daisenRows {
		d.flush()
	}
}

// flush ends the transaction.
func (d *daisen) flush() {
	if d.insert == nil {
		return
	}
	err := errors.Join(d.insert.Close(), d.tx.Commit())
	if d.err == nil {
		d.err = err
	}
	d.insert, d.tx, d.rows = nil, nil, 0
}

func (d *daisen) close() error {
	d.prepare()
	d.add(0, 0, daisenWhole, "run", "host", min(d.from, d.to), d.to)
	d.flush()
	for _, column := range daisenIndexes {
		if d.err == nil {
			_, d.err = d.db.Exec(fmt.Sprintf("CREATE INDEX trace_%s_index ON trace (%s)", column, column))
		}
	}
	return errors.Join(d.err, d.db.Close())
}
