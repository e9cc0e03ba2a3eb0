package experiments

import (
	"bytes"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"heddle/experiments/htmlreport"
)

func (c *cli) reportCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "report RESULT...",
		Short: "Write results as one HTML page",
		Long: `Reads results that heddle run --json has printed and writes one HTML file about
them, which needs nothing else and no network: the answer, the machine and how
busy its parts were, stalls, roofline, bandwidths, caches, the run over time,
the annotated source, arrays, launches, metrics and the resolved description; of
several runs also a comparison. RESULT is a file, or - for the standard input.`,
		Example: `  heddle run bfs/level --json > run.json && heddle report run.json -o run.html
  heddle report fermi.json xmt.json nehalem.json -o machines.html`,
		Args: arguments(1, htmlreport.MostRuns),
		RunE: func(_ *cobra.Command, args []string) error {
			if out == "" {
				return badInput("-o FILE is wanted: where to write the page, - for the standard output")
			}
			if err := checkOutput("--output", out); err != nil {
				return err
			}
			var runs []htmlreport.Run
			for _, path := range args {
				o, err := c.readOutcome(path)
				if err != nil {
					return err
				}
				name := filepath.Base(path)
				if path == "-" {
					name = ""
				}
				runs = append(runs, htmlreport.Run{Name: name, Outcome: o})
			}
			var page bytes.Buffer
			if err := htmlreport.Write(&page, runs); err != nil {
				return err
			}
			write := func(w io.Writer) error { _, err := w.Write(page.Bytes()); return err }
			if out == "-" {
				return write(c.stdout)
			}
			return writeFile(out, write)
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "write the page to a `FILE`; -: to the standard output")
	return cmd
}
