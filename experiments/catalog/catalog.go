// Package catalog lists the results of a store in a SQLite database, so that
// studies of many runs are looked up without reading every result, and so that
// how long runs took tells how long others will take. It is made from the
// results and can be made again.
package catalog

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math"
	"net/url"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver called sqlite

	"heddle/experiments/batch"
	"heddle/experiments/study"
)

// Name is the database's file in the store's folder.
const Name = "catalog.sqlite"

// schemaVersion changes with the schema: a database of another version is made
// anew.
const schemaVersion = 3

const schema = `
DROP TABLE IF EXISTS figure;
DROP TABLE IF EXISTS run;
CREATE TABLE run (
	id            TEXT PRIMARY KEY, -- of the result's file
	kernel        TEXT NOT NULL,    -- '' if the result is not a run's
	machine       TEXT NOT NULL,
	graph         TEXT NOT NULL,
	seed          TEXT NOT NULL,    -- up to 2^64-1
	edges         INTEGER NOT NULL,
	contexts      INTEGER NOT NULL, -- of the machine
	memory        INTEGER NOT NULL, -- bytes of its arrays
	instructions  INTEGER NOT NULL,
	simulating    REAL NOT NULL,    -- seconds, of a processor where the result tells
	other         REAL NOT NULL     -- seconds, setting up and checking
) WITHOUT ROWID;
CREATE TABLE figure (
	run   TEXT NOT NULL REFERENCES run (id),
	place INTEGER NOT NULL, -- among the run's figures
	name  TEXT NOT NULL,
	value REAL,             -- NULL: none
	PRIMARY KEY (run, place)
) WITHOUT ROWID;`

// Catalog is an open database. Several processes may have it open.
type Catalog struct {
	db   *sql.DB
	path string
}

// Open opens the catalog of a store, which is made if there is none, and brings
// it up to date with the store.
func Open(ctx context.Context, store *batch.Store) (*Catalog, error) {
	path := filepath.Join(store.Dir(), Name)
	options := url.Values{"_pragma": {"busy_timeout(20000)", "journal_mode(DELETE)", "synchronous(NORMAL)"}, "_txlock": {"immediate"}}
	source := url.URL{Scheme: "file", Opaque: url.PathEscape(path), RawQuery: options.Encode()}
	db, err := sql.Open("sqlite", source.String())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	db.SetMaxOpenConns(1)
	c := &Catalog{db, path}
	err = c.fault(c.prepare(ctx))
	if err == nil {
		err = c.Sync(ctx, store)
	}
	if err != nil {
		_ = db.Close()
		return nil, err
	}
	return c, nil
}

// fault says what can be done about a database that cannot be used.
func (c *Catalog) fault(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w; without this file it is made anew from the results beside it", c.path, err)
}

// Close closes the database.
func (c *Catalog) Close() error { return c.db.Close() }

// prepare makes the tables where there are none of this version.
func (c *Catalog) prepare(ctx context.Context) error {
	return c.change(ctx, func(tx *sql.Tx) error {
		var version int
		if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
			return err
		}
		if version == schemaVersion {
			return nil
		}
		_, err := tx.ExecContext(ctx, schema+fmt.Sprintf("PRAGMA user_version = %d;", schemaVersion))
		return err
	})
}

// change does what do does, whole or not at all.
func (c *Catalog) change(ctx context.Context, do func(tx *sql.Tx) error) error {
	tx, err := c.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		_ = tx.Rollback()
		return err
	}
	return tx.Commit()
}

// Sync lists the results of a store that are not listed yet, and no longer
// those that are gone.
func (c *Catalog) Sync(ctx context.Context, store *batch.Store) error {
	ids, err := store.IDs()
	if err != nil {
		return err
	}
	listed, err := c.ids(ctx)
	if err != nil {
		return c.fault(err)
	}
	var added []string
	for _, id := range ids {
		if listed[id] {
			delete(listed, id)
			continue
		}
		added = append(added, id)
	}
	if len(added) == 0 && len(listed) == 0 {
		return nil
	}
	return c.fault(c.change(ctx, func(tx *sql.Tx) error {
		for _, id := range added {
			text, err := store.Get(id)
			if err != nil {
				continue // it will be done anew
			}
			o, err := study.Decode(text)
			if err != nil {
				o = new(study.Outcome) // what another version kept
			}
			if err := add(ctx, tx, id, o); err != nil {
				return err
			}
		}
		for id := range listed {
			for _, statement := range []string{"DELETE FROM figure WHERE run = ?", "DELETE FROM run WHERE id = ?"} {
				if _, err := tx.ExecContext(ctx, statement, id); err != nil {
					return err
				}
			}
		}
		return nil
	}))
}

