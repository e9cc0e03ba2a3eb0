package graph

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// cached runs throughCache and says whether it had to generate, and what it
// logged.
func cached(t *testing.T, dir string, seed uint64) (g *Graph, generated bool, log string) {
	t.Helper()
	s, err := parseSpec("rmat-g:10", seed)
	if err != nil {
		t.Fatal(err)
	}
	g = throughCache(s, Options{CacheDir: dir, Log: func(line string) { log += line + "\n" }}, func() *Graph {
		generated = true
		return generators[s.family].generate(s, nil)
	})
	return g, generated, log
}

func onlyFile(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v: want one file", files, err)
	}
	return files[0]
}

func TestCache(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "when", "needed")
	first, generated, log := cached(t, dir, 1)
	if !generated || log != "" {
		t.Fatalf("an empty cache: generated %v, %q", generated, log)
	}
	again, generated, log := cached(t, dir, 1)
	if generated || log != "" || !equal(first, again) || first.Dropped != again.Dropped {
		t.Fatalf("a full cache: generated %v, %q", generated, log)
	}
	if _, generated, _ = cached(t, dir, 2); !generated {
		t.Fatal("another seed found the first one's graph")
	}
}

// A file with any byte changed, or of any other length, is not believed: the
// graph is generated anew, one line says so, and the file is whole again.
func TestDamagedCache(t *testing.T) {
	dir := t.TempDir()
	first, _, _ := cached(t, dir, 1)
	path := onlyFile(t, dir)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damage := map[string][]byte{"empty": {}, "longer": append(whole[:len(whole):len(whole)], 0)}
	for _, n := range []int{1, 7, 39, 40, 1000, len(whole) - 1} {
		damage["cut"+string(rune('a'+len(damage)))] = whole[:n]
	}
	for _, i := range []int{0, 7, 8, 13, 15, 16, 23, 24, 40, 47, 8000, len(whole) - 5, len(whole) - 1} {
		bad := append([]byte(nil), whole...)
		bad[i] ^= 0x40
		damage["bit"+string(rune('a'+len(damage)))] = bad
	}
	for about, bytes := range damage {
		if err := os.WriteFile(path, bytes, 0o666); err != nil {
			t.Fatal(err)
		}
		g, generated, log := cached(t, dir, 1)
		if !generated || !equal(g, first) || strings.Count(log, "\n") != 1 {
			t.Errorf("%s: generated %v, log %q", about, generated, log)
		}
		if _, generated, _ := cached(t, dir, 1); generated {
			t.Errorf("%s: not mended", about)
		}
	}
}

func TestUnwritableCache(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	g, generated, log := cached(t, filepath.Join(file, "sub"), 1)
	if g == nil || !generated || !strings.Contains(log, "rmat-g:10: not cached: ") {
		t.Errorf("generated %v, log %q", generated, log)
	}
}

func TestCacheRemovesOldRemains(t *testing.T) {
	dir := t.TempDir()
	old, fresh := filepath.Join(dir, ".a.1-0.tmp"), filepath.Join(dir, ".b.1-0.tmp")
	for _, path := range []string{old, fresh} {
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	past := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(old, past, past); err != nil {
		t.Fatal(err)
	}
	cached(t, dir, 1)
	if _, err := os.Stat(old); err == nil {
		t.Error("an old unfinished file is still there")
	}
	if _, err := os.Stat(fresh); err != nil {
		t.Error("a file that may be in use is gone")
	}
}

// Open uses the cache from 2^18 vertices on.
func TestOpenCaches(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"rgg:10", "karate"} {
		if _, err := Open(name, Options{CacheDir: dir}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Open("rgg:18", Options{CacheDir: dir, NoCache: true}); err != nil {
		t.Fatal(err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Fatalf("cached %v", files)
	}
	first, err := Open("rgg:18,seed=9", Options{CacheDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if want := "rgg-18-degree8-seed9.v1"; filepath.Base(onlyFile(t, dir)) != want {
		t.Errorf("cached as %s, want %s", onlyFile(t, dir), want)
	}
	again, err := Open("rgg:18", Options{CacheDir: dir, Seed: 9, Progress: func(_, _ int64) { t.Error("generated twice") }})
	if err != nil || !equal(first, again) || again.Name != "rgg:18" {
		t.Errorf("not the same from the cache: %v, %s", err, again.Name)
	}
}
