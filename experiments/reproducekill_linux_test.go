package experiments

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A reproduction that is killed goes on by the same command, does nothing again
// that was done, and ends with the bytes of one that was left alone.
func TestKilledReproduction(t *testing.T) {
	heddle := asCommand(t)
	studying(t)
	const runs = 3 + 6 + 24 // of table II, figure 1 and figure 3
	command := func(name string) *exec.Cmd {
		return exec.Command(heddle, "reproduce", "halappanavar2012", "table2", "fig1", "fig3", "--scale", "9", "--jobs", "2", "-v", "--results", name+"-results", "--out", name)
	}
	kept := func() []string {
		files, _ := filepath.Glob("killed-results/*.json")
		return files
	}
	killed := 0
	for _, enough := range []int{1, runs / 2, runs - 2} {
		cmd := command("killed")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		for deadline := time.Now().Add(time.Minute); len(kept()) < enough && time.Now().Before(deadline); {
			time.Sleep(2 * time.Millisecond)
		}
		_ = cmd.Process.Kill() // it may have ended by now
		if err := <-ended; err != nil {
			killed++
		}
	}
	before := kept()
	if killed < 2 || len(before) < runs/2 {
		t.Fatalf("%d of %d results after %d kills", len(before), runs, killed)
	}
	out, err := command("killed").CombinedOutput()
	if err != nil || strings.Count(string(out), "kept: ") != len(before) || strings.Count(string(out), "done: ") != runs-len(before) {
		t.Fatalf("%v: %d were kept: %s", err, len(before), out)
	}
	if out, err := command("alone").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	files, _ := filepath.Glob("alone/*")
	if want := []string{"fig1.csv", "fig1.png", "fig1.svg", "fig3.csv", "fig3.png", "fig3.svg", "table2.csv"}; len(files) != len(want) {
		t.Errorf("files %v, want %v", files, want)
	}
	if again, _ := filepath.Glob("killed/*"); len(again) != len(files) {
		t.Errorf("left behind: %v", slices.Sorted(slices.Values(again)))
	}
	for _, path := range files {
		a, errA := os.ReadFile(path)
		b, errB := os.ReadFile(filepath.Join("killed", filepath.Base(path)))
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs: %v %v", path, errA, errB)
		}
	}
}
