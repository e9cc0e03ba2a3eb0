package hostbench

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// allowedCPUs lists the hardware threads that the process may use.
func allowedCPUs() []int {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return otherCPUs()
	}
	var cpus []int
	for n := range 8 * int(unsafe.Sizeof(set)) {
		if set.IsSet(n) {
			cpus = append(cpus, n)
		}
	}
	return cpus
}

// pin keeps the calling goroutine on a hardware thread. What it returns lets
// it go.
func pin(cpu int) (release func()) {
	runtime.LockOSThread()
	var before, set unix.CPUSet
	set.Set(cpu)
	known := unix.SchedGetaffinity(0, &before) == nil
	if !known || unix.SchedSetaffinity(0, &set) != nil {
		return runtime.UnlockOSThread // where it is not allowed, the system chooses
	}
	return func() {
		if unix.SchedSetaffinity(0, &before) == nil {
			runtime.UnlockOSThread() // else the thread ends with the goroutine
		}
	}
}

// region is memory of its own pages.
type region struct {
	words []int64
	bytes []byte
}

// newRegion returns n bytes on pages of the base size, or on huge ones as far
// as the system has them.
func newRegion(n int, huge bool) (*region, error) {
	const page = 2 << 20
	b, err := unix.Mmap(-1, 0, n+page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("%s of memory: %w", sizeText(n), err)
	}
	skip := int(-uintptr(unsafe.Pointer(&b[0])) % page)
	advice := unix.MADV_NOHUGEPAGE
	if huge {
		advice = unix.MADV_HUGEPAGE
	}
	_ = unix.Madvise(b, advice) // a wish: a system without huge pages has base pages alone
	return &region{unsafe.Slice((*int64)(unsafe.Pointer(&b[skip])), n/8), b}, nil
}

func (r *region) free() { _ = unix.Munmap(r.bytes) } // of what Mmap returned it cannot fail
