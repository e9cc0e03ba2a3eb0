package models

import (
	"encoding"
	"errors"
	"fmt"
	"math/big"
	"reflect"
)

// Field is one key that a description may have.
type Field struct {
	Path string // dotted; * stands for an item of a list or a key of a map
	// Type is cycles, size, frequency, bandwidth, time, integer, number,
	// switch, text, section, list of ... or map of ...
	Type     string
	Range    string // least..greatest, an end may be open; empty for none
	OneOf    []string
	Unit     string // that a plain number may carry
	Doc      string
	Optional bool
}

// Fields lists the keys that a struct of type t reads, in its order, sections
// before what they hold. It fails when t or a tag of it is not of the form
// that Decode wants.
func Fields(t reflect.Type) ([]Field, error) {
	s, err := schemaOf(t)
	if err != nil {
		return nil, err
	}
	return s.fields("", nil), nil
}

// schema is what one place of a description may hold.
type schema struct {
	kind    kind // leaf, list or section
	typ     reflect.Type
	pointer bool     // the field is a pointer, nil when the key is absent
	elem    *schema  // of a list or a map
	members []member // of a section that is a struct
	leaf    leafRule
	count   *interval // of a list's or a map's items
}

// member is a key of a section.
type member struct {
	key      string
	index    []int // of the field, through embedded structs
	optional bool
	doc      string
	schema   *schema
}

// leafRule says which texts a leaf may have.
type leafRule struct {
	name  string // as Field.Type has it
	noun  string // as messages have it
	parse func(text string, v reflect.Value) (*big.Rat, error)
	// bounds and oneOf are nil when every value will do.
	bounds *interval
	oneOf  []string
	unit   string
}

func (s *schema) isMap() bool { return s.kind == section && s.elem != nil }

// typeName returns the Type of a Field.
func (s *schema) typeName() string {
	switch {
	case s.kind == leaf:
		return s.leaf.name
	case s.kind == list:
		return "list of " + s.elem.typeName()
	case s.isMap():
		return "map of " + s.elem.typeName()
	}
	return "section"
}

func (s *schema) fields(path string, all []Field) []Field {
	for _, m := range s.members {
		at := join(path, m.key)
		rule := m.schema.rule()
		all = append(all, Field{
			Path: at, Type: m.schema.typeName(), Range: rule.bounds.String(), OneOf: rule.oneOf,
			Unit: rule.unit, Doc: m.doc, Optional: m.optional,
		})
		inner := m.schema
		for inner.elem != nil {
			inner, at = inner.elem, join(at, "*")
		}
		all = inner.fields(at, all)
	}
	return all
}

// rule returns the rule of the leaves under s, which may be lists of lists.
func (s *schema) rule() leafRule {
	for s.elem != nil {
		s = s.elem
	}
	return s.leaf
}

// schemaOf reads the schema of a description from struct type t.
func schemaOf(t reflect.Type) (*schema, error) {
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("models: %s is not a struct", t)
	}
	return sectionOf(t, nil)
}

// sectionOf reads struct t. Within are the structs around it.
func sectionOf(t reflect.Type, within []reflect.Type) (*schema, error) {
	for _, outer := range within {
		if outer == t {
			return nil, fmt.Errorf("models: %s holds itself", t)
		}
	}
	within = append(within[:len(within):len(within)], t)
	s := &schema{kind: section, typ: t}
	var faults []error
	keys := map[string]bool{}
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous && f.Type.Kind() == reflect.Struct {
			continue // its own fields are visited too
		}
		if !f.Anonymous && !f.IsExported() || f.Tag.Get("yaml") == "-" {
			continue
		}
		key := f.Tag.Get("yaml")
		fs, err := fieldSchema(f.Type, tagsOf(f.Tag), within)
		switch {
		case f.Anonymous:
			err = errors.New("only a struct can be embedded")
		case !keyForm.MatchString(key):
			err = fmt.Errorf("yaml tag %q is not a key", key)
		case keys[key]:
			err = fmt.Errorf("a second field with key %s", key)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("models: %s.%s: %w", t, f.Name, err))
			continue
		}
		keys[key] = true
		s.members = append(s.members, member{
			key: key, index: f.Index, doc: f.Tag.Get("doc"), schema: fs,
			optional: fs.pointer || f.Tag.Get("optional") == "true",
		})
	}
	return s, errors.Join(faults...)
}

// tags are what a field's tags demand of its leaves, and len of itself.
type tags struct{ bounds, oneOf, unit, length string }

func tagsOf(t reflect.StructTag) tags {
	return tags{t.Get("range"), t.Get("oneof"), t.Get("unit"), t.Get("len")}
}

// fieldSchema reads the schema of a field of type t.
func fieldSchema(t reflect.Type, tag tags, within []reflect.Type) (*schema, error) {
	if t.Kind() == reflect.Pointer {
		s, err := fieldSchema(t.Elem(), tag, within)
		if err == nil && s.pointer {
			err = errors.New("a pointer to a pointer")
		}
		if err != nil {
			return nil, err
		}
		s.pointer = true
		return s, nil
	}
	if rule, ok := leafOf(t); ok {
		if tag.length != "" {
			return nil, fmt.Errorf("a len tag on %s", rule.noun)
		}
		if err := rule.restrict(t, tag); err != nil {
			return nil, err
		}
		return &schema{kind: leaf, typ: t, leaf: rule}, nil
	}
	s := &schema{typ: t}
	switch {
	case t.Kind() == reflect.Struct && tag == (tags{}):
		return sectionOf(t, within)
	case t.Kind() == reflect.Struct:
		return nil, errors.New("tags for a value on a section")
	case t.Kind() == reflect.Slice:
		s.kind = list
	case t.Kind() == reflect.Map && t.Key().Kind() == reflect.String:
		s.kind = section
	default:
		return nil, fmt.Errorf("a description cannot hold a %s", t)
	}
	var err error
	if tag.length != "" {
		whole, _ := leafOf(reflect.TypeFor[int]())
		if s.count, err = parseInterval(tag.length, whole, reflect.TypeFor[int]()); err != nil {
			return nil, err
		}
		tag.length = ""
	}
	if s.elem, err = fieldSchema(t.Elem(), tag, within); err != nil {
		return nil, err
	}
	if s.elem.pointer {
		return nil, errors.New("items cannot be pointers")
	}
	return s, nil
}

var unmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()

// leafOf returns the rule of a leaf of type t without its tags, and whether t
// is a leaf at all.
func leafOf(t reflect.Type) (leafRule, bool) {
	if d := dimensionOf(t); d != nil {
		return leafRule{name: d.name, noun: d.noun, parse: d.parse}, true
	}
	if reflect.PointerTo(t).Implements(unmarshaler) {
		return leafRule{name: "text", noun: "text", parse: parseText}, true
	}
	switch t.Kind() {
	case reflect.Bool:
		return leafRule{name: "switch", noun: "true, false, on or off", parse: parseSwitch}, true
	case reflect.String:
		return leafRule{name: "text", noun: "text", parse: parseString}, true
	case reflect.Float32, reflect.Float64:
		return leafRule{name: "number", noun: "a number"}, true
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return leafRule{name: "integer", noun: "a whole number"}, true
	}
	return leafRule{}, false
}
