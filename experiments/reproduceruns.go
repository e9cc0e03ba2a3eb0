package experiments

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"heddle/experiments/batch"
	"heddle/experiments/catalog"
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

// uncertain returns the numbers of a machine's description that are recalled,
// inferred, or measured, mostly of a relative of the machine, without those of
// parts that are switched off and those that only state what is published.
func uncertain(machine string) ([]study2012.Parameter, error) {
	d, err := describeMachine(machine, nil)
	if err != nil {
		return nil, err
	}
	var list []study2012.Parameter
	for _, s := range d.Sources() {
		if !strings.ContainsAny(s.Tag, "RIM") || strings.HasPrefix(s.Path, "theory.") || isOff(d, s.Path) {
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

// calibrationScale is that of the graphs on which runs are timed of which no
// earlier one tells how long they take.
const calibrationScale = 12

// announce says how long runs will take that are not kept yet, as a study's plan
// does. Of a kernel that was never run on a machine it does a small run first.
func (c *cli) announce(ctx context.Context, needs study2012.Needs, f batchFlags) error {
	store, err := f.store()
	if err != nil {
		return err
	}
	var known estimator
	if store != nil {
		list, err := catalog.Open(ctx, store)
		if err != nil {
			return err
		}
		defer func() { _ = list.Close() }()
		if known, err = list.Samples(ctx); err != nil {
			return err
		}
	}
	var left, small []Run
	asked := map[string]bool{}
	for _, x := range needs.Cases {
		r := runOf(x)
		key, err := r.key()
		if err != nil {
			return err
		}
		if store != nil && store.Has(batch.ID(key)) {
			continue
		}
		left = append(left, r)
		machine := machineName(r.Machine)
		if pair := r.Kernel + " " + machine; !asked[pair] && known.nearest(&r.Kernel, &machine, 1, 0) == nil {
			asked[pair] = true
			family := "rmat-g"
			if graph.IsGenerator(r.Graph) {
				family, _, _ = strings.Cut(r.Graph, ":")
			}
			r.Graph = fmt.Sprintf("%s:%d", family, calibrationScale)
			small = append(small, r)
		}
	}
	timed, err := c.doRuns(ctx, small, f)
	if err != nil {
		return err
	}
	for _, o := range timed {
		known = append(known, catalog.SampleOf(o))
	}
	seconds := 0.0
	contexts := map[string]int{}
	for _, r := range left {
		machine := strings.Join(append([]string{r.Machine}, r.Set...), " ")
		if _, built := contexts[machine]; !built {
			contexts[machine] = r.contexts()
		}
		vertices, edges := extent(r.Graph)
		seconds += known.of(r, contexts[machine], vertices, edges).seconds
	}
	workers := f.workers()
	fmt.Fprintf(c.stderr, "heddle: %d of %d runs are still to be done: about %s, %d at a time\n",
		len(left), len(needs.Cases), about(seconds/float64(workers)), workers)
	return nil
}

// contexts returns how many contexts r's machine runs at once, 0 if it cannot be
// built.
func (r Run) contexts() int {
	d, err := describeMachine(r.Machine, r.Set)
	if err != nil {
		return 0
	}
	m, err := models.Build(d, models.Options{})
	if err != nil {
		return 0
	}
	return m.Contexts()
}
