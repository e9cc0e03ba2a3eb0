package team

import (
	"context"
	"testing"

	"golang.org/x/sys/unix"
)

// Each worker of a pinned team runs on its processor, and the maker's thread
// may go where it could before once the team is closed.
func TestPinned(t *testing.T) {
	var before unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		t.Skip("affinity cannot be read: ", err)
	}
	for _, threads := range []int{0, 1, 2, 5} {
		team, err := Pinned(context.Background(), threads)
		if err != nil {
			t.Skip("threads cannot be pinned here: ", err)
		}
		if threads > 0 && team.Threads() != threads || len(team.Processors()) != team.Threads() {
			t.Fatalf("%d workers on processors %v", team.Threads(), team.Processors())
		}
		masks := make([]unix.CPUSet, team.Threads())
		team.All(func(worker int) {
			if err := unix.SchedGetaffinity(0, &masks[worker]); err != nil {
				t.Error(err)
			}
		})
		for w, p := range team.Processors() {
			if m := &masks[w]; m.Count() != 1 || !m.IsSet(p) {
				t.Errorf("worker %d of %d may run on %d processors, wanted %d alone", w, threads, m.Count(), p)
			}
			if !before.IsSet(p) {
				t.Errorf("processor %d was not allowed", p)
			}
		}
		team.Close()
		var after unix.CPUSet
		if err := unix.SchedGetaffinity(0, &after); err != nil || after != before {
			t.Errorf("after %d threads the maker may run on %d processors, before on %d", threads, after.Count(), before.Count())
		}
	}
}

// Workers have processors of their own while there are enough.
func TestProcessors(t *testing.T) {
	list, err := processors()
	if err != nil {
		t.Skip(err)
	}
	seen := map[int]bool{}
	cores := map[string]bool{}
	for i, p := range list {
		if seen[p] {
			t.Errorf("processor %d twice in %v", p, list)
		}
		seen[p] = true
		cores[core(p)] = true
		if len(cores) < i+1 && len(cores) < coreCount(list) {
			t.Errorf("%v: processor %d shares a core, and others have none yet", list, p)
		}
	}
}

func coreCount(list []int) int {
	cores := map[string]bool{}
	for _, p := range list {
		cores[core(p)] = true
	}
	return len(cores)
}
