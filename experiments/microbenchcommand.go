package experiments

import (
	"context"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"heddle/models"
)

func (c *cli) microbenchCommand() *cobra.Command {
	var set []string
	var csvFile string
	cmd := &cobra.Command{
		Use:   "microbench MACHINE",
		Short: "Measure a machine by small programs, beside what is published of it",
		Long: `Runs small programs on a machine, an idle one for each, and shows the latencies
and rates that they measure beside those that the machine's description implies
and those that are published of the real machine, with the source.

A figure holds if it is as near to the published one as the description allows,
or, where nothing is published, to the implied one. Exit status 1 says that one
does not.`,
		Example: `  heddle microbench tesla-c2050
  heddle microbench tesla-c2050 --set clock="1.3 GHz"
  heddle microbench tesla-c2050 --csv figures.csv`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.microbench(cmd.Context(), args[0], set, csvFile)
		},
		ValidArgsFunction: names(func() []string { return models.Names(models.Library) }),
	}
	cmd.Flags().StringArrayVar(&set, "set", nil, "override a value of the machine's description, `PATH=VALUE`; may be repeated")
	cmd.Flags().StringVar(&csvFile, "csv", "", "write the figures to a CSV `FILE`; -: to standard output in place of the table")
	cmd.AddCommand(c.microbenchHostCommand())
	return cmd
}

func (c *cli) microbench(ctx context.Context, machine string, set []string, csvFile string) error {
	if err := checkOutput("--csv", csvFile); err != nil {
		return err
	}
	d, err := describeMachine(machine, set)
	if err != nil {
		return &InputError{err}
	}
	if _, err := models.Build(d, models.Options{}); err != nil {
		return &InputError{err}
	}
	measured, err := await(ctx, func() ([]models.Measurement, error) {
		m, err := models.Microbenchmarks(d)
		if err != nil {
			err = &InputError{err} // of a kind of machine that has none, or what-ifs out of bounds
		}
		return m, err
	})
	if err != nil {
		return err
	}
	if csvFile != "" {
		if err := c.writeCSV(csvFile, measurementRows(d, measured)); err != nil || csvFile == "-" {
			return err
		}
	}
	c.println(measurementTable(d, measured)...)
	off := 0
	for _, m := range measured {
		if !m.OK() {
			off++
		}
	}
	if off > 0 {
		return fmt.Errorf("%d of %d figures of %s are off by more than they may be", off, len(measured), d.Name())
	}
	return nil
}

// wantedOf returns the figure that a measured one is held against: the
// published one or else the implied one.
func wantedOf(m models.Measurement) float64 {
	if math.IsNaN(m.Cited) {
		return m.Implied
	}
	return m.Cited
}

// offBy writes how far a measured figure is from the one wanted.
func offBy(m models.Measurement) string {
	text := percent(m.Simulated/wantedOf(m) - 1)
	if text == "-0.0 %" {
		return "0.0 %"
	}
	return text
}

func measurementTable(d *models.Description, measured []models.Measurement) []string {
	t := table{right: "lrrrrrll"}
	t.add("figure", "measured", "implied", "published", "off by", "at most", "", "source of what is published")
	for _, m := range measured {
		verdict := "holds"
		if !m.OK() {
			verdict = "OFF"
		}
		source := m.Source.Comment
		if m.Source.Tag != "" {
			source = "[" + m.Source.Tag + "] " + source
		}
		if math.IsNaN(m.Cited) {
			source = ""
		}
		t.add(m.Name, digits(m.Simulated, 4)+" "+m.Unit, digits(m.Implied, 4), digits(m.Cited, 4),
			offBy(m), percent(m.Tolerance), verdict, source)
	}
	title, _ := d.Value("title")
	lines := append([]string{d.Name() + ": " + title}, t.lines("  ")...)
	lines = append(lines, "")
	var meanings table
	for _, m := range measured {
		meanings.add(m.Name, m.Meaning)
	}
	return append(lines, meanings.lines("  ")...)
}

// measurementHeader are the columns of the CSV of microbenchmarks.
var measurementHeader = []string{"figure", "unit", "measured", "implied", "published", "tolerance", "holds", "source", "machine", "version"}

func measurementRows(d *models.Description, measured []models.Measurement) [][]string {
	rows := [][]string{measurementHeader}
	maybe := func(x float64) string {
		if math.IsNaN(x) {
			return ""
		}
		return number(x)
	}
	for _, m := range measured {
		rows = append(rows, []string{m.Name, m.Unit, maybe(m.Simulated), maybe(m.Implied), maybe(m.Cited), number(m.Tolerance),
			fmt.Sprint(m.OK()), m.Source.Comment, d.Name(), version()})
	}
	return rows
}
