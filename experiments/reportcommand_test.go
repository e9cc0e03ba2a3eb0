package experiments

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A page about results appears complete or not at all.
func TestReportCommand(t *testing.T) {
	path, _ := outcomeOf(t, "bfs/level", "--graph", "rmat-g:7")
	out := filepath.Join(t.TempDir(), "run.html")
	if status, stdout, stderr := heddle(t, "report", path, path, "-o", out); status != exitVerified || stdout+stderr != "" {
		t.Fatalf("status %d, %q %q", status, stdout, stderr)
	}
	page, err := os.ReadFile(out)
	if err != nil || !strings.Contains(string(page), "2 runs side by side") {
		t.Errorf("%d bytes, %v", len(page), err)
	}
	bad := filepath.Join(t.TempDir(), "bad.json")
	if err := os.WriteFile(bad, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	none := filepath.Join(t.TempDir(), "none.html")
	for _, args := range [][]string{{path, bad, "-o", none}, {path}, {"-o", none}, {path, "-o", filepath.Dir(none)}} {
		status, _, stderr := heddle(t, append([]string{"report"}, args...)...)
		if status != exitBadInput || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%q: status %d, %q", args, status, stderr)
		}
	}
	if _, err := os.Stat(none); err == nil {
		t.Error("a page of a bad result was written")
	}
}

// A server tells where it is, answers, and ends cleanly with its context.
func TestServeCommand(t *testing.T) {
	path, _ := outcomeOf(t, "bfs/level", "--graph", "rmat-g:7")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	told, stderr := io.Pipe()
	status := make(chan int)
	go func() {
		status <- Main(ctx, []string{"serve", filepath.Dir(path), "--addr", "127.0.0.1:0"}, io.Discard, stderr)
	}()
	line := make([]byte, 4096)
	n, err := told.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	address := regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(string(line[:n]))
	r, err := http.Get(address + "/report?run=run.json")
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if r.StatusCode != http.StatusOK {
		t.Errorf("%s", r.Status)
	}
	cancel()
	go io.Copy(io.Discard, told)
	select {
	case got := <-status:
		if got != exitVerified {
			t.Errorf("status %d", got)
		}
	case <-time.After(20 * time.Second):
		t.Error("it does not end")
	}
	for _, args := range [][]string{{"no/such/folder"}, {filepath.Dir(path), "--addr", "nowhere"}, {path}} {
		if got, _, text := heddle(t, append([]string{"serve"}, args...)...); got != exitBadInput || strings.Count(text, "\n") != 1 {
			t.Errorf("%q: status %d, %q", args, got, text)
		}
	}
}