func (c *Catalog) ids(ctx context.Context) (map[string]bool, error) {
	ids := map[string]bool{}
	err := c.each(ctx, func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		ids[id] = true
		return err
	}, "SELECT id FROM run")
	return ids, err
}

// each calls row for every row of a query.
func (c *Catalog) each(ctx context.Context, row func(*sql.Rows) error, query string, args ...any) error {
	rows, err := c.db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := row(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Add lists a result.
func (c *Catalog) Add(ctx context.Context, id string, o *study.Outcome) error {
	return c.fault(c.change(ctx, func(tx *sql.Tx) error { return add(ctx, tx, id, o) }))
}

func add(ctx context.Context, tx *sql.Tx, id string, o *study.Outcome) error {
	s := SampleOf(o)
	_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO run VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		id, o.Kernel, o.Machine, o.Graph.Name, fmt.Sprint(o.Seed), s.Edges, s.Contexts, s.Memory, s.Instructions, s.Simulating, s.Other)
	if err != nil || o.Kernel == "" {
		return err
	}
	insert, err := tx.PrepareContext(ctx, "INSERT OR REPLACE INTO figure VALUES (?, ?, ?, ?)")
	if err != nil {
		return err
	}
	defer func() { _ = insert.Close() }()
	for place, n := range o.Values() {
		value := sql.NullFloat64{Float64: n.Value, Valid: !math.IsNaN(n.Value)}
		if _, err := insert.ExecContext(ctx, id, place, n.Name, value); err != nil {
			return err
		}
	}
	return nil
}

// Values returns the figures of a result, as Outcome.Values gives them, nil if
// it is not listed.
func (c *Catalog) Values(ctx context.Context, id string) (study.Numbers, error) {
	var values study.Numbers
	err := c.each(ctx, func(rows *sql.Rows) error {
		n := study.Number{Value: math.NaN()}
		var value sql.NullFloat64
		if err := rows.Scan(&n.Name, &value); err != nil {
			return err
		}
		if value.Valid {
			n.Value = value.Float64
		}
		values = append(values, n)
		return nil
	}, "SELECT name, value FROM figure WHERE run = ? ORDER BY place", id)
	return values, c.fault(err)
}

// Sample is what an earlier run cost.
type Sample struct {
	Kernel, Machine string  // Machine is "" of a property of a graph
	Edges           int64   //
	Contexts        int     // of the machine; 0 without timing
	Memory          int64   // bytes of its arrays
	Instructions    int64   //
	Simulating      float64 // seconds of a processor, or of a clock where the result tells no other
	Other           float64 // seconds, setting up and checking
}

// SampleOf returns what a run cost that is not listed.
func SampleOf(o *study.Outcome) Sample {
	return Sample{o.Kernel, o.Machine, o.Graph.Edges, o.Simulated.Contexts, o.Simulated.Memory,
		int64(o.Host.Instructions), cmp.Or(o.Host.ProcessorSeconds, o.Host.WallSeconds), o.Host.SetupSeconds + o.Host.CheckSeconds}
}

// Samples returns what every listed run cost, of graphs that have edges.
func (c *Catalog) Samples(ctx context.Context) ([]Sample, error) {
	var all []Sample
	err := c.each(ctx, func(rows *sql.Rows) error {
		var s Sample
		err := rows.Scan(&s.Kernel, &s.Machine, &s.Edges, &s.Contexts, &s.Memory, &s.Instructions, &s.Simulating, &s.Other)
		all = append(all, s)
		return err
	}, "SELECT kernel, machine, edges, contexts, memory, instructions, simulating, other FROM run WHERE kernel <> '' AND edges > 0 AND simulating > 0 ORDER BY id")
	return all, c.fault(err)
}
