package kernels

import (
	"embed"
	"io/fs"
	"strings"
	"sync"
)

//go:embed *.go */*.go
var sources embed.FS

// Source returns the lines of a file of this folder, such as
// kernels/matching/ld.go, as they were when the program was built; nil if there
// is no such file.
func Source(file string) []string {
	name, ok := strings.CutPrefix(file, "kernels/")
	if !ok || !fs.ValidPath(name) {
		return nil
	}
	if lines, ok := sourceLines.Load(name); ok {
		return lines.([]string)
	}
	text, err := sources.ReadFile(name)
	if err != nil {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	sourceLines.Store(name, lines)
	return lines
}

// sourceLines remembers the lines of files that have been asked for.
var sourceLines sync.Map // of names to []string
