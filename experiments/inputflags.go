package experiments

import (
	"github.com/spf13/cobra"

	"heddle/kernels"
)

// addInputFlags adds what says of r which input its kernel works on, and what
// is asked of it.
func addInputFlags(cmd *cobra.Command, r *Run) {
	f := cmd.Flags()
	f.StringVarP(&r.Graph, "graph", "g", defaultGraph, "`NAME` of a generated graph, or the path of a file")
	f.Uint64Var(&r.Seed, "seed", 1, "`NUMBER` that generated graphs and weights depend on")
	f.IntVar(&r.Source, "source", -1, "start `VERTEX` of a traversal; -1: the first of largest degree")
	f.IntVar(&r.Iterations, "iterations", 0, "let a kernel that iterates do so `N` times; 0: as often as is its default")
	completeWith(cmd, "graph", graphNames)
}

// mostIterations bounds what is asked of a kernel that iterates.
const mostIterations = 1_000_000

// checkOptions refuses what r asks of k in vain.
func (r Run) checkOptions(k kernels.Kernel) error {
	switch {
	case r.Iterations < 0 || r.Iterations > mostIterations:
		return badInput("--iterations %d: want 0 to %d", r.Iterations, mostIterations)
	case r.Iterations > 0 && k.Iterations == 0:
		return badInput("--iterations %d: %s has no number of iterations to choose", r.Iterations, k.Name)
	}
	return nil
}
