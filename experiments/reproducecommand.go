package experiments

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	study2012 "heddle/experiments/halappanavar2012"
	"heddle/experiments/plot"
	"heddle/experiments/study"
)

// paper2012 is the name of the one paper that can be repeated.
const paper2012 = "halappanavar2012"

// reproduction is what reproduce was asked for.
type reproduction struct {
	study2012.Options
	paper       *study2012.Paper
	parts       []study2012.Part
	out         string
	sensitivity bool
	batchFlags
}

func (c *cli) reproduceCommand() *cobra.Command {
	var r reproduction
	cmd := &cobra.Command{
		Use:   "reproduce PAPER [PART]...",
		Short: "Repeat a paper's evaluation on simulated machines",
		Long: `Repeats the evaluation of a paper: writes the data of its tables and figures as
CSV, draws the figures as SVG and PNG, and holds what the paper states in words
against what is simulated. The one paper is ` + paper2012 + `; its parts
are ` + strings.Join(partNames(), ", ") + `, and all of them without PART.

Runs are done in parallel and kept: after an interruption the same command goes
on where it was. Claims that miss are followed by the parameters, of those that
are not published of the machine, that they depend on most.

The runs are studies, one for each part: heddle study run ` + paper2012 + `-fig4
does those of figure 4, on a cluster too with --on slurm, and reproduce makes the
figure of the same results.

Exit status 1 says that a part could not be made. A claim that misses is a
result.`,
		Example: `  heddle reproduce halappanavar2012
  heddle reproduce halappanavar2012 fig4 --graphs ../graphs --out figures
  heddle reproduce halappanavar2012 claims --full`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := r.choose(args); err != nil {
				return err
			}
			return c.reproduce(cmd.Context(), &r)
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return []string{paper2012}, cobra.ShellCompDirectiveNoFileComp
			}
			return partNames(), cobra.ShellCompDirectiveNoFileComp
		},
	}
	f := cmd.Flags()
	f.IntVar(&r.Scale, "scale", study2012.DefaultScale, "base-2 logarithm of the vertices of the figures' largest graphs")
	f.BoolVar(&r.Full, "full", false, "the paper's own scales, 23 on GPUs and 24 on the others: takes days; says first how long")
	f.Uint64Var(&r.Seed, "seed", 1, "`NUMBER` that generated graphs and weights depend on")
	f.StringVar(&r.Graphs, "graphs", "", "`DIR` of real graphs for figure 4; without it the figure has generated ones only")
	f.StringVarP(&r.out, "out", "o", paper2012, "`DIR` for the files")
	f.BoolVar(&r.sensitivity, "sensitivity", true, "vary parameters for claims that miss")
	r.add(cmd)
	return cmd
}

func partNames() []string {
	var names []string
	for _, p := range study2012.Parts() {
		names = append(names, p.Name)
	}
	return names
}

// choose reads the arguments.
func (r *reproduction) choose(args []string) error {
	if len(args) == 0 {
		return badInput("which paper? known: %s", paper2012)
	}
	if args[0] != paper2012 {
		return unknown("paper", args[0], []string{paper2012})
	}
	known := study2012.Parts()
	for _, name := range args[1:] {
		i := slices.IndexFunc(known, func(p study2012.Part) bool { return p.Name == name })
		if i < 0 {
			return unknown("part", name, partNames())
		}
		r.parts = append(r.parts, known[i])
	}
	if len(r.parts) == 0 {
		r.parts = known
	}
	if r.Scale < study2012.LeastScale || r.Scale > study2012.MostScale {
		return badInput("--scale %d: want %d to %d", r.Scale, study2012.LeastScale, study2012.MostScale)
	}
	if r.Graphs != "" {
		if info, err := os.Stat(r.Graphs); err != nil || !info.IsDir() {
			return badInput("--graphs %s: no such folder", r.Graphs)
		}
		if _, missing := r.RealGraphs(); len(missing) > 0 {
			return badInput("--graphs %s: no file for %s", r.Graphs, strings.Join(missing, "; "))
		}
	}
	if err := os.MkdirAll(r.out, 0o777); err != nil {
		return badInput("--out: %w", err)
	}
	var err error
	r.paper, err = study2012.Open(r.Options)
	return err
}

