package experiments

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime returns the processor time that the caller's thread has used, 0
// where the system does not tell.
func threadTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
