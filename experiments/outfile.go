package experiments

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// outFile is a file that appears complete or not at all: until it is kept it
// has another name, beside the one that it gets.
type outFile struct {
	*os.File
	path string
}

// createFile begins a file.
func createFile(path string) (*outFile, error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".*.tmp")
	if err != nil {
		return nil, badInput("%s: %w", path, err)
	}
	return &outFile{f, path}, nil
}

// keep ends the file if err, that of writing it, is nil; otherwise the file is
// dropped.
func (f *outFile) keep(err error) error {
	if err == nil {
		err = f.Chmod(0o644)
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), f.path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return fmt.Errorf("%s: %w", f.path, err)
	}
	return nil
}

// drop ends the file without a trace.
func (f *outFile) drop() {
	_ = f.Close()
	_ = os.Remove(f.Name())
}

// writeFile writes a file that appears complete or not at all.
func writeFile(path string, write func(io.Writer) error) error {
	f, err := createFile(path)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.drop()
		return err
	}
	return f.keep(nil)
}

// checkOutput refuses the path of a file that cannot be made, before what goes
// into it is computed. The standard output, -, and none are fine.
func checkOutput(flag, path string) error {
	if path == "" || path == "-" {
		return nil
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return badInput("%s %s: is a directory", flag, path)
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return badInput("%s %s: no folder %s", flag, path, filepath.Dir(path))
	}
	return nil
}

// writeCSV writes rows to a file, or to the standard output for -.
func (c *cli) writeCSV(path string, rows [][]string) error {
	if path == "-" {
		return csv.NewWriter(c.stdout).WriteAll(rows)
	}
	return writeRows(path, rows)
}

// writeRows writes rows to a CSV file.
func writeRows(path string, rows [][]string) error {
	return writeFile(path, func(w io.Writer) error { return csv.NewWriter(w).WriteAll(rows) })
}

// writeJSON writes a value to a file.
func writeJSON(path string, value any) error {
	return writeFile(path, func(w io.Writer) error { return json.NewEncoder(w).Encode(value) })
}
