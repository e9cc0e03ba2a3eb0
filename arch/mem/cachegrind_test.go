package mem

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"heddle/sim"
)

// A program's address stream, as valgrind's lackey tells it, through our caches
// and through those of valgrind's cachegrind: of the same geometry, they miss
// as often.
//
// What cachegrind does otherwise: its caches are never dirty, so that no
// write-back refreshes a line in the last level, or brings it in again; of a
// reference that straddles two lines it looks up both in the last level when one
// misses in the first; and it sees some tens of fetches of instructions more or
// less. Its last level, like ours here, is filled with the first but neither
// holds nor excludes its lines.

// Bounds of the difference of misses: as our caches are, and when they are told
// that all references read, and have nothing to write back.
const (
	cachegrindBound      = 0.02
	cachegrindReadsBound = 0.005
)

// reference is one line of a trace: an instruction's fetch, or a load or store.
type reference struct {
	addr uint64
	size int32
	kind byte // I, L, S, or M for an instruction that loads and stores
}

// geometry is a cache as cachegrind is told of it.
type geometry struct{ size, ways, line int }

func (g geometry) String() string { return fmt.Sprintf("%d,%d,%d", g.size, g.ways, g.line) }

// cache returns ours: fills take no time, so that none is in flight when the
// next access comes.
func (g geometry) cache(t *testing.T, below Level) *Cache {
	return mustCache(t, CacheConfig{
		Enabled: true, Size: sim.Bytes(g.size), Ways: g.ways, Line: sim.Bytes(g.line), Sector: sim.Bytes(g.line),
		Index: "modulo", Replacement: "lru", Write: "write-back", WriteAllocate: true, WriteHit: "update",
		Banks: 1, MSHRs: 16, Merges: 16,
	}, below)
}

// sorting is a program that both tools run: it sorts some numbers.
func sorting(t *testing.T) []string {
	for _, program := range []string{"valgrind", "sort"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(program + " is not installed")
		}
	}
	var text bytes.Buffer
	for rng := rand.New(rand.NewPCG(1, 2)); text.Len() < 16<<10; {
		fmt.Fprintln(&text, rng.Uint64())
	}
	path := filepath.Join(t.TempDir(), "numbers")
	if err := os.WriteFile(path, text.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return []string{"sort", "--parallel=1", "--buffer-size=1M", path}
}

