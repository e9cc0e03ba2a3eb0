package calibrate

import (
	_ "embed"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing/fstest"

	"heddle/models"
)

// template is the description before anything is fitted: what is not measured
// has its reason on its line.
//
//go:embed template.yaml
var template string

// Parameter is a value of the description that was fitted.
type Parameter struct {
	Path   string
	Value  string // as in the file
	Source string // measurement and confidence, or where it is from
}

// line matches a line of the template: its indentation, key, value, comment.
var line = regexp.MustCompile(`^( *)([a-z0-9_A-Z]+):(?: ([^#]*?))?( *#.*)?$`)

// describe returns the template with parameters in place of its values, each
// with its source as the comment on its line.
func describe(header string, parameters []Parameter) (string, error) {
	left := slices.Clone(parameters)
	var b strings.Builder
	b.WriteString(header)
	var path []string
	for text := range strings.Lines(template) {
		text = strings.TrimSuffix(text, "\n")
		m := line.FindStringSubmatch(text)
		if m == nil {
			b.WriteString(text + "\n")
			continue
		}
		path = append(path[:len(m[1])/2], m[2])
		i := slices.IndexFunc(left, func(p Parameter) bool { return p.Path == strings.Join(path, ".") })
		if i < 0 {
			b.WriteString(text + "\n")
			continue
		}
		fmt.Fprintf(&b, "%s%s: %s # %s\n", m[1], m[2], left[i].Value, left[i].Source)
		left = slices.Delete(left, i, i+1)
	}
	if len(left) > 0 {
		return "", fmt.Errorf("the description has no %s", left[0].Path)
	}
	return b.String(), nil
}

// open returns the description that text is.
func open(text string) (*models.Description, error) {
	var library fs.FS = fstest.MapFS{"host.yaml": {Data: []byte(text)}}
	return models.Open(library, "host")
}
