package experiments

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"heddle/kernels"
)

// sources finds the text of source lines: of kernels in the program itself, of
// others on disk.
type sources struct {
	roots []string
	files map[string][]string // lines; nil where there is no such file
}

// newSources looks for files relative to the working directory and the folders
// above it, as far as a Go module reaches, and to where Heddle was built.
func newSources() *sources {
	s := &sources{files: map[string][]string{}}
	if dir, err := os.Getwd(); err == nil {
		s.roots = append(s.roots, dir)
		for ; ; dir = filepath.Dir(dir) {
			if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
				s.roots = append(s.roots, dir)
				break
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		s.roots = append(s.roots, filepath.Dir(filepath.Dir(file)))
	}
	return s
}

// line returns the text of a line, empty if it cannot be found.
func (s *sources) line(file string, number int) string {
	lines, known := s.files[file]
	if !known {
		lines = kernels.Source(file)
	}
	if !known && lines == nil {
		for _, root := range s.roots {
			if text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file))); err == nil {
				lines = strings.Split(string(text), "\n")
				break
			}
		}
	}
	s.files[file] = lines
	if number < 1 || number > len(lines) {
		return ""
	}
	return strings.TrimSpace(lines[number-1])
}

// matching returns the lines of a file if the one with the given number has the
// given text: if it is the file that was run.
func (s *sources) matching(file string, number int, text string) []string {
	if text == "" || s.line(file, number) != text {
		return nil
	}
	return s.files[file]
}
