package experiments

import (
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"heddle/experiments/study"
)

func (c *cli) annotateCommand() *cobra.Command {
	order := bySource
	cmd := &cobra.Command{
		Use:   "annotate RESULT",
		Short: "Show what each source line, array and launch of a run did",
		Long: `Reads a result that heddle run --json has printed and shows, beside each line of
the kernels' source, its issues, lanes, cycles of stalls by reason, transactions
and misses; each array's traffic, and who contends for its hottest words; each
launch, and how the run went on. RESULT is a file, or - for the standard input.`,
		Example: `  heddle run bfs/level --json > run.json && heddle annotate run.json
  heddle run --machine cray-xmt --graph rmat-g:10 --json | heddle annotate --sort time -
  heddle run --annotate`,
		Args: arguments(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := checkLineOrder("--sort", order); err != nil {
				return err
			}
			o, err := c.readOutcome(args[0])
			if err != nil {
				return err
			}
			return writeAnnotation(c.stdout, o, order, c.color)
		},
	}
	cmd.Flags().StringVar(&order, "sort", bySource, "`ORDER` of lines: "+strings.Join(lineOrders, ", "))
	return cmd
}

// Orders of source lines.
const (
	bySource       = "source"
	byTime         = "time"
	byIssues       = "issues"
	byTransactions = "transactions"
	byMisses       = "misses"
)

var lineOrders = []string{bySource, byTime, byIssues, byTransactions, byMisses}

func checkLineOrder(flag, order string) error {
	if !slices.Contains(lineOrders, order) {
		return badInput("%s %q: want %s", flag, order, strings.Join(lineOrders, ", "))
	}
	return nil
}

// mostResult is the largest file that is read as a result, in bytes.
const mostResult = 256 << 20

// readOutcome reads the result of a run from a file, or from the standard
// input for -.
func (c *cli) readOutcome(path string) (*study.Outcome, error) {
	in := io.Reader(os.Stdin)
	name := "standard input"
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, &InputError{err}
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil && !info.Mode().IsRegular() {
			return nil, badInput("%s: not a file", path)
		}
		in, name = f, path
	}
	text, err := io.ReadAll(io.LimitReader(in, mostResult+1))
	if err != nil {
		return nil, badInput("%s: %w", name, err)
	}
	if len(text) > mostResult {
		return nil, badInput("%s: more than %s: not a result of heddle run --json", name, size(mostResult))
	}
	o, err := study.Read(text)
	if err != nil {
		return nil, badInput("%s: %w", name, err)
	}
	return o, nil
}

// annotateResult prints the annotation of a result below its report.
func (c *cli) annotateResult(r *Result, order string) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	o, err := study.Decode(text)
	if err != nil {
		return err
	}
	return writeAnnotation(c.stdout, o, order, c.color)
}
