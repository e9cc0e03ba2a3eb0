package graph

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// format is a file format, told by the extension.
type format struct {
	kind       string
	extensions []string
	read       func(r io.Reader, name string) (*Graph, error)
	write      func(w io.Writer, g *Graph) error
}

var formats []format

// formatOf returns the format of a path, or nil where its extension, before
// any .gz, is none of ours.
func formatOf(path string) *format {
	ext := strings.ToLower(filepath.Ext(strings.TrimSuffix(path, ".gz")))
	for i := range formats {
		if slices.Contains(formats[i].extensions, ext) {
			return &formats[i]
		}
	}
	return nil
}

// fileKinds lists the formats with their extensions.
func fileKinds() []string {
	var list []string
	for _, f := range formats {
		list = append(list, f.kind+" ("+strings.Join(f.extensions, " ")+")")
	}
	return list
}

func openFile(path string, opt Options) (*Graph, error) {
	f, err := os.Open(path)
	if err != nil {
		var bare *fs.PathError
		if errors.As(err, &bare) {
			err = bare.Err
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	defer f.Close()
	kind := formatOf(path)
	if kind == nil {
		return nil, fmt.Errorf("%s: unknown kind of file: want %s, plain or .gz", path, strings.Join(fileKinds(), ", "))
	}
	return kind.read(f, path)
}
