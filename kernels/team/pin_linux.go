package team

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// pin keeps the caller's goroutine on its thread, and the thread on a
// processor, until release is called on it.
func pin(processor int) (release func(), err error) {
	runtime.LockOSThread()
	var before, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		runtime.UnlockOSThread()
		return nil, fmt.Errorf("sched_getaffinity: %w", err)
	}
	one.Set(processor)
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		runtime.UnlockOSThread()
		return nil, fmt.Errorf("sched_setaffinity to processor %d: %w", processor, err)
	}
	return func() {
		// A thread that cannot be let go stays locked, and ends with the
		// goroutine.
		if unix.SchedSetaffinity(0, &before) == nil {
			runtime.UnlockOSThread()
		}
	}, nil
}

// processors lists the processors that the caller may run on, one of each core
// before the second of any.
func processors() ([]int, error) {
	var allowed unix.CPUSet
	if err := unix.SchedGetaffinity(0, &allowed); err != nil {
		return nil, fmt.Errorf("sched_getaffinity: %w", err)
	}
	const most = 8 * len(allowed) * 8 // bits of words of at most eight bytes
	var list []int
	turn := map[int]int{} // of a processor among those of its core
	seen := map[string]int{}
	for p := range most {
		if !allowed.IsSet(p) {
			continue
		}
		core := core(p)
		list = append(list, p)
		turn[p] = seen[core]
		seen[core]++
	}
	slices.SortStableFunc(list, func(a, b int) int { return turn[a] - turn[b] })
	return list, nil
}

// core names the core of a processor: by the processors that share it, or, if
// the system does not tell, by the processor itself.
func core(processor int) string {
	siblings, err := os.ReadFile(fmt.Sprintf("/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", processor))
	if err != nil {
		return fmt.Sprint(processor)
	}
	return strings.TrimSpace(string(siblings))
}
