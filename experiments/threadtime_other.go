//go:build !linux

package experiments

import "time"

// threadTime is for where Linux tells what a thread has used.
func threadTime() time.Duration { return 0 }
