package native

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// event is one of the kernel's performance events, by perf_event_open(2).
type event struct {
	kind   uint32
	config uint64
}

// hardware are the events that Counters counts: instructions, loads, stores.
var hardware = []event{
	{unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_INSTRUCTIONS},
	{unix.PERF_TYPE_HW_CACHE, firstLevel(unix.PERF_COUNT_HW_CACHE_OP_READ)},
	{unix.PERF_TYPE_HW_CACHE, firstLevel(unix.PERF_COUNT_HW_CACHE_OP_WRITE)},
}

// firstLevel is the event of accesses to the first-level data cache.
func firstLevel(operation uint64) uint64 {
	return unix.PERF_COUNT_HW_CACHE_L1D | operation<<8 | unix.PERF_COUNT_HW_CACHE_RESULT_ACCESS<<16
}

// counters count events of the thread that opened them.
type counters []int

func openCounters(events []event) (counters, error) {
	var c counters
	for _, e := range events {
		attr := unix.PerfEventAttr{
			Type: e.kind, Config: e.config,
			Bits:        unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv,
			Read_format: unix.PERF_FORMAT_TOTAL_TIME_ENABLED | unix.PERF_FORMAT_TOTAL_TIME_RUNNING,
		}
		attr.Size = uint32(unsafe.Sizeof(attr))
		fd, err := unix.PerfEventOpen(&attr, 0, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
		if err != nil {
			c.close()
			return nil, fmt.Errorf("perf_event_open: %w", err)
		}
		c = append(c, fd)
	}
	return c, nil
}

func (c counters) close() {
	for _, fd := range c {
		_ = unix.Close(fd)
	}
}

// read returns the counts so far.
func (c counters) read() ([]uint64, error) {
	counts := make([]uint64, len(c))
	for i, fd := range c {
		var b [24]byte // count, time enabled, time running
		if n, err := unix.Read(fd, b[:]); err != nil || n != len(b) {
			return nil, fmt.Errorf("performance counter: %d bytes read: %w", n, err)
		}
		counts[i] = binary.NativeEndian.Uint64(b[:])
		if enabled, running := binary.NativeEndian.Uint64(b[8:]), binary.NativeEndian.Uint64(b[16:]); enabled != running {
			return nil, fmt.Errorf("performance counter: others share it, it counted for %d of %d ns", running, enabled)
		}
	}
	return counts, nil
}
