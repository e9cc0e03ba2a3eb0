package experiments

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"heddle/experiments/native"
	"heddle/kernels"
	"heddle/models"
)

// Bounds of what a native run is asked for.
const (
	mostThreads = 1024
	mostRepeats = 1_000_000
)

func (c *cli) nativeCommand() *cobra.Command {
	n := nativeRun{Run: Run{Kernel: defaultKernel}}
	var asJSON, counting bool
	var untimed int
	cmd := &cobra.Command{
		Use:   "native [KERNEL]",
		Short: "Run a kernel on this computer and time it",
		Long: `Runs a kernel with goroutines on this computer, checks the answer as that of a
simulated run, and reports how long the part took that a simulated run times:
the graph is read, and rows are sorted, before. Threads are pinned to processors
where the system allows it, runs warm up before those that count, and the last
line says how quiet the computer was meanwhile.

The result of --json is one object: kernel, machine, graph, seed and result as in
that of heddle run; measured{threads, processors, warmups, cold, samples, seconds,
waited_seconds, spin_seconds, undisturbed_seconds, least_seconds, most_seconds,
spread, noise{spins, spin_median, spin_worst, stolen, waited, quiet}}, where seconds
is the median of the samples, spin_seconds what a loop that fills the execution ports
took around each, undisturbed_seconds the median of the samples during which threads
waited for a processor for at most a twentieth of the time and that loop took at most
as much longer than its fastest, and spread the distance of the quartiles over the
median; and host{wall_seconds, peak_rss_bytes, setup_seconds, check_seconds}.

--count sets what one thread executes, by the processor's performance counters or
else by valgrind, beside what the simulated kernel does on one thread of --machine,
for every kernel if none is named. With --json it is a list of objects: kernel,
native{instructions, loads, stores, accesses_an_atomic, by}, simulated{instructions,
loads, stores, atomics}, instructions_ratio, accesses_ratio: simulated over native.`,
		Example: `  heddle native bfs/level --graph rmat-g:18 --threads 2
  heddle native --count --graph rmat-g:12
  heddle native matching/ld --graph road.gr.gz --repeat 25 --json`,
		Args: arguments(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				n.Kernel = args[0]
			}
			switch {
			case untimed > 0:
				return n.repeat(cmd.Context(), untimed)
			case counting:
				return c.count(cmd.Context(), n.Run, len(args) == 0, asJSON)
			}
			return c.native(cmd.Context(), n, asJSON)
		},
		ValidArgsFunction: names(kernelNames),
	}
	f := cmd.Flags()
	addInputFlags(cmd, &n.Run)
	f.IntVarP(&n.threads, "threads", "t", 0, "run on `N` threads; 0: as many as there are processors")
	f.IntVar(&n.Repeat, "repeat", 11, "time `N` runs")
	f.BoolVar(&n.Cold, "cold", false, "empty the caches before each run, as they are when a simulated one begins")
	f.BoolVar(&asJSON, "json", false, "print the result as one JSON object")
	f.BoolVar(&counting, "count", false, "count what one thread executes, in place of timing it")
	f.StringVarP(&n.Machine, "machine", "m", countMachine, "`NAME` of the machine that --count simulates, or the path of its description")
	f.IntVar(&untimed, untimedFlag, 0, "run on one thread `N` times, and do no more")
	_ = f.MarkHidden(untimedFlag) // it is there
	completeWith(cmd, "machine", func() []string { return models.Names(models.Library) })
	return cmd
}

// nativeRun is what to time.
type nativeRun struct {
	Run
	native.Options
	threads int
}

// nativeResult is what came of it.
type nativeResult struct {
	Kernel   string         `json:"kernel"`
	Machine  string         `json:"machine"` // the processor's name
	Graph    Graph          `json:"graph"`
	Seed     uint64         `json:"seed"`
	Answer   Answer         `json:"result"`
	Error    string         `json:"error,omitempty"` // what is wrong with the answer
	Measured *native.Timing `json:"measured"`
	Host     nativeHost     `json:"host"`
}

// nativeHost is what the whole of it cost.
type nativeHost struct {
	WallSeconds  float64 `json:"wall_seconds"` // of all runs, and what is between
	PeakRSS      int64   `json:"peak_rss_bytes"`
	SetupSeconds float64 `json:"setup_seconds"` // opening the graph
	CheckSeconds float64 `json:"check_seconds"`
}

func (n nativeRun) check() (kernels.Kernel, error) {
	k, err := kernel(n.Kernel)
	switch {
	case err != nil:
	case n.threads < 0 || n.threads > mostThreads:
		err = badInput("--threads %d: want 0 to %d", n.threads, mostThreads)
	case n.Repeat < 1 || n.Repeat > mostRepeats:
		err = badInput("--repeat %d: want 1 to %d", n.Repeat, mostRepeats)
	default:
		err = n.checkOptions(k)
	}
	return k, err
}

