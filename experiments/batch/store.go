package batch

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Store is a folder of results, a file each.
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

// ID returns the name under which results of a key are kept, without
// extension.
func ID(key []byte) string {
	sum := sha256.Sum256(key)
	return hex.EncodeToString(sum[:16])
}

func (s *Store) path(key []byte) string { return filepath.Join(s.dir, ID(key)+".json") }

// Get returns the result kept for a key. One that is no JSON any more, such as
// a file that was cut, is none.
func (s *Store) Get(key []byte) (json.RawMessage, bool) {
	text, err := os.ReadFile(s.path(key))
	if err != nil || !json.Valid(text) {
		return nil, false
	}
	return text, true
}

// Put keeps a result. Readers see it whole or not at all.
func (s *Store) Put(key []byte, value json.RawMessage) (err error) {
	f, err := os.CreateTemp(s.dir, unfinished)
	if err != nil {
		return fmt.Errorf("keeping a result: %w", err)
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
			err = fmt.Errorf("keeping a result: %w", err)
		}
	}()
	if _, err = f.Write(value); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), s.path(key))
}
