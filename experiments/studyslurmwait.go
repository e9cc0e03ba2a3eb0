package experiments

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"heddle/experiments/batch"
	"heddle/experiments/catalog"
	"heddle/experiments/slurm"
)

// How often Slurm is asked, and how many answers in a row may fail.
const (
	firstPoll   = 500 * time.Millisecond
	lastPoll    = 15 * time.Second
	mostSilence = 10
)

// studyOnSlurm hands what is left to Slurm and waits until all has ended.
func (c *cli) studyOnSlurm(ctx context.Context, s *openStudy, p *plan, list *catalog.Catalog, o *cluster) error {
	w := slurmWait{cli: c, openStudy: s, cluster: o, left: map[string]planned{}, mine: map[string]bool{}, tries: map[string]int{}, gone: map[string]bool{}}
	var jobs []batched
	for _, r := range p.left {
		w.left[r.id] = r
		w.order = append(w.order, r.id)
		jobs = append(jobs, r.jobOf(r.id, r.seconds, r.memory))
	}
	w.live = newBatchProgress(c.terminal, jobs, 0)
	defer w.live.stop()
	silence, pause := 0, firstPoll
	for len(w.left) > 0 {
		err := w.round(ctx)
		switch {
		case ctx.Err() != nil || err == nil:
			silence = 0
		case errors.As(err, new(*refusedBySlurm)) || silence == mostSilence:
			return fmt.Errorf("%w; tasks handed in before go on, and the same command waits for them", err)
		default:
			silence++
			c.log.Warn().Msg(err.Error())
		}
		if err := list.Sync(context.WithoutCancel(ctx), s.store); err != nil {
			return err
		}
		if o.detach && err == nil {
			c.println(fmt.Sprintf("%s runs are in Slurm's hands; heddle study status tells how far they are", count(len(w.left))))
			return nil
		}
		if len(w.left) == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %s of %s runs are in Slurm's hands; the same command waits for them", ErrInterrupted, count(len(w.left)), count(len(p.left)))
		case <-time.After(pause):
		}
		pause = min(pause*3/2, lastPoll)
	}
	return nil
}

// refusedBySlurm is that sbatch takes no tasks.
type refusedBySlurm struct{ error }

// slurmWait waits for runs that Slurm does.
type slurmWait struct {
	*cli
	*openStudy
	*cluster
	live    *batchProgress
	order   []string           // ids, in the order of the plan
	left    map[string]planned // not ended yet, by id
	mine    map[string]bool    // handed in by this process, or seen in the queue by it
	gone    map[string]bool    // in no queue and without a result the last time
	tries   map[string]int     // how often each has ended with nothing
	unknown bool               // sacct tells nothing
}

// round looks once at what has ended, and hands in what must be. A task that is
// in no queue any more has until the next round to show its result: it may be on
// its way through a network's file system.
func (w *slurmWait) round(ctx context.Context) error {
	all, err := w.submitted()
	if err != nil {
		return err
	}
	queue, err := slurm.Queued(ctx, all.names)
	if err != nil {
		return err
	}
	var in, lost []planned
	for i, id := range w.order {
		r, waiting := w.left[id]
		if !waiting {
			continue
		}
		task, known := all.tasks[id]
		_, active := queue[task]
		_, failed := w.store.Failure(id)
		switch {
		case w.store.Has(id) || failed:
			delete(w.left, id)
			w.live.ended(i, false)
		case known && active:
			w.mine[id] = true
			delete(w.gone, id)
		case !w.mine[id]:
			in = append(in, r)
		case !w.gone[id]:
			w.gone[id] = true
		default:
			lost = append(lost, r)
		}
	}
	again, err := w.lose(ctx, lost, all)
	if err != nil {
		return err
	}
	if in = append(in, again...); len(in) == 0 {
		return nil
	}
	if err := w.handIn(ctx, in, w.tries, w.cluster); err != nil {
		return &refusedBySlurm{err}
	}
	for _, r := range in {
		w.mine[r.id] = true
		delete(w.gone, r.id)
	}
	return nil
}

// lose counts a try of runs whose tasks have ended with nothing, and returns
// those that may be tried again. The others have failed.
func (w *slurmWait) lose(ctx context.Context, lost []planned, all submitted) (again []planned, err error) {
	if len(lost) == 0 {
		return nil, nil
	}
	ends := w.ends(ctx, all)
	for _, r := range lost {
		w.tries[r.id]++
		task := all.tasks[r.id]
		why := ends[task]
		if why == "" {
			why = w.lastWords(task)
		}
		w.log.Warn().Msgf("%s: its task ended without a result: %s", r.name, why)
		if w.tries[r.id] <= w.retries {
			again = append(again, r)
			continue
		}
		reason := fmt.Sprintf("its task ended without a result, %d times: %s", w.tries[r.id], why)
		if err := w.store.Fail(r.id, batch.Failure{Job: r.Run.String(), Reason: reason}); err != nil {
			return nil, err
		}
	}
	return again, nil
}

// ends returns how tasks ended, nothing where the cluster keeps no account.
func (w *slurmWait) ends(ctx context.Context, all submitted) map[slurm.Task]string {
	if w.unknown {
		return nil
	}
	ends, err := slurm.Ended(ctx, all.names)
	if err != nil {
		w.unknown = true
		w.log.Info().Msgf("%v: going by squeue and the tasks' files alone", err)
	}
	return ends
}

// lastWords returns the last line of a task's log.
func (w *slurmWait) lastWords(t slurm.Task) string {
	path := filepath.Join(w.slurmDir(), fmt.Sprintf("%s-%d.log", t.Array, t.Index))
	text, err := os.ReadFile(path)
	if text = bytes.TrimSpace(text); err != nil || len(text) == 0 {
		return "it left no word in " + path
	}
	return string(text[bytes.LastIndexByte(text, '\n')+1:])
}
