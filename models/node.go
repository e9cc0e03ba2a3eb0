package models

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// node is a value, list or section of a description. Nodes are not changed
// once parsed: an override builds new ones on the way to the root.
type node struct {
	kind    kind
	file    string // CommandLine for an override
	line    int
	text    string   // leaf: as written, without quotes
	quoted  bool     // leaf: text was quoted, so it is no number
	null    bool     // leaf: the word null, which removes a key
	comment string   // leaf: the comment on its line, without #
	was     string   // leaf, override: what the file said
	keys    []string // section: the keys of kids
	kids    []*node  // section, list
}

type kind uint8

const (
	leaf kind = iota
	list
	section
)

// Bounds on a description, far above any machine's.
const (
	deepest = 32   // levels of sections and lists
	widest  = 4096 // keys of a section, items of a list
)

// child returns the node under key, nil when n has none.
func (n *node) child(key string) *node {
	if i := slices.Index(n.keys, key); i >= 0 {
		return n.kids[i]
	}
	return nil
}

// copied returns a copy of n that put may change.
func (n *node) copied() *node {
	c := *n
	c.keys, c.kids = slices.Clone(n.keys), slices.Clone(n.kids)
	return &c
}

// put makes kid what section n holds under key. n must be nobody else's yet.
func (n *node) put(key string, kid *node) {
	if i := slices.Index(n.keys, key); i >= 0 {
		n.kids[i] = kid
		return
	}
	n.keys = append(n.keys, key)
	n.kids = append(n.kids, kid)
}

// without returns a copy of section n that lacks key.
func (n *node) without(key string) *node {
	c := *n
	c.keys, c.kids = nil, nil
	for i, k := range n.keys {
		if k != key {
			c.keys = append(c.keys, k)
			c.kids = append(c.kids, n.kids[i])
		}
	}
	return &c
}

// leaves calls visit with every leaf under n and its path, in order.
func (n *node) leaves(path string, visit func(path string, leaf *node)) {
	if n.kind == leaf {
		visit(path, n)
	}
	for i, kid := range n.kids {
		key := strconv.Itoa(i)
		if n.kind == section {
			key = n.keys[i]
		}
		kid.leaves(join(path, key), visit)
	}
}

// join appends key to path.
func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// Fault is one thing wrong in a description.
type Fault struct {
	File    string // or "--set"
	Line    int    // 0 when no line is to blame
	Path    string // of the key, dotted; may be empty
	Message string
}

// Error returns "file:line: path: message".
func (f Fault) Error() string {
	where := f.File
	if f.Line > 0 {
		where += ":" + strconv.Itoa(f.Line)
	}
	switch {
	case f.Path == "":
		return where + ": " + f.Message
	case f.File == CommandLine:
		return where + " " + f.Path + ": " + f.Message
	}
	return where + ": " + f.Path + ": " + f.Message
}

// parser turns YAML's nodes into ours and gathers what is wrong on the way.
type parser struct {
	file   string // CommandLine for an override, which has no lines
	lines  []string
	faults []error
}

// parse reads one description file. It returns nil and why when text is not
// YAML or not a section; a tree and faults when single keys are wrong.
func parse(file string, text []byte) (*node, []error) {
	top, err := document(file, text)
	if err != nil {
		return nil, []error{err}
	}
	if top.Kind != yaml.MappingNode {
		return nil, []error{Fault{file, top.Line, "", "a section of keys is wanted"}}
	}
	p := parser{file: file, lines: strings.Split(string(text), "\n")}
	return p.convert(top, top.Line, "", 0), p.faults
}

// document returns the top of the only YAML document in text.
func document(file string, text []byte) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var first, second yaml.Node
	err := decoder.Decode(&first)
	switch {
	case errors.Is(err, io.EOF):
		return nil, Fault{file, 0, "", "an empty file"}
	case err != nil:
		return nil, syntaxFault(file, err)
	}
	if err := decoder.Decode(&second); err == nil {
		return nil, Fault{file, second.Line, "", "a second document: one file is one machine"}
	} else if !errors.Is(err, io.EOF) {
		return nil, syntaxFault(file, err)
	}
	return first.Content[0], nil
}

// place matches the line in front of the YAML package's messages. It is that
// of the surrounding construct, so it is "near".
var place = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