func underValgrind(program []string, options ...string) *exec.Cmd {
	cmd := exec.Command("valgrind", append(options, program...)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	return cmd
}

// trace returns the references that lackey sees.
func trace(t *testing.T, program []string) []reference {
	t.Helper()
	cmd := underValgrind(program, "--tool=lackey", "--trace-mem=yes")
	out, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var refs []reference
	for in := bufio.NewReader(out); ; {
		line, err := in.ReadSlice('\n')
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		// "I  0401ab70,3" or " S 1fff000708,8"
		line = bytes.TrimSpace(line)
		if len(line) < 4 || line[0] == '=' {
			continue
		}
		hex, decimal, ok := strings.Cut(string(bytes.TrimSpace(line[1:])), ",")
		addr, errA := strconv.ParseUint(hex, 16, 64)
		size, errS := strconv.Atoi(decimal)
		if !ok || errA != nil || errS != nil {
			t.Fatalf("lackey says %q", line)
		}
		refs = append(refs, reference{addr, int32(size), line[0]})
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	return refs
}

// misses are the figures of cachegrind's summary: references that missed.
type misses struct{ i1, d1, lli, lld int }

func cachegrind(t *testing.T, program []string, i1, d1, ll geometry) misses {
	t.Helper()
	out, err := underValgrind(program, "--tool=cachegrind", "--cache-sim=yes", "--cachegrind-out-file=/dev/null",
		"--I1="+i1.String(), "--D1="+d1.String(), "--LL="+ll.String()).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	figure := func(name string) int {
		found := regexp.MustCompile(`(?m)^==\d+== ` + name + ` +misses: +([\d,]+)`).FindSubmatch(out)
		if found == nil {
			t.Fatalf("no %s misses in cachegrind's summary:\n%s", name, out)
		}
		n, err := strconv.Atoi(strings.ReplaceAll(string(found[1]), ",", ""))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	return misses{figure("I1"), figure("D1"), figure("LLi"), figure("LLd")}
}

// compare holds a figure of ours against cachegrind's.
func compare(t *testing.T, name string, ours, theirs int, bound float64) {
	t.Helper()
	gap := float64(ours)/float64(theirs) - 1
	t.Logf("%s: %d misses, cachegrind's %d: %+.2f %%", name, ours, theirs, 100*gap)
	if math.Abs(gap) > bound {
		t.Errorf("%s: off by %+.2f %%, more than %.1f %%", name, 100*gap, 100*bound)
	}
}

// replay sends references through caches, as they are or all as reads.
func replay(refs []reference, i1, d1, ll *Cache, asReads bool) (m misses) {
	for n, r := range refs {
		first, missed, missedLL := d1, &m.d1, &m.lld
		if r.kind == 'I' {
			first, missed, missedLL = i1, &m.i1, &m.lli
		}
		a := Access{Addr: r.addr, Size: r.size, Kind: r.access(), Array: -1}
		if asReads {
			a.Kind = Read
		}
		before, beforeLL := first.Stats().Misses, ll.Stats().Misses
		first.Access(sim.Time(n)*sim.Microsecond, a)
		// Cachegrind counts references that missed, not lines.
		if first.Stats().Misses > before {
			*missed++
		}
		if ll.Stats().Misses > beforeLL {
			*missedLL++
		}
	}
	return m
}

// access returns what the reference does.
func (r reference) access() Kind {
	if r.kind == 'S' || r.kind == 'M' {
		return Write
	}
	return Read
}

func TestCachesAgainstCachegrind(t *testing.T) {
	program := sorting(t)
	refs := trace(t, program)
	for _, c := range []struct {
		name       string
		i1, d1, ll geometry
	}{
		{"small", geometry{4096, 1, 32}, geometry{2048, 2, 32}, geometry{32768, 4, 32}},
		{"usual", geometry{32768, 8, 64}, geometry{8192, 4, 64}, geometry{65536, 8, 64}},
	} {
		theirs := cachegrind(t, program, c.i1, c.d1, c.ll)
		for _, asReads := range []bool{false, true} {
			ll := c.ll.cache(t, new(fixed))
			ours := replay(refs, c.i1.cache(t, ll), c.d1.cache(t, ll), ll, asReads)
			name, bound := c.name, cachegrindBound
			if asReads {
				name, bound = c.name+", reads", cachegrindReadsBound
			}
			compare(t, name+", I1", ours.i1, theirs.i1, cachegrindBound)
			compare(t, name+", D1", ours.d1, theirs.d1, bound)
			compare(t, name+", LL, data", ours.lld, theirs.lld, bound)
			compare(t, name+", LL", ours.lli+ours.lld, theirs.lli+theirs.lld, bound)
		}
	}

	// The private caches of a core of a multicore, which see data alone.
	i1, d1, ll := geometry{1 << 20, 16, 64}, geometry{8192, 4, 64}, geometry{1 << 18, 8, 64}
	theirs := cachegrind(t, program, i1, d1, ll)
	config := xeon()
	config.L1.Size, config.L1.Ways = sim.Bytes(d1.size), d1.ways
	config.L2.Size, config.L2.Ways = sim.Bytes(ll.size), ll.ways
	m := mustMulticore(t, config)
	port := m.Port(0)
	var ours misses
	for n, r := range refs {
		if r.kind == 'I' {
			continue
		}
		at := sim.Time(n) * sim.Microsecond
		m.Advance(at)
		missed, missedL2 := 0, 0
		for addr, end := r.addr, r.addr+uint64(r.size); addr < end; addr = (addr/64 + 1) * 64 {
			port.Access(at, Access{Addr: addr, Size: 1, Kind: r.access(), Array: -1})
			switch from := port.From(); from {
			case FromL1, FromFill, FromUpgrade:
			case FromL2:
				missed = 1
			default:
				missed, missedL2 = 1, 1
			}
		}
		ours.d1 += missed
		ours.lld += missedL2
	}
	compare(t, "multicore L1", ours.d1, theirs.d1, cachegrindBound)
	compare(t, "multicore L2", ours.lld, theirs.lld, cachegrindBound)
}
