package window

// fillBuffers are a core's line fill buffers: each is held by a line from the
// access that misses until the line is in the first-level cache.
//
// Accesses are booked in the order of dispatch, not of their times. An access
// waits for those that hold a buffer when it is made; one that is booked
// already for a later time does not stand in its way, and may find one buffer
// too many in use then.
type fillBuffers struct {
	size  int
	shift uint // of the bytes of a line
	lines []fill
	last  []int64 // when the lines that land last do, size of them, ascending
}

// fill is a line on its way, and why that takes long.
type fill struct {
	line       uint64
	from, till int64
	cause      Cause
}

func newFillBuffers(n int, shift uint) fillBuffers {
	return fillBuffers{size: n, shift: shift, lines: make([]fill, 0, 2*n), last: make([]int64, n)}
}

// free reports whether fewer lines than there are buffers are on their way at
// cycle at or start later: there is a buffer for another, and no need to look.
func (f *fillBuffers) free(at int64) bool { return at >= f.last[0] }

// next returns the first cycle at or after at in which a buffer is free.
func (f *fillBuffers) next(at int64) int64 {
	for {
		used, free := 0, never
		for i := range f.lines {
			if l := &f.lines[i]; l.from <= at && at < l.till {
				used++
				free = min(free, l.till)
			}
		}
		if used < f.size {
			return at
		}
		at = free
	}
}

// take holds a buffer for l, and forgets lines that are there at cycle now.
func (f *fillBuffers) take(l fill, now int64) {
	if l.till > f.last[0] {
		i := 1
		for ; i < len(f.last) && f.last[i] < l.till; i++ {
			f.last[i-1] = f.last[i]
		}
		f.last[i-1] = l.till
	}
	if len(f.lines) == cap(f.lines) {
		kept := f.lines[:0]
		for _, l := range f.lines {
			if l.till > now {
				kept = append(kept, l)
			}
		}
		f.lines = kept
	}
	f.lines = append(f.lines, l)
}

// cause returns why the line of addr, which is on its way, takes long.
func (f *fillBuffers) cause(addr uint64) Cause {
	line := addr >> (f.shift & 63)
	for i := len(f.lines) - 1; i >= 0; i-- {
		if f.lines[i].line == line {
			return f.lines[i].cause
		}
	}
	return L1
}
