package native

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"

	"heddle/kernels"
	"heddle/kernels/graph"
	"heddle/kernels/team"
)

// Count is what one thread executes in the timed part of a kernel. Instructions
// that read, modify and write a word count as a load and a store by performance
// counters, and as a load by valgrind, which makes compare-and-swap of them and
// counts one load more for others.
type Count struct {
	Instructions float64 `json:"instructions"`
	Loads        float64 `json:"loads"`
	Stores       float64 `json:"stores"`
	// PerAtomic is how many loads and stores a compare-and-swap counts as.
	PerAtomic int    `json:"accesses_an_atomic"`
	By        string `json:"by"` // what counted
}

// ErrNoCounters is that the processor or the system gives no access to counters
// of what Counters counts.
var ErrNoCounters = errors.New("no performance counters")

// Repeat runs a kernel on one thread a number of times and does nothing else,
// for a tool that counts from outside.
func Repeat(ctx context.Context, kernel kernels.Kernel, g *graph.Graph, k kernels.Options, times int) error {
	t := team.New(ctx, 1)
	defer t.Close()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	run, err := kernel.Native(t, g, k)
	for i := 0; err == nil && i < times; i++ {
		err = run.Run()
	}
	return err
}

// Counters counts one run, after another one, by the processor's performance
// counters, in user mode alone. Its error is ErrNoCounters where there are none.
func Counters(ctx context.Context, kernel kernels.Kernel, g *graph.Graph, k kernels.Options) (*Count, error) {
	t, err := team.Pinned(ctx, 1)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoCounters, err)
	}
	defer t.Close()
	c, err := openCounters(hardware)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoCounters, err)
	}
	defer c.close()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	run, err := kernel.Native(t, g, k)
	if err != nil {
		return nil, err
	}
	if err := run.Run(); err != nil {
		return nil, err
	}
	before, err := c.read()
	if err != nil {
		return nil, err
	}
	if err := run.Run(); err != nil {
		return nil, err
	}
	after, err := c.read()
	if err != nil {
		return nil, err
	}
	each := func(i int) float64 { return float64(after[i] - before[i]) }
	return &Count{each(0), each(1), each(2), 2, "performance counters"}, nil
}

// Valgrind counts, by valgrind's cachegrind, what program executes more when the
// arguments that args returns tell it to run a kernel 1+runs times instead of
// once, for one run. The Go runtime executes some ten thousand instructions more
// or less from process to process: the runs together should execute millions.
func Valgrind(ctx context.Context, program string, runs int, args func(times int) []string) (*Count, error) {
	once, err := cachegrind(ctx, program, args(1))
	if err != nil {
		return nil, err
	}
	often, err := cachegrind(ctx, program, args(1+runs))
	if err != nil {
		return nil, err
	}
	return &Count{
		Instructions: (often[0] - once[0]) / float64(runs),
		Loads:        (often[1] - once[1]) / float64(runs),
		Stores:       (often[2] - once[2]) / float64(runs),
		PerAtomic:    1,
		By:           "valgrind",
	}, nil
}

// references are the lines of cachegrind's summary that tell of all
// instructions, and of all loads and stores.
var references = []*regexp.Regexp{
	regexp.MustCompile(`(?m)^==\d+== I +refs: +([\d,]+)`),
	regexp.MustCompile(`(?m)^==\d+== D +refs: .*\( *([\d,]+) rd`),
	regexp.MustCompile(`(?m)^==\d+== D +refs: .*\+ *([\d,]+) wr`),
}

// cachegrind returns the instructions, loads and stores of a whole process.
func cachegrind(ctx context.Context, program string, args []string) (refs [3]float64, err error) {
	cmd := exec.CommandContext(ctx, "valgrind", append([]string{"--tool=cachegrind", "--cache-sim=yes",
		"--cachegrind-out-file=/dev/null", program}, args...)...)
	// One processor and no collector: nothing runs beside the kernel.
	cmd.Env = append(cmd.Environ(), "GOMAXPROCS=1", "GOGC=off")
	var summary strings.Builder
	cmd.Stderr = &summary
	if err := cmd.Run(); err != nil {
		return refs, fmt.Errorf("valgrind: %w%s", err, lastLine(summary.String()))
	}
	for i, line := range references {
		found := line.FindStringSubmatch(summary.String())
		if found == nil {
			return refs, fmt.Errorf("valgrind's summary has no number of references%s", lastLine(summary.String()))
		}
		refs[i], err = strconv.ParseFloat(strings.ReplaceAll(found[1], ",", ""), 64)
		if err != nil {
			return refs, err
		}
	}
	return refs, nil
}

// lastLine returns the last line of text after a colon, or nothing.
func lastLine(text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	return ": " + text[strings.LastIndexByte(text, '\n')+1:]
}
