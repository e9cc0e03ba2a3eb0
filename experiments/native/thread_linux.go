package native

import "golang.org/x/sys/unix"

// threadID returns the number of the caller's thread.
func threadID() int { return unix.Gettid() }
