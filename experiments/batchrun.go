package experiments

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/pbnjay/memory"
	"github.com/spf13/cobra"

	"heddle/arch/isa"
	"heddle/experiments/batch"
	"heddle/experiments/study"
	"heddle/kernels/graph"
	"heddle/models"
)

// memoryShare is the part of the host's memory that runs at a time may take.
const memoryShare = 0.7

// defaultMemory is what runs at a time may take of the host's memory, in bytes.
func defaultMemory() int64 { return int64(memoryShare * float64(memory.TotalMemory())) }

// batchFlags say how a command does its runs.
type batchFlags struct {
	results string
	fresh   bool
	jobs    int
}

func (f *batchFlags) add(cmd *cobra.Command) {
	f.addResults(cmd)
	f.addJobs(cmd)
	cmd.Flags().BoolVar(&f.fresh, "fresh", false, "neither look for kept results nor keep any")
}

func (f *batchFlags) addResults(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.results, "results", "", "keep results in `DIR`; without it in heddle/results of the user's cache")
}

func (f *batchFlags) addJobs(cmd *cobra.Command) {
	cmd.Flags().IntVarP(&f.jobs, "jobs", "j", 0, "do `N` runs at a time; 0: as many as there are processors")
}

// store opens the folder of results, nil if none is wanted.
func (f *batchFlags) store() (*batch.Store, error) {
	if f.jobs < 0 || f.jobs > mostJobs {
		return nil, badInput("--jobs %d: want 0 to %d", f.jobs, mostJobs)
	}
	if f.fresh {
		return nil, nil
	}
	dir := f.results
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return nil, badInput("--results: %w: name a folder, or use --fresh", err)
		}
		dir = filepath.Join(user, "heddle", "results")
	}
	s, err := batch.OpenStore(dir)
	if err != nil {
		return nil, badInput("--results: %w", err)
	}
	return s, nil
}

const mostJobs = 4096

// workers returns how many runs are done at a time.
func (f *batchFlags) workers() int {
	if f.jobs > 0 {
		return f.jobs
	}
	return runtime.GOMAXPROCS(0)
}

// batched is a job of a batch with its name for people.
type batched struct {
	batch.Job
	name string
	live *liveRun // nil if there is nothing to see
}

// job returns r as a job, whose cost is the graph's edges.
func (r Run) job() (batched, error) {
	key, err := r.key()
	if err != nil {
		return batched{}, err
	}
	_, edges := extent(r.Graph)
	return r.jobOf(batch.ID(key), max(edges, 1), r.footprint()), nil
}

// jobOf returns r as a job of the given ID, cost and memory.
func (r Run) jobOf(id string, cost float64, memory int64) batched {
	live := new(liveRun)
	return batched{batch.Job{ID: id, Cost: cost, Memory: memory, Do: func(ctx context.Context) (json.RawMessage, error) {
		defer live.checking()
		result, err := r.finish(ctx, live)
		if err != nil {
			return nil, err
		}
		return json.Marshal(result)
	}}, r.String(), live}
}

// finish does r, which may ask for a property of its graph.
func (r Run) finish(ctx context.Context, live *liveRun) (*Result, error) {
	if study.IsProperty(r.Kernel) {
		p, err := propertyOf(r.Kernel)
		if err != nil {
			return nil, err
		}
		return p.of(ctx, r)
	}
	return r.Execute(ctx, Hooks{
		Running:  func(m *models.Machine, _ *graph.Graph) { live.running(m) },
		Checking: live.checking,
	})
}

// String writes r as people read it.
func (r Run) String() string {
	return study.Case{Kernel: r.Kernel, Machine: r.Machine, Graph: r.Graph, Seed: r.Seed, Iterations: r.Iterations, Schedule: r.Schedule, Set: r.Set}.String()
}

// check returns why r's machine cannot be built or cannot run the kernel.
func (r Run) check() error {
	if study.IsProperty(r.Kernel) {
		_, err := propertyOf(r.Kernel)
		return err
	}
	k, err := kernel(r.Kernel)
	if err != nil {
		return err
	}
	if err := r.checkOptions(k); err != nil {
		return err
	}
	if r.Schedule != "" {
		if _, err := isa.ParseSchedule(r.Schedule); err != nil {
			return &InputError{err}
		}
	}
	if _, err := r.build(k); err != nil {
		return &InputError{err}
	}
	return nil
}

// doRuns does runs in parallel and returns what came of them, in order. Every
// run is checked before any begins.
func (c *cli) doRuns(ctx context.Context, runs []Run, f batchFlags) ([]*study.Outcome, error) {
	for _, r := range runs {
		if err := r.check(); err != nil {
			return nil, err
		}
	}
	jobs := make([]batched, len(runs))
	for i, r := range runs {
		var err error
		if jobs[i], err = r.job(); err != nil {
			return nil, err
		}
	}
	results, err := c.doJobs(ctx, jobs, f)
	if err != nil {
		return nil, err
	}
	outcomes := make([]*study.Outcome, len(runs))
	for i, r := range results {
		if outcomes[i], err = study.Decode(r.Value); err != nil {
			return nil, err
		}
	}
	return outcomes, nil
}

// doJobs does jobs in parallel with a live bar. Its error tells of all that
// failed; the results of the others are there all the same.
func (c *cli) doJobs(ctx context.Context, jobs []batched, f batchFlags) ([]batch.Result, error) {
	store, err := f.store()
	if err != nil {
		return nil, err
	}
	plain := make([]batch.Job, len(jobs))
	for i := range jobs {
		plain[i] = jobs[i].Job
	}
	live := newBatchProgress(c.terminal, jobs, f.workers())
	results := batch.Do(ctx, plain, batch.Options{
		Store: store, Workers: f.workers(), Memory: defaultMemory(),
		Begun: live.begun,
		Ended: func(i int, r *batch.Result) {
			live.ended(i, r.Kept)
			switch {
			case r.Err != nil:
			case r.Kept:
				c.log.Info().Msgf("kept: %s", jobs[i].name)
			default:
				c.log.Info().Msgf("done: %s", jobs[i].name)
				if r.Damaged {
					c.log.Warn().Msgf("done again, for the kept result was damaged: %s", jobs[i].name)
				}
			}
		},
	})
	live.stop()
	return results, batchError(ctx, jobs, results, store != nil)
}

// batchError tells of the jobs that failed, each message once.
func batchError(ctx context.Context, jobs []batched, results []batch.Result, kept bool) error {
	done := 0
	var faults []error
	seen := map[string]bool{}
	for i, r := range results {
		switch {
		case r.Err == nil:
			done++
		case errors.Is(r.Err, batch.ErrNotDone) || errors.Is(r.Err, ErrInterrupted):
		case errors.As(r.Err, new(*InputError)):
			if !seen[r.Err.Error()] {
				faults = append(faults, r.Err)
			}
			seen[r.Err.Error()] = true
		default:
			faults = append(faults, fmt.Errorf("%s: %w", jobs[i].name, r.Err))
		}
	}
	switch {
	case len(faults) > 0:
		return errors.Join(faults...)
	case done == len(jobs):
		return nil
	case ctx.Err() == nil:
		return fmt.Errorf("%d of %d runs are done", done, len(jobs))
	case kept:
		return fmt.Errorf("%w: %d of %d runs are done and kept; the same command goes on from there", ErrInterrupted, done, len(jobs))
	}
	return fmt.Errorf("%w: %d of %d runs were done", ErrInterrupted, done, len(jobs))
}
