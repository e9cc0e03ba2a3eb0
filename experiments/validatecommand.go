package experiments

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/stat"

	"heddle/experiments/native"
	"heddle/experiments/validate"
	"heddle/models"
)

// validationGraphs are what is validated on if it is not told: of every
// generator, from what the caches hold to what they do not.
var validationGraphs = []string{"rmat-er:11", "rmat-g:11", "rmat-b:11", "rgg:11", "rmat-er:14", "rmat-g:14", "rmat-b:14", "rgg:14", "rmat-g:16"}

func (c *cli) validateCommand() *cobra.Command {
	v := validation{Run: Run{Source: -1}}
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "validate --machine FILE",
		Short: "Hold a description of this computer against it, kernel by kernel",
		Long: `Runs each kernel on this computer and simulated on a description of it, over a
set of graphs and numbers of threads, and reports how far the simulated times are
from the measured ones: for each case and in all, the mean absolute percentage
error, the correlation, how many are too long and too short, the slope of the
longest third, and which cases were dropped, and why.

Native runs begin with empty caches, as simulated ones do; what is timed is the
same part. All cases are measured in several rounds, and a measured time is the median
of the runs in which nobody else used the processors: no thread waited for one, and a
loop that fills the execution ports was at its fastest before and after. Nothing else
should run meanwhile.

The result of --json is one object: machine, processor; mape, worst, pearson,
pearson_log, over, under and slope_large over all points; points[{kernel, graph,
threads, measured_seconds, simulated_seconds, spread, undisturbed, vertices, edges}];
dropped[{kernel, graph, threads, reason}]; kernels{name: {...}} and threads{number:
{...}}, the same figures for each; calibration, which says what the description was
fitted to, and graphs, what it is validated on.`,
		Example: `  heddle calibrate host --out host.yaml
  heddle validate --machine host.yaml
  heddle validate --machine host.yaml --kernels bfs/level --graphs road.gr.gz,rmat-g:15 --threads 1 --out validation`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.validate(cmd.Context(), v, asJSON)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&v.Machine, "machine", "m", "", "path of the description of this computer, or `NAME` of a machine")
	f.StringSliceVarP(&v.kernels, "kernels", "k", nil, "`NAMES` of kernels; all without it")
	f.StringSliceVarP(&v.graphs, "graphs", "g", validationGraphs, "`NAMES` of generated graphs, or paths of files")
	f.IntSliceVarP(&v.threads, "threads", "t", []int{1, 2}, "`NUMBERS` of threads")
	f.IntVar(&v.repeat, "repeat", 11, "time `N` runs of each case in each round")
	f.IntVar(&v.rounds, "rounds", 3, "measure all cases `N` times over")
	f.StringArrayVar(&v.Set, "set", nil, "override a value of the machine's description, `PATH=VALUE`; may be repeated")
	f.Uint64Var(&v.Seed, "seed", 1, "`NUMBER` that generated graphs and weights depend on")
	f.BoolVar(&asJSON, "json", false, "print the result as one JSON object")
	f.StringVarP(&v.out, "out", "o", "", "write validation.csv, validation.json and validation.svg and .png to a `DIR`")
	completeWith(cmd, "kernels", kernelNames)
	completeWith(cmd, "graphs", graphNames)
	return cmd
}

// validation is what to validate.
type validation struct {
	Run
	kernels, graphs []string
	threads         []int
	repeat, rounds  int
	out             string
}

// validationResult is what came of it.
type validationResult struct {
	Machine   string `json:"machine"`
	Processor string `json:"processor"`
	validate.Summary
	Cases   []validate.Point            `json:"points"`
	Dropped []validate.Dropped          `json:"dropped"`
	Kernels map[string]validate.Summary `json:"kernels"`
	Threads map[string]validate.Summary `json:"threads"`
	// What the description was fitted to, and what it is held against.
	Calibration string   `json:"calibration"`
	Graphs      []string `json:"graphs"`
}

// MarshalJSON tells the number of points by their list.
func (r *validationResult) MarshalJSON() ([]byte, error) {
	return object([]member{
		{"machine", r.Machine}, {"processor", r.Processor},
		{"mape", r.MAPE}, {"worst", r.Worst}, {"pearson", r.Pearson}, {"pearson_log", r.PearsonLog},
		{"over", r.Over}, {"under", r.Under}, {"slope_large", r.Slope},
		{"points", r.Cases}, {"dropped", r.Dropped}, {"kernels", r.Kernels}, {"threads", r.Threads},
		{"calibration", r.Calibration}, {"graphs", r.Graphs},
	})
}

// calibrationInputs says what a fit knows.
const calibrationInputs = "microbenchmarks alone, as each line of the description says: no kernel and no graph"

