// Package batch does many jobs in parallel and keeps each result under a hash
// of all that it depends on: the same jobs again, after an interruption or in
// another study, are answered from what is kept.
package batch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"

	"golang.org/x/sync/semaphore"
)

// Job is work whose result is one JSON object.
type Job struct {
	ID     string  // of all that the result depends on; jobs of one ID are done once
	Cost   float64 // in any unit: the dearest job begins first
	Memory int64   // bytes that it takes, about
	// Do does the work. It ends early, with an error, when ctx does.
	Do func(ctx context.Context) (json.RawMessage, error)
}

// Result is what came of a job.
type Result struct {
	Value json.RawMessage // nil after an error
	Kept  bool            // it was there before
	// Damaged says that one was kept and could not be used.
	Damaged bool
	Err     error
}

// Options say how to do jobs. The zero value does them all anew, on all
// processors.
type Options struct {
	Store   *Store // nil: no result is kept
	Workers int    // jobs at a time; 0: as many as processors
	Memory  int64  // bytes for all jobs at a time; 0: no bound. A job that needs more than all of it runs alone.
	// Begun, if set, is told of each job that is done, by its index, and who
	// does it: a number below Workers. Ended is told of those that were kept,
	// too. Calls never overlap.
	Begun func(i, worker int)
	Ended func(i int, r *Result)
	// Forget drops the values of results once Ended has seen them.
	Forget bool
}

// ErrNotDone is the result of jobs that had not begun when the context ended.
var ErrNotDone = errors.New("not done")

// Do does the jobs and returns their results in the same order. A job that
// fails does not keep the others from being done.
func Do(ctx context.Context, jobs []Job, o Options) []Result {
	b := batch{Options: o, jobs: jobs, results: make([]Result, len(jobs))}
	if b.Workers <= 0 {
		b.Workers = runtime.GOMAXPROCS(0)
	}
	if b.Memory > 0 {
		b.free = semaphore.NewWeighted(b.Memory)
	}
	groups := b.groups()
	queue := make(chan []int)
	var workers sync.WaitGroup
	for worker := range min(b.Workers, len(groups)) {
		workers.Go(func() {
			for g := range queue {
				b.do(ctx, g, worker)
			}
		})
	}
	for _, g := range groups {
		queue <- g
	}
	close(queue)
	workers.Wait()
	return b.results
}

type batch struct {
	Options
	jobs    []Job
	results []Result
	free    *semaphore.Weighted // memory
	mu      sync.Mutex          // held to call Begun and Ended
}

// groups returns the indices of jobs of each ID, the dearest first.
func (b *batch) groups() [][]int {
	at := map[string]int{} // index in groups
	var groups [][]int
	for i := range b.jobs {
		id := b.jobs[i].ID
		if g, ok := at[id]; ok {
			groups[g] = append(groups[g], i)
			continue
		}
		at[id] = len(groups)
		groups = append(groups, []int{i})
	}
	slices.SortStableFunc(groups, func(x, y []int) int { return cmp.Compare(b.jobs[y[0]].Cost, b.jobs[x[0]].Cost) })
	return groups
}

// do does the first of jobs of one ID and gives its result to all.
func (b *batch) do(ctx context.Context, group []int, worker int) {
	r := b.result(ctx, group[0], worker)
	for _, same := range group {
		if b.Ended != nil {
			b.mu.Lock()
			b.Ended(same, &r)
			b.mu.Unlock()
		}
	}
	if b.Forget {
		r.Value = nil
	}
	for _, same := range group {
		b.results[same] = r
	}
}

func (b *batch) result(ctx context.Context, i, worker int) Result {
	job := &b.jobs[i]
	damaged := false
	if b.Store != nil {
		value, err := b.Store.Get(job.ID)
		if err == nil {
			return Result{Value: value, Kept: true}
		}
		damaged = errors.Is(err, ErrDamaged)
	}
	if b.free != nil {
		need := min(max(job.Memory, 0), b.Memory)
		if b.free.Acquire(ctx, need) != nil {
			return Result{Err: ErrNotDone}
		}
		defer b.free.Release(need)
	}
	if ctx.Err() != nil {
		return Result{Err: ErrNotDone}
	}
	if b.Begun != nil {
		b.mu.Lock()
		b.Begun(i, worker)
		b.mu.Unlock()
	}
	value, err := job.do(ctx)
	if err == nil && !isObject(value) {
		err = fmt.Errorf("a job's result is %w: %.40q", errNoObject, value)
	}
	if err != nil {
		return Result{Err: err}
	}
	if b.Store != nil {
		if err := b.Store.Put(job.ID, value); err != nil {
			return Result{Value: value, Err: err}
		}
	}
	return Result{Value: value, Damaged: damaged}
}

// do does the job; its panic is its failure, and no other job's.
func (j *Job) do(ctx context.Context) (value json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return j.Do(ctx)
}
