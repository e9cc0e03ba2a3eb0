package traces

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"

	"github.com/klauspost/compress/zstd"

	"heddle/sim"
)

// Recorder writes the memory accesses of a run. It implements sim.Observer.
// What it keeps does not grow with the run.
type Recorder struct {
	header   Header
	zstd     *zstd.Encoder
	buffer   []byte
	err      error
	arrays   []sim.MemoryArray
	coding   coding
	inLaunch bool
	origin   sim.Time
	launches uint64
	accesses uint64              // of threads
	skipped  uint64              // those outside all arrays, or outside the first lane's
	running  map[sim.Context]int // threads: the first of each
}

// coding is what a record is told relative to. Times are multiples of half a
// unit, the period of the clock: an even number counts whole periods, an odd
// one femtoseconds.
type coding struct {
	period int64
	at     int64   // of the record before
	thread int64   // the same
	last   []int64 // element, in units of the access's size, of each array's latest access
}

// NewRecorder returns a recorder that writes to w.
func NewRecorder(w io.Writer, h Header) (*Recorder, error) {
	text, err := h.append(nil)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(text); err != nil {
		return nil, err
	}
	z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
	if err != nil {
		return nil, err
	}
	return &Recorder{header: h, zstd: z, running: map[sim.Context]int{}, coding: coding{period: h.Period}}, nil
}

// flushAt is how many bytes of records are compressed at once.
const flushAt = 1 << 16

func (r *Recorder) flush(least int) {
	if len(r.buffer) < least {
		return
	}
	if _, err := r.zstd.Write(r.buffer); r.err == nil {
		r.err = err
	}
	r.buffer = r.buffer[:0]
}

func (r *Recorder) number(v uint64) { r.buffer = binary.AppendUvarint(r.buffer, v) }
func (r *Recorder) signed(v int64)  { r.buffer = binary.AppendVarint(r.buffer, v) }
func (r *Recorder) text(s string) {
	s = s[:min(len(s), maxName)]
	r.number(uint64(len(s)))
	r.buffer = append(r.buffer, s...)
}

// span appends a time that is not absolute.
func (r *Recorder) span(d int64) {
	if d%r.coding.period == 0 {
		r.signed(d / r.coding.period * 2)
	} else {
		r.signed(d*2 + 1)
	}
}

// moment appends a time of the run.
func (r *Recorder) moment(t sim.Time) {
	at := int64(t - r.origin)
	r.span(at - r.coding.at)
	r.coding.at = at
}

// thread appends the number of a thread.
func (r *Recorder) thread(n int) {
	r.signed(int64(n) - r.coding.thread)
	r.coding.thread = int64(n)
}

// Began implements sim.Observer.
func (r *Recorder) Began(at sim.Time) { r.origin = at }

// Launched implements sim.Observer.
func (r *Recorder) Launched(l *sim.Launched) {
	for _, a := range l.Arrays[len(r.arrays):] {
		r.buffer = append(r.buffer, codeArray)
		r.text(a.Name)
		r.text(a.Type)
		r.number(uint64(a.Element))
		r.number(a.Base)
		r.number(uint64(a.Length))
		r.arrays = append(r.arrays, a)
		r.coding.last = append(r.coding.last, 0)
	}
	r.launches++
	r.inLaunch = true
	r.coding.thread = 0
	r.buffer = append(r.buffer, codeLaunch)
	r.text(l.Program)
	r.number(uint64(l.Threads))
	r.number(uint64(l.Block))
	r.moment(l.At)
}

// Returned implements sim.Observer.
func (r *Recorder) Returned(at sim.Time) {
	r.inLaunch = false
	r.buffer = append(r.buffer, codeReturn)
	r.moment(at)
	r.flush(flushAt)
}

// Started implements sim.Probe.
func (r *Recorder) Started(c sim.Context, thread int, at sim.Time) {
	r.running[c] = thread
	r.buffer = append(r.buffer, codeStart)
	r.thread(thread)
	r.moment(at)
}

// Access implements sim.Probe.
func (r *Recorder) Access(a *sim.Access) {
	mask := r.inside(a)
	lanes := bits.OnesCount64(mask)
	r.accesses += uint64(lanes)
	r.skipped += uint64(bits.OnesCount64(a.Lanes) - lanes)
	if lanes == 0 {
		return
	}
	size := uint64(max(a.Size, 1))
	code := byte(codeAccess) | byte(a.Kind) | byte(bits.TrailingZeros64(size))<<2
	if lanes > 1 {
		code |= codeLanes
	}
	r.buffer = append(r.buffer, code)
	first := bits.TrailingZeros64(mask)
	r.thread(a.Thread + first)
	r.moment(a.From)
	r.span(int64(a.To - a.From))
	r.number(uint64(a.Array))
	if lanes > 1 {
		r.number(mask >> first)
	}
	base := r.arrays[a.Array].Base
	last := &r.coding.last[a.Array]
	for m := mask; m != 0; m &= m - 1 {
		place := int64((a.Addr[bits.TrailingZeros64(m)] - base) / size)
		r.signed(place - *last)
		*last = place
	}
	r.flush(flushAt)
}

// inside returns the lanes that access the first one's array.
func (r *Recorder) inside(a *sim.Access) (mask uint64) {
	if a.Array < 0 || int(a.Array) >= len(r.arrays) {
		return 0
	}
	array := &r.arrays[a.Array]
	for m := a.Lanes; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		if a.Addr[i]-array.Base < uint64(array.Length)*uint64(array.Element) {
			mask |= 1 << i
		}
	}
	return mask
}

// Arrived implements sim.Probe.
func (r *Recorder) Arrived(c sim.Context, at sim.Time) {
	r.buffer = append(r.buffer, codeBarrier)
	r.thread(r.running[c])
	r.moment(at)
}

// Spent implements sim.Probe.
func (r *Recorder) Spent(sim.Context, int, int32, sim.Time, sim.Time, int) {}

// Request implements sim.Probe; what threads ask for is recorded.
func (r *Recorder) Request(*sim.Request) {}

// Ended implements sim.Probe.
func (r *Recorder) Ended(sim.Context, sim.Time) {}

// Copied implements sim.Observer.
func (r *Recorder) Copied(string, sim.Bytes, sim.Time, sim.Time) {}

// Noted implements sim.Observer.
func (r *Recorder) Noted(string, int64, sim.Time) {}

// Close ends the trace. A trace that is not closed is refused when it is read.
func (r *Recorder) Close() error {
	if r.inLaunch { // the run was interrupted, or has failed
		r.Returned(r.origin + sim.Time(r.coding.at))
	}
	r.buffer = append(r.buffer, codeEnd)
	r.number(r.launches)
	r.number(r.accesses)
	r.number(r.skipped)
	r.flush(0)
	if err := r.zstd.Close(); r.err == nil {
		r.err = err
	}
	if r.err != nil {
		return fmt.Errorf("memory trace: %w", r.err)
	}
	return nil
}