func (v *validation) check() error {
	if v.Machine == "" {
		return badInput("--machine: which description of this computer? heddle calibrate host makes one")
	}
	d, err := describeMachine(v.Machine, v.Set)
	if err != nil {
		return &InputError{err}
	}
	if kind, _ := d.Value("kind"); kind != "window" {
		return badInput("--machine %s: is of kind %s, and no computer that could run this", v.Machine, kind)
	}
	if _, err := models.Build(d, models.Options{}); err != nil {
		return &InputError{err}
	}
	if len(v.kernels) == 0 {
		v.kernels = kernelNames()
	}
	for _, name := range v.kernels {
		if _, err := kernel(name); err != nil {
			return err
		}
	}
	for _, n := range v.threads {
		if n < 1 || n > mostThreads {
			return badInput("--threads %d: want 1 to %d", n, mostThreads)
		}
	}
	if v.repeat < 1 || v.repeat > mostRepeats {
		return badInput("--repeat %d: want 1 to %d", v.repeat, mostRepeats)
	}
	if v.rounds < 1 || v.rounds > mostRepeats {
		return badInput("--rounds %d: want 1 to %d", v.rounds, mostRepeats)
	}
	return checkFolder("--out", v.out)
}

// validationCase is a case and how long it took natively, round by round.
type validationCase struct {
	Run
	validate.Point
	timings []*native.Timing
}

// measure adds a round of so many runs.
func (m *validationCase) measure(ctx context.Context, repeat int) error {
	r, err := nativeRun{Run: m.Run, Options: native.Options{Repeat: repeat, Cold: true}, threads: m.Threads}.execute(ctx, Hooks{})
	if err != nil {
		return err
	}
	m.timings = append(m.timings, r.Measured)
	m.Vertices, m.Edges = r.Graph.Vertices, r.Graph.Edges
	return nil
}

// settle finds the measured time: the median of the undisturbed runs of all
// rounds, if the loop beside them takes so many seconds at its fastest; without
// any, the least median of a round.
func (m *validationCase) settle(fastest float64) {
	var quiet []float64
	least := m.timings[0]
	for _, t := range m.timings {
		quiet = append(quiet, t.Quiet(fastest)...)
		if t.Median < least.Median {
			least = t
		}
	}
	m.Undisturbed, m.Spread, m.Measured = len(quiet), least.Spread, least.Median
	if len(quiet) > 0 {
		slices.Sort(quiet)
		quantile := func(p float64) float64 { return stat.Quantile(p, stat.LinInterp, quiet, nil) }
		m.Measured = native.Median(quiet)
		m.Spread = (quantile(0.75) - quantile(0.25)) / m.Measured
	}
}

// cases calls visit with every case, graph by graph.
func (v *validation) cases(visit func(r Run, threads int)) {
	for _, g := range v.graphs {
		for _, k := range v.kernels {
			for _, n := range v.threads {
				r := v.Run
				r.Kernel, r.Graph = k, g
				visit(r, n)
			}
		}
	}
}

func (c *cli) validate(ctx context.Context, v validation, asJSON bool) error {
	if err := v.check(); err != nil {
		return err
	}
	d, err := describeMachine(v.Machine, v.Set)
	if err != nil {
		return &InputError{err}
	}
	result := &validationResult{Machine: d.Name(), Processor: processorName(), Calibration: calibrationInputs, Graphs: v.graphs,
		Cases: []validate.Point{}, Dropped: []validate.Dropped{}}
	drop := func(r Run, threads int, err error) {
		reason, _, _ := strings.Cut(err.Error(), "\n")
		result.Dropped = append(result.Dropped, validate.Dropped{Kernel: r.Kernel, Graph: r.Graph, Threads: threads, Reason: reason})
	}
	// What is measured comes first, and close together, in several rounds: what
	// others do on a shared computer lasts for longer than a case.
	var all []*validationCase
	v.cases(func(r Run, threads int) {
		k, err := kernel(r.Kernel)
		if err == nil {
			simulated := r
			simulated.Set = append(simulated.Set[:len(simulated.Set):len(simulated.Set)], "threads="+strconv.Itoa(threads))
			_, err = simulated.build(k) // what cannot be simulated need not be measured
		}
		if err != nil {
			drop(r, threads, err)
			return
		}
		all = append(all, &validationCase{Run: r, Point: validate.Point{Kernel: r.Kernel, Graph: r.Graph, Threads: threads}})
	})
	for round := range v.rounds {
		var kept []*validationCase
		for _, m := range all {
			c.log.Info().Msgf("round %d: measuring %s on %s, threads: %d", round+1, m.Run.Kernel, m.Run.Graph, m.Threads)
			switch err := m.measure(ctx, v.repeat); {
			case errors.Is(err, ErrInterrupted):
				return err
			case err != nil:
				drop(m.Run, m.Threads, err)
			default:
				kept = append(kept, m)
			}
		}
		all = kept
	}
	fastest := map[int]float64{} // by threads
	for _, m := range all {
		for _, t := range m.timings {
			if x, ok := fastest[m.Threads]; !ok || t.Fastest() < x {
				fastest[m.Threads] = t.Fastest()
			}
		}
	}
	for _, m := range all {
		m.settle(fastest[m.Threads])
	}
	for _, m := range all {
		c.log.Info().Msgf("simulating %s on %s, threads: %d", m.Run.Kernel, m.Run.Graph, m.Threads)
		r := m.Run
		r.Set = append(r.Set[:len(r.Set):len(r.Set)], "threads="+strconv.Itoa(m.Threads))
		s, err := r.Execute(ctx, Hooks{})
		switch {
		case errors.Is(err, ErrInterrupted):
			return err
		case err != nil:
			drop(r, m.Threads, err)
		default:
			m.Simulated = *s.Simulated.Seconds // machines of kind window have a clock
			result.Cases = append(result.Cases, m.Point)
		}
	}
	result.summarize()
	if v.out != "" {
		if err := result.write(v.out); err != nil {
			return err
		}
	}
	if asJSON {
		return json.NewEncoder(c.stdout).Encode(result)
	}
	c.println(result.lines()...)
	if len(result.Cases) == 0 {
		return fmt.Errorf("no case could be validated")
	}
	return nil
}

