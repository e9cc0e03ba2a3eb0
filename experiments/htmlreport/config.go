package htmlreport

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// setting is a value of a machine's resolved description.
type setting struct{ Path, Value string }

// config is a machine's resolved description, flat.
type config struct {
	settings []setting
	values   map[string]string
}

// newConfig reads a description, a JSON object.
func newConfig(text json.RawMessage) config {
	c := config{values: map[string]string{}}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	c.read(d, "") // a result's config is well formed
	for _, s := range c.settings {
		c.values[s.Path] = s.Value
	}
	return c
}

// read adds the next value of d, which lies at path; it reports whether there
// was one.
func (c *config) read(d *json.Decoder, path string) bool {
	token, err := d.Token()
	if err != nil {
		return false
	}
	switch token {
	case json.Delim('{'):
		for d.More() {
			key, err := d.Token()
			if err != nil || !c.read(d, strings.TrimPrefix(path+"."+fmt.Sprint(key), ".")) {
				return false
			}
		}
		_, err = d.Token()
		return err == nil
	case json.Delim('['):
		for i := 0; d.More(); i++ {
			if !c.read(d, fmt.Sprintf("%s[%d]", path, i)) {
				return false
			}
		}
		_, err = d.Token()
		return err == nil
	}
	c.settings = append(c.settings, setting{path, fmt.Sprint(token)})
	return true
}

// get returns the value at a path, "" if there is none.
func (c *config) get(path string) string { return c.values[path] }

// join returns what is at the paths, in words that fit together: each part is a
// text with the paths of values in braces, and is left out where one is
// missing.
func (c *config) join(parts ...string) string {
	var shown []string
	for _, part := range parts {
		text, whole := "", true
		for rest := part; rest != ""; {
			before, inner, more := strings.Cut(rest, "{")
			text += before
			if !more {
				break
			}
			path, after, _ := strings.Cut(inner, "}")
			value := c.get(path)
			whole = whole && value != ""
			text += value
			rest = after
		}
		if whole {
			shown = append(shown, text)
		}
	}
	return strings.Join(shown, ", ")
}
