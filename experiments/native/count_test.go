package native

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"heddle/kernels"
	"heddle/kernels/kerneltest"
)

// additions is what the test program does each time.
const additions = 1_000_000

// timesVariable tells the test's program how often.
const timesVariable = "HEDDLE_TEST_TIMES"

// The test's own program, under valgrind, adds to a word in memory.
func TestMain(m *testing.M) {
	if n, err := strconv.Atoi(os.Getenv(timesVariable)); err == nil {
		var x atomic.Uint64
		for range n * additions {
			x.Add(1)
		}
		return
	}
	os.Exit(m.Run())
}

// What valgrind counts of known work: two loads for each addition, and a few
// instructions.
func TestValgrindCountsKnownWork(t *testing.T) {
	if _, err := exec.LookPath("valgrind"); err != nil {
		t.Skip("valgrind is not installed")
	}
	// Arguments cannot tell a test's program what to do.
	refs := func(times int) [3]float64 {
		t.Setenv(timesVariable, strconv.Itoa(times))
		refs, err := cachegrind(context.Background(), os.Args[0], nil)
		if err != nil {
			t.Fatal(err)
		}
		return refs
	}
	one, three := refs(1), refs(3)
	if loads := (three[1] - one[1]) / 2; math.Abs(loads/additions-2) > 0.02 {
		t.Errorf("%v loads for %d additions", loads, additions)
	}
	if stores := (three[2] - one[2]) / 2; stores > 0.02*additions {
		t.Errorf("%v stores for %d additions", stores, additions)
	}
	if instructions := (three[0] - one[0]) / 2; instructions < 3*additions || instructions > 8*additions {
		t.Errorf("%v instructions for %d additions", instructions, additions)
	}
}

func TestValgrindTellsWhatFails(t *testing.T) {
	if _, err := exec.LookPath("valgrind"); err != nil {
		t.Skip("valgrind is not installed")
	}
	_, err := Valgrind(context.Background(), "/no/such/program", 1, func(int) []string { return nil })
	if err == nil {
		t.Error("a program that does not exist was counted")
	}
}

// References are read from the summaries of versions old and new.
func TestReferences(t *testing.T) {
	for _, summary := range []string{
		"==2== I   refs:      60,535,559\n==2== D   refs:      23,440,958  (15,253,795 rd   + 8,187,163 wr)\n",
		"==2== I refs:        60,535,559\n==2== D refs:        23,440,958  (15,253,795 rd   + 8,187,163 wr)\n",
	} {
		for i, want := range []string{"60,535,559", "15,253,795", "8,187,163"} {
			if found := references[i].FindStringSubmatch(summary); found == nil || found[1] != want {
				t.Errorf("reference %d: %q, want %s", i, found, want)
			}
		}
	}
}

// Counters of events that every Linux has count for the thread that opened
// them.
func TestCounters(t *testing.T) {
	c, err := openCounters(always)
	if err != nil {
		t.Skip("no performance events: ", err)
	}
	defer c.close()
	before, err := c.read()
	if err != nil {
		t.Fatal(err)
	}
	sink.Store(spin(3, 7))
	after, err := c.read()
	if err != nil {
		t.Fatal(err)
	}
	for i := range always {
		if after[i] <= before[i] {
			t.Errorf("event %d: %d, then %d", i, before[i], after[i])
		}
	}
}

// Either the processor counts, or the error says that it does not.
func TestCountersOfAKernel(t *testing.T) {
	r := &timer{times: []time.Duration{0}}
	k := kernels.Kernel{Native: prepared(r)}
	n, err := Counters(context.Background(), k, kerneltest.FromEdges(1, nil), kernels.Options{})
	switch {
	case errors.Is(err, ErrNoCounters):
		t.Skip(err)
	case err != nil:
		t.Fatal(err)
	case r.runs != 2 || n.Instructions <= 0 || n.Loads <= 0:
		t.Errorf("%+v after %d runs", n, r.runs)
	}
}

func TestRepeat(t *testing.T) {
	r := &timer{times: []time.Duration{0}}
	err := Repeat(context.Background(), kernels.Kernel{Native: prepared(r)}, nil, kernels.Options{}, 3)
	if err != nil || r.runs != 3 {
		t.Errorf("%d runs, %v", r.runs, err)
	}
	r = &timer{times: []time.Duration{0}, err: fmt.Errorf("it fails")}
	err = Repeat(context.Background(), kernels.Kernel{Native: prepared(r)}, nil, kernels.Options{}, 3)
	if err != r.err || r.runs != 1 {
		t.Errorf("%d runs, %v", r.runs, err)
	}
}
