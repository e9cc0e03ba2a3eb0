package models

import "testing"

func TestNearest(t *testing.T) {
	machines := []string{"tesla-c1060", "tesla-c2050", "xmt-128", "opteron-6176", "e5540"}
	kernels := []string{"matching/ld", "matching/ld-sorted", "matching/suitor", "coloring/iterative"}
	keys := []string{"size", "line", "ways"}
	for _, c := range []struct {
		name  string
		known []string
		want  string
	}{
		{"tesla-c2051", machines, "tesla-c2050"},
		{"Tesla-C2050", machines, "tesla-c2050"},
		{"c2050", machines, "tesla-c2050"},
		{"xmt", machines, "xmt-128"},
		{"opteron", machines, "opteron-6176"},
		{"matching/sutor", kernels, "matching/suitor"},
		{"matching/ld-sort", kernels, "matching/ld-sorted"},
		{"suitor", kernels, "matching/suitor"},
		{"siez", keys, "size"},
		{"way", keys, "ways"},
		{"frequency", keys, ""},
		{"x", keys, ""},
		{"", keys, ""},
		{"size", nil, ""},
		{"b", []string{"c", "a"}, ""}, // nothing in common
		{"ld", []string{"matching/ld", "coloring/ld", "coloring/ld-sorted"}, "coloring/ld"},
		{"ab", []string{"ac", "aa"}, "aa"},
		{"size", []string{"l2.size", "l1.size"}, "l1.size"},
	} {
		if got := Nearest(c.name, c.known); got != c.want {
			t.Errorf("Nearest(%q) = %q, want %q", c.name, got, c.want)
		}
	}
}
