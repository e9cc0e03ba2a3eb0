package models

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// CommandLine stands in a Fault for the file of a value that Set gave.
const CommandLine = "--set"

// Override applies assignments of the form path=value, as --set takes them,
// and reports every one that is wrong.
func (d *Description) Override(assignments ...string) error {
	var faults []error
	for _, a := range assignments {
		path, value, ok := strings.Cut(a, "=")
		if !ok {
			faults = append(faults, fmt.Errorf("%s %s: path=value is wanted, such as l1.size=16 KiB", CommandLine, a))
			continue
		}
		faults = append(faults, d.Set(strings.TrimSpace(path), value))
	}
	return errors.Join(faults...)
}

// Set gives the key at path (l1.size, levels.0.ways) the value that a file
// would write: a plain value, a flow list [4, 4, 8] or section {size: 16 KiB},
// which merges like a file that extends, or null, which removes the key. A
// path that no key can have is refused here; one that the machine does not
// know, by Decode, with the nearest that it does: an optional key need not
// stand in any file.
func (d *Description) Set(path, value string) error {
	top, faults := parseValue(path, strings.TrimSpace(value))
	if len(faults) > 0 {
		return errors.Join(faults...)
	}
	root, err := d.place(d.root, strings.Split(path, "."), 0, top)
	if err != nil {
		return err
	}
	d.root = root
	return nil
}

// parseValue reads the value of an override.
func parseValue(path, value string) (*node, []error) {
	switch {
	case value == "":
		return nil, []error{Fault{CommandLine, 0, path, "no value"}}
	case !utf8.ValidString(value):
		return nil, []error{Fault{CommandLine, 0, path, fmt.Sprintf("%q is not UTF-8", value)}}
	case value == "null" || value == "~":
		return &node{file: CommandLine, text: value, null: true}, nil
	case value[0] != '[' && value[0] != '{':
		return &node{file: CommandLine, text: value}, nil
	}
	top, err := document(CommandLine, []byte(value))
	if err != nil {
		fault := err.(Fault) // document returns no other
		return nil, []error{Fault{CommandLine, 0, path, fault.Message}}
	}
	p := parser{file: CommandLine}
	return p.convert(top, 0, path, 0), p.faults
}

// place returns n with top laid over what parts[at:] lead to; nil when that
// removes n itself.
func (d *Description) place(n *node, parts []string, at int, top *node) (*node, error) {
	path := strings.Join(parts, ".")
	refuse := func(format string, args ...any) error {
		return Fault{CommandLine, 0, path, fmt.Sprintf(format, args...)}
	}
	if at == len(parts) {
		if top.null {
			if n == nil {
				return nil, refuse("nothing to remove%s", d.nearestPath(path))
			}
			return nil, nil
		}
		laid, faults := over(n, top, path)
		return laid, errors.Join(faults...)
	}
	key := parts[at]
	if n == nil {
		n = &node{kind: section, file: CommandLine}
	}
	switch n.kind {
	case leaf:
		return nil, refuse("%s is a value, not a section", strings.Join(parts[:at], "."))
	case list:
		i, err := strconv.Atoi(key)
		if err != nil || i < 0 || i >= len(n.kids) || key != strconv.Itoa(i) {
			return nil, refuse("%s is a list of %d, numbered from 0", strings.Join(parts[:at], "."), len(n.kids))
		}
		kid, err := d.place(n.kids[i], parts, at+1, top)
		if err != nil {
			return nil, err
		}
		if kid == nil {
			return nil, refuse("an item of a list cannot be removed: give the whole list")
		}
		c := n.copied()
		c.kids[i] = kid
		return c, nil
	}
	if !keyForm.MatchString(key) {
		return nil, refuse("%q is not a key: letters, digits, - and _", key)
	}
	kid, err := d.place(n.child(key), parts, at+1, top)
	switch {
	case err != nil:
		return nil, err
	case kid == nil:
		return n.without(key), nil
	}
	c := n.copied()
	c.put(key, kid)
	return c, nil
}

// nearestPath returns ": nearest is ..." for a path that is not there.
func (d *Description) nearestPath(path string) string {
	var known []string
	d.root.leaves("", func(p string, _ *node) { known = append(known, p) })
	if near := Nearest(path, known); near != "" {
		return ": nearest is " + near
	}
	return ""
}
