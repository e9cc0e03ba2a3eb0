package experiments

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// startSlurm starts a cluster of one node for a test, or skips it, saying why.
func startSlurm(t *testing.T) {
	t.Helper()
	script, err := filepath.Abs("../.ci/slurm-cluster")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Cleanup(func() { _ = exec.Command(script, "stop", dir).Run() })
	var fault bytes.Buffer
	cmd := exec.Command(script, "start", dir)
	cmd.Stderr = &fault
	conf, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); err != nil && asExit(err, &exit) && exit.ExitCode() == 3 {
		t.Skipf("no Slurm here: %s", strings.TrimSpace(fault.String()))
	}
	if err != nil {
		t.Fatalf("%v: %s", err, fault.String())
	}
	t.Setenv("SLURM_CONF", strings.TrimSpace(string(conf)))
}

func asExit(err error, exit **exec.ExitError) bool {
	e, ok := err.(*exec.ExitError)
	*exit = e
	return ok
}

// taskProcesses returns the processes that do tasks of arrays in a folder.
func taskProcesses(folder string) []int {
	var found []int
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range lines {
		line, _ := os.ReadFile(path) // a process may have ended
		args := strings.Split(string(line), "\x00")
		if len(args) > 4 && args[1] == "study" && args[2] == "task" && strings.HasPrefix(args[3], folder) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			found = append(found, pid)
		}
	}
	return found
}

// hostFigures are what differs from one execution to the next, and the checksum
// over it.
var hostFigures = regexp.MustCompile(`"host":\{[^}]*\}|"checksum":"[0-9a-f]*"`)

// The same study on a real Slurm cluster, a task of it killed half-way, gives
// the bytes that it gives here.
func TestStudyOnSlurm(t *testing.T) {
	startSlurm(t)
	heddle := asCommand(t)
	studying(t)
	writeStudy(t, "s.yaml", `
kernels: [matching/ld]
machines: [tesla-c2050, {name: too small, machine: functional, set: {memory.capacity: 1 MiB}}]
graphs: [rmat-g:8, rmat-g:13]
`)
	if err := os.Symlink("s.yaml", "here.yaml"); err != nil {
		t.Fatal(err)
	}
	// Both leave three results and one failure.
	if out, err := exec.Command(heddle, "study", "run", "here.yaml", "--results", "here-results").CombinedOutput(); err == nil || !strings.Contains(string(out), "1 runs of study here failed") {
		t.Fatalf("%v\n%s", err, out)
	}
	var said bytes.Buffer
	cluster := exec.Command(heddle, "study", "run", "s.yaml", "--results", "slurm-results", "--on", "slurm", "-v")
	cluster.Stdout, cluster.Stderr = &said, &said
	if err := cluster.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cluster.Wait() }()
	folder, err := filepath.Abs("s/slurm")
	if err != nil {
		t.Fatal(err)
	}
	running := regexp.MustCompile(` [1-9]\d* (running|queued)`)
	killed, seen := false, false
	for deadline := time.Now().Add(100 * time.Second); ; {
		if !killed {
			for _, pid := range taskProcesses(folder) {
				time.Sleep(50 * time.Millisecond) // half-way
				killed = syscall.Kill(pid, syscall.SIGKILL) == nil || killed
				break
			}
		}
		if !seen {
			status, err := exec.Command(heddle, "study", "status", "s.yaml", "--results", "slurm-results").Output()
			if err != nil {
				t.Fatal(err)
			}
			seen = running.Match(status)
		}
		select {
		case err = <-ended:
		case <-time.After(5 * time.Millisecond):
			if time.Now().After(deadline) {
				_ = cluster.Process.Kill()
				t.Fatalf("no end: %s", said.String())
			}
			continue
		}
		break
	}
	if err == nil || !strings.Contains(said.String(), "1 runs of study s failed") {
		t.Fatalf("%v\n%s", err, said.String())
	}
	if !seen || !killed {
		t.Errorf("status saw tasks: %v; killed one: %v", seen, killed)
	}
	if arrays, _ := filepath.Glob("s/slurm/*.json"); len(arrays) < 2 {
		t.Errorf("nothing was handed in again: %v\n%s", arrays, said.String())
	}
	results := func(name, store string) []byte {
		out, err := exec.Command(heddle, "study", "results", name, "--csv", "-", "--results", store).Output()
		if err != nil || bytes.Count(out, []byte(",done,")) != 3 || bytes.Count(out, []byte(",failed,")) != 1 {
			t.Fatalf("%v: %s", err, out)
		}
		return out
	}
	if a, b := results("here.yaml", "here-results"), results("s.yaml", "slurm-results"); !bytes.Equal(a, b) {
		t.Error("not the same results:", firstDifference(string(b), string(a)))
	}
	here, _ := filepath.Glob("here-results/*.json")
	if len(here) != 4 {
		t.Errorf("results %v", here)
	}
	for _, path := range here {
		a, errA := os.ReadFile(path)
		b, errB := os.ReadFile(filepath.Join("slurm-results", filepath.Base(path)))
		if errA != nil || errB != nil || !json.Valid(a) {
			t.Fatal(errA, errB)
		}
		if a, b = hostFigures.ReplaceAll(a, nil), hostFigures.ReplaceAll(b, nil); !bytes.Equal(a, b) {
			t.Errorf("%s:%s", path, firstDifference(string(b), string(a)))
		}
	}
}
