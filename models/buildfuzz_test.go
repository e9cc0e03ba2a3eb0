package models

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// runsOrRefuses holds that a GPU with the overrides, if it can be built, runs a
// small program to the right answer, or says why it cannot.
func runsOrRefuses(t *testing.T, l lists, set ...string) {
	t.Helper()
	d := builtin(t, "tesla-c2050")
	if d.Override(set...) != nil {
		return
	}
	m, err := Build(d, Options{MaxCycles: 1_000_000_000})
	if err != nil || m.Check(weigh()) != nil {
		return
	}
	total, all := weighed(t, m, l, 1)
	if !slices.Equal(total, l.total) || !slices.Equal(all, l.all[:]) {
		t.Errorf("%q: a wrong answer", set)
	}
	m.Report()
}

// TestEndsOfRanges takes each number of a description at both ends of its
// range: machines that nobody builds, but that a slip of the pen asks for.
func TestEndsOfRanges(t *testing.T) {
	l := newLists(rand.New(rand.NewPCG(1, 3)), 70, 6)
	fields, err := Fields(reflect.TypeFor[GPUDescription]())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range fields {
		ends := strings.Split(f.Range, "..")
		for _, end := range append(ends, f.OneOf...) {
			if end != "" {
				runsOrRefuses(t, l, "sms=2", f.Path+"="+end)
			}
		}
	}
}

func FuzzBuild(f *testing.F) {
	var paths []string
	for _, s := range builtin(f, "tesla-c2050").Sources() {
		paths = append(paths, s.Path)
	}
	f.Add(uint16(3), "1 cycle", uint16(20), "off")
	f.Add(uint16(40), "1 TiB", uint16(60), "1 MHz")
	l := newLists(rand.New(rand.NewPCG(1, 3)), 70, 6)
	f.Fuzz(func(t *testing.T, i uint16, first string, j uint16, second string) {
		runsOrRefuses(t, l, paths[int(i)%len(paths)]+"="+first, paths[int(j)%len(paths)]+"="+second)
	})
}
