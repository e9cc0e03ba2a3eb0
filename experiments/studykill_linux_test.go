package experiments

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// asCommand makes the processes that a test starts from its own program be the
// command, and returns the program's path.
func asCommand(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(commandLineVariable, "1")
	return path
}

// A study that is killed at any moment, again and again, loses nothing but the
// runs in flight and ends with the bytes of one that was left alone.
func TestKilledStudy(t *testing.T) {
	heddle := asCommand(t)
	studying(t)
	writeStudy(t, "s.yaml", strings.NewReplacer("seeds: [1, 2]", "seeds: [1, 2, 3, 4, 5]", "scale: 9", "scale: 10").Replace(smallStudy))
	run := func(more ...string) *exec.Cmd {
		return exec.Command(heddle, append([]string{"study", "run", "s.yaml", "--jobs", "2", "--results", "killed"}, more...)...)
	}
	const kills, runs = 6, 20
	random := rand.New(rand.NewPCG(1, 2))
	kept := map[string]time.Time{} // finished results and when they were written
	killed := 0
	for range kills {
		cmd := run()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		select {
		case err := <-ended:
			if err != nil {
				t.Fatal(err)
			}
		case <-time.After(time.Duration(100+random.IntN(400)) * time.Millisecond):
			_ = cmd.Process.Signal(syscall.SIGKILL) // it may have ended by now
			<-ended
			killed++
		}
		results, _ := filepath.Glob("killed/*.json")
		now := map[string]time.Time{}
		for _, path := range results {
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			now[path] = info.ModTime()
		}
		for path, at := range kept {
			if now[path] != at {
				t.Errorf("%s was finished and is lost or has been made again", path)
			}
		}
		kept = now
	}
	if killed < kills/4 {
		t.Errorf("killed %d of %d times: too rarely to show anything", killed, kills)
	}
	if out, err := run().CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := run("--results", "alone").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	results := func(dir string) []byte {
		out, err := exec.Command(heddle, "study", "results", "s.yaml", "--csv", "-", "--results", dir).Output()
		if err != nil || bytes.Count(out, []byte("\n")) != runs+1 || bytes.Contains(out, []byte(",left,")) {
			t.Fatalf("%v: %s", err, out)
		}
		return out
	}
	if a, b := results("killed"), results("alone"); !bytes.Equal(a, b) {
		t.Error("not the same results:", firstDifference(string(a), string(b)))
	}
}

// A second process does not run a study that one runs already, and is told what
// that one does.
func TestStudyTwice(t *testing.T) {
	heddle := asCommand(t)
	studying(t)
	writeStudy(t, "s.yaml", "kernels: [matching/ld]\nmachines: [tesla-c2050]\ngraphs: [rmat-g:16]\n")
	first := exec.Command(heddle, "study", "run", "s.yaml")
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = first.Wait() }()
	defer func() { _ = first.Process.Kill() }()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		status, err := exec.Command(heddle, "study", "status", "s.yaml").Output()
		if err != nil || time.Now().After(deadline) {
			t.Fatalf("%v: %s", err, status)
		}
		if strings.Contains(string(status), " 1 running") {
			if !strings.Contains(string(status), "  running: matching/ld on tesla-c2050, rmat-g:16\n") {
				t.Errorf("%s", status)
			}
			break
		}
	}
	out, err := exec.Command(heddle, "study", "run", "s.yaml").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "heddle: study s is being run in s already; heddle study status tells how far it is\n") {
		t.Errorf("%v: %s", err, out)
	}
}
