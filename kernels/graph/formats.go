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

	"github.com/klauspost/compress/gzip"
)

// format is a file format, told by the extension.
type format struct {
	kind       string
	extensions []string // the first is the usual one
	read       func(r io.Reader, name string) (*Graph, error)
	write      func(w io.Writer, g *Graph) error
}

var formats = []format{
	{"Matrix Market", []string{".mtx"}, ReadMatrixMarket, writeMatrixMarket},
	{"METIS", []string{".graph", ".metis"}, ReadMETIS, writeMETIS},
	{"DIMACS", []string{".gr"}, ReadDIMACS, writeDIMACS},
	{"edge list", []string{".txt", ".el", ".wel", ".edges", ".edgelist", ".csv", ".tsv"}, ReadEdgeList, writeEdgeList},
}

// formatOf returns the format of a path, or nil where its extension, before
// any .gz, is none of ours.
func formatOf(path string) *format {
	path = strings.ToLower(path)
	ext := filepath.Ext(strings.TrimSuffix(path, ".gz"))
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

// fileFormat is formatOf with an error that lists the formats.
func fileFormat(path string) (*format, error) {
	if f := formatOf(path); f != nil {
		return f, nil
	}
	return nil, fmt.Errorf("%s: unknown kind of graph file: want %s, plain or .gz", path, strings.Join(fileKinds(), ", "))
}

func openFile(path string, opt Options) (*Graph, error) {
	f, format, err := openable(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, bare(err))
	}
	g, err := format.read(&progressReader{r: f, total: info.Size(), progress: opt.Progress}, path)
	if err != nil {
		return nil, err
	}
	if opt.Log != nil {
		for _, remark := range g.Remarks() {
			opt.Log(path + ": " + remark)
		}
	}
	return g, nil
}

// openable opens a file that may be a graph's.
func openable(path string) (*os.File, *format, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, bare(err))
	}
	kind, err := kindOf(f, path)
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, kind, nil
}

// kindOf returns the format of an open file, or why it cannot be a graph's.
func kindOf(f *os.File, path string) (*format, error) {
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, bare(err))
	case info.IsDir():
		return nil, fmt.Errorf("%s: is a directory, not a graph file", path)
	}
	kind, err := fileFormat(path)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(strings.ToLower(path), ".gz") {
		var magic [2]byte
		if n, _ := f.ReadAt(magic[:], 0); n == 2 && magic != [2]byte{0x1f, 0x8b} {
			return nil, fmt.Errorf("%s:1: not gzip-compressed, in spite of its name", path)
		}
	}
	return kind, nil
}

// bare strips the operation and the path from an error of package os.
func bare(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// progressReader tells of the bytes read, about once a megabyte.
type progressReader struct {
	r                 io.Reader
	done, told, total int64
	progress          func(done, total int64) // may be nil
}

func (p *progressReader) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	p.done += int64(n)
	if p.progress != nil && (p.done-p.told >= 1<<20 || err == io.EOF && p.done > p.told) {
		p.told = p.done
		p.progress(p.done, max(p.done, p.total))
	}
	return n, bare(err)
}

// Write writes g to a file in the format that path's extension names,
// compressed where it ends in .gz. The file appears complete or not at all.
func Write(path string, g *Graph) error {
	format, err := fileFormat(path)
	if err != nil {
		return err
	}
	return writeAtomically(path, func(w io.Writer) error {
		if !strings.HasSuffix(strings.ToLower(path), ".gz") {
			return format.write(w, g)
		}
		z := gzip.NewWriter(w)
		if err := format.write(z, g); err != nil {
			return err
		}
		return z.Close()
	})
}
