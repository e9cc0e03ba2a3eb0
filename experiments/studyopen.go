package experiments

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/spf13/cobra"

	"heddle/experiments/batch"
	"heddle/experiments/studies"
	"heddle/experiments/study"
	"heddle/models"
)

// studyFlags say which study, and where it keeps things.
type studyFlags struct {
	batchFlags
	out        string
	parameters []string
}

func (f *studyFlags) add(cmd *cobra.Command) {
	f.addResults(cmd)
	cmd.Flags().StringVarP(&f.out, "out", "o", "", "`DIR` of the study's plots and state; without it the file's name without .yaml")
	cmd.Flags().StringArrayVar(&f.parameters, "param", nil, "replace a parameter of the file, `NAME=VALUE`; may be repeated")
}

// readStudy reads a study's file, or one that comes with Heddle.
func readStudy(name string, parameters []string) (*study.Study, error) {
	if !models.IsPath(name) {
		s, err := studies.Read(name, parameters...)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, unknown("study", name, studies.Names())
		case err != nil:
			return nil, &InputError{err}
		}
		return s, nil
	}
	s, err := study.ReadFile(name, parameters...)
	if err != nil {
		return nil, &InputError{err}
	}
	return s, nil
}

// openStudy is a study whose runs are known to be possible.
type openStudy struct {
	*study.Study
	store *batch.Store
	dir   string // of plots and state
	runs  []Run  // parallel to Points, as are the ids of their results and
	ids   []string
	// what their machines run at once
	contexts []int
	seeds    int
}

// open reads a study and looks up its runs.
func (f *studyFlags) open(name string) (*openStudy, error) {
	read, err := readStudy(name, f.parameters)
	if err != nil {
		return nil, err
	}
	contexts, err := validateStudy(read)
	if err != nil {
		return nil, err
	}
	s := &openStudy{Study: read, contexts: contexts, dir: f.out, seeds: seedsOf(read)}
	if s.dir == "" {
		s.dir = strings.TrimSuffix(read.File, ".yaml")
		if s.dir == read.File {
			s.dir += ".study"
		}
	}
	if s.store, err = f.store(); err != nil {
		return nil, err
	}
	for i := range read.Points {
		r := runOf(read.Points[i].Case)
		key, err := r.key()
		if err != nil {
			return nil, err
		}
		s.runs, s.ids = append(s.runs, r), append(s.ids, batch.ID(key))
	}
	return s, nil
}

// Files in a study's folder.
const (
	lockFile    = ".lock"
	runningFile = ".running.json"
)

// inFlight are the runs that a process does for a study.
type inFlight struct {
	Process int      `json:"process"`
	Host    string   `json:"host"`
	Runs    []string `json:"runs"` // ids
}

// lock makes this process the one that runs s. A lock ends with its process,
// however that ends.
func (s *openStudy) lock() (unlock func(), err error) {
	if err := os.MkdirAll(s.dir, 0o777); err != nil {
		return nil, badInput("--out: %w", err)
	}
	lock := flock.New(filepath.Join(s.dir, lockFile))
	// Whoever asks for the status holds the lock for a moment.
	patience, enough := context.WithTimeout(context.Background(), time.Second)
	defer enough()
	mine, err := lock.TryLockContext(patience, 20*time.Millisecond)
	switch {
	case err != nil && patience.Err() == nil:
		return nil, badInput("--out: %w", err)
	case !mine:
		return nil, badInput("study %s is being run in %s already; heddle study status tells how far it is", s.Name, s.dir)
	}
	return func() {
		_ = os.Remove(filepath.Join(s.dir, runningFile)) // it need not be there
		_ = lock.Unlock()
	}, nil
}

// setRunning writes down which runs are in flight.
func (s *openStudy) setRunning(ids []string) error {
	host, _ := os.Hostname() // for people only
	return writeJSON(filepath.Join(s.dir, runningFile), inFlight{os.Getpid(), host, ids})
}

// running returns what another process does for s, nothing if there is none.
func (s *openStudy) running() (inFlight, bool) {
	lock := flock.New(filepath.Join(s.dir, lockFile))
	if _, err := os.Stat(lock.Path()); err != nil {
		return inFlight{}, false
	}
	if free, err := lock.TryRLock(); err != nil || free {
		_ = lock.Unlock()
		return inFlight{}, false
	}
	var f inFlight
	text, err := os.ReadFile(filepath.Join(s.dir, runningFile))
	return f, err == nil && json.Unmarshal(text, &f) == nil
}

// mostDamaged is how many damaged results are named.
const mostDamaged = 3

// kept returns which results of s are there, by id, and the ids of those that
// are damaged.
func (s *openStudy) kept() (kept map[string]bool, damaged []string) {
	kept = map[string]bool{}
	for _, id := range s.ids {
		if _, seen := kept[id]; seen {
			continue
		}
		_, err := s.store.Get(id)
		kept[id] = err == nil
		if errors.Is(err, batch.ErrDamaged) {
			damaged = append(damaged, id)
		}
	}
	return kept, damaged
}

// kept returns which results of a study are there, by id, and tells in a line of
// those that are damaged.
func (c *cli) kept(s *openStudy) map[string]bool {
	kept, damaged := s.kept()
	if n := len(damaged); n > 0 {
		names := strings.Join(damaged[:min(n, mostDamaged)], ", ")
		if n > mostDamaged {
			names += fmt.Sprintf(" and %s more", count(n-mostDamaged))
		}
		c.log.Warn().Msgf("damaged results in %s, which count as not done: %s", s.store.Dir(), names)
	}
	return kept
}

// states returns how far each point's run is: kept are the results that are
// there, and queued is what a cluster has, by id.
func (s *openStudy) states(kept map[string]bool, queued map[string]study.State) []study.State {
	states := make([]study.State, len(s.ids))
	now, _ := s.running()
	for i, id := range s.ids {
		_, failed := s.store.Failure(id)
		switch {
		case kept[id]:
			states[i] = study.Done
		case slices.Contains(now.Runs, id):
			states[i] = study.Running
		case queued[id] != "":
			states[i] = queued[id]
		case failed:
			states[i] = study.Failed
		default:
			states[i] = study.Left
		}
	}
	return states
}
