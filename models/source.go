package models

import (
	"regexp"
	"strings"
)

// Source is one value of a description and where it came from.
type Source struct {
	Path  string `json:"path"`
	Value string `json:"value"`
	// Comment is the text on the value's line: the primary source.
	Comment string `json:"comment,omitempty"`
	// Tag is the confidence in square brackets at the comment's start, one
	// or more of M (measured), P (published), S (parameter of a published
	// simulator), R (recalled, not re-read) and I (inferred), comma between;
	// empty when there is none.
	Tag  string `json:"tag,omitempty"`
	File string `json:"file"` // "--set" for an override
	Line int    `json:"line,omitempty"`
	// Overridden says that Set gave the value; Was is what the file had, if
	// it had the key.
	Overridden bool   `json:"overridden,omitempty"`
	Was        string `json:"was,omitempty"`
}

var tagForm = regexp.MustCompile(`^\[([MPSRI](?:, ?[MPSRI])*)\]\s*`)

// Sources lists every value of d in the order of the file, list items each for
// itself.
func (d *Description) Sources() []Source {
	var all []Source
	d.root.leaves("", func(path string, n *node) {
		s := Source{
			Path: path, Value: n.text, Comment: n.comment, File: n.file, Line: n.line,
			Overridden: n.file == CommandLine, Was: n.was,
		}
		if m := tagForm.FindStringSubmatch(n.comment); m != nil {
			s.Tag = strings.ReplaceAll(m[1], " ", "")
			s.Comment = n.comment[len(m[0]):]
		}
		all = append(all, s)
	})
	return all
}

// UnsourcedLeaves lists the values that begin with a number, stand in a file,
// and have no source on their line. A tag alone is not a source; a title that
// counts sockets needs none.
func (d *Description) UnsourcedLeaves() []Source {
	var bare []Source
	for _, s := range d.Sources() {
		if _, _, numeric := scanNumber(s.Value); numeric && s.Path != "title" && !s.Overridden && s.Comment == "" {
			bare = append(bare, s)
		}
	}
	return bare
}
