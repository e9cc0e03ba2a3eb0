//go:build !linux

package native

// threadID is for where Linux tells how long a thread waited.
func threadID() int { return 0 }
