package experiments

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"heddle/experiments/hostbench"
	"heddle/experiments/plot"
)

func (c *cli) microbenchHostCommand() *cobra.Command {
	var asJSON bool
	var out string
	cmd := &cobra.Command{
		Use:   "host",
		Short: "Measure this computer by small programs",
		Long: `Measures this computer by small programs: load latencies from the first-level
cache to memory, bandwidth in order and at random, independent misses at a time,
how far a core looks ahead, mispredicted branches, atomics, transfers between
cores, instructions, parallel loops and barriers of goroutines.

A figure is the least of the medians of batches of samples, outliers left out. Where the
best batches differ by more than 10 % there is no figure but the reason, and the
exit status is 1. It takes about a minute, in which nothing else should run.`,
		Example: `  heddle microbench host
  heddle microbench host --json > this.json
  heddle microbench host --out figures`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.microbenchHost(cmd.Context(), asJSON, out)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the figures as one JSON object")
	cmd.Flags().StringVarP(&out, "out", "o", "", "write figures.csv, figures.json and latency.svg and .png to a `DIR`")
	return cmd
}

func (c *cli) microbenchHost(ctx context.Context, asJSON bool, out string) error {
	if err := checkFolder("--out", out); err != nil {
		return err
	}
	began := time.Now()
	r, err := c.measureHost(ctx)
	if err != nil {
		return err
	}
	if out != "" {
		if err := writeHostFigures(out, r); err != nil {
			return err
		}
	}
	if asJSON {
		if err := json.NewEncoder(c.stdout).Encode(r); err != nil {
			return err
		}
	} else {
		c.println(hostTable(r)...)
		c.println("", fmt.Sprintf("measured in %s", duration(time.Since(began).Seconds())))
	}
	return refusals(r)
}

// measureHost runs all microbenchmarks on this computer.
func (c *cli) measureHost(ctx context.Context) (*hostbench.Results, error) {
	facts := hostbench.Describe()
	cases := hostbench.Cases(facts)
	done := 0
	r, err := hostbench.Measure(ctx, facts, cases, func(name string) {
		done++
		if c.terminal != nil {
			fmt.Fprintf(c.stderr, "\r\x1b[K%d of %d: %s", (done-1)%len(cases)+1, len(cases), name)
		}
	})
	if c.terminal != nil {
		fmt.Fprint(c.stderr, "\r\x1b[K")
	}
	if ctx.Err() != nil {
		return nil, ErrInterrupted
	}
	return r, err
}

// refusals returns an error if there are figures without a value.
func refusals(r *hostbench.Results) error {
	refused := 0
	for i := range r.Figures {
		if r.Figures[i].Refused != "" {
			refused++
		}
	}
	if refused == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d figures are refused: the computer was not quiet enough", refused, len(r.Figures))
}

// describeFacts returns what a computer says of itself, in lines.
func describeFacts(f *hostbench.Facts) []string {
	lines := []string{f.Processor, fmt.Sprintf("  %d hardware threads, %d cores, %d sockets, %s of memory, pages of %s",
		len(f.CPUs), f.Cores, f.Sockets, size(float64(f.Memory)), size(float64(f.Page)))}
	caches := "  caches:"
	for _, cache := range f.Caches {
		caches += fmt.Sprintf(" L%d %s %d-way", cache.Level, size(float64(cache.Bytes)), cache.Ways)
	}
	return append(lines, caches)
}

func hostTable(r *hostbench.Results) []string {
	t := table{right: "lrlrrl"}
	t.add("figure", "measured", "", "spread", "outliers", "meaning")
	for i := range r.Figures {
		f := &r.Figures[i]
		value := digits(f.Value, 4)
		meaning := f.Meaning
		if f.Refused != "" {
			value, meaning = "refused", f.Refused
		}
		t.add(f.Name, value, f.Unit, percent(f.Spread), fmt.Sprintf("%d of %d", f.Outlier, f.Samples), meaning)
	}
	return append(describeFacts(&r.Facts), t.lines("  ")...)
}

var hostHeader = []string{"figure", "value", "unit", "spread", "samples", "outliers", "refused", "meaning", "processor", "version"}

func writeHostFigures(dir string, r *hostbench.Results) error {
	rows := [][]string{hostHeader}
	for i := range r.Figures {
		f := &r.Figures[i]
		value := number(f.Value)
		if f.Refused != "" {
			value = ""
		}
		rows = append(rows, []string{f.Name, value, f.Unit, number(f.Spread), strconv.Itoa(f.Samples), strconv.Itoa(f.Outlier), f.Refused, f.Meaning, r.Facts.Processor, version()})
	}
	if err := writeRows(filepath.Join(dir, "figures.csv"), rows); err != nil {
		return err
	}
	if err := writeFile(filepath.Join(dir, "figures.json"), func(w io.Writer) error { return json.NewEncoder(w).Encode(r) }); err != nil {
		return err
	}
	return writePlots(dir, "latency", hostbench.LatencyFigure("Load latency: "+r.Facts.Processor, []hostbench.Curve{{Name: "measured", Results: r}}))
}

// checkFolder refuses a folder that cannot be, before what goes into it is
// computed, and makes it.
func checkFolder(flag, dir string) error {
	if dir == "" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return badInput("%s %s: %w", flag, dir, err)
	}
	return nil
}

// writePlots writes a figure in every format.
func writePlots(dir, name string, f *plot.Figure) error {
	for _, format := range plot.Formats() {
		if err := writeFile(filepath.Join(dir, name+"."+format), func(w io.Writer) error { return f.Write(w, format) }); err != nil {
			return err
		}
	}
	return nil
}
