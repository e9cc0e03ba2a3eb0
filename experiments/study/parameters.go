package study

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"heddle/models"
)

// Parameter is a value that a study's file names once, and that the command
// line may replace.
type Parameter struct {
	Name, Value string
}

// replace takes the command line's values, name=value.
func (r *reader) replace(set []string) {
	for _, assignment := range set {
		name, value, ok := strings.Cut(assignment, "=")
		if !ok || value == "" {
			r.faults = append(r.faults, fmt.Errorf("--param %s: want NAME=VALUE", assignment))
			continue
		}
		r.replaced = append(r.replaced, Parameter{strings.TrimSpace(name), value})
	}
}

// readParameters reads {name: value}. A value may use those above it, and may
// be empty.
func (r *reader) readParameters(n *yaml.Node) {
	r.entries(n, "parameters", func(name string, at, value *yaml.Node) {
		path := join("parameters", name)
		if useForm.FindStringSubmatch(name) == nil {
			r.fault(at.Line, path, "want a name of letters and digits")
			return
		}
		p := Parameter{Name: name}
		if value.Kind != yaml.ScalarNode || value.Tag != "!!str" || value.Value != "" {
			p.Value = r.text(value, path)
		}
		for _, x := range r.replaced {
			if x.Name == name {
				p.Value = x.Value
			}
		}
		r.parameters = append(r.parameters, p)
	})
}

func hasParameter(all []Parameter, name string) bool {
	return slices.ContainsFunc(all, func(p Parameter) bool { return p.Name == name })
}

// use matches $(name), $(name+1) and $(name-1).
var use = regexp.MustCompile(`\$\(([^()]*)\)`)

var useForm = regexp.MustCompile(`^\s*([A-Za-z]\w*)\s*(?:([+-])\s*(\d{1,9}))?\s*$`)

// fill puts the values of parameters into text.
func (r *reader) fill(line int, path, text string) string {
	return use.ReplaceAllStringFunc(text, func(found string) string {
		m := useForm.FindStringSubmatch(found[2 : len(found)-1])
		if m == nil {
			r.fault(line, path, "%s: want $(name), $(name+1) or $(name-1)", found)
			return found
		}
		i := slices.IndexFunc(r.parameters, func(p Parameter) bool { return p.Name == m[1] })
		if i < 0 {
			r.fault(line, path, "%s: %s", found, noParameter(m[1], r.parameters))
			return found
		}
		value := r.parameters[i].Value
		if m[2] == "" {
			return value
		}
		n, err := strconv.Atoi(value)
		if err != nil {
			r.fault(line, path, "%s: parameter %s is %s, not a whole number", found, m[1], value)
			return found
		}
		by, _ := strconv.Atoi(m[2] + m[3]) // digits
		return strconv.Itoa(n + by)
	})
}

// noParameter says that there is no parameter called name.
func noParameter(name string, all []Parameter) string {
	var known []string
	for _, p := range all {
		known = append(known, p.Name)
	}
	switch near := models.Nearest(name, known); {
	case len(known) == 0:
		return fmt.Sprintf("no parameter %q: the study has none", name)
	case near != "":
		return fmt.Sprintf("no parameter %q: nearest is %s", name, near)
	}
	return fmt.Sprintf("no parameter %q; known: %s", name, strings.Join(known, ", "))
}
