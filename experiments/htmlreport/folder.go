package htmlreport

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"heddle/experiments/study"
)

// Limits on what is read of a folder.
const (
	mostFiles  = 10_000
	deepest    = 8 // folders within each other
	mostResult = 256 << 20
)

// Folder is a folder of results. Nothing outside it can be reached, not by
// symbolic links either, and nothing is written.
type Folder struct {
	name string
	root *os.Root

	mu    sync.Mutex
	known map[string]known
}

// known is what is remembered of a file while it does not change.
type known struct {
	size     int64
	modified time.Time
	entry    entry
	err      error
}

// entry is a result in a list.
type entry struct {
	Path, Kernel, Machine, Graph string
	Seed, Instructions           uint64
	Verified, Incomplete         bool
	Seconds                      *float64
}

// OpenFolder opens a folder of results.
func OpenFolder(name string) (*Folder, error) {
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	return &Folder{name: name, root: root, known: map[string]known{}}, nil
}

// Close gives the folder back.
func (f *Folder) Close() error { return f.root.Close() }

// list returns the results in the folder and below it, by path, and how many
// other files there are.
func (f *Folder) list() (entries []entry, others int, err error) {
	files := 0
	err = fs.WalkDir(f.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && name == ".":
			return err
		case err != nil: // a folder that may not be read
			return nil
		case d.IsDir() && strings.Count(name, "/") >= deepest:
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		if files++; files > mostFiles {
			return fs.SkipAll
		}
		e, err := f.entry(name)
		if err != nil {
			others++
			return nil
		}
		entries = append(entries, e)
		return nil
	})
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.Path, b.Path) })
	return entries, others, err
}

// entry returns what a list tells of a file.
func (f *Folder) entry(name string) (entry, error) {
	if path.Ext(name) != ".json" {
		return entry{}, errors.New("not a .json file")
	}
	info, err := f.root.Stat(name)
	if err != nil {
		return entry{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if k, ok := f.known[name]; ok && k.size == info.Size() && k.modified.Equal(info.ModTime()) {
		return k.entry, k.err
	}
	k := known{size: info.Size(), modified: info.ModTime()}
	o, err := f.read(name)
	if k.err = err; err == nil {
		k.entry = entry{name, o.Kernel, o.Machine, o.Graph.Name, o.Seed, o.Host.Instructions, o.Answer.Verified, o.Incomplete, o.Simulated.Seconds}
	}
	f.known[name] = k
	return k.entry, k.err
}

// read reads the result in a file of the folder.
func (f *Folder) read(name string) (*study.Outcome, error) {
	if !fs.ValidPath(name) || path.Ext(name) != ".json" {
		return nil, fmt.Errorf("%q: not the path of a .json file within the folder: %w", name, fs.ErrNotExist)
	}
	info, err := f.root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // such as a pipe, which would never end
		return nil, fmt.Errorf("%s: not a file: %w", name, fs.ErrNotExist)
	}
	file, err := f.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, mostResult+1))
	if err != nil {
		return nil, err
	}
	if len(text) > mostResult {
		return nil, fmt.Errorf("%s: too large to be a result", name)
	}
	o, err := study.Read(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return o, nil
}
