package experiments

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"heddle/experiments/catalog"
	"heddle/experiments/plot"
	"heddle/experiments/studies"
	"heddle/experiments/study"
)

// states are the order in which the states of runs are told.
var states = []study.State{study.Done, study.Running, study.Queued, study.Failed, study.Left}

func (c *cli) studyStatusCommand() *cobra.Command {
	var f studyFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status FILE",
		Short: "Tell how far a study is",
		Long: `Tells how many of a study's runs are done, running, queued on a cluster, failed
and left, names those that run now, and says why those that failed did.`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.studyStatus(cmd.Context(), args[0], &f, asJSON)
		},
		ValidArgsFunction: names(studies.Names),
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// runStatus is a run in the JSON of a status.
type runStatus struct {
	ID     string      `json:"id"`
	Run    string      `json:"run"`
	State  study.State `json:"state"`
	Reason string      `json:"reason,omitempty"`
}

func (c *cli) studyStatus(ctx context.Context, name string, f *studyFlags, asJSON bool) error {
	s, err := f.open(name)
	if err != nil {
		return err
	}
	queued, err := s.queued(ctx)
	if err != nil {
		c.log.Warn().Msgf("%v: what is on the cluster counts as left", err)
	}
	r := study.Results{Study: s.Study, IDs: s.ids, States: s.states(c.kept(s), queued)}
	var runs []runStatus
	seen := map[string]bool{}
	for i, id := range s.ids {
		if seen[id] {
			continue
		}
		seen[id] = true
		run := runStatus{ID: id, Run: s.runs[i].String(), State: r.States[i]}
		if run.State == study.Failed {
			failure, _ := s.store.Failure(id)
			run.Reason = failure.Reason
		}
		runs = append(runs, run)
	}
	if asJSON {
		var members []member
		for _, state := range states {
			members = append(members, member{string(state), r.Count(state)})
		}
		object, err := object(append(members, member{"runs", runs}))
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(c.stdout, "%s\n", object)
		return err
	}
	var counts []string
	for _, state := range states {
		counts = append(counts, count(r.Count(state))+" "+string(state))
	}
	c.println(fmt.Sprintf("%s: %s runs: %s", s.Name, count(len(runs)), strings.Join(counts, ", ")))
	for _, run := range runs {
		switch run.State {
		case study.Running:
			c.println("  running: " + run.Run)
		case study.Failed:
			first, _, _ := strings.Cut(run.Reason, "\n")
			c.println("  failed: "+run.Run, "    "+first)
		}
	}
	return nil
}

func (c *cli) studyResultsCommand() *cobra.Command {
	var f studyFlags
	var to resultFiles
	cmd := &cobra.Command{
		Use:   "results FILE",
		Short: "Show what came of a study",
		Long: `Shows the time and the speed-ups of a study's runs or, with --csv, --json or
--parquet, writes a row a run with every figure as a column: the time, the
speed-up over each baseline, the kernel's own figures, where the threads' time
went, and every metric of the machine. The table that is shown has the mean of
runs that differ in the seed alone and the 95 % interval of that mean, by
Student's t, of speed-ups the geometric mean; the files have each run. Figures of the host, which no two
executions have the same, are left out: the same study gives the same bytes.`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.studyResults(cmd.Context(), args[0], &f, &to)
		},
		ValidArgsFunction: names(studies.Names),
	}
	f.add(cmd)
	cmd.Flags().StringVar(&to.csv, "csv", "", "write all figures to a CSV `FILE`; -: to standard output in place of the table")
	cmd.Flags().StringVar(&to.json, "json", "", "write all figures to a JSON `FILE`, an object a run; -: to standard output in place of the table")
	cmd.Flags().StringVar(&to.parquet, "parquet", "", "write all figures to a Parquet `FILE`")
	return cmd
}

// resultFiles are where results go.
type resultFiles struct{ csv, json, parquet string }

// check refuses files that cannot be written.
func (f *resultFiles) check() error {
	if f.csv == "-" && f.json == "-" {
		return badInput("--csv - and --json -: the standard output takes one of them")
	}
	if f.parquet == "-" {
		return badInput("--parquet -: want the name of a file")
	}
	for _, x := range [][2]string{{"--csv", f.csv}, {"--json", f.json}, {"--parquet", f.parquet}} {
		if err := checkOutput(x[0], x[1]); err != nil {
			return err
		}
	}
	return nil
}

