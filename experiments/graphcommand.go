package experiments

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"heddle/kernels/graph"
)

func (c *cli) graphCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "graph",
		Short: "Describe a graph, or write it to a file",
		Args:  c.commandArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.graphInfoCommand(), c.graphConvertCommand())
	return cmd
}

// openGraph opens a graph with a live bar; it ends early when ctx does.
func (c *cli) openGraph(ctx context.Context, name string, seed uint64) (*graph.Graph, error) {
	live := newProgress(c.terminal)
	defer live.stop()
	g, err := await(ctx, func() (*graph.Graph, error) {
		return graph.Open(name, graph.Options{Seed: seed, Progress: live.opening, Log: func(line string) { c.log.Info().Msg(line) }})
	})
	if err != nil && err != ErrInterrupted {
		err = &InputError{err}
	}
	return g, err
}

func (c *cli) graphInfoCommand() *cobra.Command {
	var asJSON bool
	var seed uint64
	cmd := &cobra.Command{
		Use:   "info GRAPH",
		Short: "Describe a graph by its degrees and components",
		Example: `  heddle graph info rmat-g:16
  heddle graph info road.mtx.gz --json`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			g, err := c.openGraph(cmd.Context(), args[0], seed)
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(c.stdout).Encode(statistics(g))
			}
			c.println(graphTable(g)...)
			return nil
		},
		ValidArgsFunction: names(graphNames),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "`NUMBER` that generated graphs depend on")
	return cmd
}

// graphStatistics is what graph info tells.
type graphStatistics struct {
	Graph
	MinDegree        int     `json:"min_degree"`
	MaxDegree        int     `json:"max_degree"`
	MeanDegree       float64 `json:"mean_degree"`
	DegreeVariance   float64 `json:"degree_variance"`
	Isolated         int     `json:"isolated"`
	Components       int     `json:"components"`
	LargestComponent int     `json:"largest_component"`
	Histogram        []int64 `json:"degree_histogram"` // of 0, 1, 2-3, 4-7, ...
}

func statistics(g *graph.Graph) graphStatistics {
	s := g.Stats()
	return graphStatistics{
		Graph:     describe(g, false),
		MinDegree: s.MinDegree, MaxDegree: s.MaxDegree, MeanDegree: s.MeanDegree, DegreeVariance: s.DegreeVariance,
		Isolated: s.Isolated, Components: s.Components, LargestComponent: s.LargestComponent, Histogram: s.Histogram,
	}
}

func graphTable(g *graph.Graph) []string {
	s := statistics(g)
	share := func(n int) string { return percent(float64(n) / float64(s.Vertices)) }
	var t table
	t.add("name", s.Name)
	t.add("vertices", count(s.Vertices))
	t.add("edges", count(s.Edges))
	t.add("weights", s.Weights)
	t.add("self-loops dropped", count(s.SelfLoops))
	t.add("duplicates dropped", count(s.Duplicates))
	t.add("made undirected", count(s.Symmetrised))
	t.add("degree", fmt.Sprintf("%s to %s, mean %s, variance %s",
		count(s.MinDegree), count(s.MaxDegree), digits(s.MeanDegree, 4), digits(s.DegreeVariance, 4)))
	t.add("isolated vertices", fmt.Sprintf("%s, %s", count(s.Isolated), share(s.Isolated)))
	t.add("components", count(s.Components))
	t.add("largest component", fmt.Sprintf("%s vertices, %s", count(s.LargestComponent), share(s.LargestComponent)))
	lines := append(append(t.lines(""), g.Notes...), "vertices by degree")
	bins := table{right: "rrr"}
	for k, n := range s.Histogram {
		degree := "0"
		switch {
		case k == 1:
			degree = "1"
		case k > 1:
			degree = fmt.Sprintf("%d-%d", 1<<(k-1), 1<<k-1)
		}
		bins.add(degree, count(n), percent(float64(n)/float64(s.Vertices)), bar(float64(n)/float64(s.Vertices), barWidth))
	}
	return append(lines, bins.lines("  ")...)
}

func (c *cli) graphConvertCommand() *cobra.Command {
	var force bool
	var seed uint64
	cmd := &cobra.Command{
		Use:   "convert GRAPH FILE",
		Short: "Write a graph to a file, its format told by the extension",
		Long: `Writes a graph to a file as Matrix Market (.mtx), METIS (.graph), DIMACS (.gr) or
an edge list (.txt), compressed where the name ends in .gz. The file appears
complete or not at all.`,
		Example: `  heddle graph convert rmat-g:16 rmat.mtx.gz
  heddle graph convert road.gr road.graph`,
		Args: arguments(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			from, to := args[0], args[1]
			if err := graph.CheckFormat(to); err != nil {
				return &InputError{err}
			}
			if _, err := os.Lstat(to); err == nil && !force {
				return badInput("%s exists: --force replaces it", to)
			}
			g, err := c.openGraph(cmd.Context(), from, seed)
			if err != nil {
				return err
			}
			if err := graph.Write(to, g); err != nil {
				return &InputError{err}
			}
			c.println(fmt.Sprintf("%s: %s vertices, %s edges", to, count(g.Vertices()), count(g.Edges())))
			return nil
		},
		ValidArgsFunction: names(graphNames),
	}
	cmd.Flags().BoolVar(&force, "force", false, "replace a file that exists")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "`NUMBER` that generated graphs depend on")
	return cmd
}
