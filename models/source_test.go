package models

import (
	"slices"
	"testing"
)

func TestSources(t *testing.T) {
	d, err := Open(library("v.yaml", `extends: fermi
warps: 32 # [M,S] counted [twice] # and again
           # on a second line
ratio: 1 # [X] no such tag
dims: [1, # [R] third, and more
  2,
  3] # [R] third
clock: "2 GHz" # [P]no blank
dram: {latency: 1 ns, banks: 8} # [I] both
`), "v")
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Override("clock=3 GHz", "dram.bandwidth=1 GB/s", "dram.bandwidth=2 GB/s", "full-bits=on"); err != nil {
		t.Fatal(err)
	}
	got := map[string]Source{}
	for _, s := range d.Sources() {
		got[s.Path] = s
	}
	for _, want := range []Source{
		{Path: "name", Value: "Fermi", File: "fermi.yaml", Line: 2},
		{Path: "warps", Value: "32", Comment: "counted [twice] # and again", Tag: "M,S", File: "v.yaml", Line: 2},
		{Path: "ratio", Value: "1", Comment: "[X] no such tag", File: "v.yaml", Line: 4},
		{Path: "dims.0", Value: "1", Comment: "third, and more", Tag: "R", File: "v.yaml", Line: 5},
		{Path: "dims.1", Value: "2", File: "v.yaml", Line: 6},
		{Path: "dims.2", Value: "3", Comment: "third", Tag: "R", File: "v.yaml", Line: 7},
		{Path: "clock", Value: "3 GHz", File: "--set", Overridden: true, Was: "2 GHz"},
		{Path: "latency.imul", Value: "1 cycle", Comment: "recalled", Tag: "R,I", File: "fermi.yaml", Line: 9},
		{Path: "levels.0.ways", Value: "2", Comment: "one", File: "fermi.yaml", Line: 17},
		{Path: "levels.1.ways", Value: "3", Comment: "two", Tag: "M", File: "fermi.yaml", Line: 18},
		{Path: "dram.latency", Value: "1 ns", Comment: "both", Tag: "I", File: "v.yaml", Line: 9},
		{Path: "dram.banks", Value: "8", Comment: "both", Tag: "I", File: "v.yaml", Line: 9},
		{Path: "dram.bandwidth", Value: "2 GB/s", File: "--set", Overridden: true, Was: "144 GB/s"},
		{Path: "full-bits", Value: "on", File: "--set", Overridden: true},
	} {
		if got[want.Path] != want {
			t.Errorf("got  %+v\nwant %+v", got[want.Path], want)
		}
	}
}

func TestUnsourcedLeaves(t *testing.T) {
	d := open(t, fermi+"title: 2 x Fermi\n")
	if err := d.Set("l1.line", "64 B"); err != nil { // an override needs no source
		t.Fatal(err)
	}
	var got []string
	for _, s := range d.UnsourcedLeaves() {
		got = append(got, s.Path)
	}
	// ways has no comment at all, bandwidth a tag alone; names are no numbers.
	if want := []string{"l1.ways", "dram.bandwidth"}; !slices.Equal(got, want) {
		t.Errorf("unsourced: %v, want %v", got, want)
	}
}
