package batch

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Store is a folder of results, a file each: a JSON object whose last member is a
// checksum of the rest.
type Store struct{ dir string }

// unfinished matches the files of results that are being written.
const unfinished = ".*.tmp"

// abandoned is how old an unfinished file is that nobody will finish.
const abandoned = time.Hour

// OpenStore returns the store in dir, which is made if there is none.
func OpenStore(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	left, _ := filepath.Glob(filepath.Join(dir, unfinished)) // the pattern is well formed
	for _, path := range left {
		if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > abandoned {
			_ = os.Remove(path)
		}
	}
	return &Store{dir}, nil
}

// ID returns the name under which the result of a key is kept: a hash of all
// that the result depends on.
func ID(key []byte) string {
	sum := sha256.Sum256(key)
	return hex.EncodeToString(sum[:16])
}

func (s *Store) path(id string) string { return filepath.Join(s.dir, id+resultSuffix) }

func (s *Store) failurePath(id string) string { return filepath.Join(s.dir, id+failureSuffix) }

// Endings of the names of files.
const (
	resultSuffix  = ".json"
	failureSuffix = ".failed.json"
)

// Dir returns the store's folder.
func (s *Store) Dir() string { return s.dir }

// Why there is no result under an id.
var (
	ErrNone    = errors.New("no result is kept")
	ErrDamaged = errors.New("a kept result is damaged")
)

// Get returns the result kept under id, as it was put there. The error is
// ErrNone, or ErrDamaged if the file is not what was written.
func (s *Store) Get(id string) (json.RawMessage, error) {
	text, err := os.ReadFile(s.path(id))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, ErrNone
	case err != nil:
		return nil, ErrDamaged
	}
	return unsealed(text)
}

// Has says whether a whole result is kept under id.
func (s *Store) Has(id string) bool {
	_, err := s.Get(id)
	return err == nil
}

// IDs returns the ids of all results, sorted.
func (s *Store) IDs() ([]string, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), resultSuffix)
		if ok && !strings.HasPrefix(id, ".") && !strings.HasSuffix(e.Name(), failureSuffix) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// Put keeps a result, a JSON object. Readers see it whole or not at all.
func (s *Store) Put(id string, value json.RawMessage) error {
	if !isObject(value) {
		return fmt.Errorf("keeping a result: %w", errNoObject)
	}
	if err := s.write(s.path(id), sealed(value)); err != nil {
		return fmt.Errorf("keeping a result: %w", err)
	}
	return nil
}

// Failure is the record of a job that failed.
type Failure struct {
	Job    string `json:"job"` // for people
	Reason string `json:"reason"`
}

// Fail keeps why a job failed.
func (s *Store) Fail(id string, f Failure) error {
	text, err := json.Marshal(f)
	if err == nil {
		err = s.write(s.failurePath(id), text)
	}
	if err != nil {
		return fmt.Errorf("keeping why %s failed: %w", f.Job, err)
	}
	return nil
}

// Failure returns the record kept under id. A job that has a result has not
// failed.
func (s *Store) Failure(id string) (Failure, bool) {
	var f Failure
	text, err := os.ReadFile(s.failurePath(id))
	if err != nil || json.Unmarshal(text, &f) != nil || s.Has(id) {
		return Failure{}, false
	}
	return f, true
}

// Forgive removes the record that a job failed.
func (s *Store) Forgive(id string) error {
	if err := os.Remove(s.failurePath(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// write writes a file that is there whole or not at all, whatever happens to
// the process or the computer.
func (s *Store) write(path string, text []byte) (err error) {
	f, err := os.CreateTemp(s.dir, unfinished)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(text); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Chmod(0o644); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
