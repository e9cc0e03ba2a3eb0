package study

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

	"heddle/models"
)

// reader takes a study's YAML apart and gathers all that is wrong with it.
type reader struct {
	file       string
	parameters []Parameter // so far
	replaced   []Parameter // by the command line
	faults     []error
}

func (r *reader) fault(line int, path, format string, args ...any) {
	r.faults = append(r.faults, models.Fault{File: r.file, Line: line, Path: path, Message: fmt.Sprintf(format, args...)})
}

// document returns the top of the only YAML document in text, nil after a
// fault.
func (r *reader) document(text []byte) *yaml.Node {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var first, second yaml.Node
	err := decoder.Decode(&first)
	switch {
	case errors.Is(err, io.EOF):
		r.fault(0, "", "an empty file")
		return nil
	case err != nil:
		r.notYAML(err)
		return nil
	}
	if err := decoder.Decode(&second); err == nil {
		r.fault(second.Line, "", "a second document: one file is one study")
		return nil
	} else if !errors.Is(err, io.EOF) {
		r.notYAML(err)
		return nil
	}
	return first.Content[0]
}

// yamlPlace matches the line in front of the YAML package's messages.
var yamlPlace = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

func (r *reader) notYAML(err error) {
	message, line := err.Error(), 1
	if m := yamlPlace.FindStringSubmatch(message); m != nil {
		message = message[len(m[0]):]
		if n, err := strconv.Atoi(m[1]); err == nil {
			line = n
		}
	}
	r.fault(line, "", "not YAML near this line: %s", message)
}

// key is a key that a section may have.
type key struct {
	name string
	read func(value *yaml.Node)
}

// section reads a mapping's keys in the order of the list.
func (r *reader) section(n *yaml.Node, path string, keys []key) {
	var names []string
	for _, k := range keys {
		names = append(names, k.name)
	}
	values := map[string]*yaml.Node{}
	r.entries(n, path, func(name string, at, value *yaml.Node) {
		if !slices.Contains(names, name) {
			hint := ""
			if near := models.Nearest(name, names); near != "" {
				hint = ": nearest is " + near
			}
			r.fault(at.Line, join(path, name), "unknown key%s; known: %s", hint, strings.Join(names, ", "))
			return
		}
		values[name] = value
	})
	for _, k := range keys {
		if v := values[k.name]; v != nil {
			k.read(v)
		}
	}
}

// entries calls each for the keys of a mapping in the order of the file.
func (r *reader) entries(n *yaml.Node, path string, each func(name string, at, value *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		r.fault(n.Line, path, "a section of keys is wanted")
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		at, value := n.Content[i], n.Content[i+1]
		switch name := at.Value; {
		case at.Kind != yaml.ScalarNode || name == "":
			r.fault(at.Line, path, "a key is wanted")
		case seen[name]:
			r.fault(at.Line, join(path, name), "there twice")
		default:
			seen[name] = true
			each(name, at, value)
		}
	}
}

// list calls each for the items of a list, which must have some.
func (r *reader) list(n *yaml.Node, path string, each func(item *yaml.Node)) {
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		r.fault(n.Line, path, "a list of at least one is wanted, as in [a, b]")
		return
	}
	for _, item := range n.Content {
		each(item)
	}
}

// text returns a plain value with its parameters filled in.
func (r *reader) text(n *yaml.Node, path string) string {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" || n.Value == "" {
		r.fault(n.Line, path, "a value is wanted")
		return ""
	}
	return r.fill(n.Line, path, n.Value)
}

// positive returns a whole number above 0.
func (r *reader) positive(n *yaml.Node, path string) int {
	text := r.text(n, path)
	x, err := strconv.Atoi(text)
	if text != "" && (err != nil || x < 1) {
		r.fault(n.Line, path, "%q: want a whole number, at least 1", text)
	}
	return x
}

// texts returns the plain values of a list, or one value as a list.
func (r *reader) texts(n *yaml.Node, path string) []string {
	if n.Kind == yaml.ScalarNode {
		return []string{r.text(n, path)}
	}
	var all []string
	r.list(n, path, func(item *yaml.Node) { all = append(all, r.text(item, path)) })
	return all
}

// value returns a value of a machine's description as --set takes it: plain, or
// a list or a section on one line.
func (r *reader) value(n *yaml.Node, path string) string {
	switch {
	case n.Kind == yaml.AliasNode:
		r.fault(n.Line, path, "an alias: write the value")
		return ""
	case n.Kind == yaml.ScalarNode && n.Tag == "!!null":
		return "null"
	case n.Kind == yaml.ScalarNode:
		return r.text(n, path)
	}
	flow := *n
	flow.Style = yaml.FlowStyle
	text, err := yaml.Marshal(&flow)
	if err != nil {
		r.fault(n.Line, path, "%v", err)
		return ""
	}
	return r.fill(n.Line, path, strings.ReplaceAll(strings.TrimSpace(string(text)), "\n", " "))
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
