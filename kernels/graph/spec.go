package graph

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/pbnjay/memory"
)

// generator is what a name before the colon stands for.
type generator struct {
	sized    bool            // takes a size: V = 2^size
	maxScale int             // the largest size
	options  map[string]bool // the options it takes
	// footprint returns the bytes needed at the peak, for refusing a size
	// that this machine cannot hold.
	footprint func(s spec) float64
	generate  func(s spec, progress func(done, total int64)) *Graph
}

// spec is a parsed generator name, such as rmat-g:20,seed=7,degree=8.
type spec struct {
	name   string // as written
	family string
	scale  int
	degree int
	seed   uint64
	weight int // the greatest of random weights; 0: V
}

var generators = func() map[string]generator {
	all := map[string]generator{
		"karate": {generate: func(spec, func(done, total int64)) *Graph { return Karate() }},
		"rgg": {
			sized: true, maxScale: 28, options: map[string]bool{"seed": true, "weights": true},
			footprint: func(s spec) float64 {
				n := math.Ldexp(1, s.scale)
				return n * (40 + 4*math.Pi*rggRadius*rggRadius*math.Log(n))
			},
			generate: func(s spec, progress func(done, total int64)) *Graph {
				return RGG{Scale: s.scale, Seed: s.seed}.Generate(progress)
			},
		},
	}
	for family, parameters := range rmatFamilies {
		all[family] = generator{
			sized: true, maxScale: 30, options: map[string]bool{"seed": true, "degree": true, "weights": true},
			footprint: func(s spec) float64 {
				return math.Ldexp(1, s.scale) * (16 + 24*float64(s.degree))
			},
			generate: func(s spec, progress func(done, total int64)) *Graph {
				p := parameters
				p.Scale, p.Degree, p.Seed = s.scale, s.degree, s.seed
				return p.Generate(progress)
			},
		}
	}
	return all
}()

// familyOf returns the part of a graph's name that would name a generator.
func familyOf(name string) string {
	family, _, _ := strings.Cut(name, ",")
	family, _, _ = strings.Cut(family, ":")
	return family
}

// IsGenerator says whether Open takes a name for that of a generator.
func IsGenerator(name string) bool {
	_, ok := generators[familyOf(name)]
	return ok
}

// parseSpec reads the name of a generated graph; seed is used where the name
// has none.
func parseSpec(name string, seed uint64) (spec, error) {
	s := spec{name: name, family: familyOf(name), degree: rmatDegree, seed: seed}
	gen, ok := generators[s.family]
	if !ok {
		return s, fmt.Errorf("%s: no such file and no generator %q%s: a generator is one of %s, a file is one of %s, plain or .gz",
			name, s.family, nearest(s.family, slices.Collect(maps.Keys(generators))),
			strings.Join(usages(), ", "), strings.Join(fileKinds(), ", "))
	}
	head, rest, more := strings.Cut(name, ",")
	size, hasSize := strings.CutPrefix(head[len(s.family):], ":")
	switch {
	case gen.sized && !hasSize:
		return s, fmt.Errorf("%s: %s needs a size, as in %s:14 for 2^14 vertices", name, s.family, s.family)
	case !gen.sized && hasSize:
		return s, fmt.Errorf("%s: %s has a fixed size: write %s", name, s.family, s.family)
	case gen.sized:
		scale, err := strconv.Atoi(size)
		if err != nil || scale < 1 || scale > gen.maxScale {
			return s, fmt.Errorf("%s: size %q: want the base-2 logarithm of the vertices, 1 to %d", name, size, gen.maxScale)
		}
		s.scale = scale
	}
	if more {
		for option := range strings.SplitSeq(rest, ",") {
			if err := s.set(gen, option); err != nil {
				return s, err
			}
		}
	}
	if gen.footprint != nil {
		if need, have := gen.footprint(s), float64(memory.TotalMemory()); have > 0 && need > have {
			return s, fmt.Errorf("%s: needs about %.0f GB of memory, this machine has %.0f GB", name, need/1e9, have/1e9)
		}
	}
	return s, nil
}

// set applies one option, written key=value.
func (s *spec) set(gen generator, option string) error {
	k, value, _ := strings.Cut(option, "=")
	if !gen.options[k] {
		allowed := slices.Sorted(maps.Keys(gen.options))
		if len(allowed) == 0 {
			return fmt.Errorf("%s: option %q: %s takes no options", s.name, k, s.family)
		}
		return fmt.Errorf("%s: unknown option %q%s: %s takes %s", s.name, k, nearest(k, allowed), s.family, strings.Join(allowed, ", "))
	}
	var err error
	switch k {
	case "seed":
		if s.seed, err = strconv.ParseUint(value, 10, 64); err != nil {
			return fmt.Errorf("%s: seed %q: want a whole number, 0 to 2^64-1", s.name, value)
		}
	case "degree":
		if s.degree, err = strconv.Atoi(value); err != nil || s.degree < 1 || s.degree > 1<<16 {
			return fmt.Errorf("%s: degree %q: want the edges generated per vertex, 1 to 65536", s.name, value)
		}
	case "weights":
		if s.weight, err = strconv.Atoi(value); err != nil || s.weight < 1 || s.weight > math.MaxInt32 {
			return fmt.Errorf("%s: weights %q: want the greatest of random weights, 1 to %d", s.name, value, math.MaxInt32)
		}
	}
	return nil
}

// usages lists the generators as they are written.
func usages() []string {
	var list []string
	for _, family := range slices.Sorted(maps.Keys(generators)) {
		if generators[family].sized {
			family += ":SCALE"
		}
		list = append(list, family)
	}
	return list
}

// nearest suggests the known name closest to what was written, or nothing
// where none is close.
func nearest(written string, known []string) string {
	slices.Sort(known)
	best, distance := "", max(2, len(written)/2)+1
	for _, k := range known {
		if d := levenshtein.ComputeDistance(strings.ToLower(written), k); d < distance {
			best, distance = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
}