func (c *cli) reproduce(ctx context.Context, r *reproduction) error {
	var faults []error
	parts := slices.DeleteFunc(slices.Clone(r.parts), func(p study2012.Part) bool {
		err := lacking(p.Needs(r.paper))
		if err != nil {
			faults = append(faults, fmt.Errorf("%s cannot be made: %w", p.Name, err))
		}
		return err != nil
	})
	needs := study2012.All(parts, r.paper)
	if r.Full || r.Scale > study2012.DefaultScale {
		if err := c.announce(ctx, needs, r.batchFlags); err != nil {
			return err
		}
	}
	data, err := c.doNeeds(ctx, needs, r.batchFlags)
	if errors.Is(err, ErrInterrupted) || data == nil {
		return errors.Join(append(faults, err)...)
	}
	if err != nil {
		faults = append(faults, err)
	}
	for _, p := range parts {
		if !data.Has(p.Needs(r.paper)) {
			faults = append(faults, fmt.Errorf("%s cannot be made: a run failed", p.Name))
			continue
		}
		if err := c.writePart(r, p.Name, p.Title, p.Report(r.paper, data)); err != nil {
			return errors.Join(append(faults, err)...)
		}
		if p.Name != "claims" || !r.sensitivity {
			continue
		}
		if err := c.vary(ctx, r, data, uncertain); err != nil {
			faults = append(faults, err)
		}
	}
	if r.Graphs == "" && slices.ContainsFunc(parts, func(p study2012.Part) bool { return p.Name == "fig4" }) {
		_, missing := r.RealGraphs()
		c.log.Warn().Msgf("fig4 has no real graphs: --graphs DIR has none of %s", strings.Join(missing, "; "))
	}
	return errors.Join(faults...)
}

// lacking tells in a line of the machines and kernels that needs name and
// Heddle has not.
func lacking(needs study2012.Needs) error {
	var missing []string
	seen := map[string]bool{}
	look := func(name string, err func() error) {
		if seen[name] {
			return
		}
		seen[name] = true
		if err := err(); err != nil {
			what, _, _ := strings.Cut(err.Error(), ";")
			missing = append(missing, what)
		}
	}
	for _, x := range needs.Cases {
		if study.IsProperty(x.Kernel) {
			look("property "+x.Kernel, func() error { _, err := propertyOf(x.Kernel); return err })
			continue
		}
		look("kernel "+x.Kernel, func() error { _, err := kernel(x.Kernel); return err })
		look("machine "+x.Machine, func() error { _, err := describeMachine(x.Machine, nil); return err })
	}
	if len(missing) == 0 {
		return nil
	}
	return errors.New(strings.Join(missing, ", "))
}

// vary follows the claims that miss by which of their machines' parameters they
// depend on.
func (c *cli) vary(ctx context.Context, r *reproduction, data *study2012.Data, of func(machine string) ([]study2012.Parameter, error)) error {
	claims, machines := study2012.Missed(r.paper, data)
	if len(claims) == 0 {
		return nil
	}
	var parameters []study2012.Parameter
	for _, m := range machines {
		more, err := of(m)
		if err != nil {
			return err
		}
		parameters = append(parameters, more...)
	}
	accepted := map[string]bool{}
	do := func(variations []study2012.Variation) ([]study2012.Variation, *study2012.Data, error) {
		variations = slices.DeleteFunc(variations, func(v study2012.Variation) bool {
			return slices.ContainsFunc(v.Cases(), func(x study.Case) bool {
				key := x.Machine + " " + strings.Join(x.Set, " ")
				ok, known := accepted[key]
				if !known {
					ok = runOf(x).check() == nil
					accepted[key] = ok
				}
				return !ok // a value that the machine refuses
			})
		})
		var needs study2012.Needs
		for _, v := range variations {
			needs.Cases = append(needs.Cases, v.Cases()...)
		}
		varied, err := c.doNeeds(ctx, needs, r.batchFlags)
		return variations, varied, err
	}
	screening, data, err := do(study2012.Screening(r.paper, claims, parameters))
	if data == nil || errors.Is(err, ErrInterrupted) {
		return err
	}
	strong, more, fault := do(study2012.Strongest(r.paper, data, screening))
	if err = errors.Join(err, fault); more == nil || errors.Is(err, ErrInterrupted) {
		return err
	}
	maps.Copy(data.Outcomes, more.Outcomes)
	report := study2012.Sensitivity(r.paper, data, screening, strong)
	return errors.Join(err, c.writePart(r, "sensitivity", "What the claims that miss depend on", report))
}

// writePart writes a report's files and prints its text.
func (c *cli) writePart(r *reproduction, name, title string, report *study2012.Report) error {
	var files []string
	write := func(extension string, content func(io.Writer) error) error {
		path := filepath.Join(r.out, name+"."+extension)
		files = append(files, path)
		return writeFile(path, content)
	}
	if err := write("csv", func(w io.Writer) error { return csv.NewWriter(w).WriteAll(report.Rows) }); err != nil {
		return err
	}
	if report.Figure != nil {
		for _, format := range plot.Formats() {
			if err := write(format, func(w io.Writer) error { return report.Figure.Write(w, format) }); err != nil {
				return err
			}
		}
	}
	c.println(title)
	c.println(report.Text...)
	c.println("  "+strings.Join(files, " "), "")
	return c.stdout.Flush()
}
