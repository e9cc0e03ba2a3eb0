package models

import (
	"maps"
	"slices"
	"strings"

	"heddle/arch/simt"
	"heddle/sim"
)

// builders build the machines of each kind.
var builders = map[string]func(*Machine, *Description, Options) error{
	"simt":       buildGPU,
	"functional": buildFunctional,
}

func kinds() string { return strings.Join(slices.Sorted(maps.Keys(builders)), ", ") }

// Metrics returns the declarations of what machines of each kind report.
func Metrics() map[string]sim.Declaration {
	return map[string]sim.Declaration{"simt": simt.Metrics, "functional": FunctionalMetrics}
}
