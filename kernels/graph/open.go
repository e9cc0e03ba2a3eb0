package graph

import (
	"os"
	"path/filepath"
	"strings"
)

// Options say how Open gets a graph. The zero value will do.
type Options struct {
	// Seed is for generators whose name has no seed of its own.
	Seed uint64
	// CacheDir holds large generated graphs between runs; empty means
	// heddle/graphs in the user's cache directory.
	CacheDir string
	// NoCache neither reads nor writes CacheDir.
	NoCache bool
	// Progress, if set, is told how far reading or generating has come: in
	// bytes of the file, or in edges or vertices. Calls never overlap.
	Progress func(done, total int64)
	// Log, if set, is told of what a user should know but need not act on, a
	// line at a time.
	Log func(line string)
}

// Open returns the graph called name: a generator with its size and options,
// such as rmat-g:20,seed=7, or else a file, its format told by its extension
// (before .gz, if there is one).
func Open(name string, opt Options) (*Graph, error) {
	if IsGenerator(name) {
		return openGenerated(name, opt)
	}
	if _, err := os.Stat(name); err == nil || IsPath(name) {
		return openFile(name, opt)
	}
	_, err := parseSpec(name, opt.Seed)
	return nil, err
}

// IsPath says whether a name that is no generator can only be that of a file.
func IsPath(name string) bool {
	return strings.ContainsRune(name, filepath.Separator) || formatOf(name) != nil || strings.HasSuffix(name, ".gz")
}

// Check returns why Open would refuse name, as far as can be told without
// reading or generating the graph: a generator's size and options, and of a file
// whether it can be read, its kind, and that it is compressed if its name says
// so.
func Check(name string) error {
	if !IsGenerator(name) {
		if _, err := os.Stat(name); err == nil || IsPath(name) {
			f, _, err := openable(name)
			if err != nil {
				return err
			}
			return f.Close()
		}
	}
	_, err := parseSpec(name, 0)
	return err
}

func openGenerated(name string, opt Options) (*Graph, error) {
	s, err := parseSpec(name, opt.Seed)
	if err != nil {
		return nil, err
	}
	generate := func() *Graph { return generators[s.family].generate(s, opt.Progress) }
	var g *Graph
	if opt.NoCache || 1<<s.scale < cacheFrom {
		g = generate()
	} else {
		g = throughCache(s, opt, generate)
	}
	g.Name, g.MaxWeight = name, s.weight
	return g, nil
}
