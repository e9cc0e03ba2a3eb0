package experiments

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"heddle/experiments/batch"
	study2012 "heddle/experiments/halappanavar2012"
	"heddle/experiments/study"
	"heddle/kernels/graph"
	"heddle/models"
)

// runOf returns the run that a case asks for.
func runOf(x study.Case) Run {
	return Run{Kernel: x.Kernel, Machine: x.Machine, Graph: x.Graph, Seed: x.Seed, Source: -1, Iterations: x.Iterations, Schedule: x.Schedule, Set: x.Set}
}

// doNeeds does what a study needs. Its error tells of what failed; all else is
// in the data.
func (c *cli) doNeeds(ctx context.Context, needs study2012.Needs, f batchFlags) (*study2012.Data, error) {
	var jobs []batched
	for _, x := range needs.Cases {
		job, err := runOf(x).job()
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, job)
	}
	results, failed := c.doJobs(ctx, jobs, f)
	if results == nil {
		return nil, failed
	}
	data := &study2012.Data{Version: version(), Outcomes: map[string]*study.Outcome{}}
	for i, r := range results {
		if r.Err != nil {
			continue
		}
		o, err := study.Decode(r.Value)
		if err != nil {
			return nil, err
		}
		data.Outcomes[needs.Cases[i].ID()] = o
	}
	return data, failed
}

// uncertain returns the numbers of a machine's description that are recalled or
// inferred, without those of parts that are switched off and those that only
// state what is published.
func uncertain(machine string) ([]study2012.Parameter, error) {
	d, err := describeMachine(machine, nil)
	if err != nil {
		return nil, err
	}
	var list []study2012.Parameter
	for _, s := range d.Sources() {
		if !strings.ContainsAny(s.Tag, "RI") || strings.HasPrefix(s.Path, "theory.") || isOff(d, s.Path) {
			continue
		}
		list = append(list, study2012.Parameter{Machine: machine, Path: s.Path, Value: s.Value, Tag: s.Tag})
	}
	return list, nil
}

// isOff says whether a section around path has enabled: false.
func isOff(d *models.Description, path string) bool {
	parts := strings.Split(path, ".")
	for i := 1; i < len(parts); i++ {
		if on, ok := d.Value(strings.Join(append(slices.Clone(parts[:i]), "enabled"), ".")); ok && on == "false" {
			return true
		}
	}
	return false
}

// calibrationScale is that of the graphs on which runs are timed to tell how
// long larger ones take.
const calibrationScale = 12

// announce says how long runs will take that are not kept yet: each by a small
// run of the same kernel on the same machine, as if time grew with the edges.
func (c *cli) announce(ctx context.Context, needs study2012.Needs, f batchFlags) error {
	store, err := f.store()
	if err != nil {
		return err
	}
	var small []Run
	var growth []float64 // of edges, parallel to small
	for _, x := range needs.Cases {
		if study.IsProperty(x.Kernel) {
			continue // of these the graphs alone take time
		}
		r := runOf(x)
		key, err := r.key()
		if err != nil {
			return err
		}
		if store != nil {
			if store.Has(batch.ID(key)) {
				continue
			}
		}
		family := "rmat-g"
		if graph.IsGenerator(r.Graph) {
			family, _, _ = strings.Cut(r.Graph, ":")
		}
		_, edges := extent(r.Graph)
		r.Graph = fmt.Sprintf("%s:%d", family, calibrationScale)
		_, few := extent(r.Graph)
		small, growth = append(small, r), append(growth, edges/few)
	}
	outcomes, err := c.doRuns(ctx, small, f)
	if err != nil {
		return err
	}
	seconds := 0.0
	for i, o := range outcomes {
		seconds += (o.Host.WallSeconds + o.Host.SetupSeconds + o.Host.CheckSeconds) * growth[i]
	}
	workers := f.workers()
	expected := time.Duration(seconds / float64(workers) * float64(time.Second))
	fmt.Fprintf(c.stderr, "heddle: %d of %d runs are still to be done: about %s, %d at a time, by small runs timed now\n",
		len(small), len(needs.Cases), expected.Round(time.Second), workers)
	return nil
}
