package experiments

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"heddle/kernels"
	"heddle/kernels/bfs"
	"heddle/kernels/irregular"
	"heddle/kernels/matching"
	"heddle/kernels/sorting"
	"heddle/models"
)

// Kernels returns every kernel, by name.
func Kernels() []kernels.Kernel {
	all := slices.Concat(matching.Kernels(), bfs.Kernels(), irregular.Kernels(), sorting.Kernels())
	slices.SortFunc(all, func(a, b kernels.Kernel) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

func kernelNames() []string {
	var names []string
	for _, k := range Kernels() {
		names = append(names, k.Name)
	}
	return names
}

// kernel returns the kernel called name, or an error that suggests the nearest.
func kernel(name string) (kernels.Kernel, error) {
	for _, k := range Kernels() {
		if k.Name == name {
			return k, nil
		}
	}
	return kernels.Kernel{}, unknown("kernel", name, kernelNames())
}

// unknown is the error that nothing of a kind is called name.
func unknown(kind, name string, known []string) error {
	message := fmt.Sprintf("unknown %s %q", kind, name)
	if near := models.Nearest(name, known); near != "" {
		message += ": nearest is " + near
	}
	return badInput("%s; known: %s", message, strings.Join(known, ", "))
}
