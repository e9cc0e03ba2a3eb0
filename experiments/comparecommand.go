package experiments

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"heddle/experiments/study"
	"heddle/models"
)

func (c *cli) compareCommand() *cobra.Command {
	r := Run{Kernel: defaultKernel}
	var machines, baseline, csvFile string
	var flags batchFlags
	cmd := &cobra.Command{
		Use:   "compare [KERNEL]",
		Short: "Compare a kernel's time on several machines",
		Long: `Simulates a kernel on several machines and shows side by side the simulated
time, the speed-up over the first or another of them, and where the time went.

A machine may have overrides of its own after @, as in xeon-e5540@threads=1;
those of --set are for all machines. Results are kept: the same comparison again
is answered at once.`,
		Example: `  heddle compare matching/ld --graph rmat-g:14 --machine tesla-c2050,tesla-c2050-l1-off
  heddle compare --machine tesla-c2050,tesla-c2050@l1.size="16 KiB"@l1.ways=4
  heddle compare bfs/level --machine tesla-c2050,tesla-c2050@sms=7 --csv -`,
		Args: arguments(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				r.Kernel = args[0]
			}
			return c.compare(cmd.Context(), r, splitOutside(machines, ','), baseline, csvFile, flags)
		},
		ValidArgsFunction: names(kernelNames),
	}
	f := cmd.Flags()
	f.StringVarP(&machines, "machine", "m", defaultMachine, "`NAMES` of machines, commas between")
	f.StringVar(&baseline, "baseline", "", "`NAME`, as in --machine, of the machine that speed-up is over; without it the first")
	addInputFlags(cmd, &r)
	f.StringVar(&r.Schedule, "schedule", "", "`KIND` of parallel loops: cyclic, static, dynamic, guided or block-dynamic, with ,CHUNK after all but the first; without it the machine's")
	f.StringArrayVar(&r.Set, "set", nil, "override a value of every machine's description, `PATH=VALUE`; may be repeated")
	f.StringVar(&csvFile, "csv", "", "write all figures to a CSV `FILE`; -: to standard output in place of the table")
	flags.add(cmd)
	completeWith(cmd, "machine", func() []string { return models.Names(models.Library) })
	return cmd
}

// compared is a machine of a comparison: as the user named it, and its run.
type compared struct {
	label string
	Run
	*study.Outcome
}

func (c *cli) compare(ctx context.Context, r Run, machines []string, baseline, csvFile string, flags batchFlags) error {
	if err := checkOutput("--csv", csvFile); err != nil {
		return err
	}
	all := make([]compared, len(machines))
	runs := make([]Run, len(machines))
	base := 0
	for i, m := range machines {
		if m == "" {
			return badInput("--machine: a name is empty")
		}
		parts := splitOutside(m, '@')
		run := r
		run.Machine = parts[0]
		run.Set = slices.Concat(r.Set, parts[1:])
		all[i], runs[i] = compared{label: m, Run: run}, run
		if m == baseline {
			base = i
		}
	}
	if baseline != "" && !slices.Contains(machines, baseline) {
		return badInput("--baseline %s: not among --machine %s", baseline, strings.Join(machines, ","))
	}
	outcomes, err := c.doRuns(ctx, runs, flags)
	if err != nil {
		return err
	}
	for i, o := range outcomes {
		all[i].Outcome = o
	}
	if csvFile != "" {
		if err := c.writeCSV(csvFile, comparisonRows(all, base)); err != nil || csvFile == "-" {
			return err
		}
	}
	c.println(comparison(all, base)...)
	return nil
}

// comparison is the page of text: a column for each machine.
func comparison(all []compared, base int) []string {
	o := all[0].Outcome
	head := fmt.Sprintf("%s, %s: %s vertices, %s edges, seed %d; every answer verified",
		o.Kernel, o.Graph.Name, count(o.Graph.Vertices), count(o.Graph.Edges), o.Seed)
	t := table{right: "l" + strings.Repeat("r", len(all))}
	// row adds a line unless every machine lacks the figure.
	row := func(name string, cell func(m *compared) string) {
		cells := []string{name}
		for i := range all {
			cells = append(cells, cell(&all[i]))
		}
		if slices.ContainsFunc(cells[1:], func(s string) bool { return s != "-" }) {
			t.add(cells...)
		}
	}
	section := func(name string) {
		if name != "" {
			t.add()
		}
		t.add(name)
	}
	numbered := false
	for i := range all {
		numbered = numbered || len(all[i].label) > 24
	}
	row("", func(m *compared) string {
		if numbered {
			return fmt.Sprintf("(%d)", slices.IndexFunc(all, func(x compared) bool { return x.label == m.label })+1)
		}
		return m.label
	})
	row("time", func(m *compared) string { return seconds(m.Simulated.Seconds) })
	row("speed-up", func(m *compared) string { return digits(all[base].Seconds()/m.Seconds(), 3) })
	row("cycles", func(m *compared) string {
		if m.Simulated.Cycles == nil {
			return "-"
		}
		return count(*m.Simulated.Cycles)
	})
	row("instructions", func(m *compared) string { return rough(float64(m.Host.Instructions)) })
	row("copies to it before", func(m *compared) string { return seconds(m.Simulated.Upload) })
	row("copies back after", func(m *compared) string { return seconds(m.Simulated.Download) })

	section("Programs, share of the time")
	shares := programShares(all)
	for _, name := range shares.names {
		row("  "+name, func(m *compared) string { return percent(shares.of[m.Outcome][name]) })
	}
	section("Where the threads' time went")
	for _, name := range stallNames(all) {
		row("  "+name, func(m *compared) string { return percent(m.Stalls.Get(name)) })
	}
	lines := append([]string{head}, t.lines("")...)
	if numbered {
		for i := range all {
			lines = append(lines, fmt.Sprintf("(%d) %s", i+1, all[i].label))
		}
	}
	return lines
}