// look returns what is known of a study's runs.
func (c *cli) look(ctx context.Context, s *openStudy) (*study.Results, error) {
	list, err := catalog.Open(ctx, s.store)
	if err != nil {
		return nil, err
	}
	defer func() { _ = list.Close() }()
	queued, _ := s.queued(ctx) // a cluster that does not answer has no results either
	r := &study.Results{Study: s.Study, Version: version(), IDs: s.ids, States: s.states(c.kept(s), queued), Values: make([]study.Numbers, len(s.ids))}
	for i, id := range s.ids {
		if r.States[i] != study.Done {
			continue
		}
		if r.Values[i], err = list.Values(ctx, id); err != nil {
			return nil, err
		}
		if r.Values[i] == nil { // the file is there, and holds no result
			r.States[i] = study.Left
		}
	}
	return r, nil
}

func (c *cli) studyResults(ctx context.Context, name string, f *studyFlags, to *resultFiles) error {
	if err := to.check(); err != nil {
		return err
	}
	s, err := f.open(name)
	if err != nil {
		return err
	}
	r, err := c.look(ctx, s)
	if err != nil {
		return err
	}
	t := r.Table()
	for _, x := range []struct {
		path  string
		write func(io.Writer) error
	}{
		{to.csv, func(w io.Writer) error { return csv.NewWriter(w).WriteAll(textRows(t)) }},
		{to.json, func(w io.Writer) error { return writeObjects(w, t) }},
		{to.parquet, func(w io.Writer) error { return study.WriteParquet(w, t) }},
	} {
		switch {
		case x.path == "-":
			err = x.write(c.stdout)
		case x.path != "":
			err = writeFile(x.path, x.write)
		}
		if err != nil {
			return err
		}
	}
	if to.csv == "-" || to.json == "-" {
		return nil
	}
	c.println(resultLines(r)...)
	return nil
}

// plainNumber writes x so that reading gives it back; nothing where there is
// none.
func plainNumber(x float64) string {
	switch size := math.Abs(x); {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return ""
	case size == 0 || 1e-4 <= size && size < 1e15:
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// textRows is a table as CSV has it.
func textRows(t *study.Table) [][]string {
	rows := make([][]string, 1, 1+len(t.Rows))
	for _, c := range t.Columns {
		rows[0] = append(rows[0], c.Name)
	}
	for _, cells := range t.Rows {
		var row []string
		for i, cell := range cells {
			if t.Columns[i].Text {
				row = append(row, cell.Text)
			} else {
				row = append(row, plainNumber(cell.Number))
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// writeObjects writes a table as a JSON list of objects, a line each.
func writeObjects(w io.Writer, t *study.Table) error {
	var b bytes.Buffer
	for i, cells := range t.Rows {
		var members []member
		for j, cell := range cells {
			var value any = cell.Text
			if !t.Columns[j].Text {
				value = json.RawMessage(cmp.Or(plainNumber(cell.Number), "null"))
			}
			members = append(members, member{t.Columns[j].Name, value})
		}
		row, err := object(members)
		if err != nil {
			return err
		}
		b.WriteString(map[bool]string{true: "[\n", false: ",\n"}[i == 0])
		b.Write(row)
	}
	b.WriteString("\n]\n")
	_, err := w.Write(b.Bytes())
	return err
}

func (c *cli) studyPlotCommand() *cobra.Command {
	var f studyFlags
	cmd := &cobra.Command{
		Use:   "plot FILE",
		Short: "Draw the plots of a study",
		Long: `Draws the plots that a study's file names, as SVG and PNG, into the study's
folder, of the runs that are done.`,
		Args:              arguments(1, 1),
		RunE:              func(cmd *cobra.Command, args []string) error { return c.studyPlot(cmd.Context(), args[0], &f) },
		ValidArgsFunction: names(studies.Names),
	}
	f.add(cmd)
	return cmd
}

func (c *cli) studyPlot(ctx context.Context, name string, f *studyFlags) error {
	s, err := f.open(name)
	if err != nil {
		return err
	}
	if len(s.Plots) == 0 {
		return badInput("%s: no plots: name some under plots", s.File)
	}
	r, err := c.look(ctx, s)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.dir, 0o777); err != nil {
		return badInput("--out: %w", err)
	}
	if done := r.Count(study.Done); done == 0 {
		return fmt.Errorf("study %s has no results yet; heddle study run %s makes them", s.Name, name)
	}
	for _, p := range s.Plots {
		figure, err := r.Figure(p)
		if err != nil {
			return err
		}
		for _, format := range plot.Formats() {
			path := filepath.Join(s.dir, p.Name+"."+format)
			if err := writeFile(path, func(w io.Writer) error { return figure.Write(w, format) }); err != nil {
				return err
			}
			c.println(path)
		}
	}
	if left := len(slices.DeleteFunc(slices.Clone(r.States), func(x study.State) bool { return x == study.Done })); left > 0 {
		c.log.Warn().Msgf("%s of %s runs have no result and are left out", count(left), count(len(r.States)))
	}
	return nil
}
