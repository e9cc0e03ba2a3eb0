// Package models holds the machines that exist, as data, and builds them.
//
// A machine is one YAML file: sections of keys, each number a typed quantity
// with its source as a comment on its line. A file may extend another and
// state the differences only; a run may override any value.
package models

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Description is a resolved machine description: a tree of keys with their
// values and where each was written.
type Description struct {
	name  string
	files []string
	root  *node
	read  *node // root before any override
}

// longestFile bounds what a description file may hold, in bytes.
const longestFile = 128 << 10

// Open reads the machine called name: a file when name contains a slash or
// ends in .yaml, else name.yaml of library. It follows `extends: parent` up to
// the root: sections merge key by key, values and lists replace the parent's,
// and the value null removes the parent's key. A parent's name is looked up
// like name itself, a path being relative to the file that extends. Unknown
// machines, cycles and faults of form (syntax, duplicate keys, anchors) are
// errors; which keys there must be is for Decode.
func Open(library fs.FS, name string) (*Description, error) {
	loader := loader{library: library}
	root, err := loader.load(name)
	if err != nil {
		return nil, err
	}
	stem := strings.TrimSuffix(filepath.Base(loader.files[0]), ".yaml")
	return &Description{name: stem, files: loader.files, root: root, read: root}, nil
}

// Names lists the machines of library in alphabetical order.
func Names(library fs.FS) []string {
	files, _ := fs.Glob(library, "*.yaml") // the pattern is well formed
	for i, f := range files {
		files[i] = strings.TrimSuffix(f, ".yaml")
	}
	return files
}

// Name returns the machine's name: its file's, without .yaml.
func (d *Description) Name() string { return d.name }

// Files returns the files the description was read from: the machine's own,
// the one it extends, and so on.
func (d *Description) Files() []string { return slices.Clone(d.files) }

// Value returns the text of the value at path as written, and whether there is
// a value: enough to tell one family of machines from another before Decode.
func (d *Description) Value(path string) (text string, ok bool) {
	n := d.root
	for key := range strings.SplitSeq(path, ".") {
		if n = n.child(key); n == nil {
			return "", false
		}
	}
	return n.text, n.kind == leaf
}

// Clone returns a copy of d on which Set does not change d.
func (d *Description) Clone() *Description {
	c := *d
	return &c
}

// withoutOverrides returns d as its files have it.
func (d *Description) withoutOverrides() *Description {
	c := d.Clone()
	c.root = d.read
	return c
}

// loader reads a file and its parents.
type loader struct {
	library fs.FS
	files   []string // read so far, a child before its parent
	ids     []string // the same, told apart: a path, or a name in the library
}

func (l *loader) load(name string) (*node, error) {
	id := name
	if IsPath(name) {
		id, _ = filepath.Abs(name) // without a working directory the name must do
	}
	for i, seen := range l.ids {
		if seen == id {
			return nil, fmt.Errorf("a cycle: %s", strings.Join(append(l.files[i:], l.files[i]), " -> "))
		}
	}
	file, text, err := l.read(name)
	if err != nil {
		return nil, err
	}
	l.files, l.ids = append(l.files, file), append(l.ids, id)
	own, faults := parse(file, text)
	if own == nil {
		return nil, errors.Join(faults...)
	}
	base := &node{kind: section, file: file}
	if extends := own.child("extends"); extends != nil {
		own = own.without("extends")
		parent, err := l.parent(name, extends)
		if err != nil {
			return nil, errors.Join(append(faults, err)...)
		}
		base = parent
	}
	root, wrong := over(base, own, "")
	if faults = append(faults, wrong...); len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	root.line = 0 // the root is the file, not its first key
	return root, nil
}

// parent loads what the machine called child extends.
func (l *loader) parent(child string, extends *node) (*node, error) {
	refuse := func(message string) error {
		return Fault{extends.file, extends.line, "extends", message}
	}
	if extends.kind != leaf || extends.null {
		return nil, refuse("the name of a machine is wanted")
	}
	name := extends.text
	if IsPath(name) {
		if !IsPath(child) {
			return nil, refuse("a built-in machine extends another by name, not by path")
		}
		if !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(child), name)
		}
		if !IsPath(name) {
			name = "." + string(filepath.Separator) + name // Join drops a leading dot
		}
	}
	before := len(l.files)
	root, err := l.load(name)
	if err != nil && len(l.files) == before { // there is no such parent
		return nil, refuse(err.Error())
	}
	return root, err
}

// IsPath tells a file from the name of a machine in the library.
func IsPath(name string) bool {
	return strings.ContainsRune(name, '/') || strings.ContainsRune(name, filepath.Separator) ||
		strings.HasSuffix(name, ".yaml")
}

// read returns the text of a machine and its file's name for messages.
func (l *loader) read(name string) (file string, text []byte, err error) {
	var in fs.File
	if IsPath(name) {
		file = name
		in, err = os.Open(file)
	} else {
		file = name + ".yaml"
		in, err = l.library.Open(file)
		if err != nil {
			return "", nil, unknownMachine(name, Names(l.library))
		}
	}
	if err != nil {
		return "", nil, fmt.Errorf("machine file: %w", err)
	}
	defer in.Close()
	var buffer bytes.Buffer
	n, err := io.Copy(&buffer, io.LimitReader(in, longestFile+1))
	switch {
	case err != nil:
		return "", nil, fmt.Errorf("machine file: %w", err)
	case n > longestFile:
		return "", nil, fmt.Errorf("machine file %s: longer than %d bytes", file, longestFile)
	}
	return file, buffer.Bytes(), nil
}

func unknownMachine(name string, known []string) error {
	message := fmt.Sprintf("unknown machine %q", name)
	if near := Nearest(name, known); near != "" {
		message += ": nearest is " + near
	}
	return fmt.Errorf("%s; known: %s", message, strings.Join(known, ", "))
}

// over returns base with what top states laid over it. Neither is changed;
// the result shares their nodes.
func over(base, top *node, path string) (*node, []error) {
	if top.kind != section {
		return replace(base, top), nil
	}
	if base == nil || base.kind != section {
		base = &node{kind: section}
	}
	var faults []error
	merged := base.copied()
	merged.file, merged.line = top.file, top.line
	for i, key := range top.keys {
		kid := top.kids[i]
		old := merged.child(key)
		switch {
		case kid.null && old == nil:
			faults = append(faults, Fault{kid.file, kid.line, join(path, key), "nothing to remove"})
		case kid.null:
			merged = merged.without(key)
		default:
			laid, wrong := over(old, kid, join(path, key))
			faults = append(faults, wrong...)
			merged.put(key, laid)
		}
	}
	return merged, faults
}

// replace returns top in base's place. An override remembers what a file said.
func replace(base, top *node) *node {
	if base == nil || base.kind != leaf || top.kind != leaf || top.file != CommandLine {
		return top
	}
	n := *top
	n.was = base.text
	if base.file == CommandLine {
		n.was = base.was
	}
	return &n
}
