package experiments

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"heddle/experiments/batch"
	"heddle/experiments/slurm"
	"heddle/experiments/study"
)

// onSlurm is the one kind of cluster.
const onSlurm = "slurm"

// cluster says how runs are handed to one.
type cluster struct {
	sbatch  string // more arguments
	retries int
	detach  bool
}

const mostRetries = 100

// check refuses flags that cannot be followed.
func (o *cluster) check(on string) error {
	switch {
	case on != "" && on != onSlurm:
		return unknown("cluster", on, []string{onSlurm})
	case o.retries < 0 || o.retries > mostRetries:
		return badInput("--retries %d: want 0 to %d", o.retries, mostRetries)
	case on == "" && (o.sbatch != "" || o.detach):
		return badInput("--sbatch and --detach are for --on %s", onSlurm)
	}
	return nil
}

// handedIn is a job array's file: what its tasks are. Everything that a task
// needs is in it, in the folder of results, and in what the runs name.
type handedIn struct {
	Results string    `json:"results"` // folder
	Tasks   []oneTask `json:"tasks"`
}

// oneTask is a run under the ID that it had when it was handed in.
type oneTask struct {
	ID  string `json:"id"`
	Run Run    `json:"run"`
}

// slurmDir holds the files of a study's arrays, NAME.json, NAME.sh and a log a
// task. An array is called NAME in Slurm, too, so that nothing but these files
// is needed to find it.
func (s *openStudy) slurmDir() string { return filepath.Join(s.dir, onSlurm) }

// array returns what an array was made of.
func (s *openStudy) array(name string) (*handedIn, error) {
	text, err := os.ReadFile(filepath.Join(s.slurmDir(), name+".json"))
	if err != nil {
		return nil, err
	}
	h := new(handedIn)
	if err := json.Unmarshal(text, h); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(s.slurmDir(), name+".json"), err)
	}
	return h, nil
}

// arrays returns the names of all arrays of s, the oldest first.
func (s *openStudy) arrays() []string {
	files, _ := filepath.Glob(filepath.Join(s.slurmDir(), "heddle-*.json")) // the pattern is well formed
	for i, f := range files {
		files[i] = strings.TrimSuffix(filepath.Base(f), ".json")
	}
	slices.SortFunc(files, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	return files
}

// submitted are the tasks of a study that Slurm was given: by ID, the last.
type submitted struct {
	names []string
	tasks map[string]slurm.Task
}

func (s *openStudy) submitted() (submitted, error) {
	all := submitted{s.arrays(), map[string]slurm.Task{}}
	for _, name := range all.names {
		h, err := s.array(name)
		if err != nil {
			return all, err
		}
		for i, t := range h.Tasks {
			all.tasks[t.ID] = slurm.Task{Array: name, Index: i}
		}
	}
	return all, nil
}

// queued returns the states of a study's runs that are in Slurm's queue, by ID.
func (s *openStudy) queued(ctx context.Context) (map[string]study.State, error) {
	all, err := s.submitted()
	if err != nil || len(all.names) == 0 {
		return nil, err
	}
	tasks, err := slurm.Queued(ctx, all.names)
	if err != nil {
		return nil, err
	}
	states := map[string]study.State{}
	for id, t := range all.tasks {
		switch state, there := tasks[t]; {
		case !there:
		case state == "RUNNING" || state == "COMPLETING":
			states[id] = study.Running
		default:
			states[id] = study.Queued
		}
	}
	return states, nil
}

// How a task's limits follow from its estimate. Arrays have one limit for all
// their tasks, so limits are rounded up to powers of two and runs of the same
// limits make an array.
const (
	memorySlack   = 1.5
	timeSlack     = 4
	leastTaskTime = 5 * time.Minute
	leastTaskMem  = 256 << 20
)

// limits are what a task may take.
type limits struct {
	memory int64
	time   time.Duration
}

// limitsOf returns those of a run that has been tried before.
func limitsOf(e estimate, tries int) limits {
	l := limits{leastTaskMem, leastTaskTime}
	for l.memory < int64(memorySlack*float64(e.memory)) {
		l.memory *= 2
	}
	for l.time < time.Duration(timeSlack*e.seconds*float64(time.Second)) {
		l.time *= 2
	}
	return limits{l.memory << min(tries, 8), l.time << min(tries, 8)}
}

// handIn gives runs to Slurm, each with the limits that its tries so far call
// for.
func (s *openStudy) handIn(ctx context.Context, runs []planned, tries map[string]int, o *cluster) error {
	if err := os.MkdirAll(s.slurmDir(), 0o777); err != nil {
		return err
	}
	var classes []limits
	of := map[limits][]planned{}
	for _, r := range runs {
		l := limitsOf(r.estimate, tries[r.id])
		if of[l] == nil {
			classes = append(classes, l)
		}
		of[l] = append(of[l], r)
	}
	largest := slurm.Largest(ctx)
	for _, l := range classes {
		for part := range slices.Chunk(of[l], largest) {
			if err := s.handInArray(ctx, part, l, o); err != nil {
				return err
			}
		}
	}
	return nil
}

// handInArray makes an array of runs. The files come first: an array that Slurm
// has is always known here, however this process ends.
func (s *openStudy) handInArray(ctx context.Context, runs []planned, l limits, o *cluster) error {
	folder, err := filepath.Abs(s.slurmDir())
	if err != nil {
		return err
	}
	results, err := filepath.Abs(s.store.Dir())
	if err != nil {
		return err
	}
	dir, err := os.Getwd() // the runs' files are relative to it
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	h := handedIn{Results: results}
	for _, r := range runs {
		h.Tasks = append(h.Tasks, oneTask{r.id, r.Run})
	}
	// Another study of this name may be in Slurm, so the folder is part of the
	// array's name.
	name := fmt.Sprintf("heddle-%s-%s-%d", s.Name, batch.ID([]byte(folder))[:8], len(s.arrays())+1)
	file := filepath.Join(folder, name+".json")
	script := filepath.Join(folder, name+".sh")
	if err := writeJSON(file, h); err != nil {
		return err
	}
	err = writeFile(script, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "#!/bin/sh\nexec %s study task %s \"$SLURM_ARRAY_TASK_ID\"\n", quoted(program), quoted(file))
		return err
	})
	if err != nil {
		return err
	}
	_, err = slurm.Submit(ctx, &slurm.Array{
		Name: name, Tasks: len(runs), Script: script, Dir: dir, Log: filepath.Join(folder, name+"-%a.log"),
		Memory: l.memory, Time: l.time, More: strings.Fields(o.sbatch),
	})
	if err != nil {
		_ = os.Remove(file)
		_ = os.Remove(script)
	}
	return err
}

// quoted writes text as one word of a shell.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
