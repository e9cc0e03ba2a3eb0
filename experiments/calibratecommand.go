package experiments

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"heddle/experiments/calibrate"
	"heddle/experiments/hostbench"
)

func (c *cli) calibrateCommand() *cobra.Command {
	var out, from, figures string
	cmd := &cobra.Command{
		Use:   "calibrate host",
		Short: "Fit a description of this computer to microbenchmarks",
		Long: `Measures this computer as heddle microbench host does and writes the description
of a machine that fits, each number with its measurement on its line: [M]
measured, [P] told by the system, [I] inferred, with the reason. The fit knows
the microbenchmarks alone, no kernel.

Then it runs the same microbenchmarks, simulated, on the fitted machine, and
shows which are within 10 % of what was measured.`,
		Example: `  heddle calibrate host --out host.yaml
  heddle calibrate host --from figures/figures.json --out host.yaml
  heddle run bfs/level --machine ./host.yaml`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[0] != "host" {
				return unknown("computer", args[0], []string{"host"})
			}
			return c.calibrateHost(cmd.Context(), out, from, figures)
		},
		ValidArgsFunction: names(func() []string { return []string{"host"} }),
	}
	f := cmd.Flags()
	f.StringVarP(&out, "out", "o", "host.yaml", "write the description to a `FILE` that ends in .yaml; -: to standard output, without the figures")
	f.StringVar(&from, "from", "", "fit to the figures.json or the JSON of heddle microbench host in a `FILE`, in place of measuring")
	f.StringVar(&figures, "figures", "", "write the figures, measured and simulated, as CSV and drawn, to a `DIR`")
	return cmd
}

func (c *cli) calibrateHost(ctx context.Context, out, from, figures string) error {
	if err := checkOutput("--out", out); err != nil {
		return err
	}
	if out != "-" && !strings.HasSuffix(out, ".yaml") {
		return badInput("--out %s: the name of a description ends in .yaml", out)
	}
	measured, err := c.figuresOf(ctx, from)
	if err != nil {
		return err
	}
	if err := checkFolder("--figures", figures); err != nil {
		return err
	}
	fit, err := await(ctx, func() (*calibrate.Fit, error) {
		fit, err := calibrate.New(ctx, measured, calibrate.Options{
			Header: calibrationHeader,
			Log:    func(format string, args ...any) { c.log.Info().Msgf(format, args...) },
		})
		if err != nil {
			return nil, err
		}
		return fit, fit.Simulate(ctx)
	})
	if err != nil {
		return err
	}
	if out == "-" {
		_, err := io.WriteString(c.stdout, fit.Text)
		return err
	}
	if err := writeFile(out, func(w io.Writer) error { _, err := io.WriteString(w, fit.Text); return err }); err != nil {
		return err
	}
	c.println(describeFacts(&measured.Facts)...)
	c.println(comparisonOfFigures(fit)...)
	if figures != "" {
		if err := writeCalibration(figures, fit); err != nil {
			return err
		}
	}
	c.println("", "wrote "+out)
	return nil
}

const calibrationHeader = `# Fitted by heddle calibrate host.
#
# Each number has its source on its line, after a tag: [M] measured by the
# microbenchmark named, with the spread of its best batches; [P] told by the
# system; [I] inferred, with the reasoning.
`

// figuresOf measures this computer, or reads what was measured.
func (c *cli) figuresOf(ctx context.Context, from string) (*hostbench.Results, error) {
	if from == "" {
		r, err := c.measureHost(ctx)
		if err == nil {
			if refused := refusals(r); refused != nil {
				c.log.Warn().Msg(refused.Error())
			}
		}
		return r, err
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return nil, badInput("--from: %w", err)
	}
	r := new(hostbench.Results)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, badInput("--from %s: %w", from, err)
	}
	if len(r.Figures) == 0 || len(r.Facts.CPUs) == 0 {
		return nil, badInput("--from %s: has no figures of a computer", from)
	}
	return r, nil
}

// within is how near a simulated microbenchmark should be to the measured one.
const within = 0.10

// comparisonOfFigures shows every microbenchmark, measured and simulated.
func comparisonOfFigures(fit *calibrate.Fit) []string {
	t := table{right: "lrrlrl"}
	t.add("figure", "measured", "simulated", "", "off by", "")
	near := 0
	for i := range fit.Simulated.Figures {
		s := &fit.Simulated.Figures[i]
		m := fit.Measured.Figure(s.Name)
		if m.Refused != "" {
			t.add(s.Name, "refused", digits(s.Value, 4), s.Unit, "", "")
			continue
		}
		off := s.Value/m.Value - 1
		verdict := "OFF"
		if math.Abs(off) <= within {
			verdict = ""
			near++
		}
		t.add(s.Name, digits(m.Value, 4), digits(s.Value, 4), s.Unit, percent(off), verdict)
	}
	return append(t.lines("  "), "", fmt.Sprintf("%d of %d simulated microbenchmarks are within %.0f %% of the measured ones", near, len(fit.Simulated.Figures), 100*within))
}

func writeCalibration(dir string, fit *calibrate.Fit) error {
	rows := [][]string{{"figure", "unit", "measured", "simulated", "spread", "processor", "version"}}
	for i := range fit.Simulated.Figures {
		s := &fit.Simulated.Figures[i]
		m := fit.Measured.Figure(s.Name)
		value := number(m.Value)
		if m.Refused != "" {
			value = ""
		}
		rows = append(rows, []string{s.Name, s.Unit, value, number(s.Value), number(m.Spread), fit.Measured.Facts.Processor, version()})
	}
	if err := writeRows(filepath.Join(dir, "calibration.csv"), rows); err != nil {
		return err
	}
	return writePlots(dir, "calibration", hostbench.LatencyFigure("Load latency, measured and simulated",
		[]hostbench.Curve{{Name: "measured", Results: fit.Measured}, {Name: "simulated", Results: fit.Simulated}}))
}
