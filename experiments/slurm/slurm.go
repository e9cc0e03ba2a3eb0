// Package slurm hands job arrays to a Slurm cluster and asks how they are, by
// the commands that every Slurm has.
package slurm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// Array is a job array: the script is run for each index from 0.
type Array struct {
	Name   string // unique, so that the array can be found by it
	Tasks  int
	Script string
	Dir    string        // working directory of the tasks
	Log    string        // %a stands for the index
	Memory int64         // bytes, of a task
	Time   time.Duration // limit of a task
	More   []string      // arguments for sbatch
}

// arguments are sbatch's, but for the script.
func (a *Array) arguments() []string {
	const mebibyte = 1 << 20
	minutes := (a.Time + time.Minute - 1) / time.Minute
	args := []string{
		"--parsable",
		"--job-name=" + a.Name,
		fmt.Sprintf("--array=0-%d", a.Tasks-1),
		"--ntasks=1", "--cpus-per-task=1",
		fmt.Sprintf("--mem=%dM", (a.Memory+mebibyte-1)/mebibyte),
		fmt.Sprintf("--time=%d", max(minutes, 1)),
		"--chdir=" + a.Dir,
		"--output=" + a.Log,
		"--open-mode=append",
	}
	return append(args, a.More...)
}

// Submit hands a in and returns the job's number.
func Submit(ctx context.Context, a *Array) (job string, err error) {
	out, err := call(ctx, "sbatch", append(a.arguments(), a.Script)...)
	if err != nil {
		return "", err
	}
	job, _, _ = strings.Cut(strings.TrimSpace(out), ";") // a federation adds its cluster's name
	if _, err := strconv.Atoi(job); err != nil {
		return "", fmt.Errorf("sbatch: no job number in %q", out)
	}
	return job, nil
}

// Task is a task of an array: the array's name, and the index.
type Task struct {
	Array string
	Index int
}

// Queued returns the state, such as PENDING or RUNNING, of every task of the
// user in the queue, of the given arrays. Tasks that have ended are not in it,
// nor are those of arrays that Slurm has forgotten.
func Queued(ctx context.Context, arrays []string) (map[Task]string, error) {
	if len(arrays) == 0 {
		return nil, nil
	}
	out, err := call(ctx, "squeue", "--noheader", "--array", "--name="+strings.Join(arrays, ","), "--format=%j|%K|%T")
	if err != nil {
		return nil, err
	}
	tasks := map[Task]string{}
	for line := range strings.Lines(out) {
		fields := strings.Split(strings.TrimSpace(line), "|")
		if len(fields) != 3 {
			continue
		}
		i, err := strconv.Atoi(fields[1])
		if err != nil || ended(fields[2]) {
			continue
		}
		tasks[Task{fields[0], i}] = fields[2]
	}
	return tasks, nil
}

// ended says whether a task in a state, as squeue and sacct have them, will do
// no more.
func ended(state string) bool {
	switch word, _, _ := strings.Cut(state, " "); strings.TrimSuffix(word, "+") {
	case "PENDING", "CONFIGURING", "RUNNING", "COMPLETING", "SUSPENDED", "STOPPED", "SIGNALING", "STAGE_OUT",
		"REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "SPECIAL_EXIT", "RESIZING", "RESV_DEL_HOLD":
		return false
	}
	return true
}

// Ended returns how each task of arrays ended that has, such as FAILED or
// OUT_OF_MEMORY with its exit code, as the cluster's accounting tells. Clusters
// without accounting are an error.
func Ended(ctx context.Context, arrays []string) (map[Task]string, error) {
	if len(arrays) == 0 {
		return nil, nil
	}
	// Without a start sacct tells of today alone.
	out, err := call(ctx, "sacct", "--noheader", "--parsable2", "--allocations", "--starttime=1970-01-01",
		"--name="+strings.Join(arrays, ","), "--format=JobName,JobID,State,ExitCode")
	if err != nil {
		return nil, err
	}
	tasks := map[Task]string{}
	for line := range strings.Lines(out) {
		fields := strings.Split(strings.TrimSpace(line), "|")
		if len(fields) != 4 {
			continue
		}
		_, index, _ := strings.Cut(fields[1], "_")
		i, err := strconv.Atoi(index)
		if err != nil || !ended(fields[2]) {
			continue
		}
		tasks[Task{fields[0], i}] = fields[2] + ", exit code " + fields[3]
	}
	return tasks, nil
}

// Largest returns the most tasks that an array may have.
func Largest(ctx context.Context) int {
	const usual = 1001 // MaxArraySize if slurm.conf says nothing
	most := usual
	out, err := call(ctx, "scontrol", "show", "config")
	if err != nil {
		return most - 1
	}
	for line := range strings.Lines(out) {
		name, value, _ := strings.Cut(line, "=")
		if strings.TrimSpace(name) == "MaxArraySize" {
			if n, err := strconv.Atoi(strings.TrimSpace(value)); err == nil && n > 1 {
				most = n
			}
		}
	}
	return most - 1
}

// call runs one of Slurm's commands; its error is what the command says.
func call(ctx context.Context, name string, args ...string) (string, error) {
	const patience = time.Minute
	ctx, end := context.WithTimeout(ctx, patience)
	defer end()
	cmd := exec.CommandContext(ctx, name, args...)
	var out, fault bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &fault
	err := cmd.Run()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("%s: no such command: is Slurm installed here?", name)
	case ctx.Err() != nil && err != nil:
		return "", fmt.Errorf("%s: %w", name, context.Cause(ctx))
	case err != nil:
		first, _, _ := strings.Cut(strings.TrimSpace(fault.String()), "\n")
		if first == "" {
			first = err.Error()
		}
		return "", fmt.Errorf("%s: %s", name, strings.TrimPrefix(first, name+": "))
	}
	return out.String(), nil
}
