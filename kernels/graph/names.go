package graph

import (
	"maps"
	"slices"
	"strings"
)

// A Form is a way to write the name of a graph.
type Form struct {
	Name    string
	Options []string // after commas, key=value
	Doc     string
}

var generatorDocs = map[string]string{
	"karate":  "Zachary's karate club (1977): 34 vertices, 78 edges",
	"rgg":     "random geometric graph of 2^SCALE points in the unit square",
	"rmat-b":  "R-MAT graph of 2^SCALE vertices, quadrants 0.55 0.15 0.15 0.15: bad skew",
	"rmat-er": "R-MAT graph of 2^SCALE vertices, quadrants 0.25 each: Erdős-Rényi",
	"rmat-g":  "R-MAT graph of 2^SCALE vertices, quadrants 0.45 0.15 0.15 0.25: good skew",
}

// Generators lists the generated graphs that Open knows.
func Generators() []Form {
	var list []Form
	for i, family := range slices.Sorted(maps.Keys(generators)) {
		options := slices.Sorted(maps.Keys(generators[family].options))
		list = append(list, Form{usages()[i], options, generatorDocs[family]})
	}
	return list
}

// Formats lists the kinds of file that Open and Write know.
func Formats() []Form {
	var list []Form
	for _, f := range formats {
		list = append(list, Form{Name: f.kind, Doc: strings.Join(f.extensions, " ")})
	}
	return list
}

// CheckFormat returns an error if Write knows no format for path.
func CheckFormat(path string) error {
	_, err := fileFormat(path)
	return err
}