func syntaxFault(file string, err error) Fault {
	message := err.Error()
	line := 1
	if m := place.FindStringSubmatch(message); m != nil {
		message = message[len(m[0]):]
		if m[1] != "" {
			line, _ = strconv.Atoi(m[1])
		}
	}
	if file == CommandLine {
		return Fault{file, 0, "", "not YAML: " + message}
	}
	return Fault{file, line, "", "not YAML near this line: " + message}
}

// lineOf returns y's line, 0 in an override.
func (p *parser) lineOf(y *yaml.Node) int {
	if p.file == CommandLine {
		return 0
	}
	return y.Line
}

func (p *parser) fault(line int, path, format string, args ...any) {
	p.faults = append(p.faults, Fault{p.file, line, path, fmt.Sprintf(format, args...)})
}

// convert turns y, whose key is on the given line, into a node. A fault leaves
// the smallest possible gap, so that the rest is still looked at.
func (p *parser) convert(y *yaml.Node, line int, path string, depth int) *node {
	n := &node{file: p.file, line: line}
	switch {
	case depth > deepest:
		p.fault(line, path, "nested deeper than %d levels", deepest)
		return n
	case y.Kind == yaml.AliasNode || y.Anchor != "":
		p.fault(line, path, "anchors and aliases are not allowed: write the value out")
		return n
	case y.Style&yaml.TaggedStyle != 0:
		p.fault(line, path, "tags are not allowed: drop %s", y.Tag)
		return n
	case y.Kind == yaml.MappingNode && len(y.Content) > 2*widest || y.Kind == yaml.SequenceNode && len(y.Content) > widest:
		p.fault(line, path, "more than %d items", widest)
		return n
	}
	switch y.Kind {
	case yaml.ScalarNode:
		p.scalar(n, y, path)
	case yaml.SequenceNode:
		n.kind = list
		for i, item := range y.Content {
			kid := p.convert(item, p.lineOf(item), join(path, strconv.Itoa(i)), depth+1)
			if kid.null {
				p.fault(kid.line, join(path, strconv.Itoa(i)), "no value")
			}
			n.kids = append(n.kids, kid)
		}
	case yaml.MappingNode:
		n.kind = section
		p.entries(n, y, path, depth)
	}
	if y.Kind != yaml.ScalarNode && y.LineComment != "" {
		n.leaves("", func(_ string, l *node) { p.attach(l, y.LineComment) })
	}
	return n
}

// keyForm keeps keys free of what paths and overrides are written with.
var keyForm = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

func (p *parser) entries(n *node, y *yaml.Node, path string, depth int) {
	for i := 0; i+1 < len(y.Content); i += 2 {
		key, value := y.Content[i], y.Content[i+1]
		if key.Kind != yaml.ScalarNode || key.Anchor != "" || key.Style&yaml.TaggedStyle != 0 ||
			!keyForm.MatchString(key.Value) {
			p.fault(p.lineOf(key), path, "%q is not a key: letters, digits, - and _", key.Value)
			continue
		}
		at := join(path, key.Value)
		if first := n.child(key.Value); first != nil {
			message := "given twice"
			if first.line > 0 {
				message += fmt.Sprintf(", first on line %d", first.line)
			}
			p.fault(p.lineOf(key), at, "%s", message)
			continue
		}
		n.keys = append(n.keys, key.Value)
		n.kids = append(n.kids, p.convert(value, p.lineOf(key), at, depth+1))
	}
}

func (p *parser) scalar(n *node, y *yaml.Node, path string) {
	plain := y.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
	n.line = p.lineOf(y)
	n.text, n.quoted = y.Value, !plain
	if plain && y.ShortTag() == "!!null" {
		n.null = y.Value != ""
		if !n.null {
			p.fault(n.line, path, "no value")
		}
	}
	p.attach(n, y.LineComment)
}

// attach gives leaf n the comment if that is on n's own line: after a flow
// list of several lines it is not.
func (p *parser) attach(n *node, comment string) {
	first, _, _ := strings.Cut(comment, "\n")
	if n.comment != "" || first == "" || n.line < 1 || n.line > len(p.lines) ||
		!strings.Contains(p.lines[n.line-1], first) {
		return
	}
	n.comment = strings.Join(strings.Fields(strings.TrimLeft(first, "#")), " ")
}
