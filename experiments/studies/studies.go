// Package studies holds the studies that come with Heddle, as files.
package studies

import (
	"embed"
	"io/fs"
	"strings"

	"heddle/experiments/study"
)

//go:embed *.yaml
var files embed.FS

const extension = ".yaml"

// Names lists the studies, sorted.
func Names() []string {
	found, _ := fs.Glob(files, "*"+extension) // the pattern is well formed
	for i, f := range found {
		found[i] = strings.TrimSuffix(f, extension)
	}
	return found
}

// Text returns a study's file.
func Text(name string) ([]byte, error) { return files.ReadFile(name + extension) }

// Read reads a study. Set replaces parameters of its file, name=value. Paths are
// relative to the working directory.
func Read(name string, set ...string) (*study.Study, error) {
	text, err := Text(name)
	if err != nil {
		return nil, err
	}
	return study.Parse(name+extension, text, set...)
}
