//go:build !linux

package hostbench

import "runtime"

func allowedCPUs() []int { return otherCPUs() }

// pin keeps the calling goroutine on its thread; the system chooses where.
func pin(int) (release func()) {
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}

// region is memory.
type region struct{ words []int64 }

func newRegion(n int, _ bool) (*region, error) { return &region{make([]int64, n/8)}, nil }

func (r *region) free() { r.words = nil }
