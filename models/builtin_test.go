package models

import (
	"slices"
	"strings"
	"testing"

	"heddle/arch/isa"
	"heddle/sim"
)

// builtin returns the machine of the library, with overrides.
func builtin(t testing.TB, name string, set ...string) *Description {
	t.Helper()
	d, err := Open(Library, name)
	if err == nil {
		err = d.Override(set...)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// build returns the machine of the library, with overrides.
func build(t testing.TB, name string, set ...string) *Machine {
	t.Helper()
	m, err := Build(builtin(t, name, set...), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// gpus are the machines of the library of kind simt.
func gpus(t testing.TB) (names []string) {
	for _, name := range Names(Library) {
		if kind, _ := builtin(t, name).Value("kind"); kind == "simt" {
			names = append(names, name)
		}
	}
	return names
}

func TestLibrary(t *testing.T) {
	for _, want := range []string{"functional", "tesla-c2050", "tesla-c2050-ecc", "tesla-c2050-l1-16k", "tesla-c2050-l1-off"} {
		if !slices.Contains(Names(Library), want) {
			t.Errorf("no machine %s", want)
		}
	}
	for _, name := range Names(Library) {
		d := builtin(t, name)
		if _, err := Build(d, Options{}); err != nil {
			t.Error(err)
		}
		if title, ok := d.Value("title"); !ok || title == "" {
			t.Errorf("%s has no title", name)
		}
		for _, s := range d.UnsourcedLeaves() {
			t.Errorf("%s:%d: %s: %s has no source", s.File, s.Line, s.Path, s.Value)
		}
		for _, s := range d.Sources() {
			_, _, numeric := scanNumber(s.Value)
			if numeric && s.Path != "title" && s.Tag == "" {
				t.Errorf("%s:%d: %s: %s has no tag", s.File, s.Line, s.Path, s.Value)
			}
		}
	}
}

// TestBuiltinsReadBack builds each machine from what YAML writes of it.
func TestBuiltinsReadBack(t *testing.T) {
	for _, name := range Names(Library) {
		d := builtin(t, name)
		readsBack(t, d)
	}
}

func decodeGPU(t testing.TB, d *Description) *GPUDescription {
	t.Helper()
	var g GPUDescription
	if err := d.Decode(&g); err != nil {
		t.Fatal(err)
	}
	return &g
}

// TestVariantsDifferInWhatTheyAreNamedFor holds each variant of the C2050
// against it, key by key.
func TestVariantsDifferInWhatTheyAreNamedFor(t *testing.T) {
	values := func(name string) map[string]string {
		all := map[string]string{}
		for _, s := range builtin(t, name).Sources() {
			all[s.Path] = s.Value
		}
		return all
	}
	base := values("tesla-c2050")
	for name, want := range map[string][]string{
		"tesla-c2050-l1-16k": {"l1.size=16 KiB", "l1.ways=4", "occupancy.shared=48 KiB", "title=*"},
		"tesla-c2050-l1-off": {"l1.enabled=false", "l2.slice.mshrs=128", "load_store.latency=45 cycles", "load_store.outstanding=256",
			"theory.dram_latency.tolerance=", "theory.dram_latency.value=", "theory.l1_latency.tolerance=",
			"theory.l1_latency.value=", "theory.l2_latency.tolerance=", "theory.l2_latency.value=", "title=*"},
		"tesla-c2050-ecc": {"dram.ecc.enabled=true", "l2.masked_writes=false", "theory.memory.value=2688 MiB", "title=*"},
	} {
		variant := values(name)
		var got []string
		for path, was := range base {
			if is := variant[path]; is != was {
				if path == "title" {
					is = "*"
				}
				got = append(got, path+"="+is)
			}
		}
		for path := range variant {
			if _, ok := base[path]; !ok {
				t.Errorf("%s adds %s", name, path)
			}
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%s: %s\nwant %s", name, strings.Join(got, ", "), strings.Join(want, ", "))
		}
	}
}

// TestSMMemory: however an SM's memory is split, it is 64 KiB.
func TestSMMemory(t *testing.T) {
	for _, name := range []string{"tesla-c2050", "tesla-c2050-l1-16k"} {
		g := decodeGPU(t, builtin(t, name))
		if sum := g.L1.Size + g.Occupancy.Shared; sum != 64<<10 {
			t.Errorf("%s: %s", name, Format(sum))
		}
	}
}

// TestL1OffMovesSectors loads one word a warp: a line with L1, a sector
// without.
func TestL1OffMovesSectors(t *testing.T) {
	b := isa.NewBuilder("scatter")
	data := b.Array("data", isa.I64)
	b.Load(data, b.Mul(isa.ThreadID, 512))
	p := b.MustBuild()
	const threads = 256
	for name, want := range map[string]sim.Bytes{"tesla-c2050": 128, "tesla-c2050-l1-off": 32} {
		m := build(t, name)
		a, err := m.Adopt("data", make([]int64, threads*512))
		if err != nil {
			t.Fatal(err)
		}
		m.Start()
		if err := m.Launch(p, threads, a.Value()); err != nil {
			t.Fatal(err)
		}
		m.Finish()
		if got := m.Report().Arrays[0]; got.Moved != threads*want || got.DRAMRead != threads*want {
			t.Errorf("%s: %d bytes moved, %d from DRAM, want %d", name, got.Moved, got.DRAMRead, threads*want)
		}
	}
}
