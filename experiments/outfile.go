package experiments

import (
	"encoding/csv"
	"io"
	"os"
	"path/filepath"
)

// writeFile writes a file that appears complete or not at all.
func writeFile(path string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".*.tmp")
	if err != nil {
		return badInput("%s: %w", path, err)
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	if err = write(f); err != nil {
		return err
	}
	if err = f.Chmod(0o644); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
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
	write := func(w io.Writer) error { return csv.NewWriter(w).WriteAll(rows) }
	if path == "-" {
		return write(c.stdout)
	}
	return writeFile(path, write)
}