// execute times n. After an error the result, if there is one, is of a wrong
// answer.
func (n nativeRun) execute(ctx context.Context, h Hooks) (*nativeResult, error) {
	k, err := n.check()
	if err != nil {
		return nil, err
	}
	began := time.Now()
	g, random, err := n.open(ctx, k, h)
	switch {
	case errors.Is(err, ErrInterrupted):
		return nil, err
	case err != nil:
		return nil, &InputError{err}
	}
	r := &nativeResult{Kernel: k.Name, Machine: processorName(), Graph: describe(g, random), Seed: n.Seed}
	r.Host.SetupSeconds = time.Since(began).Seconds()

	began = time.Now()
	o := n.kernelOptions()
	o.Threads = n.threads
	r.Measured, err = native.Measure(ctx, k, g, o, n.Options)
	switch {
	case ctx.Err() != nil:
		return nil, ErrInterrupted
	case err != nil:
		return nil, &InputError{err}
	}
	r.Host.WallSeconds = time.Since(began).Seconds()

	began = time.Now()
	answer := r.Measured.Answer
	r.Answer.Figures = answer.Figures()
	if err = answer.Check(g); err != nil {
		err = fmt.Errorf("wrong answer: %w", err)
		r.Error = err.Error()
	}
	r.Answer.Verified = err == nil
	r.Host.CheckSeconds = time.Since(began).Seconds()
	r.Host.PeakRSS = peakRSS()
	return r, err
}

func (c *cli) native(ctx context.Context, n nativeRun, asJSON bool) error {
	live := newProgress(c.terminal)
	r, err := n.execute(ctx, Hooks{
		Opening: live.opening,
		Log:     func(line string) { c.log.Info().Msg(line) },
	})
	live.stop()
	if r == nil {
		return err
	}
	var printed error
	if asJSON {
		printed = json.NewEncoder(c.stdout).Encode(r)
	} else {
		printed = writeNative(c.stdout, r)
	}
	if err != nil {
		return &reported{err}
	}
	return printed
}

// writeNative writes a page of text.
func writeNative(w io.Writer, r *nativeResult) error {
	m := r.Measured
	lines := []string{
		fmt.Sprintf("%s on %s, %s: %s vertices, %s edges, seed %d", r.Kernel, r.Machine, r.Graph.Name,
			count(r.Graph.Vertices), count(r.Graph.Edges), r.Seed),
	}
	for _, remark := range r.Graph.Remarks {
		lines = append(lines, r.Graph.Name+": "+remark)
	}
	verdict := "verified"
	if !r.Answer.Verified {
		verdict = r.Error
	}
	lines = append(lines, "", "Answer: "+verdict)
	var t table
	for _, f := range r.Answer.Figures {
		t.add(f.Name, figure(f))
	}
	lines = append(lines, t.lines("  ")...)

	t = table{}
	t.add("median", fmt.Sprintf("%s of %s runs, quartiles %s apart", duration(m.Median), count(len(m.Samples)), percent(m.Spread)))
	if quiet := m.Quiet(m.Fastest()); len(quiet) > 0 {
		t.add("undisturbed", fmt.Sprintf("%s, median of the %s runs in which nobody else used the processors", duration(float64(m.Undisturbed)), count(len(quiet))))
	} else {
		t.add("undisturbed", "none: in every run others used the processors")
	}
	t.add("range", fmt.Sprintf("%s to %s", duration(m.Least), duration(m.Most)))
	t.add("edges", rough(float64(r.Graph.Edges)/m.Median)+" a second")
	t.add("threads", threadsText(m))
	caches := "as the run before left them"
	if m.Cold {
		caches = "emptied before each run"
	}
	t.add("caches", fmt.Sprintf("%s; %d runs to warm up", caches, m.Warmups))
	lines = append(lines, "", "Time")
	lines = append(lines, t.lines("  ")...)
	lines = append(lines, "  "+m.Noise.String())
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}

func threadsText(m *native.Timing) string {
	if m.Processors == nil {
		return fmt.Sprintf("%d, not pinned: the system does not allow it", m.Threads)
	}
	var list []string
	for _, p := range m.Processors {
		list = append(list, strconv.Itoa(p))
	}
	text := fmt.Sprintf("%d, pinned to %s", m.Threads, strings.Join(list, ", "))
	if n := runtime.NumCPU(); m.Threads > n {
		text += fmt.Sprintf("; they share %d processors", n)
	}
	return text
}

// processorName returns what Linux calls this computer's processor, or else its
// architecture.
func processorName() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}
