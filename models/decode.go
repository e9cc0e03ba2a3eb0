package models

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"
)

// Checker is implemented by a section whose keys depend on each other. Decode
// calls Check on every section in which each key for itself is right; Check
// calls fault for what does not fit together, key being relative to the
// section.
type Checker interface {
	Check(fault func(key, format string, args ...any))
}

// Decode fills the struct that into points to, or reports everything that is
// wrong, each fault as a Fault, in the order of the files' lines. A field
// names its key in tag `yaml:"name"`; embedded structs belong to the section
// around them. Further tags, which for lists and maps apply to the items:
//
//	range:"1..64"       least and greatest, quantities too: "1 KiB..1 GiB", "1.."
//	oneof:"lru fifo"    the only allowed values
//	unit:"warps"        the unit that a plain number may carry
//	len:"1..3"          how many items a list or map may have
//	optional:"true"     the key may be absent, leaving the zero value
//	doc:"..."           the meaning, for Fields
//
// A field may be a Quantity, an integer, a float, a bool, a string, an
// encoding.TextUnmarshaler, a struct, a slice or a map by string of these; a
// pointer is optional and nil when absent. There are no defaults: an absent
// key is a fault, and so is a key that no field reads. Numbers are not
// negative unless a range says so.
func (d *Description) Decode(into any) error {
	target := reflect.ValueOf(into)
	if target.Kind() != reflect.Pointer || target.IsNil() {
		return fmt.Errorf("models: Decode wants a pointer to a struct, not %T", into)
	}
	s, err := schemaOf(target.Type().Elem())
	if err != nil {
		return err
	}
	fresh := reflect.New(s.typ).Elem()
	dec := decoder{schema: s, root: d.root}
	dec.section(s, d.root, fresh, "")
	if len(dec.faults) == 0 {
		target.Elem().Set(fresh)
		return nil
	}
	slices.SortStableFunc(dec.faults, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	all := make([]error, len(dec.faults))
	for i, f := range dec.faults {
		all[i] = f
	}
	return errors.Join(all...)
}

// decoder walks schema and tree together.
type decoder struct {
	schema *schema
	root   *node
	faults []Fault
	paths  []string // all known ones, for suggestions; filled when needed
}

func (d *decoder) fault(n *node, path, format string, args ...any) {
	d.faults = append(d.faults, Fault{n.file, n.line, path, fmt.Sprintf(format, args...)})
}

// value decodes n by s into v.
func (d *decoder) value(s *schema, n *node, v reflect.Value, path string) {
	if s.pointer {
		v.Set(reflect.New(s.typ))
		v = v.Elem()
	}
	switch {
	case n.kind != s.kind:
		d.fault(n, path, "%s is wanted, not %s", s.want(), n)
	case s.kind == leaf:
		if err := s.leaf.set(strings.TrimSpace(n.text), v); err != nil {
			d.fault(n, path, "%s", err)
		}
	case s.kind == list:
		d.items(s, n, v, path)
	case s.isMap():
		d.table(s, n, v, path)
	default:
		d.section(s, n, v, path)
	}
}

// want says what should stand where s describes.
func (s *schema) want() string {
	switch {
	case s.kind == leaf:
		return s.leaf.want()
	case s.kind == list:
		return "a list"
	case s.isMap():
		return "a section"
	}
	return "a section with " + strings.Join(s.keys(), ", ")
}

func (s *schema) keys() []string {
	keys := make([]string, len(s.members))
	for i, m := range s.members {
		keys[i] = m.key
	}
	return keys
}

// String describes n for messages.
func (n *node) String() string {
	switch n.kind {
	case leaf:
		return fmt.Sprintf("%q", n.text)
	case list:
		return "a list"
	}
	return "a section"
}

func (d *decoder) counted(s *schema, n *node, path string) {
	if s.count != nil && !s.count.holds(new(big.Rat).SetInt64(int64(len(n.kids)))) {
		d.fault(n, path, "%d items: %s are allowed", len(n.kids), s.count)
	}
}

func (d *decoder) items(s *schema, n *node, v reflect.Value, path string) {
	d.counted(s, n, path)
	v.Set(reflect.MakeSlice(s.typ, len(n.kids), len(n.kids)))
	for i, kid := range n.kids {
		d.value(s.elem, kid, v.Index(i), join(path, fmt.Sprint(i)))
	}
}

func (d *decoder) table(s *schema, n *node, v reflect.Value, path string) {
	d.counted(s, n, path)
	v.Set(reflect.MakeMap(s.typ))
	for i, key := range n.keys {
		item := reflect.New(s.elem.typ).Elem()
		d.value(s.elem, n.kids[i], item, join(path, key))
		v.SetMapIndex(reflect.ValueOf(key).Convert(s.typ.Key()), item)
	}
}

func (d *decoder) section(s *schema, n *node, v reflect.Value, path string) {
	before := len(d.faults)
	for _, m := range s.members {
		at := join(path, m.key)
		kid := n.child(m.key)
		switch {
		case kid != nil:
			d.value(m.schema, kid, v.FieldByIndex(m.index), at)
		case !m.optional:
			d.fault(n, at, "missing: %s is wanted", m.schema.want())
		}
	}
	keys := s.keys()
	for i, key := range n.keys {
		if !slices.Contains(keys, key) {
			d.unknown(n.kids[i], join(path, key), path, keys)
		}
	}
	if checker, ok := v.Addr().Interface().(Checker); ok && len(d.faults) == before {
		checker.Check(func(key, format string, args ...any) {
			at := n
			for _, part := range strings.Split(key, ".") {
				if kid := at.child(part); kid != nil {
					at = kid
				}
			}
			d.fault(at, join(path, key), format, args...)
		})
	}
}

// unknown reports a key that no field reads: for an override, every value
// under it.
func (d *decoder) unknown(n *node, path, section string, siblings []string) {
	here := "known here are " + strings.Join(siblings, ", ")
	if n.file == CommandLine {
		n.leaves(path, func(at string, l *node) {
			hint := here
			if near := Nearest(at, d.known()); near != "" {
				hint = "nearest is " + near
			}
			d.fault(l, at, "unknown key: %s", hint)
		})
		return
	}
	hint := here
	last := path[strings.LastIndexByte(path, '.')+1:]
	elsewhere := slices.IndexFunc(d.known(), func(p string) bool { return strings.HasSuffix(p, "."+last) })
	if near := Nearest(last, siblings); near != "" {
		hint = "nearest is " + join(section, near)
	} else if elsewhere >= 0 {
		hint = "there is " + d.known()[elsewhere]
	}
	d.fault(n, path, "unknown key: %s", hint)
}

// known lists the paths that the schema has, items of lists and maps as far as
// files have them.
func (d *decoder) known() []string {
	if d.paths == nil {
		d.paths = d.schema.paths(d.root, "", nil)
	}
	return d.paths
}

func (s *schema) paths(n *node, path string, all []string) []string {
	if path != "" {
		all = append(all, path)
	}
	if s.kind == list || s.isMap() {
		for i := 0; n != nil && n.kind == s.kind && i < len(n.kids); i++ {
			key := fmt.Sprint(i)
			if s.isMap() {
				key = n.keys[i]
			}
			all = s.elem.paths(n.kids[i], join(path, key), all)
		}
		return all
	}
	for _, m := range s.members {
		var kid *node
		if n != nil {
			kid = n.child(m.key)
		}
		all = m.schema.paths(kid, join(path, m.key), all)
	}
	return all
}
