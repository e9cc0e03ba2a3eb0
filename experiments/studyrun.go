package experiments

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"heddle/experiments/batch"
	"heddle/experiments/catalog"
	"heddle/experiments/study"
	"heddle/models"
	"heddle/sim"
)

// studyRun is what heddle study run was asked for.
type studyRun struct {
	studyFlags
	memory string // as written
	retry  bool
	dryRun bool
	on     string
	cluster
}

// budget returns the memory, in bytes, that runs at a time may take.
func (o *studyRun) budget() (int64, error) {
	if o.memory == "" {
		return defaultMemory(), nil
	}
	b, err := models.Parse[sim.Bytes](o.memory)
	if err != nil {
		return 0, badInput("--memory %s: %w", o.memory, err)
	}
	if b < leastMemory {
		return 0, badInput("--memory %s: want at least %s", o.memory, size(leastMemory))
	}
	return int64(b), nil
}

// leastMemory is the smallest --memory.
const leastMemory = 64 << 20

// studyRun does what is left of a study.
func (c *cli) studyRun(ctx context.Context, name string, o *studyRun) error {
	memory, err := o.budget()
	if err != nil {
		return err
	}
	if err := o.check(o.on); err != nil {
		return err
	}
	s, err := o.open(name)
	if err != nil {
		return err
	}
	kept := c.kept(s)
	sizes, err := readGraphs(s.Study, func(i int) bool { return !kept[s.ids[i]] })
	if err != nil {
		return err
	}
	list, err := catalog.Open(ctx, s.store)
	if err != nil {
		return err
	}
	defer func() { _ = list.Close() }()
	samples, err := list.Samples(ctx)
	if err != nil {
		return err
	}
	p := s.makePlan(samples, sizes, kept, o.retry)
	c.println(p.lines(s, o.workers(), memory)...)
	if o.dryRun {
		return nil
	}
	if err := c.stdout.Flush(); err != nil {
		return err
	}
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer unlock()
	if o.retry {
		for _, r := range p.left {
			if err := s.store.Forgive(r.id); err != nil {
				return err
			}
		}
	}
	if o.on == onSlurm {
		err = c.studyOnSlurm(ctx, s, p, list, &o.cluster)
	} else {
		err = c.studyHere(ctx, s, p, list, o.workers(), memory)
	}
	if err != nil {
		return err
	}
	return s.failures()
}

// studyHere does the runs of a plan in this process.
func (c *cli) studyHere(ctx context.Context, s *openStudy, p *plan, list *catalog.Catalog, workers int, memory int64) error {
	jobs := make([]batched, len(p.left))
	plain := make([]batch.Job, len(p.left))
	for i, r := range p.left {
		jobs[i] = r.jobOf(r.id, r.seconds, r.memory)
		jobs[i].name, jobs[i].live.expect = r.name, r.instructions
		plain[i] = jobs[i].Job
	}
	// The garbage collector works harder rather than let all runs together take
	// more.
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(memory))
	var flying []string // ids
	var fault error     // of writing down what happens
	note := func(err error) {
		if err != nil && fault == nil {
			fault = err
		}
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	live := newBatchProgress(c.terminal, jobs, workers)
	results := batch.Do(ctx, plain, batch.Options{
		Store: s.store, Workers: workers, Memory: memory, Forget: true,
		Begun: func(i, worker int) {
			live.begun(i, worker)
			flying = append(flying, p.left[i].id)
			note(s.setRunning(flying))
		},
		Ended: func(i int, r *batch.Result) {
			live.ended(i, r.Kept)
			flying = slices.DeleteFunc(flying, func(id string) bool { return id == p.left[i].id })
			note(s.setRunning(flying))
			note(c.ended(context.WithoutCancel(ctx), s, list, &p.left[i], r))
			if fault != nil {
				end()
			}
		},
	})
	live.stop()
	if fault != nil {
		return fault
	}
	done := 0
	for _, r := range results {
		if r.Err == nil {
			done++
		}
	}
	if ctx.Err() != nil {
		return fmt.Errorf("%w: %s of %s runs were done now and are kept; the same command goes on from there", ErrInterrupted, count(done), count(len(p.left)))
	}
	return nil
}

// ended writes down what came of a run.
func (c *cli) ended(ctx context.Context, s *openStudy, list *catalog.Catalog, p *planned, r *batch.Result) error {
	switch {
	case errors.Is(r.Err, batch.ErrNotDone) || errors.Is(r.Err, ErrInterrupted):
		return nil
	case r.Err != nil && r.Value != nil:
		return r.Err // done, but not kept
	case r.Err != nil:
		c.log.Info().Msgf("failed: %s", p.name)
		return s.store.Fail(p.id, batch.Failure{Job: p.Run.String(), Reason: r.Err.Error()})
	}
	c.log.Info().Msgf("done: %s", p.name)
	o, err := study.Decode(r.Value)
	if err != nil {
		return err
	}
	return list.Add(ctx, p.id, o)
}

// failures returns an error that tells of the study's runs that failed, nil if
// none did.
func (s *openStudy) failures() error {
	var lines []string
	seen := map[string]bool{}
	for i, id := range s.ids {
		if f, failed := s.store.Failure(id); failed && !seen[id] {
			first, _, _ := strings.Cut(f.Reason, "\n")
			lines = append(lines, fmt.Sprintf("  %s: %s", s.pointName(i, true), first))
		}
		seen[id] = true
	}
	if len(lines) == 0 {
		return nil
	}
	return fmt.Errorf("%s runs of study %s failed; --retry does them again\n%s", count(len(lines)), s.Name, strings.Join(lines, "\n"))
}
