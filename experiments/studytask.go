package experiments

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"heddle/experiments/batch"
)

// studyTaskCommand is what a cluster runs; it is not for people.
func (c *cli) studyTaskCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "task FILE INDEX",
		Short:  "Do one run of an array that a study handed to a cluster",
		Hidden: true,
		Args:   arguments(2, 2),
		RunE:   func(cmd *cobra.Command, args []string) error { return c.studyTask(cmd.Context(), args[0], args[1]) },
	}
}

// studyTask does a task of an array and keeps its result, or why it failed.
func (c *cli) studyTask(ctx context.Context, file, index string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return &InputError{err}
	}
	var h handedIn
	if err := json.Unmarshal(text, &h); err != nil {
		return badInput("%s: %w", file, err)
	}
	i, err := strconv.Atoi(index)
	if err != nil || i < 0 || i >= len(h.Tasks) {
		return badInput("task %q: want 0 to %d", index, len(h.Tasks)-1)
	}
	store, err := batch.OpenStore(h.Results)
	if err != nil {
		return err
	}
	t := h.Tasks[i]
	if store.Has(t.ID) {
		return nil
	}
	key, err := t.Run.key()
	if err == nil && batch.ID(key) != t.ID {
		err = errors.New("the program or one of the run's files has changed since it was handed in")
	}
	if err == nil {
		job := t.Run.jobOf(t.ID, 1, 0)
		// The array's limits are the bound of memory.
		r := batch.Do(ctx, []batch.Job{job.Job}, batch.Options{Store: store, Workers: 1, Forget: true})[0]
		err = r.Err
	}
	if err == nil || errors.Is(err, ErrInterrupted) || errors.Is(err, batch.ErrNotDone) {
		return err // an interrupted task is handed in again
	}
	return errors.Join(fmt.Errorf("%s: %w", t.Run, err), store.Fail(t.ID, batch.Failure{Job: t.Run.String(), Reason: err.Error()}))
}
