package experiments

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode"
)

// mostItems bounds how much of a list a snapshot holds.
const mostItems = 1024

// snapshot returns a copy of what v holds, down to the given depth, of the few
// kinds that akita's monitor can show: plain numbers, text, slices, and structs
// of those. A field's name begins with a capital letter.
func snapshot(v reflect.Value, depth int) any {
	switch v.Kind() {
	case reflect.Invalid:
		return nil
	case reflect.Pointer, reflect.Interface:
		return snapshot(v.Elem(), depth)
	case reflect.Bool:
		return v.Bool()
	case reflect.String:
		return v.String()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return v.Int()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return v.Uint()
	case reflect.Float32, reflect.Float64:
		return v.Float()
	case reflect.Slice, reflect.Array:
		items := make([]any, min(v.Len(), mostItems))
		for i := 0; i < len(items) && depth > 0; i++ {
			items[i] = snapshot(v.Index(i), depth-1)
		}
		return items
	case reflect.Struct:
		if depth == 0 {
			return struct{}{}
		}
		return snapshotStruct(v, depth)
	}
	return fmt.Sprintf("(%s)", v.Type())
}

// along returns a snapshot of what path leads to from v: fields by the names
// that snapshots have, and items of lists by number. Of what lies on the way
// there is only the path itself; a path that leads nowhere ends where it does.
func along(v reflect.Value, path []string) any {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if len(path) == 0 {
		return snapshot(v, 1)
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if capital(v.Type().Field(i).Name) == path[0] {
				field := reflect.StructField{Name: path[0], Type: reflect.TypeFor[any]()}
				s := reflect.New(reflect.StructOf([]reflect.StructField{field})).Elem()
				if inner := along(v.Field(i), path[1:]); inner != nil {
					s.Field(0).Set(reflect.ValueOf(inner))
				}
				return s.Interface()
			}
		}
	case reflect.Slice, reflect.Array:
		if i, err := strconv.Atoi(path[0]); err == nil && 0 <= i && i < min(v.Len(), mostItems) {
			items := make([]any, i+1)
			items[i] = along(v.Index(i), path[1:])
			return items
		}
	}
	return snapshot(v, 1)
}

func snapshotStruct(v reflect.Value, depth int) any {
	t := v.Type()
	var fields []reflect.StructField
	var values []any
	seen := map[string]bool{}
	for i := range t.NumField() {
		name := capital(t.Field(i).Name)
		if seen[name] {
			continue
		}
		seen[name] = true
		fields = append(fields, reflect.StructField{Name: name, Type: reflect.TypeFor[any]()})
		values = append(values, snapshot(v.Field(i), depth-1))
	}
	s := reflect.New(reflect.StructOf(fields)).Elem()
	for i, x := range values {
		if x != nil {
			s.Field(i).Set(reflect.ValueOf(x))
		}
	}
	return s.Interface()
}

// capital returns a field's name as that of an exported one.
func capital(name string) string {
	first := []rune(name)[0]
	if !unicode.IsLetter(first) {
		return "X" + name
	}
	return strings.ToUpper(string(first)) + name[len(string(first)):]
}
