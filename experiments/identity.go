package experiments

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sync"
)

// version returns the revision that the running program was built from, with a
// plus sign if files had been changed, or the hash of its file where the build
// does not tell.
func version() string {
	revision, changed := "", ""
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = new(debug.BuildInfo)
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "+"
		}
	}
	if revision == "" {
		hash, _ := executable() // without it there is nothing to tell
		return "build-" + hash[:min(12, len(hash))]
	}
	return revision[:min(12, len(revision))] + changed
}

// executable returns a hash of the running program's file: whatever a model or
// a kernel computes, the same file computes it again.
var executable = sync.OnceValues(func() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	return fileHash(path)
})

// fileHash returns the SHA-256 of a file's contents.
func fileHash(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