func (r *validationResult) summarize() {
	r.Summary = validate.Summarize(r.Cases)
	summaries := func(key func(validate.Point) string) map[string]validate.Summary {
		all := map[string]validate.Summary{}
		keys, groups := validate.By(r.Cases, key)
		for _, k := range keys {
			all[k] = validate.Summarize(groups[k])
		}
		return all
	}
	r.Kernels = summaries(kernelOf)
	r.Threads = summaries(threadsOf)
}

func kernelOf(p validate.Point) string  { return p.Kernel }
func threadsOf(p validate.Point) string { return strconv.Itoa(p.Threads) }

func (r *validationResult) lines() []string {
	t := table{right: "llrrrrrr"}
	t.add("kernel", "graph", "threads", "measured", "simulated", "off by", "spread", "undisturbed")
	for _, p := range r.Cases {
		t.add(p.Kernel, p.Graph, strconv.Itoa(p.Threads), duration(p.Measured), duration(p.Simulated), percent(p.Error()), percent(p.Spread), strconv.Itoa(p.Undisturbed))
	}
	lines := append([]string{r.Processor + " as " + r.Machine}, t.lines("  ")...)
	lines = append(lines, "")
	t = table{right: "lrrrrrrr"}
	t.add("of", "points", "mean error", "worst", "correlation", "too long", "too short", "slope of the longest third")
	row := func(name string, s validate.Summary) {
		t.add(name, strconv.Itoa(s.Points), percent(s.MAPE), percent(s.Worst), digits(s.Pearson, 4), strconv.Itoa(s.Over), strconv.Itoa(s.Under), digits(s.Slope, 3))
	}
	kernels, _ := validate.By(r.Cases, kernelOf)
	for _, k := range kernels {
		row(k, r.Kernels[k])
	}
	threads, _ := validate.By(r.Cases, threadsOf)
	for _, n := range threads {
		row("threads: "+n, r.Threads[n])
	}
	row("all", r.Summary)
	lines = append(lines, t.lines("  ")...)
	lines = append(lines, "", fmt.Sprintf("dropped: %d", len(r.Dropped)))
	for _, d := range r.Dropped {
		lines = append(lines, fmt.Sprintf("  %s on %s, threads: %d: %s", d.Kernel, d.Graph, d.Threads, d.Reason))
	}
	return append(lines, "calibrated by: "+r.Calibration, "validated on: "+strings.Join(r.Graphs, ", "))
}

func (r *validationResult) write(dir string) error {
	rows := [][]string{{"kernel", "graph", "threads", "measured_seconds", "simulated_seconds", "error", "spread", "undisturbed", "vertices", "edges", "dropped", "machine", "processor", "version"}}
	for _, p := range r.Cases {
		rows = append(rows, []string{p.Kernel, p.Graph, strconv.Itoa(p.Threads), number(p.Measured), number(p.Simulated), number(p.Error()), number(p.Spread), strconv.Itoa(p.Undisturbed),
			strconv.Itoa(p.Vertices), strconv.FormatInt(p.Edges, 10), "", r.Machine, r.Processor, version()})
	}
	for _, d := range r.Dropped {
		rows = append(rows, []string{d.Kernel, d.Graph, strconv.Itoa(d.Threads), "", "", "", "", "", "", "", d.Reason, r.Machine, r.Processor, version()})
	}
	if err := writeRows(filepath.Join(dir, "validation.csv"), rows); err != nil {
		return err
	}
	if err := writeFile(filepath.Join(dir, "validation.json"), func(w io.Writer) error { return json.NewEncoder(w).Encode(r) }); err != nil {
		return err
	}
	note := fmt.Sprintf("%d points, mean absolute error %s, correlation %s; dropped: %d", r.Points, percent(r.MAPE), digits(r.Pearson, 4), len(r.Dropped))
	return writePlots(dir, "validation", validate.Scatter(r.Processor, r.Cases, []string{note}))
}
