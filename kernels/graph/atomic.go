package graph

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// writeAtomically makes the file at path hold what write writes, or leaves path
// as it was: the bytes go to a file beside it, which takes its name once they
// are on the disk.
func writeAtomically(path string, write func(io.Writer) error) (err error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s: exists and is not a regular file", path)
	}
	f, err := createBeside(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, bare(err))
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	if err := write(f); err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			return fmt.Errorf("%s: %w", path, p.Err)
		}
		return err
	}
	for _, step := range []func() error{f.Sync, f.Close, func() error { return os.Rename(f.Name(), path) }} {
		if err := step(); err != nil {
			return fmt.Errorf("%s: %w", path, bare(err))
		}
	}
	// The new name is on the disk once the directory is. Not every file
	// system lets a directory be synced, and the file is whole without it.
	if dir, err := os.Open(filepath.Dir(path)); err == nil {
		_ = dir.Sync()
		_ = dir.Close()
	}
	return nil
}

// createBeside makes a new file in path's directory, with the permissions that
// a file created under path itself would have.
func createBeside(path string) (*os.File, error) {
	for try := 0; ; try++ {
		name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%d-%d.tmp", filepath.Base(path), os.Getpid(), try))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) || try == 1000 {
			return f, err
		}
	}
}