// seconds writes a time that not every machine has.
func seconds(s *float64) string {
	if s == nil {
		return "-"
	}
	return duration(*s)
}

// betweenLaunches names the time in which no program runs.
const betweenLaunches = "between launches"

// shareTable has each program's share of the time of each machine.
type shareTable struct {
	names []string
	of    map[*study.Outcome]map[string]float64
}

func programShares(all []compared) shareTable {
	t := shareTable{of: map[*study.Outcome]map[string]float64{}}
	for i := range all {
		o := all[i].Outcome
		whole := o.Seconds()
		running := 0.0
		shares := map[string]float64{}
		for _, l := range o.Launches {
			if !slices.Contains(t.names, l.Program) {
				t.names = append(t.names, l.Program)
			}
			shares[l.Program] += l.Seconds / whole
			running += l.Seconds / whole
		}
		shares[betweenLaunches] = max(1-running, 0) // sums of parts may round above the whole
		t.of[o] = shares
	}
	t.names = append(t.names, betweenLaunches)
	return t
}

// stallNames returns what the threads of any machine spent time on, that which
// took the largest share of a machine's first.
func stallNames(all []compared) []string {
	most := map[string]float64{}
	var order []string
	for i := range all {
		for _, s := range all[i].Stalls {
			if math.IsNaN(s.Value) || s.Value < leastShare {
				continue
			}
			if _, ok := most[s.Name]; !ok {
				order = append(order, s.Name)
			}
			most[s.Name] = max(most[s.Name], s.Value)
		}
	}
	slices.SortStableFunc(order, func(a, b string) int {
		switch {
		case a == b:
			return 0
		case a == "issued":
			return -1
		case b == "issued":
			return 1
		case most[a] != most[b]:
			if most[a] > most[b] {
				return -1
			}
			return 1
		}
		return 0
	})
	return order
}

// comparisonHeader are the columns of a comparison's CSV: a figure a line.
var comparisonHeader = []string{"quantity", "value", "kernel", "machine", "schedule", "set", "graph", "vertices", "edges", "seed", "version"}

func comparisonRows(all []compared, base int) [][]string {
	rows := [][]string{comparisonHeader}
	shares := programShares(all)
	for i := range all {
		m := &all[i]
		add := func(quantity string, x float64) {
			if !math.IsNaN(x) && !math.IsInf(x, 0) {
				rows = append(rows, append([]string{quantity, number(x)}, provenance(m.Run, m.Outcome)...))
			}
		}
		addMaybe := func(quantity string, x *float64) {
			if x != nil {
				add(quantity, *x)
			}
		}
		addMaybe("seconds", m.Simulated.Seconds)
		add("speedup", all[base].Seconds()/m.Seconds())
		if m.Simulated.Cycles != nil {
			add("cycles", float64(*m.Simulated.Cycles))
		}
		addMaybe("upload_seconds", m.Simulated.Upload)
		addMaybe("download_seconds", m.Simulated.Download)
		add("instructions", float64(m.Host.Instructions))
		for _, n := range m.Answer.Numbers {
			add("result."+n.Name, n.Value)
		}
		for _, name := range shares.names {
			if x, ok := shares.of[m.Outcome][name]; ok {
				add("program."+name, x)
			}
		}
		for _, s := range m.Stalls {
			add("stall."+s.Name, s.Value)
		}
		for _, x := range m.Metrics {
			add("metric."+x.Name, x.Value)
		}
	}
	return rows
}

// number writes x so that reading gives it back.
func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// provenance are the last columns of a CSV: all that the figures of a run come
// from.
func provenance(r Run, o *study.Outcome) []string {
	return []string{
		o.Kernel, o.Machine, o.Schedule, strings.Join(r.Set, " "), o.Graph.Name, strconv.Itoa(o.Graph.Vertices),
		strconv.FormatInt(o.Graph.Edges, 10), strconv.FormatUint(o.Seed, 10), version(),
	}
}
